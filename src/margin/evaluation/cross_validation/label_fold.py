"""Folds where a row may have several labels: what of a fold is then another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from margin.data.predictions import Predictions
from margin.data.splits import Part
from margin.data.weights import check_weights
from margin.errors import InputError, ParameterError, closest
from margin.evaluation.cross_validation.fold import FoldTask
from margin.evaluation.cross_validation.label_result import MultilabelEvaluation
from margin.evaluation.cross_validation.result import Evaluation
from margin.evaluation.metrics.metric import Metric
from margin.evaluation.metrics.multilabel import MULTILABEL_METRICS, MultilabelMetric
from margin.evaluation.predictions.from_model import model_name
from margin.evaluation.predictions.label_sets import LabelSets
from margin.typing import ClassifierLike

__all__ = ["DEFAULT_LABEL_METRICS", "LabelFoldTask", "label_metrics"]

DEFAULT_LABEL_METRICS = ("subset_accuracy", "hamming_loss", "f1_micro", "f1_macro")
#: What a metric of one label a row stands for where there are several, as in scikit-learn.
_STANDS_FOR = {"accuracy": "subset_accuracy"}


def label_metrics(metrics: Iterable[Any] | str | Metric | MultilabelMetric, who: str) -> tuple[MultilabelMetric, ...]:
    """Metrics of several labels by name or as they are, each once.

    >>> [each.name for each in label_metrics(["accuracy", "f1_macro"], "evaluate")]
    ['subset_accuracy', 'f1_macro']
    """
    given = (metrics,) if isinstance(metrics, (str, Metric, MultilabelMetric)) else tuple(metrics)
    found = {}
    for each in given:
        name = each if isinstance(each, str) else each.name
        name = _STANDS_FOR.get(name, name)
        if name not in MULTILABEL_METRICS:
            known = ", ".join(map(repr, MULTILABEL_METRICS))
            raise ParameterError(
                f"{who}(metrics={name!r}): rows have several labels, so metrics must be among {known}"
                f"{closest(name, MULTILABEL_METRICS)}."
            )
        found[name] = MULTILABEL_METRICS[name]
    return tuple(found.values())


@dataclass(frozen=True)
class LabelFoldTask(FoldTask):
    """What every fold needs where ``labels`` is an array of 0 and 1 with a column for each of ``classes``."""

    evaluation_type: ClassVar[type[Evaluation]] = MultilabelEvaluation
    strengths: ClassVar[tuple[str, ...]] = ("strength",)

    @property
    def positive(self) -> None:
        return None

    def columns(self, model: ClassifierLike, train: Part) -> Any:
        return getattr(model, "classes_", None)

    def usable(self, answers: Any) -> tuple[list[Any], list[str]]:
        given = answers.strength is not None
        usable = [each for each in self.metrics if each.needs == "labels" or given]
        left_out = [each.name for each in self.metrics if each not in usable]
        name = model_name(self.model)
        return usable, [f"{each} is left out: {name} gives neither probabilities nor scores." for each in left_out]

    def answers(self, given: Predictions, columns: Any, part: Part, name: str) -> Any:
        weight = None if part.weight is None else check_weights(part.weight, len(part), "test part")
        strength = given.probabilities
        if strength is not None:
            strength = _shares(strength, columns, len(self.classes), f"{name}.predict_proba")
        elif given.scores is not None:
            strength = np.asarray(given.scores, dtype=np.float64)
        found = LabelSets.of(
            self.labels[part.rows],
            given.labels,
            scores=strength,
            labels=self.classes,
            sample_weight=weight,
            who=f"{name}.predict",
        )
        if found.predicted is None or found.predicted.shape != found.truth.shape:
            raise InputError(f"{name}.predict: there must be an answer for each of {len(self.classes)} labels.")
        return found

    def together(self, predicted: np.ndarray, means: dict[str, np.ndarray | None]) -> Any:
        return LabelSets(self.classes, self.codes, predicted, means["strength"], self.weight)


def _shares(given: Any, classes: Any, n_labels: int, who: str) -> np.ndarray:
    """The probability of each label: a column a label, or an array a label with a column for no and for yes."""
    if not isinstance(given, list):
        shares = np.asarray(given, dtype=np.float64)
        if shares.ndim == 3 and shares.shape[0] == n_labels:
            given = list(shares)
        else:
            return shares
    if len(given) != n_labels:
        raise InputError(f"{who}: there are probabilities of {len(given)} labels in place of {n_labels}.")
    columns = []
    for at, of_label in enumerate(given):
        array = np.asarray(of_label, dtype=np.float64)
        known = [0, 1] if classes is None or len(classes) != n_labels else np.asarray(classes[at]).tolist()
        if array.ndim == 1:
            columns.append(array)
        elif array.shape[1] == 2:
            columns.append(array[:, 1])
        else:  # the label was the same in all training rows
            columns.append(array[:, 0] if known and known[0] == 1 else np.zeros(len(array)))
    return np.column_stack(columns)
