"""Dates, as objects or as words, as seconds: an audit asks which row came first."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import numpy as np

from margin.base.objects import is_missing

__all__ = ["dates_of_levels", "dates_of_values"]

#: How dates are written besides the ISO way. Where two of them fit, and differ, the words stay words.
FORMATS = ("%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%d-%m-%Y", "%Y/%m/%d", "%b %d, %Y", "%d %b %Y")


def dates_of_values(values: Sequence[Any]) -> np.ndarray | None:
    """Date objects as seconds, missing ones as NaN; None where anything else is among them.

    >>> dates_of_values([datetime.date(1970, 1, 2), None])
    array([86400.,    nan])
    """
    if not any(issubclass(kind, (datetime.date, np.datetime64)) for kind in set(map(type, values))):
        return None
    if not all(isinstance(value, (datetime.date, np.datetime64)) or is_missing(value) for value in values):
        return None
    return np.array([np.nan if is_missing(value) else _seconds(value) for value in values])


def _seconds(value: Any) -> float:
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return float(value.timestamp())
    return float(np.datetime64(value, "us").astype(np.int64)) / 1e6


def dates_of_levels(levels: Sequence[Any]) -> np.ndarray | None:
    """Words that are all dates as seconds, else None.

    >>> dates_of_levels(["1970-01-02", "1970-01-01 00:01"]).tolist()
    [86400.0, 60.0]
    >>> dates_of_levels(["03/04/2024"]) is None  # of March or of April
    True
    """
    if (
        not levels
        or not all(isinstance(level, str) and level[:1].isalnum() for level in levels)
        or not any(character.isdigit() for character in levels[0])
    ):
        return None
    found = _iso(levels)
    if found is not None:
        return found
    readings = [seconds for form in FORMATS if (seconds := _in_format(levels, form)) is not None]
    return readings[0] if readings and all(np.array_equal(each, readings[0]) for each in readings) else None


def _iso(levels: Sequence[str]) -> np.ndarray | None:
    if not all(len(level) >= 8 and "-" in level for level in levels):
        return None  # 2024 and 202401 are numbers first
    try:
        return np.array([_seconds(datetime.datetime.fromisoformat(level)) for level in levels])
    except ValueError:
        return None


def _in_format(levels: Sequence[str], form: str) -> np.ndarray | None:
    try:
        return np.array([_seconds(datetime.datetime.strptime(level, form)) for level in levels])
    except ValueError:
        return None
