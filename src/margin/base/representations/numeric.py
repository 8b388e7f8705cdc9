"""One numeric matrix: nominal columns one-hot, ordinal ones as ranks, missing numbers filled with the mean.

Free text, where a model reads it, stands behind them as hashed words (``hashed_text.py``), and the matrix is CSR.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from margin.base.inputs.arrays import check_memory, dense_from_sparse, row_count
from margin.base.inputs.columns import Columns
from margin.base.inputs.one_row import RowReader
from margin.base.representations.cell_survey import Survey, check_cells, check_stored_cells, survey_by_class
from margin.base.representations.hashed_text import HashedText
from margin.base.representations.mixed import numeric_block
from margin.base.representations.moments import Moments
from margin.base.representations.one_hot_row import OneHotRow
from margin.base.representations.representation import SQUARABLE, Learnt, TrainingRows
from margin.data.schema import Schema
from margin.data.table import Table
from margin.errors import InputError
from margin.typing import Encoded

__all__ = ["Numeric", "NumericEncoder", "Scale"]

Scale = Literal["standard", "range"]

# One-hot columns of many levels are nearly all zeros. From so many columns on, of which a row fills so small a share,
# the matrix of a model that takes sparse rows is CSR: a column of 100,000 levels costs a cell a row, not 100,000.
WIDE, SPARSE_SHARE = 512, 0.05
# Squares of numbers between 2**-300 and 2**300 neither vanish nor overflow, nor do sums of very many of them.
ORDINARY_EXPONENT = 300
# How each encoder puts single rows into its matrix.
_ROWS: weakref.WeakKeyDictionary[NumericEncoder, OneHotRow] = weakref.WeakKeyDictionary()


@dataclass(frozen=True)
class Numeric:
    """One matrix: nominal columns one-hot, ordinal ones as ranks, missing numbers filled with the training mean.

    ``scale`` is ``"standard"`` (mean 0, deviation 1), ``"range"`` (from 0 to 1) or None; one-hot columns stay
    0 and 1. ``sparse`` lets CSR through to the model, and makes CSR of very many one-hot columns; ``keep_float32``
    spares float32 input a conversion. With ``codes`` a nominal column is one column of codes instead, -1 for none.
    """

    scale: Scale | None = None
    sparse: bool = False
    keep_float32: bool = False
    largest: float = SQUARABLE
    codes: bool = False

    def learn(self, columns: Columns, rows: TrainingRows, who: str) -> Learnt:
        encoder = NumericEncoder(self, columns, who)
        numbers = encoder.numbers(rows.source, who)
        if not isinstance(numbers, np.ndarray):
            check_stored_cells(numbers, self.largest, columns, who)
            encoder.learn_sparse(numbers, rows.weight)
            return Learnt(encoder, encoder.encode_sparse(numbers), None)
        one_class = np.zeros(row_count(rows.source), dtype=np.int32)
        seen = survey_by_class(numbers, one_class, rows.weight, 1, self.largest, encoder.numbered_columns, who)
        encoder.learn(seen)
        encoder.learn_texts(rows)
        data = encoder.finished(numbers, seen.has_missing, rows.source, who)
        return Learnt(encoder, data, seen, encoder.numbered if columns.schema is not None else None)


class NumericEncoder:
    """Turns a source into one matrix with the means, scales, levels and words of the training rows."""

    texts: tuple[HashedText, ...] = ()

    def __init__(self, form: Numeric, columns: Columns, who: str) -> None:
        self.form = form
        self.model = who.split(".")[0]
        self.largest = form.largest
        self.keeps_float32 = form.keep_float32
        self.columns = columns
        schema = columns.schema or ()
        self.numbered = [c.name for c in schema if c.kind in ("numeric", "ordinal")]
        self.one_hot = [c for c in schema if c.kind == "nominal"]
        self.text_names = [c.name for c in schema if c.kind == "text"]

    @property
    def numbered_columns(self) -> Columns:
        """What the columns of the matrix before one-hot ones are, for messages."""
        schema = self.columns.schema
        return self.columns if schema is None else Columns(len(self.numbered), Schema(schema[n] for n in self.numbered))

    def learn(self, seen: Survey) -> None:
        """Means and scales out of the one look at the training rows."""
        assert seen.moments is not None
        self.moments = seen.moments
        self.filled = seen.has_missing
        self.fill, self.center, self.spread = _statistics(seen.moments, self.form.scale)

    def learn_texts(self, rows: TrainingRows) -> None:
        """Which words of free text are columns; a model without texts does not speak of them."""
        if self.text_names:
            cells = [(rows.source.schema[name].levels, rows.source.cells(name)) for name in self.text_names]
            self.texts = tuple(HashedText.learn(n, *each, rows.weight) for n, each in zip(self.text_names, cells))

    def learn_sparse(self, matrix: Any, weight: np.ndarray | None) -> None:
        self.fill, self.center, self.spread = _sparse_statistics(matrix, weight, self.form.scale)

    def plain(self, X: np.ndarray, has_missing: bool) -> np.ndarray:
        """The quick way for a clean float array."""
        if has_missing:
            self._refuse_unfillable(*np.nonzero(np.isnan(X)))
            X = np.where(np.isnan(X), self.fill.astype(X.dtype), X)
        return X if self.form.scale is None else self._scaled(X)

    def _refuse_unfillable(self, rows: np.ndarray, columns: np.ndarray) -> None:
        """A model that was taken over from elsewhere need not know what to fill a gap with."""
        unknown = np.flatnonzero(np.isnan(self.fill[columns]))
        if unknown.size:
            row, name = rows[unknown[0]], self.names_out()[columns[unknown[0]]]
            raise InputError(
                f"{self.model}: column {name!r}, row {row}: the cell is missing, and what to fill it with is not "
                "known, for the model was not learnt here (fill the cell, or fit margin's own model)."
            )

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            scaled = (X - self.center) / self.spread
        if not np.isfinite(scaled).all():
            row, at = np.argwhere(~np.isfinite(scaled))[0]
            name = self.names_out()[at]
            raise InputError(
                f"{self.model}: column {name!r}, row {row}: {X[row, at]:g} is too far from what the column held at fit "
                f"(there its spread was {self.spread[at]:g}) to be put on the same scale."
            )
        return scaled

    def one_row(self, X: Any, reader: RowReader) -> Any:
        """X if it is one row that can be read at once."""
        places = self._row_places()
        if places is not None:
            return places.encode(X, reader, self.largest)
        row = reader.cells(X, self.largest)
        return None if row is None else self.encode(self.columns.table_of(row), "one row")

    def _row_places(self) -> OneHotRow | None:
        """Kept beside the encoder: files of models know nothing of it. None where it takes more to make a row."""
        made = _ROWS.get(self)
        if made is not None and made.is_of(self.fill, self.center, self.spread):
            return made
        if self.texts or self.form.codes or self._is_wide():
            return None
        assert self.columns.schema is not None
        made = _ROWS[self] = OneHotRow(self.columns.schema, self.fill, self.center, self.spread)
        return made

    def encode(self, source: Any, who: str) -> Any:
        if not isinstance(source, (Table, np.ndarray)) and self.center.any():
            source = dense_from_sparse(source, who)  # learnt from dense rows: their shift leaves no zeros
        numbers = self.numbers(source, who)
        if not isinstance(numbers, np.ndarray):
            check_stored_cells(numbers, self.largest, self.columns, who)
            return self.encode_sparse(numbers)
        return self.finished(numbers, check_cells(numbers, self.largest, self.numbered_columns, who), source, who)

    def finished(self, numbers: np.ndarray, has_missing: bool, source: Any, who: str) -> Any:
        """Checked numbers filled and scaled, the nominal columns of a table beside them."""
        clean = self.plain(numbers, has_missing)
        if not isinstance(source, Table):
            return clean
        if self.form.codes:
            return np.column_stack([clean, *(source.cells(column.name) for column in self.one_hot)])
        if self.texts:
            return self._with_texts(self._with_sparse_one_hot(clean, source), source)
        return self._with_sparse_one_hot(clean, source) if self._is_wide() else self._with_one_hot(clean, source, who)

    def _with_texts(self, matrix: Any, table: Table) -> Any:
        import scipy.sparse

        parts = [each.encode(table.schema[each.column].levels, table.cells(each.column)) for each in self.texts]
        return scipy.sparse.csr_array(scipy.sparse.hstack([matrix, *parts], format="csr"))

    def _is_wide(self) -> bool:
        width = self._width()
        return self.form.sparse and width >= WIDE and len(self.numbered) + len(self.one_hot) <= SPARSE_SHARE * width

    def _width(self) -> int:
        return len(self.numbered) + sum(len(column.levels) for column in self.one_hot)

    def names_out(self) -> list[str]:
        """What the columns of the matrix are called."""
        if self.columns.schema is None:
            return [column.name for column in self.columns.described()]
        words = [name for each in self.texts for name in each.names]
        return self.numbered + [f"{column.name}={level}" for column in self.one_hot for level in column.levels] + words

    def reach(self, X: Encoded) -> float:
        """The largest magnitude in the matrix X of the training rows."""
        if not isinstance(X, np.ndarray):
            return float(np.abs(X.data).max(initial=0.0))
        there = self.moments.weight[0] > 0
        ends = np.where(there, [self.moments.low, self.moments.high], 0.0)
        scaled = np.where(there, (ends - self.center) / self.spread, 0.0)
        return max(float(np.abs(scaled).max(initial=0.0)), 1.0 if self.one_hot else 0.0)

    def spread_over(self, values: np.ndarray) -> np.ndarray:
        """One value per given column, for each column of the matrix that it became."""
        if self.columns.schema is None:
            return values
        of = dict(zip(self.columns.schema.names, values))
        words = [of[each.column] for each in self.texts for _ in each.buckets]
        return np.array([of[n] for n in self.numbered] + [of[c.name] for c in self.one_hot for _ in c.levels] + words)

    def numbers(self, source: Any, who: str) -> Any:
        """The numeric and ordinal columns of a source, not yet looked at, missing cells still NaN."""
        if isinstance(source, Table):
            return numeric_block(source, self.numbered)
        if not isinstance(source, np.ndarray):
            if self.form.sparse:
                return source
            source = dense_from_sparse(source, who)
        keep = self.form.keep_float32 and source.dtype == np.float32
        return source if keep else source.astype(np.float64, copy=False)

    def _with_one_hot(self, numbers: np.ndarray, table: Table, who: str) -> np.ndarray:
        width = self._width()
        widest = max(self.one_hot, key=lambda c: len(c.levels), default=None)
        if widest is not None:
            what = f"with column {widest.name!r} of {len(widest.levels):,} categories one-hot, the matrix"
            check_memory(len(numbers), width, who, what)
        matrix = np.zeros((len(numbers), width))
        matrix[:, : numbers.shape[1]] = numbers
        first = numbers.shape[1]
        for column in self.one_hot:
            codes = table.cells(column.name)
            rows = np.flatnonzero(codes >= 0)
            matrix[rows, first + codes[rows]] = 1.0
            first += len(column.levels)
        return matrix

    def _with_sparse_one_hot(self, numbers: np.ndarray, table: Table) -> Any:
        """The same matrix as CSR: in each row its numbers, and one cell for each nominal column that is there."""
        import scipy.sparse

        n, d = numbers.shape
        columns = np.empty((n, d + len(self.one_hot)), dtype=np.int32 if self._width() < 2**31 else np.int64)
        cells = np.ones(columns.shape)
        columns[:, :d], cells[:, :d] = np.arange(d), numbers
        there = np.ones(columns.shape, dtype=bool)
        there[:, :d] = numbers != 0
        first = d
        for at, column in enumerate(self.one_hot, start=d):
            codes = table.cells(column.name)
            columns[:, at], there[:, at] = first + codes, codes >= 0
            first += len(column.levels)
        start = np.append(0, np.cumsum(there.sum(axis=1))).astype(columns.dtype)
        return scipy.sparse.csr_array((cells[there], columns[there], start), shape=(n, first))

    def encode_sparse(self, matrix: Any) -> Any:
        """CSR with missing cells filled; it is scaled but never shifted, so that zeros stay zeros."""
        missing = np.isnan(matrix.data)
        if missing.any() or self.form.scale is not None:
            matrix = matrix.copy()
            rows = np.searchsorted(matrix.indptr, np.flatnonzero(missing), side="right") - 1
            self._refuse_unfillable(rows, matrix.indices[missing])
            matrix.data[missing] = self.fill[matrix.indices[missing]]
            matrix.data /= self.spread[matrix.indices]
        return matrix


def _statistics(found: Moments, scale: Scale | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, centre and spread of each column over the cells that are there; a constant column has spread 1."""
    width = found.mean.shape[1]
    mean = found.mean[0] * found.unit
    if scale is None:
        return mean, np.zeros(width), np.ones(width)
    there = found.weight[0] > 0
    if scale == "range":
        low, spread = np.where(there, found.low, 0.0), np.where(there, found.high - found.low, 0.0)
        return mean, low, np.where(spread > 0, spread, 1.0)
    spread = np.sqrt(np.divide(found.m2[0], found.weight[0], out=np.zeros(width), where=there)) * found.unit
    return mean, mean, np.where(spread > 0, spread, 1.0)


