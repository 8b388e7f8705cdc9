"""Whether the arrays of a tree fit together: compiled code follows them, so a damaged file must be found out before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import margin._core as _core
from margin.errors import PersistenceError

__all__ = ["sound_arrays", "what_is_unsound"]

#: The type of each array, as the core reads them.
TYPES = {
    "ask": np.uint8,
    "column": np.int32,
    "threshold": np.float64,
    "missing": np.int32,
    "value": np.float64,
    "cases": np.int64,
    "weight": np.float64,
    "impurity": np.float64,
    "gain": np.float64,
    "child_start": np.int64,
    "child": np.int32,
    "detail_start": np.int64,
    "detail": np.float64,
    "surrogate_start": np.int64,
    "surrogate_column": np.int32,
    "surrogate_threshold": np.float64,
    "surrogate_low": np.int32,
    "surrogate_detail_start": np.int64,
    "surrogate_detail": np.float64,
}


def sound_arrays(given: dict[str, Any]) -> dict[str, np.ndarray]:
    """The arrays in the types the core reads; anything that it could not follow is an error. O(nodes) time."""
    arrays = {name: np.ascontiguousarray(given[name], dtype=dtype) for name, dtype in TYPES.items()}
    wrong = what_is_unsound(arrays)
    if wrong:
        raise PersistenceError(
            f"the arrays of a tree do not fit together: {wrong} (the file is damaged; fit and save again)."
        )
    return arrays


def what_is_unsound(arrays: Mapping[str, np.ndarray]) -> str | None:
    """What does not fit together in arrays of the right types, or None. O(nodes) time."""
    n = len(arrays["ask"])
    if any(arrays[name].ndim != (2 if name == "value" else 1) for name in TYPES) or any(
        len(arrays[name]) != n for name in ("cases", "impurity", "gain")
    ):
        return "some of them are of other lengths than the nodes"
    return _core.tree.what_is_unsound(dict(arrays)) or None
