"""Rows walking down a tree: the leaves they reach, and what those leaves say.

A missing cell goes where a surrogate sends it, else down the branch of missing cells, else, where ``missing`` is -1,
down all branches in parts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from margin import parallel
from margin.base.inputs.arrays import dense_from_sparse
from margin.base.representations.mixed import MixedData
from margin.tree.nodes import Tree

__all__ = ["Parts", "leaves", "parts", "shares", "values"]

# Below so many rows one thread is quicker than asking how many there are.
FEW = 2048


def leaves(tree: Tree, X: MixedData, n_threads: int | None = None) -> np.ndarray:
    """The leaf of each row; a row that would go down all branches in parts takes the heaviest one."""
    numbers = _numbers(X)
    return tree.walker.leaves(numbers, X.codes, _threads(numbers, n_threads))


def shares(tree: Tree, X: MixedData, n_threads: int | None = None) -> np.ndarray:
    """The shares of the classes at the leaf of each row, or their mean over the leaves that parts of it reach."""
    numbers = X.numeric
    if type(numbers) is not np.ndarray or numbers.dtype not in (np.float64, np.float32):
        numbers = _numbers(X)
    found = np.empty((numbers.shape[0], tree.value.shape[1]))
    tree.walker.values(numbers, X.codes, True, found, _threads(numbers, n_threads))
    return found


def values(tree: Tree, X: MixedData, n_threads: int | None = None) -> np.ndarray:
    """The values of a regression at the leaf of each row, or their mean over the leaves that parts of it reach."""
    numbers = _numbers(X)
    found = np.empty((numbers.shape[0], tree.value.shape[1]))
    tree.walker.values(numbers, X.codes, False, found, _threads(numbers, n_threads))
    return found


class Parts:
    """The leaves that each row reaches, and the part of it that does; those of row i begin at ``start[i]``."""

    __slots__ = ("leaf", "part", "start")

    def __init__(self, start: np.ndarray, leaf: np.ndarray, part: np.ndarray) -> None:
        self.start = start
        self.leaf = leaf
        self.part = part

    @property
    def row(self) -> np.ndarray:
        """The row of each entry."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))


def parts(tree: Tree, X: MixedData, n_threads: int | None = None) -> Parts:
    """All leaves that each row reaches, in preorder; the parts of a row add up to 1."""
    numbers = _numbers(X)
    return Parts(*tree.walker.parts(numbers, X.codes, _threads(numbers, n_threads)))


def _numbers(X: MixedData) -> np.ndarray:
    """The numbers as float32 or float64, row after row."""
    numbers: Any = X.numeric
    if not isinstance(numbers, np.ndarray):
        numbers = dense_from_sparse(numbers, "tree")
    if numbers.dtype not in (np.float64, np.float32):
        numbers = numbers.astype(np.float64)
    return np.ascontiguousarray(numbers)


def _threads(numbers: np.ndarray, n_threads: int | None) -> int:
    if n_threads is not None:
        return n_threads
    return 1 if len(numbers) <= FEW else parallel.n_threads()
