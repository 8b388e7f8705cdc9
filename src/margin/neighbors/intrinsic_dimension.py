"""Intrinsic dimension: of how many directions the rows make use, told from distances to nearest neighbours."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["Dimension", "maximum_likelihood", "two_nearest"]


class Dimension(NamedTuple):
    """An estimate and its standard error; infinite where all neighbours are equally far, NaN where there are none."""

    estimate: float
    standard_error: float

    def __str__(self) -> str:
        digits = 2 if self.estimate < 10 else 1
        error = "" if np.isnan(self.standard_error) else f" ± {self.standard_error:.{digits}f}"
        return "unknown" if np.isnan(self.estimate) else f"{self.estimate:.{digits}f}{error}"


def maximum_likelihood(distance: np.ndarray, sampled: float = 1.0) -> Dimension:
    r"""The dimension from the distances :math:`T_1 \le \dots \le T_k` of each row to its k nearest other rows.

    Around a row the number of neighbours grows as a power of the distance, and the power is the dimension:
    :math:`1/m` is the mean of :math:`\log (T_k / T_j)` over all rows and :math:`j < k`. ``sampled`` is the share of
    all rows that was asked: rows that are each other's neighbours tell the same twice, and the error allows for it.
    In many dimensions most rows are near the edge of the data, and the estimate is too low.

    Levina, Bickel (2004); MacKay, Ghahramani (2005), who average the inverses.

    >>> line = np.abs(np.arange(1, 9) - np.zeros((50, 1)))
    >>> maximum_likelihood(line).estimate
    1.15...
    """
    return _from_logs(_log_ratios(distance, slice(0, -1), -1), sampled)


def two_nearest(distance: np.ndarray, sampled: float = 1.0) -> Dimension:
    """The dimension from the ratio of the second to the first distance alone: the least of space, the most of noise.

    Facco, d'Errico, Rodriguez, Laio (2017), by maximum likelihood.

    >>> two_nearest(np.array([[1.0, np.e], [1.0, np.e], [2.0, 2 * np.e]])).estimate
    0.66...
    """
    return _from_logs(_log_ratios(distance, slice(0, 1), 1), sampled)


def _log_ratios(distance: np.ndarray, nearer: slice, farther: int) -> np.ndarray:
    """log(T_farther / T_nearer) of the rows whose distances are above zero."""
    if distance.shape[1] < 2:
        return np.empty((0, 1))
    apart = distance[distance[:, 0] > 0]
    return np.log(apart[:, [farther]]) - np.log(apart[:, nearer])


def _from_logs(logs: np.ndarray, sampled: float) -> Dimension:
    if logs.size < 2:
        return Dimension(float("nan"), float("nan"))
    total = float(logs.sum())
    if total <= 0:
        return Dimension(float("inf"), float("nan"))
    estimate = (logs.size - 1) / total
    by_row = logs.mean(axis=1)
    if len(by_row) < 2:
        return Dimension(estimate, float("nan"))
    error_of_inverse = float(by_row.std(ddof=1)) * np.sqrt((1 + sampled) / len(by_row))
    return Dimension(estimate, float(estimate**2 * error_of_inverse))
