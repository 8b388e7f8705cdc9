"""Each column of a table as a card: what it is, why, and how its values lie."""

from __future__ import annotations

import numpy as np

from margin.data import Table
from margin.data.schema import INPUT_KINDS
from margin.data.summary import ColumnSummary, describe
from margin.experiment.result import ColumnCard

__all__ = ["column_cards"]

BARS = 20


def column_cards(table: Table, target: str = "", texts: frozenset[str] = frozenset()) -> tuple[ColumnCard, ...]:
    """A card for every column; ``texts`` are the columns of free text that some model reads.

    >>> table = Table.from_columns({"age": [31.0, 40.0, None], "risk": ["low", "low", "high"]})
    >>> [(card.name, card.missing, card.levels) for card in column_cards(table, "risk")]
    [('age', 1, ()), ('risk', 0, (('low', 2), ('high', 1)))]
    """
    return tuple(_card(summary, table, target, texts) for summary in describe(table))


def _card(summary: ColumnSummary, table: Table, target: str, texts: frozenset[str]) -> ColumnCard:
    return ColumnCard(
        name=summary.name,
        kind=summary.kind,
        reason=summary.reason,
        missing=summary.missing,
        distinct=summary.distinct,
        low=summary.minimum,
        mean=summary.mean,
        high=summary.maximum,
        bars=_bars(table.cells(summary.name)) if summary.kind == "numeric" else (),
        levels=summary.top,
        is_target=summary.name == target,
        is_input=summary.name != target and (summary.kind in INPUT_KINDS or summary.name in texts),
    )


def _bars(cells: np.ndarray) -> tuple[int, ...]:
    """Counts in equal bins between the least and the greatest finite number."""
    values = cells[np.isfinite(cells)]
    if not len(values):
        return ()
    low, high = values.min(), values.max()
    with np.errstate(over="ignore"):
        width = high - low
    if not 0 < width < np.inf:
        return (len(values),)
    places = np.minimum(((values - low) / width * BARS).astype(np.intp), BARS - 1)
    return tuple(int(n) for n in np.bincount(places, minlength=BARS))
