"""Two areas under ROC curves from the same cases: DeLong's test."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from margin.data.labels import position_of
from margin.errors import InputError
from margin.evaluation.comparing.pairing import both_evaluations, paired_answers
from margin.evaluation.comparing.significance import Significance, numbers
from margin.evaluation.intervals.interval import Interval, Score, check_confidence
from margin.evaluation.predictions.answers import Answers
from margin.evaluation.predictions.ranking import Ranking
from margin.typing import LabelsLike

__all__ = ["area_influence", "delong"]


def delong(
    first: Any, second: Any, y_true: Any = None, *, positive: object = None, confidence: float = 0.95
) -> Significance:
    """Whether two models rank the same cases equally well, by the areas under their ROC curves (DeLong et al. 1988).

    The area is the mean over positive cases of the share of other cases below them (their placement), and as well the
    mean over the others of the share of positive cases above. The variance of the difference of two areas is that of
    the differences of placements, positives and others each by themselves; z is normal. O(n log n).

    Parameters
    ----------
    first, second
        Scores of two models, any numbers that grow with the belief that a case is positive; or their evaluations.
    y_true
        The true labels, beside scores.
    positive
        The label of the positive class: the larger of two if not said. With more classes and none named, the mean of
        the areas of each class against the rest is compared.
    confidence
        Of the interval of the difference.

    Examples
    --------
    >>> truth = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> print(delong([1, 2, 3, 5, 4, 6, 7, 8], [5, 2, 6, 1, 4, 3, 8, 7], truth))
    DeLong's test: difference in ROC AUC 0.188 ± 0.436, statistic 0.8429, p = 0.399
    """
    check_confidence("delong", confidence)
    if both_evaluations("delong", first, second):
        one, other = paired_answers(first, second)
    else:
        one, other = (_answers(each, y_true) for each in (first, second))
    codes = _codes(one, positive)
    pairs = [
        [area_influence(each.strength[:, code], each.truth == code, each.weight) for code in codes]
        for each in (one, other)
    ]
    areas = [float(np.mean([area for area, _ in pair])) for pair in pairs]
    influence = np.mean([a[1] - b[1] for a, b in zip(*pairs)], axis=0)
    deviation = math.sqrt(float(influence @ influence))
    difference = areas[0] - areas[1]
    z = (
        difference / deviation
        if deviation > 1e-15
        else (0.0 if difference == 0 else math.copysign(math.inf, difference))
    )
    half = float(special.ndtri((1 + confidence) / 2)) * deviation
    interval = Interval(difference - half, difference + half, confidence, "DeLong").clipped(-1.0, 1.0)
    return Significance(
        "DeLong's test", z, float(2 * special.ndtr(-abs(z))), Score(difference, interval, "difference in ROC AUC")
    )


def _answers(scores: Any, y_true: LabelsLike) -> Answers:
    if y_true is None:
        raise InputError("delong: scores need the true labels beside them (give y_true).")
    truth = Answers.of(y_true, who="delong")
    if len(truth.classes) != 2:
        raise InputError(f"delong: one score per case needs two classes in y_true, not {len(truth.classes)}.")
    values = numbers("delong", scores)
    if len(values) != len(truth):
        raise InputError(f"delong: {len(values)} scores stand beside {len(truth)} labels.")
    return Answers(truth.classes, truth.truth, scores=np.column_stack([-values, values]))


def _codes(answers: Answers, positive: object) -> list[int]:
    if positive is not None:
        codes = [position_of(positive, answers.classes, "delong")]
    elif len(answers.classes) == 2:
        codes = [1]
    else:
        codes = list(range(len(answers.classes)))
    usable = [code for code in codes if 0 < int((answers.truth == code).sum()) < len(answers)]
    if not usable:
        raise InputError("delong: an area needs both positive cases and others.")
    return usable


def area_influence(
    score: np.ndarray, positive: np.ndarray, weight: np.ndarray | None = None
) -> tuple[float, np.ndarray]:
    """The area under the ROC curve, and what each case moves it by; their squares add up to DeLong's variance.

    A case moves the area by its placement less the area, divided by the number of its side; n / (n - 1) corrects for
    the mean on each side, as in the sample variance.

    >>> area, moved = area_influence(np.array([1.0, 3.0, 2.0, 4.0]), np.array([False, False, True, True]))
    >>> area, round(float(moved @ moved), 6)
    (0.75, 0.125)
    """
    ranking = Ranking(score, positive, weight)
    n = np.where(positive, positive.sum(), (~positive).sum()).astype(np.float64)
    return ranking.area, ranking.influence() * np.sqrt(n / np.maximum(n - 1, 1))
