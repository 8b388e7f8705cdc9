"""What models of neighbours answer to each row left out of the others: one search for all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.base import MixedData
from margin.base.leave_one_out import (
    AllRows,
    Rescaled,
    changes_scale,
    extremes,
    learn_from_all,
    near_ties,
    rescaled,
)
from margin.data.predictions import Predictions
from margin.evaluation.predictions.leave_one_out import refitted_predictions
from margin.neighbors.distances import traits_of
from margin.neighbors.equal_rows import EqualRows, words_of
from margin.neighbors.indexes.row_transform import Found
from margin.neighbors.search import take_rows
from margin.neighbors.voting.counting import left_out_elections
from margin.neighbors.voting.elections import Election, Elections
from margin.neighbors.voting.neighborhoods import Asked, NearestRows, last_place
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["matches_left_out", "nearest_left_out", "within_left_out"]

# So many neighbours are looked at at once.
NEIGHBORS_AT_ONCE = 4_000_000
# So many more than twice the neighbours are looked at where distances change with the row.
MORE = 6
# Distances that differ by less may be equal when they are worked out in another order.
SAME = 1e-9


def nearest_left_out(model: Any, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None) -> Predictions | None:
    """What a model of k neighbours answers: the k nearest others vote on every row."""
    rows = learn_from_all(model, X, y, sample_weight)
    if rows is None:
        return None
    changes = _changes(rows)
    if changes is None:
        return _nearest_rescaled(rows)
    rows.refit |= changes
    return _answers(rows, [left_out_elections(model)])


def within_left_out(model: Any, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None) -> Predictions | None:
    """What a model of a radius answers: all others within it vote on every row."""
    rows = learn_from_all(model, X, y, sample_weight)
    if rows is None:
        return None
    changes = _changes(rows)
    space = _Rescaled.of(rows) if changes is None else None
    if changes is not None:
        rows.refit |= changes
    elif space is None:
        return None
    prepared, n, order = model._index.rows(), len(rows.codes), _order(rows)
    parts, alone, step = [], [], max(1, NEIGHBORS_AT_ONCE // (n * (1 if space is None else rows.data.shape[1])))
    for first in range(0, n, step):
        block = take_rows(prepared, slice(first, first + step))
        if space is None:
            start, distance, place = model._within(block, model.radius)
        else:
            (start, distance, place), unsure = space.within(model, first, block)
            rows.refit[order[first : first + step]] |= unsure
        ballot = model._ballot(*_without_itself(start, distance, place, first))
        cases = np.arange(ballot.n_cases)
        parts.append(_election(model, Asked(cases, slice(None), ballot, first + cases)))
        alone.append(ballot.lonely())
    lonely = np.flatnonzero(np.concatenate(alone))
    if lonely.size and (not model._outliers or model._outliers[0].code < 0):
        return None  # such rows are refused or warned of, one by one
    found = _joined(parts)
    if space is not None and not (isinstance(model.weights, str) and model.weights == "uniform"):
        rows.refit[order] |= near_ties(found.shares)
    if lonely.size:
        found.codes[lonely] = _outlier_codes(model, rows, lonely, space is None)
        found.shares[lonely] = np.eye(len(model.classes_))[found.codes[lonely]]
    return _answers(rows, [found])


def _without_itself(start: np.ndarray, distance: np.ndarray, place: np.ndarray, first: int) -> Found:
    """What was found within the radius of the rows from ``first`` on, less the rows themselves."""
    case = np.repeat(np.arange(len(start) - 1), np.diff(start))
    others = place != first + case
    counts = np.bincount(case[others], minlength=len(start) - 1)
    return np.concatenate([[0], np.cumsum(counts)]), distance[others], place[others]


@dataclass
class _Rescaled:
    """How far other rows are from each row when its own cells no longer count in means and deviations; by place."""

    rows: np.ndarray
    scales: Rescaled
    power: float
    unit: float

    @classmethod
    def of(cls, rows: AllRows) -> _Rescaled | None:
        """None for metrics that are no sums over the columns, and for rows that are not written out."""
        model = rows.model
        traits = traits_of(model._metric, model.p)
        if traits is None or traits.order in (None, np.inf) or model._metric == "cosine":
            return None
        prepared, scales = model._index.rows(), rescaled(rows)
        if scales is None or not isinstance(prepared, np.ndarray) or prepared.shape != rows.data.shape:
            return None
        order = _order(rows)
        scales = Rescaled(scales.times[order], scales.farther[order], scales.missing[order])
        return cls(prepared, scales, traits.order, model._space.unit)

    def distances(self, at: np.ndarray, place: np.ndarray) -> np.ndarray:
        """Of the rows at some places, each left out, to those at others."""
        apart = np.abs(self.rows[at] - self.rows[place]) * self.scales.times[at]
        if self.scales.missing.any():
            apart *= np.where(self.scales.missing[place], self.scales.farther[at], 1.0)
        if self.power == 2:
            return np.sqrt(np.einsum("...d,...d->...", apart, apart)) * self.unit
        return (apart**self.power).sum(axis=-1) ** (1 / self.power) * self.unit

    def within(self, model: Any, first: int, block: np.ndarray) -> tuple[Found, np.ndarray]:
        """Start, distances and places of what is within the radius of each row, nearest first; and where it is not
        certain what is."""
        least = self.scales.times[first : first + len(block)].min(initial=1.0)
        start, _, place = model._within(block, model.radius / least * (1 + SAME))
        case = np.repeat(np.arange(len(start) - 1), np.diff(start))
        distance = self.distances(first + case, place)
        unsure = np.zeros(len(block), dtype=bool)
        unsure[case[(np.abs(distance - model.radius) <= SAME * model.radius) & (place != first + case)]] = True
        inside = np.flatnonzero(distance <= model.radius)
        inside = inside[np.lexsort((distance[inside], case[inside]))]
        counts = np.bincount(case[inside], minlength=len(block))
        return (np.concatenate([[0], np.cumsum(counts)]), distance[inside], place[inside]), unsure

    def same(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Whether the rows at two places have the same cells."""
        equal = (self.rows[one] == self.rows[other]) & (self.scales.missing[one] == self.scales.missing[other])
        return equal.all(axis=-1)


