"""Estimators that turn tables into matrices: the encoding alone."""

from __future__ import annotations

import numpy as np

from margin.base import TableEncoder
from margin.export.answer import Answer, answer
from margin.export.columns import RawRows
from margin.tree.discretizer import Discretizer

__all__: list[str] = []


@answer.register
def _(model: TableEncoder, rows: RawRows) -> Answer:
    return Answer(matrix=rows.matrix(model._encoder), n_columns=len(model._encoder.names_out()))


@answer.register
def _(model: Discretizer, rows: RawRows) -> Answer:
    graph, mixed = rows.graph, rows.mixed(model._encoder)
    codes, found, at = iter(mixed.codes), [], 0
    for column, cuts in zip(model._columns.described(), model.cuts_, strict=True):
        if not column.is_numeric:
            found.append(next(codes))
            continue
        assert mixed.numeric is not None
        cells, at = graph.columns(mixed.numeric, [at]), at + 1
        above = graph.as_int(graph("Greater", cells, np.append(cuts, np.inf).reshape(1, -1)))
        interval = graph("ReduceSum", above, np.array([1]), keepdims=1)
        found.append(graph("Where", graph("IsNaN", cells), -1, interval))
    return Answer(codes=graph.side_by_side(found), n_columns=len(found))
