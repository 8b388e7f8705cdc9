"""Columns that go together, and rows that are alike in them."""

from __future__ import annotations

import numpy as np

from margin.base.representations.mixed import MixedData
from margin.data.schema import Column, Schema
from margin.ensemble.forest.importances import associations
from margin.explain.rows.pool import Pool

__all__ = ["associations_of", "correlated_groups", "strata_of"]

#: Rows that associations are found from, evenly spaced.
MOST_ROWS = 5_000
#: Columns in which rows of a stratum are alike, and intervals that numbers are cut into for it.
MOST_COLUMNS, INTERVALS = 2, 5


def associations_of(pool: Pool) -> np.ndarray:
    """How strongly each two columns go together, from 0 to 1."""
    rows = np.linspace(0, pool.n_rows - 1, min(pool.n_rows, MOST_ROWS)).round().astype(int)
    cells = [pool.codes(j)[rows] for j in range(len(pool.names))]
    numeric = [j for j in range(len(cells)) if pool.is_numeric(j)]
    coded = [j for j in range(len(cells)) if not pool.is_numeric(j)]
    numbers = np.column_stack([cells[j] for j in numeric]) if numeric else np.empty((len(rows), 0))
    codes = tuple(np.nan_to_num(cells[j], nan=-1).astype(np.int32) for j in coded)
    columns = [Column(pool.names[j], "numeric") for j in numeric]
    columns += [Column(pool.names[j], "nominal", tuple(range(int(c.max(initial=0)) + 1))) for j, c in zip(coded, codes)]
    found = associations(MixedData(numbers, codes, Schema(columns)))
    back = np.argsort(np.array([*numeric, *coded]))
    return np.asarray(found[np.ix_(back, back)])


def correlated_groups(pool: Pool, asked: list[int], above: float) -> list[list[int]]:
    """Columns that go together directly or through others, as groups; the others alone."""
    together, left, found = associations_of(pool) > above, list(asked), []
    while left:
        group, open_ = [], [left[0]]
        while open_:
            j = open_.pop()
            if j in left:
                left.remove(j)
                group.append(j)
                open_ += [other for other in left if together[j, other]]
        found.append(sorted(group))
    return sorted(found)


def strata_of(pool: Pool, group: np.ndarray, above: float) -> np.ndarray:
    """A number for each row: rows with the same one are alike in the columns that a group goes with."""
    together = associations_of(pool)[group].max(axis=0)
    together[group] = 0.0
    beside = [j for j in np.argsort(-together, kind="stable")[:MOST_COLUMNS] if together[j] > above]
    key = np.zeros(pool.n_rows, dtype=np.int64)
    for j in beside:
        cells = pool.codes(int(j))
        if pool.is_numeric(int(j)):
            cuts = np.unique(np.nanquantile(cells, np.linspace(0, 1, INTERVALS + 1)[1:-1]))
            part = np.where(np.isnan(cells), len(cuts) + 1, np.searchsorted(cuts, cells))
        else:
            part = np.where(np.isnan(cells), -1, cells).astype(np.int64) + 1
        key = key * (int(part.max()) + 1) + part.astype(np.int64)
    return key
