"""Quantiles by a forest: those of the training targets, weighed by how often they share a leaf with a row."""

from __future__ import annotations

import numpy as np

__all__ = ["leaf_weights", "weighted_quantiles"]

#: Rows answered at a time are so few that their weights of all training rows take about this many bytes.
ROOM = 1 << 26


def leaf_weights(leaves: np.ndarray, trained: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Of each row, the weight of each training row: the mean over the trees of its share of the leaf they share.

    Meinshausen (2006), "Quantile regression forests": all training rows count, drawn or not. A leaf that no training
    row reaches does not count.
    """
    found = np.zeros((len(leaves), len(trained)))
    for at, theirs in zip(leaves.T, trained.T, strict=True):
        total = np.bincount(theirs, weight, max(int(at.max(initial=0)), int(theirs.max(initial=0))) + 1)
        share = np.divide(weight, total[theirs])
        found += np.where(at[:, None] == theirs, share, 0.0)
    return found / found.sum(axis=1, keepdims=True)


def weighted_quantiles(y: np.ndarray, weight: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Of each row of weights the smallest target that at least a share of the weight does not exceed.

    >>> weight = np.array([[0.5, 0.25, 0.25]])
    >>> weighted_quantiles(np.array([3.0, 1.0, 2.0]), weight, np.array([0.25, 0.5, 0.9])).tolist()
    [[1.0, 2.0, 3.0]]
    """
    order = np.argsort(y, kind="stable")
    below = np.cumsum(weight[:, order], axis=1)
    # Sums of weights end a little beside 1.
    places = [(below < share * below[:, -1:] * (1 - 1e-12)).sum(axis=1) for share in shares]
    return y[order][np.minimum(np.column_stack(places), len(y) - 1)]
