"""What a column does among rows that are like it: accumulated local effects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from margin.errors import InputError, ParameterError
from margin.explain.partial_dependence import answer_asked
from margin.explain.plain import as_plain
from margin.explain.rows.pool import Pool, pool_of
from margin.typing import TableLike

__all__ = ["AccumulatedEffects", "accumulated_effects"]


@dataclass(frozen=True, eq=False)
class AccumulatedEffects:
    """How the answer moves along a column, other columns being as they are among the rows there.

    Attributes
    ----------
    name
        The column.
    values
        Ends of intervals of a number in ascending order; levels of a word.
    effect
        The accumulated effect at each value; its mean over the rows is 0.
    low, high
        The ends of an interval for what infinitely many rows would give.
    counts
        How many rows each step rests on; 0 for the first value.
    label
        The class whose probability is answered, or None for a regression.
    confidence
        Of the intervals.
    """

    name: str
    values: np.ndarray
    effect: np.ndarray
    low: np.ndarray
    high: np.ndarray
    counts: np.ndarray
    label: Any
    confidence: float = 0.95

    @property
    def is_numeric(self) -> bool:
        """Whether the values are numbers."""
        return bool(self.values.dtype.kind in "iuf")

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data, for JSON."""
        plain: dict[str, Any] = as_plain(vars(self))
        return plain


def accumulated_effects(
    model: Any,
    X: TableLike,
    column: str | int,
    *,
    label: Any = None,
    n_intervals: int = 20,
    confidence: float = 0.95,
) -> AccumulatedEffects:
    """How the answer moves along a column, asked only of rows that are near.

    A partial dependence makes up rows that never occur where columns go together. Here each row takes a step from one
    end of its own interval to the other, all else as it is; the mean steps add up. Levels of a word are put in the
    order of the numbers that go with them, and rows take steps to the next level and to the one before.

    Parameters
    ----------
    model
        Any fitted classifier with probabilities or regressor, of margin or scikit-learn.
    X
        Rows to ask about.
    column
        A name, or the place of a column.
    label
        The class whose probability is looked at; None for the last one.
    n_intervals
        Intervals of a number at most, each with as many rows.
    confidence
        Of the intervals.

    References
    ----------
    Apley, Zhu (2020), "Visualizing the effects of predictor variables in black box supervised learning models".

    Examples
    --------
    >>> from margin import LogisticRegression
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> found = accumulated_effects(LogisticRegression().fit(X, y), X, "petallength", label="Iris-virginica")
    >>> bool((np.diff(found.effect) >= 0).all())
    True
    """
    who = "accumulated_effects"
    if n_intervals < 1:
        raise ParameterError(f"{who}(n_intervals={n_intervals}): n_intervals must be at least 1.")
    answer, label = answer_asked(model, label)
    pool = pool_of(model, X, who=who)
    j = pool.place(column, who)
    codes = pool.codes(j)
    there = np.flatnonzero(~np.isnan(codes))
    if not len(there):
        raise InputError(f"{who}: column {pool.names[j]!r} has no cell that is not missing.")
    steps = _of_numbers if pool.is_numeric(j) else _of_levels
    at, place, pairs = steps(pool, j, there, n_intervals)
    rows = [pool.own(there[who_steps]) for who_steps, _, _ in pairs]
    moved = []
    for part, (_, start, end) in zip(rows, pairs):
        before, after = part.copy(), part.copy()
        before[:, j], after[:, j] = at[start], at[end]
        moved += [before, after]
    said = answer(pool.made(np.concatenate(moved))) if moved else np.zeros(0)
    jumps, first = [], 0
    for part in rows:
        n = len(part)
        jumps.append(said[first + n : first + 2 * n] - said[first : first + n])
        first += 2 * n
    return _summed(pool, j, at, place, pairs, jumps, label, confidence)


#: Which rows take a step, as places among the rows that have a cell, from which value and to which.
Steps = list[tuple[np.ndarray, int, int]]


