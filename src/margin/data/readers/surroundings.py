r"""What programs and people write around a table: a line that names the separator, and comments.

Such lines are blanked, not cut out, so that line numbers in messages stay those of the file.
"""

from __future__ import annotations

import re
from collections import Counter

__all__ = ["COMMENT", "blank_comments", "take_separator_line"]

#: Lines that begin so may be comments.
COMMENT = ("#", "%")
_SEPARATOR_LINE = re.compile(rb'\A\s*"?sep=(.)"?[ \t]*(?=\n)', re.IGNORECASE)
_COMMENT_LINE = re.compile(rb"^[ \t]*[#%].*$", re.MULTILINE)


def take_separator_line(text: bytes) -> tuple[bytes, str | None]:
    r"""The text without the line ``sep=;`` that spreadsheets write at the top, and the separator it names.

    >>> take_separator_line(b"sep=;\na;b\n")
    (b'\na;b\n', ';')
    """
    found = _SEPARATOR_LINE.match(text)
    if found is None or not found[1].isascii():
        return text, None
    return text[found.end() :], found[1].decode()


def blank_comments(text: bytes, separator: str) -> bytes:
    r"""The text with its comments blanked: lines that begin with ``#`` or ``%`` and do not look like a row.

    A line with as many separators as the rows is one of them, whatever it begins with.

    >>> blank_comments(b"# made by hand\n#a,b\n1,2\n", ",")
    b'\n#a,b\n1,2\n'
    """
    if not _COMMENT_LINE.search(text):
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
