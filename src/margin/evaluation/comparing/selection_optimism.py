"""How much a score is flattered by choosing the model that has the best one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from margin.errors import InputError, ParameterError
from margin.evaluation.comparing.pairing import held_metric, same_splits
from margin.evaluation.cross_validation.result import Evaluation
from margin.evaluation.intervals.interval import Interval, Score
from margin.evaluation.intervals.resamples import drawn_counts
from margin.evaluation.metrics.definitions import Metric
from margin.evaluation.predictions.answers import Answers
from margin.random import generator

__all__ = ["Optimism", "selection_optimism"]

#: Numbers of draws times cases held at once.
_CHUNK = 4_000_000


@dataclass(frozen=True, slots=True)
class Optimism:
    """The best of several scores, and what is left of it when chosen and judged on different cases.

    ``value`` is how much better the chosen model looks than it is: positive whichever way the metric runs.
    """

    metric: str
    models: int
    apparent: float
    corrected: Score
    value: float

    def __str__(self) -> str:
        by = f"flattered by about {self.value:.3f}" if self.value >= 0.0005 else "hardly flattered"
        chosen = f"chosen as the best of {self.models}, its {self.metric} {self.apparent:.3f} is {by}"
        return f"{chosen}; corrected {self.corrected}"


def selection_optimism(
    evaluations: Mapping[str, Evaluation],
    metric: str | Metric = "accuracy",
    *,
    times: int = 500,
    seed: int = 0,
    confidence: float = 0.95,
) -> Optimism:
    """Estimate by how much the best of several models' scores is too good, since it was chosen for being the best.

    Bootstrap bias corrected cross-validation (Tsamardinos, Greasidou, Borboudakis 2018): cases are drawn anew with
    their answers, nothing is fitted. On the drawn cases the best model is chosen, on the cases that were not drawn it
    is scored. The mean of these scores is what to expect of the chosen model.

    Parameters
    ----------
    evaluations
        Evaluations of all models that were tried, by name, on the same rows by the same protocol.
    metric
        One that all of them hold.
    times, seed
        Draws, and from where.
    confidence
        Of the interval of the corrected score.

    Examples
    --------
    >>> from margin.evaluation import evaluate
    >>> from sklearn.dummy import DummyClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, y = np.zeros((100, 1)), rng.integers(2, size=100)
    >>> guesses = {str(i): evaluate(DummyClassifier(strategy="uniform", random_state=i), X, y) for i in range(20)}
    >>> found = selection_optimism(guesses)
    >>> found.apparent > 0.55, round(found.corrected.value, 1)  # the luckiest of twenty coins
    (True, 0.5)
    """
    if not evaluations:
        raise ParameterError("selection_optimism(evaluations={}): there must be at least one evaluation.")
    if times < 1:
        raise ParameterError(f"selection_optimism(times={times!r}): there must be at least 1.")
    first = next(iter(evaluations.values()))
    for model, each in evaluations.items():
        which = held_metric("selection_optimism", each, metric, model)
        if not same_splits(first, each):
            raise ParameterError("selection_optimism: all models must be evaluated on the same rows by one protocol.")
    answers = _common(list(evaluations.values()))
    apparent = np.array([which.value(each) for each in answers])
    sign = 1.0 if which.greater_is_better else -1.0
    values = _judged_apart(which, answers, times, seed)
    mean = float(np.mean(values))
    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    corrected = Score(
        mean,
        Interval(float(low), float(high), confidence, "bootstrap"),
        "chosen on drawn cases, scored on those not drawn",
    )
    best = float(apparent[np.argmax(sign * apparent)])
    return Optimism(which.name, len(answers), best, corrected, sign * (best - mean))


def _common(evaluations: list[Evaluation]) -> list[Answers]:
    """The answers of all models on the cases that all were asked about."""
    rows = evaluations[0].rows
    for each in evaluations[1:]:
        rows = np.intersect1d(rows, each.rows, assume_unique=True)
    if len(rows) < 2:
        raise InputError("selection_optimism: the models have fewer than two cases in common.")
    return [each.answers.take(np.searchsorted(each.rows, rows)) for each in evaluations]


def _judged_apart(which: Metric, answers: list[Answers], times: int, seed: int) -> np.ndarray:
    """For each draw, the score outside of it of the model that was the best in it."""
    n, random = len(answers[0]), generator(seed, "optimism")
    sign = 1.0 if which.greater_is_better else -1.0
    found: list[np.ndarray] = []
    each = max(1, _CHUNK // n)
    for start in range(0, times, each):
        size = min(each, times - start)
        drawn = drawn_counts(random, n, size)
        inside, outside = (_scores(which, answers, counts) for counts in (drawn, (drawn == 0).astype(np.float64)))
        chosen = np.nan_to_num(sign * inside, nan=-np.inf).argmax(axis=1)
        found.append(outside[np.arange(size), chosen])
    values = np.concatenate(found)
    return values[~np.isnan(values)]


def _scores(which: Metric, answers: list[Answers], counts: np.ndarray) -> np.ndarray:
    """The metric of each model (column) where cases count as often as each row says."""
    weight = answers[0].weight
    used = counts if weight is None else counts * weight
    if which.base in ("accuracy", "error"):
        right = np.column_stack([each.truth == each.predicted for each in answers]).astype(np.float64)
        with np.errstate(invalid="ignore"):
            return used @ (right if which.base == "accuracy" else 1 - right) / used.sum(axis=1, keepdims=True)
    return np.column_stack([which.of_weights(each, used) for each in answers])
