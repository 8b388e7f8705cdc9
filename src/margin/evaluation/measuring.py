"""All metrics of some answers at once, each with its interval."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from margin.errors import InputError, ParameterError
from margin.evaluation.curves.calibration import (
    BrierDecomposition,
    CalibrationCurve,
    brier_decomposition,
    calibration_curve,
)
from margin.evaluation.curves.thresholds import PrecisionRecallCurve, RocCurve, thresholds_of
from margin.evaluation.intervals.interval import PROPORTION_METHODS, Score, check_confidence
from margin.evaluation.intervals.resamples import Draws
from margin.evaluation.metrics.definitions import METRICS, metric
from margin.evaluation.metrics.metric import Metric
from margin.evaluation.predictions.answers import Answers
from margin.evaluation.predictions.confusion import ConfusionMatrix
from margin.evaluation.predictions.from_arrays import answers_of
from margin.evaluation.scoring.of_cases import check_metrics, score_cases, usable_metrics
from margin.typing import WeightsLike

__all__ = ["Measured", "measure", "score_table"]

#: Only worth a line where there are abstentions, or more than two classes.
_OF_ABSTENTIONS = ("coverage", "selective_error", "reject_cost")
_OF_MANY_CLASSES = ("top_k",)


@dataclass(frozen=True, eq=False)
class Measured(Mapping[str, Score]):
    """Metrics of some answers: a mapping from their names to scores with intervals, which prints as a table.

    Attributes
    ----------
    scores
        Metric by name, each a ``Score``.
    answers
        Truth and answers, coded.
    positive
        The positive class: the one named, else that of two; ``None`` where there are more.
    warnings
        Sentences that belong beside the scores: what could not be computed, and why.

    Examples
    --------
    >>> measured = measure(["a", "b", "b", "a"], ["a", "b", "a", "a"], metrics=["accuracy", "f1"])
    >>> print(measured["accuracy"])
    0.750 [0.194, 0.994]
    >>> print(measured.confusion)
    truth \\ answer      a      b  recall
    a                   2      0   1.000
    b                   1      1   0.500
    precision       0.667  1.000
    3 of 4 right: accuracy 0.750
    """

    scores: Mapping[str, Score]
    metrics: tuple[Metric, ...]
    answers: Answers
    positive: Any = None
    confidence: float = 0.95
    warnings: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Score:
        """The score of a metric; its plain name will do where it stands there with options."""
        if name in self.scores:
            return self.scores[name]
        found = [each.name for each in self.metrics if each.base == name]
        if len(found) != 1:
            raise KeyError(name)
        return self.scores[found[0]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    @cached_property
    def confusion(self) -> ConfusionMatrix:
        """The confusion matrix."""
        return ConfusionMatrix.of_answers(self.answers)

    @cached_property
    def roc(self) -> RocCurve:
        """The ROC curve of the positive class."""
        return RocCurve(**thresholds_of(self.answers, self.positive, "Measured.roc"), confidence=self.confidence)

    @cached_property
    def precision_recall(self) -> PrecisionRecallCurve:
        """The precision-recall curve of the positive class."""
        parts = thresholds_of(self.answers, self.positive, "Measured.precision_recall")
        return PrecisionRecallCurve(**parts, confidence=self.confidence)

    @cached_property
    def calibration(self) -> CalibrationCurve:
        """Probabilities beside how often they came true."""
        return calibration_curve(*self._labelled(), positive=self.positive, **self._shape(), confidence=self.confidence)

    @cached_property
    def brier_parts(self) -> BrierDecomposition:
        """The Brier score as reliability - resolution + uncertainty, over ten bins."""
        return brier_decomposition(*self._labelled(), bins=10, **self._shape())

    def _labelled(self) -> tuple[np.ndarray, np.ndarray]:
        if self.answers.probabilities is None:
            raise InputError("Measured: probabilities are needed, but none were given.")
        return self.answers.classes[self.answers.truth], self.answers.probabilities

    def _shape(self) -> dict[str, Any]:
        return {"classes": self.answers.classes, "sample_weight": self.answers.weight}

    def __str__(self) -> str:
        about = "" if self.positive is None else f", positive class {self.positive!r}"
        lines = [f"{len(self.answers)} cases, {len(self.answers.classes)} classes{about}", *score_table(self.scores)]
        return "\n".join([*lines, *(f"Careful: {sentence}" for sentence in self.warnings)])

    def __repr__(self) -> str:
        return f"<Measured: {len(self.scores)} metrics on {len(self.answers)} cases>"

    def _repr_html_(self) -> str:
        meanings = {each.name: each.meaning for each in self.metrics}
        cautions = "".join(f"<p><b>Careful:</b> {html.escape(sentence)}</p>" for sentence in self.warnings)
        return score_rows(self.scores, meanings) + cautions


def score_table(scores: Mapping[str, Score]) -> list[str]:
    """Names, scores and how they were found, in columns.

    >>> score_table({"f1": Score(0.5, None, "on 10 cases")})
    ['f1  0.500  on 10 cases']
    """
    values = {name: str(score) for name, score in scores.items()}
    width, column = max(map(len, values), default=0), max(map(len, values.values()), default=0)
    return [f"{name:<{width}}  {values[name]:<{column}}  {score.how}".rstrip() for name, score in scores.items()]


def score_rows(scores: Mapping[str, Score], meanings: Mapping[str, str]) -> str:
    """Scores as an HTML table."""
    rows = "".join(
        f'<tr><th title="{html.escape(meanings.get(name, ""))}">{html.escape(name)}</th>'
        f"<td>{html.escape(str(score))}</td><td>{html.escape(score.how)}</td></tr>"
        for name, score in scores.items()
    )
    return f"<table>{rows}</table>"


def measure(
    y_true: Any,
    y_pred: Any = None,
    *,
    probabilities: Any = None,
    scores: Any = None,
    classes: Any = None,
    metrics: Iterable[str | Metric] | str | Metric | None = None,
    sample_weight: WeightsLike | None = None,
    positive: object = None,
    confidence: float = 0.95,
    proportions: str = "exact",
) -> Measured:
    """All metrics of some answers, from one count and one sort, each with its interval.

    Parameters
    ----------
    y_true
        Labels of any type.
    y_pred
        The answers, ``None`` among them for an abstention. Without it: the class of the largest probability or score.
    probabilities, scores
        One column per class, or for two classes one number per case: of the positive class, or of the last. Scores
        are decision values of any scale, for a model without probabilities.
    classes
        The classes of the columns, where they are not just those of the truth.
    metrics
        Names or metrics with options; all that can be computed without it.
    sample_weight
        How much each case counts. Intervals then come from resampling the cases.
    positive
        The class to find: metrics that can be of one class are of it. Without it that of one number per case, which is
        the last of two classes; else the positive of two: the one that says yes (True, 1, "yes", …), or the rarer one.
        With more than two, such metrics are averaged over the classes.
    confidence
        Of the intervals.
    proportions
        Intervals of shares: ``"exact"`` (covers at least as often as it says) or ``"wilson"`` (shorter).

    Examples
    --------
    >>> measured = measure([0, 0, 1, 1, 1], probabilities=[0.1, 0.6, 0.4, 0.7, 0.9])
    >>> round(measured["roc_auc"].value, 3), measured["accuracy"].value
    (0.833, 0.6)
    >>> print(measure(["n", "y", "y"], ["n", "y", "n"], metrics="recall", positive="y"))
    3 cases, 2 classes, positive class 'y'
    recall(positive='y')  0.500 ± 0.487  on 3 cases; 95 % interval, exact given the 2 cases it is a share of
    """
    check_confidence("measure", confidence)
    if proportions not in PROPORTION_METHODS:
        known = ", ".join(map(repr, PROPORTION_METHODS))
        raise ParameterError(f"measure(proportions={proportions!r}): proportions must be one of {known}.")
    if y_pred is None and probabilities is None and scores is None:
        raise InputError("measure: give predictions (y_pred=…), probabilities or scores.")
    given = answers_of(
        y_true,
        y_pred,
        probabilities=probabilities,
        scores=scores,
        classes=classes,
        sample_weight=sample_weight,
        positive=positive,
        who="measure",
    )
    if not len(given):
        raise InputError("measure: there must be at least one case.")
    return measure_answers(_decided(given), metrics, positive, confidence, proportions)


def _decided(answers: Answers) -> Answers:
    """Answers with labels: where none were given, the class answered most strongly."""
    if answers.predicted is not None:
        return answers
    return replace(answers, predicted=answers.strength.argmax(axis=1))


def measure_answers(
    answers: Answers,
    metrics: Iterable[str | Metric] | str | Metric | None = None,
    positive: object = None,
    confidence: float = 0.95,
    proportions: str = "exact",
) -> Measured:
    """``measure`` for answers that are coded already."""
    chosen = _defaults(answers) if metrics is None else check_metrics(metrics, "measure")
    if positive is not None:
        chosen = tuple(_of_class(each, positive) for each in chosen)
    elif answers.positive is not None:
        positive = answers.classes.tolist()[answers.positive]
        chosen = tuple(each.bound_by(answers) for each in chosen)
    usable, cautions = usable_metrics(chosen, answers, "measure")
    cautions = [] if metrics is None else [text.replace(": measure gives", ": it was given") for text in cautions]
    draws = Draws(answers)
    scores = {
        each.name: score_cases(each, answers, confidence, proportions=proportions, draws=draws) for each in usable
    }
    cautions += [f"{name} is {score.how}." for name, score in scores.items() if np.isnan(score.value)]
    return Measured(scores, tuple(usable), answers, positive, confidence, tuple(cautions))


def _of_class(which: Metric, positive: object) -> Metric:
    has = "positive" in which.option_names and not {"positive", "average"} & set(dict(which.options))
    return which.with_options(positive=positive) if has else which


def _defaults(answers: Answers) -> tuple[Metric, ...]:
    """All metrics, those aside that could say nothing new here."""
    left_out: set[str] = set()
    if not answers.counts[:, -1].any():
        left_out.update(_OF_ABSTENTIONS)
    if len(answers.classes) <= 2:
        left_out.update(_OF_MANY_CLASSES)
    return tuple(metric(name) for name in METRICS if name not in left_out)
