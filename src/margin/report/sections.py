"""The sections of the page, in the order in which they stand: a template each, and what it shows of a result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from margin.report import leaderboard, svg
from margin.report import phrases as words

__all__ = ["SECTIONS", "Section"]

#: Up to this many classes the confusion matrix shows shares too; up to the second number, counts only.
_ROOMY, _WIDEST = 12, 40
#: Columns beyond this many are folded away.
_COLUMNS_SHOWN = 60


@dataclass(frozen=True)
class Section:
    """A template in ``templates/sections`` and what it is given besides the result; None leaves the section out."""

    template: str
    contents: Callable[[Any], dict[str, Any] | None]


def _leaderboard(result: Any) -> dict[str, Any]:
    """Lines with their drawings; all intervals stand on one axis."""
    metric, percent = result.metric, words.is_share(result.metric)
    axis = svg.Axis.around(leaderboard.score_range(result))
    best = result.winner.scores[metric].value
    lines = []
    for rank, standing in enumerate(result.leaderboard, 1):
        picture, cells = "", []
        if not standing.error:
            one = standing.scores[metric]
            picture = axis.interval(one.value, one.low, one.high, best, standing.name == result.best)
            cells = [column.text(standing) for column in leaderboard.COLUMNS]
        mark = leaderboard.mark_of(standing, result.best)
        lines.append({"rank": rank, "standing": standing, "picture": picture, "cells": cells, "mark": mark})
    return {
        "metric": metric,
        "summary": words.board_summary(result),
        "lines": lines,
        "scale": axis.scale(lambda tick: f"{100 * tick:g}" if percent else f"{tick:g}"),
        "others": [name for name in result.winner.scores if name != metric],
        "columns": [column.heading.capitalize() for column in leaderboard.COLUMNS],
        "pairs": [{"differs": pair.differs, "says": words.pair_words(pair, metric)} for pair in result.pairs],
        "pair_summary": words.pair_summary(result),
    }


def _sealed_test(result: Any) -> dict[str, Any] | None:
    if result.test is None:
        return None
    curves = _ranking(result)
    areas = curves["areas"] if curves and not curves["alone"] else {}
    confusion = _confusion(result.test)
    return {"metric": result.metric, "opened": words.opened(result), "areas": areas, "confusion": confusion}


def _confusion(test: Any) -> dict[str, Any]:
    """The rows of the confusion matrix with their shares, and the commonest mistakes."""
    rows = []
    silences = test.abstained or (0,) * len(test.labels)
    for label, counts, silent in zip(test.labels, test.confusion, silences):
        total = sum(counts) + silent
        cells = [
            {"n": n, "share": n / total if total else 0.0, "right": test.labels[j] == label}
            for j, n in enumerate(counts)
        ]
        rows.append({"label": label, "cells": cells, "total": total, "silent": silent})
    mistakes = [
        {"n": n, "true": true, "given": given}
        for true, counts in zip(test.labels, test.confusion)
        for given, n in zip(test.labels, counts)
        if n and true != given
    ]
    mistakes.sort(key=lambda mistake: -mistake["n"])
    size = len(test.labels)
    layout = "roomy" if size <= _ROOMY else "dense" if size <= _WIDEST else "none"
    return {"rows": rows, "mistakes": mistakes[:10], "layout": layout, "silent": any(silences)}


def _ranking(result: Any) -> dict[str, Any] | None:
    """Pictures of what every threshold would do and of the probabilities; nothing where the model ranks nothing."""
    test = result.test
    if test is None:
        return None
    drawn = [curve for curve in test.curves if curve.roc]
    if not drawn:
        return None
    return {
        "drawn": drawn,
        "alone": drawn[0] if len(test.labels) == 2 else None,
        "areas": {curve.label: curve.area for curve in test.curves},
        "roc": svg.roc_picture(drawn),
        "precision_recall": svg.precision_recall_picture(drawn),
        "calibration": svg.calibration_picture(test.calibration) if test.calibration else "",
    }


def _explanations(result: Any) -> dict[str, Any] | None:
    return {"explanations": [_explained(one) for one in result.explanations]} if result.explanations else None


def _explained(explanation: Any) -> Markup:
    if hasattr(explanation, "html"):
        return Markup(explanation.html())
    return Markup("<pre>{}</pre>").format(explanation.text())


def _data(result: Any) -> dict[str, Any]:
    return {"columns": [_card(column, result.n_rows) for column in result.columns], "shown": _COLUMNS_SHOWN}


def _card(column: Any, n_rows: int) -> dict[str, Any]:
    if column.bars:
        return {"column": column, "picture": svg.histogram(column.bars)}
    if column.levels and column.kind in ("nominal", "ordinal"):
        return {"column": column, "picture": svg.level_bars([n for _, n in column.levels], n_rows - column.missing)}
    return {"column": column, "picture": ""}


#: The one list of sections.
SECTIONS = [
    Section("leaderboard.html", _leaderboard),
    Section("sealed_test.html", _sealed_test),
    Section("ranking.html", _ranking),
    Section("explanations.html", _explanations),
    Section("audit.html", lambda result: None if result.audit is None else {"audit": result.audit}),
    Section("warnings.html", lambda result: {"warnings": result.warnings} if result.warnings else None),
    Section("data.html", _data),
    Section("steps.html", lambda result: {"steps": result.steps}),
    Section("command.html", lambda result: {"command": result.command}),
]
