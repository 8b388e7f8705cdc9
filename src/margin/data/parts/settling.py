"""What a column is, from what was kept of all its pieces: the rule of ``kind_inference.py`` on words and their counts.

The outcome is a :class:`Reading`: the column as the whole table would have it, and how a piece of it becomes cells.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from margin.data.kind_inference import (
    ALMOST_NUMERIC,
    ENOUGH_NUMBERS,
    LEADING_ZERO,
    LONG_WORDS,
    NAME_OF_ROWS,
    RUNNING_NUMBER_ROWS,
    Written,
    as_numbers,
    infer_stripped,
    infer_words,
    truth_values,
)
from margin.data.level_codes import ENOUGH_WORDS, levels_of_numbers, names_of_rows
from margin.data.parts.summary import FEW, ColumnSummary
from margin.data.schema import Column, Kind
from margin.data.written.date_columns import dated_column
from margin.errors import DataError, DataWarning, warn

__all__ = ["Reading", "reading_of"]


@dataclass(frozen=True)
class Reading:
    """A column, and how its cells are read.

    ``way`` is ``"numbers"`` (as they are), ``"lookup"`` (each value of ``keys`` stands for that of ``stored``),
    ``"text"`` (words, whatever they are) or ``"left out"`` (never read); ``counts`` says how often each level comes.
    """

    column: Column
    storage: str
    way: str
    keys: tuple[Any, ...] = ()
    stored: np.ndarray | None = None
    counts: tuple[int, ...] = ()
    missing: int = 0
    low: float = np.nan
    high: float = np.nan


def reading_of(found: ColumnSummary, about: Written, dropped: bool = False) -> Reading:
    """What the column is and how it is read."""
    if about.declared is not None and about.declared.kind in ("identifier", "text"):
        column = Column(about.name, about.declared.kind, (), "as told")
        return Reading(column, found.storage, "text" if column.kind == "text" else "left out", missing=found.missing)
    if found.storage == "numbers" and about.declared is not None and about.declared.kind != "numeric":
        return _declared_numbers(found, about)
    if found.storage == "" or (found.storage == "numbers" or found.plain):
        return _numbers(found, about)
    assert found.values is not None
    values, counts = list(found.values), np.array(list(found.values.values()), dtype=np.int64)
    if found.storage == "truth":
        stored = np.array(values, dtype=np.int32)
        return _lookup(Column(about.name, "nominal", (False, True), "truth values"), values, stored, counts, found)
    column, stored = _typed(values, found.storage, about) or _words(values, counts, found, about)
    if column.kind in ("identifier", "text"):
        column = replace(column, levels=())
        return Reading(column, found.storage, "text" if column.kind == "text" else "left out", missing=found.missing)
    return _lookup(column, values, stored, counts, found)


def _lookup(column: Column, values: list[Any], stored: np.ndarray, counts: np.ndarray, found: ColumnSummary) -> Reading:
    if column.is_numeric:
        missing, there = found.missing + int(counts[np.isnan(stored)].sum()), stored[~np.isnan(stored)]
        low, high = (float(there.min()), float(there.max())) if len(there) else (np.nan, np.nan)
        return Reading(column, found.storage, "lookup", tuple(values), stored, (), missing, low, high)
    missing = found.missing + int(counts[stored < 0].sum())
    of_levels = np.bincount(stored[stored >= 0], counts[stored >= 0], len(column.levels)).astype(np.int64)
    return Reading(column, found.storage, "lookup", tuple(values), stored, tuple(of_levels.tolist()), missing)


def _typed(values: list[Any], storage: str, about: Written) -> tuple[Column, np.ndarray] | None:
    """Columns whose type says what they are."""
    import polars as pl

    if about.declared is not None or storage not in ("dates", "categories"):
        return None
    if storage == "categories":
        return Column(about.name, "nominal", tuple(values), "it is categorical"), np.arange(len(values), dtype=np.int32)
    return dated_column(pl.Series(values, dtype=pl.String), about.name, "its cells are dates")


def _numbers(found: ColumnSummary, about: Written) -> Reading:
    if found.rows == found.missing:
        column = Column(about.name, "numeric", reason="every cell is missing" if about.declared is None else "as told")
        return Reading(column, found.storage, "numbers", missing=found.missing)
    named = about.unnamed or NAME_OF_ROWS.match(about.name)
    if named and not about.is_target and about.declared is None and found.rows > RUNNING_NUMBER_ROWS and found.steady:
        column = Column(about.name, "identifier", (), "a running number names the rows")
        return Reading(column, found.storage, "left out", missing=found.missing)
    reason = "as told" if about.declared is not None else numeric_reason(found.missing, "", found.few, found.rows)
    column, values = Column(about.name, "numeric", reason=reason), found.values
    keys = tuple(sorted(values)) if about.is_target and values else ()
    return Reading(column, found.storage, "numbers", keys, None, (), found.missing, found.low, found.high)


def numeric_reason(missing: int, writing: str, few: tuple[float, ...] | None, rows: int) -> str:
    """Why a column is numeric, in the words of the rule."""
    reason = ", ".join(filter(None, ["every cell is a number", writing, f"{missing} missing" * bool(missing)]))
    if few is not None and 1 < len(few) <= FEW and rows > 10 * len(few):
        reason += f"; {len(few)} different whole numbers, so it may be nominal"
    return reason


def _declared_numbers(found: ColumnSummary, about: Written) -> Reading:
    """Numbers that are levels, because somebody says so."""
    assert about.declared is not None
    if found.values is None or about.declared.kind not in ("nominal", "ordinal") or about.declared.levels is not None:
        raise DataError(
            f"{about.who}: column {about.name!r} holds numbers, which cannot be read as {about.declared.kind} with "
            "these levels here (leave the levels out, or write the column as words)."
        )
    numbers = np.array(sorted(found.values))
    levels, codes = levels_of_numbers(numbers)
    counts = np.array([found.values[number] for number in numbers.tolist()], dtype=np.int64)
    return _lookup(Column(about.name, about.declared.kind, levels, "as told"), numbers.tolist(), codes, counts, found)


def _words(values: list[str], n: np.ndarray, found: ColumnSummary, about: Written) -> tuple[Column, np.ndarray]:
    """The rule on different words ``values`` that come ``n`` times each."""
    import polars as pl

    words = pl.Series(values, dtype=pl.String)
    if about.declared is not None:
        return infer_stripped(words, about)
    if (truth := truth_values(words)) is not None:
        return Column(about.name, "nominal", (False, True), "truth values"), truth
    if not words.str.contains(r"\d").any():
        return _named(words, n, about)
    numbers = as_numbers(words, about)
    count, strays = int(n[~numbers.values.is_null().to_numpy()].sum()), int(n[numbers.strays].sum())
    if not count or count < ALMOST_NUMERIC * (count + strays):
        return _named(words, n, about)
    zeros = words.str.contains(LEADING_ZERO).arg_true()
    if len(zeros):
        return _named(words, n, about, f"leading zeros, as in {words[int(zeros[0])]!r}, make names of numbers")
    if not strays:
        stored = numbers.values.cast(float).fill_null(np.nan).to_numpy().astype(np.float64)
        missing, different = found.missing + int(n[np.isnan(stored)].sum()), np.unique(stored[~np.isnan(stored)])
        whole = len(different) <= FEW and bool(np.all(different == np.floor(different)))
        few = tuple(different.tolist()) if whole else None
        return Column(about.name, "numeric", reason=numeric_reason(missing, numbers.writing, few, found.rows)), stored
    if count < ENOUGH_NUMBERS:
        return _named(words, n, about)
    warn(
        f"{about.who}: column {about.name!r} is nominal because not every cell is a number: {strays} of "
        f"{count + strays} are not, the first {values[int(numbers.strays[0])]!r} "
        f"(kinds={{{about.name!r}: 'nominal'}} if this is meant).",
        DataWarning,
    )
    column, codes = infer_words(words, replace(about, is_target=True))
    return Column(about.name, "nominal", column.levels, f"{strays} of its cells are not numbers"), codes


def _named(words: Any, n: np.ndarray, about: Written, because: str = "") -> tuple[Column, np.ndarray]:
    """Words that are no numbers: levels, dates, names of rows or sentences."""
    column, codes = infer_words(words, replace(about, is_target=True), because)
    distinct, rows = len(words), int(n.sum())
    if about.is_target or column.kind != "nominal" or rows <= ENOUGH_WORDS or distinct < rows / 2:
        return column, codes
    parts = (words.str.count_matches(r"\s+").to_numpy().astype(np.float64) @ n) / rows + 1.0
    kind: Kind = "nominal"
    reason = column.reason
    if parts > LONG_WORDS:
        kind, reason = "text", "sentences, nearly all different" if distinct < rows else "sentences, all different"
    elif names_of_rows(distinct, rows):
        kind, reason = "identifier", f"{distinct} different words in {rows} cells name the rows"
    return replace(column, kind=kind, reason=reason), codes
