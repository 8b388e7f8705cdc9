"""The header and the arrays of a file, digests checked, or mapped where they stand."""

from __future__ import annotations

import hashlib
import mmap
from collections.abc import Callable, Sequence

import numpy as np

from margin.persistence.container.bytes import FORMAT, PRELUDE, Buffer, Prelude, prelude
from margin.persistence.container.digests import digests
from margin.persistence.container.head import Head
from margin.persistence.container.limits import ALIGNMENT, Malformed
from margin.persistence.container.sources import FileSource, MemorySource, Source, opened_file
from margin.persistence.container.writing import FEW_BYTES, in_parallel

__all__ = ["FileSource", "MemorySource", "Opened", "Source", "open_container", "opened_file"]

#: Arrays of a mapped file up to this size are read and checked all the same: they are what the rest is found by.
SMALL_ARRAY = 2**20


class Opened(Head):
    """A file whose arrays can be read, all of them or one by one."""

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
        if end - start < FEW_BYTES:
            self._source.read_into(start, memory)
            self._check_read(memory, start)
        else:
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
        self._check(self.buffers, None)

    def _check_read(self, memory: np.ndarray, start: int) -> None:
        """All buffers of a small file, which was read in one go."""
        view = memoryview(memory)
        for number, buffer in enumerate(self.buffers):
            for first, last, expected in buffer.spans():
                if hashlib.sha256(view[first - start : last - start]).digest() != expected:
                    raise Malformed(f"array {number} does not match its digest")
            if any(view[buffer.start + buffer.n_bytes - start : buffer.end - start]):
                raise Malformed(f"there is something behind array {number}")

    def _check(self, buffers: Sequence[Buffer], place: Callable[[int, int], np.ndarray] | None) -> None:
        """Read buffers and compare their digests; ``place`` gives the memory for what stands from here to there."""

        def check(spans: Sequence[tuple[int, int, int, bytes]]) -> None:
            pieces = [_aligned_memory(b - a) if place is None else place(a, b) for _, a, b, _ in spans]
            for (number, first, last, _), piece in zip(spans, pieces):
                self._source.read_into(first, piece)
                buffer = buffers[number]
                if last == buffer.start + buffer.n_bytes and self._source.read(last, buffer.end).strip(b"\0"):
                    raise Malformed(f"there is something behind array {number}")
            for (number, _, _, expected), digest in zip(spans, digests(pieces)):
                if digest != expected:
                    raise Malformed(f"array {number} does not match its digest")

        spans = ((i, *span) for i, buffer in enumerate(buffers) for span in buffer.spans())
        for _ in in_parallel(check, spans, sum(buffer.n_bytes for buffer in buffers)):
            pass


def open_container(source: Source) -> Opened | Prelude:
    """A file of this format; of another one only the prelude, which says which."""
    first = prelude(source.read(0, min(PRELUDE, source.size)), source.size)
    return Opened(source, first) if first.format == FORMAT else first


def _aligned_memory(n_bytes: int) -> np.ndarray:
    """Memory that begins as buffers do: arrays can be read by any instruction, and copied at full speed.

    Processors that copy by one instruction may take more than twice as long where the target stands up to 16 bytes
    behind the source within a page, which is where NumPy's own memory begins.
    """
    memory = np.empty(n_bytes + ALIGNMENT, dtype=np.uint8)
    shift = -memory.ctypes.data % ALIGNMENT
    return memory[shift : shift + n_bytes]
