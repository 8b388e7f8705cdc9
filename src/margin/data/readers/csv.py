"""CSV and its relatives: cells as polars splits them, kinds inferred over the whole file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from margin.data.declared_kinds import DeclaredKind, declared_kinds
from margin.data.kind_inference import Written, infer_stripped, without_marks
from margin.data.readers.csv_dialect import (
    BLANKS,
    blank_comments,
    guess_separator,
    has_header,
    join_blanks,
    take_separator_line,
)
from margin.data.readers.csv_orange_header import OrangeHeader, orange_header
from margin.data.readers.csv_rows import Rows, split_rows
from margin.data.readers.file import Request, Source
from margin.data.schema import Column, Schema
from margin.data.table import Table
from margin.errors import ParameterError, listing

if TYPE_CHECKING:
    import polars as pl

__all__ = ["header_of", "read_delimited", "table_of_rows", "text_of", "top_of"]

_NO_HEADER = "header=False or --no-header"


@dataclass(frozen=True)
class _Header:
    names: list[str]
    unnamed: frozenset[str] = frozenset()
    n_rows: int = 0
    orange: OrangeHeader = field(default_factory=lambda: OrangeHeader({}, frozenset(), None))


def read_delimited(source: Source, request: Request) -> Table:
    """The table of a CSV, TSV, ``.tab`` or blank-separated file."""
    return table_of_rows(source, request, *_rows(source, request))


def table_of_rows(source: Source, request: Request, rows: Rows, separator: str) -> Table:
    """The table of cells as they are written, the names of the columns among them or not."""
    header = header_of(source, request, rows, separator)
    body = without_marks(rows.frame.slice(header.n_rows), request.missing)
    if body.height == 0:
        raise source.refusal(f"there is a header but no row below it ({_NO_HEADER} if the first line is data).")
    declared = header.orange.kinds | declared_kinds(source.who, request.kinds, header.names)
    target = request.target or header.orange.target
    columns = []
    for name, cells in zip(header.names, body.iter_columns()):
        if name in header.unnamed and cells.null_count() == len(cells):
            continue  # a separator at the end of each line, or an empty column of a spreadsheet
        about = Written(
            name, who=source.who, missing=request.missing, decimal_comma=separator != ",",
            is_target=name == target, unnamed=name == header.names[0] and name in header.unnamed,
            declared=declared.get(name), line_of=lambda row: rows.line_of(row + header.n_rows), bad=request.bad,
            witness=request.witness,
        )  # fmt: skip
        columns.append(_column(cells, about, name in header.orange.left_out and name not in request.kinds))
    if not columns:
        raise source.refusal("there are separators but no cells between them; a table needs some.")
    return Table(Schema(column for column, _ in columns), [stored for _, stored in columns])


def top_of(source: Source, request: Request) -> tuple[bytes, str]:
    """The lines of a file that name its columns, and what separates its cells: a blank for runs of blanks."""
    text, separator = text_of(source, request)
    if separator == BLANKS:
        return b"", separator
    rows = split_rows(source, text, separator)
    n = header_of(source, request, rows, separator).n_rows
    end = int(rows.starts[n]) if n < len(rows.starts) else len(rows.text)
    return rows.text[int(rows.starts[0]) : end] if n else b"", separator


def _rows(source: Source, request: Request) -> tuple[Rows, str]:
    """The cells as written, and what separates them."""
    text, separator = text_of(source, request)
    if separator == BLANKS:
        text, separator = join_blanks(text), "\t"
    return split_rows(source, text, separator), separator


def text_of(source: Source, request: Request) -> tuple[bytes, str]:
    """The text of the table without what stands around it, and what separates its cells."""
    text, named = take_separator_line(_below(source.text(), request.skip))
    separator = _checked(request.separator) if request.separator != "auto" else named or guess_separator(text)
    text = blank_comments(text, separator)
    if not text.strip():
        raise source.refusal("there are only comments; a table needs a header or a row.")
    return text, separator


def _below(text: bytes, skip: int) -> bytes:
    """The text with its first lines blanked, so that the numbers of the others stay those of the file."""
    lines = text.split(b"\n", skip)
    return b"\n" * (len(lines) - 1) + (lines[-1] if len(lines) > skip else b"") if skip else text


def _checked(separator: str) -> str:
    if not isinstance(separator, str) or len(separator.encode()) != 1 or separator in '"\n\r':
        raise ParameterError(
            f"read(separator={separator!r}): separator must be 'auto' or one character, "
            "such as ',', ';', '|', '\\t' or ' ' for runs of blanks."
        )
    return separator


def header_of(source: Source, request: Request, rows: Rows, separator: str) -> _Header:
    if request.header not in ("auto", True, False):
        raise ParameterError(f"read(header={request.header!r}): header must be 'auto', True or False.")
    first = [(cell or "").strip() for cell in rows.frame.row(0)]
    orange = _orange(rows, first) if separator == "\t" and request.header in ("auto", True) else None
    if orange is None and not (has_header(rows.frame) if request.header == "auto" else request.header):
        return _Header(rows.frame.columns)
    named = [name or f"column{i + 1}" for i, name in enumerate(first)]
    twice = [name for name, times in Counter(named).items() if times > 1]
    if twice:
        raise source.refusal(
            f"column names must differ, but {listing(twice)} stand there more than once "
            f"(rename one of them; {_NO_HEADER} if the first line is data)."
        )
    unnamed = frozenset(name for name, written in zip(named, first) if not written)
    return _Header(named, unnamed, 1) if orange is None else _Header(named, unnamed, 3, orange)


def _orange(rows: Rows, names: list[str]) -> OrangeHeader | None:
    if rows.frame.height < 3:
        return None
    types, roles = ([cell or "" for cell in rows.frame.row(i)] for i in (1, 2))
    return orange_header(names, types, roles)


def _column(cells: pl.Series, about: Written, left_out: bool) -> tuple[Column, np.ndarray]:
    if not left_out:
        return infer_stripped(cells, about)
    column, stored = infer_stripped(cells, replace(about, declared=DeclaredKind("identifier")))
    return replace(column, reason="marked in the header to be ignored"), stored
