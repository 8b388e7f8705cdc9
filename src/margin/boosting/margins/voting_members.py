"""Weak classifiers of any kind, learnt anew under the weights of each round, and their weighted votes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from margin.base.meta.members import Member, learn_member, naming
from margin.errors import ParameterError
from margin.typing import Encoded

__all__ = ["VotingMembers", "WeakLearner", "n_rows"]


def n_rows(X: Encoded) -> int:
    """How many rows there are, in either representation."""
    return len(X) if hasattr(X, "numeric") else int(X.shape[0])


@dataclass(eq=False)
class VotingMembers:
    """Weak classifiers for two sides, the weight of each vote, and numbers about the round that each comes from."""

    members: list[Member]
    weights: np.ndarray
    record: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))

    def votes(self, X: Encoded) -> Iterator[np.ndarray]:
        """What each member that counts says of each row, 1 or -1, times its weight."""
        for member, weight in zip(self.members, self.weights.tolist(), strict=True):
            if weight:
                yield weight * (2.0 * member.answers(X) - 1.0)

    def total(self, X: Encoded) -> np.ndarray:
        """The sum of the weighted votes."""
        found = np.zeros(n_rows(X))
        for vote in self.votes(X):
            found += vote
        return found


@dataclass(eq=False)
class WeakLearner:
    """Learns the same rows of two sides with other weights in every round."""

    model: Any
    X: Encoded
    is_yes: np.ndarray
    weight: np.ndarray
    who: str

    @property
    def y(self) -> np.ndarray:
        """1 for the one side and -1 for the other."""
        return np.where(self.is_yes, 1.0, -1.0)

    def learn(self, each: np.ndarray, number: int) -> tuple[Member, np.ndarray]:
        """A member from rows that count so much for each unit they weigh, and y h: 1 where right, -1 where not."""
        share = self.weight * each
        # Weights that add up to those of the rows, so that a penalty in the model means the same in every round.
        weight = share * (self.weight.sum() / share.sum())
        there = np.flatnonzero(weight > 0)
        with naming(self.who, f"the classifier of round {number}, {type(self.model).__name__},", "estimator"):
            member = learn_member(
                self.model, self.X[there], self.is_yes[there].astype(np.int32), weight[there], self.who
            )
            said = member.answers(self.X)
            if not np.isin(said, (0, 1)).all():
                raise ParameterError(f"it must answer one of the labels 0 and 1, not {np.unique(said).tolist()[:3]}")
        return member, self.y * (2.0 * said - 1.0)

    def ensemble(self, members: list[Member], weights: np.ndarray, record: np.ndarray) -> VotingMembers:
        """The members with the weights of their votes."""
        return VotingMembers(members, weights, record)
