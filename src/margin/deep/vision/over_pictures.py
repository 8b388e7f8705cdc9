"""Scores of sums over pictures with intervals over pictures: pixels and words of one picture are no cases."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from margin.evaluation.intervals.interval import (
    Interval,
    Score,
    bca_interval,
    check_confidence,
    proportion_interval,
)

__all__ = ["perfect_interval", "resampled_weights", "score_of_sums"]

#: Resamples of an interval.
RESAMPLES = 1000


def resampled_weights(n: int, seed: int = 0) -> np.ndarray:
    """How often each of n pictures is drawn, a row for each resample."""
    return np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), RESAMPLES).astype(np.float64)


def score_of_sums(
    counts: np.ndarray,
    score: Callable[[np.ndarray], np.ndarray],
    how: str,
    weights: np.ndarray,
    confidence: float = 0.95,
) -> Score:
    """A function of sums over pictures, with its interval.

    ``counts`` has a row of numbers for each picture; ``score`` takes rows of such sums and gives a number for each row.

    >>> hits = np.array([[1.0, 2.0], [1.0, 1.0], [0.0, 1.0], [2.0, 2.0]])  # right, and in all
    >>> found = score_of_sums(hits, lambda sums: sums[:, 0] / sums[:, 1], "share", resampled_weights(4))
    >>> round(found.value, 3), found.interval.method
    (0.667, 'bootstrap BCa')
    """
    check_confidence("score_of_sums", confidence)
    counts = np.asarray(counts, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = float(score(counts.sum(axis=0)[None])[0])
        if len(counts) < 2 or not np.isfinite(value):
            return Score(value, None, how)
        drawn = score(weights @ counts)
        without = score(counts.sum(axis=0) - counts)
    if (known := perfect_interval(value, drawn, len(counts), confidence)) is not None:
        return Score(value, known, how)
    influence = np.nan_to_num(without.mean() - without)
    if not np.isfinite(drawn).any():
        return Score(value, None, how)
    found = bca_interval(drawn, value, influence, confidence=confidence)
    return Score(value, Interval(found.low, found.high, confidence, found.method), how)


def perfect_interval(value: float, drawn: np.ndarray, n: int, confidence: float = 0.95) -> Interval | None:
    """The interval of a score that is 0 or 1 in all n pictures, where resamples say nothing; None elsewhere.

    It is that of a share of pictures: a kind of picture may not have been among them.

    >>> print(perfect_interval(1.0, np.ones(5), 60))
    [0.940, 1.000] (95 %, exact, of pictures)
    """
    drawn = drawn[np.isfinite(drawn)]
    if not any(abs(value - end) < 1e-9 for end in (0.0, 1.0)) or (np.abs(drawn - value) > 1e-9).any():
        return None
    found = proportion_interval(round(value) * n, n, confidence)
    return Interval(found.low, found.high, confidence, "exact, of pictures")
