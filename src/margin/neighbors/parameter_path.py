"""Answers for several numbers of neighbours, from one search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from margin.base.parameter_path import PathTask
from margin.evaluation.predictions.from_model import Predictions
from margin.neighbors.voting.elections import Elections, elected
from margin.neighbors.voting.neighborhoods import neighborhoods
from margin.params import Count, rule_of

if TYPE_CHECKING:
    from margin.neighbors.knn import KNeighborsClassifier

__all__ = ["answers_along_k"]


def answers_along_k(model: KNeighborsClassifier, task: PathTask) -> list[list[Predictions]] | None:
    """What k nearest neighbours say for each k: the nearest are found for the largest k, and all others ask a part.

    The votes of each k are counted as the model counts them, so that answers are the same to the last bit.
    """
    ks = task.values
    if not all(rule_of(Count).accepts(k) for k in ks):
        return None
    model.set_params(n_neighbors=max(map(int, ks))).fit(task.X, task.y, task.sample_weight)
    if model.outputs_2d_:
        return None
    found = [_answers(model, ks, rows) for rows in task.queries]
    return [list(of_k) for of_k in zip(*found)]


def _answers(model: Any, ks: Sequence[Any], X: Any) -> list[Predictions]:
    elections = [Elections(model, model._targets, len(model.classes_)) for _ in ks]
    for near in neighborhoods(model, model._as_queries(model._encoded(X, "predict")), max(map(int, ks))):
        for k, counted in zip(map(int, ks), elections):
            for votes in near.asked(model, k):
                counted.add(votes)
    found = [counted.joined() for counted in elections]
    return [Predictions(elected(model.classes_, each), each.shares) for each in found]
