"""The rule of sub-gradient descent on the soft margin, and what it remembers from one step to the next."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

import margin._core as _core
from margin.linear.online.row_order import Visiting
from margin.random import generator
from margin.typing import SeedLike

__all__ = ["Earlier", "Memory", "Rule", "Visits"]

# Rows of the scalars of a memory, as the core reads them.
INTERCEPT, CONTRACTION, SIGMA, INTERCEPT_SUM, AVERAGED = range(5)


@dataclass(frozen=True)
class Rule:
    """Parameters of :class:`margin.PegasosClassifier`, checked; ``eta`` 0 stands for steps of 1 / (λ t)."""

    lambda_: float
    eta: float
    batch: int
    intercept: bool
    project: bool
    average: str | None
    #: The first step to be averaged, where there is an average.
    average_from: float

    def settings(self) -> _core.svm.PegasosSettings:
        """The same for the core."""
        first = 0.0 if self.average is None else self.average_from
        return _core.svm.PegasosSettings(
            self.lambda_, self.eta, self.batch, self.intercept, first, self.average == "weighted"
        )


@dataclass(frozen=True)
class Memory:
    """What a pass goes on from.

    ``weights`` and ``sums`` are what the weights are made of and what averages know of it, one row per score: in
    the columns themselves v = Σ β y x (padded), with a kernel the sums Σ β k(x_j, x_i) of all rows i, first over the
    negative rows j, then over the positive ones. ``beta`` and ``beta_sums`` are the same of the rows, score by row.
    ``late`` is 1 where the weights of step t are Σ β y x / (λ t), and 0 where they are Σ β y x / (λ (t - 1)).
    """

    scalars: np.ndarray
    weights: np.ndarray
    sums: np.ndarray
    beta: np.ndarray | None
    beta_sums: np.ndarray | None
    late: int
    t: float = 1.0

    @classmethod
    def empty(cls, n_scores: int, width: int, n_rows: int | None, late: int) -> Memory:
        """Before the first step; without a number of rows nothing is remembered of them."""
        scalars = np.zeros((5, n_scores))
        scalars[CONTRACTION] = 1
        weights, sums = np.zeros((2, n_scores, width))
        beta, beta_sums = (None, None) if n_rows is None else np.zeros((2, n_scores, n_rows))
        return cls(scalars, weights, sums, beta, beta_sums, late)

    def copy(self) -> Memory:
        """The same with arrays of its own, for a pass to change."""

        def of(given: np.ndarray | None) -> np.ndarray | None:
            return None if given is None else given.copy()

        return replace(
            self, scalars=self.scalars.copy(), weights=self.weights.copy(), sums=self.sums.copy(), beta=of(self.beta),
            beta_sums=of(self.beta_sums),
        )  # fmt: skip

    @property
    def averages(self) -> bool:
        """Whether averaging has begun."""
        return bool(self.scalars[AVERAGED].any())

    def last(self, rule: Rule, given: np.ndarray) -> np.ndarray:
        """The latest value of something that is kept as ``weights`` or ``beta`` are."""
        steps = self.t - 1 + self.late
        scale = 1.0 if rule.eta > 0 else 1 / (rule.lambda_ * steps) if steps > 0 else 0.0
        return given * (scale * self.scalars[CONTRACTION])[:, None]

    def averaged(self, given: np.ndarray, sums: np.ndarray) -> np.ndarray:
        """Its average over the steps that count."""
        return (sums + self.scalars[SIGMA][:, None] * given) / self.scalars[AVERAGED][:, None]

    def answer(self, rule: Rule, given: np.ndarray, sums: np.ndarray) -> np.ndarray:
        """What answers are made of: the average once it has begun."""
        return self.averaged(given, sums) if self.averages else self.last(rule, given)

    def intercepts(self) -> np.ndarray:
        """The intercepts that go with it."""
        if not self.averages:
            return self.scalars[INTERCEPT].copy()
        return self.scalars[INTERCEPT_SUM] / self.scalars[AVERAGED]


class Earlier:
    """Copies of what is kept at some moments of a run, so that its first steps, all too long, can be left out.

    The steps since then alone make (what is kept now - what was kept then) / (λ · steps) of it.
    """

    def __init__(self, rule: Rule) -> None:
        self.works = rule.eta == 0 and not rule.project  # otherwise what is kept has another unit by now
        self._moments: list[tuple[float, tuple[np.ndarray, ...]]] = []

    def note(self, t: float, *kept: np.ndarray) -> None:
        """Remember this moment, and forget all but the last two."""
        if self.works:
            self._moments = [*self._moments[-1:], (t, tuple(each.copy() for each in kept))]

    def since(self, rule: Rule, t: float, *kept: np.ndarray) -> tuple[np.ndarray, ...] | None:
        """What the last third of the steps or more, but not all, makes of it; None where nothing was noted then."""
        for then, before in reversed(self._moments):
            if t - 1 >= 1.4 * (then - 1):
                return tuple((now - was) / (rule.lambda_ * (t - then)) for now, was in zip(kept, before, strict=True))
        return None


@dataclass(frozen=True)
class Visits:
    """The rows of each pass: all of them in a random order, or as many drawn one by one with ``replace``."""

    passes: Visiting
    seed: int | None

    @classmethod
    def of(
        cls, n_rows: int, repeats: np.ndarray | None, shuffle: bool, replace: bool, random_state: SeedLike
    ) -> Visits:
        passes = Visiting.of(n_rows, repeats, shuffle, random_state, "pegasos")
        return cls(passes, passes.seed if replace and shuffle else None)

    def steps(self, batch: int) -> int:
        """Steps in one pass."""
        return math.ceil(self.passes.n / batch)

    def order(self, number: int) -> np.ndarray | None:
        """The rows of one pass in the order in which they are visited; None for all of them as they stand."""
        if self.seed is None:
            return self.passes.order(number)
        drawn = generator(self.seed, "draws", number).integers(self.passes.n, size=self.passes.n, dtype=np.uint32)
        return drawn if self.passes.rows is None else self.passes.rows.take(drawn)
