"""Distances of rows from the rows that a model keeps, added up in the order in which the core adds them.

Column j belongs to running sum j mod 8, and the sums are joined by halves (``native/include/margin/neighbors``): equal
distances are then equal in the graph as well, and ties go the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from margin.errors import ExportError
from margin.export.columns import RawRows
from margin.export.graph import Graph
from margin.export.matching import check_size
from margin.neighbors.distances import GIVEN
from margin.neighbors.indexes.sparse import SparseRows
from margin.neighbors.search import NeighborSearch

__all__ = ["compared_and_finished"]

N_SUMS = 8
#: The metrics that ``_joined`` and ``_finished`` write down.
EXPORTED = ("euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "canberra", "hamming")

Term = Callable[[str, np.ndarray], str]


def compared_and_finished(model: NeighborSearch, rows: RawRows) -> tuple[str, str]:
    """What rows are ordered by, and their distances: rows × kept rows, by place."""
    who, metric = type(model).__name__, model._metric
    if callable(metric):
        raise ExportError(
            f"to_onnx({who}(metric=<function>)): the metric is a function in Python, which no graph can call "
            "(take one of the metrics that have names)."
        )
    if metric == GIVEN:
        raise ExportError(
            f"to_onnx({who}(metric={GIVEN!r})): the model knows distances and not the rows behind them "
            "(fit it on rows)."
        )
    if metric not in EXPORTED:
        raise ExportError(
            f"to_onnx({who}(metric={metric!r})): there is no graph for this metric (take 'euclidean' with a scale, "
            "which compares words as 0 and 1)."
        )
    graph = rows.graph
    found: Any = model._index.rows()
    kept = np.asarray(found.toarray() if hasattr(found, "toarray") else found, dtype=np.float64)
    check_size(kept.shape, who)
    queries = _in_space(graph, rows, model)
    if metric == "cosine" and isinstance(model._index, SparseRows):
        queries, kept = _of_length_one(graph, queries, model._columns.n), _constants_of_length_one(kept)
    compared = _joined(graph, queries, kept, metric, float(model.p))
    return compared, _finished(graph, model, compared, kept.shape[1])


def _in_space(graph: Graph, rows: RawRows, model: NeighborSearch) -> str:
    """Rows as the index compares them (``Space`` in ``margin.neighbors.indexes.row_transform``)."""
    space, encoder = model._space, model._encoder
    width = len(encoder.names_out())
    if width == 0:
        return graph.repeated(np.zeros(1), rows.count())
    matrix = rows.matrix(encoder)
    if space.directions:
        matrix = graph.columns(_of_length_one(graph, matrix, width), list(range(width)))
    if space.factors is not None:
        matrix = graph("Mul", matrix, space.factors)
    if space.unit != 1:
        matrix = graph("Div", matrix, float(space.unit))
    return _of_length_one(graph, matrix, width) if space.cosine else matrix


def _of_length_one(graph: Graph, matrix: str, width: int) -> str:
    """Rows of length 1; a row of zeros gets a direction of its own, one more column."""
    largest = graph.largest(graph("Abs", matrix))
    # Squares of very small and very large cells would not fit; any unit near the largest cell will do.
    some = graph("Greater", largest, 0.0)
    unit = graph("Where", some, graph("Pow", 2.0, graph("Ceil", _log2(graph, largest))), 1.0)
    scaled = graph("Div", matrix, unit)
    squares = _halves(graph, _lanes(graph, width, lambda j: _square(graph, graph.columns(scaled, [j]))), "Add")
    length = graph("Sqrt", squares)
    there = graph("Greater", length, 0.0)
    unit_rows = graph("Div", scaled, graph("Where", there, length, 1.0))
    return graph.side_by_side([unit_rows, graph.as_double(graph("Not", there))])


def _log2(graph: Graph, value: str) -> str:
    safe = graph("Where", graph("Greater", value, 0.0), value, 1.0)
    return graph("Div", graph("Log", safe), float(np.log(2.0)))


def _constants_of_length_one(kept: np.ndarray) -> np.ndarray:
    from margin.neighbors.indexes.row_transform import Space

    return Space(cosine=True).queries(kept)


def _square(graph: Graph, value: str) -> str:
    return graph("Mul", value, value)


def _lanes(graph: Graph, n_columns: int, term: Callable[[int], str], join: str = "Add") -> list[str]:
    """The running sums, as many as there are columns for."""
    sums = []
    for lane in range(min(N_SUMS, n_columns)):
        total = term(lane)
        for j in range(lane + N_SUMS, n_columns, N_SUMS):
            total = graph(join, total, term(j))
        sums.append(total)
    return sums


def _halves(graph: Graph, sums: list[str], join: str) -> str:
    """The running sums joined: 0 with 4, 1 with 5 …, then 0 with 2 …; one without columns joins without a trace."""
    half = N_SUMS // 2
    while half:
        sums = [
            graph(join, sums[i], sums[i + half]) if i + half < len(sums) else sums[i]
            for i in range(min(half, len(sums)))
        ]
        half //= 2
    return sums[0]


def _joined(graph: Graph, queries: str, kept: np.ndarray, metric: object, p: float) -> str:
    def difference(j: int) -> tuple[str, np.ndarray, str]:
        cell, row = graph.columns(queries, [j]), kept[:, j].reshape(1, -1)
        return cell, row, graph("Sub", cell, row)

    def term(j: int) -> str:
        cell, row, away = difference(j)
        if metric in ("euclidean", "cosine"):
            return _square(graph, away)
        if metric == "hamming":
            return graph.as_double(graph("Not", graph("Equal", cell, row)))
        if metric == "canberra":
            size = graph("Add", graph("Abs", cell), np.abs(row))
            return graph("Div", graph("Abs", away), graph("Where", graph("Greater", size, 0.0), size, 1.0))
        size = graph("Abs", away)
        return graph("Pow", size, p) if metric == "minkowski" else size

    join = "Max" if metric == "chebyshev" else "Add"
    return _halves(graph, _lanes(graph, kept.shape[1], term, join), join)


def _finished(graph: Graph, model: NeighborSearch, compared: str, n_columns: int) -> str:
    metric, space = model._metric, model._space
    if metric == "cosine" and not space.cosine:  # sparse rows
        return graph("Div", compared, 2.0)
    if metric == "cosine":
        root = graph("Sqrt", compared)
        return graph("Div", _square(graph, root), 2.0)
    if metric == "euclidean":
        compared = graph("Sqrt", compared)
    elif metric == "minkowski":
        compared = graph("Pow", compared, 1 / float(model.p))
    elif metric == "hamming":
        compared = graph("Div", compared, float(n_columns))
    return compared if space.unit == 1 else graph("Mul", compared, float(space.unit))
