"""Sub-gradient descent on the soft margin in the columns themselves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

import margin._core as _core
from margin import parallel
from margin.data.rows import row_blocks
from margin.linear.online.row_order import over_rows, padded
from margin.linear.presolve import Reduced
from margin.svm.pegasos.certificate import best_multiple, evened
from margin.svm.pegasos.rule import Earlier, Memory, Rule
from margin.typing import Encoded

__all__ = ["PrimalDescent", "of_all_columns"]

#: Beyond so many rows times scores it is not remembered how often each row was too close, and nothing is proved.
MOST_REMEMBERED = 1 << 24


@dataclass
class PrimalDescent:
    """A run over clean rows X with classes y; ``weight`` are the factors of the steps, ``share`` what each row counts.

    The shares are None where nothing is to be judged (rows that come in parts).
    """

    rule: Rule
    X: Any
    y: np.ndarray
    weight: np.ndarray | None
    share: np.ndarray | None
    memory: Memory

    def __post_init__(self) -> None:
        self._earlier = Earlier(self.rule)

    @classmethod
    def begin(
        cls, rule: Rule, X: Encoded, y: np.ndarray, n_scores: int, weight: np.ndarray | None, share: np.ndarray | None
    ) -> PrimalDescent:
        remembers = share is not None and n_scores * X.shape[0] <= MOST_REMEMBERED
        memory = Memory.empty(n_scores, padded(X.shape[1]), X.shape[0] if remembers else None, late=0)
        return cls(rule, X, y, weight, share, memory)

    def make_pass(self, order: np.ndarray | None) -> None:
        """Visit rows in the given order."""
        m, averages = self.memory, self.rule.average is not None
        if self.rule.project and not hasattr(self, "_squares"):
            self._squares = squares_of(self.X)
        t = over_rows(
            _core.svm.pegasos_pass, self.X, self.rule.settings(), self.y, self.weight,
            self._squares if self.rule.project else None, order, m.scalars, m.weights, m.sums if averages else None,
            m.beta, None, m.t,
        )  # fmt: skip
        self.memory = replace(m, t=t)

    def layer(self) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and intercepts that answer."""
        m = self.memory
        return m.answer(self.rule, m.weights, m.sums)[:, : self.X.shape[1]], m.intercepts()

    def is_finite(self) -> bool:
        """Whether the weights are still numbers."""
        return bool(np.isfinite(self.memory.weights).all() and np.isfinite(self.memory.scalars).all())

    def objective(self) -> np.ndarray:
        """λ/2 ‖w‖² + the mean hinge loss, of each score. One look at the rows."""
        assert self.share is not None
        m = self.memory
        coef, scalars = m.answer(self.rule, m.weights, m.sums), m.scalars.copy()
        scalars[0] = m.intercepts()
        hinge = over_rows(_core.svm.hinge_losses, self.X, self.y, self.share, coef, scalars, parallel.n_threads())
        return self.rule.lambda_ / 2 * np.square(coef).sum(axis=1) + hinge

    def lower_bound(self) -> np.ndarray:
        """What the objective of each score is at least. One look at the rows."""
        assert self.share is not None
        m = self.memory
        if m.beta is None:
            return np.zeros(m.scalars.shape[1])
        found = [m.last(self.rule, m.beta), *(self._earlier.since(self.rule, m.t, m.beta) or ())]
        # Any such weights, cut to what is allowed, are a point of the dual.
        a = np.minimum(np.maximum(self.rule.lambda_ * np.concatenate(found), 0.0), self.share)
        positive = np.tile(self._positive, (len(found), 1))
        if self.rule.intercept:
            a = evened(a, positive)
        w = np.zeros((len(a), padded(self.X.shape[1])))
        over_rows(_core.svm.weighted_sums, self.X, np.where(positive, a, -a), w, parallel.n_threads())
        bounds = best_multiple(a.sum(axis=1), np.square(w).sum(axis=1) / (2 * self.rule.lambda_))
        return bounds.reshape(len(found), -1).max(axis=0)

    def note(self) -> None:
        """Remember this moment for later bounds."""
        if self.memory.beta is not None:
            self._earlier.note(self.memory.t, self.memory.beta)

    def longest(self) -> float:
        """R, the length of the longest row."""
        return float(np.sqrt(squares_of(self.X).max(initial=0.0)))

    @cached_property
    def _positive(self) -> np.ndarray:
        """Scores × rows: whether the row is one of the score's class."""
        n_scores = self.memory.scalars.shape[1]
        return (self.y == 1)[None] if n_scores == 1 else self.y[None] == np.arange(n_scores)[:, None]


def of_all_columns(memory: Memory, part: Reduced) -> Memory:
    """The memory for all columns, those left out of the rows included; rows are forgotten."""

    def widened(given: np.ndarray) -> np.ndarray:
        found = np.zeros((len(given), padded(part.n_columns)))
        found[:, part.columns] = given[:, : len(part.columns)] / part.unit
        return found

    return replace(memory, weights=widened(memory.weights), sums=widened(memory.sums), beta=None, beta_sums=None)


def squares_of(X: Encoded) -> np.ndarray:
    """The squared length of each row."""
    if not isinstance(X, np.ndarray):
        row_of = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        return np.bincount(row_of, np.square(X.data, dtype=np.float64), X.shape[0])
    found = np.empty(len(X))
    for block in row_blocks(len(X)):
        # one column after another, as of sparse rows: the same matrix has the same lengths however it is stored
        found[block] = np.square(_numbers(X[block]).T, order="C").sum(axis=0)
    return found


def _numbers(X: Encoded) -> Any:
    """Rows in double precision; of float32 never more than a block at a time."""
    return X.astype(np.float64, copy=False) if isinstance(X, np.ndarray) else X
