"""Cells of a piece as a table stores them, each read as in the whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from margin.data.kind_inference import without_marks
from margin.data.level_codes import codes_among, codes_of_all
from margin.data.parts.settling import Reading
from margin.data.schema import Column, Schema
from margin.data.table import Table
from margin.errors import DataError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["decoded"]


def decoded(
    frame: pl.DataFrame, readings: Sequence[Reading], missing: tuple[str, ...] | None, clean: bool, who: str
) -> Table:
    """The table of a piece; columns that were left out are not there.

    Unless the words are ``clean``, blanks around them do not count, and the marks in ``missing`` stand for nothing.
    """
    columns, cells = [], []
    for reading in readings:
        column, stored = _cells(frame, reading, None if clean else lambda words: _cleaned(words, missing), who)
        columns.append(column)
        cells.append(stored)
    return Table(Schema(columns), cells, n_rows=frame.height)


Clean = Callable[["pl.Series"], "pl.Series"]


def _cleaned(words: pl.Series, missing: tuple[str, ...] | None) -> pl.Series:
    return without_marks(words.to_frame(), missing).to_series()


def _cells(frame: pl.DataFrame, reading: Reading, clean: Clean | None, who: str) -> tuple[Column, np.ndarray]:
    import polars as pl

    column, n = reading.column, frame.height
    series = frame[column.name] if column.name in frame.columns else pl.Series(column.name, [None] * n, dtype=pl.Null)
    if series.null_count() == n:
        return column, np.full(n, np.nan) if column.is_numeric else np.full(n, -1, dtype=np.int32)
    if series.dtype == pl.String and clean is not None and reading.way != "lookup":
        series = clean(series)
    if reading.way == "numbers":
        numbers = series.cast(pl.Float64, strict=False)
        if numbers.null_count() > series.null_count():
            row = int((numbers.is_null() & series.is_not_null()).arg_true()[0])
            raise _changed(column, series[row], who)
        return column, numbers.fill_null(np.nan).to_numpy().astype(np.float64, copy=False)
    if reading.way == "text":
        levels, codes = codes_of_all(series.cast(pl.String))
        return replace(column, levels=levels), codes
    return column, _looked_up(series, reading, clean, who)


def _looked_up(series: pl.Series, reading: Reading, clean: Clean | None, who: str) -> np.ndarray:
    import polars as pl

    column, there = reading.column, series.is_not_null().to_numpy()
    assert reading.stored is not None
    missing = np.array([np.nan if column.is_numeric else -1], dtype=reading.stored.dtype)
    values = np.append(reading.stored, missing)  # the last place serves code -1
    if series.dtype.is_numeric():
        cells, keys = series.cast(pl.Float64).fill_null(np.nan).to_numpy(), np.array(reading.keys, dtype=np.float64)
        there = ~np.isnan(cells)
        at = np.minimum(np.searchsorted(keys, cells), len(keys) - 1)
        codes = np.where(there & (keys[at] == cells), at, -1)
    elif series.dtype == pl.Boolean:
        place = {value: i for i, value in enumerate(reading.keys)}
        codes = series.replace_strict(place, default=-1, return_dtype=pl.Int64).fill_null(-1).to_numpy()
    else:
        words = _written(series)
        codes = codes_among(words, [str(key) for key in reading.keys])
    lost = np.flatnonzero((codes < 0) & there)
    if len(lost) and clean is not None and series.dtype == pl.String:  # as a rule words need no cleaning
        return _looked_up(clean(series), reading, None, who)
    if len(lost):
        raise _changed(column, series[int(lost[0])], who)
    return values[codes]


def _written(series: pl.Series) -> pl.Series:
    import polars as pl

    if not series.dtype.is_temporal():
        return series.cast(pl.String)
    different = series.drop_nulls().unique()
    return series.replace_strict(different, pl.Series([str(value) for value in different]), return_dtype=pl.String)


def _changed(column: Column, value: object, who: str) -> DataError:
    return DataError(
        f"{who}: column {column.name!r} holds {value!r}, which it did not when it was scanned; the part has changed "
        "(scan again)."
    )
