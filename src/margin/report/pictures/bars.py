"""Bars with intervals that stand in the rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from markupsafe import Markup

__all__ = ["bar_drawer"]


def bar_drawer(ends: Iterable[float | None], width: int = 200) -> Callable[..., Markup]:
    """Draws bars from 0 on one axis that holds all ``ends``: ``draw(value, low, high)``.

    >>> draw = bar_drawer([-1.0, 3.0])
    >>> str(draw(3.0, 2.0, None)).count("<line"), str(draw(2.0, 1.0, 3.0)).count("<line")
    (1, 2)
    """
    known = [end for end in ends if end is not None]
    low, high = min([0.0, *known]), max([0.0, *known])
    span = (high - low) or 1.0

    def x(value: float) -> float:
        return round(2 + (value - low) / span * (width - 4), 1)

    def draw(value: float, least: float | None = None, most: float | None = None) -> Markup:
        side = "against" if value < 0 else "for"
        left, right = sorted((x(0.0), x(value)))
        reach = ""
        if least is not None and most is not None:
            reach = f'<line x1="{x(least)}" x2="{x(most)}" y1="7" y2="7" class="whisker"/>'
        size = f'width="{width}" height="14" viewBox="0 0 {width} 14"'
        return Markup(
            f'<svg class="bars" {size} aria-hidden="true"><rect x="{left}" y="2" width="{max(right - left, 0.5):.1f}" '
            f'height="10" rx="1.5" class="bar-{side}"/><line x1="{x(0.0)}" x2="{x(0.0)}" y1="0" y2="14" '
            f'class="bar-axis"/>{reach}</svg>'
        )

    return draw
