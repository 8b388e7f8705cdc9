"""Discriminants and nearest centroids: distances from class means, as matrix products or sums of squares."""

from __future__ import annotations

import numpy as np

from margin.base.representations.representation import SQUARABLE
from margin.bayes.discriminant.linear import LinearDiscriminantAnalysis
from margin.bayes.discriminant.normal_classes import PANEL, LinearScores, NormalClasses, log_of
from margin.bayes.discriminant.quadratic import BEYOND, QuadraticDiscriminantAnalysis
from margin.export.answer import Answer, answer
from margin.export.columns import RawRows
from margin.export.graph import Graph
from margin.neighbors.centroid import NearestCentroid

__all__ = ["generative_answer"]


def _cells(model: NormalClasses, rows: RawRows) -> str:
    """The rows in the units of the columns."""
    matrix = rows.matrix(model._encoder)
    if model._plain:
        return matrix
    return rows.graph("Clip", rows.graph("Div", matrix, model._unit), -SQUARABLE, SQUARABLE)


def decision_of(graph: Graph, scores: str, n_classes: int) -> str:
    """Of two classes the second minus the first, as one column."""
    if n_classes != 2:
        return scores
    return graph("Sub", graph.columns(scores, [1]), graph.columns(scores, [0]))


def generative_answer(graph: Graph, scores: str, decision: str | None = None) -> Answer:
    """Winner and probabilities out of log P(k) + log P(x | k)."""
    below = graph("Sub", scores, graph.largest(scores))
    odds = graph("Exp", below)
    logs = graph("Sub", below, graph("Log", graph.sums(odds)))
    return Answer(graph.winner(scores), graph.as_shares(odds), decision, log_probabilities=logs)


@answer.register
def _(model: LinearScores, rows: RawRows) -> Answer:
    graph, cells = rows.graph, _cells(model, rows)
    away = graph("Sub", cells, model._center)
    scores = graph("Add", graph.times(away, model._coef.T), model._base)
    decision = decision_of(graph, scores, len(model.classes_))
    if isinstance(model, LinearDiscriminantAnalysis) and model._common is not None and len(model.classes_) > 2:
        common = graph.times(graph("Sub", cells, 0.5 * model._center), model._common[:, None])
        decision = graph("Add", decision, common)
    return generative_answer(graph, scores, decision)


@answer.register
def _(model: QuadraticDiscriminantAnalysis, rows: RawRows) -> Answer:
    graph, cells = rows.graph, _cells(model, rows)
    found = []
    for panels, mean, base in zip(model._panels, model._means, model._base):
        turned = graph.times(graph("Sub", cells, mean), _triangle(panels, len(mean)).T)
        squares = graph.sums(graph("Mul", turned, turned))
        found.append(graph("Sub", float(base), graph("Mul", squares, 0.5)))
    scores = graph.side_by_side(found)
    # A case beyond all densities: nothing is known but the priors.
    nowhere = graph("LessOrEqual", graph.largest(scores), BEYOND)
    scores = graph("Where", nowhere, log_of(model.priors_, model._statistics.weight), scores)
    return generative_answer(graph, scores, decision_of(graph, scores, len(model.classes_)))


def _triangle(panels: np.ndarray, d: int) -> np.ndarray:
    """The upper triangular matrix that stands in panels of twelve of its rows."""
    found, at = np.zeros((d, d)), 0
    for first in range(0, d, PANEL):
        size = PANEL * (d - first)
        n_rows = min(PANEL, d - first)
        found[first : first + n_rows, first:] = panels[at : at + size].reshape(d - first, PANEL).T[:n_rows]
        at += size
    return found


@answer.register
def _(model: NearestCentroid, rows: RawRows) -> Answer:
    graph, matrix = rows.graph, rows.matrix(model._encoder)
    distance = _distances(graph, model, matrix, model._center, model._spread)
    if model._metric == "manhattan":
        near = graph("Min", distance, SQUARABLE)
        distance = graph("Mul", near, near)
    with np.errstate(divide="ignore"):
        priors = np.log(np.where(model._present, model.class_prior_, 0.0))
    scores = graph("Sub", priors, graph("Div", distance, 2.0))
    below = graph("Sub", scores, graph.largest(scores))
    logs = graph("Sub", below, graph("Log", graph.sums(graph("Exp", below))))
    shares = graph("Exp", logs)
    decision = graph("Mul", decision_of(graph, scores, len(model.classes_)), 2.0)
    if not model._equal_priors:
        return Answer(graph.winner(scores), shares, decision, log_probabilities=logs)
    plain = _distances(graph, model, matrix, None, model._unit)
    known = graph("Where", model._present, plain, np.inf)
    return Answer(
        graph("ArgMin", known, axis=1, keepdims=0, select_last_index=0), shares, decision, log_probabilities=logs
    )


def _distances(
    graph: Graph, model: NearestCentroid, matrix: str, center: np.ndarray | None, unit: np.ndarray | float
) -> str:
    """Squared Euclidean or Manhattan distances from all centroids, in the given units."""
    plain = center is None and isinstance(unit, float) and unit == 1.0
    centroids = model.centroids_
    if not plain:
        matrix = matrix if center is None else graph("Sub", matrix, center)
        matrix = graph("Clip", graph("Div", matrix, np.asarray(unit, dtype=np.float64)), -SQUARABLE, SQUARABLE)
        centroids = centroids if center is None else centroids - center
        centroids = np.clip(centroids / unit, -SQUARABLE, SQUARABLE)
    found = []
    for centroid in centroids:
        away = graph("Sub", matrix, centroid)
        term = graph("Mul", away, away) if model._metric == "euclidean" else graph("Abs", away)
        found.append(graph.sums(term))
    return graph.side_by_side(found)
