"""Training rows dealt out to folds by what is in them, so that neither their order nor the form of weights matters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from margin.data.splits import deal_folds, units_of
from margin.typing import Encoded, TableLike

__all__ = ["Fold", "folds"]

#: Weights to learn with and weights to judge with, one per row.
Fold = tuple[np.ndarray, np.ndarray]


def folds(
    X: TableLike,
    y: np.ndarray,
    weight: np.ndarray | None,
    n_folds: int,
    seed: int,
    groups: np.ndarray | None = None,
) -> Iterator[Fold]:
    """So many ways to part the rows, class by class in proportion; every row is judged once.

    A row of whole-number weight 3 is three units to deal, as three equal rows would be; with other weights a row is one
    unit. Fewer folds for fewer units, none for a single one. No group is parted.
    """
    given = np.ones(len(y)) if weight is None else weight
    return deal_folds(given, units_of(given), y, n_folds, _marks(X, seed), groups)


def _marks(X: Encoded, seed: int) -> np.ndarray:
    """A number for each row that its cells and the seed decide: the same for dense rows, sparse rows and float32.

    Sums of hashed cells; zeros add nothing, so that they need not be stored.
    """
    n, d = X.shape
    salt = _mixed(np.arange(1, d + 1, dtype=np.uint64) + np.uint64(seed % 2**63))
    if isinstance(X, np.ndarray):
        found = np.zeros(n, dtype=np.uint64)
        for j in range(d):
            found += _cell_marks(X[:, j], salt[j])
        return found
    cells = _cell_marks(X.data, salt[X.indices])
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(cells, dtype=np.uint64)])
    return sums[X.indptr[1:]] - sums[X.indptr[:-1]]


def _cell_marks(cells: np.ndarray, salt: Any) -> np.ndarray:
    # In float32 the last bits of a rounding do not show.
    with np.errstate(over="ignore", under="ignore"):
        bits = np.ascontiguousarray(cells, dtype=np.float32).view(np.uint32).astype(np.uint64)
    return np.where(cells == 0, np.uint64(0), _mixed(bits ^ salt))


def _mixed(words: np.ndarray) -> np.ndarray:
    """Every bit spread over all others: odd multipliers carry upwards, shifts bring down again (Steele et al. 2014)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
