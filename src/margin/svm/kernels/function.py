"""Kernels: the product of two rows in another space, computed without going there.

Each is a struct in ``native/include/margin/svm/kernel/kernel.hpp``; names and traits are read from there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

import margin._core as _core
from margin.base.representations.tiny_columns import TINY, UNSQUARABLE
from margin.errors import InputError, ParameterError, closest
from margin.typing import Encoded, TableLike

__all__ = ["FAMILY", "KERNELS", "KernelFunction", "KernelTraits", "kernel_function", "traits_of", "unheard_below"]

# Fewer rows than this are computed in float64: there is little to save.
FEW_ROWS = 2_000
# In place of a squared length: float32 is never exact enough, or not wanted.
NEVER_SINGLE = -1.0
# Squared lengths beyond this would come near the end of the range of float32.
LARGEST_SINGLE_SQUARE = 1e30


@dataclass(frozen=True)
class KernelTraits:
    """What a kernel says of itself, as it stands in ``native/include/margin/svm/kernel/kernel.hpp``.

    Parameters
    ----------
    name, formula
        What it is called and what it is.
    parameters
        Those of gamma, coef0 and degree that it reads.
    of_distance
        Whether it is a function of ‖x - z‖² alone: the means of the columns may be taken from all rows.
    positive_definite
        Whether it is the product of two rows in some space, for parameters of at least 0 and whole degrees.
    single_up_to
        The largest squared length of a row, scaled as the kernel does it, up to which float32 is exact enough.
    """

    name: str
    formula: str
    parameters: tuple[str, ...]
    of_distance: bool
    positive_definite: bool
    single_up_to: float


#: Every kernel that the core has, by name.
FAMILY = {traits[0]: KernelTraits(*traits) for traits in _core.svm.kernels()}
#: A matrix of values that someone else computed, about which nothing is known.
PRECOMPUTED = KernelTraits("precomputed", "", (), False, False, NEVER_SINGLE)
#: Other names: a "gaussian" is "rbf" with a width sigma instead of gamma.
ALIASES = {"gaussian": "rbf"}


def traits_of(name: str) -> KernelTraits:
    """What is known of the kernel of a name, whatever its parameters."""
    return PRECOMPUTED if name == "precomputed" else FAMILY[name]


def _with_aliases(name: str) -> tuple[str, ...]:
    return (name, *(alias for alias, of in ALIASES.items() if of == name))


#: The names that users write.
KERNELS = (*(each for name in FAMILY for each in _with_aliases(name)), "precomputed")


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

    @property
    def traits(self) -> KernelTraits:
        return traits_of(self.name)

    def in_core(self) -> Any:
        """The kernel as the core takes it."""
        return _core.svm.kernel(self.name, self.gamma, self.coef0, self.degree)

    def source(self, X: Encoded, single: bool | str = "auto") -> Any:
        """Kernel values among the rows of X, in the form that the solver reads them.

        X is a clean matrix: float64, float32 or CSR; for ``precomputed`` the square matrix itself. ``single`` keeps the
        values as float32; "auto" does so where rows are many and the error is certainly about 1e-6 or less.
        """
        if self.name == "precomputed":
            return _core.svm.matrix_source(dense(X))
        kernel = self.in_core()  # first: it refuses a name that the family does not have
        if not isinstance(single, str):
            up_to = LARGEST_SINGLE_SQUARE if single else NEVER_SINGLE
        else:
            up_to = self.traits.single_up_to if X.shape[0] > FEW_ROWS else NEVER_SINGLE
        if sp.issparse(X):
            X = canonical(X)
            made = _core.svm.csr_source(X.data, X.indices, X.indptr, X.shape[1], kernel, up_to)
        else:
            made = _core.svm.dense_source(dense(X), kernel, up_to)
        self._refuse_roots(X)
        if not self.traits.of_distance and not np.isfinite(made.diagonal()).all():
            row = int(np.flatnonzero(~np.isfinite(made.diagonal()))[0])
            raise InputError(
                f"{self.name} kernel: row {row} has a kernel value beyond the range of numbers (scale the columns, or "
                "choose a smaller gamma or degree)."
            )
        return made

    def matrix(self, X: Encoded, Z: Any, n_threads: int = 0) -> np.ndarray:
        """The kernel of every row of X with every row of Z, in float64."""
        if self.name == "precomputed":
            return np.asarray(X)
        kernel = self.in_core()
        X, Z = (np.asarray(each.toarray() if sp.issparse(each) else each, dtype=np.float64) for each in (X, Z))
        X, Z = np.ascontiguousarray(X), np.ascontiguousarray(Z)
        self._refuse_roots(X, Z)
        return _core.svm.kernel_values(X, Z, self.center_of(Z), kernel, n_threads)

    def center_of(self, X: np.ndarray) -> np.ndarray:
        """What can be taken from all rows without changing the kernel: the means, or nothing."""
        if not self.traits.of_distance:
            return np.empty(0)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = X.mean(axis=0, dtype=np.float64) if len(X) else np.zeros(X.shape[1])
        return np.where(np.isfinite(mean), mean, 0.0)

    def is_exact_in_single(self, largest_square: float) -> bool:
        """Whether float32 is exact enough for rows of so large a squared length, as the kernel scales them."""
        return largest_square <= self.traits.single_up_to

    def _refuse_roots(self, *rows: Any) -> None:
        """Refuse a power that is no whole number where what it is taken of might be negative."""
        if self.name != "poly" or float(self.degree).is_integer():
            return
        cells = [X.data if sp.issparse(X) else X for X in rows]
        squares = [(X.multiply(X) if sp.issparse(X) else np.square(X)).sum(axis=1) for X in rows]
        reach = self.gamma * np.sqrt(float(squares[0].max(initial=0)) * float(squares[-1].max(initial=0)))
        positive = self.coef0 >= 0 and all(np.min(each, initial=0) >= 0 for each in cells)
        if not positive and self.coef0 < reach:
            raise ParameterError(
                f"poly kernel(degree={self.degree}): a degree that is no whole number needs gamma x·z + coef0 of at "
                f"least 0 for all rows, which coef0={self.coef0} does not ensure (let degree be a whole number, coef0 "
                f"at least {reach:.4g}, or all cells and coef0 at least 0)."
            )


def kernel_function(
    kernel: str | KernelFunction,
    X: TableLike,
    *,
    gamma: float | str = "scale",
    sigma: float | None = None,
    coef0: float = 0.0,
    degree: float = 3.0,
    who: str = "kernel_function",
) -> KernelFunction:
    """The kernel of a name, with numbers for its parameters.

    ``gamma`` is a number, "scale" for 1 / (columns · variance of all cells of X) or "auto" for 1 / columns; ``sigma``
    is the width of a Gaussian, exp(-‖x - z‖² / 2σ²), another way to say gamma.

    >>> import numpy as np
    >>> kernel_function("gaussian", np.zeros((3, 2)), sigma=0.5).gamma
    2.0
    """
    if isinstance(kernel, KernelFunction):
        return kernel
    if kernel not in KERNELS:
        names = ", ".join(repr(name) for name in KERNELS)
        raise ParameterError(
            f"{who}(kernel={kernel!r}): kernel must be one of {names} or a function{closest(kernel, KERNELS)}."
        )
    if kernel == "gaussian" and sigma is None:
        raise ParameterError(f"{who}(kernel='gaussian'): a Gaussian needs its width sigma (kernel='rbf' takes gamma).")
    if sigma is not None:
        if ALIASES.get(kernel, kernel) != "rbf" or gamma != "scale":
            raise ParameterError(f"{who}(sigma={sigma!r}): sigma is for a Gaussian (rbf) kernel without gamma.")
        gamma = 0.5 / _number(sigma, "sigma", who, lowest=0.0, above=True) ** 2
    return KernelFunction(
        ALIASES.get(kernel, kernel),
        _gamma(gamma, X, who),
        _number(coef0, "coef0", who),
        _number(degree, "degree", who, lowest=0.0),
    )


def _gamma(gamma: float | str, X: Encoded, who: str) -> float:
    if not isinstance(gamma, str):
        return _number(gamma, "gamma", who, lowest=0.0)
    if gamma not in ("scale", "auto"):
        raise ParameterError(f"{who}(gamma={gamma!r}): gamma must be 'scale', 'auto' or a number of at least 0.")
    variance = 1.0 if gamma == "auto" else variance_of(X)
    return 1.0 / (X.shape[1] * variance) if variance > 0 and X.shape[1] > 0 else 1.0


def unheard_below(kernel: str, gamma: float | str, C: float) -> float:
    """The magnitude below which a column decides nothing; 0 for values that someone else computed.

    >>> unheard_below("rbf", "scale", 1.0) < unheard_below("linear", "scale", 1.0) < 1e-12
    True
    """
    if kernel not in FAMILY:
        return 0.0
    if "gamma" not in FAMILY[kernel].parameters:
        return TINY / math.sqrt(max(1.0, C))
    if gamma == "scale":
        return UNSQUARABLE
    return TINY / math.sqrt(max(1.0, C * (1.0 if isinstance(gamma, str) else float(gamma))))


def variance_of(X: Encoded) -> float:
    """The variance of all cells of a matrix, stored or not."""
    n = max(1, X.shape[0] * X.shape[1])
    cells = np.asarray(X.data if sp.issparse(X) else X, dtype=np.float64)
    mean = float(cells.sum()) / n
    return (float(np.square(cells - mean).sum()) + (n - cells.size) * mean**2) / n if cells.size else 0.0


def _number(value: Any, name: str, who: str, lowest: float = -np.inf, above: bool = False) -> float:
    fine = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not fine or not np.isfinite(value) or value < lowest or (above and value == lowest):
        bound = "" if lowest == -np.inf else f" above {lowest:g}" if above else f" of at least {lowest:g}"
        raise ParameterError(f"{who}({name}={value!r}): {name} must be a number{bound}.")
    return float(value)


def canonical(X: Encoded) -> Any:
    """CSR with ascending columns, cells of float64 or float32, and places of one type."""
    X = X if X.format == "csr" else X.tocsr()
    if X.data.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if X.indices.dtype != X.indptr.dtype:
        X = X.copy()
        X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def dense(X: Encoded) -> np.ndarray:
    """Rows one after another, float64 or float32."""
    X = X.toarray() if sp.issparse(X) else np.asarray(X)
    return np.ascontiguousarray(X, dtype=X.dtype if X.dtype in (np.float32, np.float64) else np.float64)
