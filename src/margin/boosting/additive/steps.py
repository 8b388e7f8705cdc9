"""One round of an additive model, and the rows that it is about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from margin.base.representations.mixed import MixedData
from margin.boosting.additive.trees import AdditiveTrees

__all__ = ["Part", "Step"]


@dataclass(eq=False)
class Part:
    """Rows to learn from or to judge by, and the sums of the trees so far."""

    X: MixedData
    y: np.ndarray
    weight: np.ndarray
    sums: np.ndarray

    def add(self, trees: list[AdditiveTrees], n_threads: int) -> None:
        for column, tree in enumerate(trees):
            self.sums[:, column] += tree.each(self.X, n_threads)[:, 0]


@dataclass(frozen=True, eq=False)
class Step:
    """What the next trees are fitted to, a row for each sum, and how good the sums so far are."""

    weight: np.ndarray
    target: np.ndarray
    loss: float
    error: float
