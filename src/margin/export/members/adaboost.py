"""AdaBoost: the values of the leaves, or the votes of the members, added up."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.meta.members import Member
from margin.boosting.adaboost.classifier import AdaBoostClassifier
from margin.boosting.adaboost.label_boosting import AdaBoostMHClassifier
from margin.boosting.adaboost.regressor import AdaBoostRegressor
from margin.boosting.tree_sum import TreeSum
from margin.errors import ExportError
from margin.export.answer import Answer, answer
from margin.export.columns import RawRows
from margin.export.members.committees import said_value, said_vote, summed
from margin.export.members.forests import tree_ensemble
from margin.export.trees import cells_of

__all__ = ["sum_of_trees"]


@answer.register
def _(model: AdaBoostClassifier, rows: RawRows) -> Answer:
    graph, n_classes = rows.graph, len(model.classes_)
    if n_classes == 1:
        certain = graph.repeated(np.ones(1), rows.count())
        return Answer(graph.winner(certain), certain)
    votes = sum_of_trees(model.trees_, rows, model._encoder) if "trees_" in vars(model) else _of_members(model, rows)
    if n_classes == 2 and "trees_" in vars(model):
        votes = graph.side_by_side([graph("Neg", votes), votes])
    return Answer(graph.winner(votes), graph.softmax(graph("Mul", votes, 1.0 / model._unit())))


@answer.register
def _(model: AdaBoostMHClassifier, rows: RawRows) -> Answer:
    graph, n_classes = rows.graph, len(model.classes_)
    if n_classes == 1:
        certain = graph.repeated(np.ones(1), rows.count())
        return Answer(graph.winner(certain), certain)
    votes = sum_of_trees(model.trees_, rows, model._encoder)
    if n_classes == 2:
        votes = graph.side_by_side([graph("Neg", votes), votes])
        return Answer(graph.winner(votes), graph.softmax(votes))
    # The probability of each class against the rest, as shares of their sum.
    alone = graph("Div", 1.0, graph("Add", 1.0, graph("Exp", graph("Mul", votes, -2.0))))
    return Answer(graph.winner(votes), graph.as_shares(alone))


@answer.register
def _(model: AdaBoostRegressor, rows: RawRows) -> Answer:
    """The weighted median: answers in ascending order, and the first that has half of the weight with those below."""
    graph, alpha = rows.graph, model._record[:, 2]
    if "trees_" in vars(model):
        matrix = cells_of(rows, rows.mixed(model._encoder))
        said = graph.ml("TreeEnsemble", matrix, **tree_ensemble(graph, model.trees_))
    else:
        said = graph.side_by_side([said_value(each, rows, "AdaBoostRegressor") for each in model.members_])
    ascending, place = graph.several("TopK", 2, said, np.array([len(alpha)]), axis=1, largest=0, sorted=1)
    below = graph("CumSum", graph("Gather", alpha, place), 1)
    is_half = graph.as_int(graph("GreaterOrEqual", below, float(alpha.sum() / 2 * (1 - 1e-12))))
    first = graph("ArgMax", is_half, axis=1, keepdims=1)
    return Answer(value=graph.flat(graph("GatherElements", ascending, first, axis=1)))


def sum_of_trees(trees: TreeSum, rows: RawRows, encoder: Any) -> str:
    """The values of the leaves of all trees, added up."""
    graph = rows.graph
    named = graph.as_int(graph.ml("TreeEnsemble", cells_of(rows, rows.mixed(encoder)), **tree_ensemble(graph, trees)))
    said = graph("Gather", trees.values, named, axis=0)
    return str(graph("ReduceSum", said, np.array([1]), keepdims=0))


def _of_members(model: AdaBoostClassifier, rows: RawRows) -> str:
    """A vote of α for the answer of each member, and of two classes of -α for the other."""
    n_classes = len(model.classes_)
    if model._algorithm in ("SAMME.R", "M2") or not all(isinstance(one, Member) for one in model.members_):
        raise ExportError(
            "to_onnx(AdaBoostClassifier): rules, and members that vote with their probabilities, are not written to "
            "ONNX (algorithm='SAMME' counts answers)."
        )
    parts = []
    for one, alpha in zip(model.members_, model._rounds.column("alpha").tolist(), strict=True):
        vote = said_vote(one, rows, n_classes, "AdaBoostClassifier")
        if n_classes == 2:
            vote = rows.graph("Sub", rows.graph("Mul", vote, 2.0), 1.0)
        parts.append(rows.graph("Mul", vote, alpha))
    return str(summed(rows, parts))
