"""Answers for several alphas or depths, from one tree that is cut back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import numpy as np

from margin.evaluation.predictions.from_model import Predictions, predict_all
from margin.params import Count, NonNegative, rule_of
from margin.tree.nodes import Tree
from margin.tree.pruning.cost_complexity import pruned_at, weakest_links
from margin.tree.pruning.subtrees import cut

__all__ = ["answers_along_tree"]


def answers_along_tree(
    model: Any, parameter: str, values: Sequence[Any], X: Any, y: Any, asked: Sequence[Any], sample_weight: Any
) -> list[list[Predictions]] | None:
    """What a tree says for each ``ccp_alpha`` (weakest links cut) or ``max_depth`` (cut there)."""
    ways: dict[str, Callable[..., Any]] = {"ccp_alpha": _by_alpha, "max_depth": _by_depth}
    trees = ways[parameter](model, values, X, y, sample_weight) if parameter in ways else None
    if trees is None:
        return None
    predictions = []
    for tree in trees:
        pruned = copy(model)
        pruned.tree_ = tree
        predictions.append([predict_all(pruned, X) for X in asked])
    return predictions


def _by_alpha(model: Any, alphas: Sequence[Any], X: Any, y: Any, sample_weight: Any) -> list[Tree] | None:
    if not all(rule_of(NonNegative).accepts(alpha) for alpha in alphas):
        return None
    tree = model.set_params(ccp_alpha=0.0).fit(X, y, sample_weight).tree_
    path = weakest_links(tree, model._risk(tree))
    return [pruned_at(tree, path, float(alpha)) if alpha > 0 else tree for alpha in alphas]


def _by_depth(model: Any, depths: Sequence[Any], X: Any, y: Any, sample_weight: Any) -> list[Tree] | None:
    """A node does not know how deep the tree may grow below it, unless leaves are rationed or columns drawn."""
    known = all(depth is None or rule_of(Count).accepts(depth) for depth in depths)
    if not known or model.prune is not None or model.max_leaf_nodes is not None or model.max_features is not None:
        return None
    alpha = model.ccp_alpha
    deepest = None if any(depth is None for depth in depths) else max(map(int, depths))
    tree = model.set_params(max_depth=deepest, ccp_alpha=0.0).fit(X, y, sample_weight).tree_
    found = []
    for depth in depths:
        shallow = tree if depth is None else cut(tree, np.asarray(tree.depths >= int(depth)))
        if alpha > 0:
            shallow = pruned_at(shallow, weakest_links(shallow, model._risk(shallow)), alpha)
        found.append(shallow)
    return found
