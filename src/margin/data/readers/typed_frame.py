"""Tables from polars data frames, as Parquet and JSON files come: types decide, words are read as in all files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from margin.data.declared_kinds import declared_kinds
from margin.data.frames.dataframes import About, table_from_frame
from margin.data.kind_inference import Written
from margin.data.readers.file import Request
from margin.data.table import Table
from margin.errors import DataError, listing

if TYPE_CHECKING:
    import polars as pl

__all__ = ["from_polars", "of_request", "typed_table"]


def from_polars(frame: pl.DataFrame, name: str = "", target: str | None = None, who: str = "from_polars") -> Table:
    """A table from a typed frame: numbers are numeric, truth values nominal, and words what they would be in a file.

    >>> import polars as pl
    >>> from_polars(pl.DataFrame({"age": [31, None], "plz": ["007", "010"], "ok": [True, False]}))
    <Table: 2 rows, 3 columns (age: numeric, plz: nominal, ok: nominal)>
    """
    table = typed_table(frame, who, Request(target=target))
    table.name = name
    return table


def typed_table(frame: pl.DataFrame, who: str, request: Request) -> Table:
    """The table of a frame that a file held; lists, records and raw bytes in cells are refused."""
    nested = [column.name for column in frame.iter_columns() if not _is_flat(column)]
    if nested:
        raise DataError(
            f"{who}: columns must hold one value in a cell, but {listing(nested)} hold lists, records or raw bytes "
            "(unnest or drop them first)."
        )
    return table_from_frame(frame, who, of_request(request))


def of_request(request: Request) -> About:
    """How the columns of data that are typed already are read, for somebody who wants a table."""

    def about(name: str, who: str) -> Written:
        said = {name: request.kinds[name]} if name in request.kinds else {}
        return Written(
            name, who=who, missing=request.missing, decimal_comma=None, is_target=name == request.target,
            declared=declared_kinds(who, said, [name]).get(name), line_of=lambda row: row, place="row", bad=request.bad,
            witness=request.witness,
        )  # fmt: skip

    return about


def _is_flat(cells: pl.Series) -> bool:
    import polars as pl

    return not cells.dtype.is_nested() and cells.dtype not in (pl.Binary, pl.Object)
