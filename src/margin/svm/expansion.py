"""Sums of kernels: f(x) = Σ a_j k(x_j, x), the answers of every machine with a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.svm.kernels import KernelFunction

__all__ = ["Expansion"]


@dataclass(frozen=True)
class Expansion:
    """Several sums over the same vectors, which may stand in parts that are summed apart.

    Parameters
    ----------
    kernel
        The function.
    vectors
        The rows that are summed over: float64, float32 or CSR. For a precomputed kernel their number: the columns of
        the matrix that is then given instead of rows.
    coef
        One row for each sum, one column for each vector.
    bounds
        Where each part of the vectors begins, and the end. One-versus-one has a part for each class and one sum less
        than classes, so that all pairs share the kernel values.
    """

    kernel: KernelFunction
    vectors: Any
    coef: np.ndarray
    bounds: np.ndarray

    def sums(self, X: Any, n_threads: int = 0) -> np.ndarray:
        """Rows × parts × sums, float64."""
        values = X if self.kernel.name == "precomputed" else self.kernel.matrix(X, self.vectors)
        parts = [
            values[:, begin:end] @ self.coef[:, begin:end].T
            for begin, end in zip(self.bounds[:-1], self.bounds[1:], strict=True)
        ]
        return np.stack(parts, axis=1)
