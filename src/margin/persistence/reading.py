"""The header and the arrays of a file, digests checked, or mapped where they stand."""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
import stat
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from margin.persistence.container import ALIGNMENT, FORMAT, PRELUDE, Buffer, Prelude, buffers_of, prelude
from margin.persistence.limits import Malformed
from margin.persistence.writing import in_parallel

__all__ = ["FileSource", "MemorySource", "Opened", "Source", "open_container", "opened_file"]

#: Arrays of a mapped file up to this size are read and checked all the same: they are what the rest is found by.
SMALL_ARRAY = 2**20


class Source(Protocol):
    """The bytes of a file."""

    size: int

    def read(self, start: int, end: int) -> bytes: ...

    def read_into(self, start: int, memory: np.ndarray) -> None: ...


class MemorySource:
    """A file in memory."""

    def __init__(self, content: bytes | bytearray | memoryview) -> None:
        self._content = memoryview(content)
        self.size = len(self._content)

    def read(self, start: int, end: int) -> bytes:
        return bytes(self._content[start:end])

    def read_into(self, start: int, memory: np.ndarray) -> None:
        memory[:] = np.frombuffer(self._content[start : start + len(memory)], dtype=np.uint8)


class FileSource:
    """An open file; several threads may read from it at once."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.size = os.fstat(descriptor).st_size

    def read(self, start: int, end: int) -> bytes:
        end = min(end, self.size)
        found = os.pread(self.descriptor, end - start, start)
        if len(found) < end - start:  # a single call reads 2 GB at most, or a signal came in between
            rest = np.empty(end - start, dtype=np.uint8)
            self.read_into(start, rest)
            found = rest.tobytes()
        return found

    def read_into(self, start: int, memory: np.ndarray) -> None:
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


class Opened:
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

    @property
    def can_be_mapped(self) -> bool:
        """Whether there is a file in which the arrays stand as they are used."""
        return isinstance(self._source, FileSource) and self._source.size > 0

    def arrays(self) -> list[np.ndarray]:
        """Every array, read into one block of memory and checked on the way."""
        if not self.buffers:
            return []
        start, end = self.buffers[0].start, self.buffers[-1].end
        memory = _aligned_memory(end - start)
        self._check(self.buffers, lambda first, last: memory[first - start : last - start])
        return [buffer.of(memory[buffer.start - start :][: buffer.n_bytes]) for buffer in self.buffers]

    def mapped(self) -> list[np.ndarray]:
        """Every array where it stands in the file; only small ones are read and checked."""
        assert isinstance(self._source, FileSource)
        whole = np.frombuffer(mmap.mmap(self._source.descriptor, 0, access=mmap.ACCESS_READ), dtype=np.uint8)
        return [
            self.array(i) if buffer.n_bytes <= SMALL_ARRAY else buffer.of(whole[buffer.start :][: buffer.n_bytes])
            for i, buffer in enumerate(self.buffers)
        ]

    def array(self, number: int) -> np.ndarray:
        """One array, read and checked."""
        buffer = self.buffers[number]
        memory = _aligned_memory(buffer.end - buffer.start)
        self._check([buffer], lambda first, last: memory[first - buffer.start : last - buffer.start])
        return buffer.of(memory[: buffer.n_bytes])

    def check_digests(self) -> None:
        """Every buffer against its digests, without keeping any."""
        self._check(self.buffers, lambda first, last: np.empty(last - first, dtype=np.uint8))

    def _check(self, buffers: Sequence[Buffer], place: Any) -> None:
        def check(task: tuple[Buffer, int, int, bytes]) -> None:
            buffer, first, last, digest = task
            end = last if last < buffer.start + buffer.n_bytes else buffer.end
            memory = place(first, end)
            self._source.read_into(first, memory)
            if hashlib.sha256(memory[: last - first]).digest() != digest:
                raise Malformed(f"array {buffers.index(buffer)} does not match its digest")
            if memory[last - first :].any():
                raise Malformed(f"there is something behind array {buffers.index(buffer)}")

        tasks = [(buffer, *span) for buffer in buffers for span in buffer.spans()]
        for _ in in_parallel(check, tasks, sum(buffer.n_bytes for buffer in buffers)):
            pass


def open_container(source: Source) -> Opened | Prelude:
    """A file of this format; of another one only the prelude, which says which."""
    first = prelude(source.read(0, min(PRELUDE, source.size)), source.size)
    return Opened(source, first) if first.format == FORMAT else first


def _aligned_memory(n_bytes: int) -> np.ndarray:
    memory = np.empty(n_bytes + ALIGNMENT, dtype=np.uint8)
    shift = -memory.ctypes.data % ALIGNMENT
    return memory[shift : shift + n_bytes]
