"""How good answers are, in one number: the family of metrics.

A metric on labels is a function of the confusion table (with abstentions as its last column), a metric on cases gives
one number per case from its probabilities or scores and is their mean, and a metric on answers looks at all of them
together: ranked, or in bins of confidence. The first two take many tables or cases at once, which makes the bootstrap
cheap. To add one, write a small function under ``on_labels``, ``on_cases`` or ``on_answers``. Its keyword-only
arguments are its options, checked by the rules they are annotated with.

What is about one class (precision, recall, F1, average precision, …) is about the positive class where there are two:
the one named, else the one that says yes (True, 1, "yes", …), else the rarer one among the true labels, else the last.
Scores and results say which it is. With more classes it is the mean over them; ``average="macro"`` asks for that mean
of two classes as well.

One rule for all labels: a ratio of nothing is 0 (the precision of a class that was never answered), an abstention is
not a right answer, and a class that occurs neither in the truth nor among the answers takes no part in an average over
classes. What ranks cases has no value at all, NaN, where every case or no case is of the class that is ranked; averages
over classes leave such classes out. Asked for directly, NaN comes with a warning; among folds it is left out and told.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

import margin._core as _core
from margin.errors import ParameterError, closest
from margin.evaluation.metrics.areas import PrecisionArea, RocArea
from margin.evaluation.metrics.calibration_error import CalibrationError, Strategy
from margin.evaluation.metrics.metric import CaseMetric, CountMetric, Metric, on_answers, on_cases, on_labels
from margin.evaluation.predictions.answers import Answers
from margin.evaluation.predictions.confusion import answered, ratio, support, true_positives
from margin.parallel import n_threads
from margin.params import Count, NonNegative, Positive

#: Beside these, every metric by its name.
__all__ = ["METRICS", "SMALLEST_PROBABILITY", "CaseMetric", "CountMetric", "Metric", "case_losses", "metric"]

Average = Literal["macro", "weighted", "micro"]
ClassAverage = Literal["macro", "weighted"]

Parts = tuple[np.ndarray, np.ndarray]

#: Probabilities are kept this far from 0 and 1 before a logarithm is taken: the spacing of float64 at 1, as in
#: scikit-learn. The worst loss of a case is therefore 36.04.
SMALLEST_PROBABILITY = float(np.finfo(np.float64).eps)


# ---- Shares: so many of so many, by class or for all.


def _correct_of_all(table: np.ndarray) -> Parts:
    return true_positives(table).sum(axis=-1), table.sum(axis=(-2, -1))


def _wrong_of_all(table: np.ndarray) -> Parts:
    correct, total = _correct_of_all(table)
    return total - correct, total


def _answered_of_all(table: np.ndarray) -> Parts:
    return answered(table).sum(axis=-1), table.sum(axis=(-2, -1))


def _wrong_of_answered(table: np.ndarray) -> Parts:
    given = answered(table).sum(axis=-1)
    return given - true_positives(table).sum(axis=-1), given


def _true_of_predicted_positives(table: np.ndarray) -> Parts:
    return true_positives(table), answered(table)


def _true_positives_of_class(table: np.ndarray) -> Parts:
    return true_positives(table), support(table)


def _false_positives_of_others(table: np.ndarray) -> Parts:
    return answered(table) - true_positives(table), table.sum(axis=(-2, -1))[..., None] - support(table)


def _true_negatives_of_others(table: np.ndarray) -> Parts:
    false_positives, others = _false_positives_of_others(table)
    return others - false_positives, others


def _true_positives_of_either(table: np.ndarray) -> Parts:
    return true_positives(table), support(table) + answered(table) - true_positives(table)


def _over_classes(parts: Parts, table: np.ndarray, positive: int | None, average: Average) -> np.ndarray:
    part, whole = parts
    if positive is not None:
        return ratio(part[..., positive], whole[..., positive])
    if average == "micro":
        return ratio(part.sum(axis=-1), whole.sum(axis=-1))
    cases = support(table)
    share = cases if average == "weighted" else (cases + answered(table) > 0).astype(np.float64)
    return ratio((ratio(part, whole) * share).sum(axis=-1), share.sum(axis=-1))


# ---- What each case loses.


def case_losses(loss: Literal["log_loss", "brier", "ahead"], truth: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The loss of each case. ``shares`` has a column for each class, or one for the second of two classes.

    The log loss is -ln of the probability of the true class, the Brier loss the squared distance from the truth: over
    all classes, or of the second of two alone. ``"ahead"`` counts the classes that were answered more strongly than the
    true one, and of equally strong ones those before it; it takes strengths of any scale.

    >>> case_losses("ahead", np.array([2, 0]), np.array([[0.25, 0.5, 0.25], [3.0, -1.0, 2.0]])).tolist()
    [2.0, 0.0]
    >>> case_losses("brier", np.array([0, 1]), np.array([[0.5], [0.25]])).tolist()
    [0.25, 0.5625]
    >>> case_losses("brier", np.array([0]), np.array([[0.5, 0.25, 0.25]])).tolist()
    [0.375]
    """
    losses = np.empty(len(truth))
    shares, codes = np.require(shares, np.float64, ["C", "A"]), np.ascontiguousarray(truth, dtype=np.int64)
    _core.metrics.case_losses(shares, codes, loss, None, SMALLEST_PROBABILITY, losses, n_threads())
    return losses


