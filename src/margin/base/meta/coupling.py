"""Probabilities of K classes out of what was said about each pair of them."""

from __future__ import annotations

import math

import numpy as np

import margin._core as _core
from margin import parallel

__all__ = ["couple"]


def couple(pairwise: np.ndarray, n_threads: int = 0) -> np.ndarray:
    r"""Probabilities of all classes from those within pairs, by the second method of Wu, Lin and Weng (2004).

    ``pairwise`` has a row for each case and a column for each pair of classes in the order (0, 1), (0, 2), …, (1, 2), …
    (``np.triu_indices(K, 1)``): :math:`r_{ij}`, the probability of the first class given that it is one of the two,
    and :math:`r_{ji} = 1 - r_{ij}`. Found is

    .. math:: \min_p \sum_i \sum_{j \ne i} (r_{ji} p_i - r_{ij} p_j)^2 \quad \text{where} \quad \sum_i p_i = 1,

    whose solution is never below 0. With :math:`Q_{ii} = \sum_{j \ne i} r_{ji}^2` and :math:`Q_{ij} = -r_{ji} r_{ij}`
    it is :math:`(Q + 1 1^T)^{-1} 1`, brought to the sum 1. That matrix is positive definite whatever the :math:`r_{ij}`
    are, 0 and 1 included, and the equations are solved as they stand; LIBSVM comes near by steps.

    >>> couple(np.array([[0.6 / 0.9, 0.6 / 0.7, 0.3 / 0.4]])).round(4)  # what p = .6, .3, .1 says of its pairs
    array([[0.6, 0.3, 0.1]])
    >>> couple(np.array([[1.0, 0.0, 1.0]])).round(4)  # each beats one other
    array([[0.3333, 0.3333, 0.3333]])
    """
    pairwise = np.ascontiguousarray(pairwise, dtype=np.float64)
    return _core.svm.couple_pairs(pairwise, _classes_of(pairwise.shape[1]), n_threads or parallel.n_threads())


def _classes_of(n_pairs: int) -> int:
    return round((1 + math.sqrt(1 + 8 * n_pairs)) / 2)
