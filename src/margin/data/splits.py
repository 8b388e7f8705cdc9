"""Which rows are learnt from and which are held out: some rows with their weights, and rows dealt out to folds.

Every model that cuts folds of its own deals its rows out here, whole groups where it was told of groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from margin.data.group_splits import folds_of_groups, held_back_groups, makeup_of
from margin.data.weights import count_repeats
from margin.errors import DataError

__all__ = ["Part", "Split", "deal_folds", "hold_groups_back", "units_of"]


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
    weight: np.ndarray,
    units: np.ndarray,
    strata: np.ndarray,
    folds: int,
    order: np.ndarray | None = None,
    groups: np.ndarray | None = None,
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Weights to learn with and weights to judge with, one per row, for each fold; every unit is judged once.

    Units are dealt out in turn, stratum after stratum, so that folds hold strata in proportion; a row without units
    stays on the side of learning. Within a stratum rows come in ascending ``order``: as they stand without it, shuffled
    if it is a permutation, and by what is in them if it is a hash of their cells. Fewer folds for fewer units, none for
    a single one. With ``groups``, numbers 0, 1, …, whole groups are dealt out, of which there must be two.

    >>> for train, test in deal_folds(np.array([1.0, 2.0, 1.0]), np.array([1, 2, 1]), np.array([0, 0, 1]), 2):
    ...     print(train, test)
    [0. 1. 1.] [1. 1. 0.]
    [1. 1. 0.] [0. 1. 1.]
    """
    if groups is not None:
        yield from _deal_groups(weight, units, strata, folds, order, groups)
        return
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


def _deal_groups(
    weight: np.ndarray,
    units: np.ndarray,
    strata: np.ndarray,
    folds: int,
    order: np.ndarray | None,
    groups: np.ndarray,
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    dealt = units > 0
    groups, makeup, place = _groups_to_deal(groups, strata, units, dealt, order)
    folds = min(folds, len(makeup))
    fold_of = np.full(len(weight), -1)
    fold_of[dealt] = folds_of_groups(makeup, folds, place)[groups]
    for fold in range(folds):
        held = np.where(fold_of == fold, weight, 0.0)
        yield weight - held, held


def hold_groups_back(
    weight: np.ndarray, strata: np.ndarray, share: float, order: np.ndarray, groups: np.ndarray
) -> np.ndarray:
    """The weights of whole groups that are held back, about a share of every stratum, and 0 for all other rows."""
    units = units_of(weight)
    groups, makeup, place = _groups_to_deal(groups, strata, units, units > 0, order)
    side = held_back_groups(makeup, share, place)
    if side.all() or not side.any():  # one group is larger than its part: the smallest is the nearest that can be done
        side[:] = side[0]
        side[np.argmin(makeup.sum(axis=1))] ^= 1
    return np.where(side[groups] == 1, weight, 0.0)


def _groups_to_deal(
    groups: np.ndarray, strata: np.ndarray, units: np.ndarray, dealt: np.ndarray, order: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of rows that are dealt out: their groups numbered anew, what these are made of, and the order they come in."""
    present, first, groups = np.unique(groups[dealt], return_index=True, return_inverse=True)
    if len(present) < 2:
        raise DataError(
            "fit(groups=…): at least two groups are needed, so that rows can be held out by whole groups, but all rows "
            "that could be are of one (leave the groups out, or choose a setting that holds no rows out)."
        )
    makeup = makeup_of(groups, strata[dealt], units[dealt])
    if order is None:
        return groups, makeup, np.argsort(first, kind="stable")
    marks = np.zeros(len(present), dtype=np.uint64)
    np.add.at(marks, groups, order[dealt].astype(np.uint64))
    return groups, makeup, np.argsort(marks * np.uint64(0xBF58476D1CE4E5B9), kind="stable")
