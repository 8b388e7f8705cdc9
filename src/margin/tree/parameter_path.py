"""Answers for several alphas or depths, from one tree that is cut back."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.parameter_path import PathTask
from margin.evaluation.predictions.from_model import Predictions, predict_each, with_learnt
from margin.params import Count, NonNegative, rule_of
from margin.tree.nodes import Tree
from margin.tree.pruning.choose import risk
from margin.tree.pruning.cost_complexity import pruned_at, weakest_links
from margin.tree.pruning.subtrees import cut

__all__ = ["answers_along_alpha", "answers_along_depth"]


def answers_along_alpha(model: Any, task: PathTask) -> list[list[Predictions]] | None:
    """What a tree says for each ``ccp_alpha``: its weakest links are cut."""
    return _predicted(model, _by_alpha(model, task), task)


def answers_along_depth(model: Any, task: PathTask) -> list[list[Predictions]] | None:
    """What a tree says for each ``max_depth``: it is cut there."""
    return _predicted(model, _by_depth(model, task), task)


def _predicted(model: Any, trees: list[Tree] | None, task: PathTask) -> list[list[Predictions]] | None:
    return None if trees is None else predict_each((with_learnt(model, tree_=tree) for tree in trees), task.queries)


def _by_alpha(model: Any, task: PathTask) -> list[Tree] | None:
    alphas = task.values
    if not all(rule_of(NonNegative).accepts(alpha) for alpha in alphas):
        return None
    tree = model.set_params(ccp_alpha=0.0).fit(task.X, task.y, task.sample_weight).tree_
    path = weakest_links(tree, risk(model._growth(), tree))
    return [pruned_at(tree, path, float(alpha)) if alpha > 0 else tree for alpha in alphas]


def _by_depth(model: Any, task: PathTask) -> list[Tree] | None:
    """A node does not know how deep the tree may grow below it, unless leaves are rationed or columns drawn."""
    depths = task.values
    known = all(depth is None or rule_of(Count).accepts(depth) for depth in depths)
    if not known or model.prune is not None or model.max_leaf_nodes is not None or model.max_features is not None:
        return None
    alpha = model.ccp_alpha
    deepest = None if any(depth is None for depth in depths) else max(map(int, depths))
    tree = model.set_params(max_depth=deepest, ccp_alpha=0.0).fit(task.X, task.y, task.sample_weight).tree_
    found = []
    for depth in depths:
        shallow = tree if depth is None else cut(tree, np.asarray(tree.depths >= int(depth)))
        if alpha > 0:
            shallow = pruned_at(shallow, weakest_links(shallow, risk(model._growth(), shallow)), alpha)
        found.append(shallow)
    return found
