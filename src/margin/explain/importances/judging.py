"""How answers are judged: one number of all, and where it is a mean, what each case adds to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from margin.data.labels import codes_of
from margin.errors import InputError, ParameterError, closest, listing
from margin.evaluation.metrics.definitions import METRICS, metric
from margin.evaluation.metrics.metric import CaseMetric, Metric
from margin.evaluation.predictions.answers import Answers

__all__ = ["REGRESSION_METRICS", "Judge", "judge_for"]

#: Rows are parted into so many groups that are left out in turn, where a metric is no mean over cases.
GROUPS = 20

Loss = Callable[[np.ndarray, np.ndarray], np.ndarray]

#: What each case adds, given truth and answers; all are means.
REGRESSION_METRICS: dict[str, tuple[Loss, bool]] = {
    "r2": (lambda y, said: 1.0 - (y - said) ** 2 / max(float(np.var(y)), 1e-300), True),
    "mean_squared_error": (lambda y, said: (y - said) ** 2, False),
    "mean_absolute_error": (lambda y, said: np.abs(y - said), False),
}


@dataclass(frozen=True)
class Judge:
    """Judges answers to the same rows again and again.

    ``needs`` are what it is given of a model: labels as codes, probabilities, scores, or values.
    """

    name: str
    needs: Literal["labels", "probabilities", "scores", "values"]
    sign: float
    n: int
    by_case: Callable[[np.ndarray], np.ndarray] | None
    by_group: Callable[[np.ndarray], np.ndarray]

    def readings(self, said: np.ndarray) -> np.ndarray:
        """Numbers whose mean is the metric: one for each case; or else of all rows without one group after another."""
        return self.by_case(said) if self.by_case is not None else self.by_group(said)

    def value(self, readings: np.ndarray) -> float:
        """The metric itself."""
        return float(readings.mean()) if self.by_case is not None else float(readings[0])

    def spread(self, readings: np.ndarray) -> tuple[float, int]:
        """The standard error of differences of readings over the rows, and its degrees of freedom."""
        if self.by_case is not None:
            n = len(readings)
            return (float(readings.std(ddof=1) / np.sqrt(n)) if n > 1 else np.nan), n - 1
        parts = readings[1:]
        g = len(parts)
        return (float(np.sqrt((g - 1) / g * ((parts - parts.mean()) ** 2).sum())) if g > 1 else np.nan), g - 1


def judge_for(model: Any, y: Any, asked: str | None, who: str) -> Judge:
    """The judge for a model and the truth of the rows."""
    if not hasattr(model, "classes_"):
        return _of_values(y, asked, who)
    if isinstance(model.classes_, list):
        raise InputError(f"{who}({type(model).__name__}): the model answers several targets; fit one model per target.")
    classes = np.asarray(model.classes_)
    which = _named(asked or "accuracy", who)
    truth = np.asarray(y)
    known = np.isin(truth, classes)
    if not known.all():
        raise InputError(
            f"{who}(y): {listing(sorted({str(each) for each in truth[~known].tolist()}))} is no class of the model, "
            f"{listing(classes.tolist())}."
        )
    codes = codes_of(truth, classes).astype(np.int64)
    sign = 1.0 if which.greater_is_better else -1.0
    if which.base in ("accuracy", "error") and not which.options:
        right = which.base == "accuracy"
        by_case: Any = lambda said: ((said == codes) == right).astype(np.float64)  # noqa: E731
        return Judge(which.name, "labels", sign, len(codes), by_case, by_case)

    def answers(said: np.ndarray) -> Answers:
        if which.needs == "labels":
            return Answers(classes, codes, said)
        places = said.argmax(axis=1)
        if which.needs == "probabilities":
            return Answers(classes, codes, places, said)
        return Answers(classes, codes, places, None, None, said)

    bound = which.bound_by(answers(np.eye(len(classes))[codes] if which.needs != "labels" else codes))
    needs: Any = {"labels": "labels", "probabilities": "probabilities"}.get(which.needs, "scores")
    cases = (lambda said: bound.by_case(answers(said))) if isinstance(bound, CaseMetric) else None
    return Judge(which.name, needs, sign, len(codes), cases, lambda said: _by_group(bound, answers(said)))


def _named(name: str, who: str) -> Metric:
    if name not in METRICS:
        raise ParameterError(f"{who}(metric={name!r}): metric must be one of {listing(sorted(METRICS))}"
                             f"{closest(name, METRICS)}.")  # fmt: skip
    return metric(name)


def _of_values(y: Any, asked: str | None, who: str) -> Judge:
    name = asked or "r2"
    if name not in REGRESSION_METRICS:
        known = sorted(REGRESSION_METRICS)
        raise ParameterError(
            f"{who}(metric={name!r}): metric of a regression must be one of {listing(known)}{closest(name, known)}."
        )
    loss, greater = REGRESSION_METRICS[name]
    truth = np.asarray(y, dtype=np.float64)
    if truth.ndim != 1:
        raise InputError(f"{who}(y): there must be one target.")
    of_cases: Any = lambda said: loss(truth, said)  # noqa: E731
    return Judge(name, "values", 1.0 if greater else -1.0, len(truth), of_cases, of_cases)


def _by_group(which: Metric, answers: Answers) -> np.ndarray:
    """The metric on all rows, and on all but one group after another."""
    n = len(answers)
    group = np.arange(n) % min(GROUPS, n)
    weights = np.ones((min(GROUPS, n) + 1, n))
    weights[1:][group == np.arange(min(GROUPS, n))[:, None]] = 0.0
    return np.asarray(which.of_weights(answers, weights), dtype=np.float64)
