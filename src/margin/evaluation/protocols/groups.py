"""Protocols that keep rows together which belong together: all visits of a patient, all pictures of a scene.

A model that has seen some rows of a patient knows the patient; asked about the others it looks better than it will be
on new patients. So no group stands on both sides of a split.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from margin.data.labels import codes_of, distinct, label_array, refuse_missing
from margin.data.rows import without_column
from margin.errors import DataError, InputError, ParameterError
from margin.evaluation.protocols.label_matrix import is_label_matrix, label_matrix
from margin.evaluation.protocols.stratified import OneHoldOut, RepeatedFolds, Split, _groups
from margin.random import generator
from margin.typing import LabelsLike, TableLike

__all__ = ["GroupFolds", "GroupHoldOut"]

#: Groups that a hold-out looks at one by one.
_ONE_BY_ONE = 5000


@dataclass(frozen=True, eq=False)
class GroupFolds(RepeatedFolds):
    """Cuts whole groups into folds, of sizes and class shares as equal as the groups allow.

    Groups are dealt out largest first, each to the fold that then differs least from the others in rows and in cases
    of each class; groups of the same make-up are dealt out evenly, at random.

    Parameters
    ----------
    groups
        One value per row, equal for rows that belong together; or the name of a column of the inputs, which is then
        taken out of them, since it says where a row comes from and not what it is like.
    folds, repeats, seed
        As in :class:`StratifiedFolds`; there must be at least as many groups as folds.

    Examples
    --------
    >>> protocol = GroupFolds(["ann", "ann", "bob", "bob", "cid", "dee"], folds=2)
    >>> [test.tolist() for _, test in protocol.split([0, 1, 0, 1, 0, 1])]
    [[0, 1, 5], [2, 3, 4]]
    """

    groups: Any = field(default=None, repr=False)
    folds: int = 10
    repeats: int = 1
    seed: int = 0

    @property
    def kind(self) -> str:
        return " by group"

    def bound(self, X: TableLike) -> tuple[GroupFolds, Any]:
        """The protocol with the groups themselves, and the inputs without the column they stood in."""
        groups, X = named_values(self.groups, X, "GroupFolds(groups=…)")
        return replace(self, groups=groups), X

    def split(self, y: LabelsLike) -> Iterator[Split]:
        groups, makeup = _makeup("GroupFolds", self.groups, y)
        if len(makeup) < self.folds:
            raise DataError(
                f"GroupFolds(folds={self.folds}): {len(makeup)} groups do not fill so many folds"
                f" (use folds={len(makeup)} or fewer)."
            )
        for repeat in range(self.repeats):
            fold_of = _assigned(makeup, self.folds, generator(self.seed, "group folds", repeat))[groups]
            for fold in range(self.folds):
                yield np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)

    def describe(self) -> str:
        return self._describe("made of whole groups")


@dataclass(frozen=True, eq=False)
class GroupHoldOut(OneHoldOut):
    """Holds whole groups back, about a share of the rows and of each class, and asks about those.

    Parameters
    ----------
    groups
        As in :class:`GroupFolds`: one value per row, or the name of a column, which is then no input.
    test_share, seed
        As in :class:`HoldOut`; how near the share is met depends on the sizes of the groups.

    Examples
    --------
    >>> ((train, test),) = GroupHoldOut(["ann", "ann", "bob", "bob", "cid", "cid"], 0.34).split([0, 1, 0, 1, 0, 1])
    >>> train.tolist(), test.tolist()
    ([0, 1, 2, 3], [4, 5])
    """

    groups: Any = field(default=None, repr=False)
    test_share: float = 0.25
    seed: int = 0

    @property
    def kind(self) -> str:
        return " by group"

    def bound(self, X: TableLike) -> tuple[GroupHoldOut, Any]:
        """The protocol with the groups themselves, and the inputs without the column they stood in."""
        groups, X = named_values(self.groups, X, "GroupHoldOut(groups=…)")
        return replace(self, groups=groups), X

    def split(self, y: LabelsLike) -> Iterator[Split]:
        groups, makeup = _makeup("GroupHoldOut", self.groups, y)
        if len(makeup) < 2:
            raise DataError("GroupHoldOut: all rows are of one group, so none can be held back.")
        side = _held_back(makeup, self.test_share, generator(self.seed, "group hold-out"))[groups]
        yield np.flatnonzero(side == 0), np.flatnonzero(side == 1)

    def describe(self) -> str:
        share = 100 * self.test_share
        return f"Learnt from about {100 - share:g} % of the rows and asked about the other groups, whole ones."


def named_values(given: object, X: TableLike, who: str) -> tuple[Any, Any]:
    """The values of a column of ``X`` given by name, and the inputs without it; other values as they are."""
    return without_column(X, given, who) if isinstance(given, str) else (given, X)


def _makeup(who: str, groups: LabelsLike | None, y: LabelsLike) -> tuple[np.ndarray, np.ndarray]:
    """The group of each row, numbered by first appearance, and how many cases of each class every group has."""
    if groups is None:
        raise ParameterError(f"{who}(groups=None): give the group of each row, or the name of their column.")
    if isinstance(groups, str):
        raise ParameterError(
            f"{who}(groups={groups!r}): a column is known by name only where the inputs are (evaluate reads it; "
            "give the values themselves here)."
        )
    several = is_label_matrix(y)
    classes = label_matrix(np.asarray(y), who, 2) if several else _groups(who, y, least=2)
    values = label_array(groups, f"{who}(groups=…)")
    refuse_missing(values, f"{who}(groups=…)")
    if len(values) != len(classes):
        raise InputError(f"{who}: {len(values)} groups were given for {len(classes)} rows.")
    codes = codes_of(values, distinct(values, f"{who}(groups=…)"))
    if several:  # cases of each label, and rows, which may have none or several
        columns = [np.bincount(codes, has) for has in (*classes.T.astype(float), np.ones(len(codes)))]
        return codes, np.column_stack(columns).astype(np.intp)
    shape = int(codes.max()) + 1, int(classes.max()) + 1
    return codes, np.bincount(codes * shape[1] + classes, minlength=shape[0] * shape[1]).reshape(shape)


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


def _assigned(makeup: np.ndarray, folds: int, random: np.random.Generator) -> np.ndarray:
    """The fold that each group falls to, so that folds are alike in rows and in every class; largest groups first.

    Groups of one make-up can be swapped: whole rounds of them go to all folds at once, so the cost is that of the
    different make-ups.
    """
    brings, wanted = _brings(makeup, np.full(folds, 1 / folds))
    has, fold_of = np.zeros_like(wanted), np.empty(len(makeup), dtype=np.intp)
    for alike in _runs(makeup, random.permutation(len(makeup))):
        rounds = len(alike) // folds
        fold_of[alike[: rounds * folds]] = np.tile(np.arange(folds), rounds)
        has += rounds * brings[alike[0]]
        for group in alike[rounds * folds :]:
            fold_of[group] = fold = _best_part(has, wanted, brings[group])
            has[fold] += brings[group]
    return fold_of


def _held_back(makeup: np.ndarray, share: float, random: np.random.Generator) -> np.ndarray:
    """1 for groups that are held back, about a share of the rows and of every class, and 0 for all others.

    Groups come in random order, not the largest first: they would always be learnt from, and the test part be made of
    small groups only. Of very many all but the last are dealt out blindly, and those make up for what is uneven.
    """
    brings, wanted = _brings(makeup, np.array([1 - share, share]))
    order = random.permutation(len(makeup))
    blind = max(0, len(order) - _ONE_BY_ONE)
    side = np.zeros(len(makeup), dtype=np.intp)
    side[order[:blind]] = np.diff(np.floor(share * np.arange(blind + 1)))
    has = np.array([brings[order[:blind]][side[order[:blind]] == part].sum(axis=0) for part in (0, 1)])
    for group in order[blind:]:
        side[group] = part = _best_part(has, wanted, brings[group])
        has[part] += brings[group]
    return side


def _runs(makeup: np.ndarray, order: np.ndarray) -> Iterator[np.ndarray]:
    """Groups in order, those of the same make-up together, the largest make-ups first."""
    _, kind = np.unique(makeup, axis=0, return_inverse=True)
    kind = kind.ravel()
    size = makeup.sum(axis=1)
    together = order[np.lexsort((kind[order], -size[order]))]
    cuts = np.flatnonzero(np.diff(kind[together])) + 1
    return iter(np.split(together, cuts))
