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
from margin.neighbors.voting.elections import AS_NEAR, SAME

__all__: list[str] = []


@answer.register
def _(model: KNeighborsClassifier, rows: RawRows) -> Answer:
    distance, _, _, votes = _asked(model, rows)
    shares = _shares(rows.graph, rows.graph.times(votes, _member(model)), len(model.classes_))
    return Answer(_winner(rows.graph, model, shares, votes, distance), shares)


@answer.register
def _(model: KNeighborsRegressor, rows: RawRows) -> Answer:
    _, compared, counts, votes = _asked(model, rows)
    return Answer(value=rows.graph.flat(_mean(rows.graph, model, compared, counts, votes)))


def _member(model: Any) -> np.ndarray:
    """Which class (columns) each training row is of."""
    return (model._targets[:, None] == np.arange(len(model.classes_))).astype(np.float64)


def _asked(model: NearestVoters, rows: RawRows) -> tuple[str, str, str, str]:
    """Distances of all rows, what they are compared by, how many neighbours each is counted as, and their votes.

    Rows as far away as the last neighbour share the places that nearer ones leave. Where they get less than one each,
    all are counted in parts of one by their number, as the model does it.
    """
    graph, repeats = rows.graph, model._repeats and not model._once
    compared, distance = compared_and_finished(model, rows)
    k = min(int(model.n_neighbors), model._index.n_rows)
    near, place = graph.several("TopK", 2, distance, np.array([k]), axis=1, largest=0, sorted=1)
    weight = np.asarray(model._weight).reshape(1, -1) if repeats else np.ones((1, model._index.n_rows))
    if repeats:  # repeated rows fill up the places
        filled = graph("CumSum", graph("Gather", weight.ravel(), place), np.array(1))
        filled = graph("GreaterOrEqual", filled, float(model.n_neighbors))
        last = graph("ReduceMin", graph("Where", filled, near, np.inf), np.array([1]), keepdims=1)
    else:
        last = graph.columns(near, [k - 1])
    nearer, group = graph("Less", distance, last), graph("Equal", distance, last)
    left = graph("Sub", float(model.n_neighbors if repeats else k), graph.sums(graph("Where", nearer, weight, 0.0)))
    size = graph.sums(graph("Where", group, weight, 0.0))
    partly = graph("Greater", size, left)
    unit, part = graph("Where", partly, size, 1.0), graph("Where", partly, left, 1.0)
    counts = graph("Where", nearer, unit, graph("Where", group, part, 0.0))
    if not model._once:
        counts = graph("Mul", counts, weight if repeats else _relative(model._weight).reshape(1, -1))
    return distance, compared, counts, graph("Mul", _votes(graph, model, distance, graph.columns(near, [0])), counts)


def _winner(graph: Graph, model: Any, shares: str, votes: str, distance: str) -> str:
    """The class of the largest share; of equal ones the nearest in sum, then the heaviest in training."""
    n_classes = len(model.classes_)
    equal = graph("GreaterOrEqual", shares, _times(graph, graph.largest(shares), -SAME))
    away = graph.times(graph("Mul", votes, distance), _member(model))
    away = graph("Where", equal, away, np.inf)
    nearest = graph("ReduceMin", away, np.array([1]), keepdims=1)
    equal = graph("And", equal, graph("LessOrEqual", away, _times(graph, nearest, AS_NEAR)))
    totals = model._totals(model._targets, n_classes).astype(np.float64).reshape(1, -1)
    weight = graph("Where", equal, totals, 0.0)
    equal = graph("And", equal, graph("GreaterOrEqual", weight, _times(graph, graph.largest(weight), -SAME)))
    return graph.winner(graph.as_int(equal))


def _times(graph: Graph, value: str, more: float) -> str:
    """A value by a little more or less than 1, which would be 1 where a runtime rounds it to float32."""
    return graph("Add", value, graph("Mul", value, more))


def _mean(graph: Graph, model: Any, compared: str, counts: str, votes: str) -> str:
    """The mean of the targets; where all votes are 0 those who are asked count the same. A matrix of one column."""
    some = graph("Greater", graph.sums(votes), 0.0)
    votes = graph("Where", some, votes, counts)
    total = graph.sums(votes)
    total = graph("Where", graph("Greater", total, 0.0), total, 1.0)
    start = graph("Gather", model._targets, graph("ArgMin", compared, axis=1, keepdims=1, select_last_index=0))
    offsets = graph("Mul", graph("Sub", model._targets.reshape(1, -1), start), graph("Div", votes, total))
    return graph("Add", start, graph.sums(offsets))


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
    distance, _, inside, votes = _inside(model, rows)
    shares = _shares(graph, graph.times(votes, _member(model)), n_classes)
    winner = _winner(graph, model, shares, votes, distance)
    lonely = _lonely(graph, inside)
    shares = graph("Where", lonely, _lonely_shares(graph, model, outlier, distance), shares)
    if outlier.code >= 0:
        return Answer(graph("Where", graph.flat(lonely), graph.winner(shares), winner), shares)
    winner = graph("Where", graph.flat(lonely), n_classes, winner)
    return Answer(winner, shares, more_labels=(outlier.label,))


def _lonely_shares(graph: Graph, model: RadiusNeighborsClassifier, outlier: Any, distance: str) -> Any:
    """What rows without neighbours get: of equally frequent classes that of the nearest row."""
    n_classes = len(model.classes_)
    most = model._most_frequent(model._targets, n_classes)
    if len(most) < 2:
        return outlier.shares(n_classes).reshape(1, -1)
    wanted = np.isin(model._targets, most).reshape(1, -1)
    distance = graph("Where", wanted, distance, np.inf)
    nearest = graph("Equal", distance, graph("ReduceMin", distance, np.array([1]), keepdims=1))
    weight = graph("Where", graph("And", nearest, wanted), np.asarray(model._weight).reshape(1, -1), 0.0)
    return graph("Gather", np.eye(n_classes), graph.winner(graph.times(weight, _member(model))), axis=0)


@answer.register
def _(model: RadiusNeighborsRegressor, rows: RawRows) -> Answer:
    graph = rows.graph
    _, compared, inside, votes = _inside(model, rows)
    mean = _mean(graph, model, graph("Where", inside, compared, np.inf), graph.as_double(inside), votes)
    return Answer(value=graph.flat(graph("Where", _lonely(graph, inside), np.nan, mean)))


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
