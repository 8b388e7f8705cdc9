"""Probabilities, odds and log-odds: three ways to say the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from margin.errors import InputError, ParameterError, closest, listing

__all__ = ["Odds", "logit", "odds", "odds_text", "probability"]

#: Odds nearer to 1 than this share are called even.
EVEN = 0.005
#: Beyond these odds the number itself says nothing any more.
MANY = 1e6


def odds(p: ArrayLike) -> Any:
    """How many times more probable something is than its opposite: p / (1 - p); infinite for 1.

    >>> odds(0.2)
    0.25
    >>> odds([0.5, 0.75])
    array([1., 3.])
    """
    given = _probabilities(p, "odds")
    with np.errstate(divide="ignore"):
        return _like(p, given / (1 - given))


def odds_text(p: ArrayLike) -> Any:
    """The odds as they are spoken of: against something that is less probable than not, on something that is more.

    Of an array a list of texts. Odds are rounded to three digits; those of small whole numbers are said by them.

    >>> odds_text(0.1), odds_text(0.75), odds_text(0.5), odds_text(0.4)
    ('9 to 1 against', '3 to 1 on', 'even', '3 to 2 against')
    >>> odds_text([0.0, 0.3, 0.9999])
    ['impossible', '7 to 3 against', '9,999 to 1 on']
    """
    given = _probabilities(p, "odds_text")
    found = [_spoken(float(value)) for value in given.ravel()]
    return found[0] if given.ndim == 0 else found


def _spoken(p: float) -> str:
    if p in (0.0, 1.0):
        return "certain" if p else "impossible"
    ratio, side = ((1 - p) / p, "against") if p < 0.5 else (p / (1 - p), "on")
    if ratio < 1 + EVEN:
        return "even"
    if ratio > MANY:
        return f"more than {MANY:,.0f} to 1 {side}"
    whole, parts = next(
        ((round(ratio * n), n) for n in (1, 2, 3, 4, 5) if abs(round(ratio * n) / n / ratio - 1) < 1e-3), (0, 0)
    )
    if parts and (parts == 1 or whole < 20):
        return f"{whole:,} to {parts} {side}"
    return f"{ratio:.3g} to 1 {side}" if ratio < 1000 else f"{ratio:,.0f} to 1 {side}"


def logit(p: ArrayLike) -> Any:
    """The logarithm of the odds: 0 for a half, positive above, negative below.

    >>> logit(0.5), round(logit(0.2), 4)
    (0.0, -1.3863)
    """
    given = _probabilities(p, "logit")
    with np.errstate(divide="ignore"):
        return _like(p, np.log(given) - np.log1p(-given))


def probability(log_odds: ArrayLike) -> Any:
    """The probability that has these log-odds: 1 / (1 + exp(-log_odds)), the inverse of :func:`logit`.

    >>> probability(0.0), round(probability(logit(0.2)), 10)
    (0.5, 0.2)
    """
    z = np.asarray(log_odds, dtype=np.float64)
    if np.isnan(z).any():
        raise InputError("probability(log_odds=…): log-odds must be numbers, but some are NaN.")
    e = np.exp(-np.abs(z))
    return _like(log_odds, np.where(z >= 0, 1.0, e) / (1.0 + e))


def _probabilities(p: ArrayLike, who: str) -> np.ndarray:
    try:
        given = np.asarray(p, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{who}(p={p!r}): p must be a probability or an array of them.") from None
    outside = given[~((given >= 0) & (given <= 1))]
    if outside.size:
        raise InputError(f"{who}(p={outside.flat[0]:g}): a probability lies between 0 and 1.")
    return given


def _like(given: Any, found: np.ndarray) -> Any:
    return float(found) if np.ndim(given) == 0 else found


@dataclass(frozen=True, eq=False)
class Odds:
    """How the classes stand against a reference class, row by row.

    Attributes
    ----------
    classes
        The classes, one per column.
    reference
        The class that all others are measured against: its own odds are 1, its log-odds 0.
    odds
        Probability of a class divided by that of the reference.
    logits
        Logarithms of the odds: linear in the columns of the table.
    """

    classes: np.ndarray
    reference: Any
    odds: np.ndarray
    logits: np.ndarray

    def __str__(self) -> str:
        labels = [str(label) for label in self.classes.tolist()]
        widths = [max(10, len(label)) for label in labels]
        lines = [f"odds against {self.reference!r}", "  ".join(map(str.rjust, labels, widths))]
        lines += ["  ".join(f"{value:{width}.4g}" for value, width in zip(row, widths)) for row in self.odds[:10]]
        return "\n".join(lines + ([f"… ({len(self.odds):,} rows in all)"] if len(self.odds) > 10 else []))


def reference_place(classes: np.ndarray, reference: object, who: str) -> int:
    """Which class is the reference: the first unless another is named."""
    labels = classes.tolist()
    if reference is None:
        return 0
    if reference not in labels:
        raise ParameterError(
            f"{who}(reference={reference!r}): the reference must be one of the classes, {listing(labels)}"
            f"{closest(reference, labels)}."
        )
    return int(labels.index(reference))


def odds_of(decisions: np.ndarray, classes: np.ndarray, reference: object, who: str) -> Odds:
    """Odds and log-odds from decisions: the log-odds of the second of two classes, else one score per class."""
    place = reference_place(classes, reference, who)
    if decisions.ndim == 1:
        decisions = np.column_stack([np.zeros(len(decisions)), decisions])[:, : len(classes)]
    logits = decisions - decisions[:, [place]]
    with np.errstate(over="ignore"):
        return Odds(classes, classes.tolist()[place], np.exp(logits), logits)
