"""Packed files: gzip, xz, bzip2 and zip, unpacked no further than the machine can hold."""

from __future__ import annotations

import bz2
import io
import lzma
import os
import zipfile
import zlib
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from margin.errors import DataError, listing

__all__ = ["PACKINGS", "is_packed", "is_workbook", "most_unpacked", "only_table", "opened_zip", "unpacked", "unzipped"]

#: By what packed contents begin with: the ending that files have then, and what undoes the packing.
PACKINGS: dict[bytes, tuple[str, Callable[[], Any]]] = {
    b"\x1f\x8b": (".gz", lambda: zlib.decompressobj(wbits=31)),
    b"\xfd7zXZ": (".xz", lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=2**28)),
    b"BZh": (".bz2", bz2.BZ2Decompressor),
}
_NAMES = {".gz": "gzip", ".xz": "xz", ".bz2": "bzip2"}
_STEP = 1 << 24
_ZIP = b"PK\x03\x04"


def most_unpacked() -> int:
    """The bytes that a file may unpack to: a quarter of the machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4


def unpacked(data: bytes, who: str) -> tuple[bytes, str]:
    """What is packed with gzip, xz or bzip2, and the ending of such files; other contents as they are."""
    for mark, (ending, make) in PACKINGS.items():
        if data.startswith(mark):
            try:
                return _undone(data, make, who), ending
            except (OSError, EOFError, zlib.error, lzma.LZMAError, MemoryError) as error:
                raise DataError(
                    f"{who}: the {_NAMES[ending]} file is damaged or cut short ({error}); fetch or pack it again."
                ) from None
    return data, ""


def is_packed(data: bytes) -> bool:
    """Whether contents begin as packed ones do, archives and workbooks among them."""
    return data.startswith((*PACKINGS, _ZIP))


def _undone(data: bytes, make: Callable[[], Any], who: str) -> bytes:
    """Part by part, since several packed files in a row are one, and never beyond what there is room for."""
    room, parts = most_unpacked(), []
    while data:
        worker = make()
        fed, data = data, b""
        while not worker.eof:
            part = worker.decompress(fed, _STEP)
            fed = getattr(worker, "unconsumed_tail", b"")
            room -= len(part)
            if room < 0:
                raise _too_large(who)
            parts.append(part)
            if not part and not fed and not worker.eof:
                raise EOFError("the end is missing")
        data = worker.unused_data.lstrip(b"\0")
    return b"".join(parts)


def _too_large(who: str) -> DataError:
    return DataError(
        f"{who}: unpacked the file would take more than a quarter of the machine's memory "
        f"({most_unpacked() / 2**30:.1f} GiB); unpack it, and read a part of it."
    )


def opened_zip(data: bytes, who: str) -> zipfile.ZipFile:
    """A zip archive whose parts together fit into memory, whatever its directory says."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise DataError(f"{who}: the zip archive is damaged or cut short ({error}); fetch or pack it again.") from None
    if any(part.flag_bits & 1 for part in archive.infolist()):
        raise DataError(f"{who}: the zip archive asks for a password; unpack it first.")
    return archive


def unzipped(archive: zipfile.ZipFile, name: str, who: str) -> bytes:
    """One part of an archive."""
    room = most_unpacked()
    try:
        with archive.open(name) as part:
            content = part.read(min(room, 2**62) + 1)
    except (
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        OSError,
        EOFError,
        ValueError,
        NotImplementedError,
    ) as error:
        raise DataError(f"{who}: {name!r} in the zip archive is damaged ({error}); fetch or pack it again.") from None
    if len(content) > room:
        raise _too_large(who)
    return content


def is_workbook(data: bytes) -> bool:
    """Whether a zip archive is a spreadsheet in disguise."""
    if not data.startswith(_ZIP):
        return False
    try:
        return "xl/workbook.xml" in zipfile.ZipFile(io.BytesIO(data)).namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return False


def only_table(data: bytes, who: str) -> tuple[bytes, PurePosixPath] | None:
    """The one file of a zip archive and its name; None where the contents are no archive, or a spreadsheet."""
    if not data.startswith(_ZIP) or is_workbook(data):
        return None
    archive = opened_zip(data, who)
    paths = [PurePosixPath(part.filename) for part in archive.infolist() if not part.is_dir()]
    files = [path for path in paths if path.parts[0] != "__MACOSX" and not path.name.startswith(".")]
    if len(files) != 1:
        held = f"holds {listing([str(path) for path in files])}" if files else "holds no file"
        raise DataError(f"{who}: the zip archive must hold one table, but {held}; unpack it and name one file.")
    return unzipped(archive, str(files[0]), who), files[0]
