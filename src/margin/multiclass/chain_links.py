"""Links of a chain, learnt one after another: from true labels, or from what earlier links say of rows unknown to
them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from margin.base.meta.cross_fitting import splits_of
from margin.base.meta.members import Kind, Member, learn_member
from margin.base.representations.representation import TrainingRows
from margin.data.splits import Split
from margin.errors import ParameterError
from margin.multiclass.feeding import Feeding, one_hot
from margin.typing import Encoded, SeedLike

__all__ = ["Chain", "ChainRows", "Units", "held_out_codes", "learn_cross_fitted", "learn_link"]


class Chain:
    """One order of the targets, and a member for each, in that order."""

    def __init__(self, order: np.ndarray, members: list[Member]) -> None:
        self.order = order
        self.members = members

    def walk(self, X: Encoded, feeding: Feeding, kind: Kind, wanted: Kind, who: str) -> list[np.ndarray]:
        """What the members say, each knowing what those before it answered: a matrix for each target, as they came."""
        found: list[Any] = [None] * len(self.order)
        fed: list[np.ndarray] = []
        for place, (j, member) in enumerate(zip(self.order.tolist(), self.members)):
            n_classes = len(feeding.classes[j])
            rows = feeding.extended(X, self.order[:place].tolist(), fed)
            scores = member.scores(rows, n_classes, kind, who)
            fed.append(fed_shares(scores, feeding.probabilities))
            found[j] = scores if wanted == kind else member.decisions(rows, n_classes, who)
        return found


def fed_shares(scores: np.ndarray, probabilities: bool) -> np.ndarray:
    """What a link is told of an earlier one's answer: its probabilities, or its label as a certainty."""
    return scores if probabilities else one_hot(scores.argmax(axis=1), scores.shape[1])


@dataclass(frozen=True, eq=False)
class ChainRows:
    """What all chains learn from: rows, the codes of all targets, weights, and a classifier to copy."""

    model: Any
    X: Encoded
    y: np.ndarray
    weight: np.ndarray | None
    feeding: Feeding
    kind: Kind
    who: str
    groups: np.ndarray | None = None

    def true_shares(self, j: int) -> np.ndarray:
        return one_hot(self.y[:, j], len(self.feeding.classes[j]))


def learn_link(rows: ChainRows, order: np.ndarray, place: int) -> Member:
    """A member that learns its target from the rows and the true labels of the targets before it."""
    before = order[:place].tolist()
    X = rows.feeding.extended(rows.X, before, [rows.true_shares(j) for j in before])
    return learn_member(rows.model, X, rows.y[:, order[place]], rows.weight, rows.who, rows.groups)


@dataclass(frozen=True, eq=False)
class Units:
    """The rows, each as often as it is in a different fold, and the fold in which it is held out.

    A row of whole-number weight 3 is three units, as if it stood there three times.
    """

    rows: np.ndarray
    weight: np.ndarray
    fold: np.ndarray

    @classmethod
    def dealt(cls, cv: Any, rows: TrainingRows, seed: SeedLike, who: str) -> Units | None:
        """Rows dealt out to so many folds, or by given splits; None for a single unit, of which nothing is held out."""
        n = len(rows.weights())
        splits = splits_of(cv, np.zeros(n, dtype=np.int64), rows, seed, who)
        held = np.concatenate([test.rows for _, test in splits]) if splits else np.empty(0)
        if not isinstance(cv, (int, np.integer)) and not np.array_equal(np.sort(held), np.arange(n)):
            raise ParameterError(f"{who}(cv=…): every row must be held out in one of the splits, and in no other.")
        return cls._of(splits) if splits else None

    @classmethod
    def _of(cls, splits: list[Split]) -> Units:
        rows = np.concatenate([test.rows for _, test in splits])
        held = np.concatenate([test.weights for _, test in splits])
        fold = np.repeat(np.arange(len(splits)), [len(test) for _, test in splits])
        order = np.lexsort((fold, rows))
        return cls(rows[order], held[order], fold[order])

    def whole(self, rows: ChainRows) -> ChainRows:
        """The rows of the units."""
        weight = None if rows.weight is None else self.weight
        groups = None if rows.groups is None else rows.groups[self.rows]
        return replace(rows, X=rows.X[self.rows], y=rows.y[self.rows], weight=weight, groups=groups)


def held_out_codes(rows: ChainRows, X: Encoded, j: int, units: Units) -> np.ndarray:
    """What members that have not learnt from a unit's fold say of it: a share for each class of target j."""
    n_classes = len(rows.feeding.classes[j])
    found = np.empty((len(units.fold), n_classes))
    for fold in range(int(units.fold.max()) + 1):
        learning, held = np.flatnonzero(units.fold != fold), np.flatnonzero(units.fold == fold)
        weight = None if rows.weight is None else rows.weight[learning]
        groups = None if rows.groups is None else rows.groups[learning]
        member = learn_member(rows.model, X[learning], rows.y[learning, j], weight, rows.who, groups)
        found[held] = fed_shares(member.scores(X[held], n_classes, rows.kind, rows.who), rows.feeding.probabilities)
    return found


def learn_cross_fitted(rows: ChainRows, order: np.ndarray, units: Units) -> Chain:
    """A chain whose links learn from what earlier ones say of rows they have not learnt from, as it will be."""
    given = units.whole(rows)
    members: list[Member] = []
    fed: list[np.ndarray] = []
    for place, j in enumerate(order.tolist()):
        X = rows.feeding.extended(given.X, order[:place].tolist(), fed)
        members.append(learn_member(rows.model, X, given.y[:, j], given.weight, rows.who, given.groups))
        if place + 1 < len(order):
            fed.append(held_out_codes(given, X, j, units))
    return Chain(order, members)
