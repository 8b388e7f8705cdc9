"""What is printed as text, as HTML for notebooks."""

from __future__ import annotations

import html
from typing import TypeVar

__all__ = ["shown_in_notebooks"]

Kind = TypeVar("Kind", bound=type)


def shown_in_notebooks(kind: Kind) -> Kind:
    """Gives a class whose ``str()`` is a table for people a form for notebooks: the same, in letters of one width.

    >>> @shown_in_notebooks
    ... class Note:
    ...     def __str__(self):
    ...         return "a < b"
    >>> Note()._repr_html_()
    '<pre style="line-height: 1.35; margin: 0.4em 0">a &lt; b</pre>'
    """

    def _repr_html_(self: object) -> str:
        return f'<pre style="line-height: 1.35; margin: 0.4em 0">{html.escape(str(self))}</pre>'

    kind._repr_html_ = _repr_html_  # type: ignore[attr-defined]
    return kind
