"""Several files with the same columns as one table, what its columns are decided over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from margin.data.kind_inference import infer_numbers, infer_stripped, infer_words
from margin.data.readers.file import Request
from margin.data.readers.typed_frame import of_request
from margin.data.schema import Column, Schema
from margin.data.table import Table
from margin.errors import DataError, listing

__all__ = ["joined"]


def joined(tables: Sequence[Table], request: Request, who: str) -> Table:
    """The rows of all the tables, in order.

    >>> from margin.data.readers.file import Request
    >>> parts = [Table.from_columns({"a": [1.0], "b": ["x"]}), Table.from_columns({"b": ["y"], "a": [2.0]})]
    >>> joined(parts, Request(), "here")["a"].tolist()
    [1.0, 2.0]
    """
    first = tables[0]
    for other in tables[1:]:
        odd = sorted(set(first.names) ^ set(other.names))
        if odd:
            raise DataError(
                f"{who}: all files must have the same columns, but {listing(odd)} stands only in one of "
                f"{first.name!r} and {other.name!r}."
            )
    columns = [_column(name, tables, request, who) for name in first.names]
    return Table(Schema(column for column, _ in columns), [cells for _, cells in columns], first.name)


def _column(name: str, tables: Sequence[Table], request: Request, who: str) -> tuple[Column, np.ndarray]:
    import polars as pl

    about = of_request(request)(name, who)
    parts = [table.schema[name] for table in tables]
    if all(column.is_numeric for column in parts):
        return infer_numbers(np.concatenate([table.cells(name) for table in tables]), about)
    words = pl.Series(name, [word for table in tables for word in _words(table, name)], dtype=pl.String)
    typed = all(isinstance(level, str) for column in parts for level in column.levels)
    if typed and not any(column.is_numeric for column in parts):
        return infer_words(words, about)
    return infer_stripped(words, about)


def _words(table: Table, name: str) -> list[Any]:
    cells = table.cells(name)
    if table.schema[name].is_numeric:
        return [None if x != x else str(int(x)) if x == int(x) else repr(x) for x in cells.tolist()]
    words = [*map(str, table.schema[name].levels), None]
    return [words[code] for code in cells.tolist()]
