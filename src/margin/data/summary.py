"""A line or two about each column of a table, for people to look at before anything is learnt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from margin.data.schema import Column, Kind
from margin.data.table import Table

__all__ = ["ColumnSummary", "describe"]

#: How many of the commonest levels a summary names.
TOP_LEVELS = 5


@dataclass(frozen=True)
class ColumnSummary:
    """What a column holds. Numeric columns have a range and a mean, the others their commonest levels."""

    name: str
    kind: Kind
    reason: str
    missing: int
    distinct: int
    minimum: float | None = None
    mean: float | None = None
    maximum: float | None = None
    top: tuple[tuple[str, int], ...] = ()

    def values(self) -> str:
        """The range or the commonest levels, in words.

        >>> describe(Table.from_columns({"age": [31, 45, 47]}))[0].values()
        '31 … 47, mean 41'
        """
        if self.kind == "numeric":
            if self.mean is None:
                return "nothing but missing cells"
            return f"{self.minimum:.6g} … {self.maximum:.6g}, mean {self.mean:.4g}"
        shown = ", ".join(f"{level} ({count})" for level, count in self.top)
        return shown + (", …" if self.distinct > len(self.top) else "")


def describe(table: Table) -> list[ColumnSummary]:
    """A summary of each column, in the order of the table.

    >>> describe(Table.from_columns({"sex": ["f", "m", "f", None]}))[0].top
    (('f', 2), ('m', 1))
    """
    return [_summary(column, table.cells(column.name)) for column in table.schema]


def _summary(column: Column, cells: np.ndarray) -> ColumnSummary:
    if column.is_numeric:
        present = cells[~np.isnan(cells)]
        missing, distinct = len(cells) - len(present), len(np.unique(present))
        if not len(present):
            return ColumnSummary(column.name, column.kind, column.reason, missing, 0)
        with np.errstate(invalid="ignore", over="ignore"):  # a mean of both infinities is no number, and says so
            low, mean, high = (float(f(present)) for f in (np.min, np.mean, np.max))
        return ColumnSummary(column.name, column.kind, column.reason, missing, distinct, low, mean, high)
    counts = np.bincount(cells[cells >= 0], minlength=len(column.levels))
    # Stable, so that levels of equal count stay in their own order.
    commonest = np.argsort(-counts, kind="stable")[:TOP_LEVELS]
    top = tuple((str(column.levels[i]), int(counts[i])) for i in commonest if counts[i])
    return ColumnSummary(
        column.name, column.kind, column.reason, int((cells < 0).sum()), int((counts > 0).sum()), top=top
    )
