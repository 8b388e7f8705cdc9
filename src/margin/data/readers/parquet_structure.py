"""Whether the counts and lengths in a Parquet file fit together, before compiled code reserves memory for them.

A damaged count (one bit is enough) can ask for more memory than there is, and the reader then ends the process where
nothing can be caught. So the counts are read first: those of the footer, and those at the head of every page, which is
little beside the pages themselves. Both are written in the compact protocol of Thrift.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

__all__ = ["StructureError", "check_structure"]

MARK = b"PAR1"
# Numbers of the fields that are read here, as parquet.thrift has them.
ROW_GROUPS, GROUP_COLUMNS, GROUP_ROWS, CHUNK_META = 4, 1, 3, 3
CHUNK_VALUES, CHUNK_DATA, CHUNK_DICTIONARY = 5, 9, 11
UNPACKED_SIZE, PACKED_SIZE, DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2 = 2, 3, 5, 7, 8
PAGE_VALUES = 1

DEEPEST = 32  # structures inside structures; the format needs ten


class StructureError(ValueError):
    """Counts or lengths of a file contradict each other."""


def check_structure(data: bytes) -> None:
    """Raise where a count cannot be; what is no Parquet file at all, or encrypted, is left to the reader."""
    try:
        _check_file(data)
    except (AttributeError, KeyError, TypeError):
        raise StructureError("its description holds values of other types than the format has") from None


def _check_file(data: bytes) -> None:
    if len(data) < 12 or data[:4] != MARK or data[-4:] != MARK:
        return
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    if start < 4:
        raise StructureError("its footer is longer than the file")
    cells = 0
    for group in _Compact(data, start).structure().get(ROW_GROUPS, []):
        rows, chunks = group.get(GROUP_ROWS, 0), [column.get(CHUNK_META) for column in group.get(GROUP_COLUMNS, [])]
        for meta in chunks:
            if meta is not None:  # else the column is in another file, or encrypted
                _check_chunk(data, meta, rows)
        cells += rows * len(chunks)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if cells * 4 > memory:
        raise StructureError(f"its {cells:,} cells do not fit into memory")


def _check_chunk(data: bytes, meta: dict[int, Any], rows: int) -> None:
    """One column of a group of rows: its pages have as many values as it says, and it has one for each row."""
    n_values = meta.get(CHUNK_VALUES, 0)
    if not 0 <= rows <= n_values:
        raise StructureError(f"a column has {n_values} values for {rows} rows")
    starts = [meta[field] for field in (CHUNK_DATA, CHUNK_DICTIONARY) if meta.get(field, 0) > 0]
    at, seen = min(starts, default=0), 0
    while seen < n_values:
        if not 4 <= at < len(data):
            raise StructureError("a column begins or ends outside the file")
        reader = _Compact(data, at)
        page = reader.structure()
        seen += _values_of(page)
        at = reader.at + page[PACKED_SIZE]
        if seen > n_values:
            raise StructureError(f"pages hold more than the {n_values} values of their column")
        if at > len(data):
            raise StructureError("a page is longer than the file")


def _values_of(page: dict[int, Any]) -> int:
    """How many values a page adds to its column; those of a dictionary are no cells, but take a byte at least."""
    unpacked = page.get(UNPACKED_SIZE, -1)
    if unpacked < 0 or page.get(PACKED_SIZE, -1) < 0:
        raise StructureError("a page has a length below 0")
    head = page.get(DATA_PAGE) or page.get(DATA_PAGE_V2)
    if head is None and DICTIONARY_PAGE not in page:
        return 0  # a kind of page without cells
    count = (head or page[DICTIONARY_PAGE]).get(PAGE_VALUES, -1)
    if count < 0 or (head is None and count > unpacked):
        raise StructureError(f"a page of {unpacked} bytes cannot hold {count} values")
    return count if head is not None else 0


class _Compact:
    """A structure of Thrift's compact protocol, its fields by their numbers; words are left out."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def structure(self, depth: int = 0) -> dict[int, Any]:
        found, number = {}, 0
        for kind, step in self._fields():
            number = number + step if step else self._whole()
            found[number] = self._value(kind, depth + 1)
        return found

    def _fields(self) -> Iterator[tuple[int, int]]:
        while head := self._byte():
            yield head & 15, head >> 4

    def _value(self, kind: int, depth: int) -> Any:
        if depth > DEEPEST:
            raise StructureError("its description goes deeper than the format does")
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._whole()
        if kind == 7:
            return self._skip(8)
        if kind == 8:
            return self._skip(self._varint())
        if kind in (9, 10):
            return self._list(depth)
        if kind == 12:
            return self.structure(depth)
        raise StructureError("its description holds a type that the format does not use")

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        size, kind = head >> 4, head & 15
        if size == 15:
            size = self._varint()
        if size > len(self.data) - self.at:  # each takes a byte at least
            raise StructureError("a list is longer than the file")
        return [self._byte() == 1 if kind in (1, 2) else self._value(kind, depth + 1) for _ in range(size)]

    def _whole(self) -> int:
        coded = self._varint()
        return (coded >> 1) ^ -(coded & 1)

    def _varint(self) -> int:
        found = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            found |= (byte & 127) << shift
            if byte < 128:
                return found
        raise StructureError("its description holds a number of more than 64 bits")

    def _byte(self) -> int:
        if self.at >= len(self.data):
            raise StructureError("its description ends outside the file")
        self.at += 1
        return self.data[self.at - 1]

    def _skip(self, length: int) -> None:
        self.at += length
