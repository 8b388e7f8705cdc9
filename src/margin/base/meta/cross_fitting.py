"""Which rows a model learns from and which are kept for judging it, over and over, so that every row is judged once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.data.weights import count_repeats
from margin.errors import ParameterError
from margin.random import generator

__all__ = ["Part", "Split", "dealt", "told"]


@dataclass(frozen=True)
class Part:
    """Some rows, with their weights."""

    rows: np.ndarray
    weight: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)


Split = tuple[Part, Part]


def dealt(y: np.ndarray, weight: np.ndarray, folds: int, seed: Any = None) -> list[Split]:
    """Rows dealt out like cards to so many folds, class after class: a list of (training part, test part).

    A row of whole-number weight 3 is three cards, as if it stood there three times. There are only as many folds as the
    rarest class has cards, so that every fold has some of each class. A class of a single card cannot be on both sides:
    it stays in all training parts. Cards come in the order of the rows, shuffled if there is a seed. The list is empty
    where no class has two cards.

    >>> splits = dealt(np.array([0, 0, 1, 0, 1, 2]), np.ones(6), folds=5)
    >>> [(train.rows.tolist(), test.rows.tolist()) for train, test in splits]
    [([1, 2, 5], [0, 3, 4]), ([0, 3, 4, 5], [1, 2])]
    """
    repeats = count_repeats(weight)
    cards = weight.astype(np.int64) if repeats else np.ones(len(y), dtype=np.int64)
    per_class = np.bincount(y, cards).astype(np.int64)
    several = per_class[per_class >= 2]
    if not several.size:
        return []
    folds = max(2, min(folds, int(several.min())))
    order = np.arange(len(y)) if seed is None else generator(seed, "folds").permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    order = order[per_class[y[order]] >= 2]
    last = np.cumsum(cards[order])
    first = last - cards[order]
    splits = []
    for fold in range(folds):
        held = np.zeros(len(y), dtype=np.int64)
        # Cards first … last-1 are this row's; every folds-th of all cards is this fold's.
        held[order] = -((fold - last) // folds) + (fold - first) // folds
        test = held * (1.0 if repeats else weight)
        splits.append((_part(weight - test), _part(test)))
    return splits


def _part(weight: np.ndarray) -> Part:
    rows = np.flatnonzero(weight > 0)
    return Part(rows, weight[rows])


def told(cv: Any, y: np.ndarray, weight: np.ndarray, kept: np.ndarray | None, n_given: int, who: str) -> list[Split]:
    """The splits that a list of (training rows, test rows), a protocol of margin or a splitter of scikit-learn gives.

    A list speaks of all the rows that were given, of which only ``kept`` are left (all, if None).
    """
    if isinstance(cv, (list, tuple)):
        place = np.arange(n_given) if kept is None else np.full(n_given, -1)
        if kept is not None:
            place[kept] = np.arange(len(kept))
        found = [[_placed(rows, place, i, who) for rows in pair] for i, pair in enumerate(_pairs(cv, who))]
    else:
        found = [[np.asarray(rows) for rows in pair] for pair in _asked(cv, y, who)]
    splits = [(Part(train, weight[train]), Part(test, weight[test])) for train, test in found]
    for i, (train, test) in enumerate(splits):
        if not len(train) or not np.isin(y[test.rows], y[train.rows]).any():
            raise ParameterError(
                f"{who}(cv=…): split {i} must have rows to learn from, and others of the same classes to judge by."
            )
    if not splits:
        raise ParameterError(f"{who}(cv={cv!r}): at least one split is needed.")
    return splits


def _asked(cv: Any, y: np.ndarray, who: str) -> Iterator[Any]:
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
    found = place[at.astype(np.intp)]
    return found[found >= 0]
