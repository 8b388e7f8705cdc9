"""The bytes of a ``.margin`` file, format 2: a prelude, a header, and buffers.

::

     0  magic             8 bytes, 0x8B M A R G I N LF
     8  format            u32, 2
    12  zero              u32
    16  header length     u64
    24  file length       u64
    32  SHA-256 of the header
    64  header            canonical JSON, zeros up to a multiple of 64
        buffers           one after another, each followed by zeros up to a multiple of 64

Numbers are little-endian. ``header["arrays"]`` describes the buffers in order, each by dtype, shape, memory order and
the SHA-256 of its spans of 4 MiB. Where a buffer stands follows from what comes before it: there is nothing in a file
by which two could overlap or leave a gap, and what is left over is refused.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from margin.persistence.container.header import canonical, look_over, parsed
from margin.persistence.container.limits import (
    ALIGNMENT,
    MOST_ARRAYS,
    MOST_DIMENSIONS,
    MOST_HEADER,
    SPAN,
    Malformed,
)

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "FORMAT",
    "MAGIC",
    "PRELUDE",
    "Buffer",
    "Prelude",
    "aligned",
    "buffers_of",
    "described",
    "laid_out",
    "prelude",
]

FORMAT = 2
MAGIC = b"\x8bMARGIN\n"
_PRELUDE = struct.Struct("<8sIIQQ32s")
PRELUDE = _PRELUDE.size
NUMBERS = frozenset(["|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8"])
#: Longest fixed-width text or bytes of an array.
MOST_WIDTH = 2**20
_LARGEST = 2**62
_WIDE = re.compile(r"(<U|\|S)([1-9][0-9]{0,6})")


@dataclass(frozen=True)
class Prelude:
    """The first 64 bytes."""

    format: int
    header_length: int
    file_length: int
    digest: bytes

    @property
    def end_of_header(self) -> int:
        """Where the first buffer stands."""
        return aligned(PRELUDE + self.header_length)

    def header(self, raw: bytes) -> dict[str, Any]:
        """The header, its digest checked."""
        if hashlib.sha256(raw).digest() != self.digest:
            raise Malformed("the header does not match its digest")
        return parsed(raw)


@dataclass(frozen=True)
class Buffer:
    """One array: what it is, and where its bytes stand in the file.

    ``dtype`` is as the file writes it, so that nothing but a header can be read without NumPy.
    """

    dtype: str
    shape: tuple[int, ...]
    order: str
    start: int
    n_bytes: int
    digests: tuple[bytes, ...]

    @property
    def end(self) -> int:
        """Where the zeros behind it end."""
        return aligned(self.start + self.n_bytes)

    def spans(self) -> Iterator[tuple[int, int, bytes]]:
        """First and last byte of each span in the file, and its digest."""
        for i, digest in enumerate(self.digests):
            first = self.start + i * SPAN
            yield first, min(first + SPAN, self.start + self.n_bytes), digest

    def of(self, memory: np.ndarray) -> np.ndarray:
        """The array, out of its bytes."""
        return memory.view(self.dtype).reshape(self.shape, order="F" if self.order == "F" else "C")


def aligned(position: int) -> int:
    """The next place at which a buffer may begin."""
    return -(-position // ALIGNMENT) * ALIGNMENT


def prelude(raw: bytes, size: int) -> Prelude:
    """The prelude of a file of ``size`` bytes; nothing behind it is believed before it holds."""
    if len(raw) < PRELUDE or raw[:8] != MAGIC:
        raise Malformed("it does not begin as a model file does")
    _, version, zero, header_length, file_length, digest = _PRELUDE.unpack(raw[:PRELUDE])
    found = Prelude(version, header_length, file_length, digest)
    if version != FORMAT:  # what follows may mean anything
        return found
    if zero or not 0 < header_length <= MOST_HEADER or file_length != size or found.end_of_header > size:
        raise Malformed(f"it has {size:,} bytes, and its first ones speak of {file_length:,}")
    return found


def buffers_of(header: dict[str, Any], first: Prelude) -> list[Buffer]:
    """Where the arrays of a header stand; together they fill the file to its last byte."""
    listed = header.get("arrays")
    if not isinstance(listed, list) or len(listed) > MOST_ARRAYS:
        raise Malformed(f"arrays must be a list of at most {MOST_ARRAYS:,}")
    at, found = first.end_of_header, []
    for i, entry in enumerate(listed):
        try:
            buffer = _buffer(entry, at)
        except Malformed as wrong:
            raise wrong.inside(f"arrays[{i}]") from None
        at = buffer.end
        if at > first.file_length:
            raise Malformed(f"arrays[{i}] reaches beyond the end of the file")
        found.append(buffer)
    if at != first.file_length:
        raise Malformed(f"{first.file_length - at:,} bytes are left over behind the last array")
    return found


def _buffer(entry: Any, at: int) -> Buffer:
    if not isinstance(entry, dict) or not {"dtype", "shape", "sha256"} <= entry.keys() <= _ENTRY:
        raise Malformed("an array must have dtype, shape and sha256")
    item_size, shape = _item_size(entry["dtype"]), _shape(entry["shape"])
    order = entry.get("order", "C")
    if order not in ("C", "F") or (order == "C" and "order" in entry):
        raise Malformed("order must be 'F' or left out")
    n_bytes = item_size
    for length in shape:
        n_bytes *= length
        if n_bytes > _LARGEST:
            raise Malformed(f"a shape of {shape} is larger than any file")
    digests = entry["sha256"]
    if not isinstance(digests, list) or len(digests) != -(-n_bytes // SPAN):
        raise Malformed("there must be one digest for each span of 4 MiB")
    return Buffer(entry["dtype"], shape, order, at, n_bytes, tuple(_digest(text) for text in digests))


_ENTRY = {"dtype", "shape", "sha256", "order"}


def _item_size(text: object) -> int:
    """Bytes of one cell of a type, written as NumPy writes it."""
    if isinstance(text, str) and text in NUMBERS:
        return int(text[2:])
    if not isinstance(text, str) or not (wide := _WIDE.fullmatch(text)) or int(wide[2]) > MOST_WIDTH:
        raise Malformed(f"{text!r} is no type that arrays have")
    return int(wide[2]) * (4 if wide[1] == "<U" else 1)


def _shape(shape: Any) -> tuple[int, ...]:
    if not isinstance(shape, list) or len(shape) > MOST_DIMENSIONS:
        raise Malformed(f"a shape must be a list of at most {MOST_DIMENSIONS} lengths")
    for length in shape:
        if type(length) is not int or not 0 <= length <= _LARGEST:
            raise Malformed(f"{length!r} is no length")
    return tuple(shape)


def _digest(text: object) -> bytes:
    if not isinstance(text, str) or len(text) != 64 or not set(text) <= set("0123456789abcdef"):
        raise Malformed("a digest must be 64 hexadecimal digits")
    return bytes.fromhex(text)


def described(array: np.ndarray) -> dict[str, Any]:
    """The entry of an array in the header, its digests still to be filled in (they are all of one length)."""
    entry: dict[str, Any] = {"dtype": array.dtype.newbyteorder("<").str, "shape": list(array.shape)}
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        entry["order"] = "F"
    entry["sha256"] = ["0" * 64] * -(-array.nbytes // SPAN)
    return entry


def laid_out(header: dict[str, Any]) -> tuple[list[Buffer], int]:
    """Where the buffers of a header will stand, and the length of the file."""
    raw = _written(header)
    if len(raw) > MOST_HEADER:
        raise Malformed(f"the header would have {len(raw):,} bytes, more than {MOST_HEADER:,}")
    look_over(raw)  # what no reader would take is not written
    at, found = aligned(PRELUDE + len(raw)), []
    for entry in header["arrays"]:
        found.append(_buffer(entry, at))
        at = found[-1].end
    return found, at


def _written(header: dict[str, Any]) -> bytes:
    try:
        return canonical(header)
    except UnicodeEncodeError:
        raise Malformed("a text holds half a character, which no file can hold") from None
    except ValueError as error:
        raise Malformed(f"it holds what no header can ({error})") from None


def opening(header: dict[str, Any], file_length: int) -> bytes:
    """Prelude and header as they stand in the file, with the zeros behind them."""
    raw = canonical(header)
    first = _PRELUDE.pack(MAGIC, FORMAT, 0, len(raw), file_length, hashlib.sha256(raw).digest())
    return (first + raw).ljust(aligned(PRELUDE + len(raw)), b"\0")
