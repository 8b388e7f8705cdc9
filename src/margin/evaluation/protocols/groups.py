"""Protocols that keep rows together which belong together: all visits of a patient, all pictures of a scene.

A model that has seen some rows of a patient knows the patient; asked about the others it looks better than it will be
on new patients. So no group stands on both sides of a split.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from margin.data.rows import without_column
from margin.data.splits import folds_of_groups, group_codes, held_back_groups, makeup_of
from margin.errors import DataError, ParameterError
from margin.evaluation.protocols.label_matrix import is_label_matrix, label_matrix
from margin.evaluation.protocols.stratified import OneHoldOut, RepeatedFolds, Split, _groups
from margin.random import generator
from margin.typing import LabelsLike, TableLike

__all__ = ["GroupFolds", "GroupHoldOut"]


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
            order = generator(self.seed, "group folds", repeat).permutation(len(makeup))
            fold_of = folds_of_groups(makeup, self.folds, order)[groups]
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
        order = generator(self.seed, "group hold-out").permutation(len(makeup))
        side = held_back_groups(makeup, self.test_share, order)[groups]
        yield np.flatnonzero(side == 0), np.flatnonzero(side == 1)

    def describe(self) -> str:
        share = 100 * self.test_share
        return f"Learnt from about {100 - share:g} % of the rows and asked about the other groups, whole ones."


def named_values(given: object, X: TableLike, who: str) -> tuple[Any, Any]:
    """The values of a column of ``X`` given by name, and the inputs without it; other values as they are."""
    return without_column(X, given, who) if isinstance(given, str) else (given, X)


def _makeup(who: str, groups: LabelsLike | None, y: LabelsLike) -> tuple[np.ndarray, np.ndarray]:
    """The group of each row, as a number, and how many cases of each class every group has."""
    if groups is None:
        raise ParameterError(f"{who}(groups=None): give the group of each row, or the name of their column.")
    if isinstance(groups, str):
        raise ParameterError(
            f"{who}(groups={groups!r}): a column is known by name only where the inputs are (evaluate reads it; "
            "give the values themselves here)."
        )
    several = is_label_matrix(y)
    classes = label_matrix(np.asarray(y), who, 2) if several else _groups(who, y, least=2)
    codes = group_codes(groups, len(classes), who)
    if several:  # cases of each label, and rows, which may have none or several
        columns = [np.bincount(codes, has) for has in (*classes.T.astype(float), np.ones(len(codes)))]
        return codes, np.column_stack(columns).astype(np.intp)
    return codes, makeup_of(codes, classes)
