"""What the page shows of the best model: what it goes by, its mistakes, and what its thresholds would do."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from markupsafe import Markup

from margin.report.pictures.bars import bar_drawer
from margin.report.pictures.cutoffs import cutoff_picture, cutoff_row
from margin.report.pictures.effects import effect_picture
from margin.report.pictures.tree import tree_picture

__all__ = ["cutoffs", "mistakes", "portrait"]

#: Columns whose worth has a line; of more the rest is counted.
MOST_WORTHS = 15


def portrait(result: Any) -> dict[str, Any] | None:
    """What the model goes by: worth and effect of its columns, its tree or its weights."""
    found = result.portrait
    if found is None or not (found.worths or found.branches or found.weights):
        return None
    figures = [[one.name, *(f"{part:.6g}" for part in (one.value, one.low, one.high))] for one in found.worths]
    of_weights = {one.label for one in found.weights}
    return {
        "portrait": found,
        "worths": _worths(found),
        "n_more": max(0, len(found.worths) - MOST_WORTHS),
        "copied": [["column", "falls_by", "low", "high"], *figures],
        "effects": [{"name": each.name, "picture": effect_picture(each)} for each in found.effects],
        "legend": [line.label for line in found.effects[0].lines] if found.effects else [],
        "tree": tree_picture(found.branches) if found.branches else "",
        "weights": _weights(found),
        "about": found.weights[0].label if len(of_weights) == 1 else "",
    }


def _worths(found: Any) -> list[dict[str, Any]]:
    """Lines of columns, on one axis."""
    shown = found.worths[:MOST_WORTHS]
    draw = bar_drawer(end for one in shown for end in (one.value, one.low, one.high))
    return [
        {
            "name": one.name,
            "picture": draw(one.value, one.low, one.high),
            "value": _signed(f"{100 * one.value:.1f}"),
            "reach": f"{_signed(f'{100 * one.low:.1f}')} to {_signed(f'{100 * one.high:.1f}')}",
            "clear": one.low > 0,
        }
        for one in shown
    ]


def _weights(found: Any) -> list[dict[str, Any]]:
    """Lines of weights: what each adds to the log-odds, and by what it multiplies the odds."""
    draw = bar_drawer(end for one in found.weights for end in (one.value, one.low, one.high))
    return [
        {
            "name": one.name,
            "label": one.label,
            "picture": draw(one.value, one.low, one.high),
            "value": _signed(f"{one.value:+.3g}"),
            "odds": _odds(one.value),
            "reach": f"{_odds(one.low)} to {_odds(one.high)}" if one.low is not None and one.high is not None else "",
        }
        for one in found.weights
    ]


def _signed(figure: str) -> str:
    """A figure with a minus sign that is as wide as a plus, and none before 0."""
    return figure.lstrip("-") if not float(figure) else figure.replace("-", "\u2212", 1)


def _odds(value: float) -> str:
    return f"{math.exp(max(min(value, 30.0), -30.0)):.3g}"


def mistakes(result: Any) -> dict[str, Any] | None:
    """The surest wrong answers."""
    if result.test is None or not result.test.mistakes:
        return None
    found = result.test.mistakes
    return {
        "mistakes": found,
        "columns": list(found[0].cells),
        "identifier": result.identifier if any(one.name for one in found) else "",
        "with_share": any(one.share is not None for one in found),
    }


def cutoffs(result: Any) -> dict[str, Any] | None:
    """What every threshold would do to the sealed rows of two classes, as a table, a picture and a slider."""
    found = None if result.test is None else result.test.cutoffs
    if found is None or not found.positives or not found.negatives:
        return None
    chosen = 0.5 if result.threshold is None else result.threshold.value
    steps = len(found.found) - 1
    place = min(steps, round(chosen * steps))
    rows = [cutoff_row(found, at) for at in sorted({*range(steps // 10, steps, steps // 10), place})]
    counts = {"found": found.found, "false": found.false, "positives": found.positives, "negatives": found.negatives}
    return {
        "cutoffs": found,
        "rows": rows,
        "chosen": chosen,
        "place": place,
        "picture": cutoff_picture(found, chosen),
        "cost": getattr(result.spec, "cost", None) or 1,
        "data": Markup(json.dumps(counts)),  # counts alone: nothing that stands in the table
        "script": Markup((Path(__file__).with_name("templates") / "cutoffs.js").read_text()),
    }