# ---- The metrics.


@on_labels(proportion=True, parts=_correct_of_all)
def accuracy(table: np.ndarray) -> np.ndarray:
    """Share of the cases answered rightly."""
    return ratio(*_correct_of_all(table))


@on_labels(proportion=True, greater_is_better=False, parts=_wrong_of_all)
def error(table: np.ndarray) -> np.ndarray:
    """Share of the cases answered wrongly or not at all."""
    return ratio(*_wrong_of_all(table))


@on_labels()
def balanced_accuracy(table: np.ndarray) -> np.ndarray:
    """Mean recall of the classes that occur, so that rare classes count as much as frequent ones."""
    return ratio(ratio(*_true_positives_of_class(table)).sum(axis=-1), (support(table) > 0).sum(axis=-1))


@on_labels(parts=_true_of_predicted_positives, of_positive=True)
def precision(table: np.ndarray, *, positive: Any = None, average: Average = "macro") -> np.ndarray:
    """Of the cases answered as a class, the share that are of it: the positive of two classes, or averaged."""
    return _over_classes(_true_of_predicted_positives(table), table, positive, average)


@on_labels(parts=_true_positives_of_class, of_positive=True)
def recall(table: np.ndarray, *, positive: Any = None, average: Average = "macro") -> np.ndarray:
    """Of the cases of a class, the share answered so: the positive of two classes, or averaged over classes."""
    return _over_classes(_true_positives_of_class(table), table, positive, average)


@on_labels(parts=_true_negatives_of_others, of_positive=True)
def specificity(table: np.ndarray, *, positive: Any = None, average: Average = "macro") -> np.ndarray:
    """Of the cases of other classes, the share not answered as the class: the positive of two, or averaged."""
    return _over_classes(_true_negatives_of_others(table), table, positive, average)


@on_labels(parts=_false_positives_of_others, greater_is_better=False, of_positive=True)
def fpr(table: np.ndarray, *, positive: Any = None, average: Average = "macro") -> np.ndarray:
    """False positive rate: of the cases of other classes, the share answered as the class."""
    return _over_classes(_false_positives_of_others(table), table, positive, average)


@on_labels(of_positive=True)
def f1(table: np.ndarray, *, positive: Any = None, average: Average = "macro") -> np.ndarray:
    """Harmonic mean of precision and recall: of the positive of two classes, or averaged over classes."""
    return _over_classes((2 * true_positives(table), support(table) + answered(table)), table, positive, average)


@on_labels(of_positive=True)
def fbeta(table: np.ndarray, *, beta: Positive = 2.0, positive: Any = None, average: Average = "macro") -> np.ndarray:
    """Harmonic mean of precision and recall in which recall counts beta times as much (van Rijsbergen 1979)."""
    parts = (1 + beta**2) * true_positives(table), beta**2 * support(table) + answered(table)
    return _over_classes(parts, table, positive, average)


@on_labels(parts=_true_positives_of_either, of_positive=True)
def jaccard(table: np.ndarray, *, positive: Any = None, average: Average = "macro") -> np.ndarray:
    """Of the cases that are of a class or were answered so, the share that are both: F1 / (2 - F1)."""
    return _over_classes(_true_positives_of_either(table), table, positive, average)


@on_labels(bounds=(-1.0, 1.0), heading="Matthews correlation")
def matthews(table: np.ndarray) -> np.ndarray:
    """Correlation between truth and answers: 1 for all right, about 0 for guessing (Matthews 1975; Gorodkin 2004)."""
    truth, answers = support(table), table.sum(axis=-2)
    total = table.sum(axis=(-2, -1))
    together = true_positives(table).sum(axis=-1) * total - (truth * answered(table)).sum(axis=-1)
    spread = (total**2 - (truth**2).sum(axis=-1)) * (total**2 - (answers**2).sum(axis=-1))
    return ratio(together, np.sqrt(np.maximum(spread, 0.0)))


@on_labels(bounds=(-1.0, 1.0), heading="Cohen’s kappa")
def kappa(table: np.ndarray) -> np.ndarray:
    """Agreement beyond what the class frequencies alone would give (Cohen 1960)."""
    total = table.sum(axis=(-2, -1))
    by_chance = (support(table) * answered(table)).sum(axis=-1)
    return ratio(true_positives(table).sum(axis=-1) * total - by_chance, total**2 - by_chance)


@on_labels(proportion=True, parts=_answered_of_all)
def coverage(table: np.ndarray) -> np.ndarray:
    """Share of the cases that got an answer."""
    return ratio(*_answered_of_all(table))


@on_labels(greater_is_better=False, parts=_wrong_of_answered)
def selective_error(table: np.ndarray) -> np.ndarray:
    """Share of the answered cases that were answered wrongly; abstentions do not count."""
    return ratio(*_wrong_of_answered(table))


