"""NDJSON files, one JSON record a line, by polars."""

from __future__ import annotations

import json

from margin.data.readers.file import Request, Source
from margin.data.readers.typed_frame import typed_table
from margin.data.table import Table
from margin.errors import DataError

__all__ = ["read_ndjson"]


def read_ndjson(source: Source, request: Request) -> Table:
    """The table of a file with one JSON record a line; a name that a record leaves out is missing there."""
    import polars as pl

    text = source.text()
    try:
        frame = pl.read_ndjson(text, infer_schema_length=None)
    except (Exception, pl.exceptions.PanicException) as error:  # the reason polars gives names no line, so look for it
        raise _explained(source, text, error) from None
    if frame.width == 0:
        raise source.refusal("the records hold no values.")
    return typed_table(frame, source.who, request)


def _explained(source: Source, text: bytes, error: BaseException) -> DataError:
    for number, line in enumerate(text.splitlines(), 1):
        try:
            record = json.loads(line) if line.strip() else {}
        except json.JSONDecodeError as reason:
            return source.refusal(f"line {number} is not JSON ({reason}).")
        if not isinstance(record, dict):
            return source.refusal(f'line {number} is JSON but not a record; write {{"name": value, …}}.')
    return source.refusal(f"the records do not fit together ({str(error).splitlines()[0]}).")
