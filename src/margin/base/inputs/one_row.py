"""One row of words and numbers, or a list of records, read at once: what a service asks about.

The long way looks at a table as if nothing were known of it: which columns there are, of which kind, what is missing.
For one row that costs a hundred times what the answer does. Here cells are taken that can mean one thing only: a plain
number in a column of numbers, a known word in a column of words, None, NaN. Anything else sends the row the long way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import margin._core as _core
from margin.data.kind_inference import MISSING
from margin.data.schema import Schema
from margin.data.table import Table

__all__ = ["RowReader"]

_NUMBERS = frozenset({float, int, np.float64, np.float32, np.int64, np.int32})
_NUMBERS_OR_NONE = _NUMBERS | {type(None)}


class RowReader:
    """Reads single rows of learnt columns: dictionaries, lists and tuples, rows of arrays, tables and data frames.

    The cells are read in one call of the core, which also puts them where a representation has them.
    """

    def __init__(self, schema: Schema, left_out: frozenset[str]) -> None:
        self.names = schema.names
        self.left_out = left_out
        #: For each column the codes of its words, or None if it holds numbers.
        self.codes = [None if c.is_numeric else _codes_of_words(c.levels) for c in schema]
        self.core = _core.data.RowReader(tuple(self.names), tuple(self.codes), left_out, _NUMBERS)

    def cells(self, X: Any, largest: float) -> list[Any] | None:
        """A number or a code for each column; None where the row is to be read the long way, or is not one."""
        return self.core.cells(self.row_in(X), largest)

    def row_in(self, X: Any) -> Any:
        """X, or a list of its only row if it is a table, a frame of pandas or an array of objects."""
        kind = type(X)
        if kind is np.ndarray:
            return [X[0].tolist()] if X.dtype == object and X.shape == (1, len(self.names)) else X
        if kind is Table:
            return [_of_table(X)] if X.n_rows == 1 else X
        if kind.__name__ == "DataFrame" and kind.__module__.partition(".")[0] == "pandas" and len(X) == 1:
            return [_of_frame(X)]
        return X

    def columns(self, records: Sequence[Any], largest: float) -> list[np.ndarray] | None:
        """The numbers or codes of each column of a list of records; None where they are to be read the long way."""
        rows = [self._by_name(record) if type(record) is dict else None for record in records]
        if None in rows:
            return None
        found = []
        for values, codes in zip(zip(*rows), self.codes, strict=True):
            cells = _numbers(values, largest) if codes is None else _known_words(values, codes)
            if cells is None:
                return None
            found.append(cells)
        return found

    def _by_name(self, row: dict[Any, Any]) -> list[Any] | None:
        extra = len(row) - len(self.names)
        if extra < 0 or (extra and sum(name in row for name in self.left_out) != extra):
            return None
        try:
            return [row[name] for name in self.names]
        except KeyError:
            return None


def _of_frame(frame: Any) -> dict[Any, Any] | None:
    """Column by column: a row as an array or a tuple takes pandas ten times as long."""
    names, columns = frame.columns.tolist(), getattr(frame, "_iter_column_arrays", None)
    # what pandas walks its columns by takes a quarter of the time, but is not promised to stay
    cells = [frame.iat[0, at] for at in range(len(names))] if columns is None else [array[0] for array in columns()]
    row = dict(zip(names, cells))
    return row if len(row) == len(names) else None


def _of_table(table: Table) -> dict[str, Any] | None:
    """Words for codes: whether another table's codes are those that were learnt is not known."""
    row: dict[str, Any] = {}
    for column in table.schema:
        cell = table.cells(column.name)[0]
        if column.is_numeric:
            row[column.name] = cell
        elif column.kind in ("nominal", "ordinal", "identifier"):
            row[column.name] = column.levels[cell] if cell >= 0 else None
        else:
            return None
    return row


def _numbers(values: Sequence[Any], largest: float) -> np.ndarray | None:
    if not _NUMBERS_OR_NONE.issuperset(map(type, values)):
        return None
    try:
        cells = np.array(values, dtype=np.float64)
    except OverflowError:  # an integer beyond all floats
        return None
    return cells if not (np.abs(cells) > largest).any() else None


def _known_words(values: Sequence[Any], codes: dict[Any, int]) -> np.ndarray | None:
    found = list(map(codes.get, values)) if {str, type(None)}.issuperset(map(type, values)) else [None]
    return None if None in found else np.array(found, dtype=np.int32)


def _codes_of_words(levels: tuple[Any, ...]) -> dict[Any, int]:
    """The codes of levels that are words, and no marks that a file or frame has for missing cells; None is missing."""
    words = {level: code for code, level in enumerate(levels) if type(level) is str and level not in MISSING}
    return {**words, None: -1}
