"""Leaving out one row after the other, for models that need not learn anew for each.

A model that can take a row out of what it has learnt from all of them writes ``left_out_answers``: it starts from
``learn_from_all``, works out what it would have answered to each row, marks the rows for which only learning anew is
exact, and leaves the rest to ``AllRows.answers``.

Here are also means and squared deviations with a row taken out again, and how the columns of a numeric matrix are
filled and scaled without each of its rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin import params
from margin.base.representations.moments import Moments
from margin.base.representations.numeric import NumericEncoder
from margin.base.representations.representation import TrainingRows
from margin.base.rollback import whole_or_not_at_all
from margin.data.labels import label_array
from margin.data.predictions import Predictions
from margin.data.table import Table
from margin.data.weights import LARGEST_COUNT, count_repeats
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = [
    "MOST_TAKEN",
    "AllRows",
    "Refitted",
    "Rescaled",
    "Taken",
    "changes_scale",
    "extremes",
    "learn_from_all",
    "leaves_constant",
    "near_ties",
    "rescaled",
]

#: ``refitted_predictions`` of margin.evaluation.predictions.leave_one_out, which fits a model without each of some rows
#: and asks it about them.
Refitted = Callable[[Any, Any, np.ndarray, np.ndarray | None, np.ndarray], Predictions]
# Scores that differ by less, relative to their size, may be equal when they are worked out in another order.
SAME = 1e-9
# So few rows may be fitted anew even if they are half of all.
FEW = 50
# Weights beyond these are put on another scale, which would depend on the row left out.
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-100, 1e100


@dataclass
class AllRows:
    """A model that has learnt from all rows, and what it learnt from.

    ``data``, ``codes`` and ``weight`` are those rows as the model saw them, their classes and their weights; rows of
    weight 0 are not among them. ``anew`` marks the rows that only a model fitted without them can answer.
    """

    model: Any
    X: Any
    labels: np.ndarray
    sample_weight: np.ndarray | None
    data: Any
    codes: np.ndarray
    rows: TrainingRows
    weight: np.ndarray
    refit: np.ndarray

    @property
    def once(self) -> bool:
        """Whether every row counts once."""
        return self.rows.weight is None

    @property
    def repeats(self) -> bool:
        """Whether weights stand for repeated rows, with any row left out that is not answered anew."""
        return self.once or count_repeats(self.weight)

    @property
    def totals(self) -> np.ndarray:
        """The weight of each class."""
        return np.bincount(self.codes, self.weight, len(self.model.classes_))

    def totals_of_others(self) -> np.ndarray:
        """The weight of each class (columns) without each row (rows)."""
        found = np.tile(self.totals, (len(self.codes), 1))
        found[np.arange(len(found)), self.codes] -= self.weight
        return found

    def answers(
        self,
        codes: np.ndarray,
        probabilities: np.ndarray | None,
        refitted_predictions: Refitted,
        abstained: np.ndarray | None = None,
    ) -> Predictions | None:
        """All answers in the order of the rows given; None where too many rows, or some that fail, are answered anew.

        ``codes`` and ``probabilities`` belong to the rows learnt from, ``abstained`` says which of them get no label.
        """
        n, classes = self.rows.n_given, self.model.classes_
        kept = np.arange(n) if self.rows.kept is None else self.rows.kept
        if self.refit.sum() > max(len(kept) // 4, min(len(kept) // 2, FEW)):
            return None  # evaluate shows how far it is with so many fits, and shares them out
        labels = np.empty(n, dtype=classes.dtype if abstained is None else object)
        labels[kept] = classes.take(codes)
        if abstained is not None:
            labels[kept[abstained]] = None
        shares = None if probabilities is None else np.zeros((n, len(classes)))
        if shares is not None:
            shares[kept] = probabilities
        left = np.ones(n, dtype=bool)
        left[kept] = self.refit
        if left.any():
            rows = np.flatnonzero(left)
            try:
                refitted = refitted_predictions(self.model, self.X, self.labels, self.sample_weight, rows)
            except Exception:  # evaluate fits anew then, and reports what fails row by row
                return None
            labels[rows] = refitted.labels
            if shares is not None and refitted.probabilities is not None:
                shares[rows] = refitted.probabilities
        return Predictions(labels, shares)


def learn_from_all(model: Any, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> AllRows | None:
    """Fit the model to all rows; None where that fails, or where weights are so extreme that each row matters.

    Marked for new fits are the only row of a class or of a category, the only number in a column of a table, and the
    only row whose weight is no whole number: without them there is another class, category, kind or meaning of weights.
    """
    who = f"{type(model).__name__}.fit"
    try:
        with whole_or_not_at_all(model):
            params.check(model)
            labels = label_array(y, who)
            data, codes, rows = model._read_rows(X, labels, sample_weight, who)
            model._fit(data, codes, rows)
    except Exception:  # evaluate fits anew then, and reports what fails row by row
        return None
    if codes.ndim != 1 or model._columns.dates or getattr(model._encoder, "texts", ()):
        return None  # where days begin and which words are columns, every row has a say in
    weight = rows.weights()
    given = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    refit = _only_of_their_kind(rows)
    if given is not None:
        there = given[given > 0]
        if there.min() < SMALLEST_WEIGHT or there.max() > LARGEST_WEIGHT:
            return None
        if not count_repeats(weight):
            broken = weight != np.floor(weight)
            if weight.max() > LARGEST_COUNT / len(weight):
                return None
            if broken.sum() == 1:
                refit |= broken
    found = AllRows(model, X, labels, given, data, codes, rows, weight, refit)
    of_class = np.bincount(codes, minlength=len(model.classes_))
    if of_class.min() == 0 or len(codes) < 2:
        return None
    found.refit |= of_class[codes] == 1
    return found


def _only_of_their_kind(rows: TrainingRows) -> np.ndarray:
    """Whether a row holds the only cell of a category, or the only number of a column, in a table."""
    source = rows.source
    n = source.n_rows if isinstance(source, Table) else source.shape[0]
    only = np.zeros(n, dtype=bool)
    if not isinstance(source, Table):
        return only
    for column in source.schema:
        cells = source.cells(column.name)
        if column.is_numeric:
            there = ~np.isnan(cells) if cells.dtype.kind == "f" else cells >= 0
            only |= there & (there.sum() == 1)
        if column.levels:
            counts = np.bincount(cells[cells >= 0], minlength=len(column.levels) + 1)
            only |= (cells >= 0) & (counts[cells] == 1)
    return only


def changes_scale(all_rows: AllRows) -> np.ndarray | None:
    """Whether a row changes, when it is left out, what is done to the other rows of a numeric matrix.

    None where every row does: where missing cells are filled with means, or columns brought to deviation 1.
    """
    encoder = all_rows.model._encoder
    assert isinstance(encoder, NumericEncoder)
    source, data = all_rows.rows.source, all_rows.data
    unchanged = np.zeros(len(all_rows.codes), dtype=bool)
    if not isinstance(data, np.ndarray):
        stored = source.data if hasattr(source, "indptr") else np.zeros(0)
        return None if np.isnan(stored).any() or encoder.form.scale is not None else unchanged
    if getattr(encoder, "filled", True) or encoder.form.scale == "standard":
        return None
    return unchanged if encoder.form.scale is None else extremes(data[:, : len(encoder.fill)])


def extremes(matrix: np.ndarray) -> np.ndarray:
    """Whether a row alone holds the smallest or the largest number of some column; missing cells hold none."""
    found = np.zeros(len(matrix), dtype=bool)
    for of_column in (np.fmin.reduce(matrix, axis=0), np.fmax.reduce(matrix, axis=0)):
        same = matrix == of_column
        found |= (same & (same.sum(axis=0) == 1)).any(axis=1)
    return found


def leaves_constant(matrix: np.ndarray) -> np.ndarray:
    """Whether some column holds a single number in all rows but this one."""
    found = np.zeros(len(matrix), dtype=bool)
    for of_column in (np.fmin.reduce(matrix, axis=0), np.fmax.reduce(matrix, axis=0)):
        same = matrix == of_column
        found |= (~same & (same.sum(axis=0) == len(matrix) - 1)).any(axis=1)
    return found


def near_ties(scores: np.ndarray) -> np.ndarray:
    """Whether the two largest scores of a row are so close that rounding may decide between them.

    >>> near_ties(np.array([[0.5, 0.5, 0.0], [0.6, 0.4, 0.0]]))
    array([ True, False])
    """
    if scores.shape[1] < 2:
        return np.zeros(len(scores), dtype=bool)
    second, first = np.partition(scores, scores.shape[1] - 2, axis=1)[:, -2:].T
    with np.errstate(invalid="ignore"):
        close = first - second <= SAME * np.maximum(1.0, np.abs(first))
    return close | ~np.isfinite(first)


# How many times more there may have been with the row than is left without it: the digits beyond that are lost.
MOST_TAKEN = 2e4


@dataclass
class Taken:
    """Moments without each of some rows (rows) in each column; ``times`` as much deviation was there with it."""

    weight: np.ndarray
    weight2: np.ndarray
    mean: np.ndarray
    m2: np.ndarray
    times: np.ndarray

    @classmethod
    def out_of(cls, moments: Moments, k: np.ndarray, x: np.ndarray, w: np.ndarray) -> Taken:
        """The moments of class k without rows x of weights w, 0 where a cell is missing: adding up, backwards."""
        mean, m2, before = moments.mean[k], moments.m2[k], moments.weight[k]
        weight, weight2 = np.maximum(before - w, 0.0), moments.weight2[k] - w * w
        off = np.where(w > 0, (x - mean) - moments.rest[k], 0.0)
        there = weight > 0
        step = np.divide(w * off, weight, out=np.zeros_like(off), where=there)
        left = np.where(there, np.maximum(m2 - before * step * off, 0.0), 0.0)
        times = np.divide(m2, left, out=np.where(there & (m2 > 0), np.inf, 1.0), where=there & (left > 0))
        return cls(
            weight,
            weight2,
            mean - step,
            left,
            np.maximum(times, np.divide(before, weight, out=np.ones_like(off), where=there)),
        )


@dataclass
class Rescaled:
    """Without each row (rows), of each column of the matrix.

    Differences of two cells become ``times`` as large, since the column's deviation is another one; ``missing`` says
    which cells were filled with the column's mean, from which the cell of the row left out is then farther away, by the
    factor ``farther``.
    """

    times: np.ndarray
    farther: np.ndarray
    missing: np.ndarray


def rescaled(rows: AllRows) -> Rescaled | None:
    """What changes of a dense matrix without each row; marks rows without which too few digits are left to tell."""
    encoder, data = rows.model._encoder, rows.data
    assert isinstance(encoder, NumericEncoder)
    if not isinstance(data, np.ndarray) or data.dtype != np.float64:
        return None
    numbers = encoder.numbers(rows.rows.source, "")
    times, farther = np.ones(data.shape), np.ones(data.shape)
    missing = np.zeros(data.shape, dtype=bool)
    width = numbers.shape[1]
    missing[:, :width] = np.isnan(numbers)
    rows.refit |= leaves_constant(numbers)
    if not width:
        return Rescaled(times, farther, missing)
    found = encoder.moments
    if (found.unit != 1).any():
        return None
    before = found.weight[0]
    taken = np.where(missing[:, :width], 0.0, rows.weight[:, None])
    left = before - taken
    rows.refit |= (left <= 1e-9 * before).any(axis=1)
    grows = before / np.where(left > 0, left, 1.0)
    farther[:, :width] = grows
    if encoder.form.scale == "range":
        rows.refit |= extremes(numbers)
    if encoder.form.scale == "standard":
        # Columns have mean 0 and variance 1: so much of it is left without the row.
        rest = 1 - taken * data[:, :width] ** 2 * grows / before
        varies = found.m2[0] > 0
        rows.refit |= (varies & (rest * MOST_TAKEN < 1)).any(axis=1)
        times[:, :width] = np.where(varies, 1 / np.sqrt(np.maximum(rest * grows, 1e-12)), 1.0)
    return Rescaled(times, farther, missing)
