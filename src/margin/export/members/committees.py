"""Committees: the mean or the votes of different members, or a final model over what they say."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base import Regressor
from margin.base.meta.members import Member
from margin.ensemble.committee.gated import GatedClassifier
from margin.ensemble.committee.stacking import StackingClassifier, StackingRegressor
from margin.ensemble.committee.voting import DIGITS, TIE, VotingClassifier, VotingRegressor
from margin.errors import ExportError
from margin.export.answer import Answer, answer
from margin.export.around import inner_answer
from margin.export.columns import RawRows
from margin.export.graph import Graph

__all__ = ["said_share", "said_value", "said_vote", "settled_votes", "summed"]


def _certain(member: Member, rows: RawRows, n_classes: int) -> str:
    """What a member says that knows one class."""
    row = np.zeros(n_classes)
    row[member.places] = 1.0
    return rows.graph.repeated(row, rows.count())


def _inner(member: Member, rows: RawRows, who: str) -> Answer:
    said = inner_answer(member.model, rows, who)
    if said.more_labels or said.abstained is not None:
        raise ExportError(f"to_onnx({who}): a member may decline to answer, which cannot be said in ONNX here.")
    return said


def said_share(member: Member, rows: RawRows, n_classes: int, who: str) -> str:
    """The probability of each class; 0 for those that the member does not know."""
    if member.model is None:
        return _certain(member, rows, n_classes)
    said = _inner(member, rows, who)
    assert said.probabilities is not None
    return rows.graph.widened(said.probabilities, member.places.astype(np.int64), n_classes, 0.0, rows.count())


def said_vote(member: Member, rows: RawRows, n_classes: int, who: str) -> str:
    """1 for the class that is answered."""
    if member.model is None:
        return _certain(member, rows, n_classes)
    graph, said = rows.graph, _inner(member, rows, who)
    assert said.winner is not None
    chosen = graph("Gather", member.places.astype(np.int64), said.winner)
    return graph.as_double(graph("Equal", graph.as_column(chosen), np.arange(n_classes).reshape(1, -1)))


def summed(rows: RawRows, parts: list[str]) -> str:
    total = parts[0]
    for more in parts[1:]:
        total = rows.graph("Add", total, more)
    return total


@answer.register
def _(model: VotingClassifier, rows: RawRows) -> Answer:
    graph, n, soft = rows.graph, len(model.classes_), model.voting_ == "soft"
    say = said_share if soft else said_vote
    counted = [(float(share), member) for share, member in zip(model.weights_, model.members_) if share > 0]
    parts = [graph("Mul", share, say(member, rows, n, "VotingClassifier")) for share, member in counted]
    total = summed(rows, parts)
    if soft:
        return Answer(graph.winner(total), total)
    return settled_votes(graph, total, model._prior)


def settled_votes(graph: Graph, votes: str, prior: np.ndarray) -> Answer:
    """Shares of the votes: equal ones go to the class with more weight in training."""
    unit = 10.0**DIGITS
    votes = graph("Div", graph("Round", graph("Mul", votes, unit)), unit)
    votes = graph("Add", votes, TIE * prior.reshape(1, -1))
    scores = graph("Sub", graph.columns(votes, [1]), graph.columns(votes, [0])) if len(prior) == 2 else votes
    return Answer(graph.winner(votes), scores=scores)


def _column(model: StackingClassifier, member: Member, method: str, rows: RawRows) -> str:
    """What a member says to the final model: of two classes one column, else one for each class."""
    graph, n, who = rows.graph, len(model.classes_), "StackingClassifier"
    if method == "decision_function" and member.model is not None:
        said = _inner(member, rows, who)
        if said.scores is None or len(member.places) < n:
            raise ExportError(f"to_onnx({who}): the scores of {type(member.model).__name__} cannot be said in ONNX.")
        return said.scores
    found = (said_vote if method == "predict" else said_share)(member, rows, n, who)
    return graph.columns(found, [1]) if n == 2 else found


@answer.register
def _(model: StackingClassifier, rows: RawRows) -> Answer:
    graph, n, final = rows.graph, len(model.classes_), model.final_
    said = graph.side_by_side(
        [_column(model, member, how, rows) for member, how in zip(model.members_, model.methods_)]
    )
    if final.model is None:
        certain = _certain(final, rows, n)
        return Answer(graph.winner(certain), certain)
    seen = _final_rows(model, final.model, rows, said)
    if hasattr(final.model, "predict_proba"):
        shares = said_share(final, seen, n, "StackingClassifier")
        return Answer(graph.winner(shares), shares)
    return Answer(graph.winner(said_vote(final, seen, n, "StackingClassifier")))


def _final_rows(model: Any, final: Any, rows: RawRows, said: str) -> RawRows:
    """The rows that the final model sees: what members say, behind the columns themselves if it sees them too."""
    if not model._passes_columns:
        return rows.made(said, len(model.column_names_))
    known = getattr(final, "_columns", None)
    if known is None or known.schema is None:
        both = rows.graph.side_by_side([rows.first, said])
        return rows.made(both, rows.columns.n + len(model.column_names_))
    names = known.schema.names[-len(model.column_names_) :]
    return rows.beside(known, {name: rows.graph.columns(said, [j]) for j, name in enumerate(names)})


@answer.register
def _(model: GatedClassifier, rows: RawRows) -> Answer:
    graph, n, who = rows.graph, len(model.classes_), "GatedClassifier"
    names, soft = model.names_, model._has_probabilities()
    if model.gate_ is None:
        asked, shares = [names.index(model.best_)], None
    else:
        said, asked = inner_answer(model.gate_, rows, who), [names.index(str(name)) for name in model.gate_.classes_]
        if model.mixes_:
            assert said.probabilities is not None
            shares = said.probabilities
        else:
            assert said.winner is not None
            chosen = graph("Equal", graph.as_column(said.winner), np.arange(len(asked)).reshape(1, -1))
            shares = graph.as_double(chosen)
    parts = []
    for place, m in enumerate(asked):
        member = model.members_[m]
        votes = member.model is not None and not hasattr(member.model, "predict_proba")
        part = (said_vote if votes else said_share)(member, rows, n, who)
        parts.append(part if shares is None else graph("Mul", graph.columns(shares, [place]), part))
    total = summed(rows, parts)
    if soft:
        return Answer(graph.winner(total), total)
    scores = graph("Sub", graph.columns(total, [1]), graph.columns(total, [0])) if n == 2 else total
    return Answer(graph.winner(total), scores=scores)


def said_value(model: Any, rows: RawRows, who: str) -> str:
    """What a regressor says, as a column."""
    if not isinstance(model, Regressor):
        raise ExportError(
            f"to_onnx({who}): the model inside, {type(model).__name__}, is none of margin's, and only those can be "
            "said in ONNX here (export it with the tools of its own package)."
        )
    said = answer(model, rows).value
    assert said is not None
    return rows.graph.as_column(said)


@answer.register(VotingRegressor)
@answer.register(StackingRegressor)
def _(model: Any, rows: RawRows) -> Answer:
    graph, who = rows.graph, type(model).__name__
    said = graph.side_by_side([said_value(member, rows, who) for member in model.members_])
    final = vars(model).get("final_")
    if final is None:
        return Answer(value=graph.flat(graph.times(said, model.weights_.reshape(-1, 1))))
    return Answer(value=graph.flat(said_value(final, _final_rows(model, final, rows, said), who)))
