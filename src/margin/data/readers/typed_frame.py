"""Tables from polars data frames: what the type of each column says about its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from margin.data.kind_inference import Written, infer_words
from margin.data.level_codes import codes_among
from margin.data.schema import Column, Schema
from margin.data.table import Table
from margin.errors import DataError, listing

if TYPE_CHECKING:
    import polars as pl

__all__ = ["from_polars"]


def from_polars(frame: pl.DataFrame, name: str = "", target: str | None = None, who: str = "from_polars") -> Table:
    """A table from a typed frame: numbers are numeric, words and truth values nominal, dates text.

    Words are never read as numbers here, and only null is missing: whoever wrote the types meant them.

    >>> import polars as pl
    >>> from_polars(pl.DataFrame({"age": [31, None], "plz": ["007", "010"], "ok": [True, False]}))
    <Table: 2 rows, 3 columns (age: numeric, plz: nominal, ok: nominal)>
    """
    nested = [column.name for column in frame.iter_columns() if not _is_flat(column)]
    if nested:
        raise DataError(
            f"{who}: columns must hold one value in a cell, but {listing(nested)} hold lists, records or raw bytes "
            "(unnest or drop them first)."
        )
    columns = [_column(cells, cells.name == target) for cells in frame.iter_columns()]
    return Table(Schema(column for column, _ in columns), [stored for _, stored in columns], name)


def _is_flat(cells: pl.Series) -> bool:
    import polars as pl

    return not cells.dtype.is_nested() and cells.dtype not in (pl.Binary, pl.Object)


def _column(cells: pl.Series, is_target: bool) -> tuple[Column, np.ndarray]:
    import polars as pl

    kind = cells.dtype
    if kind.is_numeric():
        numbers = cells.cast(pl.Float64).fill_null(np.nan).to_numpy().astype(np.float64)
        return Column(cells.name, "numeric", reason=f"stored as {kind}"), numbers
    if kind == pl.Null:
        return Column(cells.name, "numeric", reason="every cell is missing"), np.full(len(cells), np.nan)
    if kind == pl.Boolean:
        codes = cells.cast(pl.Int32).fill_null(-1).to_numpy().astype(np.int32)
        return Column(cells.name, "nominal", (False, True), "stored as truth values"), codes
    if isinstance(kind, pl.Enum):
        levels = tuple(kind.categories.to_list())
        return Column(cells.name, "nominal", levels, "stored as categories"), codes_among(cells.cast(pl.String), levels)
    about = Written(cells.name, is_target=is_target)
    column, codes = infer_words(cells.cast(pl.String), about)
    if kind.is_temporal():
        column = Column(cells.name, "text", column.levels, f"stored as {kind}, which models do not use")
    return column, codes
