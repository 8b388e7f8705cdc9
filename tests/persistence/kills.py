"""Saves that are killed or meet a failing disk: ``python -m tests.persistence.kills --kills 500 --errors 200``.

Over one file two models are saved in turns. Whenever the process is killed, the file must be one of the two, whole.
When a call to the system fails instead, the error must be a PersistenceError and nothing may be left beside the file; a
killed process cannot clean up, and leaves its half-written neighbour (``.name.…``), which nobody takes for a model.
"""

from __future__ import annotations

import argparse
import collections
import errno
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from margin.data import Column, Schema, Table
from margin.errors import PersistenceError
from margin.persistence import load, save

__all__ = ["failed", "killed"]

#: What a save asks of the system.
CALLS = ("ftruncate", "pwrite", "fchmod", "fsync", "replace", "close", "open")


def tables(n: int) -> dict[str, Table]:
    """Two tables that cannot be mistaken for each other."""
    schema = Schema([Column("cell", "numeric")])
    return {name: Table(schema, [np.full(n, cell)], name) for name, cell in (("old", 1.0), ("new", 2.0))}


def whole(path: Path) -> str:
    """The name of the table in a file, every cell of it looked at."""
    found = load(path)
    assert (found.cells("cell") == {"old": 1.0, "new": 2.0}[found.name]).all()
    return found.name


def killed(n: int, folder: Path, seed: int = 0) -> collections.Counter:
    """What stood in the file after each of ``n`` kills, and how often a neighbour was left behind."""
    rng, found = random.Random(seed), collections.Counter({"kills": 0})
    for number in range(n):
        both = tables(rng.choice((10, 100_000, 1_500_000)))
        path = folder / "model.margin"
        begin = time.perf_counter()
        save(both["old"], path)
        took = time.perf_counter() - begin
        child = os.fork()
        if child == 0:
            _save_for_ever(both, path)
        time.sleep(rng.uniform(0, 3 * took))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        try:
            found[whole(path)] += 1
        except (PersistenceError, AssertionError) as wrong:
            found["broken"] += 1
            print(f"kill {number} (seed {seed}): {wrong}", file=sys.stderr)
        found["kills"] += 1
        for left in folder.glob(".model.margin.*"):
            found["left behind"] += 1
            left.unlink()
        assert [each.name for each in folder.iterdir()] == ["model.margin"]
    return found


def _save_for_ever(both: dict[str, Table], path: Path) -> None:
    try:
        while True:
            for name in ("new", "old"):
                save(both[name], path)
    finally:
        os._exit(1)


@contextmanager
def failing(call: str, at: int, code: int, short: bool) -> Iterator[list[int]]:
    """The ``at``-th of one kind of calls fails, and writes from then on; ``short`` ones write a part before."""
    real, seen = getattr(os, call), [0]

    def wrapped(*given: Any, **more: Any) -> Any:
        seen[0] += 1
        if seen[0] == at and short and call == "pwrite":
            return real(given[0], memoryview(given[1])[: len(given[1]) // 2], given[2])
        if seen[0] == at or (call == "pwrite" and seen[0] > at):
            if call == "close":
                real(*given, **more)
            raise OSError(code, os.strerror(code))
        return real(*given, **more)

    with mock.patch.object(os, call, wrapped):
        yield seen


def failed(n: int, folder: Path, seed: int = 0) -> collections.Counter:
    """What came of ``n`` saves of which one call to the system failed."""
    rng, found, path = random.Random(seed), collections.Counter({"errors": 0}), folder / "model.margin"
    while found["errors"] < n:
        both = tables(rng.choice((10, 1_500_000)))
        save(both["old"], path)
        call, code = rng.choice(CALLS), rng.choice((errno.ENOSPC, errno.EIO, errno.EDQUOT))
        at = rng.choice((1, 1, 2, 3, 4)) if call != "ftruncate" else 1
        with failing(call, at, code, rng.random() < 0.3) as seen:
            try:
                save(both["new"], path)
                said = "saved"
            except PersistenceError as error:
                said = "refused" if os.strerror(code).lower() in str(error) else f"unclear: {error}"
            except Exception as error:
                said = f"foreign {type(error).__name__}: {error}"
        if seen[0] < at:  # there were no so many calls
            continue
        found["errors"] += 1
        expected = {"refused": "old", "saved": "new"}.get(said)
        found[said if whole(path) == expected else f"{call} {at}: {said}, but {whole(path)} stands there"] += 1
        if left := [each.name for each in folder.iterdir() if each != path]:
            found[f"{call} {at}: {left} left behind"] += 1
            for name in left:
                (folder / name).unlink()
    return found


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.persistence.kills")
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--errors", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(given)
    with tempfile.TemporaryDirectory(prefix="margin-kills-") as one, tempfile.TemporaryDirectory() as two:
        found = {
            "killed": killed(asked.kills, Path(one), asked.seed),
            "failed": failed(asked.errors, Path(two), asked.seed),
        }
    print(json.dumps(found))
    allowed = {"kills", "errors", "old", "new", "left behind", "refused", "saved"}
    return int(any(not counts.keys() <= allowed for counts in found.values()))


if __name__ == "__main__":
    sys.exit(main())
