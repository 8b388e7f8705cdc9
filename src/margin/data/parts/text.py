"""Pieces of text: delimited rows and JSON records, cut where a row ends and read as the whole file is."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from margin.data.kind_inference import without_marks
from margin.data.parts.files import PartFile
from margin.data.parts.pieces import Piece, cut_at_rows, text_between
from margin.data.readers.csv import header_of, text_of
from margin.data.readers.csv_dialect import BLANKS, blank_comments, may_hold_comments
from margin.data.readers.csv_rows import quotes_are_regular, split_rows
from margin.data.readers.file import Request, Source
from margin.errors import DataError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["cleaned", "pieces_of_records", "pieces_of_rows", "records_frame", "rows_frame"]

_WHOLE = "read the file whole with margin.read"


def pieces_of_rows(file: PartFile, number: int, request: Request) -> Iterator[tuple[Piece, pl.DataFrame]]:
    """The pieces of a file of delimited rows, each with its words: the first says how the file is written."""
    piece: Piece | None = None
    for begin, data in cut_at_rows(file, _end_of_rows):
        end = begin + len(data)
        if piece is None:
            first = _source(file, data)
            text, separator = text_of(first, request)
            if separator == BLANKS or text.count(separator.encode()) == 0:
                raise DataError(f"{file.who}: rows of parts need a separator between their cells ({_WHOLE}).")
            rows = split_rows(first, text, separator)
            header = header_of(first, request, rows, separator)
            if header.n_rows > 1:
                raise DataError(f"{file.who}: a header of {header.n_rows} rows cannot be read in parts ({_WHOLE}).")
            top = int(rows.starts[header.n_rows]) if header.n_rows < len(rows.starts) else len(text)
            frame, names = rows.frame.slice(header.n_rows), tuple(header.names)
            piece = Piece(number, _offset(data, first.data, text, top), end, None, names, separator)
            frame = _words(frame, names, request)
        else:
            piece = Piece(number, begin, end, None, piece.names, piece.separator)
            frame = rows_frame(file, piece, request, data)
        yield piece.counted(frame.height), frame


def _offset(data: bytes, plain: bytes, text: bytes, top: int) -> int:
    """Where in the bytes of the file the first row below the header begins."""
    mark = len(data) - len(data.removeprefix(b"\xef\xbb\xbf"))
    lines, at = text.count(b"\n", 0, top), mark
    for _ in range(lines):
        at = data.index(b"\n", at) + 1
    return at if lines else mark


def rows_frame(file: PartFile, piece: Piece, request: Request, data: bytes | None = None) -> pl.DataFrame:
    """The words of a piece below the header, null where they say that nothing is there."""
    import polars as pl

    source = _source(file, text_between(file, piece.begin, piece.end) if data is None else data)
    text = source.text()
    if not text.strip():
        return pl.DataFrame({name: pl.Series(name, [], dtype=pl.String) for name in piece.names})
    if may_hold_comments(text):
        text = blank_comments(text, piece.separator)
    frame = split_rows(source, text, piece.separator).frame
    if frame.width != len(piece.names):
        raise DataError(
            f"{file.who}: the row at byte {piece.begin:,} has {frame.width} cells, but {len(piece.names)} were "
            "expected."
        )
    return _words(frame, piece.names, request)


def _words(frame: pl.DataFrame, names: tuple[str, ...], request: Request) -> pl.DataFrame:
    import polars as pl

    words = frame.rename(dict(zip(frame.columns, names))).select(pl.all().cast(pl.String))
    return without_marks(words, request.missing)


def _source(file: PartFile, data: bytes) -> Source:
    """The bytes of a piece as a file of their own; what only the whole file decides is refused."""
    name = PurePath(file.path.removesuffix(".gz"))
    source = Source(Path(file.path), name.suffix.lower(), name.stem, data)
    try:
        _ = data.isascii() or data.decode()
    except UnicodeDecodeError:
        raise DataError(f"{file.who}: text in parts must be UTF-8 ({_WHOLE}, or write it anew).") from None
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        raise DataError(
            f"{file.who}: rows of parts must end in a line feed, with or without a carriage return ({_WHOLE})."
        )
    if b'"' in data and not any(quotes_are_regular(source.text(), mark) for mark in ",;\t|"):
        raise DataError(f"{file.who}: quotes that open or close inside a cell can reach from part to part ({_WHOLE}).")
    return source


def _end_of_rows(text: bytes) -> int:
    """Where the last row ends that is there as a whole: behind a line end outside quotes."""
    quotes, at = text.count(b'"'), len(text)
    while (end := text.rfind(b"\n", 0, at)) >= 0:
        quotes -= text.count(b'"', end, at)
        if quotes % 2 == 0:
            return end + 1
        at = end
    return 0


def pieces_of_records(file: PartFile, number: int, request: Request) -> Iterator[tuple[Piece, pl.DataFrame]]:
    """The pieces of a file of one JSON record a line."""
    for begin, data in cut_at_rows(file, lambda text: text.rfind(b"\n") + 1):
        frame = _records(file, data, request)
        yield Piece(number, begin, begin + len(data), frame.height, tuple(frame.columns)), frame


def records_frame(file: PartFile, piece: Piece, request: Request) -> pl.DataFrame:
    """The cells of a piece of records."""
    return _records(file, text_between(file, piece.begin, piece.end), request)


def _records(file: PartFile, data: bytes, request: Request) -> pl.DataFrame:
    import polars as pl

    if not data.strip():
        return pl.DataFrame()
    try:
        frame = pl.read_ndjson(io.BytesIO(data), infer_schema_length=None)
    except (Exception, pl.exceptions.PanicException) as error:
        said = str(error).splitlines()[0]
        raise DataError(f"{file.who}: the lines must hold one JSON record each ({said}).") from None
    return frame


def cleaned(frame: pl.DataFrame, request: Request) -> pl.DataFrame:
    """Words of typed files without blanks and marks of missing cells."""
    import polars as pl

    words = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    return frame.with_columns(without_marks(frame.select(words), request.missing).iter_columns()) if words else frame
