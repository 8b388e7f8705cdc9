"""Estimators that turn tables into matrices: the encoding alone."""

from __future__ import annotations

import numpy as np

from margin.base import TableEncoder
from margin.errors import ExportError, listing
from margin.export.answer import Answer, answer
from margin.export.columns import RawRows
from margin.features import PolynomialFeatures
from margin.tree.discretizer import Discretizer

__all__: list[str] = []


@answer.register
def _(model: TableEncoder, rows: RawRows) -> Answer:
    return Answer(matrix=rows.matrix(model._encoder), n_columns=len(model._encoder.names_out()))


@answer.register
def _(model: PolynomialFeatures, rows: RawRows) -> Answer:
    described = model._columns.described()
    words = [column.name for column in described if not column.is_numeric]
    if words and model.nominal != "drop":
        raise ExportError(
            f"to_onnx({type(model).__name__}): column {listing(words)} is handed on as words beside numbers, and one "
            "matrix cannot hold both (nominal='drop', or TableEncoder first)."
        )
    graph, numbers = rows.graph, rows.mixed(model._encoder).numeric
    terms = model._terms(sum(column.is_numeric for column in described))
    if numbers is None:
        raise ExportError(f"to_onnx({type(model).__name__}): there are no columns of numbers.")
    found = [numbers]
    for term in terms:
        product = graph.columns(numbers, [term[0]])
        for factor in term[1:]:
            product = graph("Mul", product, graph.columns(numbers, [factor]))
        found.append(product)
    return Answer(matrix=graph.side_by_side(found), n_columns=len(described) - len(words) + len(terms))


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
