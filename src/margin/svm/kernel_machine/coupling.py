r"""Probabilities of several classes out of machines for pairs of them.

Each pair has a sigmoid of its own, learnt from the rows of its two classes, that makes
:math:`r_{ab} = P(a \mid a, b, x)` of its decision. The probabilities of all classes are those that fit all pairs best,

.. math:: \min_p\ \sum_{a \ne b} (r_{ba}\, p_a - r_{ab}\, p_b)^2, \qquad \sum_a p_a = 1.

Wu, Lin, Weng (2004), their second method, which LIBSVM has too.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from margin.base.meta.calibration_maps import Sigmoid
from margin.base.meta.coupling import couple
from margin.svm.kernel_machine.multiclass import Layout

__all__ = ["SUREST", "PairedCurves"]

#: A pair is never surer than this: a probability of 0 would overrule all other pairs.
SUREST = 1e-7


class PairedCurves:
    """A sigmoid for each pair of classes, in the order of a layout of pairs, and what follows for the classes.

    Examples
    --------
    >>> y = np.array([0, 0, 1, 1, 2, 2])
    >>> decisions = np.array([[2, 1, 0], [1, 2, 0], [-1, 0, 3], [-2, 0, 1], [0, -2, -1], [0, -1, -2]], dtype=float)
    >>> curves = PairedCurves.learnt(Layout(3, "one_vs_one"), decisions, y, np.ones(6))
    >>> curves.shares(decisions).argmax(axis=1).tolist()
    [0, 0, 1, 1, 2, 2]
    """

    def __init__(self, n_classes: int, curves: Sigmoid) -> None:
        self.n_classes = n_classes
        self.curves = curves

    @classmethod
    def learnt(cls, layout: Layout, decisions: np.ndarray, y: np.ndarray, weight: np.ndarray) -> PairedCurves:
        """From decisions of all pairs about rows of classes y. Every class must have a row."""
        curves = Sigmoid()
        found = []
        for pair, (first, second) in enumerate(zip(*layout.pairs)):
            own = (y == first) | (y == second)
            hit = (y[own] == first).astype(np.int32)
            one = Sigmoid().learn(decisions[own, pair : pair + 1], hit, weight[own])
            found.append((one.slope[0], one.offset[0]))
        curves.slope, curves.offset = np.array(found).T
        return cls(layout.n_classes, curves)

    def shares(self, decisions: np.ndarray, n_threads: int = 1) -> np.ndarray:
        """Rows × classes, out of rows × pairs."""
        pairs = expit(decisions * self.curves.slope + self.curves.offset)
        return couple(np.clip(pairs, SUREST, 1 - SUREST), n_threads)
