"""Each column of a table as a card: what it is, why, and how its values lie."""

from __future__ import annotations

import numpy as np

from margin.data import Column, Table
from margin.experiment.result import ColumnCard

__all__ = ["column_cards"]

BARS = 20
LEVELS = 6


def column_cards(table: Table, target: str) -> tuple[ColumnCard, ...]:
    """A card for every column.

    >>> table = Table.from_columns({"age": [31.0, 40.0, None], "risk": ["low", "low", "high"]})
    >>> [(card.name, card.missing, card.levels) for card in column_cards(table, "risk")]
    [('age', 1, ()), ('risk', 0, (('low', 2), ('high', 1)))]
    """
    return tuple(_card(table, column, column.name == target) for column in table.schema)


def _card(table: Table, column: Column, is_target: bool) -> ColumnCard:
    cells, missing = table.cells(column.name), table.missing(column.name)
    common = {"reason": column.reason, "missing": int(missing.sum()), "is_target": is_target}
    if column.is_numeric:
        known = cells[~missing]
        finite = known[np.isfinite(known)]
        distinct = len(np.unique(known))
        if not len(finite):
            return ColumnCard(column.name, column.kind, distinct=distinct, **common)
        low, high = float(finite.min()), float(finite.max())
        bars = _bars(finite, low, high)
        return ColumnCard(
            column.name,
            column.kind,
            distinct=distinct,
            low=low,
            mean=float(finite.mean()),
            high=high,
            bars=bars,
            **common,
        )
    counts = np.bincount(cells[~missing], minlength=len(column.levels))
    first = np.argsort(-counts, kind="stable")[:LEVELS]
    levels = tuple((str(column.levels[i]), int(counts[i])) for i in first if counts[i])
    return ColumnCard(column.name, column.kind, distinct=int((counts > 0).sum()), levels=levels, **common)


def _bars(values: np.ndarray, low: float, high: float) -> tuple[int, ...]:
    with np.errstate(over="ignore"):
        width = high - low
    if not 0 < width < np.inf:
        return (len(values),)
    places = np.minimum(((values - low) / width * BARS).astype(np.intp), BARS - 1)
    return tuple(int(n) for n in np.bincount(places, minlength=BARS))
