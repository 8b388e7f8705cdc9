"""Which rows are learnt from and which are held out: some rows with their weights, and rows dealt out to folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from margin.data.weights import count_repeats

__all__ = ["Part", "Split", "deal_folds", "units_of"]


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows, with their weights; None where every row counts once."""

    rows: np.ndarray
    weight: np.ndarray | None = None

    @classmethod
    def weighted(cls, rows: np.ndarray, weight: np.ndarray) -> Part:
        """Rows with a weight each; where all of them are 1 there are none."""
        return cls(rows, None if (weight == 1).all() else weight)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def weights(self) -> np.ndarray:
        """A weight for each row."""
        return np.ones(len(self.rows)) if self.weight is None else self.weight

    def take(self, places: np.ndarray) -> Part:
        """Some of the rows, by their place among them."""
        if self.weight is None:
            return Part(self.rows[places])
        return Part.weighted(self.rows[places], self.weight[places])


#: What is learnt from, and what it is judged by.
Split = tuple[Part, Part]


def units_of(weight: np.ndarray) -> np.ndarray:
    """How many units each row is when rows are dealt out: its weight where weights stand for repeated rows, else 1."""
    return weight.astype(np.int64) if count_repeats(weight) else np.ones(len(weight), dtype=np.int64)


def deal_folds(
    weight: np.ndarray, units: np.ndarray, strata: np.ndarray, folds: int, order: np.ndarray | None = None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Weights to learn with and weights to judge with, one per row, for each fold; every unit is judged once.

    Units are dealt out in turn, stratum after stratum, so that folds hold strata in proportion; a row without units
    stays on the side of learning. Within a stratum rows come in ascending ``order``: as they stand without it, shuffled
    if it is a permutation, and by what is in them if it is a hash of their cells. Fewer folds for fewer units, none for
    a single one.

    >>> for train, test in deal_folds(np.array([1.0, 2.0, 1.0]), np.array([1, 2, 1]), np.array([0, 0, 1]), 2):
    ...     print(train, test)
    [0. 1. 1.] [1. 1. 0.]
    [1. 1. 0.] [0. 1. 1.]
    """
    by_stratum = np.lexsort((np.arange(len(strata)) if order is None else order, strata))
    last = np.cumsum(units[by_stratum])
    first = last - units[by_stratum]
    folds = int(min(folds, units.sum()))
    whole = count_repeats(weight)
    for fold in range(folds if folds > 1 else 0):
        taken = np.zeros(len(strata), dtype=np.int64)
        # Units first … last-1 are a row's; every folds-th of all units is this fold's.
        taken[by_stratum] = -((fold - last) // folds) + (fold - first) // folds
        held = taken * (1.0 if whole else weight)
        yield weight - held, held
