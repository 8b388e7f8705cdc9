"""Additive models: the trees of each score added up, and the probabilities that follow from the scores."""

from __future__ import annotations

import numpy as np

from margin.boosting.additive.additive_classifier import AdditiveClassifier
from margin.boosting.additive.logit import LogitBoostClassifier
from margin.export.answer import Answer, answer
from margin.export.columns import RawRows
from margin.export.members.forests import tree_ensemble
from margin.export.trees import cells_of

__all__: list[str] = []


@answer.register
def _(model: AdditiveClassifier, rows: RawRows) -> Answer:
    graph = rows.graph
    if not model.trees_:
        certain = graph.repeated(np.ones(1), rows.count())
        return Answer(graph.winner(certain), certain)
    matrix = cells_of(rows, rows.mixed(model._encoder))
    sums = [
        graph("ReduceSum", graph.ml("TreeEnsemble", matrix, **tree_ensemble(graph, trees)), np.array([1]), keepdims=1)
        for trees in model.trees_
    ]
    if len(sums) == 1:
        scores = graph.side_by_side([graph("Neg", sums[0]), sums[0]])
        return Answer(graph.winner(scores), graph.softmax(scores))
    scores = graph.side_by_side(sums)
    if isinstance(model, LogitBoostClassifier):
        scores = graph("Sub", scores, graph("ReduceMean", scores, np.array([1]), keepdims=1))
        return Answer(graph.winner(scores), graph.softmax(scores))
    # The probability of each class against the rest, as shares of their sum.
    alone = graph("Div", 1.0, graph("Add", 1.0, graph("Exp", graph("Mul", scores, -2.0))))
    return Answer(graph.winner(scores), graph.as_shares(alone))
