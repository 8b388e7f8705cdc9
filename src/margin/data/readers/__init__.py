"""Files of any common format, read as tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from margin.data.declared_kinds import declared_kinds
from margin.data.frames.in_memory import table_from_memory
from margin.data.readers.arff import read_arff
from margin.data.readers.csv import read_delimited
from margin.data.readers.file import Request, Source
from margin.data.readers.libsvm import LIBSVM_LINE, read_libsvm
from margin.data.readers.ndjson import read_ndjson
from margin.data.readers.parquet import read_parquet
from margin.data.readers.typed_frame import of_request
from margin.data.schema import Schema
from margin.data.table import Table
from margin.errors import ParameterError

__all__ = ["FORMATS", "read"]

Reader = Callable[[Source, Request], Table]

#: Which reader takes which ending; each may be followed by ``.gz``.
FORMATS: dict[str, Reader] = {
    ".csv": read_delimited, ".tsv": read_delimited, ".tab": read_delimited,
    ".txt": read_delimited, ".data": read_delimited, ".test": read_delimited,
    ".parquet": read_parquet, ".pq": read_parquet,
    ".ndjson": read_ndjson, ".jsonl": read_ndjson,
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
    name: str | None = None,
) -> Table:
    """Read a file or data in memory as a table; one inference decides what the columns are, wherever they come from.

    The format of a file is known by its ending or, failing that, by its contents.

    Parameters
    ----------
    path
        CSV and relatives (``.csv .tsv .tab .txt .data .test``), ``.parquet``, ``.ndjson``/``.jsonl``, ``.arff``
        or LIBSVM (``.libsvm .svm .svmlight``), each also with ``.gz``. Or data in memory: a frame of pandas, polars
        or pyarrow, a dict of columns, a list of records, an array.
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
    request = Request(header, separator, _marks(missing), kinds or {}, target, coerce)
    if not isinstance(path, str | os.PathLike):
        return _from_memory(path, request, name)
    source = Source.open(path)
    reader = _reader(source)
    table = reader(source, request)
    if reader is not read_delimited:  # that one needs marks and kinds while it reads
        table = _with_kinds(_without_marks(table, request), source.who, request)
    request.check_target(source.who, table.schema)
    table.name = source.stem if name is None else name
    return table


def _from_memory(data: Any, request: Request, name: str | None) -> Table:
    who = f"read({type(data).__name__})"
    if request.header != "auto" or request.separator != "auto":
        raise ParameterError(f"{who}: header and separator are for files; the columns of data in memory have names.")
    table = data if isinstance(data, Table) else table_from_memory(data, who, of_request(request))
    table = _with_kinds(_without_marks(table, request), who, request)
    request.check_target(who, table.schema)
    return Table(table.schema, table._columns, table.name if name is None else name, table.n_rows)


def _marks(missing: str | Iterable[object] | None) -> tuple[str, ...] | None:
    if missing is None:
        return None
    return (missing.strip(),) if isinstance(missing, str) else tuple(str(mark).strip() for mark in missing)


def _reader(source: Source) -> Reader:
    known = FORMATS.get(source.ending)
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
    if b"\0" in source.data[:100_000] and not source.data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    lines = [line.strip() for line in source.data[:100_000].splitlines()[:2000]]
    lines = [line for line in lines if line and not line.startswith(b"%")]
    if lines and lines[0].lower().startswith(b"@relation"):
        return read_arff
    if lines and lines[0].startswith(b'{"'):
        return read_ndjson
    if lines and all(LIBSVM_LINE.match(line) for line in lines[:20]):
        return read_libsvm
    return read_delimited


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
        table = table.with_kind(name, declared.kind, declared.levels)
    return table
