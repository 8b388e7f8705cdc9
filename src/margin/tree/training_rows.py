"""Training rows dealt out to growing and judging: by what is in them, so that their order does not matter."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base.representations.mixed import MixedData
from margin.data.splits import deal_folds, hold_groups_back, units_of
from margin.data.weights import cases_per_weight, count_repeats
from margin.random import seed_for
from margin.tree.grow import numbers_of
from margin.typing import SeedLike

__all__ = ["Rows", "folds", "held_out", "in_cases", "without_excess"]


class Rows(NamedTuple):
    """Some of the rows, with their weights."""

    X: MixedData
    y: np.ndarray
    weight: np.ndarray


def in_cases(weight: np.ndarray) -> np.ndarray:
    """Weights that count cases: whole numbers as they are, others so that they add up to as many as they are worth.

    >>> in_cases(np.array([0.5, 0.5])), in_cases(np.array([1.0, 3.0]))
    (array([1., 1.]), array([1., 3.]))
    """
    return weight * cases_per_weight(float(weight.sum()), float((weight**2).sum()), count_repeats(weight))


def without_excess(weight: np.ndarray) -> np.ndarray:
    """Weights that are too large to be numbers of repeated rows, on a scale on which the largest is about 1."""
    if weight.max() < 2.0**40 or count_repeats(weight):
        return weight
    return weight * 2.0 ** -np.ceil(np.log2(weight.max()))


def held_out(
    rows: Rows, share: float, seed: SeedLike, stratum: np.ndarray, groups: np.ndarray | None = None
) -> tuple[Rows, Rows]:
    """The rows to grow from, and a share of each stratum to judge by; a row of weight 3 is three units to deal.

    At least one unit stays for growing. With ``groups`` whole groups are kept for judging.
    """
    marks = _marks(rows, seed_for(seed, "parts"))
    if groups is not None:
        held = hold_groups_back(rows.weight, stratum, share, marks, groups)
        return _some(rows, rows.weight - held), _some(rows, held)
    units = units_of(rows.weight)
    order = np.lexsort((marks, stratum))
    last = np.cumsum(units[order])
    taken = np.zeros(len(order), dtype=np.int64)
    taken[order] = np.floor(last * share) - np.floor((last - units[order]) * share)
    if taken.sum() == units.sum():
        taken[order[0]] -= 1
    held = taken * (1.0 if count_repeats(rows.weight) else rows.weight)
    return _some(rows, rows.weight - held), _some(rows, held)


def folds(
    rows: Rows, n_folds: int, seed: SeedLike, stratum: np.ndarray, groups: np.ndarray | None = None
) -> list[tuple[Rows, Rows]]:
    """So many pairs of parts to grow from and to judge by; every unit is judged once. Fewer for fewer units."""
    marks = _marks(rows, seed_for(seed, "parts"))
    parts = deal_folds(rows.weight, units_of(rows.weight), stratum, n_folds, marks, groups)
    return [(_some(rows, grown), _some(rows, judged)) for grown, judged in parts]


def _some(rows: Rows, weight: np.ndarray) -> Rows:
    kept = np.flatnonzero(weight > 0)
    return Rows(rows.X.take(kept), rows.y[kept], weight[kept])


def _marks(rows: Rows, seed: int) -> np.ndarray:
    """A number for each row that the order of its cells and its target among all others decides, and the seed.

    Ranks, not numbers: neither the order of the rows nor the unit of a column changes which rows are kept.
    """
    found, threads = np.full(len(rows.y), seed, dtype=np.uint64), parallel.n_threads(None)
    if isinstance(rows.X.numeric, np.ndarray):
        found = _core.tree.mark_rows(numbers_of(rows.X), found, threads)
    else:  # never written out
        cells = rows.X.numeric.tocsc()
        values = cells.data if cells.dtype in (np.float32, np.float64) else cells.data.astype(np.float64)
        found = _core.tree.mark_sparse_rows(values, cells.indices, cells.indptr, found, threads)
    for column in (*rows.X.codes, *np.atleast_2d(rows.y.T)):
        found = _core.tree.mark_rows(np.ascontiguousarray(column, dtype=np.float64)[:, None], found, threads)
    return found
