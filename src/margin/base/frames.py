"""Data frames of any make, and object arrays, as tables."""

from __future__ import annotations

import datetime
import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from margin.data.schema import Column, Schema
from margin.data.table import Table
from margin.errors import InputError, InputTypeError, listing

__all__ = ["column_from_objects", "is_frame", "numbers_from_objects", "table_from_frame", "table_from_objects"]

# A column of words in which at least this share are numbers was meant to be numeric: the rest are bad cells.
ALMOST_NUMERIC = 0.9


def is_frame(X: Any) -> bool:
    """Whether X is a data frame of pandas, polars, pyarrow or any other make that narwhals reads."""
    return hasattr(X, "columns") and not hasattr(X, "tocsr")


def table_from_frame(frame: Any, who: str) -> Table:
    """A data frame as a table: numbers are numeric, everything else nominal; the dtype decides, not a guess."""
    import narwhals.stable.v2 as nw

    _check_names(frame, who)
    native = nw.from_native(frame, eager_only=True)
    described, arrays = [], []
    for name in native.columns:
        column, cells = _column_from_series(str(name), native.get_column(name), who)
        described.append(column)
        arrays.append(cells)
    table = Table(Schema(described), arrays)
    table.n_rows = len(native)
    return table


def table_from_objects(X: np.ndarray, names: Sequence[str], who: str) -> Table:
    """A two-dimensional array of Python objects as a table."""
    found = [column_from_objects(name, X[:, i], who) for i, name in enumerate(names)]
    table = Table(Schema(column for column, _ in found), [cells for _, cells in found])
    table.n_rows = len(X)
    return table


def _check_names(frame: Any, who: str) -> None:
    names = getattr(frame, "column_names", None)  # pyarrow calls its arrays columns
    names = [str(name) for name in (frame.columns if names is None else names)]
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise InputError(f"{who}: column names must differ, but {listing(twice)} stand there more than once.")


def _column_from_series(name: str, series: Any, who: str) -> tuple[Column, np.ndarray]:
    import narwhals.stable.v2 as nw

    dtype = series.dtype
    if dtype.is_numeric():
        return Column(name, "numeric", reason=f"its type is {dtype}"), _float_cells(series)
    if dtype.is_temporal():
        raise InputError(
            f"{who}: column {name!r} holds dates or times ({dtype}), which no model here reads; "
            "turn it into numbers (year, weekday, days since …) or drop it."
        )
    if dtype in (nw.Categorical, nw.Enum):
        return _column_from_categories(name, series)
    if dtype.is_nested() or dtype == nw.Binary:
        raise InputError(f"{who}: column {name!r} holds {dtype} values; a cell must be one number or one word.")
    if dtype == nw.Boolean:
        cells = np.array([-1 if v is None else int(v) for v in series.to_list()], dtype=np.int32)
        return Column(name, "nominal", (False, True), "its type is boolean"), cells
    return column_from_objects(name, np.asarray(series.to_list(), dtype=object), who)


def _float_cells(series: Any) -> np.ndarray:
    """Numbers as float64 with NaN for what is missing, whatever nullable type they came in."""
    values = series.to_numpy()
    if values.dtype.kind in "fiu" and values.dtype != object:
        if values.dtype.kind == "f" or series.null_count() == 0:
            return values.astype(np.float64)
    return np.array([np.nan if v is None or v != v else float(v) for v in series.to_list()])


def _column_from_categories(name: str, series: Any) -> tuple[Column, np.ndarray]:
    native = series.to_native()
    if hasattr(native, "cat") and hasattr(native.cat, "codes"):  # pandas keeps codes and the type of the levels
        column = Column(
            name, "ordinal" if native.cat.ordered else "nominal", tuple(native.cat.categories), "it is categorical"
        )
        return column, native.cat.codes.to_numpy().astype(np.int32)
    values = series.to_list()
    levels = tuple(series.cat.get_categories().to_list())
    codes = {level: i for i, level in enumerate(levels)}
    return Column(name, "nominal", levels, "it is categorical"), np.array(
        [-1 if v is None else codes[v] for v in values], dtype=np.int32
    )


def is_missing(value: Any) -> bool:
    """None, NaN, NaT and pandas.NA."""
    if value is None or value is np.ma.masked:
        return True
    if isinstance(value, (float, np.floating, np.datetime64, np.timedelta64)):
        return bool(value != value)
    return type(value).__name__ in ("NAType", "NaTType")


def column_from_objects(name: str, values: np.ndarray, who: str) -> tuple[Column, np.ndarray]:
    """A column of Python objects: numbers, words that are numbers, booleans or words."""
    present = [(row, v) for row, v in enumerate(values.tolist()) if not is_missing(v)]
    kinds = {_kind_of(name, row, v, who) for row, v in present}
    if kinds <= {"number"}:
        return Column(name, "numeric", reason="all cells are numbers"), numbers_from_objects(name, values, who)
    if "number" in kinds or (kinds == {"word"} and _almost_numeric(present)):
        return Column(name, "numeric", reason="all cells are numbers"), numbers_from_objects(name, values, who)
    if len(kinds) > 1:
        raise InputError(f"{who}: column {name!r} mixes {' and '.join(sorted(kinds))} values; make it one type.")
    levels = sorted({v for _, v in present})
    codes = {level: i for i, level in enumerate(levels)}
    cells = np.full(len(values), -1, dtype=np.int32)
    for row, value in present:
        cells[row] = codes[value]
    return Column(name, "nominal", tuple(levels), f"its cells are {next(iter(kinds))}s"), cells


def _almost_numeric(present: list[tuple[int, Any]]) -> bool:
    return sum(_as_number(v) is not None for _, v in present) >= ALMOST_NUMERIC * len(present)


def numbers_from_objects(name: str, values: np.ndarray, who: str) -> np.ndarray:
    """Objects as numbers; a cell that is none is an error that names it."""
    cells = np.full(len(values), np.nan)
    for row, value in enumerate(values.tolist()):
        if is_missing(value):
            continue
        number = _as_number(value)
        if number is None:
            raise InputError(
                f"{who}: column {name!r}, row {row}: {value!r} is not a number, but the column's other cells are "
                "(mend the cell, make it None if it is missing, or make the column categorical)."
            )
        cells[row] = number
    return cells


def _as_number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def _kind_of(name: str, row: int, value: Any, who: str) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "boolean"
    if isinstance(value, numbers.Real) or isinstance(value, np.number) and not isinstance(value, np.complexfloating):
        return "number"
    if isinstance(value, str):
        return "word"
    if isinstance(value, bytes):
        return "bytes"
    if isinstance(value, numbers.Complex):
        raise InputError(f"{who}: column {name!r}, row {row}: {value!r} is complex. Complex data not supported.")
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)):
        raise InputError(
            f"{who}: column {name!r}, row {row}: {value!r} is a date or time, which no model here reads; "
            "turn it into numbers or drop the column."
        )
    if type(value).__name__ == "Decimal" and math.isfinite(value):
        return "number"
    raise InputTypeError(
        f"{who}: column {name!r}, row {row}: a cell's argument must be a string or a real number, "
        f"not {type(value).__name__}."
    )
