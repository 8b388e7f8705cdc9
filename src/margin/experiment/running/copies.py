"""Copies of a row, kept on one side of every split: a model that has seen one would be asked about what it knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from margin.evaluation.protocols.stratified import Split, SplitProtocol
from margin.typing import LabelsLike

__all__ = ["Together", "n_copies"]


@dataclass(frozen=True, eq=False)
class Together:
    """Another protocol's splits, made among different rows; every copy goes where the first of its kind went.

    ``sets`` numbers the rows: equal rows have equal numbers. Only as many folds are made as the rarest class has
    different rows, since that many are what the protocol sees.

    >>> from margin.evaluation import StratifiedFolds
    >>> folds = Together(StratifiedFolds(2), np.array([0, 1, 0, 2, 3, 0]))
    >>> [sorted(test.tolist()) for _, test in folds.split(["a", "a", "a", "b", "b", "a"])]
    [[0, 2, 3, 5], [1, 4]]
    """

    inner: SplitProtocol
    sets: np.ndarray = field(repr=False)

    @property
    def judged_by(self) -> Any:
        return self.inner.judged_by

    @property
    def caution(self) -> str:
        return self.inner.caution

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def n_fits(self) -> int | None:
        return self.inner.n_fits

    def split(self, y: LabelsLike) -> Iterator[Split]:
        labels = np.asarray(y)
        _, first, of_row = np.unique(self.sets, return_index=True, return_inverse=True)
        for train, test in self.inner.split(labels[first]):
            yield tuple(np.flatnonzero(np.isin(of_row, side)) for side in (train, test))  # type: ignore[misc]

    def describe(self) -> str:
        return f"{self.inner.describe()} Copies of a row stayed on one side."


def n_copies(sets: np.ndarray) -> int:
    """How many rows repeat an earlier one."""
    return len(sets) - len(np.unique(sets))
