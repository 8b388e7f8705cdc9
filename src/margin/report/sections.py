"""The sections of the page, in the order in which they stand: a template each, and what it shows of a result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from margin.report import leaderboard, svg, winner_sections
from margin.report import phrases as words
from margin.report.pictures.partition import partition_picture

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
        "copied": _board_copied(result),
        "metric": metric,
        "summary": words.board_summary(result),
        "lines": lines,
        "scale": axis.scale(lambda tick: f"{100 * tick:g}" if percent else f"{tick:g}"),
        "others": [name for name in result.winner.scores if name != metric],
        "columns": [column.heading.capitalize() for column in leaderboard.COLUMNS],
        "pairs": [{"differs": pair.differs, "says": words.pair_words(pair, metric)} for pair in result.pairs],
        "pair_summary": words.pair_summary(result),
    }


def _board_copied(result: Any) -> list[list[Any]]:
    """The leaderboard as cells without pictures, full figures."""
    names = list(result.winner.scores)
    head = [part for name in names for part in (name, f"{name}_low", f"{name}_high")]
    rows = [
        [one.name, *(_full(part) for name in names for part in _ends(one.scores.get(name))), _full(one.fit_seconds)]
        for one in result.leaderboard
    ]
    return [["model", *head, "fit_seconds"], *rows]


def _ends(one: Any) -> tuple[Any, Any, Any]:
    return (None, None, None) if one is None else (one.value, one.low, one.high)


def _full(value: Any) -> str:
    return "" if value is None else f"{value:.6g}"


def _partition(result: Any) -> dict[str, Any] | None:
    """Which rows were used for what, as a picture; nothing for a record that does not tell."""
    if result.partition is None:
        return None
    opened = result.test is not None
    picture = partition_picture(result.partition, result.n_train, result.n_test, opened)
    return {"picture": picture, "partition": result.partition, "opened": opened}


def _sealed_test(result: Any) -> dict[str, Any] | None:
    if result.test is None:
        return None
    curves = _ranking(result)
    areas = curves["areas"] if curves and not curves["alone"] else {}
    confusion = _confusion(result.test)
    copied = [["class", "precision", "recall", "f1", "cases"]]
    copied += [[one.label, *map(_full, (one.precision, one.recall, one.f1)), one.cases] for one in result.test.classes]
    return {
        "metric": result.metric,
        "opened": words.opened(result),
        "areas": areas,
        "confusion": confusion,
        "cells": [_cell_words(cell) for cell in result.test.cells],
        "identifier": result.identifier,
        "copied": copied,
    }


def _cell_words(cell: Any) -> dict[str, Any]:
    """A cell of the confusion matrix in words, with its rows by number and by name."""
    names = cell.names or ("",) * len(cell.rows)
    rows = [f"{row} ({name})" if name else str(row) for row, name in zip(cell.rows, names)]
    right = cell.true == cell.given
    return {"right": right, "true": cell.true, "given": cell.given, "n": cell.n, "rows": rows}


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
    Section("partition.html", _partition),
    Section("sealed_test.html", _sealed_test),
    Section("cutoffs.html", winner_sections.cutoffs),
    Section("ranking.html", _ranking),
    Section("portrait.html", winner_sections.portrait),
    Section("explanations.html", _explanations),
    Section("mistakes.html", winner_sections.mistakes),
    Section("audit.html", lambda result: None if result.audit is None else {"audit": result.audit}),
    Section("warnings.html", lambda result: {"warnings": result.warnings} if result.warnings else None),
    Section("data.html", _data),
    Section("steps.html", lambda result: {"steps": result.steps}),
    Section("command.html", lambda result: {"command": result.command, "python": result.python}),
]
