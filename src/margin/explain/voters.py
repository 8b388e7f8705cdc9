"""How neighbours explain one answer where they are averaged, or all those within a radius are asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.inputs.arrays import check_one_row
from margin.errors import InputTypeError
from margin.explain.explanation import Explanation, Reason
from margin.explain.models import MOST_VOTERS, answer_of, explain, metric_in_words
from margin.neighbors import KNeighborsRegressor, RadiusNeighborsClassifier, RadiusNeighborsRegressor
from margin.neighbors.voters import RadiusVoters
from margin.typing import TableLike

__all__: list[str] = []


@explain.register
def _(model: KNeighborsRegressor, X: TableLike) -> Explanation:
    distances, rows, targets, votes = model.voters(X)
    how = f"The answer is the mean of the {len(rows):,} nearest training rows ({metric_in_words(model)})."
    return _mean(model, X, distances, rows, np.asarray(targets), votes, how)


@explain.register
def _(model: RadiusNeighborsRegressor, X: TableLike) -> Explanation:
    distances, rows, place, votes = _asked(model, X)
    if not len(rows):
        return Explanation(type(model).__name__, None, {}, f"No training row is within {model.radius:g}.", ())
    how = (
        f"The answer is the mean of the {len(rows):,} training rows that are at most {model.radius:g} away "
        f"({metric_in_words(model)})."
    )
    return _mean(model, X, distances, rows, np.asarray(model._targets)[place], votes, how)


def _mean(
    model: Any, X: TableLike, distances: np.ndarray, rows: np.ndarray, targets: np.ndarray, votes: np.ndarray, how: str
) -> Explanation:
    answer, total = np.ravel(model.predict(X)), votes.sum() or 1.0
    targets = targets.reshape(len(targets), -1)
    reasons = [
        Reason(
            f"training row {row}",
            f"{', '.join(f'{each:.6g}' for each in target)}, distance {distance:.4g}, counts {vote / total:.1%}",
            float(vote / total * (target[0] - answer[0])),
            int(row),
        )
        for row, target, distance, vote in zip(rows, targets.tolist(), distances, votes)
    ]
    reasons, rest = reasons[:MOST_VOTERS], reasons[MOST_VOTERS:]
    if rest:
        together = sum(reason.strength for reason in rest)
        reasons.append(Reason(f"{len(rest):,} other training rows together", "farther away", together))
    shown = ", ".join(f"{each:.6g}" for each in answer.tolist())
    return Explanation(type(model).__name__, shown, {}, how, tuple(reasons))


@explain.register
def _(model: RadiusNeighborsClassifier, X: TableLike) -> Explanation:
    if getattr(model, "outputs_2d_", False):
        raise InputTypeError(
            "explain(RadiusNeighborsClassifier, X): the model answers several targets; fit one model per target."
        )
    distances, rows, place, votes = _asked(model, X)
    answer, probabilities = answer_of(model, X)
    name, total = type(model).__name__, votes.sum() or 1.0
    if not len(rows):
        return Explanation(
            name, answer, probabilities, f"No training row is within {model.radius:g}: it is an outlier.", ()
        )
    labels = model.classes_[np.asarray(model._targets)[place]]
    reasons = [
        Reason(
            f"training row {row}",
            f"{label}, distance {distance:.4g}, {vote / total:.1%} of the votes",
            float(vote / total) * (1 if label == answer else -1),
            int(row),
        )
        for row, label, distance, vote in zip(rows[:MOST_VOTERS], labels, distances, votes)
    ]
    for label in np.unique(labels[MOST_VOTERS:]):
        same = np.flatnonzero(labels[MOST_VOTERS:] == label) + MOST_VOTERS
        share = float(votes[same].sum() / total)
        says = f"{label}, farther away, {share:.1%} of the votes"
        reasons.append(Reason(f"{len(same):,} training rows", says, share * (1 if label == answer else -1)))
    how = f"The {len(rows):,} training rows that are at most {model.radius:g} away ({metric_in_words(model)}) vote."
    return Explanation(name, answer, probabilities, how, tuple(reasons))


def _asked(model: RadiusVoters, X: TableLike) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Distances, numbers, places and votes of the rows within the radius, the nearest first."""
    encoded = model._encoded(X, "explain")
    check_one_row(encoded, f"explain({type(model).__name__}, X)")
    ballot = next(iter(model._ballots(encoded)))
    order = np.argsort(ballot.distance, kind="stable")
    place = ballot.place[order]
    return ballot.distance[order], model._order[place], place, ballot.votes[order]
