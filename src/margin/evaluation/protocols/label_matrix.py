"""Several labels a row: folds in which every label is as frequent as it is in all rows.

Iterative stratification (Sechidis, Tsoumakas, Vlahavas 2011): the rows of the rarest label left are dealt out first,
each to the fold that still wants most cases of that label, then most rows; rows without any label come last. What is
left to chance is drawn by the seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from margin.errors import DataError

__all__ = ["dealt_label_sets", "is_label_matrix", "label_matrix", "set_numbers"]


def is_label_matrix(y: Any) -> bool:
    """Whether y has a column for each of several labels."""
    return isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] > 1


def label_matrix(y: np.ndarray, who: str, least: int) -> np.ndarray:
    """The labels as yes or no; refuses other cells, and fewer rows than needed."""
    if len(y) < least:
        raise DataError(f"{who}: {len(y)} rows are too few to split; at least {least} are needed.")
    matrix = y.astype(bool)
    if y.dtype != bool and not np.array_equal(matrix, y):
        raise DataError(f"{who}: several labels a row must be a table of 0 and 1.")
    return matrix


def set_numbers(matrix: np.ndarray) -> np.ndarray:
    """A number for each row, equal for rows with the same set of labels, in order of first appearance.

    >>> set_numbers(np.array([[1, 0], [1, 1], [1, 0]])).tolist()
    [0, 1, 0]
    """
    _, first, number = np.unique(matrix, axis=0, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[number.ravel()]


def dealt_label_sets(matrix: np.ndarray, shares: Sequence[float], random: np.random.Generator) -> np.ndarray:
    """The part of each row, such that parts have about their share of the rows and of the cases of every label.

    >>> matrix = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [1, 1], [1, 1]])
    >>> parts = dealt_label_sets(matrix, [0.5, 0.5], np.random.default_rng(0))
    >>> [matrix[parts == part].sum(axis=0).tolist() for part in (0, 1)]
    [[2, 2], [2, 2]]
    """
    order = random.permutation(len(matrix))
    shuffled = matrix[order].astype(bool)
    wanted_rows = np.asarray(shares, dtype=np.float64) * len(matrix)
    wanted = np.outer(shares, shuffled.sum(axis=0)).astype(np.float64)
    tie = random.permutation(len(wanted_rows)) * 1e-9
    part, left, has = np.full(len(matrix), -1), shuffled.sum(axis=0), shuffled.astype(np.float64)
    much = 2.0 * len(matrix)  # one case of the label counts more than all rows
    while (left > 0).any():
        label = int(np.argmin(np.where(left > 0, left, len(matrix) + 1)))
        for row in np.flatnonzero(shuffled[:, label] & (part < 0)):
            part[row] = at = int((much * wanted[:, label] + wanted_rows - tie).argmax())
            wanted[at] -= has[row]
            wanted_rows[at] -= 1
        left = shuffled[part < 0].sum(axis=0)
    for row in np.flatnonzero(part < 0):
        part[row] = at = int(np.argmax(wanted_rows - tie))
        wanted_rows[at] -= 1
    found = np.empty_like(part)
    found[order] = part
    return found
