"""One line about the columns of a frame that a model does not learn from, or learns from as very many words."""

from __future__ import annotations

from margin.data.frames.dataframes import CATEGORICAL
from margin.data.schema import Column
from margin.data.table import Table
from margin.errors import DataWarning, warn

__all__ = ["MANY_LEVELS", "warn_of_columns"]

#: More different words than this in a column are worth a word: each is a column of its own to a model of numbers.
MANY_LEVELS = 100


def warn_of_columns(given: Table, inputs: Table, text: frozenset[str], who: str) -> None:
    """Say which columns are left out and why, and which are read as words with very many levels, ``text`` aside."""
    lost = [c for c in given.schema if c.name not in inputs.names and c.name not in text]
    left = [f"{c.name!r} ({c.reason})" for c in lost]
    wide = [f"{c.name!r} ({len(c.levels):,})" for c in inputs.schema if _is_wide(c)]
    told = [f"column{'s' * (len(left) > 1)} {_listed(left)} {_are(left)} left out"] if left else []
    if wide:
        told.append(f"column{'s' * (len(wide) > 1)} {_listed(wide)} {_are(wide)} read as words with very many levels")
    if told:
        example = next(c.name for c in (*lost, *inputs.schema) if c in lost or _is_wide(c))
        hint = f"drop what is not meant, or read X with margin.read(X, kinds={{{example!r}: …}})"
        warn(f"{who}: {'; '.join(told)} ({hint}).", DataWarning)


def _listed(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _are(names: list[str]) -> str:
    return "are" if len(names) > 1 else "is"


def _is_wide(column: Column) -> bool:
    """Whether words were read that differ very much; whoever made a column categorical knows."""
    return column.kind not in ("date", "text") and len(column.levels) > MANY_LEVELS and column.reason != CATEGORICAL
