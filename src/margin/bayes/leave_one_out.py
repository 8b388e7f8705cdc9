"""What generative models answer to each row taken out of their sums.

For each distribution a function says what the columns of a row say of each class when the row itself is taken out of
counts, or of means and variances. It gets the distribution as it was learnt from all rows, the cells of its columns,
its statistics and the rows, and gives log P(cells | class), one row per case and one column per class. It marks in
``rows.refit`` the cases for which taking out is not exact, and gives None where it never is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from margin.base.leave_one_out import MOST_TAKEN, AllRows, Taken, learn_from_all, near_ties
from margin.base.representations.moments import Moments
from margin.base.softmax import softmax
from margin.bayes.column_blocks import TextBlock
from margin.bayes.distributions.categorical import Categorical, CategoricalNumbers
from margin.bayes.distributions.distribution import VARIANCE_FLOOR, Distribution, is_sparse
from margin.bayes.distributions.smoothing import log_of, pooled_variance, safe_ratio, sums_of_others, unbiased
from margin.bayes.distributions.standard import Bernoulli, Complement, Gaussian, Multinomial, Poisson
from margin.bayes.sufficient_statistics import ClassMoments, ColumnGrids, LevelCounts, NumberCounts, Sums, together
from margin.data.predictions import Predictions
from margin.evaluation.predictions.leave_one_out import refitted_predictions
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["TERMS", "blocks_of_rows", "joint_left_out", "naive_left_out", "normal_terms"]


def normal_terms(distribution: Gaussian, cells: Any, found: ClassMoments, rows: AllRows) -> np.ndarray | None:
    """Log-densities of each row in each class, without the row."""
    if not (found.moments.unit == 1).all():
        return None
    if distribution.smoothing is None and _leans_on_classes(distribution, found, rows):
        return None
    scores = np.zeros((len(rows.codes), len(rows.totals)))
    whole = together(found.moments) if found.unweighted is None else found.unweighted
    spreads = _floored if distribution.smoothing is None else _smoothed
    alone = None if distribution.smoothing is not None or found.grids is None else _alone(cells, found.grids)
    for part in blocks_of_rows(len(scores), 4 * cells.shape[1]):
        x = cells[part].astype(np.float64)
        w = np.where(np.isnan(x), 0.0, rows.weight[part][:, None])
        own = Taken.out_of(found.moments, rows.codes[part], x, w)
        block = _RowBlock(distribution, x, w, own, found.moments, whole, rows, part)
        densities = list(spreads(block))
        if alone is not None:  # without such a row the least deviation may be another
            small = np.min([variance for _, variance in densities], axis=0) <= 4 * distribution.floor
            rows.refit[part] |= (alone[part] & small).any(axis=1)
        for k, (mean, variance) in enumerate(densities):
            scores[part, k], far = _log_densities(x, mean, variance)
            lost = (own.times * (1 + far) > MOST_TAKEN).any(axis=1)
            rows.refit[part] |= lost & (rows.codes[part] == k)
    return scores


class _RowBlock(NamedTuple):
    """Some rows, taken out one by one: their cells and weights, their classes without them, all classes, all rows."""

    distribution: Gaussian
    x: np.ndarray
    w: np.ndarray
    own: Taken
    moments: Moments
    whole: Moments
    rows: AllRows
    part: slice


def _leans_on_classes(distribution: Gaussian, found: ClassMoments, rows: AllRows) -> bool:
    """Whether a least deviation is that of the classes themselves, or nearly: it is then another without each row."""
    if found.grids is None or distribution.least == 0:
        return False
    gaps = (distribution.least * found.grids.gaps) ** 2
    return bool(((pooled_variance(found.moments, rows.repeats) < 2 * gaps) & (gaps > 0)).any())


def _alone(cells: np.ndarray, grids: ColumnGrids) -> np.ndarray:
    """Which cells hold a number that no other row has in that column, and on which the mean gap depends."""
    found = np.zeros(cells.shape, dtype=bool)
    for j, numbers in enumerate(grids.numbers):
        column = cells[:, j].astype(np.float64)
        if not len(numbers):
            numbers = np.array([grids.low[j], grids.high[j]])
        at = np.minimum(np.searchsorted(numbers, column), len(numbers) - 1)
        there = numbers[at] == column
        found[there, j] = np.bincount(at[there], minlength=len(numbers))[at[there]] == 1
    return found


def _log_densities(x: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each row; and how far away each cell is, in squared deviations."""
    says = (variance > 0) & ~np.isnan(x)
    safe = np.where(says, variance, 1.0)
    with np.errstate(over="ignore"):
        far = np.where(says, (x - mean) ** 2 / safe, 0.0)
    return np.where(says, -0.5 * (far + np.log(2 * np.pi * safe)), 0.0).sum(axis=1), far


