"""What every threshold would do: precision, recall and the share of right answers against it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from markupsafe import Markup

from margin.report.svg import framed, line

__all__ = ["cutoff_picture", "cutoff_row"]


def cutoff_row(cutoffs: Any, at: int) -> dict[str, Any]:
    """What the threshold of ``at`` hundredths would do.

    >>> from types import SimpleNamespace as Of
    >>> row = cutoff_row(Of(positives=4, negatives=6, found=(4, 3), false=(6, 1)), 1)
    >>> row["called"], row["missed"], row["recall"], row["precision"], row["right"]
    (4, 1, 0.75, 0.75, 0.8)
    """
    found, false = cutoffs.found[at], cutoffs.false[at]
    n = cutoffs.positives + cutoffs.negatives
    return {
        "place": at,
        "at": at / 100,
        "called": found + false,
        "found": found,
        "false": false,
        "missed": cutoffs.positives - found,
        "recall": found / cutoffs.positives if cutoffs.positives else None,
        "precision": found / (found + false) if found + false else None,
        "right": (found + cutoffs.negatives - false) / n if n else None,
    }


def cutoff_picture(cutoffs: Any, chosen: float) -> Markup:
    """Three lines over the threshold, and the one in use as a dotted line."""
    rows = [cutoff_row(cutoffs, at) for at in range(len(cutoffs.found))]

    def points(name: str) -> Iterable[tuple[float, float]]:
        return ((row["at"], row[name]) for row in rows if row[name] is not None)

    lines = "".join(line(points(name), f"curve-{k}") for k, name in enumerate(("precision", "recall", "right")))
    return framed(line(((chosen, 0), (chosen, 1)), "guess") + lines, "threshold", "share", "lines")
