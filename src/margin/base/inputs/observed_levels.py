"""The levels that training rows hold: a model knows nothing of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base.inputs.arrays import row_count
from margin.base.inputs.columns import Columns
from margin.base.inputs.date_parts import learn_dates, with_date_parts
from margin.data.schema import Column, Schema
from margin.data.table import Table

__all__ = ["JOINED", "in_order", "keep_observed_levels"]

#: In nominal columns of more levels than this, those of fewer rows than this are joined, for models of numbers.
MANY_LEVELS, RARE = 100, 3
#: The reason of such a column ends so.
JOINED = "rare ones joined"


def keep_observed_levels(
    columns: Columns, table: Table, join_rare: bool = False, waves: bool = True
) -> tuple[Columns, Table]:
    """Only the levels that training rows hold, so that a model knows nothing of rows it has not seen.

    Nominal levels are put into sorted order: the order in which categories were declared changes nothing. With
    ``join_rare``, levels of very few rows among very many levels are joined with all that may come later unseen: each
    would be a column of its own that says nothing about other rows. Dates become what is made of them, with ``waves``
    as models of numbers want it.
    """
    named = [c.name for c in table.schema if c.kind == "date" and c.name not in columns.text]
    dates = learn_dates(table, named, waves) if named else ()
    if dates:
        table = with_date_parts(table, dates, "dates")
    described, cells = [], []
    for column in table.schema:
        codes = table.cells(column.name)
        if not column.is_numeric and column.name not in columns.text:
            column, codes = _observed(column, codes, join_rare)
        described.append(column)
        cells.append(codes)
    # The model remembers no texts, only that a column is text; the rows keep theirs.
    remembered = Schema(replace(column, levels=()) if column.name in columns.text else column for column in described)
    known = Columns(len(remembered), remembered, columns.text, columns.left_out, columns.dates or dates)
    return known, Table(Schema(described), cells, n_rows=row_count(table))


def _observed(column: Column, codes: np.ndarray, join_rare: bool) -> tuple[Column, np.ndarray]:
    n_levels = len(column.levels)
    codes = np.ascontiguousarray(codes)
    counts = np.asarray(_core.data.level_counts(codes, n_levels, parallel.n_threads()))
    seen = np.flatnonzero(counts)
    if join_rare and column.kind == "nominal" and len(seen) > MANY_LEVELS and (counts >= RARE).any():
        rare = len(seen)
        seen = np.flatnonzero(counts >= RARE)
        column = replace(column, reason=f"{column.reason}, {rare - len(seen)} {JOINED}")
    if column.kind != "ordinal":
        seen = in_order(column.levels, seen)
    if np.array_equal(seen, np.arange(n_levels)):
        return column, codes
    new_codes = np.full(len(column.levels) + 1, -1, dtype=np.int32)  # the last place serves code -1
    new_codes[seen] = np.arange(len(seen))
    levels = tuple(column.levels[i] for i in seen)
    return Column(column.name, column.kind, levels, column.reason), new_codes[codes]


def in_order(levels: Sequence[Any], seen: np.ndarray) -> np.ndarray:
    """Numbers before words, each sorted; levels that cannot be compared go by how they are written."""
    try:
        return np.array(sorted(seen, key=lambda i: _sort_key(levels[i])), dtype=np.intp)
    except TypeError:
        return np.array(sorted(seen, key=lambda i: (type(levels[i]).__name__, str(levels[i]))), dtype=np.intp)


def _sort_key(level: object) -> tuple[str, Any]:
    is_number = isinstance(level, (int, float, np.number)) and not isinstance(level, bool)
    return ("", level) if is_number else (type(level).__name__, level)
