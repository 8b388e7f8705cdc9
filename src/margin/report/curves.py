"""Curves between 0 and 1 as small SVG pictures; colours come from the page's style sheet by class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from markupsafe import Markup, escape

__all__ = ["calibration_picture", "precision_recall_picture", "roc_picture"]

#: Side of the square that is drawn in, and the room for labels on the left and below.
SIDE, LEFT, BELOW = 200, 34, 34
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)

Points = Iterable[tuple[float, float]]


def roc_picture(curves: Sequence[Any]) -> Markup:
    """True against false positives, a line for each class, over the diagonal of guessing.

    >>> from types import SimpleNamespace as Of
    >>> str(roc_picture([Of(roc=((0.0, 0.0), (0.0, 1.0), (1.0, 1.0)))])).count("<polyline")
    2
    """
    lines = "".join(_line(curve.roc, f"curve-{place}") for place, curve in enumerate(curves))
    return _square(_line(((0, 0), (1, 1)), "guess") + lines, "false positive rate", "true positive rate")


def precision_recall_picture(curves: Sequence[Any]) -> Markup:
    """Precision against recall, a line for each class; for one class also the precision of guessing."""
    guess = ""
    if len(curves) == 1:
        guess = _line(((0, curves[0].prevalence), (1, curves[0].prevalence)), "guess")
    lines = "".join(_line(_steps(curve.precision_recall), f"curve-{place}") for place, curve in enumerate(curves))
    return _square(guess + lines, "recall", "precision")


def calibration_picture(bins: Sequence[Any]) -> Markup:
    """How often probabilities came true, with intervals, over a histogram of the cases and the diagonal."""
    most = max((one.cases for one in bins), default=0) or 1
    foot = "".join(
        f'<rect x="{_x(one.said) - 5:.1f}" y="{_y(0.18 * one.cases / most)}" width="10" '
        f'height="{0.18 * one.cases / most * SIDE:.1f}" class="cases"/>'
        for one in bins
    )
    marks = "".join(
        f'<line x1="{_x(one.said)}" x2="{_x(one.said)}" y1="{_y(one.came_true.low)}" y2="{_y(one.came_true.high)}" '
        f'class="whisker"/><circle cx="{_x(one.said)}" cy="{_y(one.came_true.value)}" r="3.2" class="point"/>'
        for one in bins
    )
    line = _line(((one.said, one.came_true.value) for one in bins), "curve-0 thin")
    return _square(
        foot + _line(((0, 0), (1, 1)), "guess") + line + marks, "predicted probability", "share that came true"
    )


def _x(value: float) -> float:
    return round(LEFT + value * SIDE, 1)


def _y(value: float) -> float:
    return round(6 + (1 - value) * SIDE, 1)


def _line(points: Points, kind: str) -> str:
    placed = " ".join(f"{_x(x):g},{_y(y):g}" for x, y in points)
    return f'<polyline points="{placed}" class="{kind}"/>'


def _steps(points: Sequence[tuple[float, float]]) -> Points:
    """A precision holds for the recall it adds: the line goes up or down first, then along."""
    before: tuple[float, float] | None = None
    for x, y in points:
        if before is not None and before[0] != x and before[1] != y:
            yield before[0], y
        yield x, y
        before = (x, y)


def _square(content: str, x_name: str, y_name: str) -> Markup:
    grid = "".join(
        f'<line x1="{_x(t)}" x2="{_x(t)}" y1="{_y(0)}" y2="{_y(1)}" class="grid"/>'
        f'<line x1="{_x(0)}" x2="{_x(1)}" y1="{_y(t)}" y2="{_y(t)}" class="grid"/>'
        for t in TICKS
    )
    labels = "".join(
        f'<text x="{_x(t)}" y="{SIDE + 19}" text-anchor="middle">{t:g}</text>'
        f'<text x="{LEFT - 5}" y="{_y(t) + 3.5:g}" text-anchor="end">{t:g}</text>'
        for t in TICKS[::2]
    )
    middle = SIDE / 2
    names = (
        f'<text x="{LEFT + middle}" y="{SIDE + BELOW}" text-anchor="middle">{escape(x_name)}</text>'
        f'<text transform="translate(9 {middle + 6}) rotate(-90)" text-anchor="middle">{escape(y_name)}</text>'
    )
    width, height = LEFT + SIDE + 10, SIDE + BELOW + 6
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    said = escape(f"{y_name} against {x_name}")
    return Markup(
        f'<svg class="curves" {size} role="img" aria-label="{said}">{grid}<g class="ticks">{labels}{names}</g>'
        f"{content}</svg>"
    )
