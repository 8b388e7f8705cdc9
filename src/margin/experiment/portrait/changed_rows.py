"""Rows with one column changed, asked about in few large questions: a model is far quicker that way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from margin.data import Table

__all__ = ["asked"]

#: Rows of one question.
MOST_AT_ONCE = 20_000


def asked(
    model: Any, table: Table, changes: Sequence[tuple[str, np.ndarray]], read: Any
) -> Iterator[tuple[str, np.ndarray]]:
    """For each change the name of its column, and what ``read`` makes of the model's answers to the changed rows.

    A change is a column and the cells that stand in it, one for each row of ``table``.
    """
    n, at_once = len(table), max(1, MOST_AT_ONCE // max(len(table), 1))
    for first in range(0, len(changes), at_once):
        some = changes[first : first + at_once]
        rows = np.tile(np.arange(n), len(some))
        cells = {name: table.cells(name)[rows] for name in table.names}
        for place, (name, changed) in enumerate(some):
            cells[name][place * n : (place + 1) * n] = changed
        found = read(model, Table(table.schema, list(cells.values()), table.name, len(rows)))
        for place, (name, _) in enumerate(some):
            yield name, found[place * n : (place + 1) * n]
