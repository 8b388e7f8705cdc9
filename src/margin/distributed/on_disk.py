"""Models that pass over their rows many times: these are encoded once, by the workers, to a file that memory maps.

The model's own solver then runs over the mapped rows, so that it does what it does in memory, to the last bit; what the
system has no memory for it reads again from the file. In memory are what a solver keeps of each row (a class, a few
numbers), and nothing of the rows themselves.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from margin.base.representations.cell_survey import Survey
from margin.base.representations.mixed import MixedData
from margin.base.representations.numeric import Numeric, NumericEncoder
from margin.base.representations.representation import TrainingRows
from margin.blas import OneBlasThread
from margin.data.parts.row_blocks import block_bounds
from margin.distributed.engines.engine import Engine
from margin.distributed.keeping import Checkpoint
from margin.distributed.rows import ModelRows
from margin.distributed.sums import Look, aligned_runs, join_looks, look_at_blocks, sums_over_blocks
from margin.errors import DataError

__all__ = ["fit_on_disk"]


@dataclass(frozen=True)
class _Files:
    """Where the rows of a model lie: a matrix, a file for each column of codes, targets."""

    folder: str
    n_rows: int
    width: int
    n_codes: int

    @property
    def bytes(self) -> int:
        return self.n_rows * (8 * self.width + 4 * self.n_codes)

    def matrix(self, mode: Any) -> np.ndarray:
        return _mapped(Path(self.folder) / "numbers", np.float64, (self.n_rows, self.width), mode)

    def codes(self, j: int, mode: Any) -> np.ndarray:
        return _mapped(Path(self.folder) / f"codes{j}", np.int32, (self.n_rows,), mode)


def _mapped(path: Path, dtype: Any, shape: tuple[int, ...], mode: Any) -> np.ndarray:
    if not np.prod(shape):
        return np.empty(shape, dtype)
    return np.asarray(np.memmap(path, dtype, mode, shape=shape))


@dataclass(frozen=True)
class _Encoding:
    """What a worker needs to write the rows of some blocks."""

    rows: ModelRows
    encoder: NumericEncoder | None
    files: _Files


def fit_on_disk(
    model: Any, rows: ModelRows, engine: Engine, disk: float | None, checkpoint: Checkpoint | None
) -> Survey:
    """Let a model learn from rows on disk; what was seen of its numbers."""
    n, who = rows.parts.n_blocks, rows.who
    look: Look = sums_over_blocks(engine, look_at_blocks, rows, n, f"{who}: looking", join_looks, checkpoint)
    encoder = rows.encoder()
    if isinstance(encoder, NumericEncoder):
        encoder.learn(look.survey)
        if encoder._is_wide():
            raise DataError(
                f"{who}: {encoder._width():,} one-hot columns are not read in parts (leave out the column of most "
                "levels with columns=, or use NaiveBayes)."
            )
        width, n_codes = encoder._width() if rows.columns.schema is not None else rows.columns.n, 0
    else:
        width, n_codes = len(encoder.numeric_names), len(encoder.coded_names)
    with _files(rows.parts.n_rows, width, n_codes, disk, who) as files:
        shared = _Encoding(rows, encoder if isinstance(encoder, NumericEncoder) else None, files)
        targets, weights = _written(shared, engine, n)
        matrix = files.matrix("r")
        data: Any = matrix
        if not isinstance(rows.form, Numeric):
            codes = tuple(files.codes(j, "r") for j in range(n_codes))
            data = MixedData(matrix, codes, rows.columns.schema, None, look.survey)
        given = TrainingRows(matrix, rows.parts.n_rows, None, weights)
        model._encoder = encoder
        with OneBlasThread(width):
            model._fit(data, targets, model._with_targets(given, targets))
    return look.survey


def _written(shared: _Encoding, engine: Engine, n_blocks: int) -> tuple[np.ndarray, np.ndarray | None]:
    """All rows in their files, their targets and weights."""
    rows, files = shared.rows, shared.files
    targets = np.empty(files.n_rows, dtype=rows.values.dtype if rows.n_classes else np.float64)
    weights = None if rows.weight is None else np.empty(files.n_rows)
    runs = aligned_runs(n_blocks, engine.workers)
    for number, found in engine.map(_write_blocks, shared, runs, f"{rows.who}: rows to disk"):
        for block, (y, weight) in zip(runs[number], found, strict=True):
            begin, end = block_bounds(block, files.n_rows)
            targets[begin:end] = y
            if weights is not None:
                weights[begin:end] = weight
    return targets, weights


def _write_blocks(shared: _Encoding, run: range) -> list[tuple[np.ndarray, np.ndarray | None]]:
    """A task: the encoded rows of some blocks, each at its place in the files; written twice they are the same."""
    rows, files = shared.rows, shared.files
    matrix = files.matrix("r+")
    written = []
    for block, source, y, weight in rows.blocks(run):
        begin, end = block_bounds(block, files.n_rows)
        seen, numbers = rows.surveyed(source, y, weight, block)
        if shared.encoder is not None:
            matrix[begin:end] = shared.encoder.finished(numbers, seen.has_missing, source, rows.who)
        else:
            matrix[begin:end] = numbers
            for j, codes in enumerate(rows.mixed(source, numbers, seen, block).codes):
                files.codes(j, "r+")[begin:end] = codes
        written.append((y, weight))
    return written


@contextmanager
def _files(n_rows: int, width: int, n_codes: int, disk: float | None, who: str) -> Iterator[_Files]:
    """Files of the right size, as long as they are needed; too little room is said before anything is written."""
    with tempfile.TemporaryDirectory(prefix="margin-rows-") as folder:
        files = _Files(folder, n_rows, width, n_codes)
        free = shutil.disk_usage(folder).free
        allowed, what = (free, "are free there") if disk is None else (min(free, disk), "are allowed")
        if files.bytes > allowed:
            raise DataError(
                f"{who}(disk={disk!r}): the rows take {files.bytes / 1e9:.2f} GB in {tempfile.gettempdir()}, but "
                f"{allowed / 1e9:.2f} GB {what} (TMPDIR names another place, columns= reads less)."
            )
        for name, size in [("numbers", 8 * n_rows * width), *((f"codes{j}", 4 * n_rows) for j in range(n_codes))]:
            with open(Path(folder) / name, "wb") as file:
                file.truncate(size)
        yield files
