"""What trees with scikit-learn's parameters share: the settings they are grown with, and how they are pruned."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import Bunch

from margin import parallel
from margin.base.representations.mixed import MixedData
from margin.data.weights import check_weights, count_repeats
from margin.errors import ParameterError, closest, listing
from margin.tree.grow import why_not_binned
from margin.tree.nodes import Tree
from margin.tree.pruning.choose import best_alpha, pruned_on_held_out
from margin.tree.pruning.cost_complexity import pruned_at, weakest_links
from margin.tree.pruning.reduced_error import reduced_error
from margin.tree.pruning.subtrees import cut
from margin.tree.settings import features_of, stated
from margin.tree.training_rows import Rows, without_excess
from margin.tree.tree_model import TreeModel

__all__ = ["CartTree"]


class CartTree(TreeModel):
    """A tree with scikit-learn's parameters and ours."""

    parameters_along = ("ccp_alpha", "max_depth")
    monotonic_cst: Any
    max_features: Any
    max_bins: Any
    nominal: str
    charge_levels: bool
    missing: str
    prune: str | None
    ccp_alpha: float
    validation_fraction: float
    prune_ties: bool
    n_folds: int
    random_state: Any

    def _fit_tree(self, rows: Rows) -> None:
        self.n_outputs_ = 1
        self.max_features_ = features_of(self.max_features, self.n_features_in_)
        self.tree_ = self._pruned(Rows(rows.X, rows.y, without_excess(rows.weight)))

    def _pruned(self, rows: Rows) -> Tree:
        if self.prune == "reduced_error":
            tree, self.pruning_trace_ = pruned_on_held_out(
                self, rows, self.validation_fraction, self.random_state, bool(self.prune_ties)
            )
        elif self.prune == "cost_complexity":
            tree, self.pruning_path_ = best_alpha(self, rows, int(self.n_folds), self.random_state)
        else:
            tree = self._grown(rows)
        if self.ccp_alpha > 0:
            tree = pruned_at(tree, weakest_links(tree, self._risk(tree)), self.ccp_alpha)
        return tree

    def _grown(self, rows: Rows) -> Tree:
        """A full tree; whole-number weights count as repeated rows where cases are counted."""
        growing = self._growth_rows(rows)
        n, total = len(rows.weight), float(growing.weight.sum())
        repeats = growing.weight is rows.weight and not (rows.weight == 1).all() and count_repeats(rows.weight)
        settings = stated(self, self.n_features_in_, total if repeats else n, total) | self._kinds()
        if not repeats:
            return self._grown_with(growing, settings)
        fewest = settings["min_split"]
        settings |= {
            "min_leaf_weight": max(settings["min_leaf_weight"], settings["min_leaf"]),
            "min_leaf": 1,
            "min_split": 2,
        }
        tree = self._grown_with(growing, settings)
        return cut(tree, tree.weight < fewest)

    def _growth_rows(self, rows: Rows) -> Rows:
        """The rows with the weights that the tree is grown with."""
        return rows

    def _kinds(self) -> dict[str, Any]:
        """The settings that scikit-learn does not have."""
        return {"nominal": self.nominal, "missing": self.missing, "charge_levels": bool(self.charge_levels)}

    def _grown_with(self, rows: Rows, settings: Mapping[str, Any]) -> Tree:
        raise TypeError(f"{type(self).__name__} must say how its trees are grown.")

    def _check_bins(self, criterion: str, settings: Mapping[str, Any], X: MixedData) -> None:
        """Refuse bins where the tree is to be grown in a way that only sorted columns allow."""
        problem = why_not_binned(criterion, settings, bool(X.codes))
        if problem:
            raise ParameterError(f"{type(self).__name__}(max_bins={self.max_bins}): must be None, since {problem}.")

    def _risk(self, tree: Tree) -> np.ndarray:
        """Impurity of each node by its share of the weight."""
        weight = self._growth_weight(tree)
        return weight / weight[0] * tree.impurity

    def _core_threads(self) -> int:
        return parallel.n_threads(self.n_jobs)

    def _monotone(self) -> np.ndarray:
        """1, -1 or 0 for each column as the tree counts them; nothing where no column is bound."""
        signs = self.monotonic_cst
        if signs is None:
            return np.empty(0, dtype=np.int8)
        who, described = type(self).__name__, list(self._columns.described())
        names = [column.name for column in described]
        if isinstance(signs, Mapping):
            unknown = [name for name in signs if name not in names]
            if unknown:
                raise ParameterError(
                    f"{who}(monotonic_cst={dict(signs)!r}): {listing(unknown)} is not one of the columns, "
                    f"which are {listing(names)}{closest(unknown[0], names)}."
                )
            signs = [signs.get(name, 0) for name in names]
        if len(signs) != len(names):
            raise ParameterError(
                f"{who}(monotonic_cst=…): one of -1, 0, 1 is needed for each of the {len(names)} columns, "
                f"but there are {len(signs)}."
            )
        words = [c.name for c, sign in zip(described, signs, strict=True) if sign and c.kind == "nominal"]
        if words:
            raise ParameterError(f"{who}(monotonic_cst=…): column {listing(words)} is nominal and has no order.")
        found = np.array(signs, dtype=np.int8)[self._places()]
        return found if found.any() else np.empty(0, dtype=np.int8)

    def prune_on(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """A copy of this tree without the subtrees whose removal lowers the loss on these rows, the worst one first.

        For rows that were kept for this; the leaves keep what they know of the rows the tree was grown from. The copy
        has the steps in ``pruning_trace_``. (``prune="reduced_error"`` keeps a part of the training rows by itself.)
        """
        who = f"{type(self).__name__}.prune_on"
        found = copy(self._fitted("prune_on"))
        data = self._encoded(X, "prune_on")
        weight = check_weights(sample_weight, len(data), who)
        rows = self._known_targets(Rows(data, y, np.ones(len(data)) if weight is None else weight), who)
        losses, total = self._losses(self.tree_, rows)[:, 0], float(rows.weight.sum())
        found.tree_, found.pruning_trace_ = reduced_error(self.tree_, losses, total or 1.0, bool(self.prune_ties))
        return found

    def _known_targets(self, rows: Rows, who: str) -> Rows:
        """The rows whose targets the model can tell, with these as numbers."""
        raise TypeError(f"{type(self).__name__} must say how its targets are read.")

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """The alphas at which links of the full tree are cut, weakest first, and the impurity of the leaves after each.

        A bunch of arrays: ``ccp_alphas``, ``impurities`` and ``n_leaves``; entry 0 is the full tree.
        """
        full = clone(self).set_params(ccp_alpha=0.0, prune=None).fit(X, y, sample_weight)
        path = weakest_links(full.tree_, full._risk(full.tree_))
        return Bunch(ccp_alphas=path.alphas, impurities=path.impurities, n_leaves=path.leaves)

    def answers_along(self, parameter: str, values: Any, X: Any, y: Any, asked: Any, sample_weight: Any = None) -> Any:
        """What the tree would say for several ``ccp_alpha`` or ``max_depth``."""
        from margin.tree.parameter_path import answers_along_tree

        return answers_along_tree(self, parameter, values, X, y, asked, sample_weight)


def with_true_weights(tree: Tree, factors: np.ndarray) -> Tree:
    """A tree grown with altered priors, its values and weights as the rows gave them."""
    value = tree.value / factors
    return replace(tree, value=value, weight=np.where(tree.weight > 0, value.sum(axis=1), 0.0))
