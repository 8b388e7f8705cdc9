"""Metrics where a case may have several labels: counted by label, by case, or read off the ranking of the labels.

A metric on the tables of the labels is one of ``definitions.py`` for the class "yes", put together over labels: the
mean (``macro``), by the cases that have the label (``weighted``), or of all answers in one table (``micro``); by
``samples`` it is the mean over cases of the ratio among a case's labels. Each label counts in ``macro``, also one that
nobody has, as in scikit-learn. A label without an answer (an abstention) is not a right answer. Intervals resample
whole cases, whose labels belong together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from margin.errors import InputError
from margin.evaluation.intervals.interval import (
    Interval,
    Score,
    bca_interval,
    jackknife_interval,
    proportion_interval,
)
from margin.evaluation.intervals.resamples import CHUNK, Draws
from margin.evaluation.metrics.areas import perfect_interval, precision_influence
from margin.evaluation.metrics.definitions import METRICS
from margin.evaluation.metrics.metric import CountMetric
from margin.evaluation.predictions.confusion import ratio, support
from margin.evaluation.predictions.label_sets import LabelSets
from margin.evaluation.predictions.ranking import Ranking
from margin.typing import LabelsLike, WeightsLike

__all__ = [
    "MULTILABEL_METRICS",
    "MultilabelMetric",
    "coverage_error",
    "hamming_loss",
    "label_ranking_average_precision",
    "ranking_loss",
    "subset_accuracy",
]

_RESAMPLES = 1000
#: Numbers that resampling may cost for one metric; beyond, what each case adds tells the spread as well.
_MOST_WORK = 60_000_000

Influence = Callable[[LabelSets], np.ndarray]


@dataclass(frozen=True)
class MultilabelMetric:
    """A metric of several labels at once: its value, and what each case adds to it.

    ``of_tables`` is there for metrics of the labels' tables, ``by_case`` for means over cases; areas have neither.
    """

    name: str
    meaning: str
    value: Callable[[LabelSets], float]
    influence: Influence
    needs: str = "labels"
    greater_is_better: bool = True
    proportion: bool = False
    bounds: tuple[float, float] = (0.0, 1.0)
    of_tables: Callable[[np.ndarray], np.ndarray] | None = None
    by_case: Callable[[LabelSets], np.ndarray] | None = None

    def __call__(
        self, y_true: LabelsLike, answers: Any, *, labels: Any = None, sample_weight: WeightsLike | None = None
    ) -> float:
        """The value; ``answers`` are label sets, or scores where the metric ranks.

        >>> MULTILABEL_METRICS["hamming_loss"]([[1, 0], [1, 1]], [[1, 1], [1, 1]])
        0.25
        """
        kind = {"y_pred": answers} if self.needs == "labels" else {"scores": answers}
        return self.value(LabelSets.of(y_true, labels=labels, sample_weight=sample_weight, who=self.name, **kind))

    #: What a metric of one label a row may say, and these need not: which class it is about, why it may be undefined.
    about: ClassVar[str] = ""
    undefined: ClassVar[str] = "no label has cases with and without it"

    @property
    def title(self) -> str:
        """What stands in a heading."""
        plain = self.name.replace("_", " ")
        return plain[:1].upper() + plain[1:]

    def bound(self, classes: np.ndarray, code: int | None) -> MultilabelMetric:
        """The metric as it is: it is about all labels."""
        return self

    def bound_by(self, answers: LabelSets) -> MultilabelMetric:
        """The metric as it is: it is about all labels."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # By name: what its value is made of cannot be found by pickle.
        return _named, (self.name,)

    def better(self, first: float, second: float) -> bool:
        """Whether the first value is the better one."""
        return first > second if self.greater_is_better else first < second

    def score(self, sets: LabelSets, confidence: float = 0.95, draws: Draws | None = None) -> Score:
        """The value on some label sets, with its interval."""
        value, n = self.value(sets), len(sets)
        if np.isnan(value):
            return Score(value, None, f"undefined on these {n} cases: {self.undefined}")
        interval = self._interval(sets, value, confidence, draws or Draws(sets))
        how = f"on {n} cases; {100 * confidence:g} % interval, {interval.method}"
        return Score(value, interval.clipped(*self.bounds), how)

    def _interval(self, sets: LabelSets, value: float, confidence: float, draws: Draws) -> Interval:
        n = len(sets)
        if self.proportion and sets.weight is None:
            return proportion_interval(round(value * n), n, confidence)
        influence = self.influence(sets)
        if not influence.any() and self.bounds == (0.0, 1.0) and value in self.bounds:
            # No case differs from another: the share of cases that do may still be as large as would go unseen.
            return perfect_interval(value, n, confidence)
        width = 6 * len(sets.labels) if self.of_tables else 2
        if (self.of_tables is None and self.by_case is None) or _RESAMPLES * n * width > _MOST_WORK:
            influence = influence * np.sqrt(n / max(n - 1, 1))
            return jackknife_interval(value, influence, None, confidence, self.bounds)
        return bca_interval(self._resampled(sets, draws), value, influence, confidence=confidence)

    def _resampled(self, sets: LabelSets, draws: Draws) -> np.ndarray:
        if self.of_tables is not None:
            return np.concatenate([self.of_tables(tables) for tables in draws.tables(_RESAMPLES)])
        assert self.by_case is not None
        by_case = self.by_case(sets)
        return np.concatenate([ratio(weights @ by_case, weights.sum(axis=1)) for weights in draws.weights(_RESAMPLES)])


