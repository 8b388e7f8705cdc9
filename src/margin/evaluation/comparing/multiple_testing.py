"""P-values that allow for the number of tests: the family of corrections.

To add one, write a function from p-values to corrected ones and put it into the list at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from margin.errors import ParameterError, closest

__all__ = [
    "CORRECTIONS",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bonferroni",
    "correct",
    "hochberg",
    "holm",
    "hommel",
    "uncorrected",
]

PValues = Sequence[float] | np.ndarray


def correct(p_values: PValues, correction: str = "holm") -> list[float]:
    """P-values corrected by the method of that name, in the order given.

    >>> correct([0.01, 0.04, 0.03], "bonferroni")
    [0.03, 0.12, 0.09]
    """
    if correction not in CORRECTIONS:
        known = ", ".join(map(repr, CORRECTIONS))
        raise ParameterError(
            f"correct(correction={correction!r}): correction must be one of {known}{closest(correction, CORRECTIONS)}."
        )
    given = np.asarray(p_values, dtype=np.float64)
    if given.ndim != 1 or not ((given >= 0) & (given <= 1)).all():
        raise ParameterError(f"correct(p_values={p_values!r}): p-values must be a list of numbers between 0 and 1.")
    return CORRECTIONS[correction](given)


def uncorrected(p_values: PValues) -> list[float]:
    """P-values as they are: for a single test planned in advance.

    >>> uncorrected([0.01, 0.04])
    [0.01, 0.04]
    """
    return [float(p) for p in p_values]


def bonferroni(p_values: PValues) -> list[float]:
    """Each p times the number of tests: simple, and never better than Holm.

    >>> bonferroni([0.01, 0.4])
    [0.02, 0.8]
    """
    return [min(1.0, len(p_values) * float(p)) for p in p_values]


def holm(p_values: PValues) -> list[float]:
    """P-values corrected so that the chance of any false claim among them stays below the level (Holm 1979).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    p, order = _ascending(p_values)
    return _placed(np.maximum.accumulate(np.arange(len(p), 0, -1) * p), order)


def hochberg(p_values: PValues) -> list[float]:
    """As Holm but stepping up from the largest p, for tests that are independent or positively related (Hochberg 1988).

    >>> hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    p, order = _ascending(p_values)
    return _placed(_least_from_above(np.arange(len(p), 0, -1) * p), order)


def hommel(p_values: PValues) -> list[float]:
    """Closed testing with Simes' inequality: a little sharper than Hochberg, on the same condition (Hommel 1988).

    Corrected p of test i is the greatest, over all sets of tests that hold i, of Simes' p of the set. The hardest set
    of a size is made of i and the largest other p-values, which leaves one set per size to look at.

    >>> [round(p, 4) for p in hommel([0.01, 0.02, 0.022, 0.09])]
    [0.03, 0.04, 0.044, 0.09]
    """
    p, order = _ascending(p_values)
    m = len(p)
    corrected = p.copy()
    for size in range(2, m + 1):
        largest = p[m - size + 1 :]  # the size - 1 largest
        shares = size / np.arange(2, size + 1)
        simes = float((shares * largest).min())
        inside = np.arange(m) >= m - size + 1
        # A test outside of the largest ones comes in as the smallest of the set; one inside needs one more beside it,
        # and the smallest that can be had is the next below, whose own Simes term bounds the set as well.
        joined = np.minimum(size * p, simes)
        with_next = min(float(size * p[m - size]), simes)
        corrected = np.maximum(corrected, np.where(inside, with_next, joined))
    return _placed(corrected, order)


def benjamini_hochberg(p_values: PValues) -> list[float]:
    """P-values corrected so that the expected share of false claims among the claims stays below the level (1995).

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    p, order = _ascending(p_values)
    return _placed(_least_from_above(len(p) / np.arange(1, len(p) + 1) * p), order)


def benjamini_yekutieli(p_values: PValues) -> list[float]:
    """As Benjamini and Hochberg, however the tests depend on one another (2001).

    >>> [round(p, 3) for p in benjamini_yekutieli([0.01, 0.04, 0.03])]
    [0.055, 0.073, 0.073]
    """
    p, order = _ascending(p_values)
    harmonic = (1 / np.arange(1, len(p) + 1)).sum()
    return _placed(_least_from_above(harmonic * len(p) / np.arange(1, len(p) + 1) * p), order)


def _ascending(p_values: PValues) -> tuple[np.ndarray, np.ndarray]:
    given = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(given, kind="stable")
    return given[order], order


def _least_from_above(values: np.ndarray) -> np.ndarray:
    return np.minimum.accumulate(values[::-1])[::-1]


def _placed(ascending: np.ndarray, order: np.ndarray) -> list[float]:
    corrected = np.empty(len(order))
    corrected[order] = np.minimum(ascending, 1.0)
    return corrected.tolist()


#: The corrections, by name. Validation and documentation read this list.
CORRECTIONS: Mapping[str, Callable[[PValues], list[float]]] = MappingProxyType(
    {
        each.__name__: each
        for each in (holm, bonferroni, hochberg, hommel, benjamini_hochberg, benjamini_yekutieli, uncorrected)
    }
)
