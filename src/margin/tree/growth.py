"""How the trees of CART are grown from rows, counted anew and judged: for classes and for numbers.

A model says it once, with one of the two values here; growing, pruning and cross-validation call nothing of the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from margin import parallel
from margin.base.inputs.columns import Columns
from margin.errors import ParameterError
from margin.tree.criteria import criterion_of
from margin.tree.discretizer import interval_settings
from margin.tree.grow import grow, why_not_binned
from margin.tree.nodes import Tree
from margin.tree.pruning.choose import class_losses, value_losses
from margin.tree.pruning.pessimistic import pessimistic
from margin.tree.pruning.recount import recounted_classes, recounted_values
from margin.tree.pruning.subtrees import cut
from margin.tree.settings import signs_of, stated
from margin.tree.training_rows import Rows, in_cases

__all__ = ["ClassGrowth", "ValueGrowth", "weight_as_grown"]


@dataclass(frozen=True, eq=False)
class ClassGrowth:
    """Trees for classes, with the parameters of ``model``, which is read and never called.

    Rows of class k weigh ``factors[k]`` times as much (class weights), and while a tree is grown ``priors[k]`` times as
    much again, as ``costs`` of errors want it.
    """

    model: Any
    columns: Columns
    costs: np.ndarray | None
    factors: np.ndarray
    priors: np.ndarray

    def grown(self, rows: Rows) -> Tree:
        model, growing = self.model, self._as_grown(rows)
        settings, fewest = stated(model, self.columns.n, rows.weight, growing.weight)
        settings["gain_ratio"] = model.criterion == "gain_ratio"
        if model.max_p is not None:
            settings["largest_p"] = float(model.max_p)
        threads, static = parallel.n_threads(model.n_jobs), model.discretize == "static"
        settings |= interval_settings(growing, model.numeric, static, int(model.max_intervals), threads)
        tree = _grow(model, self.columns, growing, settings, threads, len(self.factors))
        tree = cut(tree, tree.weight < fewest)
        if model.prune == "pessimistic":
            tree = pessimistic(tree, growing, model.confidence, criterion=criterion_of(model.criterion).name)
        return self._with_true_weights(tree)

    def recounted(self, tree: Tree, rows: Rows) -> Tree:
        criterion = criterion_of(self.model.criterion).name
        return self._with_true_weights(recounted_classes(tree, self._as_grown(rows), criterion))

    def losses(self, tree: Tree, rows: Rows) -> np.ndarray:
        weighted = Rows(rows.X, rows.y, rows.weight * self.factors[rows.y])
        if self.costs is None:
            return class_losses(tree, weighted, 1 - np.eye(len(self.factors)), tree.value.argmax(axis=1))
        return class_losses(tree, weighted, self.costs, (tree.value @ self.costs).argmin(axis=1))

    def node_weight(self, tree: Tree) -> np.ndarray:
        return weight_as_grown(tree, self.costs, self.priors)

    def strata(self, y: np.ndarray) -> np.ndarray:
        return y

    def _as_grown(self, rows: Rows) -> Rows:
        """The rows with the weights that the tree is grown with."""
        model = self.model
        # Chance, description lengths and pessimism are about numbers of cases.
        counts = model.max_p is not None or model.numeric == "mdl" or model.prune == "pessimistic"
        weight = in_cases(rows.weight) if counts else rows.weight
        factors = self.factors * self.priors
        return rows if (factors == 1).all() and not counts else Rows(rows.X, rows.y, weight * factors[rows.y])

    def _with_true_weights(self, tree: Tree) -> Tree:
        """A tree grown with altered priors, its values and weights as the rows gave them."""
        if self.costs is None:
            return tree
        value = tree.value / self.priors
        return replace(tree, value=value, weight=np.where(tree.weight > 0, value.sum(axis=1), 0.0))


@dataclass(frozen=True, eq=False)
class ValueGrowth:
    """Trees for numbers, with the parameters of ``model``, which is read and never called."""

    model: Any
    columns: Columns

    def grown(self, rows: Rows) -> Tree:
        settings, fewest = stated(self.model, self.columns.n, rows.weight, rows.weight)
        tree = _grow(self.model, self.columns, rows, settings, parallel.n_threads(self.model.n_jobs))
        return cut(tree, tree.weight < fewest)

    def recounted(self, tree: Tree, rows: Rows) -> Tree:
        return recounted_values(tree, rows, criterion_of(self.model.criterion).medians)

    def losses(self, tree: Tree, rows: Rows) -> np.ndarray:
        return value_losses(tree, rows, criterion_of(self.model.criterion).medians)

    def node_weight(self, tree: Tree) -> np.ndarray:
        return tree.weight

    def strata(self, y: np.ndarray) -> np.ndarray:
        return np.zeros(len(y), dtype=np.int64)


def weight_as_grown(tree: Tree, costs: np.ndarray | None, priors: np.ndarray) -> np.ndarray:
    """The weight of each node as its impurity counts it: that of the priors which costs have altered."""
    return tree.weight if costs is None else np.where(tree.weight > 0, tree.value @ priors, 0.0)


def _grow(
    model: Any, columns: Columns, rows: Rows, settings: Mapping[str, Any], threads: int, n_classes: int = 0
) -> Tree:
    """Refuses bins where the tree is to be grown in a way that only sorted columns allow."""
    who, criterion, bins = type(model).__name__, criterion_of(model.criterion).name, model.max_bins
    monotone = signs_of(model.monotonic_cst, columns, who)
    problem = "" if bins is None else why_not_binned(criterion, settings, bool(rows.X.codes))
    if problem:
        raise ParameterError(f"{who}(max_bins={bins}): must be None, since {problem}.")
    bins = None if bins is None else int(bins)
    return grow(*rows, criterion, settings, n_classes=n_classes, monotone=monotone, bins=bins, n_threads=threads)
