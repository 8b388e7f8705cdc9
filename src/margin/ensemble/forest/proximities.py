"""How near rows are to a forest: the share of the trees in which two of them end in the same leaf."""

from __future__ import annotations

import numpy as np

from margin.errors import InputError

__all__ = ["out_of_bag_proximities", "outlier_measure", "proximities", "proximity_map"]


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


def proximity_map(near: np.ndarray, n_axes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Places of rows on few axes, and the share of all squared distances from their centre that lies along each.

    Metric scaling (Torgerson 1952) of the distances √(1 - proximity), which are Euclidean: proximities are the mean of
    products of rows of 0 and 1, one for each leaf. Where they are not known (NaN) they count as 0, and the distances
    need no longer be Euclidean; axes of negative shares are then left out. Each axis points to the side of the row that
    is farthest out on it. O(rows³) time.

    >>> places, shares = proximity_map(np.eye(2))
    >>> np.round(places[:, 0], 3).tolist(), shares.round(3).tolist()
    ([0.5, -0.5], [1.0, 0.0])
    """
    known = np.nan_to_num(np.array(near, dtype=np.float64))
    if known.ndim != 2 or known.shape[0] != known.shape[1] or not len(known):
        raise InputError("proximity_map(near=…): near must be the proximities among the same rows, as many as columns.")
    np.fill_diagonal(known, 1.0)
    # Half of minus the squared distances is the proximity itself, but for half of what centring takes off anyway.
    centred = known - known.mean(axis=0) - known.mean(axis=1)[:, None] + known.mean()
    length, axes = np.linalg.eigh((centred + centred.T) / 4)
    order = np.argsort(-length, kind="stable")[:n_axes]
    kept = np.maximum(length[order], 0.0)
    places = np.zeros((len(known), n_axes))
    places[:, : len(order)] = axes[:, order] * np.sqrt(kept)
    farthest = np.abs(places).argmax(axis=0)
    places *= np.where(places[farthest, np.arange(n_axes)] < 0, -1.0, 1.0)
    total = float(np.maximum(length, 0.0).sum())
    shares = np.zeros(n_axes)
    shares[: len(order)] = kept / total if total > 0 else 0.0
    return places, shares
