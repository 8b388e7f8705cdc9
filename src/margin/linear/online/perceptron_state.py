"""What a perceptron remembers between passes: weights, what their averages need, and the vectors that vote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from margin.linear.online.row_order import padded
from margin.linear.presolve import NEVER, Reduced
from margin.typing import Encoded

__all__ = ["Log", "Memory", "Voters", "all_columns", "votes_of"]

#: So many mistakes are listed row by row; passes after that are counted only.
LOGGED = 1_000_000
#: A voted perceptron keeps its latest vectors: so many, or as many as have this number of cells.
MOST_VOTERS = 1_000
VOTER_CELLS = 1 << 25
# Products of rows with all voters at a time.
VOTES_AT_ONCE = 1 << 22


class Log:
    """Mistakes pass by pass: rows as long as there is room, numbers always; ``kept`` are the given rows that count."""

    def __init__(self, passes: Sequence[np.ndarray], counts: Sequence[int], kept: np.ndarray | None = None) -> None:
        self.passes, self.counts, self.kept = list(passes), list(counts), kept
        self.room = LOGGED - sum(map(len, passes)) if len(self.passes) == len(self.counts) else 0

    def note(self, rows: np.ndarray, n: int) -> None:
        """A pass with n mistakes, of which the first that there was room for are known by row."""
        if len(self.passes) == len(self.counts) and n == len(rows):
            self.passes.append(rows if self.kept is None else self.kept[rows])
            self.room -= n
        else:
            self.room = 0
        self.counts.append(n)


@dataclass(frozen=True)
class Voters:
    """Weight vectors of a voted perceptron, the oldest first: n × scores × columns, n × scores, and visits survived."""

    coef: np.ndarray
    intercept: np.ndarray
    survived: np.ndarray


@dataclass(frozen=True)
class Memory:
    """What a perceptron goes on from: weights (padded), the sums behind their averages, the vectors that may vote."""

    w: np.ndarray
    b: np.ndarray
    late_w: np.ndarray | None
    late_b: np.ndarray | None
    voters: np.ndarray | None
    survived: np.ndarray | None
    age: float = 0.0
    made: int = 0

    @classmethod
    def empty(cls, n_scores: int, width: int, variant: str) -> Memory:
        w, b = np.zeros((n_scores, padded(width))), np.zeros(n_scores)
        if variant == "plain":
            return cls(w, b, None, None, None, None)
        if variant == "averaged":
            return cls(w, b, w.copy(), b.copy(), None, None)
        cells = w.size + b.size
        n = max(1, min(MOST_VOTERS, VOTER_CELLS // cells))
        return cls(w, b, w.copy(), b.copy(), np.zeros((n, cells)), np.zeros(n))

    def copy(self) -> Memory:
        """The same with arrays of its own, for a pass to change."""
        arrays = ("w", "b", "late_w", "late_b", "voters", "survived")
        return replace(self, **{name: a.copy() for name in arrays if (a := getattr(self, name)) is not None})

    def weights(self, width: int) -> tuple[np.ndarray, np.ndarray]:
        """Weights and intercepts: the latest, or their mean over all visits where that is kept."""
        if self.late_w is None or self.late_b is None or self.age == 0:
            return self.w[:, :width].copy(), self.b.copy()
        return self.w[:, :width] - self.late_w[:, :width] / self.age, self.b - self.late_b / self.age

    def electorate(self, width: int) -> Voters | None:
        """The vectors that vote, the oldest first."""
        if self.voters is None or self.survived is None or self.made == 0:
            return None
        capacity, n_scores = len(self.voters), len(self.b)
        order = np.arange(max(0, self.made - capacity), self.made) % capacity
        cells = self.voters[order]
        coef = cells[:, : self.w.size].reshape(len(order), n_scores, -1)[:, :, :width]
        return Voters(coef.copy(), cells[:, self.w.size :].copy(), self.survived[order])


def votes_of(X: Encoded, voters: Voters, n_classes: int) -> np.ndarray:
    """The share of the votes for each class of each row."""
    n, (n_voters, n_scores, width) = X.shape[0], voters.coef.shape
    flat = voters.coef.reshape(-1, width).T
    shares = np.empty((n, n_classes))
    for first in range(0, n, step := max(1, VOTES_AT_ONCE // (n_voters * n_scores))):
        scores = np.asarray(X[first : first + step] @ flat).reshape(-1, n_voters, n_scores) + voters.intercept
        best = (scores[:, :, 0] > 0).astype(np.intp) if n_scores == 1 else scores.argmax(axis=2)
        for k in range(n_classes):
            shares[first : first + step, k] = (best == k) @ voters.survived  # exact: whole numbers
    return shares / voters.survived.sum()


def all_columns(memory: Memory, part: Reduced) -> Memory:
    """A memory to go on from with all columns and classes; those left out begin at 0."""

    def whole(w: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        coef, intercept = part.whole(w[:, : len(part.columns)], b)
        wide = np.zeros((len(coef), padded(part.n_columns)))
        wide[:, : part.n_columns] = coef
        return wide, np.where(np.abs(intercept) >= -NEVER, 0.0, intercept)

    found = Memory.empty(1 if part.n_classes <= 2 else part.n_classes, part.n_columns, "plain")
    w, b = whole(memory.w, memory.b)
    found = replace(found, w=w, b=b, age=memory.age)
    if memory.late_w is None or memory.late_b is None:
        return found
    late_w, late_b = whole(memory.late_w, memory.late_b)
    found = replace(found, late_w=late_w, late_b=late_b)
    if memory.voters is None:
        return found
    fresh = Memory.empty(len(b), part.n_columns, "voted")
    assert fresh.voters is not None
    assert fresh.survived is not None
    known = memory.electorate(len(part.columns))
    if known is None:
        return replace(found, voters=fresh.voters, survived=fresh.survived)
    n = min(len(known.survived), len(fresh.voters))
    for at in range(n):
        vector, intercept = whole(known.coef[at - n], known.intercept[at - n])
        fresh.voters[at] = np.append(vector.ravel(), intercept)
        fresh.survived[at] = known.survived[at - n]
    return replace(found, voters=fresh.voters, survived=fresh.survived, made=n)
