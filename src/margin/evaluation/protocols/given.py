"""Splits that others made: lists of rows, and the splitters of scikit-learn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from margin.errors import DataError, InputError, ParameterError
from margin.evaluation.protocols.stratified import Judged, Split, _groups
from margin.typing import LabelsLike

__all__ = ["FromSplitter", "Given", "OwnTest"]


@dataclass(frozen=True, eq=False)
class Given:
    """Splits as they are told: pairs of training rows and test rows, by position or as masks.

    One split, and splits that ask about one row each, are judged over the cases; others over the folds.

    >>> protocol = Given([([0, 1], [2, 3]), ([2, 3], [0, 1])])
    >>> protocol.name, protocol.n_fits, protocol.judged_by
    ('2 given splits', 2, 'folds')
    """

    splits: Any = field(repr=False)

    def __post_init__(self) -> None:
        pairs = tuple(_pair(place, given) for place, given in enumerate(_listed(self.splits)))
        if not pairs:
            raise ParameterError("Given: at least one split is needed.")
        object.__setattr__(self, "splits", pairs)

    @property
    def judged_by(self) -> Judged:
        return "cases" if len(self.splits) == 1 or all(len(test) == 1 for _, test in self.splits) else "folds"

    @property
    def caution(self) -> str:
        shared = [len(np.intersect1d(train, test)) for train, test in self.splits]
        if not any(shared):
            return ""
        where = next(number for number, rows in enumerate(shared, 1) if rows)
        return (
            f"Rows stand on both sides of the splits that were given ({shared[where - 1]} of them in split {where}): "
            "these scores are optimistic."
        )

    @property
    def name(self) -> str:
        return f"{len(self.splits)} given split{'s' if len(self.splits) != 1 else ''}"

    @property
    def n_fits(self) -> int:
        return len(self.splits)

    def split(self, y: LabelsLike) -> Iterator[Split]:
        n = len(_groups("Given", y, least=1))
        for place, pair in enumerate(self.splits):
            for rows in pair:
                if rows.max() >= n or rows.min() < 0:
                    wrong = int(rows[(rows >= n) | (rows < 0)][0])
                    raise DataError(f"Given: split {place + 1} speaks of row {wrong}, but there are {n} rows.")
        yield from self.splits

    def describe(self) -> str:
        return f"Learnt from and asked about the rows that were given, in {self.name}."


@dataclass(frozen=True)
class OwnTest:
    """A test part of its own: learns from all rows given and asks about others, as a second file.

    ``evaluate(model, X, y, test=(X_test, y_test))`` makes one.

    >>> protocol = OwnTest(100, 50)
    >>> [(len(train), len(test)) for train, test in protocol.split(["a", "b"] * 75)]
    [(100, 50)]
    """

    n_train: int
    n_test: int

    judged_by: ClassVar[Judged] = "cases"
    caution = ""
    name = "test part of its own"
    n_fits = 1

    def split(self, y: LabelsLike) -> Iterator[Split]:
        """The rows of the training part, and behind them those of the test part."""
        yield np.arange(self.n_train), self.n_train + np.arange(self.n_test)

    def describe(self) -> str:
        return f"Learnt from all {self.n_train} rows and asked about {self.n_test} rows of their own."


def _listed(splits: Any) -> list[Any]:
    if isinstance(splits, (str, bytes)) or not isinstance(splits, Iterable):
        raise ParameterError(f"Given(splits={splits!r}): splits must be pairs of (training rows, test rows).")
    return list(splits)


def _pair(place: int, given: Any) -> Split:
    try:
        train, test = given
    except (TypeError, ValueError):
        raise ParameterError(f"Given: split {place + 1} must be a pair of (training rows, test rows).") from None
    return _positions(train, f"training rows of split {place + 1}"), _positions(test, f"test rows of split {place + 1}")


def _positions(rows: Any, what: str) -> np.ndarray:
    found = np.asarray(rows)
    if found.dtype == bool:
        found = np.flatnonzero(found)
    if found.ndim != 1 or not len(found) or found.dtype.kind not in "iu":
        raise InputError(f"Given: the {what} must be positions, or a mask, of at least one row.")
    return found.astype(np.intp)


@dataclass(frozen=True, eq=False)
class FromSplitter:
    """A splitter with scikit-learn's ``split(X, y, groups)`` and ``get_n_splits``, as a protocol.

    ``evaluate`` takes the splitter itself and makes one of these.

    >>> from sklearn.model_selection import KFold
    >>> protocol = FromSplitter(KFold(2))
    >>> [test.tolist() for _, test in protocol.split(["a", "b", "a", "b"])]
    [[0, 1], [2, 3]]
    """

    splitter: Any
    groups: Any = field(default=None, repr=False)
    n_rows: int | None = None

    @property
    def judged_by(self) -> Judged:
        n_fits = self.n_fits
        return "cases" if n_fits is not None and n_fits in (1, self.n_rows) else "folds"

    caution = ""

    @property
    def name(self) -> str:
        return f"splits by {type(self.splitter).__name__}"

    @property
    def n_fits(self) -> int | None:
        try:
            rows = None if self.n_rows is None else np.zeros((self.n_rows, 1))
            return int(self.splitter.get_n_splits(rows, None, self.groups))
        except (TypeError, ValueError):  # it needs the labels to know
            return None

    def split(self, y: LabelsLike) -> Iterator[Split]:
        n = len(_groups("FromSplitter", y, least=1))
        for place, given in enumerate(self.splitter.split(np.zeros((n, 1)), y, self.groups)):
            yield _pair(place, given)

    def describe(self) -> str:
        return f"Learnt from and asked about the rows that {self.splitter!r} gave."
