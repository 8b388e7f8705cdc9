"""A table that is larger than the memory it gets: made on the spot, learnt from in this process, and once more by two
workers of which one is killed half way. Both models have the same digest.

    python examples/larger_than_memory.py --rows 20000000 --memory 1e9
"""

from __future__ import annotations

import argparse
import hashlib
import os
import resource
import signal
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import margin
from margin import distributed, persistence

ROWS_OF_A_PART = 1_000_000


def make_table(folder: Path, rows: int, columns: int = 20) -> None:
    """Parts of a made table: numbers, some of them missing, a column of words, and three classes."""
    for number, begin in enumerate(range(0, rows, ROWS_OF_A_PART)):
        n = min(ROWS_OF_A_PART, rows - begin)
        rng = np.random.default_rng(number)
        y = rng.integers(0, 3, n)
        numbers = rng.normal(size=(columns - 1, n)) + y * np.linspace(0, 0.2, columns - 1)[:, None]
        words = np.array(["red", "blue", "green", "black"])[(rng.integers(0, 4, n) + y) % 4]
        frame = pl.DataFrame({f"x{j}": cells for j, cells in enumerate(numbers)} | {"colour": words})
        frame.with_columns(y=pl.Series(np.array(["a", "b", "c"])[y])).write_parquet(folder / f"{number:05d}.parquet")


def peak(who: int = resource.RUSAGE_SELF) -> float:
    """The most memory of this process (or of its workers) so far, in GB."""
    return resource.getrusage(who).ru_maxrss * 1024 / 1e9


def kill_one(engine: Any, after: float) -> threading.Thread:
    """End one of the workers while they work."""

    def strike() -> None:
        time.sleep(after)
        if engine.processes:
            os.kill(engine.processes[0], signal.SIGKILL)

    thread = threading.Thread(target=strike, daemon=True)
    thread.start()
    return thread


def main() -> None:
    """Fit twice, and say what it took."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rows", type=int, default=20_000_000)
    asked.add_argument("--model", default="NaiveBayes")
    asked.add_argument("--memory", type=float, default=1e9)
    given = asked.parse_args()
    with tempfile.TemporaryDirectory(prefix="margin-demo-") as name:
        folder = Path(name)
        make_table(folder, given.rows)
        size = 8 * given.rows * 21 / 1e9
        made = peak()
        begin = time.perf_counter()
        parts = margin.scan(folder, target="y", keep=folder / "parts.json")
        print(f"{parts.n_rows:,} rows, {size:.2f} GB as numbers; looked at in {time.perf_counter() - begin:.1f} s")
        digests, took = [], 0.0
        for engine, settings in (("local", {}), ("processes", {"workers": 2})):
            begin = time.perf_counter()
            with distributed.use(engine, **settings) as where:
                thread = None if engine == "local" else kill_one(where, max(0.2, took / 2))
                model = distributed.fit(getattr(margin, given.model)(), parts, memory=given.memory)
                if thread is not None:
                    thread.join()
            took = time.perf_counter() - begin
            digests.append(hashlib.sha256(persistence.to_bytes(model)).hexdigest())
            lost = f", {where.counted.deaths} killed" if where.counted.deaths else ""
            print(f"{engine}: {took:.1f} s{lost}, sha256 {digests[-1]}")
        most = max(peak(), peak(resource.RUSAGE_CHILDREN))
        print(f"peak {most:.2f} GB (making the table alone took {made:.2f}); same bytes: {digests[0] == digests[1]}")


if __name__ == "__main__":
    main()
