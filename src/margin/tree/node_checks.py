"""Whether the arrays of a tree fit together: compiled code follows them, so a damaged file must be found out before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import margin._core as _core
from margin.errors import PersistenceError

__all__ = ["sound_arrays", "what_is_unsound"]

#: The type of each array, as the core has them.
TYPES = {name: np.dtype(dtype) for name, dtype, _ in _core.tree.arrays()}
#: What each array has an entry, or a row, for: "node", "child", …; "start" for those that say where lists begin.
ROWS = {name: rows for name, _, rows in _core.tree.arrays()}


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
    if any(arrays[name].ndim != (2 if name == "value" else 1) for name in TYPES):
        return "some of them are of other lengths than the nodes"
    return _core.tree.what_is_unsound(dict(arrays)) or None
