"""Codes for the values of a column of words: the step from text to what a table stores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ENOUGH_WORDS", "codes_among", "codes_of_all", "in_number_order", "levels_of_numbers", "names_of_rows"]

#: Words are names of rows if this share of them differ, in columns of more rows than this.
NEARLY_ALL_DIFFERENT, ENOUGH_WORDS = 0.99, 50

#: Below so many cells a query takes longer to plan than the cells take to look at.
SHORT = 1000


def codes_of_all(words: pl.Series) -> tuple[tuple[str, ...], np.ndarray]:
    """The sorted distinct words, and the code of each cell among them; null is -1.

    >>> import polars as pl
    >>> codes_of_all(pl.Series(["no", None, "yes"]))
    (('no', 'yes'), array([ 0, -1,  1], dtype=int32))
    """
    import polars as pl

    if len(words) < SHORT:
        return _codes_of_few(words.to_list())
    levels = words.drop_nulls().unique().sort()
    # Looking words up one by one is quick while the list is short; ranking them is quicker when most differ.
    if len(levels) < len(words) // 4:
        return tuple(levels.to_list()), codes_among(words, levels.to_list())
    ranks = words.rank("dense").cast(pl.Int64) - 1
    return tuple(levels.to_list()), _stored(ranks)


def _codes_of_few(words: list[str | None]) -> tuple[tuple[str, ...], np.ndarray]:
    levels = tuple(sorted({word for word in words if word is not None}))  # by code points, as polars sorts
    places: dict[str | None, int] = {None: -1} | {level: place for place, level in enumerate(levels)}
    return levels, np.fromiter((places[word] for word in words), np.int32, len(words))


def codes_among(words: pl.Series, levels: Sequence[str]) -> np.ndarray:
    """The code of each cell among given levels; null and words that are not among them are -1.

    >>> import polars as pl
    >>> codes_among(pl.Series(["low", "high", "odd"]), ["low", "high"])
    array([ 0,  1, -1], dtype=int32)
    """
    import polars as pl

    return _stored(words.cast(pl.Enum(list(levels)), strict=False).to_physical().cast(pl.Int64))


def levels_of_numbers(numbers: np.ndarray) -> tuple[tuple[Any, ...], np.ndarray]:
    """The different numbers in order, whole ones as such, and the code of each cell; NaN is -1.

    >>> levels_of_numbers(np.array([10.0, 2.0, np.nan]))
    ((2, 10), array([ 1,  0, -1], dtype=int32))
    """
    present = ~np.isnan(numbers)
    distinct, codes = np.unique(numbers[present], return_inverse=True)
    whole = bool(np.all(np.abs(distinct) < 2**53) and np.all(distinct == np.floor(distinct)))
    cells = np.full(len(numbers), -1, dtype=np.int32)
    cells[present] = codes
    return tuple(distinct.astype(np.int64).tolist() if whole else distinct.tolist()), cells


def in_number_order(levels: tuple[str, ...]) -> tuple[str, ...]:
    """Words that are all numbers in the order of these, others as they come.

    >>> in_number_order(("10", "2")), in_number_order(("b", "a"))
    (('2', '10'), ('b', 'a'))
    """
    try:
        return tuple(sorted(levels, key=float))
    except ValueError:
        return levels


def _stored(codes: pl.Series) -> np.ndarray:
    return codes.fill_null(-1).to_numpy().astype(np.int32)


def names_of_rows(distinct: int, rows: int) -> bool:
    """Whether so many different words are names of the rows.

    >>> names_of_rows(100, 101), names_of_rows(90, 101), names_of_rows(14, 14)
    (True, False, False)
    """
    return rows > ENOUGH_WORDS and distinct >= NEARLY_ALL_DIFFERENT * rows
