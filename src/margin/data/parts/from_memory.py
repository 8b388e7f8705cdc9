"""Data that are in memory already, written to parts first: then they go the way of all others."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from margin.data.parts.files import opened_file
from margin.data.parts.parts import Parts
from margin.data.parts.pieces import pieces_of_typed
from margin.data.parts.settling import Reading
from margin.data.readers.file import Request
from margin.data.schema import Column
from margin.data.table import Table
from margin.errors import DataError, ParameterError, closest, listing

__all__ = ["parts_of_table"]


def parts_of_table(
    table: Table, target: str | None, weight: str | None, columns: Iterable[str] | None, who: str
) -> Parts:
    """A table written to a folder of its own, which goes when the parts do; every cell comes back as it is."""
    import polars as pl

    if columns is not None:
        table = table.select([n for n in table.names if n in {*columns, target, weight}])
    for name in filter(None, (target, weight)):
        if name not in table.names:
            raise ParameterError(
                f"{who}: column {name!r} is not there; columns are {listing(table.names)}{closest(name, table.names)}."
            )
    if table.n_rows == 0:
        raise DataError(f"{who}: there are no rows; a table needs some.")
    folder = tempfile.TemporaryDirectory(prefix="margin-parts-")
    readings, series = [], []
    for column in table.schema:
        reading, cells = _stored(column, table.cells(column.name), column.name == target)
        readings.append(reading)
        series.append(pl.Series(column.name, cells))
    if target is not None and (lost := next(r.missing for r in readings if r.column.name == target)):
        raise DataError(f"{who}(target={target!r}): {lost:,} rows have no target; leave them out.")
    path = Path(folder.name) / "rows.arrow"
    pl.DataFrame(series).write_ipc(path)
    file = opened_file(str(path))
    return Parts((file,), tuple(pieces_of_typed(file, 0)), tuple(readings), target, weight, Request(), (), folder)


def _stored(column: Column, cells: np.ndarray, is_target: bool) -> tuple[Reading, Any]:
    import polars as pl

    if column.is_numeric:
        missing, there = int(np.isnan(cells).sum()), cells[~np.isnan(cells)]
        low, high = (float(there.min()), float(there.max())) if len(there) else (np.nan, np.nan)
        keys = tuple(np.unique(there).tolist()) if is_target else ()
        return Reading(column, "numbers", "numbers", keys, None, (), missing, low, high), cells
    missing, n = int((cells < 0).sum()), len(column.levels)
    if column.kind in ("identifier", "text"):
        words = pl.Series([*map(str, column.levels), None], dtype=pl.String).gather(cells.astype(np.int64) % (n + 1))
        way = "text" if column.kind == "text" else "left out"
        return Reading(Column(column.name, column.kind, (), column.reason), "words", way, missing=missing), words
    counts = tuple(np.bincount(cells[cells >= 0], minlength=n).tolist())
    codes = np.arange(n, dtype=np.int32)
    return Reading(column, "numbers", "lookup", tuple(range(n)), codes, counts, missing), pl.Series(cells).replace(
        -1, None
    )
