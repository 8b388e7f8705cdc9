"""Which rows a model learns from and which are kept for judging it, over and over, so that every row is judged once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from margin.data.splits import Part, Split, deal_folds, units_of
from margin.errors import ParameterError
from margin.random import generator

__all__ = ["Part", "Split", "given_splits", "stratified_splits"]


def stratified_splits(y: np.ndarray, weight: np.ndarray, folds: int, seed: Any = None) -> list[Split]:
    """Rows dealt out to so many folds, class after class: a list of (training part, test part).

    A row of whole-number weight 3 is three units, as if it stood there three times. There are only as many folds as the
    rarest class has units, so that every fold has some of each class. A class of a single unit cannot be on both sides:
    it stays in all training parts. Units come in the order of the rows, shuffled if there is a seed. The list is empty
    where no class has two units.

    >>> splits = stratified_splits(np.array([0, 0, 1, 0, 1, 2]), np.ones(6), folds=5)
    >>> [(train.rows.tolist(), test.rows.tolist()) for train, test in splits]
    [([1, 2, 5], [0, 3, 4]), ([0, 3, 4, 5], [1, 2])]
    """
    units = units_of(weight)
    per_class = np.bincount(y, units).astype(np.int64)
    several = per_class[per_class >= 2]
    if not several.size:
        return []
    folds = max(2, min(folds, int(several.min())))
    order = None if seed is None else np.argsort(generator(seed, "folds").permutation(len(y)))
    dealt = np.where(per_class[y] >= 2, units, 0)
    return [(_part(train), _part(test)) for train, test in deal_folds(weight, dealt, y, folds, order)]


def _part(weight: np.ndarray) -> Part:
    rows = np.flatnonzero(weight > 0)
    return Part.weighted(rows, weight[rows])


def given_splits(
    cv: Any, y: np.ndarray, weight: np.ndarray, kept: np.ndarray | None, n_given: int, who: str
) -> list[Split]:
    """The splits that a list of (training rows, test rows), a protocol of margin or a splitter of scikit-learn gives.

    A list speaks of all the rows that were given, of which only ``kept`` are left (all, if None).
    """
    if isinstance(cv, (list, tuple)):
        place = np.arange(n_given) if kept is None else np.full(n_given, -1)
        if kept is not None:
            place[kept] = np.arange(len(kept))
        pairs = [[_placed(rows, place, i, who) for rows in pair] for i, pair in enumerate(_pairs(cv, who))]
    else:
        pairs = [[np.asarray(rows) for rows in pair] for pair in _split_by(cv, y, who)]
    splits = [(Part.weighted(train, weight[train]), Part.weighted(test, weight[test])) for train, test in pairs]
    for i, (train, test) in enumerate(splits):
        if not len(train) or not np.isin(y[test.rows], y[train.rows]).any():
            raise ParameterError(
                f"{who}(cv=…): split {i} must have rows to learn from, and others of the same classes to judge by."
            )
    if not splits:
        raise ParameterError(f"{who}(cv={cv!r}): at least one split is needed.")
    return splits


def _split_by(cv: Any, y: np.ndarray, who: str) -> Iterator[Any]:
    if hasattr(cv, "judged_by"):  # a protocol of margin.evaluation
        return cv.split(y)
    try:
        return iter(list(cv.split(np.zeros((len(y), 1)), y)))
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
