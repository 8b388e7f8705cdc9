"""Which rows were used for what: the sealed part, the folds of the rest, and what the last fits learnt from."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup, escape

__all__ = ["partition_picture"]

#: Width of the picture, of its words on the left, of the sealed part and of the gap before it; a line's height.
WIDTH, LEFT, SEALED, GAP, LINE, BAR = 640, 190, 92, 10, 25, 15
#: Folds that have a line; of more, the first ones and the last.
MOST_FOLDS = 5


def partition_picture(partition: Any, n_train: int, n_test: int, opened: bool = True) -> Markup:
    """A line for each step, with the rows as a bar: pale was learnt from, strong was asked about.

    >>> from types import SimpleNamespace as Of
    >>> drawn = str(partition_picture(Of(by="chance", folds=10, repeats=3, column="", own_test=False), 800, 200))
    >>> drawn.count('class="asked"'), "fold 10 of 10" in drawn
    (6, True)
    """
    lines = [("the rows", [(0.0, 1.0, "rest")], "rest")]
    lines += _fold_lines(partition)
    if opened:
        lines.append(("the best model", [(0.0, 1.0, "learnt")], "asked"))
        lines.append(("the model to keep", [(0.0, 1.0, "learnt")], "learnt"))
    top, parts = 20, []
    for words, bars, sealed in lines:
        parts.append(f'<text x="{LEFT - 10}" y="{top + 12}" text-anchor="end">{escape(words)}</text>')
        parts += [_bar(LEFT + start * _inner(), (end - start) * _inner(), top, kind) for start, end, kind in bars]
        if sealed:
            parts.append(_bar(WIDTH - SEALED, SEALED, top, sealed))
        top += LINE
    heads = (
        f'<text x="{LEFT}" y="12">{n_train:,} to learn from</text>'
        f'<text x="{WIDTH}" y="12" text-anchor="end">{n_test:,} sealed</text>'
    )
    size = f'width="{WIDTH}" height="{top}" viewBox="0 0 {WIDTH} {top}"'
    said = f"{n_train:,} rows to learn from in {partition.folds} folds, {n_test:,} sealed"
    return Markup(
        f'<svg class="partition" {size} role="img" aria-label="{escape(said)}">'
        f'<g class="ticks">{heads}</g>{"".join(parts)}</svg>'
    )


def _inner() -> int:
    """The width of the bar of the rows to learn from."""
    return WIDTH - LEFT - SEALED - GAP


def _bar(x: float, width: float, top: int, kind: str) -> str:
    return f'<rect x="{x:.1f}" y="{top}" width="{max(width - 1.5, 1):.1f}" height="{BAR}" rx="2" class="{kind}"/>'


def _fold_lines(partition: Any) -> list[tuple[str, list[tuple[float, float, str]], str]]:
    n = partition.folds
    numbers = list(range(n)) if n <= MOST_FOLDS + 1 else [*range(MOST_FOLDS - 1), n - 1]
    lines: list[tuple[str, list[tuple[float, float, str]], str]] = []
    for place, number in enumerate(numbers):
        if place and number > numbers[place - 1] + 1:
            lines.append(("…", [], ""))
        bars = _in_time(number, n) if partition.by == "time" else _by_chance(number, n)
        lines.append((f"fold {number + 1} of {n}", bars, ""))
    return lines


def _by_chance(number: int, n: int) -> list[tuple[float, float, str]]:
    """One part is asked about, all others are learnt from."""
    parts = [(0.0, number / n, "learnt"), (number / n, (number + 1) / n, "asked"), ((number + 1) / n, 1.0, "learnt")]
    return [part for part in parts if part[1] > part[0]]


def _in_time(number: int, n: int) -> list[tuple[float, float, str]]:
    """A stretch is asked about, what came before it is learnt from, what came after is not looked at."""
    parts = [
        (0.0, (number + 1) / (n + 1), "learnt"),
        ((number + 1) / (n + 1), (number + 2) / (n + 1), "asked"),
        ((number + 2) / (n + 1), 1.0, "unseen"),
    ]
    return [part for part in parts if part[1] > part[0] + 1e-9]
