"""Several classes out of machines for two: every pair of classes, or each class against the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

import margin._core as _core
from margin.linear.presolve import NEVER

__all__ = ["LaidOut", "Layout", "Multiclass", "Signed", "Weighted", "laid_out", "widened_pairs", "widened_scores"]

Multiclass = Literal["one_vs_one", "one_vs_rest"]


@dataclass(frozen=True)
class Signed:
    """A problem of two classes: which rows take part, and on which side."""

    rows: np.ndarray
    sign: np.ndarray


@dataclass(frozen=True)
class Weighted(Signed):
    """Such a problem with the weights of its rows."""

    weight: np.ndarray


@dataclass(frozen=True)
class Layout:
    """Which problems are solved for so many classes, and how their decisions become answers.

    Two classes are one problem, in which the second is the positive one. In a pair (a, b) of more classes the first is
    the positive one, and pairs come in the order (0, 1), (0, 2), …, (1, 2), …; both are scikit-learn's ways.
    """

    n_classes: int
    multiclass: Multiclass

    @property
    def in_pairs(self) -> bool:
        return self.n_classes > 2 and self.multiclass == "one_vs_one"

    @property
    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """The first and the second class of every pair."""
        return np.triu_indices(self.n_classes, 1)

    @property
    def n_problems(self) -> int:
        if self.n_classes <= 2:
            return self.n_classes - 1
        return self.n_classes * (self.n_classes - 1) // 2 if self.in_pairs else self.n_classes

    def sides(self) -> list[tuple[int, int | None]]:
        """The positive and the negative class of each problem; None is all others."""
        if self.n_classes == 2:
            return [(1, 0)]
        if self.in_pairs:
            return [(int(a), int(b)) for a, b in zip(*self.pairs)]
        return [(k, None) for k in range(self.n_classes)]

    def problems(self, y: np.ndarray) -> list[Signed]:
        """The problems over rows of classes 0 … ``n_classes`` - 1, rows in their order."""
        members = [np.flatnonzero(y == k) for k in range(self.n_classes)]
        found = []
        for positive, negative in self.sides():
            if negative is None or self.n_classes == 2:
                rows = np.arange(len(y))
            else:
                rows = np.sort(np.concatenate([members[positive], members[negative]]))
            found.append(Signed(rows.astype(np.uint32), np.where(y[rows] == positive, 1.0, -1.0)))
        return found

    def decisions(self, sums: np.ndarray, intercept: np.ndarray, n_threads: int = 1) -> np.ndarray:
        """Rows × problems, out of the sums of an expansion (rows × parts × sums)."""
        if not self.in_pairs:
            return sums[:, 0, :] + intercept
        return _core.svm.pair_decisions(sums.ravel(), intercept, self.n_classes, n_threads)

    def answers(self, decisions: np.ndarray, n_threads: int = 1) -> np.ndarray:
        """The class of each row: by sign, most votes of pairs or largest decision; ties go to the first."""
        if self.n_classes == 2:
            return (decisions[:, 0] > 0).astype(np.intp)
        return _core.svm.pair_winners(decisions, self.n_classes, n_threads) if self.in_pairs else decisions.argmax(1)

    def scores(self, decisions: np.ndarray, n_threads: int = 1) -> np.ndarray:
        """One score for each class; of pairs the votes, and how clear they were as less than half a vote.

        The sum of the decisions in favour of a class, c, counts c / (3 (|c| + 1)), which lies between -1/3 and 1/3.
        """
        if self.n_classes == 2:
            return np.column_stack([-decisions[:, 0], decisions[:, 0]])
        return _core.svm.pair_scores(decisions, self.n_classes, n_threads) if self.in_pairs else decisions


@dataclass(frozen=True)
class LaidOut:
    """Solutions of all problems as one table: support vectors by class, one column each."""

    support: np.ndarray
    n_support: np.ndarray
    coef: np.ndarray
    bounds: np.ndarray


def laid_out(layout: Layout, y: np.ndarray, problems: list[Signed], alphas: list[np.ndarray]) -> LaidOut:
    """Signed weights of all problems in scikit-learn's layout.

    One-versus-one has a row less than classes: a vector of class a has its weight in the pair with a later class b in
    row b - 1, and with an earlier one in row b. Other layouts have a row for each problem.
    """
    used = np.zeros(len(y), dtype=bool)
    for problem, alpha in zip(problems, alphas):
        used[problem.rows[alpha > 0]] = True
    support = np.flatnonzero(used)
    support = support[np.argsort(y[support], kind="stable")]
    n_support = np.bincount(y[support], minlength=layout.n_classes).astype(np.int32)
    column = np.full(len(y), -1)
    column[support] = np.arange(len(support))
    coef = np.zeros((layout.n_classes - 1 if layout.in_pairs else len(problems), len(support)))
    for i, ((positive, negative), problem, alpha) in enumerate(zip(layout.sides(), problems, alphas)):
        at = np.flatnonzero(alpha > 0)
        rows, values = problem.rows[at], (alpha * problem.sign)[at]
        if layout.in_pairs and negative is not None:
            coef[np.where(y[rows] == positive, negative - 1, positive), column[rows]] = values
        else:
            coef[i, column[rows]] = values
    ends = np.cumsum(n_support) if layout.in_pairs else np.array([len(support)])
    return LaidOut(support, n_support, coef, np.concatenate([[0], ends]).astype(np.int64))


def widened_scores(scores: np.ndarray, places: np.ndarray, n_classes: int) -> np.ndarray:
    """Scores of the classes at ``places`` among all classes; those without rows are never answered."""
    if len(places) == n_classes:
        return scores
    found = np.full((len(scores), n_classes), NEVER)
    found[:, places] = scores
    return found


def widened_pairs(layout: Layout, decisions: np.ndarray, places: np.ndarray, n_classes: int) -> np.ndarray:
    """Decisions of pairs of classes at ``places`` among all pairs; a class without rows loses to any with some."""
    if len(places) == n_classes:
        return decisions
    first, second = np.triu_indices(n_classes, 1)
    there = np.isin(np.arange(n_classes), places)
    found = np.tile(np.where(there[first], -NEVER, 0.0) + np.where(there[second], NEVER, 0.0), (len(decisions), 1))
    both = there[first] & there[second]
    found[:, both] = -decisions if layout.n_classes == 2 else decisions
    return found
