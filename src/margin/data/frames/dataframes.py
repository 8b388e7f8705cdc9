"""Data frames of any make, and object arrays, as tables."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from margin.data.frames.object_cells import (
    codes_of_values,
    column_from_objects,
    date_column,
    distinct,
    for_a_model,
)
from margin.data.kind_inference import Written, infer_numbers
from margin.data.schema import Column, Kind, Schema
from margin.data.table import Table
from margin.errors import InputError, InputTypeError, listing
from margin.typing import TableLike

#: What is known of a column besides its cells, by its name and who reads it.
CATEGORICAL = "it is categorical"
About = Callable[[str, str], Written]

__all__ = [
    "About",
    "cells_from_series",
    "column_of",
    "is_frame",
    "open_frame",
    "table_from_frame",
    "table_from_objects",
]


def is_frame(X: TableLike) -> bool:
    """Whether X looks like a data frame: of pandas, polars, pyarrow or any other make that narwhals reads."""
    return hasattr(type(X), "columns") and not hasattr(X, "tocsr")


def open_frame(frame: Any, who: str) -> tuple[dict[str, Any], int]:
    """The columns of a data frame by name, as series of pandas or narwhals, and the number of rows."""
    import narwhals.stable.v2 as nw

    try:
        if hasattr(frame, "collect"):
            raise TypeError("lazy")
        # pyarrow calls its arrays columns, and its names otherwise.
        names = [str(name) for name in getattr(frame, "column_names", None) or frame.columns]
        twice = {name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else ()
        if twice:
            listed = listing(sorted(twice))
            raise InputError(f"{who}: column names must differ, but {listed} stand there more than once.")
        _check_can_be_written(names, who)
        if _is_pandas(frame):
            return dict(zip(names, (series for _, series in frame.items()))), len(frame)
        opened = nw.from_native(_taken_from_arrow(frame), eager_only=True)
    except TypeError:
        raise InputTypeError(
            f"{who}: X of type {type(frame).__name__} cannot be read; give a NumPy array, a SciPy sparse matrix, a "
            "pandas or polars data frame or a pyarrow table (call collect() on a lazy frame first)."
        ) from None
    return dict(zip(names, opened.iter_columns())), len(opened)


def _check_can_be_written(names: list[str], who: str) -> None:
    """Refuse names that no file, report or other make of data frame could hold: those with half a character."""
    try:
        "".join(names).encode()
    except UnicodeEncodeError:
        halves = [name for name in names if any("\ud800" <= letter <= "\udfff" for letter in name)]
        raise InputError(f"{who}: column name {listing(halves)} holds half a character; rename it.") from None


def _is_pandas(frame: object) -> bool:
    pandas = sys.modules.get("pandas")  # whoever has a frame has loaded it
    return pandas is not None and isinstance(frame, pandas.DataFrame)


def _taken_from_arrow(frame: Any) -> Any:
    """A record batch as a data frame; everything else as it is."""
    if type(frame).__name__ != "RecordBatch":
        return frame
    import polars as pl

    return pl.DataFrame(frame)


def table_from_frame(frame: Any, who: str, about: About = for_a_model) -> Table:
    """A data frame as a table: typed columns are what their type says, words are read as in files."""
    by_name, n_rows = open_frame(frame, who)
    return _table([column_of(name, series, who, about(name, who)) for name, series in by_name.items()], n_rows)


def table_from_objects(X: np.ndarray, names: Sequence[str], who: str, about: About = for_a_model) -> Table:
    """A two-dimensional array of Python objects as a table."""
    columns = [column_from_objects(name, X[:, i].tolist(), who, about(name, who)) for i, name in enumerate(names)]
    return _table(columns, len(X))


def column_of(name: str, series: Any, who: str, about: Written) -> tuple[Column, np.ndarray]:
    """One column: a series of pandas or narwhals, a list of cells or an array of one dimension."""
    if isinstance(series, np.ndarray) and series.dtype.kind in "fiu":
        return infer_numbers(_as_float64(series), about)
    plain = isinstance(series, (list, np.ndarray))
    found = (
        list(series.tolist() if isinstance(series, np.ndarray) and series.dtype.kind not in "mM" else series)
        if plain
        else cells_from_series(name, series, who, about.bad != "refuse")
    )
    if isinstance(found, list):
        return column_from_objects(name, found, who, about)
    column, cells = found
    if column.kind == "date" and not column.levels and about.bad == "refuse":
        raise InputError(f"{who}: column {name!r} holds dates, all of them missing; drop it.")
    return infer_numbers(cells, about) if column.is_numeric else found


def _table(columns: list[tuple[Column, np.ndarray]], n_rows: int) -> Table:
    return Table(Schema(column for column, _ in columns), [cells for _, cells in columns], n_rows=n_rows)


def cells_from_series(name: str, series: Any, who: str, times: bool = False) -> list[Any] | tuple[Column, np.ndarray]:
    """One column of a data frame by its type, or the list of its cells where the type leaves open what they are.

    Times of day and spans of time are refused unless ``times`` lets them through as objects.
    """
    import narwhals.stable.v2 as nw

    if not isinstance(series, nw.Series):
        found = _cells_from_pandas(name, series)
        if found is not None:
            return found
        series = nw.from_native(series, series_only=True)
    dtype = series.dtype
    if dtype.is_numeric():
        return Column(name, "numeric", reason=f"its type is {dtype}"), _float_cells(series, dtype)
    if dtype in (nw.String, nw.Object, nw.Unknown):
        return series.to_list()
    if dtype == nw.Boolean:
        return Column(name, "nominal", (False, True), "truth values"), _boolean_cells(series)
    if dtype in (nw.Categorical, nw.Enum):
        levels, codes = distinct(series.to_list())
        if dtype == nw.Enum:  # as they were declared, with those that no cell holds
            declared = series.cat.get_categories().to_list()
            levels, codes = declared, codes_of_values(declared, levels)[codes]
        return Column(name, "nominal", tuple(levels), CATEGORICAL), codes.astype(np.int32)
    if dtype in (nw.Date, nw.Datetime) and (dated := date_column(name, series.to_list())) is not None:
        return dated
    if dtype.is_temporal() and times:
        return series.to_list()
    if dtype.is_temporal():
        raise InputError(
            f"{who}: column {name!r} holds times ({dtype}), which no model here reads; "
            "turn it into numbers (hours, seconds since …) or drop it."
        )
    raise InputError(f"{who}: column {name!r} holds {dtype} values; a cell must be one number or one word.")


def _cells_from_pandas(name: str, series: Any) -> list[Any] | tuple[Column, np.ndarray] | None:
    """The common types without a detour, ten times as quick for a single row; None for all others."""
    dtype = series.dtype
    kind = getattr(dtype, "kind", "")
    if hasattr(series.array, "codes"):
        return _column_from_categories(name, series.array)
    if dtype.name in ("str", "string", "object"):
        return series.tolist()
    if kind not in "fiub":
        return None
    plain = isinstance(dtype, np.dtype)
    numbers = _as_float64(series.to_numpy() if plain else series.to_numpy(dtype=np.float64, na_value=np.nan))
    if kind != "b":
        return Column(name, "numeric", reason=f"its type is {dtype}"), numbers
    codes = np.nan_to_num(numbers, nan=-1).astype(np.int32)
    return Column(name, "nominal", (False, True), "truth values"), codes


def _column_from_categories(name: str, categories: Any) -> tuple[Column, np.ndarray]:
    kind: Kind = "ordinal" if categories.ordered else "nominal"
    column = Column(name, kind, tuple(categories.categories), CATEGORICAL)
    return column, categories.codes.astype(np.int32)


def _float_cells(series: Any, dtype: Any) -> np.ndarray:
    """Numbers as float64 with NaN for what is missing, whatever nullable, decimal or wide type they came in."""
    import narwhals.stable.v2 as nw

    if dtype.is_float() or (dtype.is_integer() and dtype not in (nw.Int128, nw.UInt128)):
        values = series.to_numpy()
        if values.dtype.kind != "O":  # as nullable integers with missing cells have it
            return _as_float64(values)
    return _as_float64(series.cast(nw.Float64).to_numpy())


def _as_float64(values: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):  # numbers beyond float64 become infinite, and are refused by row and column
        return values.astype(np.float64)


def _boolean_cells(series: Any) -> np.ndarray:
    values = series.to_numpy()
    if values.dtype.kind == "b":
        return values.astype(np.int32)
    return np.array([-1 if value is None or value != value else int(value) for value in series.to_list()], np.int32)
