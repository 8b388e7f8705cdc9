"""Where the time of gradient boosting goes, beside what memory alone would take.

Run it with ``python examples/where_boosting_time_goes.py [ROWS [COLUMNS [ROUNDS]]]``; trees of 63 leaves, 255 bins, one
thread. Seconds are those of the processor, so that a busy machine shows about the same. ``moved`` is what a phase must
read and write at least, by what was counted while it ran; ``at full speed`` is how long that takes at the speed of one
thread copying a large array, measured here. A phase far above it is not waiting for memory: it calculates, or its
reads depend on each other.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from margin.base.representations.mixed import MixedData
from margin.boosting.gradient.rounds import BoostedRows, Run


def bytes_a_second() -> float:
    """How fast one thread copies: bytes read and written."""
    source = np.ones(1 << 25)
    target = np.empty_like(source)
    best = np.inf
    for _ in range(5):
        began = time.process_time()
        np.copyto(target, source)
        best = min(best, time.process_time() - began)
    return 2 * source.nbytes / best


def moved(phase: str, done: float, n: int, d: int, rounds: int) -> float:
    """Bytes of a phase. An item is a row's number and its derivatives on the coarse grid, 8 bytes."""
    return {
        "binning": n * d * (8 + 1 + 1 + 1),  # numbers read; codes written, read again and written by columns
        "gradients": done * (8 + 8 + 16 + 8),  # score, target; derivatives on the fine grid and an item written
        "histograms": done + done / d * 8,  # codes and items read; bins stay in the second cache
        "search": done * 8,  # bins read
        "dealing": done * (1 + 1 + 1 + 16),  # a code read, a side written and read, an item moved
        "updating": done * (8 + 16 + 8 + 8),  # an item, derivatives for the leaf, the score
    }[phase]


def main(arguments: list[str]) -> int:
    """Fit once, print a row for each phase."""
    n, d, rounds = (int(a) for a in [*arguments, *("100000", "28", "100")[len(arguments) :]])
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = (np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + np.abs(X[:, 3]) + rng.logistic(size=n) / 2 > 0.8).astype(float)
    settings = {"max_leaves": 63, "min_cases": 20.0, "n_threads": 1}
    began = time.process_time()
    rows = BoostedRows(MixedData(X), y, np.ones(n), np.zeros((1, n)))
    run = Run(rows, None, "log_loss", settings, base=np.zeros(1), max_bins=255)
    binning = time.process_time() - began
    run.go_on(rounds)
    total = time.process_time() - began
    speed = bytes_a_second()
    phases = {"binning": (binning, 0.0)} | run.core.phases()
    print(f"{n:,} rows, {d} columns, {rounds} rounds: {total:.2f} s; copying moves {speed / 1e9:.1f} GB/s\n")
    print("| phase | seconds | share | moved, GB | at full speed, s |\n|---|---|---|---|---|")
    for phase, (seconds, done) in phases.items():
        size = moved(phase, done, n, d, rounds)
        print(f"| {phase} | {seconds:.3f} | {seconds / total:.0%} | {size / 1e9:.2f} | {size / speed:.3f} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
