"""Columns of dates: their levels are the words as they were written, checked once to be dates in one order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from margin.data.level_codes import codes_of_all
from margin.data.schema import Column
from margin.data.written.dates import read_dates

if TYPE_CHECKING:
    import polars as pl

__all__ = ["dated_column"]


def dated_column(words: pl.Series, name: str, reason: str) -> tuple[Column, np.ndarray] | None:
    """The column that words make if all of them are dates, else None; null is a missing cell.

    >>> import polars as pl
    >>> dated_column(pl.Series(["1/2/2024", None]), "day", "dates")[0].reason
    'dates, the month taken to stand before the day'
    """
    levels, codes = codes_of_all(words)
    found = read_dates(levels)
    if found is None and levels:
        return None
    open_ = found is not None and not found.told
    return Column(name, "date", levels, reason + ", the month taken to stand before the day" * open_), codes
