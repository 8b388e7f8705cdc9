"""How a delimited file is written: what separates its cells, whether its first row names the columns, and what stands
around the table, such as comments or a line that names the separator.

Such lines are blanked, not cut out, so that line numbers in messages stay those of the file.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from margin.data.kind_inference import ALMOST_NUMERIC, MISSING

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "BLANKS",
    "COMMENT",
    "blank_comments",
    "guess_separator",
    "has_header",
    "join_blanks",
    "may_hold_comments",
    "take_separator_line",
]

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


#: Lines that begin so may be comments.
COMMENT = ("#", "%")
_SEPARATOR_LINE = re.compile(rb'\A\s*"?sep=(.)"?[ \t]*(?=\n)', re.IGNORECASE)
_COMMENT_LINE = re.compile(rb"^[ \t]*[#%].*$", re.MULTILINE)


def take_separator_line(text: bytes) -> tuple[bytes, str | None]:
    r"""The text without the line ``sep=;`` that spreadsheets write at the top, and the separator it names.

    >>> take_separator_line(b"sep=;\na;b\n")
    (b'\na;b\n', ';')
    """
    match = _SEPARATOR_LINE.match(text)
    if match is None or not match[1].isascii():
        return text, None
    return text[match.end() :], match[1].decode()


def may_hold_comments(text: bytes) -> bool:
    """Whether some line begins as comments do."""
    return _COMMENT_LINE.search(text) is not None


def blank_comments(text: bytes, separator: str) -> bytes:
    r"""The text with its comments blanked: lines that begin with ``#`` or ``%`` and do not look like a row.

    A line with as many separators as the rows is one of them, whatever it begins with.

    >>> blank_comments(b"# made by hand\n#a,b\n1,2\n", ",")
    b'\n#a,b\n1,2\n'
    """
    if not may_hold_comments(text):
        return text
    mark = separator.encode()
    rows = [line.count(mark) for line in text.split(b"\n")[:1000] if line.strip() and not _COMMENT_LINE.match(line)]
    usual = Counter(rows).most_common(1)[0][0] if rows else 0
    kept, at, quotes = [], 0, 0
    for found in _COMMENT_LINE.finditer(text):
        quotes += text.count(b'"', at, found.start())
        kept.append(text[at : found.start()])
        at = found.end()
        inside_a_cell = quotes % 2 == 1
        if inside_a_cell or found[0].count(mark) == usual:
            quotes += found[0].count(b'"')
            kept.append(found[0])
    return b"".join([*kept, text[at:]])
