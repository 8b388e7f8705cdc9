"""What trees with scikit-learn's parameters share: how they are grown from rows, counted anew, judged and pruned.

A model says once how, with one of the two values at the end; growing, pruning and cross-validation call nothing of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from margin import parallel
from margin.base.inputs.columns import Columns
from margin.base.meta.keeping_groups import KeepsGroups
from margin.base.parameter_path import PathFunction
from margin.base.representations.mixed import MixedData
from margin.base.representations.representation import TrainingRows
from margin.base.sklearn_classes import clone
from margin.errors import ParameterError
from margin.tree.criteria import criterion_of
from margin.tree.discretizer import interval_settings
from margin.tree.grow import grow, why_not_binned
from margin.tree.nodes import Tree
from margin.tree.pruning.choose import Growth, best_alpha, class_losses, pruned_on_held_out, risk, value_losses
from margin.tree.pruning.cost_complexity import pruned_at, weakest_links
from margin.tree.pruning.pessimistic import pessimistic
from margin.tree.pruning.recount import recounted_classes, recounted_values
from margin.tree.pruning.reduced_error import reduced_error
from margin.tree.pruning.subtrees import cut
from margin.tree.settings import features_of, signs_of, stated
from margin.tree.training_rows import Rows, in_cases, without_excess
from margin.tree.tree_model import TreeModel
from margin.typing import Encoded, LabelsLike, TableLike, WeightsLike

__all__ = ["CartTree", "ClassGrowth", "ValueGrowth", "weight_as_grown"]


class CartTree(KeepsGroups, TreeModel):
    """A tree with scikit-learn's parameters and ours.

    Parameters
    ----------
    min_samples_split
        Cases a node must have to be split; a share is one of all cases.
    min_samples_leaf
        Cases that each branch must have; a share is one of all cases.
    min_weight_fraction_leaf
        Share of all weight that each branch must have.
    max_features
        Columns that a node looks at, drawn anew in each: a count, a share, ``"sqrt"``, ``"log2"``; None for all.
    random_state
        Decides which columns are drawn, and which rows are kept for pruning.
    max_leaf_nodes
        Most leaves. The tree is then grown best split first: where a split lowers the impurity, times the weight of its
        node, most in the whole tree, it is made next.
    min_impurity_decrease
        A split must lower the impurity by this much, counted by the node's share of all weight.
    splitter
        ``"best"`` asks the best question of all columns looked at; ``"random"`` draws one for each of them, a threshold
        between the smallest and the largest number of the node or a side for each of its levels, and asks the best of
        those (Geurts, Ernst, Wehenkel 2006). ``random_state`` decides which.
    min_impurity_split
        A node of at most this impurity is a leaf; None splits all that can be split.
    ccp_alpha
        Links that lower the impurity by at most this much for each leaf are cut.
    max_bins
        Numbers are grouped into so many bins before, which is quicker on many rows; None looks at all of them.
    nominal
        What becomes of words: ``"subset"`` (two branches, the best division of the levels), ``"multiway"`` (a branch
        for each level), ``"one_vs_rest"``.
    charge_levels
        Whether a division of levels must gain more than the best of so many divisions would by chance, about a bit per
        level and case. Of columns with many levels only some then deserve a question; False is plain CART.
    validation_fraction
        Share of the rows that reduced-error pruning keeps; the leaves that are left then count all rows.
    prune_ties
        Whether it also removes subtrees that make no difference.
    n_folds
        Parts for the cross-validation of cost-complexity pruning.

    Attributes
    ----------
    feature_importances_
        How much each column lowered the impurity, as shares.
    """

    parameters_along: tuple[str, ...] = ("ccp_alpha", "max_depth", "max_leaf_nodes")
    max_features: Any
    prune: str | None
    ccp_alpha: float
    validation_fraction: float
    prune_ties: bool
    n_folds: int
    random_state: Any

    def _growth(self) -> Growth:
        """How its trees are grown and judged: the one thing that a subclass says."""
        raise TypeError(f"{type(self).__name__} must say how its trees are grown: def _growth(self).")

    def _how(self, rows: Rows) -> dict[str, Any]:
        return self._growth().how(rows)

    def _fit_tree(self, X: MixedData, y: np.ndarray, training: TrainingRows) -> None:
        self.n_outputs_ = 1 if y.ndim == 1 else y.shape[1]
        self.max_features_ = features_of(self.max_features, self.n_features_in_)
        growth, rows = self._growth(), Rows(X, y, without_excess(training.weights()))
        if self.prune == "reduced_error":
            tree, self.pruning_trace_ = pruned_on_held_out(
                growth, rows, self.validation_fraction, self.random_state, bool(self.prune_ties), training.groups
            )
        elif self.prune == "cost_complexity":
            n_folds, seed = int(self.n_folds), self.random_state
            tree, self.pruning_path_ = best_alpha(growth, rows, n_folds, seed, training.groups)
        else:
            tree = growth.grown(rows)
        if self.ccp_alpha > 0:
            tree = pruned_at(tree, weakest_links(tree, risk(growth, tree)), self.ccp_alpha)
        self.tree_ = tree

    def prune_on(self, X: Encoded, y: Any, sample_weight: Any = None) -> Any:
        """A copy of this tree without the subtrees whose removal lowers the loss on these rows, the worst one first.

        For rows that were kept for this; the leaves keep what they know of the rows the tree was grown from. The copy
        has the steps in ``pruning_trace_``. (``prune="reduced_error"`` keeps a part of the training rows by itself.)
        """
        found = copy(self._fitted("prune_on"))
        rows = self._rows_to_judge(X, y, sample_weight, "prune_on")
        losses, total = self._growth().losses(self.tree_, rows)[:, 0], float(rows.weight.sum())
        found.tree_, found.pruning_trace_ = reduced_error(self.tree_, losses, total or 1.0, bool(self.prune_ties))
        return found

    def cost_complexity_pruning_path(
        self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None
    ) -> Bunch:
        """The alphas at which links of the full tree are cut, weakest first, and the impurity of the leaves after each.

        A bunch of arrays: ``ccp_alphas``, ``impurities`` and ``n_leaves``; entry 0 is the full tree.
        """
        full = clone(self).set_params(ccp_alpha=0.0, prune=None).fit(X, y, sample_weight)
        path = weakest_links(full.tree_, risk(full._growth(), full.tree_))
        return Bunch(ccp_alphas=path.alphas, impurities=path.impurities, n_leaves=path.leaves)

    def _paths(self) -> Mapping[str, PathFunction]:
        from margin.tree.parameter_path import answers_along_alpha, answers_along_depth, answers_along_leaves

        return {
            "ccp_alpha": answers_along_alpha,
            "max_depth": answers_along_depth,
            "max_leaf_nodes": answers_along_leaves,
        }


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

    def how(self, rows: Rows) -> dict[str, Any]:
        settings = self._settings(rows, self._as_grown(rows))[0]
        return {
            "criterion": criterion_of(self.model.criterion).name,
            "settings": settings,
            "n_classes": len(self.factors),
        }

    def _settings(self, rows: Rows, growing: Rows) -> tuple[dict[str, Any], int]:
        model = self.model
        settings, fewest = stated(model, self.columns.n, rows.weight, growing.weight)
        settings["gain_ratio"] = model.criterion == "gain_ratio"
        if model.max_p is not None:
            settings["largest_p"] = float(model.max_p)
        threads, static = parallel.n_threads(model.n_jobs), model.discretize == "static"
        return settings | interval_settings(growing, model.numeric, static, int(model.max_intervals), threads), fewest

    def grown(self, rows: Rows) -> Tree:
        model, growing = self.model, self._as_grown(rows)
        settings, fewest = self._settings(rows, growing)
        threads = parallel.n_threads(model.n_jobs)
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

    def how(self, rows: Rows) -> dict[str, Any]:
        settings = stated(self.model, self.columns.n, rows.weight, rows.weight)[0]
        return {"criterion": criterion_of(self.model.criterion).name, "settings": settings, "n_classes": 0}

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
