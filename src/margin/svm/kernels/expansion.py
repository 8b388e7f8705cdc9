"""Sums of kernels: f(x) = Σ a_j k(x_j, x), the answers of every machine with a kernel."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

import margin._core as _core
from margin.errors import InputError
from margin.svm.kernels.function import KernelFunction, canonical, dense

__all__ = ["Expansion"]

# Fewer vectors than this are summed in float64: there is little to save.
FEW_VECTORS = 500
# Coefficients beyond this would leave the range of float32 when they are summed up.
LARGEST_SINGLE = 1e30
# The core reads so many coefficients beyond the last vector.
SPARE = 48


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
    single
        Whether kernel values may be float32: "auto" where there are many vectors and the error of a sum is certainly
        about a millionth of Σ |a_j| or less; False for float64.

    Examples
    --------
    >>> import numpy as np
    >>> from margin.svm.kernels.function import KernelFunction, canonical, dense
    >>> vectors = np.array([[0.0, 1.0], [2.0, 0.0], [1.0, 1.0]])
    >>> f = Expansion(KernelFunction("linear"), vectors, np.array([[1.0, -1.0, 0.5]]), np.array([0, 3]))
    >>> f.sums(np.array([[2.0, 4.0]])).tolist()
    [[[3.0]]]
    """

    kernel: KernelFunction
    vectors: Any
    coef: np.ndarray
    bounds: np.ndarray
    single: bool | str = "auto"

    def sums(self, X: Any, n_threads: int = 0) -> np.ndarray:
        """Rows × parts × sums, float64."""
        n_columns = self.vectors if self.kernel.name == "precomputed" else self.vectors.shape[1]
        if X.ndim != 2 or X.shape[1] != n_columns:
            raise InputError(f"Expansion.sums: rows must have {n_columns} columns, but have the shape {X.shape}.")
        shape = (X.shape[0], len(self.bounds) - 1, len(self.coef))
        if 0 in shape:
            return np.zeros(shape)
        if self.kernel.name == "precomputed":
            values = np.ascontiguousarray(X, dtype=np.float64)
            coef = np.ascontiguousarray(self.coef, dtype=np.float64)
            return _core.svm.matrix_sums(values, coef, self._bounds, n_threads).reshape(shape)
        if sp.issparse(self.vectors):
            coef, vectors, kernel = self._stored
            rows = self._store(X, coef.dtype == np.float32, kernel)
            return _core.svm.csr_sums(rows, vectors, X.shape[1], coef, self._bounds, kernel, n_threads).reshape(shape)
        return _core.svm.sums(dense(X), *self._packed, n_threads).reshape(shape)

    @property
    def _bounds(self) -> np.ndarray:
        return np.ascontiguousarray(self.bounds, dtype=np.int64)

    def _is_single(self, largest_square: float) -> bool:
        """Whether float32 is exact enough, given the largest squared length of a vector as the kernel scales it."""
        if not isinstance(self.single, str):
            return self.single and largest_square < LARGEST_SINGLE
        return (
            self.vectors.shape[0] >= FEW_VECTORS
            and self.kernel.is_exact_in_single(largest_square)
            and np.abs(self.coef).max(initial=0) < LARGEST_SINGLE
        )

    @cached_property
    def _packed(self) -> tuple[Any, ...]:
        """The vectors side by side as the core multiplies them, and the kernel; made once, never saved."""
        vectors = np.ascontiguousarray(self.vectors, dtype=np.float64)
        mean = self.kernel.center_of(vectors)
        kernel = self.kernel.in_core()
        given = (vectors, self._bounds, mean, kernel)
        packed, squares, bounds = _core.svm.pack_full(*given)
        if self._is_single(squares.max(initial=0)):
            packed, squares, bounds = _core.svm.pack_single(*given)
        coef = np.zeros((len(self.coef), bounds[-1] + SPARE), dtype=squares.dtype)
        for begin, end, to in zip(self.bounds[:-1], self.bounds[1:], bounds[:-1], strict=True):
            coef[:, to : to + end - begin] = self.coef[:, begin:end]
        return packed, squares, coef, bounds, mean, kernel

    @cached_property
    def _stored(self) -> tuple[np.ndarray, tuple[np.ndarray, ...], Any]:
        """Coefficients, the vectors in the form that the core reads, and the kernel; made once, never saved."""
        kernel = self.kernel.in_core()
        vectors = self._store(self.vectors, False, kernel)
        single = self._is_single(float(vectors[3].max(initial=0)))
        if single:
            vectors = self._store(self.vectors, True, kernel)
        coef = np.zeros((len(self.coef), self.coef.shape[1] + SPARE), np.float32 if single else np.float64)
        coef[:, : self.coef.shape[1]] = self.coef
        return coef, vectors, kernel

    def _store(self, X: Any, single: bool, kernel: Any) -> tuple[np.ndarray, ...]:
        store = _core.svm.store_single if single else _core.svm.store_full
        X = canonical(X if sp.issparse(X) else sp.csr_array(X))
        found: tuple[np.ndarray, ...] = store(X.data, X.indices, X.indptr, X.shape[1], kernel)
        return found

    def __getstate__(self) -> dict[str, Any]:
        """What was given: the rest is derived again."""
        return {field.name: getattr(self, field.name) for field in fields(self)}
