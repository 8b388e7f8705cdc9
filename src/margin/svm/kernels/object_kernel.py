"""Kernels of objects of any kind: a function of two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from margin.errors import InputError, InputTypeError, ParameterError

__all__ = ["ObjectKernel", "objects_of"]


class ObjectKernel:
    r"""A kernel that is a function of two objects: texts, trees, sets, whatever the function takes.

    With ``SVC(kernel=ObjectKernel(function))``, and all other machines with kernels, X is a list of objects or an array
    of them. Called with two lists it gives the matrix of kernel values (:func:`margin.kernel_matrix`,
    :func:`margin.check_kernel`). The function is called once for each pair, and taken to be symmetric: n (n + 1) / 2
    times for n training objects, and for each new object once with each support vector.

    Parameters
    ----------
    function
        k(x, z) as a number, of two objects. It must be symmetric and should be positive semi-definite
        (:func:`margin.check_kernel` looks at both, for which it calls the function in both orders).
    normalize
        Divide by :math:`\sqrt{k(x, x)\, k(z, z)}`, so that every object has the kernel 1 with itself. An object whose
        k(x, x) is 0 has the kernel 0 with all.

    Examples
    --------
    >>> shared = ObjectKernel(lambda x, z: len(x & z), normalize=True)
    >>> shared([{"to", "be"}], [{"to", "be"}, {"to", "do"}, {"or"}]).round(3)
    array([[1. , 0.5, 0. ]])
    >>> from margin import SVC
    >>> baskets = [{"milk", "bread"}, {"milk", "tea"}, {"nails", "saw"}, {"saw", "glue"}]
    >>> model = SVC(kernel=shared).fit(baskets, ["food", "food", "tools", "tools"])
    >>> model.predict([{"bread", "tea"}, {"nails"}]).tolist()
    ['food', 'tools']
    """

    def __init__(self, function: Callable[[Any, Any], Any], *, normalize: bool = False) -> None:
        if not callable(function):
            raise ParameterError(f"ObjectKernel(function={function!r}): function must be a function of two objects.")
        self.function = function
        self.normalize = normalize

    def __call__(self, X: Iterable[Any], Z: Iterable[Any] | None = None) -> np.ndarray:
        """The kernel of every object of X with every object of Z."""
        first = objects_of(X, "ObjectKernel")
        second = first if Z is None else objects_of(Z, "ObjectKernel")
        values = np.array([[self._value(x, z, i, j) for j, z in enumerate(second)] for i, x in enumerate(first)])
        values = values.reshape(len(first), len(second))
        return self._normalised(values, self.diagonal(first), self.diagonal(second)) if self.normalize else values

    def among(self, X: np.ndarray) -> np.ndarray:
        """The kernel of every pair of objects, each computed once."""
        values = np.zeros((len(X), len(X)))
        for i, x in enumerate(X):
            for j in range(i + 1):
                values[i, j] = values[j, i] = self._value(x, X[j], i, j)
        own = np.diag(values).copy()
        return self._normalised(values, own, own) if self.normalize else values

    def diagonal(self, X: np.ndarray) -> np.ndarray:
        """The kernel of every object with itself, not normalised."""
        return np.array([self._value(x, x, i, i) for i, x in enumerate(X)], dtype=np.float64)

    def _normalised(self, values: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        for own in (first, second):
            if (own < 0).any():
                row = int((own < 0).argmax())
                raise InputError(
                    f"ObjectKernel(normalize=True): no object may have a kernel below 0 with itself, but object {row} "
                    f"has {own[row]:g} (such a function is no kernel)."
                )
        length = np.sqrt(first[:, None] * second[None])
        return np.divide(values, length, out=np.zeros_like(values), where=length > 0)

    def _value(self, x: Any, z: Any, i: int, j: int) -> float:
        found = self.function(x, z)
        try:
            value = float(found)
        except (TypeError, ValueError):
            raise InputError(
                f"ObjectKernel: the function must give a number, but gave {found!r} for objects {i} and {j}."
            ) from None
        if not np.isfinite(value):
            raise InputError(f"ObjectKernel: kernel values must be finite, but that of objects {i} and {j} is {value}.")
        return value

    def __repr__(self) -> str:
        name = getattr(self.function, "__name__", repr(self.function))
        return f"ObjectKernel({name}, normalize={self.normalize})"


def objects_of(X: Any, who: str) -> np.ndarray:
    """A list of objects as an array of them; a table of one column is its cells, a matrix of numbers its rows."""
    if isinstance(X, (str, bytes, dict, set, frozenset)) or not hasattr(X, "__len__"):
        raise InputTypeError(f"{who}: X must be a list or an array of objects, but is {type(X).__name__}.")
    if getattr(X, "ndim", 1) == 2 and X.shape[1] == 1:
        X = np.asarray(X)[:, 0]
    found = np.empty(len(X), dtype=object)
    for i, each in enumerate(X if isinstance(X, (list, tuple)) else np.asarray(X)):
        found[i] = each  # one by one: lists of equal length would become columns
    return found
