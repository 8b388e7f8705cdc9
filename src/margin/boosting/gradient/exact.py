"""Boosting as the textbooks have it: trees of d splits fitted to residuals, every threshold looked at."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin import parallel
from margin.base.representations.mixed import MixedData
from margin.boosting.gradient.boosted_trees import BoostedTrees, joined
from margin.boosting.gradient.plan import plans_for
from margin.boosting.gradient.rounds import Grown
from margin.tree.grow import grow, numbers_of
from margin.tree.nodes import Ask, Tree
from margin.tree.reading.packed_nodes import LEAF, MISSING_RIGHT
from margin.tree.settings import count_of, numbers_first

__all__ = ["boost_exactly", "laid_out", "rounds_in_words"]

_SUBSET = 1 << 27


def boost_exactly(model: Any, X: MixedData, y: np.ndarray, weight: np.ndarray) -> Grown:
    """f = 0, r = y; in each round a tree for r, f <- f + rate tree, r <- r - rate tree."""
    plan = plans_for(model, len(y), going_on=True)[0]
    settings: dict[str, Any] = {
        "min_leaf": max(1, count_of(plan.min_samples_leaf, float(weight.sum()))),
        "nominal": "subset",
    }
    if plan.max_leaf_nodes is not None:
        settings["max_leaves"] = int(plan.max_leaf_nodes)
    if model.max_depth is not None:
        settings["max_depth"] = int(model.max_depth)
    n_threads, rate = parallel.n_threads(model.n_jobs), float(plan.learning_rate)
    residual, parts, losses = y.copy(), [], []
    for _ in range(plan.n_estimators):
        tree = grow(X, residual, weight, "squared_error", settings, n_threads=n_threads)
        part = laid_out(tree, rate, X.numeric.shape[1] + len(X.codes))
        parts.append(part)
        said = np.empty((len(y), 1))
        part.walker.sums(numbers_of(X), X.codes, said, 1, n_threads)
        residual = residual - said[:, 0]
        losses.append(float(np.average(residual**2, weights=weight)))
    return Grown(joined(parts), np.array(losses), np.empty(0))


def laid_out(tree: Tree, rate: float, n_columns: int) -> BoostedTrees:
    """A tree for numbers as boosted trees are kept, branches side by side; its values times the rate."""
    order, words = [0], list[int]()
    nodes = np.zeros((tree.n_nodes, 2), np.uint64)
    gain, cover = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes)
    for place, node in enumerate(order):
        cover[place] = tree.weight[node]
        if tree.is_leaf[node]:
            nodes[place, 0] = np.float64(rate * tree.value[node, 0]).view(np.uint64)
            nodes[place, 1] = place | LEAF << 32
            continue
        gain[place] = tree.gain[node] * tree.weight[node]
        tag = int(tree.column[node]) | (MISSING_RIGHT if tree.missing[node] == 1 else 0)
        nodes[place, 0] = np.float64(tree.threshold[node]).view(np.uint64)
        if tree.ask[node] == Ask.SUBSET:
            tag |= _SUBSET
            codes = tree.details(node).astype(int).tolist()
            found = [0] * (max(codes, default=-1) // 64 + 1)
            for code in codes:
                found[code // 64] |= 1 << (code % 64)
            nodes[place, 0] = len(words) | len(found) << 32
            words += found
        nodes[place, 1] = len(order) | tag << 32
        order += tree.children(node).tolist()
    start = np.array([0, tree.n_nodes], np.int64)
    return BoostedTrees(nodes, start, np.array(words, np.uint64), gain, cover, np.zeros(1), n_columns)


def rounds_in_words(model: Any, n: int | None) -> str:
    """What each tree of the first rounds asks and adds."""
    trees, losses = model.trees_, vars(model).get("train_loss_", ())
    described = list(model._columns.described())
    columns = [described[j] for j in numbers_first(model._columns)]
    lines = []
    for t in range(trees.n_trees if n is None else min(int(n), trees.n_trees)):
        text = f"round {t + 1}: {_in_words(trees, int(trees.start[t]), 0, columns)}"
        lines.append(text + (f"; mean squared error {losses[t]:.6g}" if t < len(losses) else ""))
    return "\n".join(lines)


def _in_words(trees: BoostedTrees, start: int, node: int, columns: list[Any]) -> str:
    at = start + node
    if trees.is_leaf[at]:
        return f"{trees.threshold[at]:+.6g}"
    column = columns[int(trees.column[at])]
    if trees.is_subset[at]:
        asked = f"{column.name} in {{{', '.join(str(column.levels[k]) for k in trees.levels(at))}}}"
    elif column.is_numeric:
        asked = f"{column.name} <= {trees.threshold[at]:.6g}"
    else:
        asked = f"{column.name} up to {column.levels[int(trees.threshold[at])]}"
    first = int(trees.first[at])
    low, high = (_in_words(trees, start, first + b, columns) for b in (0, 1))
    return f"{asked} ? {_bracketed(low)} : {_bracketed(high)}"


def _bracketed(text: str) -> str:
    return f"({text})" if "?" in text else text
