"""A metric on many weightings of the same cases, whatever kind of metric it is."""

from __future__ import annotations

import numpy as np

from margin.evaluation.answers import Answers
from margin.evaluation.metrics import CountMetric, Metric

__all__ = ["drawn_counts", "values_of_weights"]


def drawn_counts(random: np.random.Generator, n: int, times: int) -> np.ndarray:
    """How often each of n cases is drawn when n are drawn with replacement, ``times`` times over.

    >>> drawn_counts(np.random.default_rng(0), 3, 2).sum(axis=1).tolist()
    [3.0, 3.0]
    """
    return np.stack([np.bincount(random.integers(n, size=n), minlength=n) for _ in range(times)]).astype(np.float64)


def values_of_weights(metric: Metric, answers: Answers, weights: np.ndarray) -> np.ndarray:
    """The metric for each row of weights; the answers' own weights are not looked at.

    >>> from margin.evaluation import metric
    >>> answers = Answers.of(["a", "b"], ["a", "a"])
    >>> values_of_weights(metric("accuracy"), answers, np.array([[1.0, 1.0], [3.0, 1.0]])).tolist()
    [0.5, 0.75]
    """
    if isinstance(metric, CountMetric):
        tables = np.stack([answers.table(answers.cells, row) for row in weights])
        return np.asarray(metric.of_tables(tables, answers.classes))
    return metric.of_weights(answers, weights)
