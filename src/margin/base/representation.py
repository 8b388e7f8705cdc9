"""What a model sees: ``Mixed`` columns as they are, or one ``Numeric`` matrix.

A model states a representation; the encoder it learns from the training rows turns any source (array, CSR,
table) into clean arrays. Everything an encoder knows (means, scales, levels) comes from training rows alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base.columns import Columns
from margin.base.inputs import check_memory, dense_from_sparse
from margin.base.moments import column_moments
from margin.data.schema import Schema
from margin.data.table import Table
from margin.errors import InputError

__all__ = ["Mixed", "MixedData", "Numeric", "Scale"]

Scale = Literal["standard", "range"]

# Squares of larger numbers overflow, and a model that adds them up answers nonsense.
SQUARABLE = 1e150
NO_LIMIT = float(np.finfo(np.float64).max)


class MixedData:
    """Clean mixed columns: numbers with NaN for missing cells, codes with -1 for missing or unseen categories."""

    __slots__ = ("codes", "numeric", "schema")

    def __init__(self, numeric: np.ndarray, codes: np.ndarray, schema: Schema | None) -> None:
        self.numeric = numeric
        self.codes = codes
        self.schema = schema

    def __len__(self) -> int:
        return len(self.numeric)


@dataclass(frozen=True)
class Mixed:
    """Numeric columns as float64 with NaN kept, the others as int32 codes with -1 for missing or unseen.

    ``largest`` is the largest magnitude the model can take; beyond it a cell is refused by row and column.
    """

    largest: float = NO_LIMIT

    def learn(self, columns: Columns, source: Any, weight: np.ndarray | None, who: str) -> MixedEncoder:
        return MixedEncoder(columns, self.largest)


@dataclass(frozen=True)
class Numeric:
    """One matrix: nominal columns one-hot, ordinal ones as ranks, missing numbers filled with the training mean.

    ``scale`` is ``"standard"`` (mean 0, deviation 1), ``"range"`` (from 0 to 1) or None; one-hot columns stay
    0 and 1. ``sparse`` lets CSR through to the model; ``keep_float32`` spares float32 input a conversion.
    """

    scale: Scale | None = None
    sparse: bool = False
    keep_float32: bool = False
    largest: float = SQUARABLE

    def learn(self, columns: Columns, source: Any, weight: np.ndarray | None, who: str) -> NumericEncoder:
        return NumericEncoder(self, columns, source, weight, who)


def check_cells(matrix: np.ndarray, largest: float, columns: Columns, who: str) -> bool:
    """Refuse cells that are infinite or too large, naming the first; say whether any cell is missing."""
    found = _core.data.inspect(matrix, largest, parallel.n_threads())
    if found >= 0:
        row, at = divmod(found, matrix.shape[1])
        name = columns.described()[at].name
        raise InputError(_bad_cell(f"{who}: column {name!r}, row {row}", float(matrix[row, at]), largest))
    return found == -2


def _check_stored_cells(matrix: Any, largest: float, columns: Columns, who: str) -> None:
    """The same for the cells that a CSR matrix stores."""
    found = _core.data.inspect(matrix.data.reshape(1, -1), largest, parallel.n_threads())
    if found >= 0:
        row = int(np.searchsorted(matrix.indptr, found, side="right")) - 1
        name = columns.described()[int(matrix.indices[found])].name
        raise InputError(_bad_cell(f"{who}: column {name!r}, row {row}", float(matrix.data[found]), largest))


def _bad_cell(where: str, value: float, largest: float) -> str:
    if np.isinf(value):
        return f"{where}: a cell must be finite, but Input X contains infinity (leave it empty if it is unknown)."
    return f"{where}: {value:g} is too large (at most {largest:g} in magnitude; rescale the column)."


def _numeric_block(table: Table, names: list[str], largest: float, who: str) -> np.ndarray:
    block = np.empty((table.n_rows, len(names)))
    for i, name in enumerate(names):
        block[:, i] = table.cells(name)
    check_cells(block, largest, Columns(len(names), table.select(names).schema), who)
    return block


class MixedEncoder:
    """Splits a source into its numbers and its codes."""

    def __init__(self, columns: Columns, largest: float) -> None:
        self.columns = columns
        self.largest = largest
        schema = columns.schema or ()
        self.numeric_names = [column.name for column in schema if column.is_numeric]
        self.coded_names = [column.name for column in schema if not column.is_numeric]

    def plain(self, X: np.ndarray, has_missing: bool) -> MixedData:
        """The quick way for a clean float64 array."""
        return MixedData(X, np.empty((len(X), 0), dtype=np.int32), None)

    def encode(self, source: Any, who: str) -> MixedData:
        if isinstance(source, Table):
            codes = np.empty((source.n_rows, len(self.coded_names)), dtype=np.int32)
            for i, name in enumerate(self.coded_names):
                codes[:, i] = source.cells(name)
            numeric = _numeric_block(source, self.numeric_names, self.largest, who)
            return MixedData(numeric, codes, self.columns.schema)
        if not isinstance(source, np.ndarray):
            source = dense_from_sparse(source, who)
        matrix = source.astype(np.float64, copy=False)
        return self.plain(matrix, check_cells(matrix, self.largest, self.columns, who))


class NumericEncoder:
    """Turns a source into one matrix with the means, scales and levels of the training rows."""

    def __init__(self, form: Numeric, columns: Columns, source: Any, weight: np.ndarray | None, who: str) -> None:
        self.form = form
        self.model = who.split(".")[0]
        self.largest = form.largest
        self.columns = columns
        self.numbered = [c.name for c in columns.schema or () if c.kind in ("numeric", "ordinal")]
        self.one_hot = [c for c in columns.schema or () if c.kind == "nominal"]
        numbers = self._numbers(source, who)
        self.fill, self.center, self.spread = _statistics(numbers, weight, form.scale)

    def plain(self, X: np.ndarray, has_missing: bool) -> np.ndarray:
        """The quick way for a clean float array."""
        if has_missing:
            X = np.where(np.isnan(X), self.fill.astype(X.dtype), X)
        return X if self.form.scale is None else self._scaled(X)

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

    def encode(self, source: Any, who: str) -> Any:
        numbers = self._numbers(source, who)
        if not isinstance(numbers, np.ndarray):
            return self._encode_sparse(numbers)
        clean = self.plain(numbers, bool(np.isnan(numbers).any()))
        return self._with_one_hot(clean, source, who) if isinstance(source, Table) else clean

    def names_out(self) -> list[str]:
        """What the columns of the matrix are called."""
        if self.columns.schema is None:
            return [column.name for column in self.columns.described()]
        return self.numbered + [f"{column.name}={level}" for column in self.one_hot for level in column.levels]

    def _numbers(self, source: Any, who: str) -> Any:
        """The numeric and ordinal columns of a source, checked, missing cells still NaN."""
        if isinstance(source, Table):
            return self._numbers_of_table(source, who)
        if not isinstance(source, np.ndarray):
            if self.form.sparse:
                _check_stored_cells(source, self.form.largest, self.columns, who)
                return source
            source = dense_from_sparse(source, who)
        if not self.form.keep_float32:
            source = source.astype(np.float64, copy=False)
        check_cells(source, self.form.largest, self.columns, who)
        return source

    def _numbers_of_table(self, table: Table, who: str) -> np.ndarray:
        block = np.empty((table.n_rows, len(self.numbered)))
        for i, name in enumerate(self.numbered):
            cells = table.cells(name)
            block[:, i] = cells if cells.dtype.kind == "f" else np.where(cells < 0, np.nan, cells)
        schema = Schema(table.schema[name] for name in self.numbered)
        check_cells(block, self.form.largest, Columns(len(self.numbered), schema), who)
        return block

    def _with_one_hot(self, numbers: np.ndarray, table: Table, who: str) -> np.ndarray:
        width = numbers.shape[1] + sum(len(column.levels) for column in self.one_hot)
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

    def _encode_sparse(self, matrix: Any) -> Any:
        """CSR with missing cells filled; it is scaled but never shifted, so that zeros stay zeros."""
        missing = np.isnan(matrix.data)
        if missing.any() or self.form.scale is not None:
            matrix = matrix.copy()
            matrix.data[missing] = self.fill[matrix.indices[missing]]
            matrix.data /= self.spread[matrix.indices]
        return matrix


def _statistics(
    numbers: Any, weight: np.ndarray | None, scale: Scale | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, centre and spread of each column over the cells that are there; a constant column has spread 1."""
    if not isinstance(numbers, np.ndarray):
        return _sparse_statistics(numbers, weight, scale)
    numbers = numbers.astype(np.float64, copy=False)
    rows, width = numbers.shape
    found = column_moments(numbers, np.zeros(rows, np.int32), np.ones(rows) if weight is None else weight, 1)
    mean = found.mean[0] * found.unit
    if scale is None:
        return mean, np.zeros(width), np.ones(width)
    there = found.weight[0] > 0
    if scale == "range":
        low, high = _core.data.ranges(numbers, parallel.n_threads())
        low, spread = np.where(there, low, 0.0), np.where(there, high, 0.0) - np.where(there, low, 0.0)
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
    square = np.bincount(at, cell_weight * cells**2, width) / total
    deviation = np.sqrt(np.maximum(square - mean**2, 0.0))
    return mean, np.zeros(width), np.where(deviation > 0, deviation, 1.0)
