"""Boosted models whose weak classifiers vote with weights."""

from __future__ import annotations

import numpy as np

from margin.boosting.margins.brownboost import BrownBoostClassifier
from margin.boosting.margins.voting_members import VotingMembers
from margin.boosting.margins.voting_trees import VotingTrees
from margin.boosting.margins.weighted_votes import TIE, WeightedVotes
from margin.boosting.rusboost import RUSBoostClassifier
from margin.export.answer import Answer, answer
from margin.export.columns import RawRows
from margin.export.members.adaboost import sum_of_trees
from margin.export.members.committees import said_vote, summed

__all__: list[str] = []


def _total(each: VotingMembers, rows: RawRows, who: str) -> str:
    """The sum of the weighted votes, 1 or -1 each, as a matrix of one column."""
    graph, parts = rows.graph, [rows.graph.repeated(np.zeros(1), rows.count())]
    for member, weight in zip(each.members, each.weights.tolist(), strict=True):
        if weight:
            yes = graph.columns(said_vote(member, rows, 2, who), [1])
            parts.append(graph("Mul", weight, graph("Sub", graph("Mul", yes, 2.0), 1.0)))
    return summed(rows, parts)


@answer.register
def _(model: WeightedVotes, rows: RawRows) -> Answer:
    graph, who = rows.graph, type(model).__name__
    if not model.ensembles_:
        certain = graph.repeated(np.ones(1), rows.count())
        return Answer(graph.winner(certain), scores=certain)
    totals = [
        sum_of_trees(each.weighted, rows, model._encoder) if isinstance(each, VotingTrees) else _total(each, rows, who)
        for each in model.ensembles_
    ]
    if isinstance(model, BrownBoostClassifier):
        totals = [graph("Div", each, float(np.sqrt(model.c_))) for each in totals]
    by_class = graph.side_by_side([graph("Neg", totals[0]), totals[0]] if len(totals) == 1 else totals)
    scores = graph("Add", by_class, TIE * model._prior.reshape(1, -1))
    if len(totals) > 1:
        return Answer(graph.winner(scores), scores=scores)
    lead = graph("Div", graph("Sub", graph.columns(scores, [1]), graph.columns(scores, [0])), 2.0)
    return Answer(graph.winner(scores), scores=lead)


@answer.register
def _(model: RUSBoostClassifier, rows: RawRows) -> Answer:
    graph, n = rows.graph, len(model.classes_)
    if not model.members_:
        shares = graph.repeated(model._prior, rows.count())
        return Answer(graph.winner(shares), shares)
    parts = []
    for member, alpha in zip(model.members_, model.weights_.tolist(), strict=True):
        vote = said_vote(member, rows, n, "RUSBoostClassifier")
        # 1 for the class that is answered, -1/(n-1) for the others.
        parts.append(graph("Mul", alpha, graph("Div", graph("Sub", graph("Mul", vote, float(n)), 1.0), float(n - 1))))
    scores = summed(rows, parts)
    return Answer(graph.winner(scores), graph.softmax(scores))
