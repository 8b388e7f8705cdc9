"""A table of several blocks, whole and cut into parts, for tests of fits on parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from margin.data.parts.row_blocks import ROWS

__all__ = ["cut", "mixed_frame"]

N = 2 * ROWS + 4321


def mixed_frame(n: int = N, seed: int = 0) -> pl.DataFrame:
    """Numbers with and without missing cells, words, a count, weights and three classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    b = rng.normal(size=n) * 1e3
    b[rng.random(n) < 0.1] = np.nan
    colours = np.array(["red", "blue", "green", "odd"], dtype=object)
    c = colours[(rng.integers(0, 3, n) * y) % 3]
    c[n - 1] = "odd"  # a level that only the last row has
    return pl.DataFrame({
        "a": rng.normal(size=n) + y, "b": b, "c": c, "few": rng.integers(0, 5, n).astype(float),
        "y": np.array(["u", "v", "w"], dtype=object)[y],
    }).with_columns(pl.col("b").fill_nan(None))  # fmt: skip


def cut(frame: pl.DataFrame, folder: Path, k: int) -> Path:
    """The rows in k files."""
    folder.mkdir()
    n = len(frame)
    for i in range(k):
        frame.slice(i * n // k, (i + 1) * n // k - i * n // k).write_parquet(folder / f"{i:05d}.parquet")
    return folder
