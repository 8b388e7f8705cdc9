"""A result as one HTML page that needs nothing else: no network, no fonts, no scripts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

import margin
from margin.report import phrases as words
from margin.report import svg
from margin.report import svg as curves

if TYPE_CHECKING:
    from margin.selection.auditing.result import Audit

__all__ = ["render", "render_audit"]

_TEMPLATES = Path(__file__).with_name("templates")
#: Up to this many classes the confusion matrix shows shares too; up to the second number, counts only.
_ROOMY, _WIDEST = 12, 40
#: Columns beyond this many are folded away.
_COLUMNS_SHOWN = 60


def render(result: Any) -> str:
    """The page for a finished comparison, as :func:`margin.experiment.run` gives it.

    ``result`` is used by contract: what it must have is what :class:`margin.experiment.Result` has.
    """
    environment = _environment()
    return environment.get_template("report.html").render(
        result=result,
        test=result.test,
        metric=result.metric,
        metric_name=words.metric_name,
        answer=words.answer(result),
        summary=words.board_summary(result),
        board=_board(result),
        confusion=_confusion(result.test),
        columns=[_card(column, result.n_rows) for column in result.columns],
        columns_shown=_COLUMNS_SHOWN,
        n_inputs=sum(column.is_input for column in result.columns),
        explanations=[_explained(explanation) for explanation in result.explanations],
        pairs=[{"differs": pair.differs, "says": words.pair_words(pair, result.metric)} for pair in result.pairs],
        pair_summary=words.pair_summary(result),
        opened=words.opened(result),
        curves=_curves(result.test),
        css=_style(),
        version=result.versions["margin"],
    )


def render_audit(audit: Audit, title: str, target: str, command: str = "") -> str:
    """The page for an audit, as :func:`margin.audit` gives it, of a table called ``title``.

    >>> import numpy as np
    >>> from margin.selection import audit
    >>> page = render_audit(audit(np.random.default_rng(0).normal(size=(60, 2)), [0, 1] * 30), "noise", "side")
    >>> "Nothing found" in page
    True
    """
    return (
        _environment()
        .get_template("audit.html")
        .render(audit=audit, title=title, target=target, command=command, css=_style(), version=margin.__version__)
    )


def _environment() -> Any:
    import jinja2  # here, since the words of a report are wanted without its page too

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(
        shortened=words.shortened,
        score=words.score,
        interval=words.interval,
        count=words.count,
        duration=words.duration,
        number=words.number,
    )
    return environment


def _style() -> Markup:
    return Markup((_TEMPLATES / "report.css").read_text())


def _curves(test: Any) -> dict[str, Any] | None:
    """Pictures of what every threshold would do and of the probabilities; nothing where the model ranks nothing."""
    drawn = [curve for curve in test.curves if curve.roc]
    if not drawn:
        return None
    return {
        "drawn": drawn,
        "alone": drawn[0] if len(test.labels) == 2 else None,
        "areas": {curve.label: curve.area for curve in test.curves},
        "roc": curves.roc_picture(drawn),
        "precision_recall": curves.precision_recall_picture(drawn),
        "calibration": curves.calibration_picture(test.calibration) if test.calibration else "",
    }


def _board(result: Any) -> dict[str, Any]:
    """The leaderboard with its drawings; all intervals stand on one axis."""
    metric = result.metric
    ran = [standing for standing in result.leaderboard if not standing.error]
    scores = [standing.scores[metric] for standing in ran]
    ends = [end for one in scores for end in (one.value, one.low, one.high) if end is not None]
    axis = svg.Axis.around(ends)
    best = result.winner.scores[metric].value
    lines = []
    for rank, standing in enumerate(result.leaderboard, 1):
        picture = ""
        if not standing.error:
            one = standing.scores[metric]
            picture = axis.interval(one.value, one.low, one.high, best, standing.name == result.best)
        lines.append({"rank": rank, "standing": standing, "picture": picture, "mark": _mark(standing, result.best)})
    percent = words.is_share(metric)
    scale = axis.scale(lambda tick: f"{100 * tick:g}" if percent else f"{tick:g}")
    others = [name for name in result.winner.scores if name != metric]
    return {"lines": lines, "scale": scale, "unit": "%" if percent else "", "others": others}


def _mark(standing: Any, best: str) -> dict[str, str]:
    if standing.error:
        return {"class": "failed", "text": "failed"}
    if standing.name == best:
        return {"class": "best", "text": "best"}
    if standing.differs:
        return {"class": "behind", "text": "behind"}
    return {"class": "level", "text": "level"}


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


def _card(column: Any, n_rows: int) -> dict[str, Any]:
    if column.bars:
        return {"column": column, "picture": svg.histogram(column.bars)}
    if column.levels and column.kind in ("nominal", "ordinal"):
        return {"column": column, "picture": svg.level_bars([n for _, n in column.levels], n_rows - column.missing)}
    return {"column": column, "picture": ""}


def _explained(explanation: Any) -> Markup:
    return (
        Markup(explanation.html())
        if hasattr(explanation, "html")
        else Markup("<pre>{}</pre>").format(explanation.text())
    )
