r"""From the weights of right and wrong to what a rule's vote weighs, and what becomes of the weights.

Discrete votes. Of two classes, :math:`\alpha = \tfrac12\ln\frac{1-\varepsilon}{\varepsilon}`, weights are multiplied by
:math:`e^{-\alpha y h}` and divided by their sum :math:`Z`. Of K classes a vote weighs twice as much,
:math:`\ln\frac{1-\varepsilon}{\varepsilon}` (M1) and :math:`\ln (K-1)` more (SAMME), and the weights of wrong rows are
multiplied by :math:`e^{\alpha}`; with :math:`a = \alpha/2`, :math:`Z = (1-\varepsilon)e^{-a} + \varepsilon e^{a}` in
all cases: a row that the vote gets wrong had at least half of all votes against it, so that the training error is at
most the product of the Z.

Real votes (Schapire, Singer 1999; SAMME.R of Zhu, Zou, Rosset, Hastie 2009): half the log odds of two classes, and of K
classes :math:`(K-1)(\ln p_k - \overline{\ln p})`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from margin.data.weights import count_repeats

__all__ = ["ExactWeights", "Weighed", "discrete", "exactly_none", "factors_of", "real", "times_of", "weights_after"]

#: What a rule without errors is taken to get wrong: half of a row of so many.
PERFECT = 0.5


class Weighed(NamedTuple):
    """What comes of a rule. ``chance`` says that it is no better than guessing, ``perfect`` that it has no errors."""

    epsilon: float
    alpha: float
    z: float
    chance: bool
    perfect: bool

    @property
    def taken(self) -> bool:
        """A rule whose round was made is known by its ``Step``."""
        return False

    def ending(self, number: int) -> str:
        """Why the rounds end where the rule of a round is not taken."""
        return f"no rule of round {number} is better than chance (ε = {self.epsilon:.3f})"


def exactly_none(epsilon: float) -> float:
    """An error, and 0 where it is no more than what rounding to the grid of weights leaves of it."""
    return epsilon if epsilon > 1e-9 else 0.0


def discrete(epsilon: float, n_classes: int, algorithm: str, learning_rate: float, n_rows: float) -> Weighed:
    """The weight of a vote.

    >>> [round(float(x), 2) for x in discrete(0.3, 2, "SAMME", 1.0, 10)[:3]]
    [0.3, 0.42, 0.92]
    """
    extra = math.log(n_classes - 1) if algorithm == "SAMME" else 0.0
    limit = 1 - 1 / n_classes if algorithm == "SAMME" else 0.5
    held = min(max(epsilon, PERFECT / n_rows / 2), 1 - PERFECT / n_rows / 2)
    alpha = learning_rate * (math.log((1 - held) / held) + extra)
    half = alpha / 2
    z = (1 - epsilon) * math.exp(-half) + epsilon * math.exp(half)
    # Of two classes a rule that is mostly wrong is as good as its opposite.
    chance = abs(epsilon - 0.5) < 1e-10 if n_classes == 2 else epsilon >= limit - 1e-10
    perfect = epsilon <= 0.0 or (n_classes == 2 and epsilon >= 1.0)
    return Weighed(epsilon, half if n_classes == 2 else alpha, z, chance, perfect)


def real(shares: np.ndarray, learning_rate: float, n_rows: float) -> np.ndarray:
    """Votes by the shares of the classes, a row for each leaf or case: one number of two classes, else K.

    >>> real(np.array([[1.0, 3.0]]) / 4, 1.0, 10**9).round(3).tolist()
    [[0.549]]
    """
    floor = 1.0 / n_rows  # Schapire, Singer (1999), 4.2: no vote is infinite
    logs = np.log((shares + floor) / (shares.sum(axis=1, keepdims=True) + floor * shares.shape[1]))
    if shares.shape[1] == 2:
        return learning_rate * (logs[:, 1:] - logs[:, :1]) / 2
    return learning_rate * (shares.shape[1] - 1) * (logs - logs.mean(axis=1, keepdims=True))


def exponents(votes: np.ndarray, y: np.ndarray, algorithm: str) -> np.ndarray:
    """Minus the logarithm of what votes multiply the weight of each row by, up to a constant."""
    if votes.shape[1] == 1:
        return np.where(y == 1, votes[:, 0], -votes[:, 0])
    own = votes[np.arange(len(y)), y]
    return own / (votes.shape[1] - 1) if algorithm == "SAMME.R" else own


def factors_of(votes: np.ndarray, y: np.ndarray, algorithm: str) -> np.ndarray:
    """What votes multiply the weight of each row by, at most 1."""
    power = exponents(votes, y, algorithm)
    found: np.ndarray = np.exp(power.min() - power)
    return found


def weights_after(weight: np.ndarray, votes: np.ndarray, y: np.ndarray, algorithm: str) -> np.ndarray:
    """The weights of the next round, which the sum of the votes decides alone."""
    found = weight * factors_of(votes, y, algorithm)
    return np.maximum(found / found.sum(), 1e-290)


#: So many rows can be told apart on a grid of 52 bits; more are weights like any other.
MOST_REPEATED = 2**26


def times_of(given: np.ndarray) -> np.ndarray:
    """How many rows each row stands for: its weight, where that is a whole number for all, and else one."""
    return given if count_repeats(given) and given.sum() <= MOST_REPEATED else np.ones_like(given)


class ExactWeights:
    """Weights of rows on a grid on which all their sums are exact, 1 in the mean.

    A row of the whole-number weight k is k rows to boosting, also where two rules are equally good. So what one of
    them weighs is rounded, and not their sum: sums are then the same in all bits, and no tie is decided by the last.

    >>> once, often = ExactWeights(np.array([1.0, 3.0])), ExactWeights(np.ones(4))
    >>> once.follow(np.array([0.3, 0.1]))
    >>> often.follow(np.array([0.3, 0.1, 0.1, 0.1]))
    >>> bool(once.weight[1] == often.weight[1:].sum())
    True
    """

    def __init__(self, given: np.ndarray, there: np.ndarray | None = None) -> None:
        """``there`` says which pairs of a row and a label have a weight, and is left out where rows have weights."""
        self.times = times_of(given)
        start = given / self.times
        if there is not None:
            self.times, start = self.times[:, None] * there, start[:, None] * there
        self.n_cases = float(self.times.sum())
        self.unit = np.ones_like(start)
        self.follow(start)

    def follow(self, factor: np.ndarray) -> None:
        """Multiply the weights."""
        step = 2.0 ** (math.ceil(math.log2(self.n_cases)) - 51)
        unit = np.where(self.times > 0, self.unit * factor, 0.0)
        coarse = np.maximum(np.rint(unit / (unit.max() * step)), 1.0)
        mean = float((self.times * coarse).sum()) / self.n_cases
        self.unit = np.maximum(np.rint(coarse / (mean * step)), 1.0) * step
        self.weight = self.times * self.unit
        self.total = float(self.weight.sum())

    @property
    def shares(self) -> np.ndarray:
        """The weights as shares of their sum."""
        return self.weight / self.total
