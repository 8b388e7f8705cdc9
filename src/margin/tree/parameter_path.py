"""Answers for several alphas or depths, from one tree that is cut back."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

from margin.base.parameter_path import PathTask
from margin.evaluation.predictions.from_model import Predictions, predict_each, with_learnt
from margin.params import Count, NonNegative, Several, rule_of
from margin.tree.nodes import Tree
from margin.tree.pruning.choose import risk
from margin.tree.pruning.cost_complexity import pruned_at, weakest_links
from margin.tree.pruning.subtrees import cut

__all__ = ["answers_along_alpha", "answers_along_depth", "answers_along_leaves"]


def answers_along_alpha(model: Any, task: PathTask) -> list[list[Predictions]] | None:
    """What a tree says for each ``ccp_alpha``: its weakest links are cut."""
    return _predicted(model, _by_alpha(model, task), task)


def answers_along_depth(model: Any, task: PathTask) -> list[list[Predictions]] | None:
    """What a tree says for each ``max_depth``: it is cut there."""
    return _predicted(model, _by_depth(model, task), task)


def answers_along_leaves(model: Any, task: PathTask) -> list[list[Predictions]] | None:
    """What a tree says for each ``max_leaf_nodes``: splits that came later are left out."""
    return _predicted(model, _by_leaves(model, task), task)


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


def _by_leaves(model: Any, task: PathTask) -> list[Tree] | None:
    """Grown best split first, a smaller tree is what a larger one was before, if all splits have two branches."""
    sizes = task.values
    known = all(size is None or rule_of(Several).accepts(size) for size in sizes)
    if not known or model.prune is not None or model.max_features is not None:
        return None
    if getattr(model, "costs", None) is not None:  # nodes are then weighed by other weights than they show
        return None
    alpha = model.ccp_alpha
    largest = None if any(size is None for size in sizes) else max(map(int, sizes))
    tree = model.set_params(max_leaf_nodes=largest, ccp_alpha=0.0).fit(task.X, task.y, task.sample_weight).tree_
    if (np.diff(tree.child_start)[~tree.is_leaf] != 2).any():
        return None
    order, found = split_order(tree), []
    for size in sizes:
        small = tree if size is None else cut(tree, order >= int(size) - 1)
        if alpha > 0:
            small = pruned_at(small, weakest_links(small, risk(model._growth(), small)), alpha)
        found.append(small)
    return found


def split_order(tree: Tree) -> np.ndarray:
    """When each node is split if the one whose split lowers the impurity of all rows most always comes next.

    Of equally good ones the one that was made first. Leaves come after all others. O(nodes log nodes) time.
    """
    order = np.full(tree.n_nodes, tree.n_nodes, dtype=np.int64)
    benefit, made = (tree.weight * tree.gain).tolist(), 0
    waiting = [] if tree.is_leaf[0] else [(-benefit[0], 0, 0)]
    step = 0
    while waiting:
        _, _, node = heapq.heappop(waiting)
        order[node] = step
        step += 1
        for child in tree.children(node).tolist():
            made += 1
            if not tree.is_leaf[child]:
                heapq.heappush(waiting, (-benefit[child], made, child))
    return order
