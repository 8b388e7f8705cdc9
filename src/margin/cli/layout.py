"""Lines for a terminal, laid out without a library: commands that only look must not wait for one."""

from __future__ import annotations

import contextlib
import os
import sys
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence

import click

__all__ = ["NO_BREAK", "dim", "labelled", "printable", "table", "terminal_width"]

#: Lines are no longer than this, however wide the terminal: longer ones are hard to read.
WIDEST = 110
#: A space at which no line is broken; it is printed as a common one.
NO_BREAK = "\u00a0"


def terminal_width() -> int:
    """How many characters a line may have: 80 where nobody says."""
    columns = int(told) if (told := os.environ.get("COLUMNS", "")).isdecimal() else 0
    if not columns and sys.__stdout__ is not None:
        with contextlib.suppress(AttributeError, ValueError, OSError):  # standard output is no terminal
            columns = os.get_terminal_size(sys.__stdout__.fileno()).columns
    return max(min(columns or 80, WIDEST), 40)


def printable(text: object) -> str:
    """A text of a file as it may be shown: signs that would steer the terminal are written out.

    >>> printable("a\\x1b[31m")
    'a\\\\x1b[31m'
    """
    shown = str(text)
    return shown if shown.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in shown)


def dim(text: str) -> str:
    """A text that steps back."""
    return click.style(text, dim=True)


def labelled(label: str, text: str, width: int, indent: int) -> list[str]:
    """A label and a text beside it, broken into lines of a width, but not at ``NO_BREAK``."""
    lines = textwrap.wrap(text, width - indent, break_long_words=True, break_on_hyphens=False) or [""]
    lines = [line.replace(NO_BREAK, " ") for line in lines]
    first = dim(label) + " " * max(indent - _cells(label), 1) + lines[0]
    return [first, *(" " * indent + line for line in lines[1:])]


def table(head: Sequence[str], rows: Iterable[Sequence[str]], width: int, indent: int = 0) -> list[str]:
    """Columns side by side under dim headings; the last one takes what is left and is cut there."""
    cells = [[*row] for row in rows]
    widths = [max(_cells(row[i]) for row in [head, *cells]) for i in range(len(head))]
    widths[0] = min(widths[0], max(width // 3, 12))
    left = width - indent - sum(widths[:-1]) - 2 * (len(head) - 1)
    widths[-1] = min(widths[-1], max(left, 8))
    lines = [" " * indent + dim("  ".join(_padded(text, w) for text, w in zip(head, widths)).rstrip())]
    lines += [(" " * indent + "  ".join(_padded(text, w) for text, w in zip(row, widths))).rstrip() for row in cells]
    return lines


def _padded(text: str, width: int) -> str:
    return _cut(text, width) + " " * (width - _cells(_cut(text, width)))


def _cut(text: str, width: int) -> str:
    """A text of at most so many cells, with a sign where it was cut."""
    if _cells(text) <= width:
        return text
    while text and _cells(text) > width - 1:
        text = text[: max(len(text) - max((_cells(text) - width) // 2, 1), 0)]
    return text + "…"


def _cells(text: str) -> int:
    """How many cells of the terminal a text takes: signs of East Asia take two, marks upon others none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text
    )
