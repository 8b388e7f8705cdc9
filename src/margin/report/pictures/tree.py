"""The upper levels of a decision tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup, escape

from margin.report.phrases import shortened

__all__ = ["tree_picture"]

#: Room of a box with its gap, the box, and the distance of levels.
ACROSS, WIDE, TALL, LEVEL = 116, 104, 44, 92


def tree_picture(branches: Sequence[Any]) -> Markup:
    """A box for each node: what it asks, or its answer, with its cases and a bar of the classes.

    >>> from types import SimpleNamespace as Of
    >>> root = Of(parent=-1, depth=0, edge="", title="sky", is_answer=False, cases="9 cases", share=1.0,
    ...           shares=(0.5, 0.5), x=0.0, below="")
    >>> str(tree_picture([root])).count("<rect")
    3
    """
    across = max(one.x for one in branches) + 1
    deepest = max(one.depth for one in branches)
    width, height = int(across * ACROSS), deepest * LEVEL + TALL + 18
    lines = "".join(_edge(branches[one.parent], one) for one in branches if one.parent >= 0)
    boxes = "".join(map(_box, branches))
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    said = f"decision tree that asks for {branches[0].title} first"
    return Markup(f'<svg class="tree" {size} role="img" aria-label="{escape(said)}">{lines}{boxes}</svg>')


def _middle(one: Any) -> float:
    return (one.x + 0.5) * ACROSS


def _edge(above: Any, one: Any) -> str:
    top, bottom = above.depth * LEVEL + TALL + 1, one.depth * LEVEL + 1
    turn = top + 14
    path = f"M{_middle(above):.1f} {top}V{turn}H{_middle(one):.1f}V{bottom}"
    return (
        f'<path d="{path}" class="branch" stroke-width="{0.8 + 4 * one.share:.1f}"/>'
        f'<text x="{_middle(one):.1f}" y="{bottom - 9}" text-anchor="middle" class="edge">'
        f"<title>{escape(one.edge)}</title>{escape(shortened(one.edge, 18))}</text>"
    )


def _box(one: Any) -> str:
    left, top = _middle(one) - WIDE / 2, one.depth * LEVEL + 1
    kind, at, parts = "answer-box" if one.is_answer else "question-box", left + 6, []
    for place, share in enumerate(one.shares):
        if share > 0:
            wide = share * (WIDE - 12)
            parts.append(
                f'<rect x="{at:.1f}" y="{top + 34}" width="{wide:.1f}" height="5" class="class-{min(place, 5)}"/>'
            )
            at += wide
    middle = f'x="{_middle(one):.1f}"'
    below = f'<text {middle} y="{top + TALL + 12}" text-anchor="middle" class="cases">{escape(one.below)}</text>'
    return (
        f'<rect x="{left:.1f}" y="{top}" width="{WIDE}" height="{TALL}" rx="5" class="{kind}"/>'
        f'<text {middle} y="{top + 15}" text-anchor="middle"><title>{escape(one.title)}</title>'
        f"{escape(shortened(one.title, 17))}</text>"
        f'<text {middle} y="{top + 28}" text-anchor="middle" class="cases">{escape(one.cases)}</text>'
        f"{''.join(parts)}{below if one.below else ''}"
    )