@on_labels(greater_is_better=False, bounds=(0.0, np.inf))
def reject_cost(table: np.ndarray, *, cost: NonNegative = 0.5) -> np.ndarray:
    """Mean cost of a case, where a wrong answer costs 1, a right one nothing and an abstention ``cost``."""
    total, given = table.sum(axis=(-2, -1)), answered(table).sum(axis=-1)
    return ratio(given - true_positives(table).sum(axis=-1) + cost * (total - given), total)


@on_labels(greater_is_better=False, bounds=(-np.inf, np.inf))
def cost(table: np.ndarray, *, costs: Any = None, abstention: NonNegative = 1.0) -> np.ndarray:
    """Mean cost of a case, by a table of costs: an array (rows are the truth) or {(truth, answer): cost}.

    What a mapping does not name costs nothing where it is right and 1 where it is wrong; no answer costs
    ``abstention`` unless the table has a last column (the mapping a pair with None) for it.
    """
    n = table.shape[-2]
    prices = np.column_stack([1 - np.eye(n), np.full(n, np.nan)]) if costs is None else costs
    return ratio((table * np.where(np.isnan(prices), abstention, prices)).sum(axis=(-2, -1)), table.sum(axis=(-2, -1)))


@on_cases(greater_is_better=False, bounds=(0.0, np.inf))
def log_loss(truth: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Mean of -ln of the probability given to the true class, which is kept within 2.2e-16 of 0 and 1."""
    return case_losses("log_loss", truth, probabilities)


@on_cases(greater_is_better=False, bounds=(0.0, 2.0), heading="Brier score")
def brier(truth: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Mean squared distance of the probabilities from the truth; halved for two classes, where it is (p - y)²."""
    return case_losses("brier", truth, probabilities)


@on_answers(needs="probabilities", greater_is_better=False, biased=True)
def calibration_error(
    answers: Answers,
    *,
    positive: Any = None,
    bins: Count = 15,
    strategy: Strategy = "width",
    norm: Literal["l1", "l2", "max"] = "l1",
) -> CalibrationError:
    """Mean gap between the probability of the answer and the share that is right, over bins (of the positive class).

    Bins are as wide as each other, or hold as many cases (``strategy="count"``). The norm is the mean gap ("l1"), the
    root of the mean squared one ("l2") or the largest ("max"). Few cases make it look larger than it is, since chance
    alone opens gaps; the interval allows for that.
    """
    return CalibrationError(answers, positive, bins, strategy, norm)


@on_cases(needs="scores", proportion=True)
def top_k(truth: np.ndarray, strength: np.ndarray, *, k: Count = 2) -> np.ndarray:
    """Share of the cases whose true class is among the k answered most strongly; of equal ones the first come first."""
    return (case_losses("ahead", truth, strength) < k).astype(np.float64)


@on_answers(needs="scores")
def roc_auc(
    answers: Answers,
    *,
    positive: Any = None,
    average: ClassAverage = "macro",
    multiclass: Literal["ovr", "ovo"] = "ovr",
) -> RocArea:
    """Chance that a case of a class is ranked above another case, ties half: the area under the ROC curve.

    For more than two classes the mean of each class against the rest (``"ovr"``), or over pairs of classes
    (``"ovo"``; Hand, Till 2001).
    """
    return RocArea(answers, positive, average, multiclass)


@on_answers(needs="scores", of_positive=True)
def average_precision(answers: Answers, *, positive: Any = None, average: ClassAverage = "macro") -> PrecisionArea:
    """Precision at each threshold, averaged over the recall it adds.

    Of the positive class of two, or averaged over more than two.
    """
    return PrecisionArea(answers, positive, average)


_METRICS: dict[str, Metric] = {each.name: each for each in list(globals().values()) if isinstance(each, Metric)}
#: The metrics above, by name. Validation, command line, reports and documentation read this list.
METRICS: Mapping[str, Metric] = MappingProxyType(_METRICS)


def metric(name: str | Metric, **options: Any) -> Metric:
    """A metric by name, with options.

    >>> metric("f1", positive="bad").name
    "f1(positive='bad')"
    >>> metric("acuracy")
    Traceback (most recent call last):
    margin.errors.ParameterError: metric('acuracy'): metric must be one of 'accuracy', 'error', 'balanced_accuracy', \
'precision', 'recall', 'specificity', 'fpr', 'f1', 'fbeta', 'jaccard', 'matthews', 'kappa', 'coverage', \
'selective_error', 'reject_cost', 'cost', 'log_loss', 'brier', 'calibration_error', 'top_k', 'roc_auc', \
'average_precision' (did you mean 'accuracy'?).
    """
    if isinstance(name, Metric):
        return name.with_options(**options)
    if name not in METRICS:
        known = ", ".join(map(repr, METRICS))
        raise ParameterError(f"metric({name!r}): metric must be one of {known}{closest(name, METRICS)}.")
    return METRICS[name].with_options(**options)
