"""How near rows are to a forest: the share of the trees in which two of them end in the same leaf."""

from __future__ import annotations

import numpy as np

__all__ = ["out_of_bag_proximities", "outlier_measure", "proximities"]


def proximities(leaves: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The share of trees in which a row and another share a leaf; leaves are rows x trees.

    >>> proximities(np.array([[1, 4], [2, 4]]), np.array([[1, 4], [2, 5]])).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    found = np.zeros((len(leaves), len(others)), dtype=np.float64)
    for mine, theirs in zip(leaves.T, others.T, strict=True):
        found += mine[:, None] == theirs
    return found / leaves.shape[1]


def out_of_bag_proximities(leaves: np.ndarray, out: np.ndarray) -> np.ndarray:
    """The same among training rows, over the trees that drew neither of the two; NaN where there is none."""
    met = np.zeros((len(leaves), len(leaves)))
    for at, left_out in zip(leaves.T, out.T, strict=True):
        rows = np.flatnonzero(left_out)
        met[np.ix_(rows, rows)] += at[rows, None] == at[rows]
    both = out.astype(np.float64) @ out.T.astype(np.float64)
    with np.errstate(invalid="ignore"):
        found: np.ndarray = met / both
    return found


def outlier_measure(near: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """How far rows lie from their own class (Breiman, Cutler 2003): values above 10 are worth a look.

    For a row n / the sum of its squared proximities to the other rows of its class, from which the median of the class
    is taken off, and which is divided by the median deviation from it. 0 in classes of one row, and where all
    deviations are 0 the difference itself.
    """
    found = np.zeros(len(near))
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        if len(rows) < 2:
            continue
        squares = np.nan_to_num(near[np.ix_(rows, rows)]) ** 2
        np.fill_diagonal(squares, 0.0)
        raw = len(near) / np.maximum(squares.sum(axis=1), 1e-6)
        middle = np.median(raw)
        deviation = np.median(np.abs(raw - middle))
        found[rows] = (raw - middle) / (deviation if deviation > 0 else 1.0)
    return found