def _sparse_statistics(
    matrix: Any, weight: np.ndarray | None, scale: Scale | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows, width = matrix.shape
    w = np.ones(rows) if weight is None else weight
    cell_weight = np.repeat(w, np.diff(matrix.indptr))
    there = ~np.isnan(matrix.data)
    lost = np.bincount(matrix.indices[~there], cell_weight[~there], width)
    at, cells, cell_weight = matrix.indices[there], matrix.data[there], cell_weight[there]
    total = np.maximum(w.sum() - lost, 1e-300)
    mean = np.bincount(at, cell_weight * cells, width) / total
    if scale is None:
        return mean, np.zeros(width), np.ones(width)
    if scale == "range":
        low, high = np.zeros(width), np.zeros(width)  # of columns that are not stored in some row
        full = np.bincount(matrix.indices, minlength=width) == rows
        low[full], high[full] = np.inf, -np.inf
        np.minimum.at(low, at, cells)
        np.maximum.at(high, at, cells)
        return mean, np.zeros(width), np.where(high > low, high - low, 1.0)
    unit = _units(at, cells, width)
    square = np.bincount(at, cell_weight * (cells / unit[at]) ** 2, width) / total
    deviation = np.sqrt(np.maximum(square - (mean / unit) ** 2, 0.0)) * unit
    return mean, np.zeros(width), np.where(deviation > 0, deviation, 1.0)


def _units(at: np.ndarray, cells: np.ndarray, width: int) -> np.ndarray:
    """Powers of two for columns whose squares would vanish or overflow; 1 for all where none is that extreme."""
    size = np.abs(cells)
    exponents = np.frexp([size.min(initial=1.0, where=size > 0), size.max(initial=1.0)])[1]
    if np.abs(exponents).max() <= ORDINARY_EXPONENT:
        return np.ones(width)
    largest = np.zeros(width)
    np.maximum.at(largest, at, size)
    return np.ldexp(1.0, np.where(largest > 0, np.frexp(largest)[1], 0))
