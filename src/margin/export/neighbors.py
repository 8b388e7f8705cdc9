"""Nearest neighbours: distances from all kept rows, and the votes of those that are asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.errors import ExportError
from margin.export.answer import Answer, answer
from margin.export.columns import RawRows
from margin.export.distances import compared_and_finished
from margin.export.graph import Graph
from margin.export.matching import check_size
from margin.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
    RoteClassifier,
)
from margin.neighbors.voters import NearestVoters, RadiusVoters, Voters

__all__: list[str] = []


@answer.register
def _(model: KNeighborsClassifier, rows: RawRows) -> Answer:
    graph = rows.graph
    _, place, votes = _asked(model, rows)
    labels = graph("Gather", model._targets.astype(np.int64), place)
    sums = []
    for k in range(len(model.classes_)):
        sums.append(graph.sums(graph("Where", graph("Equal", labels, k), votes, 0.0)))
    shares = _shares(graph, graph.side_by_side(sums), len(model.classes_))
    return Answer(graph.winner(shares), shares)


@answer.register
def _(model: KNeighborsRegressor, rows: RawRows) -> Answer:
    graph = rows.graph
    _, place, votes = _asked(model, rows)
    targets = graph("Gather", model._targets, place)
    total = graph.sums(votes)
    some = graph("Greater", total, 0.0)
    votes = graph("Where", some, votes, 1.0)
    start = graph.columns(targets, [0])
    weights = graph("Div", votes, graph.sums(votes))
    offsets = graph("Mul", graph("Sub", targets, start), weights)
    return Answer(value=graph.flat(graph("Add", start, graph.sums(offsets))))


def _asked(model: NearestVoters, rows: RawRows) -> tuple[str, str, str]:
    """Distances, places and votes of the nearest rows, nearest first."""
    graph = rows.graph
    compared, finished = compared_and_finished(model, rows)
    k = min(int(model.n_neighbors), model._index.n_rows)
    place = graph.several("TopK", 2, compared, np.array([k]), axis=1, largest=0, sorted=1)[1]
    distance = graph("GatherElements", finished, place, axis=1)
    votes = _votes(graph, model, distance, graph.columns(distance, [0]))
    if model._once:
        return distance, place, votes
    weight = graph("Gather", model._weight, place)
    if model._repeats:  # repeated rows fill up the places
        before = graph("CumSum", weight, np.array(1), exclusive=1)
        left = graph("Max", graph("Sub", float(model.n_neighbors), before), 0.0)
        counted = graph("Min", left, weight)
    else:
        counted = graph("Div", weight, graph.largest(weight))
    return distance, place, graph("Mul", votes, counted)


def _votes(graph: Graph, model: Voters, distance: str, nearest: str) -> str:
    """A vote for each distance, the nearest one voting 1; exact matches outvote all others."""
    if callable(model.weights):
        raise ExportError(
            f"to_onnx({type(model).__name__}(weights=<function>)): the votes are a function in Python, which no graph "
            "can call (take 'uniform', 'distance' or 'inverse_square')."
        )
    if model.weights == "uniform":
        return graph("Add", graph("Mul", distance, 0.0), 1.0)
    apart = graph("Greater", distance, 0.0)
    share = graph("Where", apart, graph("Div", nearest, graph("Where", apart, distance, 1.0)), 1.0)
    return share if model.weights == "distance" else graph("Mul", share, share)


def _shares(graph: Graph, sums: str, n_classes: int) -> str:
    """Sums of votes as shares of all votes on the case; all the same where nobody votes."""
    total = graph.sums(sums)
    some = graph("Greater", total, 0.0)
    return graph("Where", some, graph("Div", sums, graph("Where", some, total, 1.0)), 1 / n_classes)


def _inside(model: RadiusVoters, rows: RawRows) -> tuple[str, str, str, str]:
    """Distances, what they are compared by, which rows are asked, and their votes, 0 for the others."""
    graph = rows.graph
    compared, distance = compared_and_finished(model, rows)
    inside = graph("LessOrEqual", distance, float(model.radius))
    nearest = graph("ReduceMin", graph("Where", inside, distance, np.inf), np.array([1]), keepdims=1)
    votes = graph("Mul", _votes(graph, model, distance, nearest), _relative(model._weight).reshape(1, -1))
    return distance, compared, inside, graph("Where", inside, votes, 0.0)


def _relative(weight: np.ndarray) -> np.ndarray:
    """Weights of which the largest is not far from 1: only proportions count."""
    return np.ldexp(weight, -np.frexp(weight.max())[1])


def _lonely(graph: Graph, inside: str) -> str:
    asked = graph("ReduceMax", graph.as_int(inside), np.array([1]), keepdims=1)
    return graph("Equal", asked, 0)


@answer.register
def _(model: RadiusNeighborsClassifier, rows: RawRows) -> Answer:
    graph, n_classes = rows.graph, len(model.classes_)
    if not model._outliers:
        raise ExportError(
            "to_onnx(RadiusNeighborsClassifier(outlier_label=None)): the model refuses rows without neighbours, and a "
            "graph cannot (give an outlier_label)."
        )
    (outlier,) = model._outliers
    _, _, inside, votes = _inside(model, rows)
    member = (model._targets[:, None] == np.arange(n_classes)).astype(np.float64)
    shares = _shares(graph, graph.times(votes, member), n_classes)
    lonely = _lonely(graph, inside)
    shares = graph("Where", lonely, outlier.shares(n_classes).reshape(1, -1), shares)
    winner = graph.winner(shares)
    if outlier.code >= 0:
        return Answer(winner, shares)
    winner = graph("Where", graph.flat(lonely), n_classes, winner)
    return Answer(winner, shares, more_labels=(outlier.label,))


@answer.register
def _(model: RadiusNeighborsRegressor, rows: RawRows) -> Answer:
    graph = rows.graph
    _, compared, inside, votes = _inside(model, rows)
    some = graph("Greater", graph.sums(votes), 0.0)
    votes = graph("Where", some, votes, graph.as_double(inside))
    lonely = _lonely(graph, inside)
    total = graph("Where", lonely, 1.0, graph.sums(votes))
    first = graph("ArgMin", graph("Where", inside, compared, np.inf), axis=1, keepdims=1, select_last_index=0)
    start = graph("Gather", model._targets, first)
    offsets = graph("Mul", graph("Sub", model._targets.reshape(1, -1), start), graph("Div", votes, total))
    return Answer(value=graph.flat(graph("Where", lonely, np.nan, graph("Add", start, graph.sums(offsets)))))


@answer.register
def _(model: RoteClassifier, rows: RawRows) -> Answer:
    graph, mixed = rows.graph, rows.mixed(model._encoder)
    known = model._known.rows
    check_size(known.shape, "RoteClassifier")
    same: Any = None
    for j in range(known.shape[1]):
        equal = _equal_cells(graph, mixed, known[:, j], j)
        same = equal if same is None else graph("And", same, equal)
    found = graph.as_int(same)
    matched = graph("Equal", graph("ReduceMax", found, np.array([1]), keepdims=1), 1)
    counts = model._counts
    shares = graph("Gather", counts / counts.sum(axis=1, keepdims=True), graph("ArgMax", found, axis=1, keepdims=0))
    shares = graph("Where", matched, shares, model.priors_.reshape(1, -1))
    winner = graph.winner(shares)
    if model.unmatched == "abstain":
        return Answer(winner, shares, abstained=graph.flat(graph("Not", matched)))
    if model.default is not None:
        winner = graph("Where", graph.flat(matched), winner, model._default_code())
    return Answer(winner, shares)


def _equal_cells(graph: Graph, mixed: Any, words: np.ndarray, j: int) -> str:
    """Whether the cells of column j are those of each known row; a missing cell equals a missing one."""
    if j >= mixed.n_numeric:
        return graph("Equal", mixed.codes[j - mixed.n_numeric], words.view(np.int64).reshape(1, -1))
    column, numbers = graph.columns(mixed.numeric, [j]), np.ascontiguousarray(words).view(np.float64).reshape(1, -1)
    equal = graph("Equal", column, numbers)
    if not np.isnan(numbers).any():
        return equal
    return graph("Or", equal, graph("And", graph("IsNaN", column), np.isnan(numbers)))
