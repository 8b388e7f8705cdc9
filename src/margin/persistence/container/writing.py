"""A header and its arrays as a file: spans are digested and written two by two, the header last."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np

from margin import parallel
from margin.persistence.container.bytes import Buffer, described, laid_out, opening
from margin.persistence.container.digests import AT_ONCE, digests
from margin.persistence.container.limits import MOST_ARRAYS, SPAN, Malformed

__all__ = ["FEW_BYTES", "FileSink", "MemorySink", "Sink", "in_parallel", "write"]

#: Below so many bytes one thread is done before a second has begun.
FEW_BYTES = 2**20


class Sink(Protocol):
    """Where a file is written to."""

    def resize(self, n_bytes: int) -> None: ...

    def write_at(self, position: int, data: Any) -> None: ...

    def done(self, start: int, end: int) -> None:
        """Nothing more will be written between the two."""


class MemorySink:
    """A file in memory."""

    def __init__(self) -> None:
        self.content = bytearray()

    def resize(self, n_bytes: int) -> None:
        self.content = bytearray(n_bytes)

    def write_at(self, position: int, data: Any) -> None:
        memoryview(self.content)[position : position + len(data)] = memoryview(data)

    def done(self, start: int, end: int) -> None:
        pass


class FileSink:
    """An open file; several threads may write to it at once."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def resize(self, n_bytes: int) -> None:
        os.ftruncate(self._descriptor, n_bytes)

    def write_at(self, position: int, data: Any) -> None:
        view = memoryview(data)
        while len(view):
            written = os.pwrite(self._descriptor, view, position)
            view, position = view[written:], position + written

    def done(self, start: int, end: int) -> None:
        """Let the disk write whole spans while others are digested: a sync at the end then finds little left to do."""
        if end - start >= SPAN and hasattr(os, "posix_fadvise"):
            os.posix_fadvise(self._descriptor, start, end - start, os.POSIX_FADV_DONTNEED)


def write(sink: Sink, header: dict[str, Any], arrays: Sequence[np.ndarray]) -> None:
    """Write a header, to which the table of arrays is added, and the arrays.

    Two spans at a time and thread are held beside the arrays themselves, whatever their memory order.
    """
    if len(arrays) > MOST_ARRAYS:
        raise Malformed(f"a model has {len(arrays):,} arrays, more than {MOST_ARRAYS:,}")
    header = {**header, "arrays": [described(array) for array in arrays]}
    buffers, length = laid_out(header)
    sink.resize(length)

    def put(spans: Sequence[tuple[int, int, Callable[[], Any]]]) -> list[tuple[int, int, str]]:
        pieces = [memoryview(span()) for _, _, span in spans]
        for (number, part, _), piece in zip(spans, pieces):
            start = buffers[number].start + part * SPAN
            sink.write_at(start, piece)
            sink.done(start, start + len(piece))
        return [(number, part, digest.hex()) for (number, part, _), digest in zip(spans, digests(pieces))]

    for done in in_parallel(put, _spans(buffers, arrays), length):
        for number, part, digest in done:
            header["arrays"][number]["sha256"][part] = digest
    sink.write_at(0, opening(header, length))


def in_parallel(work: Callable[[Sequence[Any]], Any], spans: Iterable[Any], n_bytes: int) -> Iterator[Any]:
    """The result of every task, of two spans each, in order; on several threads where there is enough to do."""
    listed = list(spans)
    tasks = [listed[first : first + AT_ONCE] for first in range(0, len(listed), AT_ONCE)]
    n = min(parallel.n_threads(), len(tasks))
    if n_bytes < FEW_BYTES or n < 2:
        yield from map(work, tasks)
        return
    with ThreadPoolExecutor(n) as pool:
        yield from pool.map(work, tasks)


def _spans(buffers: Sequence[Buffer], arrays: Sequence[np.ndarray]) -> Iterator[tuple[int, int, Callable[[], Any]]]:
    for number, (buffer, array) in enumerate(zip(buffers, arrays)):
        cut = _cutting(array, buffer)
        for part in range(len(buffer.digests)):
            yield number, part, functools.partial(cut, part)


def _cutting(array: np.ndarray, buffer: Buffer) -> Callable[[int], Any]:
    """The bytes of each span of an array, without a copy of the whole."""
    ordered = array.T if buffer.order == "F" else array
    if ordered.flags.c_contiguous and array.dtype == buffer.dtype:
        flat = ordered.reshape(-1).view(np.uint8)
        return lambda part: flat[part * SPAN : (part + 1) * SPAN]
    size = array.dtype.itemsize

    def copied(part: int) -> np.ndarray:
        first, last = part * SPAN, min((part + 1) * SPAN, buffer.n_bytes)
        cells = ordered.flat[first // size : -(-last // size)].astype(buffer.dtype)
        return cells.view(np.uint8)[first % size : first % size + last - first]

    return copied
