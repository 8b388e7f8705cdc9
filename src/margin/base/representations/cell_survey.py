"""One look at a matrix: cells that cannot be used, the range of each column, missing cells, moments by class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base.inputs.arrays import StoredSurvey
from margin.base.inputs.columns import Columns
from margin.base.representations.moments import Moments, moments_from
from margin.data.parts.row_blocks import ROWS, block_bounds, joined, n_blocks
from margin.errors import InputError

__all__ = ["Survey", "check_cells", "check_stored_cells", "survey", "survey_by_class"]


@dataclass(frozen=True)
class Survey:
    """Of each column: its smallest and largest cell (low > high if it is empty) and the number of missing cells."""

    low: np.ndarray
    high: np.ndarray
    missing: np.ndarray
    moments: Moments | None = None
    #: The same of every block of rows, where there are several (``data/parts/row_blocks.py``).
    of_blocks: tuple[Survey, ...] = ()

    def plus(self, other: Survey) -> Survey:
        """What was seen of both sets of rows."""
        both = None
        if self.moments is not None and other.moments is not None:
            both = self.moments.plus(other.moments)
        low, high = np.fmin(self.low, other.low), np.fmax(self.high, other.high)
        return Survey(low, high, self.missing + other.missing, both)

    @property
    def has_missing(self) -> bool:
        return bool(self.missing.any())

    @property
    def constant(self) -> np.ndarray:
        """Which columns hold one value or none."""
        return ~(self.high > self.low)


def survey(matrix: np.ndarray, largest: float, columns: Columns, who: str) -> Survey:
    """One pass over a matrix; a cell that is infinite or too large is refused by row and column."""
    low, high, missing, bad = _core.data.survey(matrix, largest, parallel.n_threads())
    _refuse_bad_cell(bad, matrix, largest, columns, who)
    return Survey(low, high, missing)


def survey_by_class(
    matrix: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray | None,
    n_classes: int,
    largest: float,
    columns: Columns,
    who: str,
) -> Survey:
    """The same pass, and the moments of every column in every class out of it."""
    if matrix.shape[1] == 0:  # nothing to see: the core would still walk over the rows
        matrix, y, weight = matrix[:0], y[:0], None
    if len(matrix) <= ROWS:
        return _survey_by_class(matrix, y, weight, n_classes, largest, columns, who)
    found = []
    for number in range(n_blocks(len(matrix))):
        begin, end = block_bounds(number, len(matrix))
        some = None if weight is None else weight[begin:end]
        found.append(_survey_by_class(matrix[begin:end], y[begin:end], some, n_classes, largest, columns, who, begin))
    return replace(joined(found, len(found), Survey.plus), of_blocks=tuple(found))


def _survey_by_class(
    matrix: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray | None,
    n_classes: int,
    largest: float,
    columns: Columns,
    who: str,
    above: int = 0,
) -> Survey:
    *tables, low, high, missing, bad = _core.data.survey_moments(
        matrix, y, weight, n_classes, largest, parallel.n_threads()
    )
    _refuse_bad_cell(bad, matrix, largest, columns, who, above)
    return Survey(low, high, missing, moments_from(matrix, y, weight, (*tables, low, high)))


def check_cells(matrix: np.ndarray, largest: float, columns: Columns, who: str) -> bool:
    """Refuse cells that are infinite or too large, naming the first; say whether any cell is missing."""
    if matrix.dtype.kind != "f":
        return False
    found = _core.data.inspect(matrix, largest, parallel.n_threads())
    _refuse_bad_cell(found, matrix, largest, columns, who)
    return found == -2


def _refuse_bad_cell(at: int, matrix: np.ndarray, largest: float, columns: Columns, who: str, above: int = 0) -> None:
    if at >= 0:
        row, column = divmod(at, matrix.shape[1])
        name = columns.described()[column].name
        raise InputError(_bad_cell(f"{who}: column {name!r}, row {row + above}", float(matrix[row, column]), largest))


def check_stored_cells(matrix: Any, largest: float, columns: Columns, who: str) -> StoredSurvey:
    """The same for the cells that a CSR matrix stores; what is known of them, unless it was known before."""
    stored = getattr(matrix, "stored", None)
    if stored is not None and stored.largest <= largest:
        return stored
    found = _core.data.inspect(matrix.data.reshape(1, -1), largest, parallel.n_threads())
    if found >= 0:
        row = int(np.searchsorted(matrix.indptr, found, side="right")) - 1
        name = columns.described()[int(matrix.indices[found])].name
        raise InputError(_bad_cell(f"{who}: column {name!r}, row {row}", float(matrix.data[found]), largest))
    return StoredSurvey(found == -2, bool((matrix.data < 0).any()), largest)


def _bad_cell(where: str, value: float, largest: float) -> str:
    if np.isinf(value):
        return f"{where}: a cell must be finite, but Input X contains infinity (leave it empty if it is unknown)."
    return f"{where}: {value:g} is too large (at most {largest:g} in magnitude; rescale the column)."
