"""A trained machine: sums of kernels over support vectors, one or several, and a constant each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import margin._core as _core
from margin.base.representations.representation import NO_LIMIT
from margin.svm.kernel_machine.multiclass import Layout
from margin.svm.kernels.expansion import Expansion
from margin.svm.kernels.matrix import values_of
from margin.typing import Encoded

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

    def decisions(self, X: Encoded, n_threads: int = 0) -> np.ndarray:
        """Rows × problems."""
        if self.planes is not None:
            return self._linear(X, n_threads)
        if self.function is not None:
            X = values_of(self.function, X, self.vectors, "SVC")
        elif self.columns is not None:
            X = X[:, self.columns]
        return self.layout.decisions(self.expansion.sums(X, n_threads), self.intercept, n_threads)

    def exactly(self) -> Machine:
        """The same with all sums in double precision."""
        return replace(self, expansion=replace(self.expansion, single=False))

    def _linear(self, X: Encoded, n_threads: int) -> np.ndarray:
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
