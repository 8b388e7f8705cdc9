"""Kernels looked at: the matrix of values, whether it is a kernel at all, and the space behind a polynomial one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb, factorial
from typing import Any

import numpy as np
import scipy.sparse as sp

from margin.errors import InputError, ParameterError, unreadable
from margin.svm.kernels.function import KernelFunction, kernel_function
from margin.typing import Encoded, TableLike

__all__ = ["KernelCheck", "check_kernel", "explicit_map", "kernel_matrix"]

# Squares of larger numbers overflow when they are added up.
LARGEST = 1e150
# More cells than this are not made (eight bytes each).
MOST_CELLS = 2**28

Kernel = str | KernelFunction | Callable[[Any, Any], Any]


def kernel_matrix(
    X: Encoded,
    Z: Any = None,
    *,
    kernel: Kernel = "rbf",
    gamma: float | str = "scale",
    sigma: float | None = None,
    coef0: float = 0.0,
    degree: float = 3.0,
) -> np.ndarray:
    r"""The kernel of every row of X with every row of Z (of X itself, if Z is not given).

    Parameters
    ----------
    X, Z
        Rows of numbers, dense or sparse; for a function of the user's whatever it takes.
    kernel
        "linear" :math:`x \cdot z`, "poly" :math:`(\gamma\, x \cdot z + r)^d`, "rbf" :math:`e^{-\gamma \|x - z\|^2}`,
        "gaussian" :math:`e^{-\|x - z\|^2 / 2\sigma^2}`, "sigmoid" :math:`\tanh(\gamma\, x \cdot z + r)`, or a function
        of two sets of rows that gives the matrix.
    gamma
        A number, "scale" for 1 / (columns · variance of all cells of X), or "auto" for 1 / columns.
    sigma
        The width of a Gaussian, instead of gamma.
    coef0, degree
        r and d.

    Examples
    --------
    >>> kernel_matrix([[1, 2], [0, 1]], [[3, 1]], kernel="poly", gamma=1, coef0=1, degree=2)
    array([[36.],
           [ 4.]])
    """
    who = "kernel_matrix"
    if callable(kernel) and not isinstance(kernel, KernelFunction):
        return values_of(kernel, X, X if Z is None else Z, who)
    X = rows_of(X, who, "X")
    of = X if Z is None else rows_of(Z, who, "Z")
    if X.shape[1] != of.shape[1]:
        raise InputError(f"{who}: X and Z must have the same columns, but have {X.shape[1]} and {of.shape[1]}.")
    function = kernel_function(kernel, X, gamma=gamma, sigma=sigma, coef0=coef0, degree=degree, who=who)
    if function.name == "precomputed":
        raise ParameterError(f"{who}(kernel='precomputed'): the values of a precomputed kernel are the matrix itself.")
    return function.matrix(X, of)


@dataclass(frozen=True)
class KernelCheck:
    """Whether a matrix of values can be that of a kernel, k(x, z) = φ(x)·φ(z): symmetric, no eigenvalue below 0.

    Eigenvalues are those of the symmetric part; one counts as below 0 if rounding alone cannot have made it so.
    """

    n_rows: int
    symmetric: bool
    #: The largest |k(x, z) - k(z, x)|.
    largest_asymmetry: float
    smallest_eigenvalue: float
    largest_eigenvalue: float
    positive_semidefinite: bool
    #: All values lie between these two.
    smallest_value: float
    largest_value: float
    #: The smallest and the largest k(x, x).
    smallest_diagonal: float
    largest_diagonal: float

    def __bool__(self) -> bool:
        return self.symmetric and self.positive_semidefinite

    def __str__(self) -> str:
        symmetric = "symmetric" if self.symmetric else f"not symmetric (off by up to {self.largest_asymmetry:.3g})"
        definite = "positive semi-definite" if self.positive_semidefinite else "not positive semi-definite"
        verdict = "a kernel on these rows" if self else "no kernel"
        return (
            f"{verdict}: {symmetric}, {definite} (eigenvalues from {self.smallest_eigenvalue:.6g} to "
            f"{self.largest_eigenvalue:.6g} over {self.n_rows} rows);\nvalues from {self.smallest_value:.6g} to "
            f"{self.largest_value:.6g}, k(x, x) {self._diagonal()}"
        )

    def _diagonal(self) -> str:
        if self.smallest_diagonal == self.largest_diagonal:
            return f"= {self.largest_diagonal:.6g}"
        return f"from {self.smallest_diagonal:.6g} to {self.largest_diagonal:.6g}"


def check_kernel(
    kernel: Any,
    X: Encoded = None,
    *,
    gamma: float | str = "scale",
    sigma: float | None = None,
    coef0: float = 0.0,
    degree: float = 3.0,
) -> KernelCheck:
    """Whether a kernel is one, on the rows X: its values symmetric, and no eigenvalue of them below 0.

    ``kernel`` is a name or a function as for :func:`kernel_matrix`, or the square matrix of values itself. Passing on
    some rows proves nothing about others; failing does. O(n³) time.

    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> print(check_kernel("linear", X))
    a kernel on these rows: symmetric, positive semi-definite (eigenvalues from 0 to 10 over 3 rows);
    values from 0 to 9, k(x, x) from 0 to 9
    >>> print(check_kernel(lambda X, Z: np.abs(X - Z.T), X))
    no kernel: symmetric, not positive semi-definite (eigenvalues from -3.20191 to 4.11309 over 3 rows);
    values from 0 to 3, k(x, x) = 0
    """
    named = isinstance(kernel, (str, KernelFunction)) or callable(kernel)
    if named and X is None:
        raise ParameterError("check_kernel: rows X are needed to check a function on (or give the matrix of values).")
    if named:
        values = kernel_matrix(X, kernel=kernel, gamma=gamma, sigma=sigma, coef0=coef0, degree=degree)
    else:
        values = rows_of(kernel, "check_kernel", "the matrix", largest=np.inf)
        values = values.toarray() if sp.issparse(values) else values
    if values.shape[0] != values.shape[1]:
        raise InputError(f"check_kernel: the matrix must be square, but is {values.shape[0]} × {values.shape[1]}.")
    return _checked(values)


def _checked(values: np.ndarray) -> KernelCheck:
    n = len(values)
    scale = float(np.abs(values).max(initial=0))
    ends = [
        each for part in (values, np.diag(values)) for each in (part.min(initial=np.inf), part.max(initial=-np.inf))
    ]
    unit = scale if scale > 0 else 1.0  # so that no sum of huge values overflows
    values = values / unit
    asymmetry = float(np.abs(values - values.T).max(initial=0))
    eigenvalues = np.linalg.eigvalsh((values + values.T) / 2) if n else np.zeros(1)
    rounding = 10 * n * np.finfo(float).eps
    low, high = float(eigenvalues[0]), float(eigenvalues[-1])
    bound = rounding * max(abs(low), abs(high))
    low, high = (0.0 if abs(each) <= bound else each for each in (low, high))
    ends = [float(each) if n else 0.0 for each in ends]
    return KernelCheck(n, asymmetry <= 1e-12, asymmetry * unit, low * unit, high * unit, low >= 0, *ends)


def explicit_map(X: Encoded, degree: int = 2, coef0: float = 1.0, gamma: float = 1.0) -> np.ndarray:
    r"""The space behind a polynomial kernel: rows φ(x) with :math:`φ(x) \cdot φ(z) = (\gamma\, x \cdot z + r)^d`.

    Each column is a product of cells with the root of how often it comes up, :math:`\sqrt{\tbinom{d}{\alpha}
    r^{d - |\alpha|} \gamma^{|\alpha|}}\; x^\alpha`: for m columns :math:`\tbinom{m + d}{d}` of them, or
    :math:`\tbinom{m + d - 1}{d}` where r is 0.

    >>> explicit_map([[3, 5]], degree=2, coef0=0).round(4).tolist()
    [[9.0, 21.2132, 25.0]]
    >>> explicit_map([[3, 5]], degree=2, coef0=1).shape
    (1, 6)
    """
    who = "explicit_map"
    X = rows_of(X, who, "X")
    X = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    if not isinstance(degree, (int, np.integer)) or isinstance(degree, bool) or degree < 0:
        raise ParameterError(f"{who}(degree={degree!r}): degree must be a whole number of at least 0.")
    for name, value in (("coef0", coef0), ("gamma", gamma)):
        if not np.isfinite(value) or value < 0:
            raise ParameterError(f"{who}({name}={value!r}): {name} must be a number of at least 0 (no real map else).")
    m = X.shape[1]
    n_columns = comb(m + degree, degree) if coef0 > 0 else comb(max(m + degree - 1, 0), degree)
    if n_columns * max(1, len(X)) > MOST_CELLS:
        raise InputError(
            f"{who}: {len(X)} rows × {n_columns} products are more than fit (the kernel needs none of them)."
        )
    columns = [
        np.sqrt(times) * np.prod(X[:, list(product)], axis=1) for product, times in _products(m, degree, coef0, gamma)
    ]
    return np.column_stack(columns) if columns else np.zeros((len(X), 0))


def _products(m: int, degree: int, coef0: float, gamma: float) -> Iterator[tuple[tuple[int, ...], float]]:
    """The columns of each product, and the factor that it has in the expanded power."""
    for size in range(degree + 1):
        constant = float(coef0) ** (degree - size)
        if constant == 0:
            continue
        for product in combinations_with_replacement(range(m), size):
            ways = factorial(degree) / factorial(degree - size)
            for column in set(product):
                ways /= factorial(product.count(column))
            yield product, ways * constant * float(gamma) ** size


def values_of(function: Callable[[Any, Any], Any], X: TableLike, Z: Any, who: str) -> np.ndarray:
    """What a user's kernel says of rows X and Z, checked."""
    X, Z = (_array_of(each) for each in (X, Z))
    n, m = (each.shape[0] if hasattr(each, "shape") else len(each) for each in (X, Z))
    name = getattr(function, "__name__", repr(function))
    try:
        found = function(X, Z)
    except Exception as error:
        raise InputError(
            f"{who}(kernel={name}): the kernel failed on {n} and {m} rows ({type(error).__name__}: {error}); it must "
            "take two tables of rows and give a matrix (a function of two single objects goes into ObjectKernel)."
        ) from error
    found = np.asarray(found.toarray() if sp.issparse(found) else found)
    if found.shape != (n, m) or found.dtype.kind not in "fiub":
        raise InputError(
            f"{who}(kernel={name}): the kernel must give a matrix of {n} × {m} numbers for {n} and {m} rows, but gave "
            f"{found.dtype} of the shape {found.shape}."
        )
    found = np.ascontiguousarray(found, dtype=np.float64)
    if not np.isfinite(found).all():
        row, column = np.argwhere(~np.isfinite(found))[0]
        raise InputError(
            f"{who}(kernel={name}): kernel values must be finite, but that of rows {row} and {column} is "
            f"{found[row, column]}."
        )
    return found


def _array_of(X: Encoded) -> Any:
    """Lists of numbers as an array; texts and whatever else a function may take as they are."""
    if not isinstance(X, (list, tuple)):
        return X
    try:
        found = np.array(X)
    except ValueError:  # lists of tokens of different lengths
        return X
    return found if found.dtype.kind in "fiub" else X


def rows_of(X: TableLike, who: str, name: str, largest: float = LARGEST) -> Any:
    """Rows of finite numbers: float64 in order, or CSR."""
    try:
        X = sp.csr_array(X, dtype=np.float64) if sp.issparse(X) else np.ascontiguousarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{who}: {name} must be rows of numbers (dense or sparse).") from None
    except Exception as error:
        raise InputError(f"{who}: {unreadable(name, X, error)}") from None
    if X.ndim != 2:
        raise InputError(f"{who}: {name} must be rows of numbers, in two dimensions, but has {X.ndim}.")
    cells = X.data if sp.issparse(X) else X
    if not np.isfinite(cells).all() or np.abs(cells).max(initial=0) > largest:
        bound = "" if largest == np.inf else f" and at most {largest:g}"
        raise InputError(
            f"{who}: {name} holds a cell that is missing, infinite or too large; cells must be finite{bound}."
        )
    return X
