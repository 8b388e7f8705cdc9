"""Kernels: the product of two rows in another space, computed without going there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import margin._core as _core

__all__ = ["KernelFunction"]


@dataclass(frozen=True)
class KernelFunction:
    """A kernel with its parameters as numbers.

    ``linear`` is x·z, ``poly`` (gamma x·z + coef0)^degree, ``rbf`` exp(-gamma ‖x - z‖²), ``sigmoid``
    tanh(gamma x·z + coef0); ``precomputed`` stands for a matrix of values that someone else computed.
    """

    name: str
    gamma: float = 1.0
    coef0: float = 0.0
    degree: float = 3.0

    def source(self, X: Any, single: bool = False) -> Any:
        """Kernel values among the rows of X, in the form that the solver reads them.

        X is a clean matrix: float64, float32 or CSR; for ``precomputed`` the square matrix itself. ``single`` keeps the
        values as float32.
        """
        return _core.svm.dense_source(X, self.name, self.gamma, self.coef0, self.degree, single)

    def matrix(self, X: Any, Z: Any) -> np.ndarray:
        """The kernel of every row of X with every row of Z, in float64."""
        both = np.ascontiguousarray(np.vstack([X, Z]), dtype=np.float64)
        n = len(X)
        rows, columns = np.arange(n, dtype=np.uint32), np.arange(n, len(both), dtype=np.uint32)
        return self.source(both).block(rows, columns, 1)
