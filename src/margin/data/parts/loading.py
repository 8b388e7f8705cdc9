"""What stands between files and tables: the frame of any piece, whatever kind of part it is a piece of."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from margin.data.parts.files import PartFile
from margin.data.parts.pieces import Piece, pieces_of_typed, typed_frame
from margin.data.parts.text import pieces_of_records, pieces_of_rows, records_frame, rows_frame
from margin.data.readers.file import Request
from margin.errors import DataError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["called_part", "frame_of", "pieces_of", "with_folders"]


def pieces_of(
    file: PartFile, number: int, request: Request, call: Callable[[], Any] | None
) -> Iterator[tuple[Piece, Any]]:
    """The pieces of a part in their order, each with its frame where reading had to look at it anyway."""
    if file.form == "text":
        yield from pieces_of_rows(file, number, request)
    elif file.form == "records":
        yield from pieces_of_records(file, number, request)
    elif call is not None:
        frame = _called(call, file.who)
        yield Piece(number, 0, frame.height, frame.height, tuple(frame.columns)), frame
    else:
        yield from ((piece, None) for piece in pieces_of_typed(file, number))


def frame_of(
    file: PartFile, piece: Piece, names: Sequence[str], request: Request, call: Callable[[], Any] | None
) -> pl.DataFrame:
    """Some columns of a piece, read once more; a part that has changed meanwhile is refused."""
    if call is not None:
        frame = _called(call, file.who)
        if _digest(frame) != file.digest:
            raise DataError(
                f"{file.who}: the part is another one each time it is called for; it must always be the same."
            )
        return frame
    file.check()
    wanted = [name for name in names if name in piece.names]
    if file.form == "text":
        return rows_frame(file, piece, request).select(wanted)
    if file.form == "records":
        return records_frame(file, piece, request)
    return typed_frame(file, piece, wanted)


def called_part(call: Callable[[], Any], number: int) -> PartFile:
    """A part that a function gives, told by what it holds."""
    frame = _called(call, f"scan(part {number})")
    return PartFile(f"part {number}", "call", frame.height, 0, _digest(frame))


def with_folders(frame: pl.DataFrame, file: PartFile) -> pl.DataFrame:
    """The frame with the columns that the folders of its file name."""
    import polars as pl

    return frame.with_columns(pl.lit(word or None, dtype=pl.String).alias(name) for name, word in file.folders)


def _called(call: Callable[[], Any], who: str) -> pl.DataFrame:
    import narwhals.stable.v2 as nw
    import numpy as np
    import polars as pl

    found = call()
    if isinstance(found, pl.DataFrame):
        return found
    if isinstance(found, np.ndarray) and found.ndim == 2:
        return pl.DataFrame({f"x{i}": column for i, column in enumerate(found.T)})
    try:
        if hasattr(found, "to_polars") and not hasattr(found, "collect"):
            frame: pl.DataFrame = found.to_polars()
            return frame
        return pl.DataFrame(found) if isinstance(found, dict) else nw.from_native(found, eager_only=True).to_polars()
    except (TypeError, ValueError) as error:
        raise DataError(
            f"{who}: a part must be a data frame, a table, an array or a dict of columns ({error})."
        ) from None


def _digest(frame: pl.DataFrame) -> str:
    written = io.BytesIO()
    frame.write_ipc(written)
    return hashlib.blake2b(written.getbuffer(), digest_size=20).hexdigest()
