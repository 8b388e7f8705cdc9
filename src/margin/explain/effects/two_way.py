"""What a model says as two columns change together, and how much of it is due to neither alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.errors import InputError, ParameterError
from margin.explain.partial_dependence import answer_asked
from margin.explain.plain import as_plain
from margin.explain.rows.pool import Pool, pool_of
from margin.typing import TableLike

__all__ = ["TwoWayDependence", "grid_of", "two_way_dependence"]

#: Cells of made-up rows at once.
CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False)
class TwoWayDependence:
    """The mean answer with two columns set to one pair of values after another.

    Attributes
    ----------
    names
        The two columns.
    values
        What each was set to: numbers in ascending order, or levels.
    mean
        The mean answer: a row for each value of the first column, a column for each of the second.
    label
        The class whose probability is answered, or None for a regression.
    interaction
        Friedman's H: the share of the spread of the means that the sum of one-way effects does not account for, from 0
        for columns that act side by side to 1.
    """

    names: tuple[str, str]
    values: tuple[np.ndarray, np.ndarray]
    mean: np.ndarray
    label: Any
    interaction: float

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data, for JSON."""
        plain: dict[str, Any] = as_plain(vars(self))
        return plain


def two_way_dependence(
    model: Any, X: TableLike, columns: Sequence[str | int], *, label: Any = None, n_values: int = 12
) -> TwoWayDependence:
    """What a model says of rows as two of their columns change together.

    Parameters
    ----------
    model
        Any fitted classifier with probabilities or regressor, of margin or scikit-learn.
    X
        Rows to ask about; each is asked about once for each pair of values.
    columns
        Two names, or places of columns.
    label
        The class whose probability is looked at; None for the last one.
    n_values
        Numbers that a column is set to at most, those of X at evenly spaced ranks; levels are all tried.

    References
    ----------
    Friedman (2001), "Greedy function approximation"; Friedman, Popescu (2008), "Predictive learning via rule
    ensembles".

    Examples
    --------
    >>> from margin import NaiveBayes
    >>> from margin.data import catalog
    >>> X, y = catalog.load("weather_nominal").target("play")
    >>> found = two_way_dependence(NaiveBayes().fit(X, y), X, ("outlook", "windy"), label="yes")
    >>> found.mean.round(2).tolist()
    [[0.88, 0.77], [0.69, 0.52], [0.58, 0.4]]
    """
    who = "two_way_dependence"
    if isinstance(columns, str) or len(columns) != 2:
        raise ParameterError(f"{who}(columns={columns!r}): columns must be two names or places.")
    if n_values < 2:
        raise ParameterError(f"{who}(n_values={n_values}): n_values must be at least 2.")
    answer, label = answer_asked(model, label)
    pool = pool_of(model, X, who=who)
    a, b = (pool.place(column, who) for column in columns)
    if a == b:
        raise InputError(f"{who}(columns={columns!r}): the two columns must differ.")
    (at_a, first), (at_b, second) = (grid_of(pool, j, n_values, who) for j in (a, b))
    mean = np.empty((len(at_a), len(at_b)))
    step = max(1, CELLS_AT_ONCE // (pool.n_rows * len(pool.names)))
    pairs = [(i, k) for i in range(len(at_a)) for k in range(len(at_b))]
    for start in range(0, len(pairs), step):
        some = pairs[start : start + step]
        rows = np.tile(pool.own(np.arange(pool.n_rows)), (len(some), 1))
        rows[:, a] = np.repeat([at_a[i] for i, _ in some], pool.n_rows)
        rows[:, b] = np.repeat([at_b[k] for _, k in some], pool.n_rows)
        said = answer(pool.made(rows)).reshape(len(some), pool.n_rows).mean(axis=1)
        for (i, k), value in zip(some, said.tolist()):
            mean[i, k] = value
    return TwoWayDependence((pool.names[a], pool.names[b]), (first, second), mean, label, _interaction(mean))


def grid_of(pool: Pool, j: int, n_values: int, who: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the pool that have each value to try, and the values: all levels, numbers at evenly spaced ranks."""
    codes = pool.codes(j)
    there = np.flatnonzero(~np.isnan(codes))
    if not len(there):
        raise InputError(f"{who}: column {pool.names[j]!r} has no cell that is not missing.")
    order = there[np.argsort(codes[there], kind="stable")]
    values, first = np.unique(codes[order], return_index=True)
    if pool.is_numeric(j) and len(values) > n_values:
        order = order[np.linspace(0, len(order) - 1, n_values).round().astype(int)]
        values, first = np.unique(codes[order], return_index=True)
    at = order[first]
    cells = pool.cells(j)[at]
    if not pool.is_numeric(j):
        by_name = np.argsort([str(cell) for cell in cells.tolist()], kind="stable")
        at, cells = at[by_name], cells[by_name]
    return at, cells


def _interaction(mean: np.ndarray) -> float:
    """Friedman and Popescu's H, every pair of values counting alike."""
    centred = mean - mean.mean()
    rest = centred - centred.mean(axis=1, keepdims=True) - centred.mean(axis=0, keepdims=True)
    whole = float((centred**2).sum())
    return float(np.sqrt((rest**2).sum() / whole)) if whole > 1e-24 else 0.0
