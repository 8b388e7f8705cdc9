"""How models that learn one row at a time visit rows: in which order, how often, and how much each counts.

Whole-number weights are further visits, as if the rows had been repeated, as long as that makes at most 16 visits to a
row on the average (or a million in all). Beyond that, and where weights are no whole numbers, a weight multiplies the
step instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

import margin._core as _core
from margin.data.weights import count_repeats
from margin.random import seed_for
from margin.typing import Encoded, SeedLike, TableLike

__all__ = ["Visiting", "arrays_of", "over_rows", "padded", "rows_and_weights"]

_Answer = TypeVar("_Answer")

VISITS_PER_ROW = 16
FEW_VISITS = 1 << 20
MOST_ROWS = 1 << 32


class Visiting:
    """The order of every pass: that of the rows, or another random one each time.

    ``n`` is the number of visits of a pass.

    >>> Visiting(3, np.array([1.0, 2.0, 1.0]), None).order(0)
    array([0, 1, 1, 2], dtype=uint32)
    """

    def __init__(self, n_rows: int, repeats: np.ndarray | None, seed: int | None) -> None:
        self.rows = None if repeats is None else np.repeat(np.arange(n_rows, dtype=np.uint32), repeats.astype(np.intp))
        self.n = n_rows if self.rows is None else len(self.rows)
        self.seed = seed

    @classmethod
    def of(cls, n_rows: int, repeats: np.ndarray | None, shuffle: bool, random_state: SeedLike, who: str) -> Visiting:
        """Passes in the order of the rows, or shuffled by a random state."""
        return cls(n_rows, repeats, seed_for(random_state, who, "order of rows") if shuffle else None)

    def order(self, number: int) -> np.ndarray | None:
        """The rows of one pass in the order in which they are visited; None for all of them as they stand."""
        if self.seed is None or self.n >= MOST_ROWS:
            return self.rows
        order = _core.linear.visits(self.n, self.seed, number)
        return order if self.rows is None else self.rows.take(order)

    def among(self, rows: np.ndarray) -> Visiting:
        """The same visits, of some rows alone."""
        part = Visiting(0, None, self.seed)
        there = np.zeros(int(rows.max()) + 1, dtype=bool)
        there[rows] = True
        part.rows = rows.astype(np.uint32) if self.rows is None else self.rows[there[np.minimum(self.rows, rows.max())]]
        part.n = len(part.rows)
        return part


def rows_and_weights(weight: np.ndarray) -> tuple[np.ndarray | None, np.ndarray | None]:
    """How often each row is visited, and by what its step is multiplied; None for once, and for 1.

    >>> rows_and_weights(np.array([1.0, 2.0])), rows_and_weights(np.array([0.5, 1.0]))
    ((array([1., 2.]), None), (None, array([0.5, 1. ])))
    """
    if (weight == 1).all():
        return None, None
    most = max(VISITS_PER_ROW * len(weight), FEW_VISITS)
    return (weight, None) if count_repeats(weight) and weight.sum() <= most else (None, weight)


def padded(width: int) -> int:
    """The length of a row of weights in the core, which reads eight cells at a time."""
    return (width + 7) // 8 * 8


def arrays_of(X: Encoded) -> tuple[Any, ...]:
    """A matrix as the core takes it: itself, or the three arrays of CSR and the number of columns."""
    return (X,) if isinstance(X, np.ndarray) else (X.data, X.indices, X.indptr, X.shape[1])


def over_rows(function: Callable[..., _Answer], X: TableLike, *rest: Any) -> _Answer:
    """Call a function of the core with a matrix in whichever form it is, and what else the function takes."""
    return function(*arrays_of(X), *rest)
