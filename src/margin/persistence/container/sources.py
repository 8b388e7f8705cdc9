"""Where the bytes of a file come from: memory, or an open file."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from typing import Any, Protocol

from margin.persistence.container.limits import Malformed

__all__ = ["FileSource", "MemorySource", "Source", "opened_file"]


class Source(Protocol):
    """The bytes of a file; ``read_into`` fills any writable memory."""

    size: int

    def read(self, start: int, end: int) -> bytes: ...

    def read_into(self, start: int, memory: Any) -> None: ...


class MemorySource:
    """A file in memory."""

    def __init__(self, content: bytes | bytearray | memoryview) -> None:
        self._content = memoryview(content)
        self.size = len(self._content)

    def read(self, start: int, end: int) -> bytes:
        return bytes(self._content[start:end])

    def read_into(self, start: int, memory: Any) -> None:
        view = memoryview(memory)
        view[:] = self._content[start : start + len(view)]


class FileSource:
    """An open file; several threads may read from it at once."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.size = os.fstat(descriptor).st_size

    def read(self, start: int, end: int) -> bytes:
        length = max(min(end, self.size) - start, 0)
        found = os.pread(self.descriptor, length, start)
        if len(found) < length:  # a single call reads 2 GB at most, or a signal came in between
            rest = bytearray(length)
            self.read_into(start, rest)
            found = bytes(rest)
        return found

    def read_into(self, start: int, memory: Any) -> None:
        view = memoryview(memory)
        while len(view):
            n = os.preadv(self.descriptor, [view], start)
            if n == 0:
                raise Malformed("the file ends before it should")
            view, start = view[n:], start + n


@contextlib.contextmanager
def opened_file(path: str | os.PathLike[str]) -> Iterator[FileSource]:
    """A file to be read, opened once; anything that is no plain file is refused without waiting for it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(path)
        if not stat.S_ISREG(mode):
            raise Malformed("that is no plain file")
        yield FileSource(descriptor)
    finally:
        os.close(descriptor)
