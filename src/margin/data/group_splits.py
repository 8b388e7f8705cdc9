"""Whole groups dealt out: rows that belong together stand on one side of every split."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from margin.data.labels import codes_of, distinct, label_array, refuse_missing
from margin.errors import InputError

__all__ = ["folds_of_groups", "group_codes", "held_back_groups", "makeup_of"]

#: Groups that a hold-out looks at one by one.
_ONE_BY_ONE = 5000


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
