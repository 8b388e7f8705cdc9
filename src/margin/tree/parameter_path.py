"""Answers for several alphas or depths, from one tree that is cut back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from margin.evaluation.predictions.from_model import Predictions, predict_each, with_learnt
from margin.params import Count, NonNegative, rule_of
from margin.tree.nodes import Tree
from margin.tree.pruning.choose import risk
from margin.tree.pruning.cost_complexity import pruned_at, weakest_links
from margin.tree.pruning.subtrees import cut
from margin.typing import Encoded, LabelsLike, TableLike, WeightsLike

__all__ = ["answers_along_tree"]


def answers_along_tree(
    model: Any,
    parameter: str,
    values: Sequence[Any],
    X: TableLike,
    y: LabelsLike,
    queries: Sequence[Any],
    sample_weight: WeightsLike | None,
) -> list[list[Predictions]] | None:
    """What a tree says for each ``ccp_alpha`` (weakest links cut) or ``max_depth`` (cut there)."""
    ways: dict[str, Callable[..., Any]] = {"ccp_alpha": _by_alpha, "max_depth": _by_depth}
    trees = ways[parameter](model, values, X, y, sample_weight) if parameter in ways else None
    return None if trees is None else predict_each((with_learnt(model, tree_=tree) for tree in trees), queries)


def _by_alpha(
    model: Any, alphas: Sequence[Any], X: Encoded, y: LabelsLike, sample_weight: WeightsLike | None
) -> list[Tree] | None:
    if not all(rule_of(NonNegative).accepts(alpha) for alpha in alphas):
        return None
    tree = model.set_params(ccp_alpha=0.0).fit(X, y, sample_weight).tree_
    path = weakest_links(tree, risk(model._growth(), tree))
    return [pruned_at(tree, path, float(alpha)) if alpha > 0 else tree for alpha in alphas]


def _by_depth(
    model: Any, depths: Sequence[Any], X: Encoded, y: LabelsLike, sample_weight: WeightsLike | None
) -> list[Tree] | None:
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
            shallow = pruned_at(shallow, weakest_links(shallow, risk(model._growth(), shallow)), alpha)
        found.append(shallow)
    return found
