"""Calibration maps: scores to probabilities."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from margin.base.meta.calibration_maps import Isotonic, Sigmoid, Temperature
from margin.errors import ExportError
from margin.export.graph import Graph
from margin.export.linear import sigmoids
from margin.svm.kernel_machine.coupling import SUREST, PairedCurves

__all__ = ["shares"]


@singledispatch
def shares(found: Any, graph: Graph, scores: str, n_scores: int) -> str:
    """Probabilities out of so many scores: a column for each class, or one, the second's, where there are two."""
    raise ExportError(f"to_onnx: the calibration map {type(found).__name__} cannot be said in ONNX operators.")


def _normalised(graph: Graph, each: str, n_scores: int) -> str:
    """Shares of each class against the rest as probabilities; a row where all are 0 gets equal ones."""
    if n_scores == 1:
        return graph.side_by_side([graph("Sub", 1.0, each), each])
    total = graph.sums(each)
    return graph("Where", graph("Greater", total, 0.0), graph("Div", each, total), 1 / n_scores)


@shares.register
def _(found: Sigmoid, graph: Graph, scores: str, n_scores: int) -> str:
    each = sigmoids(graph, graph("Add", graph("Mul", scores, found.slope), found.offset))
    return _normalised(graph, each, n_scores)


@shares.register
def _(found: Isotonic, graph: Graph, scores: str, n_scores: int) -> str:
    columns = [_interpolated(graph, graph.columns(scores, [k]), *corners) for k, corners in enumerate(found.corners)]
    return _normalised(graph, graph.side_by_side(columns), n_scores)


def _interpolated(graph: Graph, column: str, x: np.ndarray, y: np.ndarray) -> str:
    """Straight lines between corners, flat beyond them: the line of the last corner not above the cell.

    What ``numpy.interp`` does, in the same order of operations.
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if len(x) == 1:
        return graph("Add", graph("Mul", column, 0.0), float(y[0]))
    at_or_above = graph.as_int(graph("GreaterOrEqual", column, x.reshape(1, -1)))
    place = graph("Sub", graph("ReduceSum", at_or_above, np.array([1]), keepdims=1), 1)
    on = graph("Clip", place, 0, len(x) - 2)
    slope = np.diff(y) / np.diff(x)
    away = graph("Sub", column, graph("Gather", x, on))
    inside = graph("Add", graph("Mul", graph("Gather", slope, on), away), graph("Gather", y, on))
    before = graph("Where", graph("Less", place, 0), float(y[0]), inside)
    return graph("Where", graph("GreaterOrEqual", place, len(x) - 1), float(y[-1]), before)


@shares.register
def _(found: Temperature, graph: Graph, scores: str, n_scores: int) -> str:
    if n_scores == 1:
        scores = graph.side_by_side([graph("Mul", scores, 0.0), scores])
    return graph.softmax(graph("Div", scores, float(found.temperature)))


@shares.register
def _(found: PairedCurves, graph: Graph, scores: str, n_scores: int) -> str:
    """The system (Q + 1 1') p = 1 of every row, solved by elimination without pivots: it is positive definite."""
    K = found.n_classes
    n_pairs = K * (K - 1) // 2
    pairs = sigmoids(graph, graph("Add", graph("Mul", scores, found.curves.slope), found.curves.offset))
    first = graph("Clip", pairs, SUREST, 1 - SUREST)
    place = np.zeros((K, K), dtype=np.int64)  # of P(a | a, b) among the shares and what they leave
    place[np.triu_indices(K, 1)] = np.arange(n_pairs)
    place = place + place.T + np.tril(np.full((K, K), n_pairs), -1)
    r = graph.columns(graph.side_by_side([first, graph("Sub", 1.0, first)]), place.ravel())
    off = 1.0 - np.eye(K)
    between = graph("Mul", graph("Mul", r, graph.columns(r, np.arange(K * K).reshape(K, K).T.ravel())), off.ravel())
    to_diagonal = np.zeros((K * K, K * K))
    a, b = np.nonzero(off)
    to_diagonal[b * K + a, a * K + a] = 1.0
    squares = graph.times(graph("Mul", r, r), to_diagonal)
    system = graph("Reshape", graph("Add", graph("Sub", squares, between), 1.0), np.array([-1, K, K]))
    right = graph("Add", graph("Mul", graph("Gather", system, np.array([0]), axis=2), 0.0), 1.0)
    system = graph("Concat", system, right, axis=2)
    for k in range(K):
        row, column = (graph("Gather", system, np.array([k]), axis=axis) for axis in (1, 2))
        row = graph("Div", row, graph("Gather", column, np.array([k]), axis=1))
        unit = (np.arange(K) == k).astype(np.float64).reshape(1, K, 1)
        system = graph("Sub", system, graph("Mul", graph("Sub", column, unit), row))
    solved = graph("Reshape", graph("Gather", system, np.array([K]), axis=2), np.array([-1, K]))
    return _normalised(graph, graph("Max", solved, 0.0), K)
