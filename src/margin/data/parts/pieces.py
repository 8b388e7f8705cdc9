"""Pieces of parts: so much of a file as is in memory at once, each loaded by itself and as often as anybody likes."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from margin.data.parts.files import PartFile
from margin.errors import DataError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PIECE_BYTES", "Piece", "cut_at_rows", "opened", "pieces_of_typed", "typed_frame"]

#: How much text, or how many typed cells, a piece has.
PIECE_BYTES, PIECE_CELLS, FEWEST_ROWS = 1 << 23, 1 << 22, 1 << 12


@dataclass(frozen=True)
class Piece:
    """Rows ``begin`` to ``end`` of a file of types, or those between two bytes of a file of text.

    ``file`` is the number of the file; ``rows`` is None until they were counted. ``top`` are what every piece of a file
    of text is read with: the names of its columns, and what separates cells.
    """

    file: int
    begin: int
    end: int
    rows: int | None = None
    names: tuple[str, ...] = ()
    separator: str = ""

    def counted(self, rows: int) -> Piece:
        return replace(self, rows=rows)


def pieces_of_typed(file: PartFile, number: int) -> Iterator[Piece]:
    """The pieces of a file that knows how many rows it has."""
    rows, names = _shape(file)
    at_once = max(FEWEST_ROWS, PIECE_CELLS // max(1, len(names)))
    count = max(1, -(-rows // at_once))
    for i in range(count):
        begin, end = rows * i // count, rows * (i + 1) // count
        yield Piece(number, begin, end, end - begin, names)


def _shape(file: PartFile) -> tuple[int, tuple[str, ...]]:
    import polars as pl

    if file.form == "array":
        array = _array(file)
        return array.shape[0], tuple(f"x{i}" for i in range(array.shape[1]))
    lazy = _lazy(file)
    with _Refusing(file):
        return int(lazy.select(pl.len()).collect().item()), tuple(lazy.collect_schema().names())


def typed_frame(file: PartFile, piece: Piece, names: list[str]) -> pl.DataFrame:
    """Some columns of a piece of a typed file."""
    import polars as pl

    if file.form == "array":
        cells = _array(file)[piece.begin : piece.end]
        return pl.DataFrame({name: np.array(cells[:, piece.names.index(name)]) for name in names})
    with _Refusing(file):
        return _lazy(file).slice(piece.begin, piece.end - piece.begin).select(names).collect()


def _lazy(file: PartFile) -> pl.LazyFrame:
    import polars as pl

    with _Refusing(file):
        return pl.scan_parquet(file.path) if file.form == "parquet" else pl.scan_ipc(file.path)


def _array(file: PartFile) -> np.ndarray:
    try:
        array = np.load(file.path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise DataError(f"{file.who}: this is not a readable array ({error}).") from None
    if array.ndim != 2 or array.dtype.kind not in "fiub":
        raise DataError(f"{file.who}: an array must hold numbers in rows and columns, not {array.dtype} {array.shape}.")
    return array


class _Refusing:
    """Damaged files make polars panic, beside its many errors."""

    def __init__(self, file: PartFile) -> None:
        self.file = file

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, _: Any) -> None:
        import polars as pl

        if isinstance(error, (Exception, pl.exceptions.PanicException)) and not isinstance(error, DataError):
            said = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise DataError(f"{self.file.who}: this is not a readable {self.file.form} file ({said}).") from None


def opened(path: str) -> Any:
    """A file of text, unpacked on the way."""
    return gzip.open(path, "rb") if path.lower().endswith(".gz") else open(path, "rb")


def cut_at_rows(
    file: PartFile, end_of_rows: Callable[[bytes], int], size: int = PIECE_BYTES
) -> Iterator[tuple[int, bytes]]:
    """Whole rows of about so many bytes of (unpacked) text, and where in it they begin."""
    rest, begin = b"", 0
    try:
        with opened(file.path) as stream:
            while block := stream.read(size):
                rest += block
                end = end_of_rows(rest)
                if end:
                    yield begin, rest[:end]
                    begin, rest = begin + end, rest[end:]
                elif len(rest) > 64 * size:
                    raise DataError(f"{file.who}: the rows have no end (is a quote opened and not closed?).")
    except (OSError, EOFError) as error:
        if isinstance(error, gzip.BadGzipFile | EOFError):
            raise DataError(f"{file.who}: the packed file is damaged or cut off ({error}).") from None
        raise
    if rest:
        yield begin, rest


class _OpenText:
    """The file of text that was read last: packed ones are not unpacked from their beginning for every piece."""

    path: str = ""
    stream: io.BufferedIOBase | None = None


def text_between(file: PartFile, begin: int, end: int) -> bytes:
    """Some bytes of the unpacked text of a file."""
    if _OpenText.path != file.path or _OpenText.stream is None:
        if _OpenText.stream is not None:
            _OpenText.stream.close()
        _OpenText.path, _OpenText.stream = file.path, opened(file.path)
    _OpenText.stream.seek(begin)
    return _OpenText.stream.read(end - begin)
