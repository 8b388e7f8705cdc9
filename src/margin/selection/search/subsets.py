"""Parts of a training part that grow: each holds all smaller ones, and every class in proportion."""

from __future__ import annotations

import numpy as np

from margin.evaluation.protocols.label_matrix import set_numbers

__all__ = ["growing_order"]


def growing_order(codes: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Rows in an order whose every beginning has the classes in proportion, as well as whole rows allow.

    The first of each class come before any second one. Of several labels a row each set of them is a class.

    >>> codes = np.array([0, 0, 0, 0, 1, 1])
    >>> codes[growing_order(codes, np.random.default_rng(0))].tolist()
    [0, 1, 0, 0, 1, 0]
    """
    codes = set_numbers(codes) if codes.ndim > 1 else codes
    shuffled = random.permutation(len(codes))
    order = shuffled[np.argsort(codes[shuffled], kind="stable")]
    sizes = np.bincount(codes)
    starts = np.cumsum(sizes) - sizes
    rank = np.arange(len(codes)) - np.repeat(starts, sizes)
    due = rank / np.repeat(sizes, sizes)
    return order[np.lexsort((np.repeat(np.arange(len(sizes)), sizes), due))]
