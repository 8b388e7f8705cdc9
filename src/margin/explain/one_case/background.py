"""What a case is compared with: the training rows where they are given, else what the model remembers of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from margin.data import Table
from margin.data.schema import Column, Schema
from margin.errors import DataError
from margin.explain.rows.pool import Pool, pool_of

__all__ = ["Background", "background_of"]

#: Numbers of a column that are tried in the place of another.
MOST_VALUES = 21
#: Numbers beyond these shares of the training rows are not tried.
TAIL = 0.01
#: Words that fewer of the training rows have are not tried, and those of a single row neither.
RARE = 0.005


@dataclass(frozen=True)
class Background:
    """A case, which is row 0 of the pool, and the rows behind it.

    ``real`` says that those are training rows; else they are made up from what the model knows of its columns.
    """

    pool: Pool
    real: bool

    def __len__(self) -> int:
        return self.pool.n_rows - 1

    @cached_property
    def codes(self) -> np.ndarray:
        """All rows as numbers, the case first; words as the places of their levels."""
        return np.column_stack([self.pool.codes(j) for j in range(len(self.pool.names))])

    def typical(self, j: int) -> tuple[np.ndarray, np.ndarray]:
        """The rows whose cell is the average one of a column, and how much each of them counts.

        Of numbers the row nearest to the mean; of words the most frequent, or all alike where counts are not known.
        """
        cells = self.codes[1:, j]
        there = np.flatnonzero(~np.isnan(cells))
        if not len(there):
            return np.array([0]), np.ones(1)
        if self.pool.is_numeric(j):
            middle = cells[there].mean() if self.real else cells[there[0]]
            return np.array([1 + there[np.abs(cells[there] - middle).argmin()]]), np.ones(1)
        levels, first, counts = np.unique(cells[there], return_index=True, return_counts=True)
        if self.real:
            return np.array([1 + there[first[counts.argmax()]]]), np.ones(1)
        return 1 + there[first], np.full(len(levels), 1 / len(levels))

    def plausible(self, j: int) -> np.ndarray:
        """Rows whose cells could stand in a column: each word that is not rare, numbers at evenly spaced ranks."""
        cells = self.codes[1:, j]
        there = np.flatnonzero(~np.isnan(cells))
        if not len(there):
            return np.zeros(0, dtype=np.int64)
        levels, first, counts = np.unique(cells[there], return_index=True, return_counts=True)
        if not self.pool.is_numeric(j):
            least = max(2, RARE * len(there)) if self.real and len(there) > 20 else 1
            return 1 + there[first[counts >= least]]
        if not self.real or len(levels) <= MOST_VALUES:
            return 1 + there[first]
        order = there[np.argsort(cells[there], kind="stable")]
        ranks = np.linspace(TAIL * (len(order) - 1), (1 - TAIL) * (len(order) - 1), MOST_VALUES).round().astype(int)
        spread = order[ranks]
        return 1 + spread[np.unique(cells[spread], return_index=True)[1]]

    def between(self, j: int, start: int, end: int, most: int = 60) -> np.ndarray:
        """Rows whose number lies between those of two rows, nearest to the first of them first, the second last."""
        a, b = self.codes[start, j], self.codes[end, j]
        cells = self.codes[1:, j]
        inside = 1 + np.flatnonzero((cells > min(a, b)) & (cells < max(a, b)))
        inside = inside[np.unique(self.codes[inside, j], return_index=True)[1]]
        inside = inside[np.argsort(np.abs(self.codes[inside, j] - a), kind="stable")]
        if len(inside) > most:
            inside = inside[np.linspace(0, len(inside) - 1, most).round().astype(int)]
        return np.append(inside, end)

    @cached_property
    def spans(self) -> np.ndarray:
        """By how much the numbers of each column differ, most of them; 1 of words."""
        found = np.ones(len(self.pool.names))
        for j in range(len(found)):
            cells = self.codes[1:, j]
            cells = cells[~np.isnan(cells)]
            if self.pool.is_numeric(j) and len(cells):
                low, high = np.quantile(cells, [TAIL, 1 - TAIL]) if self.real else (cells.min(), cells.max())
                found[j] = high - low if high > low else max(float(np.ptp(cells)), 1e-300)
        return found

    def gaps(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """How far rows are apart in each column, from 0 to 1: numbers by their span, words 0 or 1, missing cells 1."""
        a, b = self.codes[rows][:, None, :], self.codes[others][None, :, :]
        numeric = np.array([self.pool.is_numeric(j) for j in range(len(self.pool.names))])
        with np.errstate(invalid="ignore", over="ignore"):
            apart = np.where(numeric, np.minimum(np.abs(a - b) / self.spans, 1.0), (a != b).astype(np.float64))
        lost = np.isnan(a) | np.isnan(b)
        return np.where(lost, (np.isnan(a) != np.isnan(b)).astype(np.float64), apart)

    @property
    def words(self) -> str:
        """What the average case is, in words."""
        if self.real:
            return "the average case of the rows"
        return "an average case (training means, or the middles of ranges; every word alike)"


def background_of(model: Any, case: Any, rows: Any, who: str) -> Background | None:
    """The rows behind a case; None where there are none and the model remembers nothing of its columns."""
    alone = pool_of(model, case, who=who)
    if alone.n_rows != 1:
        raise DataError(f"{who}: the case must be one row, but has {alone.n_rows}.")
    if rows is not None:
        both = pool_of(model, case, rows, who=who)
        if both.n_rows == 1:
            raise DataError(f"{who}(rows=…): there must be a row at least.")
        return Background(both, True)
    remembered = _remembered(model, alone)
    if remembered is None:
        return None
    return Background(pool_of(model, alone.made(alone.own(np.array([0]))), remembered, who=who), False)


def _remembered(model: Any, alone: Pool) -> Any:
    """Rows with the numbers and levels that a model remembers, its average number first."""
    columns = getattr(model, "_columns", None)
    if columns is None or not hasattr(columns, "described"):
        return None
    schema = columns.described()
    middles, ranges = _middles(model), _ranges(model)
    tried: list[tuple[Column | None, list[Any]]] = []
    for name in alone.names:
        column = schema[name] if name in schema.names else None
        if column is None or column.kind in ("date", "text", "identifier") or name in columns.text:
            tried.append((None, []))
        elif column.is_numeric:
            tried.append((column, _numbers(ranges.get(name), middles.get(name))))
        else:
            tried.append((column, list(range(len(column.levels)))))
    if not any(values for _, values in tried):
        return None
    length = max(len(values) for _, values in tried)
    return _rows_of(alone, tried, length)


def _rows_of(alone: Pool, tried: list[tuple[Column | None, list[Any]]], length: int) -> Any:
    """The values below each other; a column that ends before the others is missing from there on."""
    case = alone.made(alone.own(np.array([0])))
    if isinstance(case, np.ndarray):
        if case.dtype.kind not in "iuf":
            return None
        return np.column_stack([np.array(values + [np.nan] * (length - len(values))) for _, values in tried])
    if not isinstance(case, Table):
        return None
    described, cells = [], []
    for name, (column, values) in zip(alone.names, tried):
        own = case.schema[name]
        if column is None or (own.is_numeric != column.is_numeric):
            lost: Any = np.full(length, np.nan) if own.is_numeric else np.full(length, -1)
            described.append(own)
            cells.append(lost)
            continue
        described.append(column)
        cells.append(np.array(values + [np.nan if column.is_numeric else -1] * (length - len(values))))
    return Table(Schema(described), cells)


def _numbers(ends: tuple[float, float] | None, middle: float | None) -> list[float]:
    if ends is None:
        return [] if middle is None else [middle]
    low, high = ends
    centre = 0.5 * (low + high) if middle is None else middle
    return [centre, *np.linspace(low, high, MOST_VALUES).tolist()]


def _numeric_names(model: Any, width: int) -> list[str]:
    """The columns that an array of one value per number is about; none if it cannot be told."""
    schema = model._columns.described()
    for kinds in (("numeric",), ("numeric", "ordinal")):
        names = [column.name for column in schema if column.kind in kinds and column.name not in model._columns.text]
        if len(names) == width:
            return names
    return []


def _inside(model: Any) -> list[Any]:
    """A model and those that it asks about the same columns."""
    parts = [getattr(model, "model_", None), *(each.model for each in getattr(model, "calibrated_", ()))]
    for member in np.ravel(np.array(vars(model).get("members_", ()), dtype=object)):
        parts.append(getattr(member, "model", None))
    inner = [each for each in parts if hasattr(each, "_columns") and each._columns.n == model._columns.n]
    return [model, *(deeper for each in inner[:3] for deeper in _inside(each))]


def _ranges(model: Any) -> dict[str, tuple[float, float]]:
    for each in _inside(model):
        found = vars(each).get("_ranges")
        if found is not None and found.ndim == 2:
            names = _numeric_names(each, found.shape[1])
            pairs = zip(names, found[0].tolist(), found[1].tolist())
            return {name: (low, high) for name, low, high in pairs if np.isfinite(high - low) and low <= high}
    return {}


def _middles(model: Any) -> dict[str, float]:
    for each in _inside(model):
        fill = getattr(vars(each).get("_encoder"), "fill", None)
        if isinstance(fill, np.ndarray) and np.isfinite(fill).any():
            names = _numeric_names(each, len(fill))
            return {name: float(value) for name, value in zip(names, fill) if np.isfinite(value)}
    return {}
