"""Which rows are learnt from and which are held out: some rows with their weights, and rows dealt out to folds.

Every model that cuts folds of its own deals its rows out here, whole groups where it was told of groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from margin.data.labels import codes_of, distinct, label_array, refuse_missing
from margin.data.weights import count_repeats
from margin.errors import DataError, InputError

__all__ = [
    "Part",
    "Split",
    "deal_folds",
    "folds_of_groups",
    "group_codes",
    "held_back_groups",
    "hold_groups_back",
    "makeup_of",
    "units_of",
]

#: Groups that a hold-out looks at one by one.
_ONE_BY_ONE = 5000


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


# ---- Whole groups: rows that belong together stand on one side of every split.


def group_codes(groups: object, n_rows: int, who: str) -> np.ndarray:
    """The group of each row as a number 0, 1, …, in ascending order of what the groups are called.

    >>> group_codes(["bob", "ann", "bob"], 3, "example").tolist()
    [1, 0, 1]
    """
    values = label_array(groups, f"{who}(groups=…)")
    refuse_missing(values, f"{who}(groups=…)")
    if len(values) != n_rows:
        raise InputError(f"{who}: {len(values)} groups were given for {n_rows} rows.")
    return codes_of(values, distinct(values, f"{who}(groups=…)"))


def makeup_of(groups: np.ndarray, strata: np.ndarray, units: np.ndarray | None = None) -> np.ndarray:
    """How many units of each stratum every group has; without ``units`` each row is one.

    >>> makeup_of(np.array([0, 0, 1]), np.array([1, 0, 1])).tolist()
    [[1, 1], [0, 1]]
    """
    shape = int(groups.max()) + 1, int(strata.max()) + 1
    counted = np.bincount(groups * shape[1] + strata, units, minlength=shape[0] * shape[1])
    return counted.reshape(shape).astype(np.intp)


def folds_of_groups(makeup: np.ndarray, folds: int, order: np.ndarray) -> np.ndarray:
    """The fold that each group falls to, so that folds are alike in rows and in every stratum; largest groups first.

    Groups of one make-up come in ``order``. They can be swapped: whole rounds of them go to all folds at once, so the
    cost is that of the different make-ups.
    """
    brings, wanted = _brings(makeup, np.full(folds, 1 / folds))
    has, fold_of = np.zeros_like(wanted), np.empty(len(makeup), dtype=np.intp)
    for alike in _runs(makeup, order):
        rounds = len(alike) // folds
        fold_of[alike[: rounds * folds]] = np.tile(np.arange(folds), rounds)
        has += rounds * brings[alike[0]]
        for group in alike[rounds * folds :]:
            fold_of[group] = fold = _best_part(has, wanted, brings[group])
            has[fold] += brings[group]
    return fold_of


def held_back_groups(makeup: np.ndarray, share: float, order: np.ndarray) -> np.ndarray:
    """1 for groups that are held back, about a share of the rows and of every stratum, and 0 for all others.

    Groups come in ``order``, not the largest first: they would always be learnt from, and the test part be made of
    small groups only. Of very many all but the last are dealt out blindly, and those make up for what is uneven.
    """
    brings, wanted = _brings(makeup, np.array([1 - share, share]))
    blind = max(0, len(order) - _ONE_BY_ONE)
    side = np.zeros(len(makeup), dtype=np.intp)
    side[order[:blind]] = np.diff(np.floor(share * np.arange(blind + 1)))
    has = np.array([brings[order[:blind]][side[order[:blind]] == part].sum(axis=0) for part in (0, 1)])
    for group in order[blind:]:
        side[group] = part = _best_part(has, wanted, brings[group])
        has[part] += brings[group]
    return side


def _brings(makeup: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What each group brings (cases of each class, and rows), and how much of it each part should get."""
    brings = np.column_stack([makeup, makeup.sum(axis=1)]).astype(np.float64)
    return brings, np.outer(shares, np.maximum(brings.sum(axis=0), 1))


def _best_part(has: np.ndarray, wanted: np.ndarray, brings: np.ndarray) -> int:
    """The part for one more group.

    Squared misfits of rows and classes, each over its total, grow least in the part where the sum of
    (what the part has) × (what the group brings) / (what the part should get) is smallest.
    """
    return int(np.argmin((has / wanted) @ brings))


def _runs(makeup: np.ndarray, order: np.ndarray) -> Iterator[np.ndarray]:
    """Groups in order, those of the same make-up together, the largest make-ups first."""
    _, kind = np.unique(makeup, axis=0, return_inverse=True)
    kind = kind.ravel()
    size = makeup.sum(axis=1)
    together = order[np.lexsort((kind[order], -size[order]))]
    cuts = np.flatnonzero(np.diff(kind[together])) + 1
    return iter(np.split(together, cuts))
