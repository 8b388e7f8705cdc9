"""What the columns of a row say of each class when the row itself is taken out of the sums, by distribution.

A function gets the distribution as it was learnt from all rows, the cells of its columns, its statistics and the rows.
It gives log P(cells | class), one row per case and one column per class, and marks in ``rows.anew`` the cases for which
taking out is not exact; or None where it never is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from margin.base.left_out import AllRows
from margin.bayes.categories import Categorical, CategoricalNumbers
from margin.bayes.distributions import Bernoulli, Complement, Multinomial, Poisson
from margin.bayes.family import Distribution, is_sparse
from margin.bayes.shares import log_of, safe_ratio, sums_of_others
from margin.bayes.statistics import LevelCounts, NumberCounts, Sums

__all__ = ["TERMS", "blocks_of_rows"]

# So many cells are looked at at once.
CELLS_AT_ONCE = 1 << 18
# What is left of a sum by subtraction counts as nothing but rounding below this share of it.
LEFT_BY_ROUNDING = 1e-6
# Fewer virtual cases do not drown what rounding leaves of counts that are no whole numbers.
FEW_VIRTUAL = 1e-3


def blocks_of_rows(n: int, width: int) -> Iterator[slice]:
    """Some rows at a time, so that a table of them fits the cache."""
    step = max(1, CELLS_AT_ONCE // max(1, width))
    return (slice(first, min(n, first + step)) for first in range(0, n, step))


def _is_vague(distribution: Distribution, rows: AllRows, cells: Any = None) -> bool:
    """Whether counts without a row are rounded, and too few virtual cases hide it."""
    if np.min(distribution.alpha) >= FEW_VIRTUAL:
        return False
    if cells is None or not rows.repeats:
        return not rows.repeats
    stored = cells.data if is_sparse(cells) else cells
    return not (stored == np.floor(stored))[~np.isnan(stored)].all()


def _of_categories(
    distribution: Categorical, cells: Any, found: LevelCounts | NumberCounts, rows: AllRows
) -> np.ndarray | None:
    """A level has one case less in the row's own class, and so has the column."""
    if _is_vague(distribution, rows):
        return None
    codes = distribution._codes(cells) if isinstance(distribution, CategoricalNumbers) else cells
    n, own = len(rows.codes), np.arange(len(rows.codes))
    scores = np.zeros((n, len(rows.totals)))
    alphas = np.broadcast_to(distribution.alpha, (len(codes),))
    for j, (column, alpha) in enumerate(zip(codes, alphas)):
        counts = distribution.level_counts[distribution.first[j] : distribution.first[j + 1]]
        if not len(counts):
            continue
        if isinstance(distribution, CategoricalNumbers):  # the numbers that are there are the levels
            rows.anew |= (column >= 0) & (np.bincount(column + 1, minlength=len(counts) + 1)[column + 1] == 1)
        taken = np.where(column >= 0, rows.weight, 0.0)
        level, there = counts[column], np.tile(counts.sum(axis=0), (n, 1))
        level[own, rows.codes] -= taken
        there[own, rows.codes] -= taken
        with np.errstate(over="ignore"):
            whole = there + alpha * len(counts)
        overall = safe_ratio(level.sum(axis=1), there.sum(axis=1), 1.0)
        terms = log_of(safe_ratio(level + alpha, whole, overall[:, None]))
        scores += np.where((column >= 0)[:, None], terms, 0.0)
    return scores


def _of_presence(distribution: Bernoulli, cells: Any, found: Sums, rows: AllRows) -> np.ndarray | None:
    """One case less that is present, or absent, in the row's own class."""
    alpha = distribution.alpha
    if _is_vague(distribution, rows) or (np.min(alpha) == 0 and (found.cells != rows.totals[:, None]).any()):
        return None  # a class may have no cell in a column, and then takes the shares of all
    scores = np.zeros((len(rows.codes), len(rows.totals)))
    for part in blocks_of_rows(len(rows.codes), found.sums.shape[1]):
        x = cells[part].toarray() if is_sparse(cells) else cells[part]
        here, there = x > distribution.threshold, ~np.isnan(x)
        for k in range(scores.shape[1]):
            taken = np.where(rows.codes[part] == k, rows.weight[part], 0.0)[:, None]
            n_here = np.where(here, found.sums[k] - taken, found.cells[k] - found.sums[k] - taken)
            whole = found.cells[k] - taken * there
            terms = log_of(np.maximum(n_here, 0.0) + alpha) - np.log(whole + 2 * np.asarray(alpha))
            scores[part, k] = np.where(there, terms, 0.0).sum(axis=1)
    return scores


