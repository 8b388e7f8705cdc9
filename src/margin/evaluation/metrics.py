"""How good answers are, in one number: the family of metrics.

A metric on labels is a function of the confusion table (with abstentions as its last column), a metric on probabilities
the mean of a loss over the cases. Both take many tables or cases at once, which makes the bootstrap cheap. To add one,
write a small function under ``on_labels`` or ``on_probabilities`` and put its name into the list at the end.

One rule for all: a ratio of nothing is 0 (the precision of a class that was never answered), an abstention is not a
right answer, and a class that occurs neither in the truth nor among the answers takes no part in an average over
classes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from margin.data.labels import position_of
from margin.errors import InputError, ParameterError, closest
from margin.evaluation.answers import Answers
from margin.evaluation.confusion import (
    answered,
    f1_by_class,
    precision_by_class,
    ratio,
    recall_by_class,
    right,
    support,
)

__all__ = [
    "METRICS",
    "CaseMetric",
    "CountMetric",
    "Metric",
    "accuracy",
    "balanced_accuracy",
    "brier",
    "coverage",
    "error",
    "f1",
    "kappa",
    "log_loss",
    "matthews",
    "metric",
    "precision",
    "recall",
    "reject_cost",
    "selective_error",
]

Average = Literal["macro", "weighted", "micro"]
AVERAGES = ("macro", "weighted", "micro")

#: Probabilities are kept this far from 0 and 1 before a logarithm is taken: the spacing of float64 at 1, as in
#: scikit-learn. The worst loss of a case is therefore 36.04.
SMALLEST_PROBABILITY = float(np.finfo(np.float64).eps)

#: Numbers drawn at once by a bootstrap, so that its memory stays small.
_CHUNK = 2_000_000


@dataclass(frozen=True)
class Metric:
    """One metric: what it is called, what it needs, which way is better, and how it is computed.

    Call it on labels (or probabilities) for a number. ``proportion`` marks a share of the cases, which has an exact
    interval. ``bounds`` are the least and greatest value it can have.

    >>> accuracy(["a", "b", "b"], ["a", "b", "a"])
    0.6666666666666666
    >>> f1(["a", "b", "b"], ["a", "b", "a"], positive="b")
    0.6666666666666666
    """

    base: str
    kernel: Callable[..., Any]
    greater_is_better: bool = True
    proportion: bool = False
    bounds: tuple[float, float] = (0.0, 1.0)
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def needs(self) -> Literal["labels", "probabilities"]:
        raise NotImplementedError

    @property
    def name(self) -> str:
        """The name with its options: ``f1``, ``f1(positive='bad')``."""
        shown = ", ".join(f"{option}={value!r}" for option, value in self.options)
        return f"{self.base}({shown})" if shown else self.base

    @property
    def meaning(self) -> str:
        """One sentence that says what it measures."""
        return (self.kernel.__doc__ or "").strip().split("\n")[0]

    def value(self, answers: Answers) -> float:
        """The metric on some answers."""
        raise NotImplementedError

    def resampled(self, answers: Answers, random: np.random.Generator, times: int) -> np.ndarray:
        """The metric on ``times`` samples of the cases, each as large and drawn with replacement."""
        n = len(answers)
        return np.array([self.value(answers.take(random.integers(n, size=n))) for _ in range(times)])

    def better(self, first: float, second: float) -> bool:
        """Whether the first value is the better one."""
        return first > second if self.greater_is_better else first < second

    def with_options(self, **options: Any) -> Metric:
        """The same metric with options set: ``f1.with_options(positive="bad")``."""
        known = list(inspect.signature(self.kernel).parameters.values())
        names = [parameter.name for parameter in known if parameter.kind is inspect.Parameter.KEYWORD_ONLY]
        for option, value in options.items():
            if option not in names:
                have = ", ".join(map(repr, names)) or "none"
                raise ParameterError(
                    f"{self.base}({option}={value!r}): no such option; there are: {have}{closest(option, names)}."
                )
        if options.get("average", "macro") not in AVERAGES:
            raise ParameterError(
                f"{self.base}(average={options['average']!r}): average must be one of "
                f"{', '.join(map(repr, AVERAGES))}{closest(options['average'], AVERAGES)}."
            )
        cost = options.get("cost")
        if cost is not None and not (isinstance(cost, (int, float, np.number)) and 0 <= cost < np.inf):
            raise ParameterError(f"{self.base}(cost={cost!r}): cost must be a number of at least 0.")
        merged = {**dict(self.options), **{option: value for option, value in options.items() if value is not None}}
        return replace(self, options=tuple(merged.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        # By name: the kernel itself cannot be found by pickle, since the metric stands in its place.
        return _named, (self.base, dict(self.options))

    def __repr__(self) -> str:
        return f"<metric {self.name}: {self.meaning}>"


@dataclass(frozen=True, repr=False)
class CountMetric(Metric):
    """A metric that is a function of the confusion table alone."""

    @property
    def needs(self) -> Literal["labels", "probabilities"]:
        return "labels"

    def __call__(self, y_true: Any, y_pred: Any, *, sample_weight: Any = None, **options: Any) -> float:
        chosen = self.with_options(**options)
        return chosen.value(Answers.of(y_true, y_pred, sample_weight=sample_weight, who=chosen.name))

    def value(self, answers: Answers) -> float:
        return float(self.of_tables(answers.counts, answers.classes))

    def of_tables(self, tables: np.ndarray, classes: np.ndarray) -> np.ndarray:
        """The metric of each of many confusion tables at once (leading axes)."""
        options = dict(self.options)
        if "positive" in options:
            options["positive"] = position_of(options["positive"], classes, self.name)
        # As floats: products of four counts leave the range of whole numbers.
        return self.kernel(tables.astype(np.float64), **options)

    def resampled(self, answers: Answers, random: np.random.Generator, times: int) -> np.ndarray:
        draw = _weighted_tables if answers.weight is not None else _drawn_tables
        each = max(1, _CHUNK // max(answers.counts.size, 1))
        sizes = [min(each, times - start) for start in range(0, times, each)]
        return np.concatenate([self.of_tables(draw(answers, random, size), answers.classes) for size in sizes])


def _drawn_tables(answers: Answers, random: np.random.Generator, times: int) -> np.ndarray:
    """Confusion tables of resampled cases. Drawing n cases with replacement draws a multinomial over the cells."""
    counts = answers.counts.ravel()
    filled = np.flatnonzero(counts)
    tables = np.zeros((times, counts.size))
    tables[:, filled] = random.multinomial(len(answers), counts[filled] / len(answers), size=times)
    return tables.reshape(times, *answers.counts.shape)


def _weighted_tables(answers: Answers, random: np.random.Generator, times: int) -> np.ndarray:
    assert answers.weight is not None
    tables = np.empty((times, *answers.counts.shape))
    for table in tables:
        rows = random.integers(len(answers), size=len(answers))
        table[:] = answers.table(answers.cells[rows], answers.weight[rows])
    return tables


@dataclass(frozen=True, repr=False)
class CaseMetric(Metric):
    """A metric that is the mean of one number per case, read off the case's probabilities."""

    @property
    def needs(self) -> Literal["labels", "probabilities"]:
        return "probabilities"

    def __call__(
        self, y_true: Any, probabilities: Any, *, classes: Any = None, sample_weight: Any = None, **options: Any
    ) -> float:
        chosen = self.with_options(**options)
        answers = Answers.of(
            y_true, probabilities=probabilities, classes=classes, sample_weight=sample_weight, who=chosen.name
        )
        return chosen.value(answers)

    def by_case(self, answers: Answers) -> np.ndarray:
        """The loss of each case."""
        if answers.probabilities is None:
            raise InputError(f"{self.name}: probabilities are needed, but only labels were given.")
        return self.kernel(answers.truth, answers.probabilities, **dict(self.options))

    def value(self, answers: Answers) -> float:
        return float(np.average(self.by_case(answers), weights=answers.weight)) if len(answers) else 0.0

    def resampled(self, answers: Answers, random: np.random.Generator, times: int) -> np.ndarray:
        losses, n = self.by_case(answers), len(answers)
        weight = np.ones(n) if answers.weight is None else answers.weight
        means = np.empty(times)
        each = max(1, _CHUNK // n)
        for start in range(0, times, each):
            rows = random.integers(n, size=(min(each, times - start), n))
            means[start : start + each] = ratio((weight * losses)[rows].sum(axis=1), weight[rows].sum(axis=1))
        return means


def on_labels(**traits: Any) -> Callable[[Callable[..., Any]], CountMetric]:
    """Make a metric of a function of confusion tables; its name and first sentence become the metric's."""
    return lambda kernel: CountMetric(kernel.__name__, kernel, **traits)


def on_probabilities(**traits: Any) -> Callable[[Callable[..., Any]], CaseMetric]:
    """Make a metric of a function that gives the loss of each case from true codes and probabilities."""
    return lambda kernel: CaseMetric(kernel.__name__, kernel, greater_is_better=False, **traits)


# ---- The metrics.


@on_labels(proportion=True)
def accuracy(table: np.ndarray) -> np.ndarray:
    """Share of the cases answered rightly."""
    return ratio(right(table).sum(axis=-1), table.sum(axis=(-2, -1)))


@on_labels(proportion=True, greater_is_better=False)
def error(table: np.ndarray) -> np.ndarray:
    """Share of the cases answered wrongly or not at all."""
    total = table.sum(axis=(-2, -1))
    return ratio(total - right(table).sum(axis=-1), total)


@on_labels()
def balanced_accuracy(table: np.ndarray) -> np.ndarray:
    """Mean recall of the classes that occur, so that rare classes count as much as frequent ones."""
    return ratio(recall_by_class(table).sum(axis=-1), (support(table) > 0).sum(axis=-1))


@on_labels()
def precision(table: np.ndarray, *, positive: int | None = None, average: Average = "macro") -> np.ndarray:
    """Of the cases answered as a class, the share that are of it: for one positive class, or averaged over classes."""
    if positive is None and average == "micro":
        return ratio(right(table).sum(axis=-1), answered(table).sum(axis=-1))
    return _over_classes(precision_by_class(table), table, positive, average)


@on_labels()
def recall(table: np.ndarray, *, positive: int | None = None, average: Average = "macro") -> np.ndarray:
    """Of the cases of a class, the share answered so: for one positive class, or averaged over classes."""
    if positive is None and average == "micro":
        return ratio(right(table).sum(axis=-1), support(table).sum(axis=-1))
    return _over_classes(recall_by_class(table), table, positive, average)


@on_labels()
def f1(table: np.ndarray, *, positive: int | None = None, average: Average = "macro") -> np.ndarray:
    """Harmonic mean of precision and recall: for one positive class, or averaged over classes."""
    if positive is None and average == "micro":
        return ratio(2 * right(table).sum(axis=-1), support(table).sum(axis=-1) + answered(table).sum(axis=-1))
    return _over_classes(f1_by_class(table), table, positive, average)


def _over_classes(by_class: np.ndarray, table: np.ndarray, positive: int | None, average: Average) -> np.ndarray:
    if positive is not None:
        return by_class[..., positive]
    cases = support(table)
    share = cases if average == "weighted" else (cases + answered(table) > 0).astype(np.float64)
    return ratio((by_class * share).sum(axis=-1), share.sum(axis=-1))


@on_labels(bounds=(-1.0, 1.0))
def matthews(table: np.ndarray) -> np.ndarray:
    """Correlation between truth and answers: 1 for all right, about 0 for guessing (Matthews 1975; Gorodkin 2004)."""
    truth, answers = support(table), table.sum(axis=-2)
    total = table.sum(axis=(-2, -1))
    together = right(table).sum(axis=-1) * total - (truth * answered(table)).sum(axis=-1)
    spread = (total**2 - (truth**2).sum(axis=-1)) * (total**2 - (answers**2).sum(axis=-1))
    return ratio(together, np.sqrt(np.maximum(spread, 0.0)))


@on_labels(bounds=(-1.0, 1.0))
def kappa(table: np.ndarray) -> np.ndarray:
    """Agreement beyond what the class frequencies alone would give (Cohen 1960)."""
    total = table.sum(axis=(-2, -1))
    by_chance = (support(table) * answered(table)).sum(axis=-1)
    return ratio(right(table).sum(axis=-1) * total - by_chance, total**2 - by_chance)


@on_labels(proportion=True)
def coverage(table: np.ndarray) -> np.ndarray:
    """Share of the cases that got an answer."""
    return ratio(answered(table).sum(axis=-1), table.sum(axis=(-2, -1)))


@on_labels(greater_is_better=False)
def selective_error(table: np.ndarray) -> np.ndarray:
    """Share of the answered cases that were answered wrongly; abstentions do not count."""
    given = answered(table).sum(axis=-1)
    return ratio(given - right(table).sum(axis=-1), given)


@on_labels(greater_is_better=False, bounds=(0.0, np.inf))
def reject_cost(table: np.ndarray, *, cost: float = 0.5) -> np.ndarray:
    """Mean cost of a case, where a wrong answer costs 1, a right one nothing and an abstention ``cost``."""
    total, given = table.sum(axis=(-2, -1)), answered(table).sum(axis=-1)
    return ratio(given - right(table).sum(axis=-1) + cost * (total - given), total)


@on_probabilities(bounds=(0.0, np.inf))
def log_loss(truth: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Mean of -ln of the probability given to the true class, which is kept within 2.2e-16 of 0 and 1."""
    given = probabilities[np.arange(len(truth)), truth]
    return -np.log(np.clip(given, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY))


@on_probabilities(bounds=(0.0, 2.0))
def brier(truth: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Mean squared distance of the probabilities from the truth; halved for two classes, where it is (p - y)²."""
    given = probabilities[np.arange(len(truth)), truth]
    squared = (probabilities**2).sum(axis=1) - given**2 + (1 - given) ** 2
    return squared / 2 if probabilities.shape[1] <= 2 else squared


#: The metrics, by name. Validation, command line and documentation read this list.
METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        each.name: each
        for each in (
            accuracy,
            error,
            balanced_accuracy,
            precision,
            recall,
            f1,
            matthews,
            kappa,
            coverage,
            selective_error,
            reject_cost,
            log_loss,
            brier,
        )
    }
)


def metric(name: str | Metric, **options: Any) -> Metric:
    """A metric by name, with options.

    >>> metric("f1", positive="bad").name
    "f1(positive='bad')"
    >>> metric("acuracy")
    Traceback (most recent call last):
    margin.errors.ParameterError: metric('acuracy'): metric must be one of 'accuracy', 'error', 'balanced_accuracy', \
'precision', 'recall', 'f1', 'matthews', 'kappa', 'coverage', 'selective_error', \
'reject_cost', 'log_loss', 'brier' (did you mean 'accuracy'?).
    """
    if isinstance(name, Metric):
        return name.with_options(**options)
    if name not in METRICS:
        known = ", ".join(map(repr, METRICS))
        raise ParameterError(f"metric({name!r}): metric must be one of {known}{closest(name, METRICS)}.")
    return METRICS[name].with_options(**options)


def _named(name: str, options: dict[str, Any]) -> Metric:
    return metric(name, **options)
