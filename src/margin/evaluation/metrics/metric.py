"""What a metric is: a value on some answers, its values on resampled cases, and what each case adds to it.

There are three kinds, by what the value is made of. A ``CountMetric`` is a function of the confusion table, a
``CaseMetric`` the mean of one number per case, a ``StatisticMetric`` a function of all answers together, such as the
area under a curve. All of them are functions of the weights of the cases, which is all that intervals need.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, Self

import numpy as np

from margin.data.labels import position_of
from margin.errors import InputError, UndefinedMetricWarning, warn
from margin.evaluation.intervals.interval import Interval, Score
from margin.evaluation.intervals.resamples import CHUNK, Draws
from margin.evaluation.metrics.cost_matrix import as_option, as_written, cost_table
from margin.evaluation.metrics.options import check_options, option_rules
from margin.evaluation.predictions.answers import Answers
from margin.evaluation.predictions.confusion import ratio
from margin.evaluation.predictions.from_arrays import answers_of
from margin.evaluation.predictions.positive_class import positive_code
from margin.typing import LabelsLike, WeightsLike

__all__ = [
    "CaseMetric",
    "CountMetric",
    "Metric",
    "Statistic",
    "StatisticMetric",
    "on_answers",
    "on_cases",
    "on_labels",
]

Needs = Literal["labels", "probabilities", "scores"]

#: Beyond so many numbers, leaving out one case of each cell of a table in turn is not worth its time.
_MOST_CELLS = 20_000_000


@dataclass(frozen=True)
class Metric(ABC):
    """One metric: what it is called, what it needs, which way is better, and how it is computed.

    Call it on labels (or probabilities, or scores) for a number, ``score`` it for a number with its interval.
    ``proportion`` marks a share of the cases, which has an exact interval. ``bounds`` are the least and greatest value
    it can have. ``needs`` says what it is computed from: ``"scores"`` are probabilities or decision values. ``biased``
    marks one that chance alone makes larger on few cases, and so on resamples larger still. ``of_positive`` marks one
    that is about one class where there are two: the one named by ``positive``, or the positive class (``bound`` says
    which; it is then ``implied``). ``heading`` is what stands above a column of it, where its name will not do;
    ``unit`` is ``"%"`` for what reads as a percentage, and empty for other numbers: what lies between 0 and 1 is a
    share unless it says otherwise.

    >>> from margin.evaluation.metrics.definitions import accuracy, f1
    >>> accuracy(["a", "b", "b"], ["a", "b", "a"])
    0.6666666666666666
    >>> f1(["a", "b", "b"], ["a", "b", "a"], positive="b")
    0.6666666666666666
    >>> print(accuracy.score(["a", "b", "b"], ["a", "b", "a"]))
    0.667 [0.094, 0.992]
    """

    base: str
    kernel: Callable[..., Any]
    greater_is_better: bool = True
    proportion: bool = False
    bounds: tuple[float, float] = (0.0, 1.0)
    options: tuple[tuple[str, Any], ...] = ()
    needs: Needs = "labels"
    biased: bool = False
    of_positive: bool = False
    heading: str = ""
    unit: str | None = None
    #: The class it is about where none was named, in a tuple; no part of what it is, so that names stay as asked for.
    implied: tuple[Any, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if self.unit is None:
            object.__setattr__(self, "unit", "%" if self.bounds == (0.0, 1.0) else "")

    @property
    def title(self) -> str:
        """What stands in a heading, with the class that it is about."""
        plain = self.name.replace("_", " ")
        about = f", {self.about}" if self.about else ""
        return (self.heading if self.heading and not self.options else plain[:1].upper() + plain[1:]) + about

    @property
    def about(self) -> str:
        """Which class it is about, where that is not part of its name."""
        return f"of class {self.implied[0]!r}" if self.implied else ""

    def bound(self, classes: np.ndarray, code: int | None) -> Self:
        """The same metric about one class, by its place among two, where neither a class nor an average was named.

        >>> from margin.evaluation.metrics.definitions import f1
        >>> f1.bound(np.array(["bad", "good"]), 0).about
        "of class 'bad'"
        """
        named = {"positive", "average"} & set(dict(self.options))
        if code is None or not self.of_positive or self.implied or named:
            return self
        return replace(self, implied=(classes.tolist()[code],))

    def bound_by(self, answers: Answers) -> Self:
        """``bound`` to the positive class of some answers."""
        return self.bound(answers.classes, answers.positive) if self.of_positive and not self.implied else self

    @property
    def name(self) -> str:
        """The name with its options: ``f1``, ``f1(positive='bad')``."""
        shown = ", ".join(f"{option}={as_written(value)!r}" for option, value in self.options)
        return f"{self.base}({shown})" if shown else self.base

    @property
    def meaning(self) -> str:
        """One sentence that says what it measures."""
        return (self.kernel.__doc__ or "").strip().split("\n")[0]

    @property
    def option_names(self) -> tuple[str, ...]:
        """What can be set with ``with_options``."""
        return tuple(option_rules(self.kernel))

    def __call__(
        self,
        y_true: LabelsLike,
        answers: Any,
        *,
        classes: Any = None,
        sample_weight: WeightsLike | None = None,
        **options: Any,
    ) -> float:
        """The value, NaN with a warning where it is undefined. ``answers`` are what the metric needs."""
        chosen = self.with_options(**options)
        value = chosen.value(chosen._read(y_true, answers, classes, sample_weight))
        if np.isnan(value):
            warn(f"{chosen.name}: undefined on these cases ({chosen.undefined}).", UndefinedMetricWarning)
        return value

    def score(
        self,
        y_true: LabelsLike,
        answers: Any,
        *,
        classes: Any = None,
        sample_weight: WeightsLike | None = None,
        confidence: float = 0.95,
        **options: Any,
    ) -> Score:
        """The value with its interval: a ``Score``."""
        from margin.evaluation.scoring.of_cases import score_cases  # scoring stands on this file

        chosen = self.with_options(**options)
        return score_cases(chosen, chosen._read(y_true, answers, classes, sample_weight), confidence)

    def _read(self, y_true: LabelsLike, given: Any, classes: Any, sample_weight: WeightsLike | None) -> Answers:
        kind = {"labels": "y_pred"}.get(self.needs, self.needs)
        positive = dict(self.options).get("positive")
        return answers_of(
            y_true, classes=classes, sample_weight=sample_weight, positive=positive, who=self.name, **{kind: given}
        )

    @property
    def undefined(self) -> str:
        """Why the value may be undefined."""
        return "there are no cases"

    @abstractmethod
    def value(self, answers: Answers) -> float:
        """The metric on some answers; NaN where it is undefined."""

    @abstractmethod
    def of_weights(self, answers: Answers, weights: np.ndarray) -> np.ndarray:
        """The metric for many weightings of the cases at once, one in each row; their own weights are not looked at."""

    def resampled(self, answers: Answers, random: np.random.Generator, times: int) -> np.ndarray:
        """The metric on ``times`` samples of the cases, each as large and drawn with replacement."""
        return self.of_draws(Draws(answers, random), times)

    def of_draws(self, draws: Draws, times: int) -> np.ndarray:
        """The metric on resamples that are drawn once for several metrics."""
        return np.concatenate([self.of_weights(draws.answers, drawn) for drawn in draws.weights(times)])

    @abstractmethod
    def influence(self, answers: Answers) -> tuple[np.ndarray, np.ndarray | None]:
        """What each case adds to the value, to first order, and how many cases add as much (one each for ``None``).

        The sum of their squares estimates the variance of the value, their skewness its acceleration (Efron 1987).
        """

    def work(self, answers: Answers) -> int:
        """Numbers that one resample costs."""
        return len(answers)

    def better(self, first: float, second: float) -> bool:
        """Whether the first value is the better one."""
        return first > second if self.greater_is_better else first < second

    def with_options(self, **options: Any) -> Metric:
        """The same metric with options set: ``f1.with_options(positive="bad")``."""
        if not options:
            return self
        check_options(self.kernel, self.base, options)
        given = {option: as_option(value, self.base) for option, value in options.items() if value is not None}
        return replace(self, options=tuple({**dict(self.options), **given}.items()))

    def _settings(self, classes: np.ndarray) -> dict[str, Any]:
        """The options as the kernel wants them: labels as codes, costs as a table."""
        settings = dict(self.options)
        if implied := self.bound(classes, positive_code(classes)).implied:
            settings["positive"] = implied[0]
        if "positive" in settings:
            settings["positive"] = position_of(settings["positive"], classes, self.name)
        if "costs" in settings:
            settings["costs"] = cost_table(settings["costs"], classes, self.base)
        return settings

    def __reduce__(self) -> tuple[Any, ...]:
        # By name: the kernel itself cannot be found by pickle, since the metric stands in its place.
        return _named, (self.base, dict(self.options), self.implied)

    def __repr__(self) -> str:
        return f"<metric {self.name}: {self.meaning}>"


def _named(name: str, options: dict[str, Any], implied: tuple[Any, ...] = ()) -> Metric:
    from margin.evaluation.metrics.definitions import metric

    return replace(metric(name, **options), implied=implied)


def _weights(answers: Answers) -> np.ndarray:
    return np.ones(len(answers)) if answers.weight is None else answers.weight


@dataclass(frozen=True, repr=False)
class CountMetric(Metric):
    """A metric that is a function of the confusion table alone.

    ``parts`` gives, for a metric that is a plain ratio of counts, what is counted and out of how many: by class, or
    for all together.
    """

    parts: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]] | None = None

    def value(self, answers: Answers) -> float:
        return float(self.bound_by(answers).of_tables(answers.counts, answers.classes))

    def of_tables(self, tables: np.ndarray, classes: np.ndarray) -> np.ndarray:
        """The metric of each of many confusion tables at once (leading axes)."""
        # As floats: products of four counts leave the range of whole numbers.
        return self.kernel(tables.astype(np.float64), **self._settings(classes))

    def counted(self, answers: Answers) -> tuple[float, float] | None:
        """So many of so many, where the metric is such a share and cases have no weights."""
        if self.parts is None or answers.weight is not None:
            return None
        part, whole = self.parts(answers.counts.astype(np.float64))
        settings = self.bound_by(answers)._settings(answers.classes)
        if np.ndim(part):
            if "positive" in settings:
                part, whole = part[settings["positive"]], whole[settings["positive"]]
            elif settings.get("average") == "micro":
                part, whole = part.sum(), whole.sum()
            else:
                return None
        return float(part), float(whole)

    def of_weights(self, answers: Answers, weights: np.ndarray) -> np.ndarray:
        tables = np.stack([answers.table(answers.cells, row) for row in weights])
        return np.asarray(self.bound_by(answers).of_tables(tables, answers.classes))

    def of_draws(self, draws: Draws, times: int) -> np.ndarray:
        which = self.bound_by(draws.answers)
        return np.concatenate([which.of_tables(tables, draws.answers.classes) for tables in draws.tables(times)])

    def influence(self, answers: Answers) -> tuple[np.ndarray, np.ndarray | None]:
        """The jackknife over the cells of the table: cases of one cell add the same.

        Nothing where a table has so many cells that it would take too long; the bootstrap then goes without.
        """
        counts = answers.counts.astype(np.float64)
        filled = np.flatnonzero(counts)
        if len(filled) * counts.size > _MOST_CELLS:
            return np.zeros(1), np.ones(1)
        step = np.minimum(1.0 if answers.weight is None else answers.weight.mean(), counts.ravel()[filled])
        which = self.bound_by(answers)
        value, slopes = which.of_tables(counts, answers.classes), np.empty(len(filled))
        each = max(1, CHUNK // counts.size)
        for start in range(0, len(filled), each):
            cells = filled[start : start + each]
            tables = np.tile(counts.ravel(), (len(cells), 1))
            tables[np.arange(len(cells)), cells] -= step[start : start + each]
            without = which.of_tables(tables.reshape(-1, *counts.shape), answers.classes)
            slopes[start : start + each] = (value - without) / step[start : start + each]
        slopes -= slopes @ counts.ravel()[filled] / counts.sum()
        if answers.weight is None:
            return slopes, counts.ravel()[filled]
        by_cell = np.zeros(counts.size)
        by_cell[filled] = slopes
        return by_cell[answers.cells] * answers.weight, None

    def work(self, answers: Answers) -> int:
        return answers.counts.size if answers.weight is None else answers.counts.size + len(answers)


@dataclass(frozen=True, repr=False)
class CaseMetric(Metric):
    """A metric that is the mean of one number per case, read off the case's probabilities or scores."""

    needs: Needs = "probabilities"

    def by_case(self, answers: Answers) -> np.ndarray:
        """The number of each case."""
        given = answers.shares if self.needs == "probabilities" else answers.strength
        if given is None:
            raise InputError(f"{self.name}: probabilities are needed, but only labels were given.")
        return self.kernel(answers.truth, given, **self._settings(answers.classes))

    def value(self, answers: Answers) -> float:
        return float(np.average(self.by_case(answers), weights=answers.weight)) if len(answers) else float("nan")

    def of_weights(self, answers: Answers, weights: np.ndarray) -> np.ndarray:
        return ratio(weights @ self.by_case(answers), weights.sum(axis=1))

    def influence(self, answers: Answers) -> tuple[np.ndarray, np.ndarray | None]:
        losses, weight = self.by_case(answers), _weights(answers)
        return weight * (losses - np.average(losses, weights=weight)) / weight.sum(), None


