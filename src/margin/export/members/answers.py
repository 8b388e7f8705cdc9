"""Models made of members: each class against the rest, pairs of classes, code words, a chain of one link."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.meta.members import Kind, Member
from margin.errors import ExportError
from margin.export.answer import Answer, answer
from margin.export.around import inner_answer
from margin.export.columns import RawRows
from margin.export.graph import Graph
from margin.export.members.pairs import coupled, votes_of_pairs
from margin.multiclass import ClassifierChain, ErrorCorrectingCodes, OneVsOne, OneVsRest
from margin.multiclass.error_correcting_codes import LARGEST

__all__: list[str] = []


def _yes(member: Member, rows: RawRows, kind: Kind, who: str) -> str:
    """Of codes 0 and 1, as a matrix of one column: the probability of 1, or a score above 0 where it is the answer."""
    graph = rows.graph
    if member.model is None:
        side = float(member.places[0])
        constant = side if kind == "probability" else np.inf if side else -np.inf
        return graph.repeated(np.array([constant]), rows.count())
    said = inner_answer(member.model, rows, who)
    if kind == "probability":
        assert said.probabilities is not None
        return graph.columns(said.probabilities, [1])
    if said.scores is None:
        raise ExportError(f"to_onnx({who}): the scores of {type(member.model).__name__} cannot be said in ONNX.")
    return said.scores


@answer.register
def _(model: OneVsRest, rows: RawRows) -> Answer:
    graph, n, kind = rows.graph, len(model.classes_), model._kind()
    if n == 1:
        certain = graph.repeated(np.ones(1), rows.count())
        return Answer(graph.winner(certain), certain)
    said = [_yes(member, rows, kind, "OneVsRest") for member in model.members_[0]]
    if n == 2:
        if kind == "probability":
            shares = graph.side_by_side([graph("Sub", 1.0, said[0]), said[0]])
            return Answer(graph.winner(shares), shares)
        return Answer(graph.flat(graph.as_int(graph("Greater", said[0], 0.0))), scores=said[0])
    limits = [None if each.model is not None else np.inf if each.places[0] else -np.inf for each in model.members_[0]]
    columns = [
        column if limit is None else graph.repeated(np.array([limit]), rows.count())
        for column, limit in zip(said, limits)
    ]
    scores = graph.side_by_side(columns)
    if kind == "decision":
        return Answer(graph.winner(scores), scores=scores)
    shares = graph("Clip", scores, 0.0, 1.0)
    total = graph.sums(shares)
    there = np.array([limit is None for limit in limits], dtype=np.float64)
    equal = graph.repeated(there / max(there.sum(), 1.0), rows.count())
    return Answer(
        graph.winner(scores), graph("Where", graph("Greater", total, 0.0), graph("Div", shares, total), equal)
    )


@answer.register
def _(model: OneVsOne, rows: RawRows) -> Answer:
    graph, n, kind, there = rows.graph, len(model.classes_), model._kind(), model._there
    if len(there) == 1:
        alone = np.full(n, -np.inf)
        alone[there] = 0.0
        votes = graph.repeated(alone, rows.count())
        certain = graph.repeated((alone == 0).astype(np.float64), rows.count())
        return Answer(graph.winner(votes), certain if kind == "probability" else None, _scores(graph, votes, n))
    said = graph.side_by_side([_yes(member, rows, kind, "OneVsOne") for member in model.members_])
    decisions = graph("Sub", graph("Mul", said, 2.0), 1.0) if kind == "probability" else said
    votes = graph.widened(votes_of_pairs(graph, decisions, len(there)), there, n, -np.inf, rows.count())
    shares = None
    if kind == "probability":
        shares = graph.widened(coupled(graph, said, len(there)), there, n, 0.0, rows.count())
    by = shares if model.decide == "probabilities" and shares is not None else votes
    return Answer(graph.winner(by), shares, _scores(graph, votes, n))


def _scores(graph: Graph, by_class: str, n_classes: int) -> str:
    """What ``decision_function`` gives: a column for each class, or of two classes half their difference."""
    if n_classes != 2:
        return by_class
    return graph("Div", graph("Sub", graph.columns(by_class, [1]), graph.columns(by_class, [0])), 2.0)


@answer.register
def _(model: ErrorCorrectingCodes, rows: RawRows) -> Answer:
    graph, n, there = rows.graph, len(model.classes_), model._there
    if model._kind() == "probability":
        raise ExportError(
            "to_onnx(ErrorCorrectingCodes): its probabilities are found by steps of which there is no number known "
            "beforehand (members without probabilities, such as LinearSVC, can be exported, and so can OneVsOne)."
        )
    words = model.code_[there].astype(np.float64)
    if len(model.members_):
        said = graph.side_by_side([_yes(member, rows, "decision", "ErrorCorrectingCodes") for member in model.members_])
        by_class = graph("Neg", _distance(model, graph, said, words))
    else:
        by_class = graph.repeated(np.zeros(len(there)), rows.count())
    scores = graph.widened(by_class, there, n, -np.inf, rows.count())
    if n != 2:
        return Answer(graph.winner(scores), scores=scores)
    second = graph("Sub", graph.columns(scores, [1]), graph.columns(scores, [0]))
    return Answer(graph.winner(scores), scores=second)


def _distance(model: ErrorCorrectingCodes, graph: Graph, said: str, words: np.ndarray) -> str:
    """The hinge loss of the members' scores for each word, or the number of wrong bits and a little of that loss."""
    yes, no = (words.T > 0).astype(np.float64), (words.T < 0).astype(np.float64)
    limited = graph("Clip", said, -LARGEST, LARGEST)
    if_yes, if_no = (graph("Max", graph(sign, 1.0, limited), 0.0) for sign in ("Sub", "Add"))
    loss = graph("Add", graph.times(if_yes, yes), graph.times(if_no, no))
    if model.decoding == "loss":
        return loss
    bits = graph("Sub", graph("Mul", graph.as_double(graph("Greater", said, 0.0)), 2.0), 1.0)
    wrong = graph("Div", graph("Sub", float(words.shape[1]), graph.times(bits, words.T)), 2.0)
    least = graph("ReduceMin", loss, np.array([1]), keepdims=1)
    beyond = graph("Sub", loss, least)
    return graph("Add", wrong, graph("Div", beyond, graph("Mul", graph("Add", beyond, 1.0), 3.0)))


