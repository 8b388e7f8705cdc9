"""The first part of a file: its header, and where its arrays stand. Nothing of NumPy is needed for it."""

from __future__ import annotations

import hashlib

from margin.persistence.container.bytes import FORMAT, PRELUDE, Prelude, buffers_of, prelude
from margin.persistence.container.limits import Malformed
from margin.persistence.container.sources import Source

__all__ = ["Head", "open_head"]


class Head:
    """A file whose header is sound and whose arrays are known by place, shape and digest."""

    def __init__(self, source: Source, first: Prelude) -> None:
        self._source = source
        #: The format that the file was written in.
        self.format = first.format
        self.n_bytes = source.size
        raw = source.read(PRELUDE, first.end_of_header)
        self.header_bytes = raw[: first.header_length]
        if raw[first.header_length :].strip(b"\0"):
            raise Malformed("there is something between the header and the first array")
        self.digest = first.digest.hex()
        self.header = first.header(self.header_bytes)
        self.buffers = buffers_of(self.header, first)

    def content(self, number: int) -> bytes:
        """The bytes of one array, checked; for small ones that are read without the model."""
        buffer = self.buffers[number]
        raw = self._source.read(buffer.start, buffer.start + buffer.n_bytes)
        for first, last, digest in buffer.spans():
            if hashlib.sha256(raw[first - buffer.start : last - buffer.start]).digest() != digest:
                raise Malformed(f"array {number} does not match its digest")
        return raw


def open_head(source: Source) -> Head | Prelude:
    """The header of a file of this format; of another one only the prelude, which says which."""
    first = prelude(source.read(0, min(PRELUDE, source.size)), source.size)
    return Head(source, first) if first.format == FORMAT else first
