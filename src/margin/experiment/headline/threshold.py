"""From which probability on the positive of two classes is best answered: chosen in the folds, judged on the seal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from margin.evaluation import Evaluation, metric, proportion_interval
from margin.evaluation.metrics.metric import CountMetric
from margin.experiment.read_out import label_text
from margin.experiment.result import Score, Threshold

__all__ = ["advised_threshold", "best_threshold", "judged_threshold"]

#: A case of the rare class that is missed costs this many false alarms.
Cost = float | None


def advised_threshold(folds: Evaluation, positive: Any, wanted: str, cost: Cost = None) -> tuple[float, str] | None:
    """The threshold that serves what is wanted best in the folds, and what that is in words.

    ``wanted`` is the metric that decides; where it ranks cases instead of judging answers, F1 stands in for it. With a
    ``cost`` the threshold of the least cost is taken. None where there are not two classes or no probabilities.
    """
    if positive is None or len(folds.classes) != 2 or folds.probabilities is None:
        return None
    which = metric(wanted)
    name = wanted if isinstance(which, CountMetric) else "f1"
    at = best_threshold(*_chances(folds, positive), judge_of(name, cost))
    return at, name.replace("_", " ") if cost is None else f"costs of {cost:g} for a miss and 1 for a false alarm"


def judged_threshold(advice: tuple[float, str], sealed: Evaluation, positive: Any) -> Threshold:
    """An advised threshold and what it does to the sealed cases."""
    at, why = advice
    chances, truth = _chances(sealed, positive)
    called = chances >= at
    found, n, n_called = int((called & truth).sum()), int(truth.sum()), int(called.sum())
    return Threshold(label_text(positive), at, why, _share(found, n), _share(found, n_called))


def best_threshold(chances: np.ndarray, truth: np.ndarray, judge: Callable[..., np.ndarray]) -> float:
    """The probability from which on the positive class is answered at the best of ``judge``, between two seen ones.

    ``judge`` gives the worth of true positives, false positives, false negatives and true negatives. Never answering
    it is taken where that is better than every threshold.

    >>> chances, truth = np.array([0.1, 0.2, 0.3, 0.6]), np.array([False, False, True, True])
    >>> best_threshold(chances, truth, judge_of("f1", None))
    0.25
    """
    order = np.argsort(-chances, kind="stable")
    ranked, hits = chances[order], truth[order]
    tp, fp = np.cumsum(hits), np.cumsum(~hits)
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))  # a threshold takes all cases of a probability
    worth = judge(tp[last], fp[last], tp[-1] - tp[last], fp[-1] - fp[last])
    never = judge(np.zeros(1), np.zeros(1), tp[-1:], fp[-1:])
    if never[0] > worth.max() and ranked[0] < 1.0:
        return float(ranked[0] + 1.0) / 2
    place = int(last[int(np.argmax(worth))])
    below = float(ranked[place + 1]) if place + 1 < len(ranked) else 0.0
    between = (float(ranked[place]) + below) / 2
    return between if between > below else float(ranked[place])


def judge_of(name: str, cost: Cost) -> Callable[..., np.ndarray]:
    """What a threshold is worth: the metric of a table of two classes, or the costs it spares."""
    if cost is not None:
        return lambda tp, fp, fn, tn: -(cost * fn + fp)
    which = metric(name)
    assert isinstance(which, CountMetric)
    classes = np.array([0, 1])

    def worth(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
        silent = np.zeros_like(tp)
        tables = np.stack([np.stack([tn, fp, silent], -1), np.stack([fn, tp, silent], -1)], -2)
        values = np.asarray(which.bound(classes, 1).of_tables(tables, classes))
        return np.nan_to_num(values if which.greater_is_better else -values, nan=-np.inf)

    return worth


def _chances(evaluation: Evaluation, positive: Any) -> tuple[np.ndarray, np.ndarray]:
    """The probability of the positive class, and whether it is true, case by case."""
    assert evaluation.probabilities is not None
    place = evaluation.classes.tolist().index(positive)
    return evaluation.probabilities[:, place], evaluation.answers.truth == place


def _share(part: int, whole: int) -> Score:
    if not whole:
        return Score(float("nan"))
    interval = proportion_interval(part, whole)
    return Score(part / whole, interval.low, interval.high)
