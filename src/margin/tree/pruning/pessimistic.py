"""Pessimistic pruning, as C4.5 does it: errors are expected to be as many as the training rows just allow."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

import margin._core as _core
from margin.tree.criteria import class_impurities
from margin.tree.grow import numbers_of
from margin.tree.nodes import Tree
from margin.tree.pruning.recount import class_shares, with_gains
from margin.tree.pruning.subtrees import assembled, cut, sums_below
from margin.tree.training_rows import Rows

__all__ = ["collapsed", "extra_errors", "pessimistic"]


def extra_errors(cases: float, errors: float, confidence: float = 0.25) -> float:
    """What pessimism adds to the errors seen among some cases: up to the upper confidence limit of their share.

    Six cases of one class may well be drawn where 0.206 of all are of another, but rarely where more are:

    >>> round(extra_errors(6, 0) / 6, 3)
    0.206
    """
    return _core.tree.extra_errors(float(cases), float(errors), float(confidence), float(ndtri(1 - confidence)))


def collapsed(tree: Tree) -> Tree:
    """The tree without splits that leave the training errors as they are."""
    wrong = np.where(tree.weight > 0, tree.value.sum(axis=1) - tree.value.max(axis=1), 0.0)
    below = sums_below(tree, np.where(tree.is_leaf, wrong, 0.0))
    return cut(tree, below >= wrong - 1e-3)


def pessimistic(
    tree: Tree, rows: Rows, confidence: float = 0.25, raise_branches: bool = True, criterion: str = "entropy"
) -> Tree:
    """The tree pruned by what each node is expected to err; ``rows`` are those that it was grown from.

    A subtree becomes a leaf, or with ``raise_branches`` its heaviest branch, where that is not expected to err more.
    Quinlan (1993), ch. 4.
    """
    weight = np.empty(0) if (rows.weight == 1).all() else np.ascontiguousarray(rows.weight)
    left = _core.tree.pessimistic(
        tree.walker,
        numbers_of(rows.X).astype(np.float64, copy=False),
        rows.X.codes,
        np.ascontiguousarray(rows.y, dtype=np.int32),
        weight,
        float(confidence),
        float(ndtri(1 - confidence)),
        bool(raise_branches),
    )
    counts = {name: left[name] for name in ("value", "weight", "cases")}
    pruned = assembled(tree, left["node"], left["leaf"].astype(bool), left["stands_for"], **counts)
    changed = tree.cases[left["node"]] != left["cases"]
    if not changed.any():
        return pruned
    return with_gains(pruned, changed, class_impurities(criterion, class_shares(pruned.value)))
