"""Rows of several targets: which are sealed, and how the rest is cut; by chance, group, time or file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.data.splits import deal_folds
from margin.errors import DataError
from margin.evaluation import GroupFolds, GroupHoldOut, TimeHoldOut, TimeOrdered
from margin.experiment.spec import Spec
from margin.random import generator

__all__ = ["TargetRows"]

Split = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class TargetRows:
    """The rows that have all targets: their first target, and what says where they belong, as far as something does.

    ``own`` are those of a test file.
    """

    spec: Spec
    labels: np.ndarray
    groups: Any = None
    times: Any = None
    own: Any = None

    def sealed(self) -> Split:
        """The rows to learn from, and those that are sealed."""
        spec, n = self.spec, len(self.labels)
        if self.own is not None:
            if self.own.all() or not self.own.any():
                raise DataError(f"test={spec.test!r}: both tables must have rows with a value for every target.")
            return np.flatnonzero(~self.own), np.flatnonzero(self.own)
        if self.groups is not None or self.times is not None:
            by_time = TimeHoldOut(self.times, test_share=spec.test_share)
            protocol = by_time if self.groups is None else GroupHoldOut(self.groups, spec.test_share, spec.seed)
            train, test = next(iter(protocol.split(self.labels)))
            return np.asarray(train), np.asarray(test)
        order = generator(spec.seed, "sealed test of several targets").permutation(n)
        held = max(1, round(n * spec.test_share))
        return np.sort(order[held:]), np.sort(order[:held])

    def folds(self, train: np.ndarray) -> tuple[list[Split], str]:
        """The splits of the rows to learn from, counted from 0, and how they were made."""
        spec, n = self.spec, len(train)
        repeats = spec.n_repeats(n)
        protocol: Any = None
        if self.times is not None:
            protocol = TimeOrdered(self.times[train], folds=spec.folds)
        elif self.groups is not None:
            groups = self.groups[train]
            protocol = GroupFolds(groups, max(2, min(spec.folds, len(set(groups.tolist())))), repeats, spec.seed)
        if protocol is not None:
            return [(np.asarray(a), np.asarray(b)) for a, b in protocol.split(self.labels[train])], protocol.describe()
        folds = min(spec.folds, max(2, n))
        again = f", drawn {repeats} times" if repeats > 1 else ""
        splits = [split for repeat in range(repeats) for split in _dealt(n, folds, spec.seed, repeat)]
        return splits, f"{folds}-fold cross-validation{again}."


def _dealt(n: int, folds: int, seed: int, repeat: int) -> Iterator[Split]:
    order = np.argsort(generator(seed, "folds of several targets", repeat).permutation(n))
    units = np.ones(n, dtype=np.int64)
    for learn, held in deal_folds(np.ones(n), units, np.zeros(n, dtype=np.int64), folds, order):
        yield np.flatnonzero(learn), np.flatnonzero(held)