def _nearest_rescaled(rows: AllRows) -> Predictions | None:
    """The k nearest others where scales and means change with the row: they are among a few more than k.

    What is farther away than the last of these stays farther than the k-th if columns are not stretched too unequally;
    where that is not certain, and where two rows are equally far but for rounding, the row is answered anew.
    """
    model, space = rows.model, _Rescaled.of(rows)
    if space is None:
        return None
    n, order = len(rows.codes), _order(rows)
    k = min(model.n_neighbors, n - 1)
    many = min(2 * k + MORE, n - 1)
    least = space.scales.times.min(axis=1, initial=1.0)
    parts, step = [], max(1, NEIGHBORS_AT_ONCE // (many * space.rows.shape[1] + 1))
    for first in range(0, n, step):
        full, place = model._others_from(first, space.rows[first : first + step], many)
        full = model._space.distances(full)
        distance = space.distances(np.arange(first, first + len(place))[:, None], place)
        nearest = distance.argsort(axis=1, kind="stable")
        distance, place = (np.take_along_axis(found, nearest, axis=1) for found in (distance, place))
        unsure = np.zeros(len(place), dtype=bool)
        if many < n - 1:
            unsure |= full[:, -1] * least[first : first + len(place)] <= distance[:, k - 1] * (1 + SAME)
        last = last_place(model, place, k)[:, None]
        at, to = (np.take_along_axis(found, last, axis=1) for found in (place, distance))
        close = np.abs(distance - to) <= SAME * to
        some = np.flatnonzero(np.count_nonzero(close, axis=1) > 1)
        # Equal rows are equally far whatever the scale; of others rounding tells.
        unsure[some] |= (close[some] & ~space.same(at[some], place[some])).any(axis=1)
        rows.refit[order[first : first + len(place)]] |= unsure
        cases = np.arange(len(place))
        elections = _elections(model)
        for asked in NearestRows(cases, distance, place, first + cases).asked(model, k):
            elections.add(asked)
        parts.append(elections.joined())
    found = _joined(parts)
    if not (isinstance(model.weights, str) and model.weights == "uniform"):
        rows.refit[order] |= near_ties(found.shares)
    return _answers(rows, [found])


def _elections(model: Any) -> Elections:
    return Elections(model, model._targets, len(model.classes_))


def _election(model: Any, asked: Asked) -> Election:
    elections = _elections(model)
    elections.add(asked)
    return elections.joined()


def _joined(parts: list[Election]) -> Election:
    """Elections of some cases, then of others."""
    return Election(np.concatenate([each.shares for each in parts]), np.concatenate([each.codes for each in parts]))


def _changes(rows: AllRows) -> np.ndarray | None:
    """Which rows change how others are compared; None where each of them does."""
    return extremes(rows.data.numeric) if isinstance(rows.data, MixedData) else changes_scale(rows)


def _order(rows: AllRows) -> np.ndarray:
    """Which of the rows learnt from stands at each place of the index."""
    order = rows.model._order
    return order if rows.rows.kept is None else np.searchsorted(rows.rows.kept, order)


def _outlier_codes(model: Any, rows: AllRows, lonely: np.ndarray, same_distances: bool) -> np.ndarray:
    """The class that the rows at places without neighbours get, which without them may be another."""
    if not (isinstance(model.outlier_label, str) and model.outlier_label == "most_frequent"):
        return np.full(len(lonely), model._outliers[0].code)
    at = _order(rows)[lonely]
    others = rows.totals_of_others()[at]
    codes = others.argmax(axis=1)
    most = others >= others.max(axis=1, keepdims=True) * (1 - SAME)
    several = np.flatnonzero(np.count_nonzero(most, axis=1) > 1)
    if not same_distances:
        rows.refit[at[several]] = True
        return codes
    prepared = model._index.rows()
    for classes in np.unique(most[several], axis=0):
        some = several[(most[several] == classes).all(axis=1)]
        own = lonely[some]
        codes[some] = model._nearest_class(take_rows(prepared, own), model._targets, np.flatnonzero(classes), own)
    return codes


def _answers(rows: AllRows, parts: list[Election]) -> Predictions | None:
    """Answers to rows given by place."""
    by_place, order = _joined(parts), _order(rows)
    shares, codes = np.empty_like(by_place.shares), np.empty_like(by_place.codes)
    shares[order], codes[order] = by_place.shares, by_place.codes
    return rows.answers(codes, shares, refitted_predictions)


def matches_left_out(model: Any, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None) -> Predictions | None:
    """What the rote learner answers: the other rows that are equal, or what rows without a match get."""
    rows = learn_from_all(model, X, y, sample_weight)
    if rows is None:
        return None
    n, n_classes = len(rows.codes), len(model.classes_)
    number = EqualRows().learn(words_of(rows.data))
    own = np.arange(n), rows.codes
    size = np.bincount(number)[number] - 1
    counts = np.bincount(number * n_classes + rows.codes, rows.weight, (number.max() + 1) * n_classes)
    counts = counts.reshape(-1, n_classes)[number]
    counts[own] -= rows.weight
    alone, others = size == 0, rows.totals_of_others()
    counts[alone] = others[alone]
    if not rows.repeats:
        rows.refit |= near_ties(counts / counts.sum(axis=1, keepdims=True))
    shares = counts / counts.sum(axis=1, keepdims=True)
    codes = shares.argmax(axis=1)
    if model.unmatched == "abstain":
        return rows.answers(codes, shares, refitted_predictions, abstained=alone)
    if model.default is not None:
        codes[alone] = model._default_code()
    return rows.answers(codes, shares, refitted_predictions)
