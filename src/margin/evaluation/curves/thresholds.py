"""What every threshold would do: ROC, precision-recall and gain curves, their areas, bands and best thresholds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import special

from margin.data.labels import position_of
from margin.errors import InputError, ParameterError
from margin.evaluation.intervals.interval import Score, check_confidence
from margin.evaluation.metrics.definitions import metric
from margin.evaluation.predictions.answers import Answers
from margin.evaluation.predictions.confusion import ratio
from margin.evaluation.predictions.from_arrays import answers_of
from margin.evaluation.scoring.of_cases import score_cases
from margin.typing import LabelsLike, WeightsLike

__all__ = [
    "GainCurve",
    "OperatingPoint",
    "PrecisionRecallCurve",
    "RocCurve",
    "gain_curve",
    "precision_recall_curve",
    "roc_curve",
]


@dataclass(frozen=True)
class OperatingPoint:
    """One threshold and what it does: a case is answered positive where its score is at least the threshold."""

    threshold: float
    tpr: float
    fpr: float
    precision: float
    reason: str

    def __str__(self) -> str:
        return f"threshold {self.threshold:.6g}: {self.reason} (recall {self.tpr:.3f}, false alarms {self.fpr:.3f})"


@dataclass(frozen=True, eq=False)
class _Thresholds:
    """All thresholds of one class against the rest, from the strictest on; the first answers nothing."""

    thresholds: np.ndarray
    true_positives: np.ndarray
    false_positives: np.ndarray
    positive: Any
    answers: Answers

    @property
    def positives(self) -> float:
        """Cases of the positive class, or the sum of their weights."""
        return float(self.true_positives[-1])

    @property
    def negatives(self) -> float:
        """Cases of other classes, or the sum of their weights."""
        return float(self.false_positives[-1])

    @property
    def tpr(self) -> np.ndarray:
        """True positive rate (recall) at each threshold."""
        return ratio(self.true_positives, self.positives)

    @property
    def fpr(self) -> np.ndarray:
        """False positive rate at each threshold."""
        return ratio(self.false_positives, self.negatives)

    @property
    def precision(self) -> np.ndarray:
        """Of the cases answered positive at each threshold, the share that are; 1 where nothing is answered."""
        both = self.true_positives + self.false_positives
        return np.where(both > 0, ratio(self.true_positives, both), 1.0)

    def _point(self, at: int, reason: str) -> OperatingPoint:
        return OperatingPoint(
            float(self.thresholds[at]), float(self.tpr[at]), float(self.fpr[at]), float(self.precision[at]), reason
        )

    def _sizes(self) -> tuple[float, float]:
        """How many cases each side is worth: their number, or (Σw)²/Σw² where they are weighted."""
        if self.answers.weight is None:
            return self.positives, self.negatives
        code = position_of(self.positive, self.answers.classes, "RocCurve")
        squares = self.answers.weight**2
        own = self.answers.truth == code
        return float(ratio(self.positives**2, squares[own].sum())), float(ratio(self.negatives**2, squares[~own].sum()))


@dataclass(frozen=True, eq=False, repr=False)
class RocCurve(_Thresholds):
    """True against false positives for every threshold.

    Attributes
    ----------
    thresholds
        The different scores, falling, after infinity, which answers nothing.
    tpr, fpr
        Share of the positive cases, and of the others, at or above each threshold.
    area
        Chance that a positive case is ranked above another one, with DeLong's interval.

    Examples
    --------
    >>> curve = roc_curve(["n", "n", "y", "y"], [0.1, 0.4, 0.35, 0.8])
    >>> curve.fpr.tolist(), curve.tpr.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    >>> curve.area.value
    0.75
    >>> print(curve.best())
    threshold 0.8: Youden's J 0.500 (recall 0.500, false alarms 0.000)
    """

    confidence: float = 0.95

    @property
    def area(self) -> Score:
        return score_cases(metric("roc_auc", positive=self.positive), self.answers, self.confidence)

    def pointwise(self) -> tuple[np.ndarray, np.ndarray]:
        """Exact intervals of the true positive rate, each threshold for itself: lower and upper ends."""
        return _exact_ends(self.tpr, self._sizes()[0], self.confidence)

    def pointwise_fpr(self) -> tuple[np.ndarray, np.ndarray]:
        """Exact intervals of the false positive rate, each threshold for itself: lower and upper ends."""
        return _exact_ends(self.fpr, self._sizes()[1], self.confidence)

    def band(self, at: Any = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A band that holds the whole true curve at once: false positive rates, lower and upper true positive rates.

        Both rates, as functions of the threshold, stay within √(ln(2/a)/2n) of what was seen everywhere, with
        probability 1 - a each (Dvoretzky, Kiefer, Wolfowitz 1956; Massart 1990); both hold together with the stated
        confidence (Campbell 1994). ``at`` are the false positive rates to say it for; 101 even steps without it.
        """
        grid = np.linspace(0.0, 1.0, 101) if at is None else np.asarray(at, dtype=np.float64)
        allowed = 1 - math.sqrt(self.confidence)
        up, aside = (math.sqrt(math.log(2 / allowed) / (2 * max(size, 1.0))) for size in self._sizes())
        high = np.where(grid + aside >= 1, 1.0, _highest(self.fpr, self.tpr, grid + aside) + up)
        low = np.where(grid - aside < 0, 0.0, _lowest(self.fpr, self.tpr, grid - aside) - up)
        return grid, np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)

    def best(
        self,
        by: Literal["youden", "cost"] = "youden",
        *,
        miss: float = 1.0,
        alarm: float = 1.0,
        prevalence: float | None = None,
    ) -> OperatingPoint:
        """The best threshold: of the largest tpr - fpr (Youden 1950), or of the least mean cost.

        ``miss`` and ``alarm`` are the costs of a positive case not answered and of another case answered;
        ``prevalence`` is the share of positive cases where the model will be used, as here without it. Ties go to the
        stricter threshold. It is chosen by these cases, and so looks better on them than it is.
        """
        if by == "youden":
            gains = self.tpr - self.fpr
            at = int(np.argmax(gains >= gains.max() - 1e-12))
            return self._point(at, f"Youden's J {gains[at]:.3f}")
        if by != "cost":
            raise ParameterError(f"RocCurve.best(by={by!r}): by must be 'youden' or 'cost'.")
        if not (miss >= 0 and alarm >= 0 and miss + alarm > 0):
            raise ParameterError(f"RocCurve.best(miss={miss!r}, alarm={alarm!r}): costs must be numbers of at least 0.")
        share = self.positives / (self.positives + self.negatives) if prevalence is None else prevalence
        if not 0 <= share <= 1:
            raise ParameterError(f"RocCurve.best(prevalence={prevalence!r}): prevalence must be a number from 0 to 1.")
        costs = share * miss * (1 - self.tpr) + (1 - share) * alarm * self.fpr
        at = int(np.argmax(costs <= costs.min() + 1e-12))
        return self._point(at, f"cost {costs[at]:.4g} a case")

    def __repr__(self) -> str:
        return f"<RocCurve of {self.positive!r}: {len(self.thresholds) - 1} thresholds, area {self.area}>"


