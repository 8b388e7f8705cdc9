"""Parquet files, by polars."""

from __future__ import annotations

import io

from margin.data.readers.file import Request, Source
from margin.data.readers.parquet_structure import check_structure
from margin.data.readers.typed_frame import typed_table
from margin.data.table import Table

__all__ = ["read_parquet"]


def read_parquet(source: Source, request: Request) -> Table:
    """The table of a Parquet file; the types stored in it decide the kinds."""
    import polars as pl

    try:
        check_structure(source.data)
        frame = pl.read_parquet(io.BytesIO(source.data))
    except (
        Exception,
        pl.exceptions.PanicException,
    ) as error:  # damaged files make polars panic, beside its many errors
        raise source.refusal(f"this is not a readable Parquet file ({str(error).splitlines()[0]}).") from None
    if frame.width == 0 or frame.height == 0:
        raise source.refusal(
            f"the file holds {frame.height} rows and {frame.width} columns; a table needs some of both."
        )
    return typed_table(frame, source.who, request)
