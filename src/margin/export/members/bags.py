"""Bags: the mean or the votes of their members, each over the columns that it sees."""

from __future__ import annotations

from typing import Any

from margin.ensemble.bagging.bagging import BaggingClassifier, BaggingRegressor
from margin.ensemble.bagging.drawing import drawn_names
from margin.export.answer import Answer, answer
from margin.export.columns import RawRows
from margin.export.members.committees import said_share, said_value, said_vote, settled_votes, summed

__all__: list[str] = []


def _seen(model: Any, number: int, rows: RawRows) -> RawRows:
    """The rows as a member sees them."""
    drawn = vars(model).get("member_columns_")
    if drawn is None:
        return rows
    places = drawn[number]
    if rows.columns.schema is None:
        return rows.made(rows.graph.columns(rows.first, places), len(places))
    return rows.beside(rows.columns, drawn_names(rows.columns.schema.names, places))


@answer.register
def _(model: BaggingClassifier, rows: RawRows) -> Answer:
    graph, n, soft = rows.graph, len(model.classes_), model.voting_ == "soft"
    say = said_share if soft else said_vote
    parts = [say(each, _seen(model, i, rows), n, "BaggingClassifier") for i, each in enumerate(model.members_)]
    total = graph("Div", summed(rows, parts), float(len(parts)))
    return Answer(graph.winner(total), total) if soft else settled_votes(graph, total, model._prior)


@answer.register
def _(model: BaggingRegressor, rows: RawRows) -> Answer:
    graph = rows.graph
    parts = [said_value(each, _seen(model, i, rows), "BaggingRegressor") for i, each in enumerate(model.members_)]
    return Answer(value=graph.flat(graph("Div", summed(rows, parts), float(len(parts)))))
