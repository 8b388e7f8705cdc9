"""Codes for the values of a column of words: the step from text to what a table stores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl

__all__ = ["codes_among", "codes_of_all"]


def codes_of_all(words: pl.Series) -> tuple[tuple[str, ...], np.ndarray]:
    """The sorted distinct words, and the code of each cell among them; null is -1.

    >>> import polars as pl
    >>> codes_of_all(pl.Series(["no", None, "yes"]))
    (('no', 'yes'), array([ 0, -1,  1], dtype=int32))
    """
    import polars as pl

    levels = words.drop_nulls().unique().sort()
    # Looking words up one by one is quick while the list is short; ranking them is quicker when most differ.
    if len(levels) < len(words) // 4:
        return tuple(levels.to_list()), codes_among(words, levels.to_list())
    ranks = words.rank("dense").cast(pl.Int64) - 1
    return tuple(levels.to_list()), _stored(ranks)


def codes_among(words: pl.Series, levels: Sequence[str]) -> np.ndarray:
    """The code of each cell among given levels; null and words that are not among them are -1.

    >>> import polars as pl
    >>> codes_among(pl.Series(["low", "high", "odd"]), ["low", "high"])
    array([ 0,  1, -1], dtype=int32)
    """
    import polars as pl

    return _stored(words.cast(pl.Enum(list(levels)), strict=False).to_physical().cast(pl.Int64))


def _stored(codes: pl.Series) -> np.ndarray:
    return codes.fill_null(-1).to_numpy().astype(np.int32)
