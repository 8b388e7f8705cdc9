"""The curves of the sealed test as plain points, few enough for a page."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.evaluation import Evaluation
from margin.experiment.result import CalibrationBin, Score, ThresholdCurves

__all__ = ["calibration_bins", "threshold_curves"]

#: Classes whose curves are drawn; the others only have their area.
MOST_DRAWN = 6
#: Corners of a curve that are kept: more than a small picture shows.
MOST_POINTS = 120
#: Classes beyond which areas are not told one by one.
MOST_CLASSES = 100


def threshold_curves(found: Evaluation) -> tuple[ThresholdCurves, ...]:
    """For two classes the curves of the rarer one; for more those of each class against the rest, largest first.

    Nothing where the model gives neither probabilities nor scores, or where a class has no cases to find.
    """
    answers = found.answers
    if (answers.probabilities is None and answers.scores is None) or len(found.classes) > MOST_CLASSES:
        return ()
    counts = np.bincount(answers.truth, minlength=len(found.classes))
    able = [code for code in np.argsort(-counts, kind="stable").tolist() if 0 < counts[code] < len(answers.truth)]
    if len(found.classes) == 2:
        able = able[-1:]
    return tuple(_of_class(found, code, drawn=place < MOST_DRAWN) for place, code in enumerate(able))


def _of_class(found: Evaluation, code: int, drawn: bool) -> ThresholdCurves:
    label = found.classes[code]
    roc = found.roc(label)
    name, area = _text(label), _score(roc.area)
    if not drawn:
        return ThresholdCurves(name, area)
    precision = found.precision_recall(label)
    # The interval is drawn by chance a thousand times over: once, not for every class.
    average = (
        _score(precision.average_precision)
        if len(found.classes) == 2
        else Score(float(found.answers.ranking(code).average_precision))
    )
    return ThresholdCurves(
        name,
        area,
        _points(roc.fpr, roc.tpr),
        _points(precision.recall, precision.precision),
        average,
        float(precision.prevalence),
    )


def calibration_bins(found: Evaluation) -> tuple[tuple[CalibrationBin, ...], str, float | None]:
    """Bins of probabilities, whose they are, and the calibration error; nothing where the model gives none."""
    if found.answers.probabilities is None or not len(found.answers.truth):
        return (), "", None
    counts = np.bincount(found.answers.truth, minlength=len(found.classes))
    rarer = found.classes[int(np.argsort(-counts, kind="stable")[-1])] if len(found.classes) == 2 else None
    curve = found.calibration(rarer)
    bins = tuple(
        CalibrationBin(
            float(curve.mean_confidence[i]),
            Score(float(curve.observed[i]), float(curve.low[i]), float(curve.high[i])),
            round(float(curve.counts[i])),
        )
        for i in np.flatnonzero(curve.filled).tolist()
    )
    return bins, "" if rarer is None else _text(rarer), float(curve.error)


def _points(x: np.ndarray, y: np.ndarray) -> tuple[tuple[float, float], ...]:
    """The points of a curve, thinned where there are many, to three places; equal neighbours once."""
    at = np.unique(np.linspace(0, len(x) - 1, min(len(x), MOST_POINTS)).round().astype(np.intp))
    pairs = zip(x[at].round(3).tolist(), y[at].round(3).tolist())
    return tuple(dict.fromkeys(pairs))


def _score(score: Any) -> Score:
    ends = () if score.interval is None else (float(score.interval.low), float(score.interval.high))
    return Score(float(score.value), *ends)


def _text(label: Any) -> str:
    return label.decode(errors="replace") if isinstance(label, bytes) else str(label)
