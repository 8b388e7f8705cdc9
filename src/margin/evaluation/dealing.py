"""Rows dealt out like cards: shuffled, group after group, and written down as lists for learning and asking."""

from __future__ import annotations

import numpy as np

import margin._core as _core
from margin.parallel import n_threads

__all__ = ["dealt_folds", "held_back", "separated"]


def dealt_folds(groups: np.ndarray, sizes: np.ndarray, folds: int, *seeds: int) -> np.ndarray:
    """The fold of each row. Dealt out group after group, so that folds differ by one row of a group at most.

    >>> dealt_folds(np.array([0, 0, 1, 1]), np.array([2, 2]), 2, 0).tolist()
    [0, 1, 0, 1]
    """
    groups = groups.astype(_narrow(max(folds, len(sizes))), copy=False)
    fold_of = np.empty_like(groups)
    _core.metrics.deal_folds(_random(seeds), groups, np.cumsum(sizes) - sizes, folds, fold_of)
    return fold_of


def held_back(groups: np.ndarray, sizes: np.ndarray, held: np.ndarray, *seeds: int) -> np.ndarray:
    """1 for so many rows of each group, drawn at random, and 0 for all others.

    >>> held_back(np.array([0, 0, 1, 1]), np.array([2, 2]), np.array([1, 0]), 0).tolist()
    [1, 0, 0, 0]
    """
    groups = groups.astype(_narrow(len(sizes)), copy=False)
    is_held = np.empty_like(groups)
    _core.metrics.deal_held(_random(seeds), groups, np.cumsum(sizes) - sizes, held, is_held)
    return is_held


def separated(fold_of: np.ndarray, fold: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows outside a fold of known size and those inside, ascending.

    >>> separated(np.array([0, 1, 0]), 1, 1)
    (array([0, 2]), array([1]))
    """
    train, test = np.empty(len(fold_of) - size, dtype=np.int64), np.empty(size, dtype=np.int64)
    _core.metrics.separate(fold_of, fold, train, test, n_threads())
    return train, test


def _random(seeds: tuple[int, ...]) -> list[int]:
    """State and increment of NumPy's generator of these seeds, in words: the core shuffles as NumPy does."""
    state = np.random.PCG64(np.random.SeedSequence(seeds)).state["state"]
    return [word for number in (state["state"], state["inc"]) for word in divmod(number, 2**64)]


def _narrow(most: int) -> type[np.integer]:
    """Single bytes where they have room for so many numbers: they stay in the cache while rows are looked up."""
    return np.uint8 if most <= 256 else np.int64
