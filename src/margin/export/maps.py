"""Calibration maps: scores to probabilities."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from margin.base.meta.calibration_maps import Isotonic, Sigmoid, Temperature
from margin.errors import ExportError
from margin.export.graph import Graph
from margin.export.linear import sigmoids

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
