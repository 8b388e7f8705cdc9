"""Whether the indices of a sparse matrix fit its shape, before SciPy's compiled code follows them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

from margin.errors import InputError
from margin.typing import Encoded

__all__ = ["check_structure"]


def check_structure(X: Encoded, who: str) -> None:
    """Refuse indices beyond a matrix of any format but CSR, and parts of it that do not belong together."""
    try:
        _CHECKS.get(X.format, _leave_to_scipy)(X)
    except (ValueError, TypeError, AttributeError, IndexError, KeyError) as error:
        raise InputError(f"{who}: the sparse X is damaged ({error}).") from None


def _leave_to_scipy(X: Any) -> None:
    if hasattr(X, "check_format"):
        type(X)(X).check_format(full_check=True)  # on a second view: the check may rewrite the indices it looks at


def _check_coordinates(X: Any) -> None:
    for places, length, what in zip(X.coords, X.shape, ("row", "column"), strict=True):
        if len(places) != len(X.data):
            raise ValueError(f"{len(places)} {what} indices for {len(X.data)} cells")
        _check_range(np.asarray(places), length, what)


def _check_lists(X: Any) -> None:
    if len(X.rows) != X.shape[0] or len(X.data) != X.shape[0]:
        raise ValueError(f"{len(X.rows)} lists of indices and {len(X.data)} of cells for {X.shape[0]} rows")
    for row, (places, cells) in enumerate(zip(X.rows, X.data)):
        if len(places) != len(cells):
            raise ValueError(f"{len(places)} column indices for {len(cells)} cells in row {row}")
    _check_range(np.array(list(chain.from_iterable(X.rows)), dtype=np.int64), X.shape[1], "column")


def _check_diagonals(X: Any) -> None:
    if X.data.ndim != 2 or np.shape(X.offsets) != X.data.shape[:1]:
        raise ValueError(f"{np.size(X.offsets)} offsets for diagonals of shape {X.data.shape}")


def _check_keys(X: Any) -> None:
    places = np.array(list(X.keys()), dtype=np.int64).reshape(-1, 2)
    for axis, what in enumerate(("row", "column")):
        _check_range(places[:, axis], X.shape[axis], what)


def _check_range(places: np.ndarray, length: int, what: str) -> None:
    outside = places[(places < 0) | (places >= length)]
    if len(outside):
        raise ValueError(f"its {what} index {outside[0]} is not one of 0 to {length - 1}")


_CHECKS: dict[str, Callable[[Any], None]] = {
    "coo": _check_coordinates,
    "dia": _check_diagonals,
    "dok": _check_keys,
    "lil": _check_lists,
}
