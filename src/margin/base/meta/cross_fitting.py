"""Which rows a model learns from and which are kept for judging it, over and over, so that every row is judged once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from margin.base.representations.representation import TrainingRows
from margin.data.splits import Part, Split, deal_folds, makeup_of, units_of
from margin.errors import ParameterError
from margin.random import generator
from margin.typing import SeedLike

__all__ = ["Part", "Split", "given_splits", "splits_of", "stratified_splits"]


def splits_of(cv: Any, y: np.ndarray, rows: TrainingRows, seed: SeedLike, who: str) -> list[Split]:
    """How training rows are held out: in so many folds, or as ``cv`` says otherwise; no group is parted."""
    if isinstance(cv, (int, np.integer)):
        return stratified_splits(y, rows.weights(), int(cv), seed, rows.groups)
    return given_splits(cv, y, rows, who)


def stratified_splits(
    y: np.ndarray, weight: np.ndarray, folds: int, seed: SeedLike = None, groups: np.ndarray | None = None
) -> list[Split]:
    """Rows dealt out to so many folds, class after class: a list of (training part, test part).

    A row of whole-number weight 3 is three units, as if it stood there three times. There are only as many folds as the
    rarest class has units, so that every fold has some of each class. A class of a single unit cannot be on both sides:
    it stays in all training parts. Units come in the order of the rows, shuffled if there is a seed. The list is empty
    where no class has two units. With ``groups`` whole groups are dealt out, and what is said of units holds of them.

    >>> splits = stratified_splits(np.array([0, 0, 1, 0, 1, 2]), np.ones(6), folds=5)
    >>> [(train.rows.tolist(), test.rows.tolist()) for train, test in splits]
    [([1, 2, 5], [0, 3, 4]), ([0, 3, 4, 5], [1, 2])]
    """
    units = units_of(weight)
    if groups is None:
        per_class, alone = np.bincount(y, units).astype(np.int64), None
    else:
        holds = makeup_of(groups, y) > 0
        per_class = holds.sum(axis=0)
        staying = (holds & (per_class == 1)).any(axis=1)
        # Where that would leave nothing to hold out, a class may be unknown to the model that is judged by it.
        alone = (staying & (len(staying) - staying.sum() >= 2))[groups]
    several = per_class[per_class >= 2]
    if not several.size and groups is None:
        return []
    folds = max(2, min(folds, int(several.min(initial=folds))))
    order = None if seed is None else np.argsort(generator(seed, "folds").permutation(len(y)))
    dealt = np.where(per_class[y] < 2 if alone is None else alone, 0, units)
    return [(_part(train), _part(test)) for train, test in deal_folds(weight, dealt, y, folds, order, groups)]


def _part(weight: np.ndarray) -> Part:
    rows = np.flatnonzero(weight > 0)
    return Part.weighted(rows, weight[rows])


def given_splits(cv: Any, y: np.ndarray, rows: TrainingRows, who: str) -> list[Split]:
    """The splits that a list of (training rows, test rows), a protocol of margin or a splitter of scikit-learn gives.

    A list speaks of all the rows that were given, of which only ``rows.kept`` are left (all, if None), and is taken at
    its word; protocols and splitters are told of groups.
    """
    weight, kept, n_given = rows.weights(), rows.kept, rows.n_given
    if isinstance(cv, (list, tuple)):
        place = np.arange(n_given) if kept is None else np.full(n_given, -1)
        if kept is not None:
            place[kept] = np.arange(len(kept))
        pairs = [[_placed(part, place, i, who) for part in pair] for i, pair in enumerate(_pairs(cv, who))]
    else:
        pairs = [[np.asarray(part) for part in pair] for pair in _split_by(cv, y, rows.groups, who)]
    splits = [(Part.weighted(train, weight[train]), Part.weighted(test, weight[test])) for train, test in pairs]
    for i, (train, test) in enumerate(splits):
        if not len(train) or not np.isin(y[test.rows], y[train.rows]).any():
            raise ParameterError(
                f"{who}(cv=…): split {i} must have rows to learn from, and others of the same classes to judge by."
            )
    if not splits:
        raise ParameterError(f"{who}(cv={cv!r}): at least one split is needed.")
    return splits


def _split_by(cv: Any, y: np.ndarray, groups: np.ndarray | None, who: str) -> Iterator[Any]:
    if hasattr(cv, "judged_by"):  # a protocol of margin.evaluation
        if groups is None:
            return cv.split(y)
        if getattr(cv, "groups", ...) is not None:
            raise ParameterError(
                f"{who}(cv={cv!r}): {type(cv).__name__} would split without regard to the groups that fit was "
                "given (use GroupFolds() or GroupHoldOut() without groups of their own, or a number of folds)."
            )
        return replace(cv, groups=groups).split(y)
    try:
        return iter(list(cv.split(np.zeros((len(y), 1)), y, groups)))
    except ValueError as error:
        raise ParameterError(f"{who}(cv={cv!r}): this splitter cannot split the rows ({error}).") from None


def _pairs(cv: Any, who: str) -> list[Any]:
    for i, pair in enumerate(cv):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise ParameterError(f"{who}(cv=…): split {i} must be a pair, the training rows and the test rows.")
    return list(cv)


def _placed(rows: Any, place: np.ndarray, split: int, who: str) -> np.ndarray:
    at = np.asarray(rows)
    if at.dtype.kind == "b" and at.shape == place.shape:
        at = np.flatnonzero(at)
    n = len(place)
    if at.ndim != 1 or (at.size and at.dtype.kind not in "iu") or ((at < -n) | (at >= n)).any():
        raise ParameterError(f"{who}(cv=…): rows in split {split} must be whole numbers from 0 to {n - 1}, or a mask.")
    placed = place[at.astype(np.intp)]
    return placed[placed >= 0]