@answer.register
def _(model: ClassifierChain, rows: RawRows) -> Answer:
    """A chain of one link is its member; of several targets nothing is exported."""
    graph, n = rows.graph, len(model.classes_)
    members: list[Any] = [chain.members[0] for chain in model.chains_]
    if any(member.model is None for member in members):
        certain = np.zeros(n)
        certain[members[0].places] = 1.0
        shares = graph.repeated(certain, rows.count())
        return Answer(graph.winner(shares), shares)
    said = [inner_answer(member.model, rows, "ClassifierChain") for member in members]
    places = members[0].places.astype(np.int64)
    if len(said) == 1:
        winner, only = said[0].winner, said[0]
        assert winner is not None
        shares_one = only.probabilities
        if shares_one is not None:
            shares_one = graph.widened(shares_one, places, n, 0.0, rows.count())
            return Answer(graph.winner(shares_one), shares_one)
        return Answer(graph("Gather", places, winner), scores=only.scores if len(places) == n else None)
    if any(each.probabilities is None for each in said):
        raise ExportError("to_onnx(ClassifierChain): chains of members without probabilities vote; export one chain.")
    total = str(said[0].probabilities)
    for more in said[1:]:
        total = graph("Add", total, str(more.probabilities))
    mean = graph.widened(graph("Div", total, float(len(said))), places, n, 0.0, rows.count())
    return Answer(graph.winner(mean), mean)
