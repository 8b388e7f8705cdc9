"""Files of any common format, read as tables."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from margin.data.declared_kinds import declared_kinds
from margin.data.frames.in_memory import table_from_memory
from margin.data.readers.arff import read_arff
from margin.data.readers.csv import read_delimited
from margin.data.readers.file import Request, Source
from margin.data.readers.json_list import read_json
from margin.data.readers.libsvm import LIBSVM_LINE, read_libsvm
from margin.data.readers.ndjson import read_ndjson
from margin.data.readers.parquet import read_parquet
from margin.data.readers.several import joined
from margin.data.readers.typed_frame import of_request
from margin.data.readers.unpacking import is_workbook
from margin.data.readers.xlsx import read_xlsx
from margin.data.schema import Schema
from margin.data.table import Table
from margin.errors import DataError, ParameterError, closest, listing

__all__ = ["FORMATS", "as_asked", "read", "read_asked", "reader_of", "request_of", "table_of_source"]

Reader = Callable[[Source, Request], Table]

#: Which reader takes which ending; each may be followed by ``.gz``, ``.xz`` or ``.bz2``, or stand in a ``.zip``.
FORMATS: dict[str, Reader] = {
    ".csv": read_delimited, ".tsv": read_delimited, ".tab": read_delimited,
    ".txt": read_delimited, ".data": read_delimited, ".test": read_delimited,
    ".parquet": read_parquet, ".pq": read_parquet,
    ".ndjson": read_ndjson, ".jsonl": read_ndjson,
    ".json": read_json,
    ".xlsx": read_xlsx, ".xlsm": read_xlsx,
    ".arff": read_arff,
    ".libsvm": read_libsvm, ".svm": read_libsvm, ".svmlight": read_libsvm,
}  # fmt: skip
#: Endings that say little: the contents decide.
VAGUE = (".txt", ".data", ".test")


def read(
    path: Any,
    *,
    header: bool | str = "auto",
    separator: str = "auto",
    missing: str | Iterable[object] | None = None,
    kinds: Mapping[str, Any] | None = None,
    target: str | None = None,
    coerce: bool = False,
    drop: str | Iterable[str] = (),
    only: str | Iterable[str] = (),
    skip: int = 0,
    sheet: str | int | None = None,
    name: str | None = None,
) -> Table:
    """Read a file or data in memory as a table; one inference decides what the columns are, wherever they come from.

    The format of a file is known by its ending or, failing that, by its contents.

    Parameters
    ----------
    path
        CSV and relatives (``.csv .tsv .tab .txt .data .test``), Excel (``.xlsx``), ``.parquet``, ``.json``,
        ``.ndjson``/``.jsonl``, ``.arff`` or LIBSVM (``.libsvm .svm .svmlight``), each also packed (``.gz .xz .bz2``,
        or alone in a ``.zip``); ``-`` is what is piped in. A list of paths, or ``part-*.csv``, are files of the same
        columns, read as one table. Or data in memory: a frame of pandas, polars or pyarrow, a dict of columns, a
        list of records, an array.
    header
        Whether the first row of a delimited file names the columns; found out by itself.
    separator
        What splits the cells of a delimited file; found out by itself. A blank means runs of blanks.
    missing
        Marks that stand for missing cells, in place of the usual ones; empty cells are always missing.
    kinds
        What columns are, where the inferred kind is not meant:
        ``{"zip": "nominal", "size": ("ordinal", ["small", "large"])}``.
    target
        The column to predict; it is never taken for an identifier.
    coerce
        Whether cells that are no numbers in a column of numbers are missing, counted in a warning.
    drop, only
        Columns to leave out, or the only ones to keep.
    skip
        Lines of a delimited file, or rows of a sheet, above the names of the columns.
    sheet
        The sheet of a workbook, by name or number from 1; the first otherwise.
    name
        What the table is called; the file's name otherwise.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = file.write_text("age,sex\\n31,f\\n?,m\\n")
    >>> read(file)
    <Table 'people': 2 rows, 2 columns (age: numeric, sex: nominal)>
    >>> read([{"age": 31, "sex": "f"}, {"sex": "m"}]) == read(file)
    True
    """
    request = request_of(header, separator, missing, kinds, target, coerce, skip, sheet)
    if isinstance(skip, bool) or not isinstance(skip, int) or skip < 0:
        raise ParameterError(f"read(skip={skip!r}): skip must be a whole number, 0 or more.")
    return read_asked(path, request, drop, only, name)


def read_asked(path: Any, request: Request, drop: Any = (), only: Any = (), name: str | None = None) -> Table:
    """The same for a request that is checked already, and may have a witness."""
    paths = _paths(path)
    if paths is None:
        table, who = _from_memory(path, request, name), f"read({type(path).__name__})"
    else:
        table, who = _from_files(paths, request, name), f"read({Path(paths[0]).name!r})"
    table = as_asked(table, who, request, drop, only)
    request.check_target(who, table.schema)
    return table


def request_of(
    header: bool | str = "auto",
    separator: str = "auto",
    missing: str | Iterable[object] | None = None,
    kinds: Mapping[str, Any] | None = None,
    target: str | None = None,
    coerce: bool = False,
    skip: int = 0,
    sheet: str | int | None = None,
    **_: Any,
) -> Request:
    """What was asked of :func:`read` as readers of files want it."""
    return Request(header, separator, _marks(missing), kinds or {}, target, coerce, skip, sheet)


def table_of_source(source: Source, request: Request, reader: Reader) -> Table:
    """What a reader makes of the bytes of a file, without the marks of missing cells that the caller named."""
    table = reader(source, request)
    if reader not in (read_delimited, read_xlsx):  # these need marks and kinds while they read
        table = _without_marks(table, request)
    table.name = source.stem
    return table


def as_asked(table: Table, who: str, request: Request, drop: Any = (), only: Any = ()) -> Table:
    """The columns that are wanted, of the kinds that are wanted."""
    return _with_kinds(_chosen(table, drop, only, who), who, request)


def _paths(given: Any) -> list[Any] | None:
    """The files that are named; None for data in memory."""
    if isinstance(given, (list, tuple)) and given and all(isinstance(each, (str, os.PathLike)) for each in given):
        return list(given)
    if not isinstance(given, str | os.PathLike):
        return None
    pattern = os.fspath(given)
    if any(mark in pattern for mark in "*?") and not os.path.exists(pattern):
        found = sorted(glob.glob(pattern))
        if not found:
            raise DataError(f"read({pattern!r}): there is no such file.")
        return found
    return [given]


def _from_files(paths: list[Any], request: Request, name: str | None) -> Table:
    tables = [_from_file(path, request) for path in paths]
    table = tables[0] if len(tables) == 1 else joined(tables, request, f"read({Path(paths[0]).name!r}, …)")
    table.name = table.name if name is None else name
    return table


def _from_file(path: Any, request: Request) -> Table:
    source = Source.open(path)
    reader = reader_of(source)
    if request.sheet is not None and reader is not read_xlsx:
        raise ParameterError(f"{source.who}(sheet={request.sheet!r}): only a workbook (.xlsx) has sheets.")
    return table_of_source(source, request, reader)


def _chosen(table: Table, drop: str | Iterable[str], only: str | Iterable[str], who: str) -> Table:
    """The columns that are wanted, in the order of the file."""
    drop, only = ([given] if isinstance(given, str) else list(given or ()) for given in (drop, only))
    for what, names in (("drop", drop), ("only", only)):
        unknown = [each for each in names if each not in table.names]
        if unknown:
            known = f"columns are {listing(table.names)}{closest(unknown[0], table.names)}"
            raise ParameterError(f"{who}, {what}: column {listing(unknown)} is not in the table; {known}.")
    kept = [each for each in table.names if each not in drop and (not only or each in only)]
    if not kept:
        raise ParameterError(f"{who}, drop: no column is left.")
    return table if len(kept) == len(table.names) else table.select(kept)


def _from_memory(data: Any, request: Request, name: str | None) -> Table:
    who = f"read({type(data).__name__})"
    if request.header != "auto" or request.separator != "auto":
        raise ParameterError(f"{who}: header and separator are for files; the columns of data in memory have names.")
    table = data if isinstance(data, Table) else table_from_memory(data, who, of_request(request))
    table = _without_marks(table, request)
    return Table(table.schema, table._columns, table.name if name is None else name, table.n_rows)


def _marks(missing: str | Iterable[object] | None) -> tuple[str, ...] | None:
    if missing is None:
        return None
    return (missing.strip(),) if isinstance(missing, str) else tuple(str(mark).strip() for mark in missing)


def reader_of(source: Source) -> Reader:
    """Which reader the ending or, failing that, the contents ask for."""
    known = FORMATS.get(source.ending)
    if (known is read_xlsx) != is_workbook(source.data):
        if known is not read_xlsx:
            return read_xlsx
        raise source.refusal("the name is that of a workbook, but the contents are none; rename it.")
    if known is read_delimited and _is_json_list(source.data):
        return read_json
    if known is not None and source.ending not in VAGUE:
        return known
    by_contents = _reader_by_contents(source)
    if by_contents is None and known is None:
        raise source.refusal(
            f"the ending {source.ending!r} is not known and the contents are not text; "
            f"readable are {', '.join(FORMATS)}."
        )
    return by_contents or read_delimited


def _reader_by_contents(source: Source) -> Reader | None:
    if source.data.startswith(b"PAR1"):
        return read_parquet
    if is_workbook(source.data):
        return read_xlsx
    if b"\0" in source.data[:100_000] and not source.data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    lines = [line.strip() for line in source.data[:100_000].splitlines()[:2000]]
    lines = [line for line in lines if line and not line.startswith(b"%")]
    if lines and lines[0].lower().startswith(b"@relation"):
        return read_arff
    if lines and lines[0].startswith(b'{"'):
        return read_ndjson
    if _is_json_list(source.data):
        return read_json
    if lines and all(LIBSVM_LINE.match(line) for line in lines[:20]):
        return read_libsvm
    return read_delimited


def _is_json_list(data: bytes) -> bool:
    return data[:1000].lstrip()[:1] == b"[" and data[:1000].lstrip()[1:].lstrip()[:1] == b"{"


def _without_marks(table: Table, request: Request) -> Table:
    """The marks a caller names, applied to a format that has types of its own."""
    if not request.missing:
        return table
    columns, arrays = [], []
    for column in table.schema:
        cells = table.cells(column.name)
        if column.is_numeric:
            cells = np.where(np.isin(cells, [float(m) for m in request.missing if _is_number(m)]), np.nan, cells)
        elif any(str(level) in request.missing for level in column.levels):
            kept = [i for i, level in enumerate(column.levels) if str(level) not in request.missing]
            moved = np.full(len(column.levels) + 1, -1, dtype=np.int32)
            moved[kept] = np.arange(len(kept))
            cells = moved[cells]
            column = Schema([column]).replace(column.name, levels=tuple(column.levels[i] for i in kept))[0]
        columns.append(column)
        arrays.append(cells)
    return Table(Schema(columns), arrays)


def _is_number(mark: str) -> bool:
    try:
        return float(mark) == float(mark)
    except ValueError:
        return False


def _with_kinds(table: Table, who: str, request: Request) -> Table:
    for name, declared in declared_kinds(who, request.kinds, table.names).items():
        if table.schema[name].kind == declared.kind and declared.levels in (None, table.schema[name].levels):
            continue  # as it was read already
        table = table.with_kind(name, declared.kind, declared.levels)
    return table
