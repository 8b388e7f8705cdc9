"""Boosted trees: one ``TreeEnsemble`` with a target for each tree, and the sums of those of each score."""

from __future__ import annotations

import numpy as np

from margin.boosting.gradient.boosting_model import BoostingModel
from margin.boosting.gradient.gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor
from margin.errors import ExportError
from margin.export.answer import Answer, answer
from margin.export.columns import RawRows
from margin.export.members.forests import tree_ensemble
from margin.export.trees import cells_of

__all__: list[str] = []


@answer.register
def _(model: GradientBoostingClassifier, rows: RawRows) -> Answer:
    graph = rows.graph
    raw = _raw(model, rows)
    n_classes = len(model.classes_)
    if n_classes != 2:
        return Answer(graph.winner(raw), graph.softmax(raw), raw)
    factor = 1.0 if model.loss == "exponential" else 0.5
    scores = graph.times(raw, np.array([[-factor, factor]]))
    return Answer(graph.winner(scores), graph.softmax(scores), raw)


@answer.register
def _(model: GradientBoostingRegressor, rows: RawRows) -> Answer:
    value = rows.graph.flat(_raw(model, rows))
    return Answer(value=rows.graph("Exp", value) if model.loss == "poisson" else value)


def _raw(model: BoostingModel, rows: RawRows) -> str:
    """What the trees add up to: rows x scores."""
    graph, trees = rows.graph, model.trees_
    if trees.is_linear:
        raise ExportError(f"to_onnx({type(model).__name__}): ONNX has no trees with linear leaves.")
    matrix = cells_of(rows, rows.mixed(model._encoder))
    said = graph.ml("TreeEnsemble", matrix, **tree_ensemble(graph, trees))
    n_scores = len(trees.base)
    summed = graph.times(said, np.tile(np.eye(n_scores), (trees.n_rounds, 1)))
    return str(graph("Add", summed, trees.base[None, :]))