def _named(name: str) -> MultilabelMetric:
    return MULTILABEL_METRICS[name]


# ---- Means over cases.


def _of_cases(by_case: Callable[[LabelSets], np.ndarray], **traits: Any) -> MultilabelMetric:
    def value(sets: LabelSets) -> float:
        return float(np.average(by_case(sets), weights=sets.weight))

    def influence(sets: LabelSets) -> np.ndarray:
        return sets.weights * (by_case(sets) - value(sets)) / sets.weights.sum()

    name = traits.pop("name", None) or by_case.__name__
    meaning = traits.pop("meaning", None) or (by_case.__doc__ or "").strip().split("\n")[0]
    return MultilabelMetric(name, meaning, value, influence, by_case=by_case, **traits)


def subset_accuracy(sets: LabelSets) -> np.ndarray:
    """Share of the cases whose labels were all answered rightly."""
    return (sets.cells % 3 == sets.truth).all(axis=1).astype(np.float64)


def hamming_loss(sets: LabelSets) -> np.ndarray:
    """Share of all labels of all cases that were answered wrongly or not at all."""
    return (sets.cells % 3 != sets.truth).mean(axis=1)


def _among_the_labels_of_a_case(sets: LabelSets, which: CountMetric) -> np.ndarray:
    cells = sets.cells
    counts = [(cells == cell).sum(axis=1) for cell in range(6)]
    return which.of_tables(np.stack(counts, axis=-1).reshape(-1, 2, 3), YES_NO)


def label_ranking_average_precision(sets: LabelSets) -> np.ndarray:
    """Of the labels ranked at or above a true one, the share that are true, averaged over true labels and cases.

    A case with no label or with all of them counts 1.
    """
    return _by_ranks(sets, _precision_among_labels)


def ranking_loss(sets: LabelSets) -> np.ndarray:
    """Share of the pairs of a true and another label that are in the wrong order; ties are wrong."""
    return _by_ranks(sets, _wrong_pairs)


def coverage_error(sets: LabelSets) -> np.ndarray:
    """How far down the ranking one has to go to meet all true labels, in labels."""
    return _by_ranks(sets, _depth)