def _of_numbers(pool: Pool, j: int, there: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray, Steps]:
    """Ends of intervals that are cells of rows; a row steps over its own interval."""
    codes = pool.codes(j)[there]
    order = np.argsort(codes, kind="stable")
    spread = order[np.linspace(0, len(order) - 1, most + 1).round().astype(int)]
    ends, first = np.unique(codes[spread], return_index=True)
    at = there[spread[first]]
    place = np.clip(np.searchsorted(ends, codes, side="left"), 1, max(len(ends) - 1, 0)) if len(ends) > 1 else None
    if place is None:
        return at, np.zeros(len(codes), dtype=int), []
    return at, place, [(np.flatnonzero(place == k), k - 1, k) for k in range(1, len(ends))]


def _of_levels(pool: Pool, j: int, there: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray, Steps]:
    """Levels in the order of their likeness in the other columns; rows step to both neighbours."""
    codes = pool.codes(j)[there]
    levels, first, back = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(_one_scale(pool, j, there, back, len(levels)), kind="stable"), kind="stable")
    place = rank[back]
    at = there[first[np.argsort(rank)]]
    pairs = []
    for k in range(1, len(levels)):
        pairs.append((np.flatnonzero((place == k - 1) | (place == k)), k - 1, k))
    return at, place, pairs


def _one_scale(pool: Pool, j: int, there: np.ndarray, back: np.ndarray, n_levels: int) -> np.ndarray:
    """A number for each level: where levels lie that are like each other in the other columns (classical scaling)."""
    apart = np.zeros((n_levels, n_levels))
    for other in range(len(pool.names)):
        if other == j:
            continue
        cells = pool.codes(other)[there]
        known = ~np.isnan(cells)
        values = np.unique(cells[known])
        if len(values) > 50 and pool.is_numeric(other):
            values = np.unique(np.quantile(cells[known], np.linspace(0, 1, 20)))
        if not len(values):
            continue
        at = np.searchsorted(values, cells[known]).clip(0, len(values) - 1)
        counts = np.zeros((n_levels, len(values)))
        np.add.at(counts, (back[known], at), 1.0)
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
        reached = np.cumsum(shares, axis=1)
        measure = (lambda a, b: np.abs(a - b).max(axis=2)) if pool.is_numeric(other) else _total_variation
        source = reached if pool.is_numeric(other) else shares
        apart += measure(source[:, None, :], source[None, :, :])
    n = len(apart)
    middle = np.eye(n) - 1.0 / n
    values, vectors = np.linalg.eigh(-0.5 * middle @ apart**2 @ middle)
    scale = vectors[:, int(values.argmax())]
    return scale if scale[int(np.abs(scale).argmax())] > 0 else -scale


def _total_variation(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(0.5 * np.abs(a - b).sum(axis=2))


def _summed(
    pool: Pool,
    j: int,
    at: np.ndarray,
    place: np.ndarray,
    pairs: Steps,
    jumps: list[np.ndarray],
    label: Any,
    confidence: float,
) -> AccumulatedEffects:
    n = np.array([0, *(len(each) for each in jumps)])
    step = np.array([0.0, *(float(each.mean()) if len(each) else 0.0 for each in jumps)])
    error = np.array([0.0, *(float(each.var(ddof=1) / len(each)) if len(each) > 1 else 0.0 for each in jumps)])
    effect = np.cumsum(step)
    frequency = np.bincount(place, minlength=len(at)).astype(np.float64)
    if pool.is_numeric(j) and len(at) > 1:  # a row lies between the ends of its interval
        middle = np.append(effect[0], 0.5 * (effect[1:] + effect[:-1]))
        effect = effect - float((frequency * middle).sum() / frequency.sum())
    else:
        effect = effect - float((frequency * effect).sum() / max(frequency.sum(), 1.0))
    wide = float(special.ndtri(0.5 + confidence / 2)) * np.sqrt(np.cumsum(error))
    return AccumulatedEffects(
        pool.names[j], pool.cells(j)[at], effect, effect - wide, effect + wide, n, label, confidence
    )
