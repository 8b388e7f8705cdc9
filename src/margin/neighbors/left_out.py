"""What models of neighbours answer to each row left out of the others: one search for all."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base import MixedData
from margin.base.left_out import AllRows, LeftOutAnswers, changes_scale, extremes, learn_from_all, near_ties
from margin.evaluation.left_out import answers_anew
from margin.neighbors.equal_rows import EqualRows, words_of
from margin.neighbors.search import take_rows
from margin.neighbors.votes import Ballot, votes_of

__all__ = ["matches_left_out", "nearest_left_out", "within_left_out"]

# So many neighbours are looked at at once.
NEIGHBORS_AT_ONCE = 4_000_000


def nearest_left_out(model: Any, X: Any, y: Any, sample_weight: Any) -> LeftOutAnswers | None:
    """What a model of k neighbours answers: the k nearest others vote on every row."""
    rows = _searchable(model, X, y, sample_weight)
    if rows is None:
        return None
    prepared, n, k = model._index.rows(), len(rows.codes), model.n_neighbors
    parts, step = [], max(1, NEIGHBORS_AT_ONCE // (k + 1))
    for first in range(0, n, step):
        block = prepared if n <= step else take_rows(prepared, slice(first, first + step))
        distance, place = model._others_from(first, block, k)
        votes = votes_of(model.weights, distance, distance[:, :1], type(model).__name__)
        if not model._once:
            votes = votes * model._counted(place)
        cases = np.repeat(np.arange(len(place)), place.shape[1])
        ballot = Ballot(cases, place.ravel(), votes.ravel(), len(place))
        parts.append(ballot.class_shares(model._targets, len(model.classes_)))
    return _answers(rows, np.concatenate(parts))


def within_left_out(model: Any, X: Any, y: Any, sample_weight: Any) -> LeftOutAnswers | None:
    """What a model of a radius answers: all others within it vote on every row."""
    rows = _searchable(model, X, y, sample_weight)
    if rows is None:
        return None
    prepared, n = model._index.rows(), len(rows.codes)
    parts, alone, step = [], [], max(1, NEIGHBORS_AT_ONCE // n)
    for first in range(0, n, step):
        start, distance, place = model._within(take_rows(prepared, slice(first, first + step)), model.radius)
        case = np.repeat(np.arange(len(start) - 1), np.diff(start))
        others = place != first + case
        start = np.concatenate([[0], np.cumsum(np.bincount(case[others], minlength=len(start) - 1))])
        ballot = model._ballot(start, distance[others], place[others])
        parts.append(ballot.class_shares(model._targets, len(model.classes_)))
        alone.append(ballot.lonely())
    shares, lonely = np.concatenate(parts), np.flatnonzero(np.concatenate(alone))
    if lonely.size and (not model._outliers or model._outliers[0].code < 0):
        return None  # such rows are refused or warned of, one by one
    if lonely.size:
        shares[lonely] = _outlier_shares(model, rows, _order(rows)[lonely])
    return _answers(rows, shares)


def _searchable(model: Any, X: Any, y: Any, sample_weight: Any) -> AllRows | None:
    """The model with all rows in its index; None where each of them changes how the others are compared."""
    rows = learn_from_all(model, X, y, sample_weight)
    if rows is None:
        return None
    changes = extremes(rows.data.numeric) if isinstance(rows.data, MixedData) else changes_scale(rows)
    if changes is None:
        return None
    rows.anew |= changes
    return rows


def _order(rows: AllRows) -> np.ndarray:
    """Which of the rows learnt from stands at each place of the index."""
    order = rows.model._order
    return order if rows.rows.kept is None else np.searchsorted(rows.rows.kept, order)


def _outlier_shares(model: Any, rows: AllRows, lonely: np.ndarray) -> np.ndarray:
    """All of it for the class that rows without neighbours get, which without them may be another."""
    one = np.eye(len(model.classes_))
    if not (isinstance(model.outlier_label, str) and model.outlier_label == "most_frequent"):
        return one[model._outliers[0].code]
    others = rows.totals_of_others()[lonely]
    if not rows.repeats:
        rows.anew[lonely] |= near_ties(others)
    return one[others.argmax(axis=1)]


def _answers(rows: AllRows, by_place: np.ndarray) -> LeftOutAnswers | None:
    shares = np.empty_like(by_place)
    shares[_order(rows)] = by_place
    return rows.answers(shares.argmax(axis=1), shares, answers_anew)


def matches_left_out(model: Any, X: Any, y: Any, sample_weight: Any) -> LeftOutAnswers | None:
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
        rows.anew |= near_ties(counts / counts.sum(axis=1, keepdims=True))
    shares = counts / counts.sum(axis=1, keepdims=True)
    codes = shares.argmax(axis=1)
    if model.unmatched == "abstain":
        return rows.answers(codes, shares, answers_anew, abstained=alone)
    if model.default is not None:
        codes[alone] = model._default_code()
    return rows.answers(codes, shares, answers_anew)