class Statistic(Protocol):
    """What the function of a ``StatisticMetric`` gives for some answers."""

    @property
    def value(self) -> float: ...
    @property
    def influence(self) -> tuple[np.ndarray, np.ndarray | None]: ...
    def of_weights(self, weights: np.ndarray) -> np.ndarray: ...
    def interval(self, confidence: float) -> Interval | None: ...


@dataclass(frozen=True, repr=False)
class StatisticMetric(Metric):
    """A metric of all answers together that is neither a mean nor read off the table: of ranks, or of bins."""

    def statistic(self, answers: Answers) -> Statistic:
        """The metric on some answers, with all that its interval needs."""
        if self.needs == "probabilities" and answers.probabilities is None:
            raise InputError(f"{self.name}: probabilities are needed, but only labels were given.")
        return self.kernel(answers, **self.bound_by(answers)._settings(answers.classes))

    @property
    def undefined(self) -> str:
        return "it needs cases of a class, and cases of another"

    def value(self, answers: Answers) -> float:
        return float(self.statistic(answers).value)

    def of_weights(self, answers: Answers, weights: np.ndarray) -> np.ndarray:
        return self.statistic(answers).of_weights(weights)

    def of_draws(self, draws: Draws, times: int) -> np.ndarray:
        statistic = self.statistic(draws.answers)
        return np.concatenate([statistic.of_weights(weights) for weights in draws.weights(times)])

    def influence(self, answers: Answers) -> tuple[np.ndarray, np.ndarray | None]:
        return self.statistic(answers).influence

    def work(self, answers: Answers) -> int:
        return len(answers) * len(answers.classes)


def on_labels(**traits: Any) -> Callable[[Callable[..., Any]], CountMetric]:
    """Make a metric of a function of confusion tables; its name and first sentence become the metric's.

    ``parts`` says of a plain ratio what is counted out of what, by class or for all, so that it gets an exact interval.
    """
    return lambda kernel: CountMetric(kernel.__name__, kernel, **traits)


def on_cases(**traits: Any) -> Callable[[Callable[..., Any]], CaseMetric]:
    """Make a metric of a function that gives a number for each case from true codes and probabilities (or scores).

    Of two classes probabilities may be one column, for the second.
    """
    return lambda kernel: CaseMetric(kernel.__name__, kernel, **traits)


def on_answers(**traits: Any) -> Callable[[Callable[..., Any]], StatisticMetric]:
    """Make a metric of a function that gives a ``Statistic`` of all answers together."""
    return lambda kernel: StatisticMetric(kernel.__name__, kernel, **traits)
