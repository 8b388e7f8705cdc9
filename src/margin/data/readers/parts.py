"""Large files part after part, each read as the whole file would be, so that memory does not grow with the file.

A part of delimited text is some of its rows below the header of the file; a part of a Parquet file is some of its rows.
Both then go the way of every file. Where the parts cannot be told from the file's bytes for sure (quotes in odd places,
comments between rows, packed files) or mean something else than in the whole (``witness.py``), :class:`ReadWhole` says
so, and the caller starts again with the whole file. So do errors: their rows are those of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from margin.data.readers import FORMATS, Reader, as_asked, reader_of, request_of, table_of_source
from margin.data.readers.csv import read_delimited, top_of
from margin.data.readers.csv_dialect import BLANKS, may_hold_comments
from margin.data.readers.csv_rows import quotes_are_regular
from margin.data.readers.file import Request, Source
from margin.data.readers.parquet import read_parquet, row_slices
from margin.data.readers.typed_frame import typed_table
from margin.data.readers.unpacking import is_packed
from margin.data.readers.witness import ReadWhole, Witness
from margin.data.table import Table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PART_BYTES", "PART_ROWS", "Part", "parts_of"]

#: How much of a file is in memory at once, as text or as rows of a typed file.
PART_BYTES, PART_ROWS = 1 << 19, 1 << 14
_COMMENTS_SHOW = 1000


@dataclass(frozen=True)
class Part:
    """Some rows of a file: ``read`` gives their table, with other kinds on request; ``share`` of the file is done."""

    read: Callable[..., Table]
    share: float


def parts_of(path: Any, options: dict[str, Any], witness: Witness) -> Iterator[Part]:
    """The parts of a file that is large enough to have some; ``options`` are those of :func:`margin.data.read`."""
    path = Path(path)
    reader = FORMATS.get(path.suffix.lower())
    if not path.is_file() or options.get("kinds") or options.get("sheet") is not None:
        raise ReadWhole("this is not one plain file.")
    if reader is read_delimited and path.stat().st_size > 2 * PART_BYTES:
        yield from _of_text(path, options, witness)
    elif reader is read_parquet:
        yield from _of_parquet(path, options, witness)
    else:
        raise ReadWhole("such a file has no parts.")


def _of_text(path: Path, options: dict[str, Any], witness: Witness) -> Iterator[Part]:
    request = replace(request_of(**options), witness=witness)
    if request.header not in (True, False):
        raise ReadWhole("whether there is a header is guessed from all rows.")
    size, lines, top = path.stat().st_size, 0, b""
    for content, done in _pieces(path, PART_BYTES):
        source = Source(path, path.suffix.lower(), path.stem, top + content)
        if not lines:
            below, separator = _top(source, request)
        elif may_hold_comments(content):
            raise ReadWhole("what is a comment, the first lines of a file say.")
        _check_quotes(source, separator)
        witness.next_part(lines - top.count(b"\n"))
        yield Part(_reading(source, request, options, read_delimited), done / size)
        request, top = replace(request, separator=separator, skip=0), below
        lines += content.count(b"\n")


def _reading(source: Source, request: Request, options: dict[str, Any], reader: Reader) -> Callable[..., Table]:
    def read(kinds: dict[str, Any] | None = None, **_: Any) -> Table:
        asked = replace(request, kinds=kinds or {})
        table = table_of_source(source, asked, reader)
        return as_asked(table, source.who, asked, options.get("drop"), options.get("only"))

    return read


def _top(source: Source, request: Request) -> tuple[bytes, str]:
    """The lines that every part begins with, and what separates cells."""
    if is_packed(source.data) or b"\0" in source.data or reader_of(source) is not read_delimited:
        raise ReadWhole("this is no plain text.")
    top, separator = top_of(source, request)
    text = source.text()
    if separator == BLANKS or text.count(separator.encode(), 0, 100_000) == 0:
        raise ReadWhole("blanks between cells, or a single column, say too little about the ends of rows.")
    if may_hold_comments(text) and text.count(b"\n") < _COMMENTS_SHOW:
        raise ReadWhole("what is a comment, the first lines of a file say.")
    return top, separator


def _check_quotes(source: Source, separator: str) -> None:
    """Refuse bytes that mean what the whole file decides: text in another encoding, and quotes in odd places."""
    try:
        _ = source.data.isascii() or source.data.decode()
    except UnicodeDecodeError:
        raise ReadWhole("the encoding is that of the whole file.") from None
    if b'"' in source.data and not quotes_are_regular(source.text(), separator):
        raise ReadWhole("quotes in odd places can reach far.")


def _pieces(path: Path, size: int) -> Iterator[tuple[bytes, int]]:
    """Whole rows of about so many bytes, and how much of the file is read; the last one is not much smaller."""
    held, rest, done = b"", b"", 0
    with path.open("rb") as file:
        while block := file.read(size):
            rest += block
            end = _end_of_rows(rest)
            if end == 0:
                if len(rest) > 16 * size:
                    raise ReadWhole("rows have no end.")
                continue
            if held:
                yield held, done
            held, rest, done = rest[:end], rest[end:], file.tell()
    if len(held) + len(rest) > size and len(rest) > size // 4:
        yield held, done
        held = b""
    if held + rest:
        yield held + rest, path.stat().st_size


def _end_of_rows(text: bytes) -> int:
    """Where the last row ends that is there as a whole: behind a line end outside quotes."""
    quotes, at = text.count(b'"'), len(text)
    while (end := text.rfind(b"\n", 0, at)) >= 0:
        quotes -= text.count(b'"', end, at)
        if quotes % 2 == 0:
            return end + 1
        at = end
    return 0


def _of_parquet(path: Path, options: dict[str, Any], witness: Witness) -> Iterator[Part]:
    import polars as pl

    request = replace(request_of(**options), witness=witness)
    source = Source.open(path)
    n_rows, types, slices = row_slices(source, PART_ROWS)
    if n_rows <= 2 * PART_ROWS:
        raise ReadWhole("there is but one part.")
    for name, dtype in types.items():
        learnt = witness.learnt.get(name)
        fits = learnt == "numeric" if dtype.is_numeric() else learnt == "nominal" and dtype == pl.Boolean
        if learnt is not None and dtype != pl.String and not fits:
            raise ReadWhole(f"column {name!r} is of another type than in training.")
    source = replace(source, data=b"")
    for start, frame in slices:
        witness.next_part(start)
        reader = partial(_of_frame, frame)
        yield Part(_reading(source, request, options, reader), (start + len(frame)) / n_rows)


def _of_frame(frame: pl.DataFrame, source: Source, request: Request) -> Table:
    return typed_table(frame, source.who, request)
