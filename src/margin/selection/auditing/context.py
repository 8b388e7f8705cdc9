"""What one look of an audit is given: the columns, the labels, and which rows stand on which side."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from margin.errors import MarginWarning
from margin.random import generator
from margin.selection.auditing.table_view import Sheet
from margin.typing import ClassifierLike

__all__ = ["Setting", "counted", "fitted", "percent", "quoted"]


@dataclass(frozen=True, eq=False)
class Setting:
    """One split of the rows of a sheet.

    ``codes`` are the labels as positions among ``classes``, -1 where a label is not known. ``ours`` says that the
    audit made the split itself, so that what is wrong with it is nobody's mistake yet. ``offset`` is where the rows
    of a second table begin.
    """

    sheet: Sheet
    codes: np.ndarray
    classes: tuple[Any, ...]
    train: np.ndarray
    test: np.ndarray
    ours: bool = False
    offset: int = 0
    seed: int = 0

    @cached_property
    def train_codes(self) -> np.ndarray:
        return self.codes[self.train]

    @cached_property
    def overlap(self) -> np.ndarray:
        """Rows that stand on both sides."""
        learnt = np.zeros(self.sheet.n_rows, dtype=bool)
        learnt[self.train] = True
        return self.test[learnt[self.test]]

    def numbered(self, rows: np.ndarray) -> np.ndarray:
        """Test rows as their own table numbers them."""
        return np.sort(rows) - self.offset

    def sampled(self, rows: np.ndarray, most: int, *path: str) -> np.ndarray:
        """At most so many of the rows, the same for the same seed, in ascending order."""
        if len(rows) <= most:
            return rows
        return np.sort(generator(self.seed, *path).choice(rows, most, replace=False))


def fitted(model: ClassifierLike, X: np.ndarray, y: np.ndarray) -> Any:
    """The model, fitted in silence: what it would warn of, an audit finds and says itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MarginWarning)
        return model.fit(X, y)


def counted(n: int, what: str, several: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "row"), counted(1200, "row"), counted(2, "class", "classes")
    ('1 row', '1,200 rows', '2 classes')
    """
    return f"{n:,} {what if n == 1 else several or what + 's'}"


def percent(share: float) -> str:
    """A share as people say it.

    >>> percent(0.25), percent(0.0004), percent(1.0)
    ('25.0 %', '0.04 %', '100 %')
    """
    if share in (0.0, 1.0):
        return f"{100 * share:.0f} %"
    return f"{100 * share:.1f} %" if 0.001 <= share <= 0.999 else f"{100 * share:.2g} %" if share < 0.5 else ">99.9 %"


def quoted(names: tuple[str, ...], most: int = 5) -> str:
    """Names of columns in quotes, the tail counted; long ones shortened.

    >>> quoted(("age", "sex"))
    "'age', 'sex'"
    """
    shown = ", ".join(repr(name if len(name) <= 60 else name[:57] + "…") for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"
