"""Intervals, bars and curves between 0 and 1 as SVG text; colours come from the page's style sheet by class."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

__all__ = [
    "Axis",
    "calibration_picture",
    "framed",
    "histogram",
    "level_bars",
    "line",
    "precision_recall_picture",
    "roc_picture",
]


@dataclass(frozen=True)
class Axis:
    """A common axis for the intervals of a leaderboard.

    >>> Axis.around([0.61, 0.84]).ticks
    (0.6, 0.65, 0.7, 0.75, 0.8, 0.85)
    """

    low: float
    high: float
    ticks: tuple[float, ...]
    width: int = 230

    @classmethod
    def around(cls, values: Sequence[float], width: int = 230) -> Axis:
        """An axis with round ticks that holds all the values and is at least as wide as two of its steps."""
        low, high = min(values), max(values)
        step = _round_step(max(high - low, 0.01 * max(abs(high), 1.0)))
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        if first == last:
            first, last = first - 1, last + 1
        ticks = tuple(round(i * step, 10) for i in range(first, last + 1))
        return cls(ticks[0], ticks[-1], ticks, width)

    def x(self, value: float) -> float:
        """Where a value stands, with room left for the labels at both ends."""
        return round(14 + (value - self.low) / (self.high - self.low) * (self.width - 28), 1)

    def scale(self, label: Callable[[float], str]) -> Markup:
        """The labelled axis itself; labels that would touch are left out."""
        every = math.ceil(len(self.ticks) / 6)
        marks = "".join(
            f'<text x="{self.x(tick)}" y="11" text-anchor="middle">{escape(label(tick))}</text>'
            f'<line x1="{self.x(tick)}" y1="15" x2="{self.x(tick)}" y2="19" class="grid"/>'
            for tick in self.ticks[::every]
        )
        return self._picture(19, f'<g class="ticks">{marks}</g>')

    def interval(self, value: float, low: float | None, high: float | None, best: float, is_best: bool) -> Markup:
        """A dot on its interval, with the best model's value as a dotted line behind."""
        grid = "".join(f'<line x1="{self.x(t)}" y1="0" x2="{self.x(t)}" y2="46" class="grid"/>' for t in self.ticks)
        ahead = f'<line x1="{self.x(best)}" y1="0" x2="{self.x(best)}" y2="46" class="best-line"/>'
        bar = ""
        if low is not None and high is not None:
            left, right = self.x(max(low, self.low)), self.x(min(high, self.high))
            bar = f'<rect x="{left}" y="19.5" width="{max(right - left, 1):.1f}" height="7" rx="3.5" class="reach"/>'
        dot = f'<circle cx="{self.x(value)}" cy="23" r="4.5" class="dot"/>'
        return self._picture(46, f'{grid}{ahead}<g class="{"first" if is_best else "other"}">{bar}{dot}</g>')

    def _picture(self, height: int, content: str) -> Markup:
        size = f'width="{self.width}" height="{height}" viewBox="0 0 {self.width} {height}"'
        return Markup(f'<svg class="axis" {size} role="img" aria-hidden="true">{content}</svg>')


def _round_step(span: float) -> float:
    """The step out of 1, 2, 2.5, 5 × 10ⁿ that cuts a span into four to eight parts."""
    power = 10.0 ** math.floor(math.log10(span / 4))
    return next(power * factor for factor in (1, 2, 2.5, 5, 10) if span / (power * factor) <= 6)


def histogram(bars: Sequence[int], width: int = 120, height: int = 30) -> Markup:
    """Counts as bars side by side; a bin that is not empty stays visible.

    >>> str(histogram([1, 0, 2])).count("<rect")
    2
    """
    tallest = max(bars, default=0) or 1
    step = width / max(len(bars), 1)
    parts = []
    for i, n in enumerate(bars):
        if n:
            tall = max(height * n / tallest, 1.0)
            place = f'x="{i * step:.1f}" y="{height - tall:.1f}"'
            parts.append(f'<rect {place} width="{max(step - 1, 0.5):.1f}" height="{tall:.1f}"/>')
    floor = f'<line x1="0" x2="{width}" y1="{height}" y2="{height}" class="grid"/>'
    size = f'width="{width}" height="{height + 1}" viewBox="0 0 {width} {height + 1}"'
    return Markup(f'<svg class="histogram" {size} aria-hidden="true">{floor}{"".join(parts)}</svg>')


def level_bars(counts: Sequence[int], total: int, width: int = 120) -> Markup:
    """Counts as one bar cut into shares, commonest first; what is not listed stays empty."""
    x, parts = 0.0, []
    for i, n in enumerate(counts):
        wide = width * n / max(total, 1)
        parts.append(
            f'<rect x="{x:.1f}" y="0" width="{max(wide - 1, 0.5):.1f}" height="12" rx="1.5" class="level-{min(i, 5)}"/>'
        )
        x += wide
    rest = f'<rect x="{x:.1f}" y="0" width="{max(width - x, 0):.1f}" height="12" rx="1.5" class="level-rest"/>'
    size = f'width="{width}" height="12" viewBox="0 0 {width} 12"'
    return Markup(
        f'<svg class="levels" {size} aria-hidden="true">{"".join(parts)}{rest if x < width - 1 else ""}</svg>'
    )


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
    lines = "".join(line(curve.roc, f"curve-{place}") for place, curve in enumerate(curves))
    return framed(line(((0, 0), (1, 1)), "guess") + lines, "false positive rate", "true positive rate")


def precision_recall_picture(curves: Sequence[Any]) -> Markup:
    """Precision against recall, a line for each class; for one class also the precision of guessing."""
    guess = ""
    if len(curves) == 1:
        guess = line(((0, curves[0].prevalence), (1, curves[0].prevalence)), "guess")
    lines = "".join(line(_steps(curve.precision_recall), f"curve-{place}") for place, curve in enumerate(curves))
    return framed(guess + lines, "recall", "precision")


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
    told = line(((one.said, one.came_true.value) for one in bins), "curve-0 thin")
    return framed(
        foot + line(((0, 0), (1, 1)), "guess") + told + marks, "predicted probability", "share that came true"
    )


def _x(value: float) -> float:
    return round(LEFT + value * SIDE, 1)


def _y(value: float) -> float:
    return round(6 + (1 - value) * SIDE, 1)


def line(points: Points, kind: str) -> str:
    """A line through points of the square of shares."""
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


def framed(content: str, x_name: str, y_name: str, kind: str = "curves") -> Markup:
    """The square of shares, from 0 to 1 both ways, with its ticks and names, and something in it."""
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
        f'<svg class="{kind}" {size} role="img" aria-label="{said}">{grid}<g class="ticks">{labels}{names}</g>'
        f"{content}</svg>"
    )
