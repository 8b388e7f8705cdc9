"""What sets of labels are, for models and for evaluations alike: a row may have several labels, one or none."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.data.table import Table
from margin.errors import LabelError

__all__ = ["are_label_sets", "count_columns", "sets_of"]


def sets_of(y: Any, who: str) -> list[Any] | None:
    """The label sets of a list, an array or a series of them; None where y is something else.

    Only ``set`` and ``frozenset`` are sets: a list of lists is a table with a column for each target.

    >>> sets_of([{"rain"}, set()], "fit")
    [{'rain'}, set()]
    >>> sets_of([["rain"], ["sun"]], "fit") is None
    True
    """
    rows = _rows_of(y)
    if not _hold_sets(rows):
        return None
    for row, labels in enumerate(rows):
        if not isinstance(labels, (set, frozenset)):
            raise LabelError(f"{who}: y must be a set of labels in every row, but row {row} holds {labels!r}.")
    return rows


def are_label_sets(y: Any) -> bool:
    """Whether rows have several labels: a table of several columns, or a list of sets, lists or tuples.

    >>> are_label_sets([{"a"}, {"a", "b"}]), are_label_sets(np.zeros((4, 2))), are_label_sets(["a", "b"])
    (True, True, False)
    """
    if hasattr(y, "tocsr"):
        return True
    if isinstance(y, Table) or (not isinstance(y, np.ndarray) and hasattr(y, "columns")):
        return count_columns(y) > 1
    if isinstance(y, np.ndarray) and y.ndim == 2:
        return y.shape[1] > 1
    rows = _rows_of(y)
    if _hold_sets(rows):
        return True
    # A list of one-element lists is a column of labels, written upright.
    listed = bool(rows) and all(isinstance(row, (list, tuple, np.ndarray)) for row in rows)
    return listed and {len(row) for row in rows} != {1}


def count_columns(y: Any) -> int:
    """How many columns a table has."""
    return len(y.names) if isinstance(y, Table) else len(y.columns)


def _rows_of(y: Any) -> list[Any]:
    """What stands in the rows of a list, an array or a series of Python objects; nothing of anything else."""
    if isinstance(y, np.ndarray):
        return y.tolist() if y.dtype == object and y.ndim == 1 else []
    if isinstance(y, (list, tuple)):
        return list(y)
    return y.to_list() if hasattr(y, "to_list") and str(getattr(y, "dtype", "")) in ("object", "Object") else []


def _hold_sets(rows: list[Any]) -> bool:
    return any(issubclass(kind, (set, frozenset)) for kind in set(map(type, rows)))
