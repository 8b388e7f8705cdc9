"""How networks explain one answer: what each column adds on the way from an average case to this one."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from margin.deep.backpropagation import layers_of
from margin.deep.mlp.classifier import MLPClassifier
from margin.deep.mlp.fitted import FittedNetwork
from margin.deep.mlp.regressor import MLPRegressor
from margin.explain.explanation import Explanation, Reason
from margin.explain.generative import by_column
from margin.explain.linear import average_in_words, middle, strongest
from margin.explain.models import answer_of, explain, factor_in_words, of_one_class
from margin.typing import TableLike

__all__ = ["integrated_gradients"]

#: Places between the average case and the row at which slopes are taken, those of Gauss's rule.
PLACES = 256


def integrated_gradients(model: FittedNetwork, row: np.ndarray, basis: np.ndarray, side: np.ndarray) -> np.ndarray:
    """What each column of the matrix adds to ``side`` @ outputs between a basis and a row.

    The slope along each column, averaged over the straight way between the two, times how far they are apart. They add
    up to the difference of the outputs. Sundararajan, Taly, Yan (2017).
    """
    nodes, weights = np.polynomial.legendre.leggauss(PLACES)
    way = basis + (0.5 * (nodes + 1.0))[:, None] * (row - basis)
    slopes = layers_of(model).input_gradient(way, np.tile(side, (PLACES, 1)))
    return np.asarray((0.5 * weights) @ slopes * (row - basis))


def _pulls(model: Any, X: TableLike, side: np.ndarray) -> tuple[list[tuple[str, float]], float]:
    """What each column of the table adds, and what the average case has."""
    row, basis = model._first_inputs(X, "explain")[0], _average_inputs(model)
    added = integrated_gradients(model, row, basis, side)
    begin = float(layers_of(model).forward(basis[None])[0] @ side)
    return by_column(model._columns, _by_name(model, added), X, model), begin


def _average_inputs(model: Any) -> np.ndarray:
    """The average case as the first layer sees it: of vectors, the mean over the levels of a column."""
    basis, tables = middle(model), model.embeddings_.values()
    if not tables:
        return basis
    return np.concatenate([basis[: len(model._encoder.fill)], *(table[1:].mean(axis=0) for table in tables)])


def _by_name(model: Any, added: np.ndarray) -> dict[str, float]:
    """What the inputs add, by the names of the matrix; what a vector adds goes to the first level of its column."""
    if not model.embeddings_:
        return dict(zip(model._encoder.names_out(), added))
    found: dict[str, float] = defaultdict(float, zip(model._encoder.numbered, added))
    first = len(model._encoder.fill)
    for column, table in zip(model._encoder.one_hot, model.embeddings_.values()):
        found[f"{column.name}={column.levels[0]}"] = float(added[first : first + table.shape[1]].sum())
        first += table.shape[1]
    return found


@explain.register
def _(model: MLPClassifier, X: TableLike) -> Explanation:
    answer, probabilities = answer_of(model, X)
    if len(model.classes_) == 1:
        return of_one_class(model, X)
    ranked = np.argsort([-share for share in probabilities.values()], kind="stable")
    first, second = int(ranked[0]), int(ranked[1])
    side = np.array([1.0 if first == 1 else -1.0]) if model.n_outputs_ == 1 else np.zeros(model.n_outputs_)
    if model.n_outputs_ > 1:
        side[first], side[second] = 1.0, -1.0
    pulls, begin = _pulls(model, X, side)
    loser = str(model.classes_[second])
    reasons = [Reason(what, factor_in_words(pull, loser), pull) for what, pull in strongest(pulls)]
    reasons.append(Reason("the average case itself", factor_in_words(begin, loser), begin))
    how = (
        f"Each line multiplies the odds of {model.classes_[first]} against {loser} on the straight way from "
        f"{average_in_words(model)} (integrated gradients)."
    )
    return Explanation(type(model).__name__, answer, probabilities, how, tuple(reasons))


@explain.register
def _(model: MLPRegressor, X: TableLike) -> Explanation:
    answer = model.predict(X)[0]
    side = np.zeros(model.n_outputs_)
    side[0] = float(model._target_spread[0])
    pulls, begin = _pulls(model, X, side)
    begin += float(model._target_center[0])
    reasons = [Reason(what, f"{pull:+.3g}", pull) for what, pull in strongest(pulls)]
    reasons.append(Reason("the average case itself", f"{begin:.3g}", begin))
    which = " of the first output" if model.n_outputs_ > 1 else ""
    how = f"Each line adds to the answer{which} on the straight way from {average_in_words(model)}."
    return Explanation(type(model).__name__, answer, {}, how, tuple(reasons))
