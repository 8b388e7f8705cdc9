"""A trained machine: sums of kernels over support vectors, one or several, and a constant each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import margin._core as _core
from margin.base.representation import NO_LIMIT
from margin.svm.expansion import Expansion
from margin.svm.multiclass import Layout

__all__ = ["Machine"]


@dataclass(frozen=True, eq=False)
class Machine:
    """Decisions of one or several problems.

    Parameters
    ----------
    layout
        Which problems there are.
    expansion
        The sums; over the columns ``columns`` of X where X is a matrix of kernel values.
    intercept
        The constant of each problem.
    planes
        One row of coefficients for each problem, where the kernel is linear.
    function
        A user's kernel, which makes kernel values of rows and ``vectors``.
    """

    layout: Layout
    expansion: Expansion
    intercept: np.ndarray
    planes: np.ndarray | None = None
    function: Callable[[Any, Any], Any] | None = None
    vectors: Any = None
    columns: np.ndarray | None = None

    def decisions(self, X: Any, n_threads: int = 0) -> np.ndarray:
        """Rows × problems."""
        if self.planes is not None:
            return self._linear(X, n_threads)
        if self.function is not None:
            X = values_of(self.function, X, self.vectors)
        elif self.columns is not None:
            X = X[:, self.columns]
        return self.layout.decisions(self.expansion.sums(X, n_threads), self.intercept)

    def exactly(self) -> Machine:
        """The same with all sums in double precision."""
        return replace(self, expansion=replace(self.expansion, single=False))

    def _linear(self, X: Any, n_threads: int) -> np.ndarray:
        assert self.planes is not None
        if isinstance(X, np.ndarray):
            found = np.empty((X.shape[0], len(self.planes)))
            scores = found[:, 0] if len(self.planes) == 1 else found
            n_classes = max(2, len(self.planes))
            X = np.ascontiguousarray(X)
            if _core.linear.answer(
                X, self.planes, self.intercept, None, None, n_classes, NO_LIMIT, "scores", scores, n_threads
            ):
                return found
        return np.asarray(X @ self.planes.T) + self.intercept


def values_of(function: Callable[[Any, Any], Any], X: Any, Z: Any) -> np.ndarray:
    """What a user's kernel says of rows X and Z, checked."""
    from margin.errors import InputError

    n, m = X.shape[0], Z.shape[0]
    if n == 0 or m == 0:
        return np.empty((n, m))
    found = np.asarray(function(X, Z))
    name = getattr(function, "__name__", repr(function))
    if found.shape != (n, m) or found.dtype.kind not in "fiub":
        raise InputError(
            f"SVC(kernel={name}): the kernel must give a matrix of {n} × {m} numbers for {n} and {m} rows, but gave "
            f"{found.dtype} of the shape {found.shape}."
        )
    found = np.ascontiguousarray(found, dtype=np.float64)
    if not np.isfinite(found).all():
        row, column = np.argwhere(~np.isfinite(found))[0]
        raise InputError(
            f"SVC(kernel={name}): kernel values must be finite, but k(X[{row}], Z[{column}]) is {found[row, column]}."
        )
    return found
