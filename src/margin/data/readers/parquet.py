"""Parquet files, by polars."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING

from margin.data.readers.file import Request, Source
from margin.data.readers.parquet_structure import check_structure
from margin.data.readers.typed_frame import typed_table
from margin.data.table import Table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_parquet", "row_slices"]

_AT_ONCE = 8


def read_parquet(source: Source, request: Request) -> Table:
    """The table of a Parquet file; the types stored in it decide the kinds."""
    import polars as pl

    with _refusing(source):
        check_structure(source.data)
        frame = pl.read_parquet(io.BytesIO(source.data))
    if frame.width == 0 or frame.height == 0:
        raise source.refusal(
            f"the file holds {frame.height} rows and {frame.width} columns; a table needs some of both."
        )
    return typed_table(frame, source.who, request)


def row_slices(source: Source, n: int) -> tuple[int, dict[str, pl.DataType], Iterator[tuple[int, pl.DataFrame]]]:
    """How many rows there are, the types of the columns, and some n rows at a time with how many stand before them."""
    import polars as pl

    with _refusing(source):
        check_structure(source.data)
        lazy = pl.scan_parquet(source.path)
        rows, types = int(lazy.select(pl.len()).collect().item()), dict(lazy.collect_schema())

    def slices() -> Iterator[tuple[int, pl.DataFrame]]:
        count = max(1, rows // n)
        starts = [rows * i // count for i in range(count + 1)]
        for first in range(0, count, _AT_ONCE):  # files are packed in groups of rows, unpacked anew for each query
            inside = starts[first : first + _AT_ONCE + 1]
            with _refusing(source):
                frame = lazy.slice(inside[0], inside[-1] - inside[0]).collect()
            for start, end in pairwise(inside):
                yield start, frame.slice(start - inside[0], end - start)

    return rows, types, slices()


@contextmanager
def _refusing(source: Source) -> Iterator[None]:
    """Damaged files make polars panic, beside its many errors."""
    import polars as pl

    try:
        yield
    except (Exception, pl.exceptions.PanicException) as error:
        raise source.refusal(f"this is not a readable Parquet file ({str(error).splitlines()[0]}).") from None
