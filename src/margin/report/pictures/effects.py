"""What a model says as one column changes: lines over numbers, dots over levels."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup, escape

from margin.report.phrases import number, shortened

__all__ = ["effect_picture"]

#: Width of the picture, of the room on the left of lines and of dots, height of the lines and of a level.
WIDTH, LEFT, LEFT_OF_LEVELS, HEIGHT, LEVEL = 250, 34, 104, 150, 19


def effect_picture(effect: Any) -> Markup:
    """The mean probabilities of the classes at each value of a column, on one axis from 0 to 1.

    >>> from types import SimpleNamespace as Of
    >>> line = Of(label="yes", mean=(0.2, 0.6))
    >>> str(effect_picture(Of(name="age", values=("1", "2"), numbers=(1.0, 2.0), lines=(line,)))).count("<polyline")
    1
    """
    return _over_numbers(effect) if effect.numbers else _over_levels(effect)


def _over_numbers(effect: Any) -> Markup:
    low, high = effect.numbers[0], effect.numbers[-1]
    span = (high - low) or 1.0

    def x(value: float) -> float:
        return round(LEFT + (value - low) / span * (WIDTH - LEFT - 14), 1)

    def y(share: float) -> float:
        return round(6 + (1 - share) * (HEIGHT - 12), 1)

    grid = "".join(
        f'<line x1="{LEFT}" x2="{WIDTH - 14}" y1="{y(share)}" y2="{y(share)}" class="grid"/>'
        f'<text x="{LEFT - 5}" y="{y(share) + 3.5:g}" text-anchor="end">{share:g}</text>'
        for share in (0.0, 0.5, 1.0)
    )
    ends = (
        f'<text x="{LEFT}" y="{HEIGHT + 9}">{escape(number(low))}</text>'
        f'<text x="{WIDTH - 14}" y="{HEIGHT + 9}" text-anchor="end">{escape(number(high))}</text>'
    )
    rug = "".join(
        f'<line x1="{x(v)}" x2="{x(v)}" y1="{HEIGHT - 8}" y2="{HEIGHT - 4}" class="rug"/>' for v in effect.numbers
    )
    lines = "".join(
        f'<polyline points="{" ".join(f"{x(v):g},{y(m):g}" for v, m in zip(effect.numbers, line.mean))}" '
        f'class="curve-{place}"/>'
        for place, line in enumerate(effect.lines)
    )
    return _picture(effect, HEIGHT + 14, f'<g class="ticks">{grid}{ends}</g>{rug}{lines}')


def _over_levels(effect: Any) -> Markup:
    def x(share: float) -> float:
        return round(LEFT_OF_LEVELS + share * (WIDTH - LEFT_OF_LEVELS - 14), 1)

    floor = LEVEL * len(effect.values) + 4
    grid = "".join(
        f'<line x1="{x(share)}" x2="{x(share)}" y1="2" y2="{floor}" class="grid"/>'
        f'<text x="{x(share)}" y="{floor + 12}" text-anchor="middle">{share:g}</text>'
        for share in (0.0, 0.5, 1.0)
    )
    rows = []
    for place, value in enumerate(effect.values):
        middle = LEVEL * place + LEVEL / 2 + 2
        rows.append(
            f'<text x="{LEFT_OF_LEVELS - 8}" y="{middle + 3.5:g}" text-anchor="end">'
            f"{escape(shortened(value, 16))}</text>"
        )
        rows += [
            f'<circle cx="{x(line.mean[place])}" cy="{middle:g}" r="3.8" class="dot-{k}"/>'
            for k, line in enumerate(effect.lines)
        ]
    return _picture(effect, floor + 16, f'<g class="ticks">{grid}{"".join(rows)}</g>')


def _picture(effect: Any, height: int, content: str) -> Markup:
    size = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    said = escape(f"mean probability against {effect.name}")
    return Markup(f'<svg class="lines effect" {size} role="img" aria-label="{said}">{content}</svg>')
