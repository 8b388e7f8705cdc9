r"""Where the rows and cells of delimited text begin and end.

polars splits the cells; what it does not do is say in which line a row is too short. So the line ends and the
separators outside quotes are counted first, with arrays of positions and no loop over cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from margin.data.readers.file import Source

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Rows", "quotes_are_regular", "split_rows"]


@dataclass(frozen=True)
class Rows:
    """The cells of a file as written, one frame row for each row of the file, and where those rows stand."""

    frame: pl.DataFrame
    text: bytes
    starts: np.ndarray

    def line_of(self, row: int) -> int:
        """The line of the file, from 1, in which a row begins."""
        return self.text.count(b"\n", 0, int(self.starts[row])) + 1


def split_rows(source: Source, text: bytes, separator: str) -> Rows:
    """Cut text into cells; blank lines do not count, and a row of another length is an error with its line."""
    if b'"' not in text:
        return _split_quickly(source, text, separator, None)
    if quotes_are_regular(text, separator):
        return _split_quickly(source, text, separator, '"')
    if separator == "\t":  # tab-separated text is often written without any quoting, and quotes are just quotes
        return _split_quickly(source, text, separator, None)
    return _split_carefully(source, text, separator)


def _positions(text: bytes, character: str) -> np.ndarray:
    return np.flatnonzero(np.frombuffer(text, np.uint8) == ord(character))


def quotes_are_regular(text: bytes, separator: str) -> bool:
    """Whether every quote opens at the start of a cell, closes at its end, or is doubled inside."""
    at = _positions(text, '"')
    if len(at) % 2:
        return False
    edges = np.array([ord(separator), ord("\n"), ord('"')], dtype=np.uint8)
    padded = np.frombuffer(b"\n" + text + b"\n", np.uint8)
    before, after = padded[at[::2]], padded[at[1::2] + 2]
    return bool(np.all(np.isin(before, edges)) and np.all(np.isin(after, edges)))


def _split_quickly(source: Source, text: bytes, separator: str, quote: str | None) -> Rows:
    import polars as pl

    ends, separators = _positions(text, "\n"), _positions(text, separator)
    if not text.endswith(b"\n"):
        ends = np.append(ends, len(text))
    if quote is not None:
        quotes = _positions(text, quote)
        ends = ends[np.searchsorted(quotes, ends) % 2 == 0]
        separators = separators[np.searchsorted(quotes, separators) % 2 == 0]
    starts = np.concatenate([[0], ends[:-1] + 1])
    n_cells = np.diff(np.searchsorted(separators, ends), prepend=0) + 1
    blank = ends == starts
    if n_cells.max() > 1:
        for row in np.flatnonzero(n_cells == 1):
            blank[row] = not text[starts[row] : ends[row]].strip()
    kept = _rows_that_count(blank, n_cells)
    mended = _with_even_header(text, separator, starts[kept], ends[kept], n_cells[kept])
    if mended is not None:
        return _split_quickly(source, mended, separator, quote)
    _refuse_ragged_rows(source, text, starts[kept], n_cells[kept])
    first, width = int(kept[0]), int(n_cells[kept[0]])
    frame = pl.read_csv(
        text[starts[first] :],  # polars counts the columns in the first line, so that must not be blank
        has_header=False,
        schema={f"column{i + 1}": pl.String for i in range(width)},
        separator=separator,
        quote_char=quote,
    )
    if frame.height != len(ends) - first:
        raise source.refusal("the quotes in the file do not say where its cells end; write a quote inside as two.")
    if len(kept) < frame.height:
        frame = frame[kept - first]
    return Rows(frame, text, starts[kept])


def _rows_that_count(blank: np.ndarray, n_cells: np.ndarray) -> np.ndarray:
    """Rows that are not blank lines; in a table of one column a blank line inside is a missing cell."""
    filled = np.flatnonzero(~blank)
    if not len(filled):
        return np.arange(len(n_cells))
    return filled if n_cells.max() > 1 else np.arange(filled[0], filled[-1] + 1)


def _with_even_header(
    text: bytes, separator: str, starts: np.ndarray, ends: np.ndarray, n_cells: np.ndarray
) -> bytes | None:
    """The text with a first line that ends as the others do, where only a separator at the end of lines is odd."""
    if len(n_cells) < 2 or np.any(n_cells[1:] != n_cells[1]) or abs(int(n_cells[0]) - int(n_cells[1])) != 1:
        return None
    at, mark = int(ends[0]), separator.encode()
    if n_cells[0] > n_cells[1]:
        return text[: at - 1] + text[at:] if text[at - 1 : at] == mark else None
    last = np.frombuffer(text, np.uint8)[ends[1:] - 1]
    return text[:at] + mark + text[at:] if np.all(last == mark[0]) else None


def _refuse_ragged_rows(source: Source, text: bytes, starts: np.ndarray, n_cells: np.ndarray) -> None:
    """A row of another length than most is an error that names it; the first line is most often a title."""
    if np.all(n_cells == n_cells[0]):
        return
    times = np.bincount(n_cells)
    usual = int(n_cells[0]) if times[n_cells[0]] == times.max() else int(times.argmax())
    odd, even = (int(np.flatnonzero(where)[0]) for where in (n_cells != usual, n_cells == usual))
    line, like = (text.count(b"\n", 0, int(starts[row])) + 1 for row in (odd, even))
    n = int(n_cells[odd])
    above = like - 1
    lines = f"what stands above the names of the columns is left out by skip={above} or --skip {above}"
    hint = lines if odd == 0 and n < usual else "mend the line"
    raise source.refusal(
        f"line {line} has {n} cell{'s' * (n != 1)}, but {usual} were expected (as in line {like}); "
        f"{hint}, or give separator= or --separator if the cells are split in another way."
    )


def _split_carefully(source: Source, text: bytes, separator: str) -> Rows:
    """The same for quotes in unusual places, ``a, "b, c"`` or ``5" pipe``: cell by cell, and slower."""
    import polars as pl

    words = text.decode()
    rows: list[list[str]] = [[]]
    starts = [0]
    for at, cell, ends_row in _cells(source, words, separator):
        rows[-1].append(cell)
        if ends_row and at < len(words):
            rows.append([])
            starts.append(at + 1)
    offsets = _byte_offsets(words, starts)
    n_cells = np.array([len(cells) for cells in rows])
    kept = _rows_that_count(np.array([len(cells) == 1 and not cells[0].strip() for cells in rows]), n_cells)
    _refuse_ragged_rows(source, text, offsets[kept], n_cells[kept])
    columns = zip(*(rows[i] for i in kept))
    frame = pl.DataFrame([pl.Series(f"column{i + 1}", column) for i, column in enumerate(columns)])
    return Rows(frame, text, offsets[kept])


def _cells(source: Source, words: str, separator: str) -> Iterator[tuple[int, str, bool]]:
    """Each cell in turn: where it ends, what it says, and whether it is the last of its row."""
    sep = re.escape(separator)
    pattern = re.compile(rf'[ \t]*"((?:[^"]|"")*)"[ \t]*(?={sep}|\n|\Z)|([^{sep}\n]*)')
    at = 0
    while at <= len(words):
        match = pattern.match(words, at)
        assert match is not None  # the second half of the pattern matches anything
        quoted, plain = match.groups()
        if quoted is None and plain.lstrip().startswith('"'):
            line = words.count("\n", 0, at) + 1
            raise source.refusal(
                f'line {line}: a quote is opened and not closed (a quote inside quotes is written "").'
            )
        at = match.end()
        yield at, plain if quoted is None else quoted.replace('""', '"'), at == len(words) or words[at] == "\n"
        at += 1


def _byte_offsets(words: str, starts: list[int]) -> np.ndarray:
    if words.isascii():
        return np.array(starts)
    lengths = [len(words[a:b].encode()) for a, b in zip([0, *starts], starts)]
    return np.cumsum(lengths)
