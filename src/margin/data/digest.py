"""A number that stands for a table: equal tables have equal ones, wherever and whenever they are made."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from margin.data.table import Table

__all__ = ["digest_of"]

#: Stands before everything else; a digest of other things, or of these in another order, begins otherwise.
MARK = b"margin table 1\n"


def digest_of(table: Table) -> str:
    """SHA-256 over the names, kinds and levels of the columns, in order, and their cells; 64 hexadecimal digits.

    The name of the table and the reasons for the kinds do not count; 0 and -0 are the same number, and all missing
    cells are alike.

    >>> from margin.data import Table
    >>> table = Table.from_columns({"age": [31.0, None], "sex": ["f", "m"]})
    >>> digest_of(table)[:16]
    '841460e11d0755a8'
    """
    digest = hashlib.sha256(MARK)
    digest.update(_line(table.n_rows, len(table.schema)))
    for column in table.schema:
        digest.update(_line(column.name, column.kind, [_typed(level) for level in column.levels]))
        digest.update(_bytes(table.cells(column.name)))
    return digest.hexdigest()


def _line(*values: Any) -> bytes:
    return json.dumps(values, separators=(",", ":")).encode() + b"\n"


def _typed(level: object) -> list[str]:
    """A level with its type: the word "1" is another one than the number."""
    plain = level.item() if isinstance(level, np.generic) else level
    return [type(plain).__name__, plain if isinstance(plain, str) else repr(plain)]


def _bytes(cells: np.ndarray) -> memoryview:
    """The cells, little-endian, each value in one form."""
    if cells.dtype.kind == "f":
        cells = np.where(np.isnan(cells), np.nan, cells + 0.0)
    else:
        cells = np.maximum(cells, -1)
    return memoryview(np.ascontiguousarray(cells, dtype=cells.dtype.newbyteorder("<"))).cast("B")
