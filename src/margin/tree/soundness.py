"""Whether the arrays of a tree fit together: compiled code follows them, so a damaged file must be found out before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

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
NOTHING, THRESHOLD, SUBSET, LEVEL, INTERVAL = range(5)
#: Columns and codes that the layout for walking has room for.
MOST_COLUMNS, MOST_CODES = 2**27, 2**31


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
    return next((wrong for holds, wrong in _CONDITIONS if not holds(arrays)), None)


def _has_nodes(a: Mapping[str, np.ndarray]) -> bool:
    n = len(a["ask"])
    per_node = ("column", "threshold", "missing", "cases", "weight", "impurity", "gain")
    return (
        n > 0
        and all(a[name].ndim == (2 if name == "value" else 1) for name in a)
        and all(len(a[name]) == n for name in (*per_node, "value"))
        and a["value"].shape[1] > 0
    )


def _lists_are_whole(a: Mapping[str, np.ndarray]) -> bool:
    n = len(a["ask"])
    s = len(a["surrogate_column"])
    return (
        _is_start(a["child_start"], n, len(a["child"]))
        and _is_start(a["detail_start"], n, len(a["detail"]))
        and _is_start(a["surrogate_start"], n, s)
        and len(a["surrogate_threshold"]) == len(a["surrogate_low"]) == s
        and _is_start(a["surrogate_detail_start"], s, len(a["surrogate_detail"]))
    )


def _is_start(start: np.ndarray, n: int, total: int) -> bool:
    # No differences: those of numbers far apart are beyond 64 bits, and come round as something that looks right.
    return len(start) == n + 1 and start[0] == 0 and start[-1] == total and bool((start[1:] >= start[:-1]).all())


def _is_a_tree(a: Mapping[str, np.ndarray]) -> bool:
    """Every node but the root is one branch of a node before it, so there is no way round in circles."""
    n, child = len(a["ask"]), a["child"]
    if len(child) != n - 1 or not ((child > 0) & (child < n)).all():
        return False
    parent = np.repeat(np.arange(n), np.diff(a["child_start"]))
    return bool((np.bincount(child, minlength=n)[1:] == 1).all() and (parent < child).all())


def _branches_fit(a: Mapping[str, np.ndarray]) -> bool:
    ask, branches = a["ask"], np.diff(a["child_start"])
    details = np.diff(a["detail_start"])
    expected = np.select(
        [ask == NOTHING, ask == INTERVAL, ask == LEVEL], [0, details + 1, np.maximum(branches, 1)], default=2
    )
    inner = ask != NOTHING
    columns = a["column"][inner]
    return bool(
        (ask <= INTERVAL).all()
        and (branches == expected).all()
        and ((columns >= 0) & (columns < MOST_COLUMNS)).all()
        and (a["column"][~inner] == -1).all()
        and ((a["missing"] >= -1) & (a["missing"] < np.maximum(branches, 1))).all()
        and not np.isnan(a["threshold"]).any()
    )


def _details_fit(a: Mapping[str, np.ndarray]) -> bool:
    """Codes are whole numbers; codes and cuts ascend within their list."""
    owner = np.repeat(np.arange(len(a["ask"])), np.diff(a["detail_start"]))
    return _ascend(a["detail"], owner) and _are_codes(a["detail"][a["ask"][owner] == SUBSET])


def _surrogates_fit(a: Mapping[str, np.ndarray]) -> bool:
    columns, low = a["surrogate_column"], a["surrogate_low"]
    owner = np.repeat(np.arange(len(columns)), np.diff(a["surrogate_detail_start"]))
    two_branches = np.diff(a["child_start"])[np.diff(a["surrogate_start"]) > 0] == 2
    return bool(
        ((columns >= 0) & (columns < MOST_COLUMNS)).all()
        and ((low == 0) | (low == 1)).all()
        and two_branches.all()
        and _ascend(a["surrogate_detail"], owner)
        and _are_codes(a["surrogate_detail"])
    )


def _ascend(values: np.ndarray, owner: np.ndarray) -> bool:
    return bool(((values[1:] > values[:-1]) | (owner[1:] != owner[:-1])).all() and not np.isnan(values).any())


def _are_codes(values: np.ndarray) -> bool:
    return bool(((values >= 0) & (values < MOST_CODES) & (values == np.floor(values))).all())


_CONDITIONS = (
    (_has_nodes, "some of them are of other lengths than the nodes"),
    (_lists_are_whole, "lists do not begin where those before them end"),
    (_is_a_tree, "a node is no branch of a node before it, or of two"),
    (_branches_fit, "a node has other branches than its question has answers, or asks about no column"),
    (_details_fit, "the codes or cuts of a question do not ascend"),
    (_surrogates_fit, "the questions that stand in for others do not fit"),
)