def _by_ranks(sets: LabelSets, kernel: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
    """A number for each case from which labels stand at or above which, in chunks."""
    if sets.strength is None:
        raise InputError("multilabel ranking: probabilities or scores are needed, but only labels were given.")
    each = max(1, CHUNK // max(len(sets.labels) ** 2, 1))
    values = [np.empty(0)]
    for start in range(0, len(sets), each):
        score, truth = sets.strength[start : start + each], sets.truth[start : start + each]
        values.append(kernel(score[:, None, :] >= score[:, :, None], truth))
    return np.concatenate(values)


def _precision_among_labels(above: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """``above[case, j, k]``: label k stands at or above label j."""
    share = (above & truth[:, None, :]).sum(axis=2) / above.sum(axis=2)
    trivial = truth.all(axis=1) | ~truth.any(axis=1)
    return np.where(trivial, 1.0, ratio((share * truth).sum(axis=1), truth.sum(axis=1)))


def _wrong_pairs(above: np.ndarray, truth: np.ndarray) -> np.ndarray:
    wrong = (above & truth[:, :, None] & ~truth[:, None, :]).sum(axis=(1, 2))
    return ratio(wrong, truth.sum(axis=1) * (~truth).sum(axis=1))


def _depth(above: np.ndarray, truth: np.ndarray) -> np.ndarray:
    return (above.sum(axis=2) * truth).max(axis=1, initial=0).astype(np.float64)


# ---- Functions of the tables of the labels.

YES_NO = np.array([False, True])


def _over_labels(tables: np.ndarray, which: CountMetric, average: str) -> np.ndarray:
    """A metric of tables with the labels in the third axis from the end."""
    if average == "micro":
        return which.of_tables(tables.sum(axis=-3), YES_NO)
    by_label = which.of_tables(tables, YES_NO)
    if average == "macro":
        return by_label.mean(axis=-1)
    cases = support(tables)[..., 1]
    return ratio((by_label * cases).sum(axis=-1), cases.sum(axis=-1))


def _table_influence(sets: LabelSets, of_tables: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """What each case adds through the cells of all its labels, by leaving one case of a cell out."""
    tables = sets.tables
    flat, value = tables.ravel(), of_tables(tables)
    step = np.minimum(sets.weights.mean(), flat)
    slopes = np.zeros(flat.size)
    filled = np.flatnonzero(flat)
    each = max(1, CHUNK // flat.size)
    for start in range(0, len(filled), each):
        cells = filled[start : start + each]
        moved = np.tile(flat, (len(cells), 1))
        moved[np.arange(len(cells)), cells] -= step[cells]
        slopes[cells] = (value - of_tables(moved.reshape(-1, *tables.shape))) / step[cells]
    place = sets.cells + 6 * np.arange(len(sets.labels))
    total = sets.weights * slopes[place].sum(axis=1)
    return total - sets.weights * total.sum() / sets.weights.sum()


def _of_counts(base: str, average: str) -> MultilabelMetric:
    which = METRICS[base].with_options(positive=True)
    assert isinstance(which, CountMetric)
    traits: dict[str, Any] = {"greater_is_better": which.greater_is_better}
    meaning = which.meaning.split(":")[0].rstrip(".")
    if average == "samples":
        by_case = partial(_among_the_labels_of_a_case, which=which)
        return _of_cases(by_case, name=f"{base}_samples", meaning=f"{meaning}: mean over cases.", **traits)
    of_tables = partial(_over_labels, which=which, average=average)
    return MultilabelMetric(
        f"{base}_{average}",
        f"{meaning}: {average} over labels.",
        lambda sets: float(of_tables(sets.tables)),
        partial(_table_influence, of_tables=of_tables),
        of_tables=of_tables,
        **traits,
    )


# ---- Areas.


def _ranked(sets: LabelSets, micro: bool) -> list[Ranking]:
    """The rankings to average over: those with cases on both sides."""
    if sets.strength is None:
        raise InputError("multilabel areas: probabilities or scores are needed, but only labels were given.")
    if micro:
        weight = None if sets.weight is None else np.repeat(sets.weight, len(sets.labels))
        rankings = [Ranking(sets.strength.ravel(), sets.truth.ravel(), weight)]
    else:
        rankings = sets.rankings
    return [each for each in rankings if not np.isnan(each.area)]


def _of_areas(name: str, meaning: str, area: str, influence: Callable[[Ranking], np.ndarray], micro: bool) -> Any:
    def value(sets: LabelSets) -> float:
        values = [getattr(each, area) for each in _ranked(sets, micro)]
        return float(np.mean(values)) if values else float("nan")

    def by_case(sets: LabelSets) -> np.ndarray:
        rankings = _ranked(sets, micro)
        total = sum(influence(each) for each in rankings)
        return np.reshape(total, (len(sets), -1)).sum(axis=1) / len(rankings)

    return MultilabelMetric(name, meaning, value, by_case, needs="scores")


#: The metrics of several labels, by name.
MULTILABEL_METRICS: Mapping[str, MultilabelMetric] = MappingProxyType(
    {
        each.name: each
        for each in (
            _of_cases(subset_accuracy, proportion=True),
            _of_cases(hamming_loss, greater_is_better=False),
            *(
                _of_counts(base, average)
                for base in ("precision", "recall", "f1", "fbeta", "jaccard")
                for average in ("micro", "macro", "weighted", "samples")
            ),
            _of_areas("roc_auc_macro", "Area under the ROC curve, mean over labels.", "area", Ranking.influence, False),
            _of_areas("roc_auc_micro", "Area under the ROC curve of all answers.", "area", Ranking.influence, True),
            _of_areas(
                "average_precision_macro",
                "Average precision, mean over labels.",
                "average_precision",
                precision_influence,
                False,
            ),
            _of_areas(
                "average_precision_micro",
                "Average precision of all answers.",
                "average_precision",
                precision_influence,
                True,
            ),
            _of_cases(label_ranking_average_precision, needs="scores"),
            _of_cases(ranking_loss, needs="scores", greater_is_better=False),
            _of_cases(coverage_error, needs="scores", greater_is_better=False, bounds=(0.0, np.inf)),
        )
    }
)
