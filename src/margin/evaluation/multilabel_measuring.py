"""All metrics of answers with several labels at once, each with its interval."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.data.labels import position_of
from margin.errors import InputError, ParameterError, closest
from margin.evaluation.intervals.interval import Score, check_confidence
from margin.evaluation.intervals.resamples import Draws
from margin.evaluation.measuring import score_rows, score_table
from margin.evaluation.metrics.multilabel import MULTILABEL_METRICS, YES_NO, MultilabelMetric
from margin.evaluation.predictions.confusion import (
    ConfusionMatrix,
    answered,
    in_columns,
    ratio,
    support,
    true_positives,
)
from margin.evaluation.predictions.from_arrays import as_numbers
from margin.evaluation.predictions.label_sets import LabelSets
from margin.typing import WeightsLike

__all__ = ["LabelTable", "MultilabelMeasured", "measure_multilabel"]


@dataclass(frozen=True, eq=False)
class MultilabelMeasured(Mapping[str, Score]):
    """Metrics of answers with several labels: a mapping from names to scores with intervals, which prints as a table.

    >>> measured = measure_multilabel([{"a"}, {"a", "b"}, {"b"}], [{"a"}, {"b"}, {"b"}])
    >>> round(measured["f1_micro"].value, 3), round(measured["subset_accuracy"].value, 3)
    (0.857, 0.667)
    >>> print(measured.by_label)
    label  cases  precision  recall     F1
    a          2      1.000   0.500  0.667
    b          2      1.000   1.000  1.000
    """

    scores: Mapping[str, Score]
    sets: LabelSets
    confidence: float = 0.95
    warnings: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Score:
        return self.scores[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def confusion(self, label: object) -> ConfusionMatrix:
        """The confusion matrix of one label: no and yes."""
        at = position_of(label, self.sets.labels, "MultilabelMeasured.confusion")
        table = self.sets.tables[at]
        return ConfusionMatrix(table[:, :2], table[:, 2], YES_NO)

    @property
    def by_label(self) -> LabelTable:
        """Cases, precision, recall and F1 of each label."""
        tables = self.sets.tables
        part, cases, said = true_positives(tables)[:, 1], support(tables)[:, 1], answered(tables)[:, 1]
        return LabelTable(self.sets.labels, cases, ratio(part, said), ratio(part, cases), ratio(2 * part, cases + said))

    def __str__(self) -> str:
        head = (
            f"{len(self.sets)} cases, {len(self.sets.labels)} labels, {self.sets.truth.sum(axis=1).mean():.3g} a case"
        )
        return "\n".join([head, *score_table(self.scores), *(f"Careful: {text}" for text in self.warnings)])

    def __repr__(self) -> str:
        return f"<MultilabelMeasured: {len(self.scores)} metrics on {len(self.sets)} cases>"

    def _repr_html_(self) -> str:
        return score_rows(self.scores, {name: MULTILABEL_METRICS[name].meaning for name in self.scores})


@dataclass(frozen=True, eq=False)
class LabelTable:
    """Plain arrays with an entry for each label."""

    labels: np.ndarray
    support: np.ndarray
    precision: np.ndarray
    recall: np.ndarray
    f1: np.ndarray

    def __str__(self) -> str:
        rows = zip(self.labels.tolist(), self.support.tolist(), self.precision, self.recall, self.f1)
        lines = [["label", "cases", "precision", "recall", "F1"]]
        lines += [[str(label), f"{cases:.6g}", *(f"{value:.3f}" for value in values)] for label, cases, *values in rows]
        return in_columns(lines)


def measure_multilabel(
    y_true: Any,
    y_pred: Any = None,
    *,
    probabilities: Any = None,
    scores: Any = None,
    labels: Any = None,
    metrics: Iterable[str] | str | None = None,
    sample_weight: WeightsLike | None = None,
    confidence: float = 0.95,
) -> MultilabelMeasured:
    """All metrics of answers where a case may have several labels, each with its interval.

    Parameters
    ----------
    y_true, y_pred
        Indicator tables (arrays of 0 and 1, data frames, sparse matrices) or lists of label sets, each in its own
        form. A missing cell, or ``None`` in place of a set, is an abstention. Without ``y_pred``: the labels of a
        probability of at least 0.5, or of a score above 0.
    probabilities, scores
        One row a case and one column a label.
    labels
        The labels and their order, where neither columns nor sets name them all.
    metrics
        Names from ``MULTILABEL_METRICS``; all that can be computed without it.
    sample_weight
        How much each case counts.
    confidence
        Of the intervals: exact for the share of cases that are right in all labels, else by resampling cases.

    Examples
    --------
    >>> measured = measure_multilabel([[1, 0], [1, 1]], [[1, 0], [0, 1]], metrics=["hamming_loss", "f1_macro"])
    >>> round(measured["f1_macro"].value, 3)
    0.833
    """
    check_confidence("measure_multilabel", confidence)
    strength = probabilities if probabilities is not None else scores
    if y_pred is None:
        if strength is None:
            raise InputError("measure_multilabel: give predictions (y_pred=…), probabilities or scores.")
        limit = as_numbers(strength, "probabilities and scores", "measure_multilabel")
        y_pred = (limit >= 0.5 if probabilities is not None else limit > 0).astype(np.int8)
    sets = LabelSets.of(
        y_true, y_pred, scores=strength, labels=labels, sample_weight=sample_weight, who="measure_multilabel"
    )
    if not len(sets):
        raise InputError("measure_multilabel: there must be at least one case.")
    return measure_sets(sets, metrics, confidence)


def measure_sets(sets: LabelSets, metrics: Iterable[str] | str | None, confidence: float) -> MultilabelMeasured:
    """``measure_multilabel`` for label sets that are read already."""
    chosen, left_out = _chosen(metrics, sets)
    draws = Draws(sets)
    found = {each.name: each.score(sets, confidence, draws) for each in chosen}
    left_out += [f"{name} is {score.how}." for name, score in found.items() if np.isnan(score.value)]
    return MultilabelMeasured(found, sets, confidence, tuple(left_out))


def _chosen(metrics: Iterable[str] | str | None, sets: LabelSets) -> tuple[list[MultilabelMetric], list[str]]:
    names = list(MULTILABEL_METRICS) if metrics is None else [metrics] if isinstance(metrics, str) else list(metrics)
    for name in names:
        if name not in MULTILABEL_METRICS:
            known = ", ".join(map(repr, MULTILABEL_METRICS))
            hint = closest(name, MULTILABEL_METRICS)
            raise ParameterError(f"measure_multilabel(metrics={name!r}): metrics must be among {known}{hint}.")
    chosen = [MULTILABEL_METRICS[name] for name in names]
    usable = [each for each in chosen if each.needs == "labels" or sets.strength is not None]
    missing = [] if metrics is None else [each.name for each in chosen if each not in usable]
    return usable, [f"{name} is left out: neither probabilities nor scores were given." for name in missing]
