"""How a delimited file is written: what separates its cells, and whether its first row names the columns."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from margin.data.inference import ALMOST_NUMERIC, MISSING
from margin.data.readers.surroundings import COMMENT

if TYPE_CHECKING:
    import polars as pl

__all__ = ["BLANKS", "guess_separator", "has_header", "join_blanks"]

#: Cells split by runs of blanks and tabs, the last resort.
BLANKS = " "
#: The comma comes last: numbers with a decimal comma leave as many commas in each line as any other separator.
SEPARATORS = ("\t", ";", "|", ",")
#: This much of a file shows how it is written; what the cells are is inferred from all of it.
SAMPLE_BYTES, SAMPLE_ROWS = 100_000, 10_000


def guess_separator(text: bytes) -> str:
    r"""The separator of delimited text: one that stands equally often in every line, or nearly every.

    >>> guess_separator(b"a;b\n1,5;2\n")
    ';'
    """
    lines = _sample_lines(text)
    counts = {sep: [line.count(sep) for line in lines] for sep in SEPARATORS}
    steady = [sep for sep, found in counts.items() if found[0] > 0 and len(set(found)) == 1]
    if steady and len(lines) == 1:
        return max(steady, key=lambda sep: counts[sep][0])
    if steady:
        return steady[0]
    if _split_by_blanks(lines):
        return BLANKS
    usual = {sep: Counter(n for n in found if n).most_common(1) for sep, found in counts.items()}
    likely = [(most[0][1], sep) for sep, most in usual.items() if most and 2 * most[0][1] > len(lines)]
    return max(likely)[1] if likely else ","


def _sample_lines(text: bytes) -> list[str]:
    sample = text[:SAMPLE_BYTES].decode(errors="ignore")
    if len(text) > SAMPLE_BYTES and "\n" in sample:
        sample = sample[: sample.rindex("\n")]
    # Quoted cells may hold separators and line ends of their own.
    sample = re.sub(r'"(?:[^"]|"")*"(?=[\s,;|]|$)', "q", sample) if sample.count('"') % 2 == 0 else sample
    lines = [line for line in sample.split("\n") if line.strip()]
    return [line for line in lines if not line.lstrip().startswith(COMMENT)] or lines or [""]


def _split_by_blanks(lines: list[str]) -> bool:
    """Rows of equally many words, a number among the words of the last: a table set with blanks."""
    words = [line.split() for line in lines]
    return len(words[0]) > 1 and len({len(row) for row in words}) == 1 and any(map(_is_number, words[-1]))


def join_blanks(text: bytes) -> bytes:
    """The text with each run of blanks outside quotes replaced by one tab."""
    text = re.sub(rb"(?m)^[ \t]+|[ \t]+$", b"", text)
    return re.sub(rb'("(?:[^"]|"")*")|[ \t]+', lambda found: found.group(1) or b"\t", text)


def has_header(rows: pl.DataFrame) -> bool:
    """Whether the first row names the columns.

    It does not if it holds a number or a mark for a missing cell. It does if it holds a word above a column of
    numbers. In a table of words, a name does not come up again below: columns vote.
    """
    sample = rows.head(SAMPLE_ROWS)
    first = [(cell or "").strip() for cell in sample.row(0)]
    if any(_is_number(cell) or (cell and cell in MISSING) for cell in first):
        return False
    if rows.height == 1:
        return True
    votes = 0
    for cell, column in zip(first, sample.iter_columns()):
        below = [word for word in column.slice(1).str.strip_chars().to_list() if word and word not in MISSING]
        if cell and below and sum(map(_is_number, below[:1000])) >= ALMOST_NUMERIC * len(below[:1000]):
            return True
        if cell in below:
            votes -= 1
        elif cell and 2 * len(set(below)) <= len(below):
            votes += 1
    return votes >= 0


def _is_number(word: str) -> bool:
    try:
        return float(word.replace(",", ".", 1)) is not None and "_" not in word
    except ValueError:
        return False
