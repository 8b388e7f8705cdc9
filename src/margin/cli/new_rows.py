"""Rows for a saved model, read as its training table was: the columns it is asked with, and the truth, if any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from margin.data import Table

__all__ = ["inputs_of"]


def inputs_of(file: str, about: dict[str, Any], told: dict[str, Any]) -> tuple[Table, np.ndarray | None]:
    """The rows of a file without the target, and the target, or None where the file has none."""
    from margin.errors import PersistenceError
    from margin.experiment import read_new_rows

    if "target" not in about:
        what = "several targets" if "targets" in about else "no notes on how its table was read"
        raise PersistenceError(f"explain: the model has {what} (use margin.explain in Python).")
    table, target = read_new_rows(file, about, told), about["target"]
    if target not in table.names:
        return table, None
    return table.drop(target), table.values(target)
