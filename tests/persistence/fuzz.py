"""Thousands of damaged files for every kind of model: ``python -m tests.persistence.fuzz``.

What may come of one: it is *refused* by a PersistenceError; the answers are *equal*; they are *other* ones, because a
plain number was changed and every digest with it, and no witness row reaches it; or the model answers with an *error*
of margin's own. What may not: answers that differ though no digest was touched (*silent*), an error that is not
margin's (*foreign*), a second of processor time (*hang*), more memory than two times the file and 64 MiB,
anything done while loading but reading one file (*forbidden*), and the death of the process (*crash*).
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Found", "Server", "main", "tried"]

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = ("refused", "equal", "other", "error", "silent", "foreign", "memory", "forbidden", "crash", "hang")
ALLOWED = COLUMNS[:4]


@dataclass
class Found:
    """What came of the mutants of one kind of model."""

    kind: str
    counts: collections.Counter = field(default_factory=collections.Counter)
    bad: list[str] = field(default_factory=list)
    n_models: int = 0

    def add(self, number: int, outcome: str, what: str) -> None:
        self.counts[outcome] += 1
        if outcome not in ALLOWED:
            self.bad.append(f"{self.kind}:{number} {outcome}: {what}")


class Server:
    """The process that loads; started again after each death."""

    def __init__(self) -> None:
        self._process: subprocess.Popen | None = None

    def start(self) -> None:
        jobs, self._jobs = os.pipe()
        self._answers, answers = os.pipe()
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 (closed in end)
        flags = ["-S"] if sys.flags.no_site else []
        command = [sys.executable, *flags, "-m", "tests.persistence.serving", str(jobs), str(answers)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([os.environ.get("PYTHONPATH", ""), "src"])}
        self._process = subprocess.Popen(
            command, cwd=ROOT, pass_fds=(jobs, answers), stdout=self._said, stderr=self._said, env=environment
        )
        os.close(jobs)
        os.close(answers)
        self._lines = os.fdopen(self._answers)

    def ask(self, job: dict[str, Any], tell: Callable[[list[Any]], None]) -> None:
        """Send a job; every line that comes back is told, until it is done or the process is dead."""
        if self._process is None:
            self.start()
        os.write(self._jobs, (json.dumps(job) + "\n").encode())
        for line in self._lines:
            told = json.loads(line)
            tell(told)
            if told[0] == "done":
                return

    def last_words(self) -> tuple[str, str]:
        """How the process died, and what it wrote last."""
        assert self._process is not None
        code = self._process.wait()
        self._said.seek(0)
        words = self._said.read().decode(errors="replace").strip()
        self.end()
        if code >= 0 and "runtime error" not in words and "AddressSanitizer" not in words:
            raise RuntimeError(f"the process that loads has ended by itself:\n{words}")
        late = code in (-signal.SIGPROF, -signal.SIGALRM)
        return "hang" if late else "crash", f"exit code {code}; {' | '.join(words.splitlines()[:8])}"

    def end(self) -> None:
        if self._process is not None:
            os.close(self._jobs)
            self._lines.close()
            self._process.wait(timeout=60)
            self._said.close()
            self._process = None


def tried(server: Server, kind: str, numbers: range, talk: Any = None, **options: Any) -> Found:
    """Every mutant of one kind of model; a death costs its mutant and a new process."""
    found, at = Found(kind), numbers.start

    def tell(told: list[Any]) -> None:
        nonlocal at
        if told[0] == "done":
            found.n_models, at = told[1], numbers.stop
        else:
            found.add(*told)
            at = told[0] + 1
            if talk:
                print(kind, *told)

    while at < numbers.stop:
        server.ask({"kind": kind, "first": at, "last": numbers.stop, "talk": bool(talk), **options}, tell)
        if at < numbers.stop:
            outcome, words = server.last_words()
            found.add(at, outcome, words)
            at += 1
    return found


def main(given: list[str] | None = None) -> int:
    """Print a row for each kind of model; 1 if anything came of one that may not."""
    from tests.persistence.models import kinds_of_models

    parser = argparse.ArgumentParser(prog="python -m tests.persistence.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("--models", nargs="*", help="names of estimators; all of them without it")
    parser.add_argument("--n", type=int, default=10_000, help="mutants of each kind of model")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--repaired", action="store_true", help="only such as a hostile writer makes: digests repaired")
    parser.add_argument("--only", help="KIND:NUMBER, one mutant once more")
    asked = parser.parse_args(given)
    options = {"seed": asked.seed, "repaired": asked.repaired}
    server = Server()
    if asked.only:
        kind, number = asked.only.rsplit(":", 1)
        found = tried(server, kind, range(int(number), int(number) + 1), True, **options)
        server.end()
        return int(bool(found.bad))
    print(f"{'model':36}{'files':>6}" + "".join(f"{name:>10}" for name in COLUMNS) + f"{'seconds':>9}", flush=True)
    bad: list[str] = []
    total: collections.Counter = collections.Counter()
    for kind in asked.models or kinds_of_models():
        begin = time.perf_counter()
        found = tried(server, kind, range(asked.n), **options)
        row = "".join(f"{found.counts[name]:>10,}" for name in COLUMNS)
        print(f"{kind:36}{found.n_models:>6}{row}{time.perf_counter() - begin:>9.1f}", flush=True)
        for each in found.bad[:5]:
            print("   ", each[:600], flush=True)
        bad += found.bad
        total += found.counts
    server.end()
    print(f"{'all':42}" + "".join(f"{total[name]:>10,}" for name in COLUMNS))
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
