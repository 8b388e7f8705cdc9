"""What loading a file costs: a process of its own says how it ended, how long it took and what memory it held."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Cost", "Scale"]

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Cost:
    """``seconds`` are those of the processor, ``memory`` is what was held beside what was held before."""

    error: str
    seconds: float
    memory: int


class Scale:
    """A process that has imported margin and loaded one good file, and is told which file to load next."""

    def __init__(self, good: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(["src", os.environ.get("PYTHONPATH", "")])}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.persistence.weighing"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert self.weigh(good).error == ""

    def weigh(self, path: Path, mmap: bool = False) -> Cost:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"path": str(path), "mmap": mmap}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the process has died: {self._process.wait()}"
        return Cost(**json.loads(line))

    def end(self) -> None:
        self._process.communicate(timeout=60)


def _weighed(path: str, mmap: bool) -> dict[str, Any]:
    from margin.errors import PersistenceError
    from margin.persistence import load
    from tests.persistence.serving import Memory

    memory = Memory()
    memory.forget_peak()
    before, begin, error = memory.read("VmRSS"), time.process_time(), ""
    try:
        load(path, mmap=mmap)
    except PersistenceError as refused:
        error = str(refused)
    seconds = time.process_time() - begin
    return {"error": error, "seconds": seconds, "memory": memory.read("VmHWM") - before}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(_weighed(**json.loads(line))), flush=True)
