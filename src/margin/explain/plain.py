"""Read-outs as plain data: what JSON can hold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["as_plain"]


def as_plain(value: Any) -> Any:
    """Dictionaries, lists, texts, numbers and None; numbers that are none, or infinite, are None.

    >>> as_plain({"a": (np.int64(1), np.nan), 2: np.array([0.5])})
    {'a': [1, None], '2': [0.5]}
    """
    if isinstance(value, Mapping):
        return {str(key): as_plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray):
        return as_plain(value.tolist())
    if isinstance(value, (list, tuple, set, frozenset)):
        return [as_plain(each) for each in (sorted(value, key=str) if isinstance(value, (set, frozenset)) else value)]
    if isinstance(value, np.generic):
        return as_plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
