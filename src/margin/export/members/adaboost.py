"""AdaBoost: the values of the leaves, or the votes of the members, added up."""

from __future__ import annotations

import numpy as np

from margin.base.meta.members import Member
from margin.boosting.adaboost.classifier import AdaBoostClassifier
from margin.errors import ExportError
from margin.export.answer import Answer, answer
from margin.export.columns import RawRows
from margin.export.members.committees import said_vote, summed
from margin.export.members.forests import tree_ensemble
from margin.export.trees import cells_of

__all__: list[str] = []


@answer.register
def _(model: AdaBoostClassifier, rows: RawRows) -> Answer:
    graph, n_classes = rows.graph, len(model.classes_)
    if n_classes == 1:
        certain = graph.repeated(np.ones(1), rows.count())
        return Answer(graph.winner(certain), certain)
    votes = _of_trees(model, rows) if "trees_" in vars(model) else _of_members(model, rows)
    if n_classes == 2 and "trees_" in vars(model):
        votes = graph.side_by_side([graph("Neg", votes), votes])
    scale = 1.0 if n_classes == 2 else 1.0 / (n_classes - 1)
    return Answer(graph.winner(votes), graph.softmax(graph("Mul", votes, scale)))


def _of_trees(model: AdaBoostClassifier, rows: RawRows) -> str:
    graph, trees = rows.graph, model.trees_
    matrix = cells_of(rows, rows.mixed(model._encoder))
    named = graph.as_int(graph.ml("TreeEnsemble", matrix, **tree_ensemble(graph, trees)))
    said = graph("Gather", trees.values, named, axis=0)
    return str(graph("ReduceSum", said, np.array([1]), keepdims=0))


def _of_members(model: AdaBoostClassifier, rows: RawRows) -> str:
    """A vote of α for the answer of each member, and of two classes of -α for the other."""
    n_classes = len(model.classes_)
    if model._algorithm == "SAMME.R" or not all(isinstance(one, Member) for one in model.members_):
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
