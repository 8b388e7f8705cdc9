"""A read-out in sections: a sentence, a table or some lines each; as text, as HTML and as data."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.explain.plain import as_plain

__all__ = ["Learnt", "Section", "table"]

#: Lines of a table, or of a text, that a terminal is shown.
MOST_LINES = 40


@dataclass(frozen=True)
class Section:
    """One thing that was learnt.

    Attributes
    ----------
    title
        What it is.
    how
        What the numbers are, in a sentence; may be empty.
    columns, rows
        A table: its headings, and a tuple for each line. None is an empty cell.
    lines
        Or a text of its own, such as a tree.
    """

    title: str
    how: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    lines: str = ""

    def text(self, most: int = MOST_LINES) -> str:
        """The section for a terminal."""
        parts = [self.title, self.how] if self.how else [self.title]
        parts += [f"  {line}" for line in _fitting(self.lines.splitlines(), most)]
        cells = [self.columns, *(tuple(map(_cell, row)) for row in self.rows)] if self.rows else []
        widths = [max(len(row[j]) for row in cells) for j in range(len(self.columns))] if cells else []
        left = [_is_left(row[j] for row in self.rows) for j in range(len(self.columns))]
        shown = [
            "  " + "  ".join(f"{c:<{w}}" if x else f"{c:>{w}}" for c, w, x in zip(row, widths, left)).rstrip()
            for row in cells
        ]
        return "\n".join([*parts, *shown[:1], *_fitting(shown[1:], most)])

    def html(self) -> str:
        """The section as an HTML fragment."""
        parts = [f"<h4>{html.escape(self.title)}</h4>"]
        if self.how:
            parts.append(f"<p>{html.escape(self.how)}</p>")
        if self.lines:
            parts.append(f"<pre>{html.escape(self.lines)}</pre>")
        if self.rows:
            head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
            body = "".join(
                f"<tr>{''.join(f'<td>{html.escape(_cell(each))}</td>' for each in row)}</tr>" for row in self.rows
            )
            parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
        return "".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """The section as plain data; a table as a dictionary for each line."""
        found: dict[str, Any] = {"title": self.title, "how": self.how}
        if self.rows:
            found["rows"] = [dict(zip(self.columns, row)) for row in self.rows]
        if self.lines:
            found["lines"] = self.lines.splitlines()
        plain: dict[str, Any] = as_plain(found)
        return plain


@dataclass(frozen=True)
class Learnt:
    """What a model has learnt.

    Attributes
    ----------
    model
        What it is called.
    summary
        What it is and what from, in a sentence or two.
    sections
        What its method has learnt, most important first.
    own
        Whether the sections are of its own method, rather than what any estimator has.
    """

    model: str
    summary: str
    sections: tuple[Section, ...]
    own: bool = True

    def __getitem__(self, title: str) -> Section:
        """A section by its title."""
        return next(section for section in self.sections if section.title == title)

    def text(self, most: int = MOST_LINES) -> str:
        """All of it for a terminal, with so many lines of a section at most."""
        return "\n\n".join([f"{self.model}: {self.summary}", *(section.text(most) for section in self.sections)])

    def html(self) -> str:
        """All of it as an HTML fragment."""
        head = f"<p><strong>{html.escape(self.model)}</strong>: {html.escape(self.summary)}</p>"
        return f'<div class="learnt">{head}{"".join(section.html() for section in self.sections)}</div>'

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data, for JSON."""
        sections = [section.to_dict() for section in self.sections]
        return {"model": self.model, "summary": self.summary, "own": self.own, "sections": sections}

    def _repr_html_(self) -> str:
        return self.html()

    def __str__(self) -> str:
        return self.text()


def table(title: str, how: str, columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> Section:
    """A section with a table."""
    return Section(title, how, tuple(columns), tuple(tuple(map(_plain, row)) for row in rows))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e6 or math.isinf(value) else f"{value:.3e}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _is_left(cells: Iterable[Any]) -> bool:
    """Whether a column is one of words."""
    return any(isinstance(cell, str) for cell in cells)


def _fitting(lines: list[str], most: int) -> list[str]:
    return lines if len(lines) <= most + 1 else [*lines[:most], f"  … and {len(lines) - most:,} more lines"]