def _entries(cells: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, column and value of the cells that count: those that are neither 0 nor missing."""
    if is_sparse(cells):
        cells = cells.tocoo()
        row, column, value = cells.coords[0], cells.coords[1], cells.data
        there = (value != 0) & ~np.isnan(value)
        return row[there], column[there], value[there].astype(np.float64)
    row, column = np.nonzero((cells != 0) & ~np.isnan(cells))
    return row, column, cells[row, column].astype(np.float64)


def _of_counts(distribution: Multinomial, cells: Any, found: Sums, rows: AllRows) -> np.ndarray | None:
    """The row's own counts are taken out of the sums of its class; for the complement, out of all others."""
    complement = isinstance(distribution, Complement)
    if (
        np.min(distribution.alpha) < 1e-10
        or getattr(distribution, "norm", False)
        or _is_vague(distribution, rows, cells)
    ):
        return None
    sums = sums_of_others(found.sums) if complement else found.sums
    alpha = np.broadcast_to(np.asarray(distribution.alpha, dtype=np.float64), (sums.shape[1],))
    row, column, value = _entries(cells)
    n = len(rows.codes)
    length = np.bincount(row, value, n) * rows.weight
    scores = np.zeros((n, len(sums)))
    distribution.add(cells, scores)
    for k, of_class in enumerate(sums):
        changed = (rows.codes != k) if complement else (rows.codes == k)
        of_row = changed[row]
        at, j, x = row[of_row], column[of_row], value[of_row]
        left = np.maximum(of_class[j] - rows.weight[at] * x, 0.0) + alpha[j]
        total = np.maximum(of_class.sum() - length, 0.0) + alpha.sum()
        terms = np.bincount(at, x * (np.log(left) - np.log(total[at])), n)
        scores[changed, k] = (-terms if complement else terms)[changed]
    return scores


def _of_rates(distribution: Poisson, cells: Any, found: Sums, rows: AllRows) -> np.ndarray | None:
    """One case less in the row's own class, and in the mean of the column, towards which all rates are smoothed."""
    if _is_vague(distribution, rows, cells):
        return None
    alpha, scores = distribution.alpha, np.zeros((len(rows.codes), len(rows.totals)))
    for part in blocks_of_rows(len(rows.codes), found.sums.shape[1]):
        x = (cells[part].toarray() if is_sparse(cells) else cells[part]).astype(np.float64)
        there, weight = ~np.isnan(x), rows.weight[part][:, None]
        counted = np.where(there, x, 0.0)
        total = found.sums.sum(axis=0) - weight * counted
        rows.anew[part] |= ((total < LEFT_BY_ROUNDING * found.sums.sum(axis=0)) & (counted > 0)).any(axis=1)
        mean = safe_ratio(np.maximum(total, 0.0), found.cells.sum(axis=0) - weight * there, 0.0)
        for k in range(scores.shape[1]):
            taken = np.where(rows.codes[part] == k, rows.weight[part], 0.0)[:, None]
            sums = np.maximum(found.sums[k] - taken * counted, 0.0)
            rate = safe_ratio(sums + alpha * mean, found.cells[k] - taken * there + alpha, mean)
            with np.errstate(invalid="ignore"):
                logs = np.where(counted > 0, counted * np.where(mean > 0, log_of(rate), 0.0), 0.0)
            scores[part, k] = np.where(there, logs - rate, 0.0).sum(axis=1)
    return scores


#: The distributions whose cases can be taken out one by one, and how.
TERMS: dict[type[Distribution], Callable[..., np.ndarray | None]] = {
    Categorical: _of_categories,
    CategoricalNumbers: _of_categories,
    Bernoulli: _of_presence,
    Multinomial: _of_counts,
    Complement: _of_counts,
    Poisson: _of_rates,
}
