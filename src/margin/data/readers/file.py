"""A file on its way to become a table: its bytes, unpacked, and how to complain about it."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from margin.data.kind_inference import BadCells
from margin.data.readers.unpacking import only_table, unpacked
from margin.data.schema import Schema
from margin.errors import DataError, closest, listing

__all__ = ["Request", "Source"]

#: The longer mark of UTF-32 begins with that of UTF-16.
_MARKS_OF_ENCODINGS = {
    b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe\0\0": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16",
}  # fmt: skip
#: Files that people hand over in place of a table, and what to do about them.
_NOT_TABLES = {
    b"\xd0\xcf\x11\xe0": "is a spreadsheet of old or another office file; save the sheet as .xlsx or CSV",
    b"\x89PNG": "is a picture, not a table; margin.data.Images.read takes a folder of them",
    b"\xff\xd8\xff": "is a picture, not a table; margin.data.Images.read takes a folder of them",
    b"%PDF": "is a PDF document; copy its table into a spreadsheet and save that as CSV",
    b"(\xb5/\xfd": "is packed with zstd; unpack it first",
    b"SQLite format 3": "is a database; write the table you want as CSV",
}
_PACKED = {".gz": "gzip", ".xz": "xz", ".bz2": "bzip2"}
_MARKUP = re.compile(rb"\s*<(\?xml|!doctype|html)", re.IGNORECASE)


@dataclass(frozen=True)
class Request:
    """What the caller of ``read`` asked for besides the file; a ``witness`` looks on (``witness.py``)."""

    header: bool | str = "auto"
    separator: str = "auto"
    missing: tuple[str, ...] | None = None
    kinds: Mapping[str, Any] = field(default_factory=dict)
    target: str | None = None
    coerce: bool = False
    skip: int = 0
    sheet: str | int | None = None
    witness: Any = None

    @property
    def bad(self) -> BadCells:
        """What becomes of a cell that is no number among numbers."""
        return "missing" if self.coerce else "words"

    def check_target(self, who: str, schema: Schema) -> None:
        if self.target is not None and self.target not in schema.names:
            names = schema.names
            hint = closest(self.target, names)
            raise DataError(f"{who}: target {self.target!r} is not a column; columns are {listing(names)}{hint}.")


@dataclass(frozen=True)
class Source:
    """The unpacked bytes of a file, with its name and its ending (``.csv``, without ``.gz``)."""

    path: Path
    ending: str
    stem: str
    data: bytes

    @classmethod
    def open(cls, path: Any) -> Source:
        path = Path(path)
        who = f"read({path.name!r})"
        data, packing = unpacked(_piped_in() if str(path) == "-" else _bytes(path, who), who)
        inner = PurePath(path.name)
        if inner.suffix.lower() in _PACKED:
            if data and inner.suffix.lower() != packing:
                kind = inner.suffix.lower()
                wrong = f"the name ends in {kind}, but the contents are not {_PACKED[kind]}"
                raise DataError(f"{who}: {wrong}; rename or pack it again.")
            inner = inner.with_suffix("")
        inside = only_table(data, who)
        if inside is not None:
            data, inner = inside
        if not data.strip():
            raise DataError(f"{who}: the file is empty; a table needs a header or a row.")
        _refuse_other_files(data, who)
        return cls(path, inner.suffix.lower(), inner.stem, data)

    @property
    def who(self) -> str:
        return f"read({self.path.name!r})"

    def refusal(self, must: str) -> DataError:
        return DataError(f"{self.who}: {must}")

    def text(self) -> bytes:
        r"""The contents as UTF-8 with ``\n`` ends; what is not UTF-8 is taken for Windows' or ISO's Latin-1."""
        data = self.data
        encoding = next((name for mark, name in _MARKS_OF_ENCODINGS.items() if data.startswith(mark)), None)
        if encoding is not None:
            try:
                data = data.decode(encoding).encode()
            except UnicodeDecodeError:
                raise self.refusal(f"the file starts like {encoding} text but is not; save it as UTF-8.") from None
        if b"\0" in data:
            raise self.refusal(
                "this is not text (it holds zero bytes); if it should be, save it as UTF-8 and try again. "
                "Readable are CSV, Excel, ARFF, LIBSVM, JSON and Parquet files."
            )
        if not data.isascii():
            data = _as_utf8(data)
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


def _as_utf8(data: bytes) -> bytes:
    for encoding in ("utf-8", "cp1252"):
        try:
            return data.decode(encoding).encode()
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1").encode()


def _refuse_other_files(data: bytes, who: str) -> None:
    for mark, what in _NOT_TABLES.items():
        if data.startswith(mark):
            raise DataError(f"{who}: the file {what}.")
    if _MARKUP.match(data):
        raise DataError(f"{who}: the file is a web page or XML, not a table; save its table as CSV.")


#: What was piped in last, and through what: it comes only once, and may have to be looked at again.
_piped: list[Any] = []


def _piped_in() -> bytes:
    if not _piped or _piped[0] is not sys.stdin:
        _piped[:] = sys.stdin, sys.stdin.buffer.read()
    return _piped[1]


def _bytes(path: Path, who: str) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        near = closest(path.name, (p.name for p in path.parent.iterdir())) if path.parent.is_dir() else ""
        raise DataError(f"{who}: there is no file {str(path)!r}{near}.") from None
    except IsADirectoryError:
        raise DataError(f"{who}: {str(path)!r} is a folder; give one file in it.") from None
    except OSError as error:
        raise DataError(f"{who}: the file cannot be opened ({error.strerror}).") from None
