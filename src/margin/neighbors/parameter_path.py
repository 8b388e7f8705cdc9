"""Answers for several numbers of neighbours, from one search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from margin.evaluation.predictions.from_model import Predictions
from margin.neighbors.votes import Ballot, votes_of
from margin.params import Count, rule_of
from margin.typing import Encoded, LabelsLike, TableLike, WeightsLike

if TYPE_CHECKING:
    from margin.neighbors.knn import KNeighborsClassifier

__all__ = ["answers_along_k"]


def answers_along_k(
    model: KNeighborsClassifier,
    ks: Sequence[Any],
    X: TableLike,
    y: LabelsLike,
    queries: Sequence[Any],
    sample_weight: WeightsLike | None,
) -> list[list[Predictions]] | None:
    """What k nearest neighbours say for each k: the nearest are found for the largest k, and all others ask a part.

    The votes of each k are counted as the model counts them, so that answers are the same to the last bit.
    """
    if not all(rule_of(Count).accepts(k) for k in ks):
        return None
    model.set_params(n_neighbors=max(map(int, ks))).fit(X, y, sample_weight)
    if model.outputs_2d_:
        return None
    found = [_answers(model, ks, rows) for rows in queries]
    return [list(of_k) for of_k in zip(*found)]


def _answers(model: KNeighborsClassifier, ks: Sequence[Any], X: Encoded) -> list[Predictions]:
    encoded = model._encoded(X, "predict")
    model.n_neighbors = max(map(int, ks))
    distance, place = model._nearest(encoded, model.n_neighbors)
    predictions = []
    for k in map(int, ks):
        model.n_neighbors = k
        near, who = distance[:, :k], np.ascontiguousarray(place[:, :k])
        votes = votes_of(model.weights, np.ascontiguousarray(near), near[:, :1], type(model).__name__)
        if not model._once:
            votes = votes * model._counted(who)
        case = np.repeat(np.arange(len(who)), who.shape[1])
        shares = Ballot(case, who.ravel(), votes.ravel(), len(who)).class_shares(model._targets, len(model.classes_))
        predictions.append(Predictions(model._answers(encoded, shares), shares))
    return predictions
