"""A table that is not in memory: where its rows are, what its columns are, and any block of its rows on request."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, ClassVar

import numpy as np

from margin.data.parts.decoding import decoded
from margin.data.parts.files import PartFile
from margin.data.parts.loading import frame_of, with_folders
from margin.data.parts.pieces import Piece
from margin.data.parts.row_blocks import block_bounds, n_blocks
from margin.data.parts.settling import Reading
from margin.data.readers.file import Request
from margin.data.schema import Schema
from margin.data.table import Table
from margin.errors import DataError, closest, listing

__all__ = ["Parts"]


@dataclass(frozen=True, repr=False)
class Parts:
    """A table in parts, as :func:`margin.scan` makes it.

    Rows have a number each, in the order of the names of the files, and come in blocks of a fixed size by that number,
    whatever the files are. Nothing but what the first look learnt is in memory.

    >>> import margin, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name, rows in (("a", "1,x"), ("b", "2,y")):
    ...     _ = (folder / f"{name}.csv").write_text(f"size,kind\\n{rows}\\n")
    >>> parts = margin.scan(folder, target="kind")
    >>> parts
    <Parts: 2 rows in 2 parts, 2 columns (size: numeric, kind: nominal)>
    >>> parts.block(0)["size"]
    array([1., 2.])
    """

    #: How ``fit`` knows parts from rows, without loading what reads them.
    are_parts: ClassVar[bool] = True

    files: tuple[PartFile, ...]
    pieces: tuple[Piece, ...]
    readings: tuple[Reading, ...]
    target: str | None = None
    weight: str | None = None
    request: Request = field(default_factory=Request)
    calls: tuple[Callable[[], Any], ...] = ()
    #: What keeps a folder of rows that were in memory from being cleared away.
    held: Any = field(default=None, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "held": None}  # whoever gets a copy must not clear the folder away

    @property
    def n_rows(self) -> int:
        """How many rows there are in all parts."""
        return sum(piece.rows or 0 for piece in self.pieces)

    def __len__(self) -> int:
        return self.n_rows

    @property
    def n_blocks(self) -> int:
        """How many blocks the rows make."""
        return n_blocks(self.n_rows)

    @property
    def schema(self) -> Schema:
        """What each column is, as reading all rows would have it; identifiers and texts have no levels here."""
        return Schema(reading.column for reading in self.readings)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(reading.column.name for reading in self.readings)

    def reading(self, name: str) -> Reading:
        """How a column is read."""
        if name not in self.names:
            raise DataError(f"Parts: column {name!r} is not there; columns are {listing(self.names)}"
                            f"{closest(name, self.names)}.")  # fmt: skip
        return next(reading for reading in self.readings if reading.column.name == name)

    def digest(self) -> str:
        """A number that stands for the files and the way they are read; not for where they lie."""
        digest = hashlib.sha256(b"margin parts 1\n")
        for file in self.files:
            digest.update(f"{file.form} {file.size} {file.digest}\n".encode())
        for reading in self.readings:
            digest.update(repr((reading.column, reading.way)).encode())
        return digest.hexdigest()

    def block(self, number: int, names: Iterable[str] | None = None) -> Table:
        """The table of one block, its cells and levels as in the table of all rows."""
        return next(self.blocks([number], names))

    def blocks(self, numbers: Iterable[int] | None = None, names: Iterable[str] | None = None) -> Iterator[Table]:
        """Blocks in the order asked for, all of them unless said; the next piece is read while one is worked on."""
        numbers = range(self.n_blocks) if numbers is None else list(numbers)
        readings = self._read(names)
        starts = [0, *accumulate(piece.rows or 0 for piece in self.pieces)]
        wanted = [block_bounds(number, self.n_rows) for number in numbers]
        runs = [list(_between(starts, begin, end)) for begin, end in wanted]
        with _Ahead(lambda i: self._table(i, readings), [i for run in runs for i in run]) as load:
            for (begin, end), run in zip(wanted, runs, strict=True):
                some = []
                for i in run:
                    table, first = load(i), starts[i]
                    inside = slice(max(begin - first, 0), min(end - first, table.n_rows))
                    whole = inside == slice(0, table.n_rows)
                    some.append(table if whole else table.take(inside))
                yield joined_tables(some)

    def tables(self, names: Iterable[str] | None = None) -> Iterator[Table]:
        """The rows piece after piece, as they lie in the files."""
        readings = self._read(names)
        with _Ahead(lambda i: self._table(i, readings), list(range(len(self.pieces)))) as load:
            for i in range(len(self.pieces)):
                yield load(i)

    def read(self) -> Table:
        """All rows as one table in memory, without what is left out of models."""
        return joined_tables(list(self.tables()))

    def _read(self, names: Iterable[str] | None) -> list[Reading]:
        wanted = None if names is None else set(names)
        return [r for r in self.readings if r.way != "left out" and (wanted is None or r.column.name in wanted)]

    def _table(self, number: int, readings: list[Reading]) -> Table:
        piece = self.pieces[number]
        file = self.files[piece.file]
        call = self.calls[piece.file] if self.calls else None
        frame = frame_of(file, piece, [reading.column.name for reading in readings], self.request, call)
        if frame.width == 0:
            return Table(Schema(()), [], n_rows=piece.rows or 0)
        if frame.height != piece.rows:
            raise DataError(f"{file.who}: the part has {frame.height} rows where it had {piece.rows} (scan again).")
        clean = file.form == "text"
        return decoded(with_folders(frame, file), readings, self.request.missing, clean, file.who)

    def __repr__(self) -> str:
        kinds = ", ".join(f"{c.name}: {c.kind}" for c in list(self.schema)[:8]) + ", …" * (len(self.readings) > 8)
        plural = "s" * (len(self.files) != 1)
        return (f"<Parts: {self.n_rows:,} rows in {len(self.files):,} part{plural}, {len(self.readings)} columns "
                f"({kinds})>")  # fmt: skip


def _between(starts: list[int], begin: int, end: int) -> Iterator[int]:
    """The pieces that hold rows from ``begin`` up to ``end``; empty ones hold none."""
    i = max(bisect_right(starts, begin) - 1, 0)
    while i < len(starts) - 1 and starts[i] < end:
        if starts[i + 1] > max(begin, starts[i]):
            yield i
        i += 1


def joined_tables(tables: list[Table]) -> Table:
    """The rows of tables of one schema one after another; words of texts may differ."""
    first = tables[0]
    if len(tables) == 1:
        return first
    columns, cells = [], []
    for column in first.schema:
        parts = [table.cells(column.name) for table in tables]
        levels = [table.schema[column.name].levels for table in tables]
        if any(each != levels[0] for each in levels[1:]):
            every = sorted({word for each in levels for word in each})
            place = {word: i for i, word in enumerate(every)}
            parts = [np.array([*(place[word] for word in each), -1], dtype=np.int32)[codes]
                     for each, codes in zip(levels, parts)]  # fmt: skip
            column = replace(column, levels=tuple(every))
        columns.append(column)
        cells.append(np.concatenate(parts))
    return Table(Schema(columns), cells, first.name, sum(table.n_rows for table in tables))


class _Ahead:
    """Loads what will be asked for next while the last one is worked on; what is asked for twice running, once."""

    def __init__(self, load: Callable[[int], Table], order: list[int]) -> None:
        self._load = load
        self._order = [i for at, i in enumerate(order) if at == 0 or i != order[at - 1]]
        self._at = -1
        self._now: Table | None = None
        self._next: Future[Table] | None = None
        self._pool = ThreadPoolExecutor(1)

    def __enter__(self) -> Callable[[int], Table]:
        return self._given

    def _given(self, number: int) -> Table:
        if self._now is None or self._order[self._at] != number:
            self._at += 1
            assert self._order[self._at] == number
            self._now = None  # before the next one is there, or three would be in memory
            self._now = self._load(number) if self._next is None else self._next.result()
            more = self._at + 1 < len(self._order)
            self._next = self._pool.submit(self._load, self._order[self._at + 1]) if more else None
        return self._now

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
