"""Kernels: the product of two rows in another space, computed without going there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

import margin._core as _core
from margin.errors import InputError

__all__ = ["KernelFunction"]

# Fewer rows than this are computed in float64: there is little to save.
FEW_ROWS = 2_000
# Exponents up to this have errors of about 1e-6 in float32: gamma times the largest squared distance from the mean.
LARGEST_SINGLE_EXPONENT = 8.0
# Squared lengths beyond this would come near the end of the range of float32.
LARGEST_SINGLE_SQUARE = 1e30


@dataclass(frozen=True)
class KernelFunction:
    """A kernel with its parameters as numbers.

    ``linear`` is x·z, ``poly`` (gamma x·z + coef0)^degree, ``rbf`` exp(-gamma ‖x - z‖²), ``sigmoid``
    tanh(gamma x·z + coef0); ``precomputed`` stands for a matrix of values that someone else computed.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 2.0], [3.0, 1.0]])
    >>> KernelFunction("poly", gamma=1.0, coef0=1.0, degree=2.0).matrix(X, X).tolist()
    [[36.0, 36.0], [36.0, 121.0]]
    """

    name: str
    gamma: float = 1.0
    coef0: float = 0.0
    degree: float = 3.0

    def source(self, X: Any, single: bool | str = "auto") -> Any:
        """Kernel values among the rows of X, in the form that the solver reads them.

        X is a clean matrix: float64, float32 or CSR; for ``precomputed`` the square matrix itself. ``single`` keeps the
        values as float32; "auto" does so where rows are many and the error is certainly about 1e-6 or less.
        """
        if self.name == "precomputed":
            return _core.svm.matrix_source(_dense(X))
        if not isinstance(single, str):
            up_to = LARGEST_SINGLE_SQUARE if single else -1.0
        else:
            up_to = LARGEST_SINGLE_EXPONENT if self.name == "rbf" and X.shape[0] > FEW_ROWS else -1.0
        numbers = (self.name, self.gamma, self.coef0, self.degree, up_to)
        if sp.issparse(X):
            made = _core.svm.csr_source(X.data, X.indices, X.indptr, X.shape[1], *numbers)
        else:
            made = _core.svm.dense_source(_dense(X), *numbers)
        if self.name != "rbf" and not np.isfinite(made.diagonal()).all():
            row = int(np.flatnonzero(~np.isfinite(made.diagonal()))[0])
            raise InputError(
                f"{self.name} kernel: row {row} has a kernel value beyond the range of numbers (scale the columns, or "
                "choose a smaller gamma or degree)."
            )
        return made

    def matrix(self, X: Any, Z: Any, n_threads: int = 0) -> np.ndarray:
        """The kernel of every row of X with every row of Z, in float64."""
        if self.name == "precomputed":
            return np.asarray(X)
        X, Z = (np.asarray(each.toarray() if sp.issparse(each) else each, dtype=np.float64) for each in (X, Z))
        X, Z = np.ascontiguousarray(X), np.ascontiguousarray(Z)
        numbers = (self.name, self.gamma, self.coef0, self.degree, n_threads)
        return _core.svm.kernel_values(X, Z, self.center_of(Z), *numbers)

    def center_of(self, X: np.ndarray) -> np.ndarray:
        """What can be taken from all rows without changing the kernel: the means, or nothing."""
        if self.name != "rbf":
            return np.empty(0)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = X.mean(axis=0, dtype=np.float64) if len(X) else np.zeros(X.shape[1])
        return np.where(np.isfinite(mean), mean, 0.0)

    def is_exact_in_single(self, largest_square: float) -> bool:
        """Whether float32 is exact enough for rows of so large a squared length, for RBF times gamma."""
        return self.name == "rbf" and largest_square <= LARGEST_SINGLE_EXPONENT


def _dense(X: Any) -> np.ndarray:
    X = np.asarray(X)
    return np.ascontiguousarray(X, dtype=X.dtype if X.dtype in (np.float32, np.float64) else np.float64)