def _floored(block: _RowBlock) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Means and n-1 variances of each class; a variance is at least a little of the whole column's, as at fit."""
    distribution, x, w, own, moments, whole, rows, part = block
    every = Taken.out_of(whole, np.zeros(len(x), dtype=np.intp), x, w)
    column = np.nan_to_num(unbiased(every.weight, every.weight2, every.m2, rows.repeats), nan=0.0)
    rows.refit[part] |= (every.times > MOST_TAKEN).any(axis=1)
    mine = unbiased(own.weight, own.weight2, own.m2, rows.repeats)
    theirs = unbiased(moments.weight, moments.weight2, moments.m2, rows.repeats)
    for k in range(len(moments.mean)):
        is_own = (rows.codes[part] == k)[:, None]
        weight = np.where(is_own, own.weight, moments.weight[k])
        mean = np.where(weight > 0, np.where(is_own, own.mean, moments.mean[k]), every.mean)
        variance = np.where(is_own, mine, theirs[k])
        least = np.maximum(VARIANCE_FLOOR * column, np.where(column > 0, distribution.floor, 0.0))
        yield mean, np.maximum(np.where(np.isnan(variance), column, variance), least)


def _smoothed(block: _RowBlock) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Means and variances of each class, to which a share of the largest variance of all columns is added."""
    distribution, x, w, own, moments, whole, rows, part = block
    every = Taken.out_of(whole, np.zeros(len(x), dtype=np.intp), x, np.where(w > 0, 1.0, 0.0))
    columns = safe_ratio(every.m2, every.weight, 0.0)
    largest = columns.argmax(axis=1)[:, None]
    added = distribution.smoothing * np.take_along_axis(columns, largest, axis=1)
    rows.refit[part] |= (np.take_along_axis(every.times, largest, axis=1) > MOST_TAKEN)[:, 0]
    rows.refit[part] |= ((own.weight == 0) & (w > 0)).any(axis=1)  # then the mean is that of no cell
    for k in range(len(moments.mean)):
        is_own = (rows.codes[part] == k)[:, None]
        variance = safe_ratio(moments.m2[k], moments.weight[k], 0.0)
        variance = np.where(is_own, safe_ratio(own.m2, own.weight, 0.0), variance) + added
        yield np.where(is_own, own.mean, moments.mean[k]), variance


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
            rows.refit |= (column >= 0) & (np.bincount(column + 1, minlength=len(counts) + 1)[column + 1] == 1)
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
        rows.refit[part] |= ((total < LEFT_BY_ROUNDING * found.sums.sum(axis=0)) & (counted > 0)).any(axis=1)
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


HOW: dict[Any, Any] = {**TERMS, Gaussian: normal_terms}


def naive_left_out(model: Any, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None) -> Predictions | None:
    """What naive Bayes answers: every column's sums without the row."""
    rows = learn_from_all(model, X, y, sample_weight)
    if rows is None or model.class_weight is not None:
        return None
    log_priors = log_of(_priors_of_others(model, rows))
    scores = log_priors.copy() if model.uses_priors else np.zeros_like(log_priors)
    for block, found in zip(model._blocks, model._statistics.parts, strict=True):
        how = HOW.get(type(block.distribution))
        if how is None or isinstance(block, TextBlock):
            return None
        terms = how(block.distribution, block.cells(rows.data, type(model).__name__), found, rows)
        if terms is None:
            return None
        scores += terms
    ruled_out = np.isneginf(scores.max(axis=1))
    scores[ruled_out] = log_priors[ruled_out]
    rows.refit |= near_ties(scores)
    return rows.answers(scores.argmax(axis=1), softmax(scores), refitted_predictions)


def _priors_of_others(model: Any, rows: AllRows) -> np.ndarray:
    """The priors without each row (rows); given ones are the same for all."""
    if getattr(model, getattr(model, "_priors_parameter", "priors")) is not None or not getattr(
        model, "fit_prior", True
    ):
        return np.tile(model.priors_, (len(rows.codes), 1))
    others = rows.totals_of_others()
    return others / others.sum(axis=1, keepdims=True)


def joint_left_out(model: Any, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None) -> Predictions | None:
    """What the joint table answers: one case less of the row's own combination, in its own class."""
    rows = learn_from_all(model, X, y, sample_weight)
    if rows is None or model.class_weight is not None or not rows.repeats:
        return None
    coded = model._coded(rows.data)
    if not len(coded) or (coded < 0).any():
        return None
    for column in coded[: len(model._statistics.numbers)]:  # the numbers that are there are the levels
        rows.refit |= np.bincount(column)[column] == 1
    _, group = np.unique(coded, axis=1, return_inverse=True)
    group, n_classes = group.reshape(-1), len(model.classes_)
    counts = np.bincount(group * n_classes + rows.codes, rows.weight, (group.max() + 1) * n_classes)
    counts = counts.reshape(-1, n_classes)[group]
    counts[np.arange(len(counts)), rows.codes] -= rows.weight
    log_alpha = log_of(np.array(float(model.alpha)))
    everything = log_alpha + np.log(model._sizes).sum()
    log_priors = log_of(_priors_of_others(model, rows))
    shares = np.logaddexp(log_of(counts), log_alpha) - np.logaddexp(log_of(rows.totals_of_others()), everything)
    scores = log_priors + shares
    ruled_out = np.isneginf(scores.max(axis=1))
    scores[ruled_out] = log_priors[ruled_out]
    rows.refit |= near_ties(scores)
    return rows.answers(scores.argmax(axis=1), softmax(scores), refitted_predictions)