def _highest(fpr: np.ndarray, tpr: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The true positive rate that can be had at a false positive rate of at most ``at``."""
    return tpr[np.maximum(np.searchsorted(fpr, at + 1e-12, side="right") - 1, 0)]


def _lowest(fpr: np.ndarray, tpr: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The least true positive rate of a threshold whose false positive rate is at least ``at``."""
    return tpr[np.minimum(np.searchsorted(fpr, at - 1e-12, side="left"), len(tpr) - 1)]


def _exact_ends(share: np.ndarray, size: float, confidence: float) -> tuple[np.ndarray, np.ndarray]:
    """Clopper–Pearson intervals of many shares of as many cases."""
    tail, part = (1 - confidence) / 2, share * size
    low = special.betaincinv(np.maximum(part, 1e-300), size - part + 1, tail)
    high = special.betaincinv(part + 1, np.maximum(size - part, 1e-300), 1 - tail)
    return np.where(share <= 0, 0.0, low), np.where(share >= 1, 1.0, high)


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecallCurve(_Thresholds):
    """Precision against recall for every threshold, from the strictest on.

    Attributes
    ----------
    thresholds
        The different scores, falling, after infinity, which answers nothing (precision 1, recall 0).
    precision, recall
        At each threshold.
    average_precision
        Precision averaged over the recall that each threshold adds, with its interval.
    prevalence
        Share of the positive cases: the precision of guessing.

    Examples
    --------
    >>> curve = precision_recall_curve(["n", "n", "y", "y"], [0.1, 0.4, 0.35, 0.8])
    >>> curve.precision.round(3).tolist(), curve.recall.tolist()
    ([1.0, 1.0, 0.5, 0.667, 0.5], [0.0, 0.5, 0.5, 1.0, 1.0])
    >>> round(curve.average_precision.value, 3)
    0.833
    >>> print(curve.best())
    threshold 0.35: F1 0.800 (recall 1.000, false alarms 0.500)
    """

    confidence: float = 0.95

    @property
    def recall(self) -> np.ndarray:
        return self.tpr

    @property
    def average_precision(self) -> Score:
        return score_cases(metric("average_precision", positive=self.positive), self.answers, self.confidence)

    @property
    def prevalence(self) -> float:
        return float(ratio(self.positives, self.positives + self.negatives))

    def best(self, beta: float = 1.0) -> OperatingPoint:
        """The threshold of the largest F-beta; ties go to the stricter one."""
        if not 0 < beta < math.inf:
            raise ParameterError(f"PrecisionRecallCurve.best(beta={beta!r}): beta must be a number above 0.")
        both = self.true_positives + self.false_positives
        values = ratio((1 + beta**2) * self.true_positives, beta**2 * self.positives + both)
        at = int(np.argmax(values >= values.max() - 1e-12))
        return self._point(at, f"F{beta:g} {values[at]:.3f}")

    def __repr__(self) -> str:
        return f"<PrecisionRecallCurve of {self.positive!r}: average precision {self.average_precision}>"


@dataclass(frozen=True, eq=False, repr=False)
class GainCurve(_Thresholds):
    """How many of the positive cases are reached by turning to the highest scores first, and how much that gains.

    Attributes
    ----------
    share
        Share of all cases at or above each threshold.
    gain
        Share of the positive cases among them: recall.
    lift
        How many times more of them than by chance, gain / share.

    Examples
    --------
    >>> curve = gain_curve(["n", "n", "y", "y"], [0.1, 0.4, 0.35, 0.8])
    >>> curve.share.tolist(), curve.gain.tolist(), curve.lift_at(0.25)
    ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0], 2.0)
    """

    confidence: float = 0.95

    @property
    def share(self) -> np.ndarray:
        return ratio(self.true_positives + self.false_positives, self.positives + self.negatives)

    @property
    def gain(self) -> np.ndarray:
        return self.tpr

    @property
    def lift(self) -> np.ndarray:
        return np.where(self.share > 0, ratio(self.gain, self.share), np.nan)

    def lift_at(self, share: float) -> float:
        """The lift of the highest scores that make up a share of the cases; cases of equal score in proportion."""
        if not 0 < share <= 1:
            raise ParameterError(f"GainCurve.lift_at(share={share!r}): share must be a number above 0, at most 1.")
        return float(np.interp(share, self.share, self.gain) / share)

    def __repr__(self) -> str:
        return f"<GainCurve of {self.positive!r}: lift {self.lift_at(0.1):.3g} in the first tenth>"


def _thresholds(
    y_true: LabelsLike, scores: np.ndarray, positive: object, classes: Any, sample_weight: WeightsLike | None, who: str
) -> dict[str, Any]:
    answers = answers_of(
        y_true, scores=scores, classes=classes, sample_weight=sample_weight, positive=positive, who=who
    )
    return thresholds_of(answers, positive, who)


def thresholds_of(answers: Answers, positive: object, who: str) -> dict[str, Any]:
    """What a curve is made of, from answers; without a positive class it is that of the two (``Answers.positive``)."""
    code = answers.positive if positive is None else position_of(positive, answers.classes, who)
    if code is None:
        raise InputError(f"{who}: name the positive class of {len(answers.classes)} (positive=…).")
    ranking = answers.ranking(code)
    if not len(answers):
        raise InputError(f"{who}: there must be at least one case.")
    return {
        "thresholds": np.append(np.inf, ranking.thresholds),
        "true_positives": np.append(0.0, ranking.true_positives),
        "false_positives": np.append(0.0, ranking.false_positives),
        "positive": answers.classes[code : code + 1].tolist()[0],
        "answers": answers,
    }


def roc_curve(
    y_true: LabelsLike,
    scores: Any,
    *,
    positive: object = None,
    classes: Any = None,
    sample_weight: WeightsLike | None = None,
    confidence: float = 0.95,
) -> RocCurve:
    """True against false positive rate over all thresholds.

    Parameters
    ----------
    y_true
        Labels of any type.
    scores
        Probabilities or decision values: one number per case for the positive class, or one column per class.
    positive
        The class to find. Without it that of one number per case, which is the last of two; else the positive of two:
        the one that says yes (True, 1, "yes", …), or the rarer one.
    classes
        The classes of the columns, where they are not just those of the truth.
    sample_weight
        How much each case counts.
    confidence
        Of the intervals and of the band.

    Examples
    --------
    >>> roc_curve([0, 0, 1, 1], [-2.0, 0.5, 0.0, 3.0])
    <RocCurve of 1: 4 thresholds, area 0.750 [0.001, 1.000]>
    """
    check_confidence("roc_curve", confidence)
    return RocCurve(**_thresholds(y_true, scores, positive, classes, sample_weight, "roc_curve"), confidence=confidence)


def precision_recall_curve(
    y_true: LabelsLike,
    scores: Any,
    *,
    positive: object = None,
    classes: Any = None,
    sample_weight: WeightsLike | None = None,
    confidence: float = 0.95,
) -> PrecisionRecallCurve:
    """Precision against recall over all thresholds; takes what ``roc_curve`` takes.

    >>> precision_recall_curve([0, 0, 1, 1], [-2.0, 0.5, 0.0, 3.0]).prevalence
    0.5
    """
    check_confidence("precision_recall_curve", confidence)
    parts = _thresholds(y_true, scores, positive, classes, sample_weight, "precision_recall_curve")
    return PrecisionRecallCurve(**parts, confidence=confidence)


def gain_curve(
    y_true: LabelsLike,
    scores: Any,
    *,
    positive: object = None,
    classes: Any = None,
    sample_weight: WeightsLike | None = None,
) -> GainCurve:
    """Cumulative gain and lift over all thresholds; takes what ``roc_curve`` takes.

    >>> gain_curve([0, 0, 1, 1], [-2.0, 0.5, 0.0, 3.0]).lift_at(1.0)
    1.0
    """
    return GainCurve(**_thresholds(y_true, scores, positive, classes, sample_weight, "gain_curve"))
