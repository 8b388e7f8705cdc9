"""Cases drawn from plain distributions, which whatever forges has to beat."""

from __future__ import annotations

import numpy as np

__all__ = ["drawn_by_naive_bayes", "drawn_from_one_normal"]


def drawn_from_one_normal(cases: np.ndarray, n: int, random: np.random.Generator) -> np.ndarray:
    """Rows from the normal distribution with the mean and the covariance of others."""
    center = cases.mean(axis=0)
    # The root of the covariance is the rows themselves, so that wide ones cost no square of their width.
    _, values, axes = np.linalg.svd(cases - center, full_matrices=False)
    drawn = random.standard_normal((n, len(values))) * values / np.sqrt(max(len(cases) - 1, 1))
    made: np.ndarray = center + drawn @ axes
    return made


def drawn_by_naive_bayes(cases: np.ndarray, codes: np.ndarray, n: int, random: np.random.Generator) -> np.ndarray:
    """Rows as naive Bayes with normal columns draws them: a class by its share, then each column by itself."""
    shares = np.bincount(codes) / len(codes)
    drawn = random.choice(len(shares), n, p=shares)
    made = np.empty((n, cases.shape[1]))
    for code in np.unique(drawn):
        rows, at = cases[codes == code], drawn == code
        deviation = rows.std(axis=0, ddof=1) if len(rows) > 1 else np.zeros(cases.shape[1])
        made[at] = rows.mean(axis=0) + deviation * random.standard_normal((int(at.sum()), cases.shape[1]))
    return made
