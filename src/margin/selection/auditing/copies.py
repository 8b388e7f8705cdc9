"""Which rows of a table are copies of one another, if more of them are equal than chance explains."""

from __future__ import annotations

import numpy as np
from scipy import special

from margin.data import Table
from margin.data.labels import codes_of, distinct
from margin.evaluation.protocols.stratified import HoldOut
from margin.selection.auditing.columns import naming_columns
from margin.selection.auditing.context import Setting
from margin.selection.auditing.duplicate_rows import BEYOND_CHANCE, expected_twins, row_keys, with_twins
from margin.selection.auditing.table_view import open_sheet

__all__ = ["copied_rows"]

#: The rows are parted once, to see whether equal ones stand on both sides.
HELD_BACK = 0.25


def copied_rows(X: Table, y: np.ndarray, seed: int = 0) -> np.ndarray | None:
    """For each row the number of its set of equal rows; None where no rows are equal, or no more than by chance.

    Columns that name rows, and dates, are not looked at. Where the different rows of some class are fewer than two,
    they cannot be parted, and nothing is taken for a copy.

    >>> cells = np.random.default_rng(0).normal(size=(90, 4))
    >>> columns = np.vstack([cells, cells[:30]]).T.tolist()
    >>> table = Table.from_columns(dict(zip("abcd", columns)))
    >>> sets = copied_rows(table, np.array(["a", "b", "b"] * 40))
    >>> len(set(sets.tolist())), bool(sets[0] == sets[90])
    (90, True)
    """
    classes = distinct(y, "copied_rows")
    codes = codes_of(y, classes)
    if len(y) < 4 or np.bincount(codes).max() < 2:
        return None
    sheet = open_sheet(X, "copied_rows")
    train, test = next(iter(HoldOut(HELD_BACK, seed).split(y)))
    setting = Setting(sheet, codes, tuple(classes.tolist()), train, test, seed=seed)
    named = [name for finding in naming_columns(setting) for name in finding.columns]
    keys = row_keys(sheet, named)
    if keys.exact is None:
        return None
    twins = with_twins(keys.exact, train, test)
    if not len(twins) or special.pdtrc(len(twins) - 1, expected_twins(setting, keys, test)) >= BEYOND_CHANCE:
        return None
    first = np.unique(keys.exact, return_index=True)[1]
    different = np.bincount(codes[first], minlength=len(classes))
    return None if (different < np.minimum(np.bincount(codes), 2)).any() else keys.exact
