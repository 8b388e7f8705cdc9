"""Do probabilities mean what they say? The calibration curve, and the Brier score in parts."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.data.labels import position_of
from margin.errors import InputError, ParameterError
from margin.evaluation.intervals.interval import check_confidence, wilson_ends
from margin.evaluation.metrics.calibration_error import Strategy, bin_edges, bin_of, sure_and_right
from margin.evaluation.predictions.answers import Answers
from margin.evaluation.predictions.confusion import ratio
from margin.evaluation.predictions.from_arrays import answers_of
from margin.typing import LabelsLike, WeightsLike

__all__ = [
    "BrierDecomposition",
    "CalibrationCurve",
    "brier_decomposition",
    "calibration_curve",
]


@dataclass(frozen=True, eq=False)
class CalibrationCurve:
    """Confidence beside the share that is right, bin by bin: a calibrated model lies on the diagonal.

    Attributes
    ----------
    edges
        Where bins begin and end; a value on an edge belongs to the bin below it.
    counts
        Cases in each bin, or the sum of their weights.
    mean_confidence
        Mean predicted probability in each bin, NaN where it is empty.
    observed
        Share of the bin's cases that are of the class (or were right), NaN where it is empty.
    low, high
        Wilson intervals of ``observed``.
    positive
        The class whose probability is meant; ``None`` for the most probable class of each case.

    Examples
    --------
    >>> curve = calibration_curve([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.9], bins=2)
    >>> curve.counts.tolist(), curve.mean_confidence.round(3).tolist(), curve.observed.round(3).tolist()
    ([3.0, 1.0], [0.3, 0.9], [0.333, 1.0])
    >>> round(curve.error, 3)
    0.05
    """

    edges: np.ndarray
    counts: np.ndarray
    mean_confidence: np.ndarray
    observed: np.ndarray
    low: np.ndarray
    high: np.ndarray
    positive: Any = None
    confidence: float = 0.95

    @property
    def filled(self) -> np.ndarray:
        """Which bins hold cases."""
        return self.counts > 0

    @property
    def error(self) -> float:
        """Expected calibration error: the mean gap between confidence and share, each bin by its cases."""
        gaps = np.abs(self.mean_confidence - self.observed)[self.filled]
        return float(ratio(self.counts[self.filled] @ gaps, self.counts.sum()))

    @property
    def max_error(self) -> float:
        """The largest gap of a bin."""
        return float(np.abs(self.mean_confidence - self.observed)[self.filled].max(initial=0.0))

    def _rows(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = []
        for at in np.flatnonzero(self.filled).tolist():
            span = f"{self.edges[at]:.3g} – {self.edges[at + 1]:.3g}"
            band = f"[{self.low[at]:.3f}, {self.high[at]:.3f}]"
            rows.append(
                (span, f"{self.counts[at]:g}", f"{self.mean_confidence[at]:.3f}", f"{self.observed[at]:.3f}", band)
            )
        return rows

    def __str__(self) -> str:
        head = ("bin", "cases", "confidence", "observed", f"{100 * self.confidence:g} % interval")
        rows = [head, *self._rows()]
        widths = [max(len(row[at]) for row in rows) for at in range(len(head))]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows]
        return "\n".join([*lines, f"calibration error {self.error:.4f}, largest gap {self.max_error:.4f}"])

    def __repr__(self) -> str:
        return f"<CalibrationCurve: {int(self.filled.sum())} bins, calibration error {self.error:.4f}>"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{text}</th>" for text in ("bin", "cases", "confidence", "observed", "interval"))
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in self._rows()
        )
        return f"<table><tr>{head}</tr>{body}</table><p>calibration error {self.error:.4f}</p>"


def _check_bins(who: str, bins: Any, strategy: Any) -> None:
    if not isinstance(bins, (int, np.integer)) or isinstance(bins, bool) or bins < 1:
        raise ParameterError(f"{who}(bins={bins!r}): bins must be a whole number of at least 1.")
    if strategy not in ("width", "count"):
        raise ParameterError(f"{who}(strategy={strategy!r}): strategy must be 'width' or 'count'.")


def calibration_curve(
    y_true: LabelsLike,
    probabilities: Any,
    *,
    classes: Any = None,
    positive: object = None,
    bins: int = 10,
    strategy: Strategy = "width",
    sample_weight: WeightsLike | None = None,
    confidence: float = 0.95,
) -> CalibrationCurve:
    """Predicted probabilities beside how often they came true.

    Parameters
    ----------
    y_true
        Labels of any type.
    probabilities
        One column per class, or for two classes one number per case: the probability of ``positive`` (or of the last
        class).
    classes
        The classes of the columns, where they are not just those of the truth.
    positive
        The class whose probability is meant. Without it: the positive of two classes, or, for more than two, the most
        probable class of each case.
    bins, strategy
        So many bins of equal width, or of equal numbers of cases (``"count"``).
    sample_weight
        How much each case counts. Intervals then treat the cases as worth (Σw)²/Σw² of them.

    Examples
    --------
    >>> print(calibration_curve(["n", "n", "y", "y"], [0.2, 0.3, 0.3, 0.9], bins=2))
          bin  cases  confidence  observed    95 % interval
      0 – 0.5      3       0.267     0.333   [0.061, 0.792]
      0.5 – 1      1       0.900     1.000   [0.207, 1.000]
    calibration error 0.0750, largest gap 0.1000
    """
    _check_bins("calibration_curve", bins, strategy)
    check_confidence("calibration_curve", confidence)
    answers = answers_of(
        y_true,
        probabilities=probabilities,
        classes=classes,
        sample_weight=sample_weight,
        positive=positive,
        who="calibration_curve",
    )
    code = _meant(answers, positive, "calibration_curve")
    sure, right = sure_and_right(answers, code)
    edges = bin_edges(sure, bins, strategy)
    at, n = bin_of(sure, edges), len(edges) - 1
    weight = np.ones(len(sure)) if answers.weight is None else answers.weight
    counts = np.bincount(at, weight, n)
    with np.errstate(invalid="ignore"):
        means, shares = np.bincount(at, weight * sure, n) / counts, np.bincount(at, weight * right, n) / counts
    worth = counts if answers.weight is None else ratio(counts**2, np.bincount(at, weight**2, n))
    low, high = wilson_ends(shares * worth, worth, confidence)
    meant = None if code is None else answers.classes[code : code + 1].tolist()[0]
    return CalibrationCurve(edges, counts, means, shares, low, high, meant, confidence)


def _meant(answers: Answers, positive: object, who: str) -> int | None:
    if positive is not None:
        return position_of(positive, answers.classes, who)
    return answers.positive


@dataclass(frozen=True)
class BrierDecomposition:
    """The Brier score in parts: reliability - resolution + uncertainty + what bins hide (Murphy 1973; Stephenson 2008).

    Attributes
    ----------
    reliability
        Squared distance between what was said and what came true, bin by bin: 0 where probabilities mean what they say.
    resolution
        How far what came true in the bins differs from what comes true overall: more is better.
    uncertainty
        Brier score of always saying how frequent the classes are.
    within_variance, within_covariance
        Spread of probabilities inside bins, and how it goes with the truth. Both are 0 where each bin is one value.

    Examples
    --------
    >>> parts = brier_decomposition([0, 0, 1, 1], [0.25, 0.25, 0.25, 0.75])
    >>> print(parts)
    Brier score 0.1875 = reliability 0.0208 - resolution 0.0833 + uncertainty 0.2500
    """

    reliability: float
    resolution: float
    uncertainty: float
    within_variance: float = 0.0
    within_covariance: float = 0.0

    @property
    def brier(self) -> float:
        """The sum of the parts: the Brier score itself."""
        murphy = self.reliability - self.resolution + self.uncertainty
        return murphy + self.within_variance - self.within_covariance

    @property
    def skill(self) -> float:
        """Share of the uncertainty that the forecasts take away; 0 for saying the frequencies, below 0 for worse."""
        return 1 - self.brier / self.uncertainty if self.uncertainty else float("nan")

    def __str__(self) -> str:
        text = (
            f"Brier score {self.brier:.4f} = reliability {self.reliability:.4f} - resolution {self.resolution:.4f} "
            f"+ uncertainty {self.uncertainty:.4f}"
        )
        inside = self.within_variance, self.within_covariance
        if max(map(abs, inside)) < 5e-5:
            return text
        return f"{text} + variance within bins {inside[0]:.4f} - covariance within bins {inside[1]:.4f}"


def brier_decomposition(
    y_true: LabelsLike,
    probabilities: Any,
    *,
    classes: Any = None,
    bins: int | None = None,
    strategy: Strategy = "width",
    sample_weight: WeightsLike | None = None,
) -> BrierDecomposition:
    """The Brier score as reliability - resolution + uncertainty, with what happens inside bins, so that it adds up.

    Without ``bins`` every different probability is a bin of its own, as in Murphy's paper; with them probabilities are
    put together, and the two terms of Stephenson, Coelho, Jolliffe (2008) make up the difference. For more than two
    classes the parts of each class against the rest are added, as the score is.

    >>> round(brier_decomposition([0, 1, 1, 0], [0.1, 0.8, 0.7, 0.4], bins=2).brier, 6)
    0.075
    """
    if bins is not None:
        _check_bins("brier_decomposition", bins, strategy)
    answers = answers_of(
        y_true, probabilities=probabilities, classes=classes, sample_weight=sample_weight, who="brier_decomposition"
    )
    if not len(answers):
        raise InputError("brier_decomposition: there must be at least one case.")
    assert answers.probabilities is not None
    codes = [1] if len(answers.classes) == 2 else range(len(answers.classes))
    weight = np.ones(len(answers)) if answers.weight is None else answers.weight
    parts = [
        _parts(answers.probabilities[:, code], answers.truth == code, weight / weight.sum(), bins, strategy)
        for code in codes
    ]
    return BrierDecomposition(*(float(sum(column)) for column in zip(*parts)))


def _parts(
    said: np.ndarray, happened: np.ndarray, weight: np.ndarray, bins: int | None, strategy: Strategy
) -> tuple[float, float, float, float, float]:
    """Reliability, resolution, uncertainty, variance and covariance within bins; weights add up to 1."""
    if bins is None:
        _, at = np.unique(said, return_inverse=True)
    else:
        at = bin_of(said, bin_edges(said, bins, strategy))
    share = np.bincount(at, weight)
    forecast, seen = ratio(np.bincount(at, weight * said), share), ratio(np.bincount(at, weight * happened), share)
    overall = float(weight @ happened)
    apart = said - forecast[at]
    return (
        float(share @ (forecast - seen) ** 2),
        float(share @ (seen - overall) ** 2),
        overall * (1 - overall),
        float(weight @ apart**2),
        2 * float(weight @ (apart * (happened - seen[at]))),
    )
