"""Error taken apart: what is wrong on average, what changes with the training set, and what nobody could know.

Everything here is per case and adds up exactly: bias + variance + noise = error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from margin.evaluation.intervals.interval import Interval, Score
from margin.random import generator

__all__ = ["Predictions", "Terms", "domingos", "mean_terms", "squared", "vectors"]


@dataclass(frozen=True)
class Predictions:
    """What models learnt from many training sets answered to the same cases.

    ``values`` has an axis for training sets, one for cases and one for the parts of an answer: one number of a
    regression, a probability for each class, or a 1 for the class answered.
    """

    values: np.ndarray

    @cached_property
    def total(self) -> np.ndarray:
        return self.values.sum(axis=0)

    @cached_property
    def squares(self) -> np.ndarray:
        return (self.values**2).sum(axis=0)

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class Terms:
    """The parts of the error of each case; ``biased`` is the part of the variance that mends a wrong main answer."""

    bias: np.ndarray
    variance: np.ndarray
    noise: np.ndarray
    error: np.ndarray
    unbiased: np.ndarray | None = None
    biased: np.ndarray | None = None


#: From the sum of the answers over training sets, the sum of their squares and the number of training sets.
Decompose = Callable[[np.ndarray, np.ndarray, int], Terms]


def squared(target: np.ndarray, noise: np.ndarray, *, measured: bool, scale: float = 1.0) -> Decompose:
    """The decomposition of squared loss: (mean answer - target)², the variance of the answers, and the noise.

    The mean of T answers is itself off by variance/T, which is taken off the bias² and not lost: it is the difference
    between the sample variance and the mean square. Both are then right on average for any T, still add up, and a
    single case's bias² can come out a little below 0. Of 0/1 answers, ``scale`` ½ makes this the decomposition of
    Kohavi and Wolpert (1996).

    Parameters
    ----------
    target
        What was to be answered, one row per case.
    noise
        Variance of what is measured about the expected value, per case.
    measured
        Whether ``target`` was measured and so contains the noise, or is the expected value.
    """

    def terms(total: np.ndarray, squares: np.ndarray, n: int) -> Terms:
        mean = total / n
        spread = (squares / n - mean**2).sum(axis=1)
        variance = np.maximum(spread, 0.0) * n / (n - 1) if n > 1 else np.zeros(len(spread))
        apart = ((mean - target) ** 2).sum(axis=1)
        error = (squares / n - 2 * mean * target + target**2).sum(axis=1)
        bias = apart - variance / n
        inside = noise if measured else 0.0
        return Terms(
            scale * (bias - inside), scale * variance, scale * noise, scale * (error if measured else error + noise)
        )

    return terms


def domingos(truth: np.ndarray) -> Decompose:
    """The decomposition of 0/1 loss of Domingos (2000), with ``truth`` the chance of each class for each case.

    The main answer is the most frequent one, the best answer the most probable class. Bias is 1 where they differ.
    Answers other than the main one are variance, which adds to the error where the main answer is the best
    (``unbiased``) and takes away from it, as far as they are the best answer, where it is not (``biased``). What is
    left is the effect of noise: the chance of the best answer being given, less that of the true class.
    """
    rows = np.arange(len(truth))
    best = truth.argmax(axis=1)

    def terms(counts: np.ndarray, _squares: np.ndarray, n: int) -> Terms:
        shares = counts / n
        main = shares.argmax(axis=1)
        right = main == best
        given = shares[rows, best]
        unbiased = np.where(right, 1 - shares[rows, main], 0.0)
        biased = np.where(right, 0.0, given)
        agreeing = (shares[:, : truth.shape[1]] * truth).sum(axis=1)
        return Terms((~right).astype(float), unbiased - biased, given - agreeing, 1 - agreeing, unbiased, biased)

    return terms


def mean_terms(
    predictions: Predictions, decompose: Decompose, confidence: float, *, smooth: bool = True
) -> tuple[Terms, dict[str, Score]]:
    """The terms of each case, and their means with intervals over the training sets.

    Each training set is left out once; how much the means move gives their standard error (jackknife, Tukey 1958).
    Means that jump where a majority turns are not ``smooth``, and the jackknife makes twice too much of the jumps: for
    these the training sets are drawn anew instead (bootstrap, Efron 1979).
    """
    n = len(predictions)
    terms = decompose(predictions.total, predictions.squares, n)
    names = [name for name in vars(terms) if getattr(terms, name) is not None]
    deviations = (_jackknife if smooth else _bootstrap)(predictions, decompose, names)
    quantile = float(special.stdtrit(n - 1, (1 + confidence) / 2))
    method = "jackknife" if smooth else "bootstrap"
    how = f"mean over the cases; {100 * confidence:g} % interval over {n} training sets, {method}"
    scores = {}
    for name, deviation in zip(names, deviations):
        mean, half = float(getattr(terms, name).mean()), quantile * float(deviation)
        known = half > 1e-12
        interval = Interval(mean - half, mean + half, confidence, method) if known else None
        scores[name] = Score(mean, interval, how if known else "mean over the cases")
    return terms, scores


def _jackknife(predictions: Predictions, decompose: Decompose, names: list[str]) -> np.ndarray:
    n = len(predictions)
    without = np.empty((n, len(names)))
    for at, values in enumerate(predictions.values):
        left = decompose(predictions.total - values, predictions.squares - values**2, n - 1)
        without[at] = [getattr(left, name).mean() for name in names]
    return np.sqrt((n - 1) / n * ((without - without.mean(axis=0)) ** 2).sum(axis=0))


def _bootstrap(predictions: Predictions, decompose: Decompose, names: list[str], times: int = 200) -> np.ndarray:
    n = len(predictions)
    values = predictions.values.reshape(n, -1)
    found = np.empty((times, len(names)))
    for at, counts in enumerate(generator(0, "training sets").multinomial(n, np.full(n, 1 / n), size=times)):
        total, squares = ((counts @ each).reshape(predictions.total.shape) for each in (values, values**2))
        drawn = decompose(total, squares, n)
        found[at] = [getattr(drawn, name).mean() for name in names]
    return found.std(axis=0, ddof=1)


def vectors(codes: np.ndarray, n_classes: int) -> np.ndarray:
    """A 1 in the place of each code; an abstention, coded ``n_classes``, gets a place of its own behind the classes.

    >>> vectors(np.array([0, 2]), 2).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    return np.eye(n_classes + 1)[codes]
