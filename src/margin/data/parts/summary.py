"""What is kept of a column while its pieces go by: little, and that of two pieces adds up to that of both.

A column of numbers is its range, its missing cells and whether it counts the rows; a column of anything else is its
different values in the order in which they come, and how often each of them comes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from margin.data.kind_inference import LEADING_ZERO
from margin.errors import DataError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FEW", "MOST_VALUES", "ColumnSummary", "storage_of", "summary_of"]

#: So many different whole numbers make one wonder whether a column is nominal.
FEW = 10
#: More different values are not kept: a column of so many words is told by the caller.
MOST_VALUES = 1_000_000


@dataclass
class ColumnSummary:
    """One column in some rows.

    ``storage`` says how its cells come: ``"numbers"``, ``"words"``, ``"truth"``, ``"dates"``, ``"categories"``, or ""
    where all are missing. ``values`` are the different ones with their counts, None where they were not collected.
    ``few`` are the different numbers while they are few and whole, else None; ``steady`` that each number is one above
    the last.
    """

    storage: str
    rows: int
    missing: int
    low: float = np.inf
    high: float = -np.inf
    first: float = np.nan
    last: float = np.nan
    steady: bool = True
    few: tuple[float, ...] | None = ()
    values: dict[Any, int] | None = field(default_factory=dict)
    #: Whether the words were taken as numbers, since they read as such.
    plain: bool = False
    #: Whether that holds for some pieces only: then the words of all have to be collected.
    mixed: bool = False

    def plus(self, other: ColumnSummary, name: str, who: str) -> ColumnSummary:
        """What is known of the rows of both, those of ``other`` behind."""
        if not self.rows or not other.rows:
            return other if not self.rows else self
        both = {self.storage, other.storage} - {""}
        if len(both) > 1:
            one, two = sorted(both)
            raise DataError(
                f"{who}: column {name!r} holds {two} here, but {one} in the parts before; a column must be of one type "
                "everywhere."
            )
        few = None
        if self.few is not None and other.few is not None:
            few = tuple(sorted({*self.few, *other.few}))
            few = few if len(few) <= FEW else None
        steady = self.steady and other.steady and other.first == self.last + 1
        mixed = self.mixed or other.mixed or bool(self.storage and other.storage and self.plain != other.plain)
        return ColumnSummary(
            both.pop() if both else "", self.rows + other.rows, self.missing + other.missing,
            min(self.low, other.low), max(self.high, other.high), self.first, other.last, steady, few,
            None if mixed else _counts_of_both(self.values, other.values, name, who),
            self.plain or other.plain, mixed,
        )  # fmt: skip


def storage_of(dtype: pl.DataType) -> str | None:
    """How the cells of a typed column come; None for what no table holds."""
    import polars as pl

    if dtype.is_numeric():
        return "numbers"
    if dtype == pl.Null:
        return ""
    known = {pl.String: "words", pl.Boolean: "truth", pl.Date: "dates", pl.Datetime: "dates",
             pl.Categorical: "categories", pl.Enum: "categories"}  # fmt: skip
    return known.get(dtype.base_type())


def summary_of(cells: pl.Series, wanted: str, name: str, who: str) -> ColumnSummary:
    """What there is to know of one column of a piece; ``wanted`` collects ``"numbers"`` too, or all as ``"words"``."""
    import polars as pl

    storage = storage_of(cells.dtype)
    if storage is None:
        raise DataError(
            f"{who}: column {name!r} holds {cells.dtype} values, which no table holds (unnest or drop it first)."
        )
    rows, missing = len(cells), cells.null_count()
    if missing == rows:
        return ColumnSummary("", rows, missing, steady=False)
    if storage == "numbers":
        return _of_numbers(cells.cast(pl.Float64), "numbers", bool(wanted))
    if storage == "words" and wanted != "words" and (numbers := _plain_numbers(cells)) is not None:
        return _of_numbers(numbers, "words", bool(wanted))
    return ColumnSummary(storage, rows, missing, steady=False, few=None, values=_counted(cells, name, who))


def _of_numbers(cells: pl.Series, storage: str, wanted: bool) -> ColumnSummary:
    stored = cells.fill_null(np.nan).to_numpy()
    missing = int(np.isnan(stored).sum())
    there = stored[~np.isnan(stored)] if missing else stored
    if not len(there):
        return ColumnSummary("", len(stored), missing, steady=False)
    steady = not missing and bool(np.isfinite(there).all() and there[0] == np.floor(there[0]))
    values = None
    if wanted:
        different, counts = np.unique(there, return_counts=True)
        values = None if len(different) > MOST_VALUES else dict(zip(different.tolist(), counts.tolist()))
    return ColumnSummary(
        storage, len(stored), missing, float(there.min()), float(there.max()), float(stored[0]), float(stored[-1]),
        steady and bool(np.all(np.diff(there) == 1)), _few(there), values, storage == "words",
    )  # fmt: skip


def _few(numbers: np.ndarray) -> tuple[float, ...] | None:
    some = numbers[:1000]
    if np.any(some != np.floor(some)) or len(np.unique(some)) > FEW:  # spares most columns the sorting of all
        return None
    different = np.unique(numbers)
    return tuple(different.tolist()) if len(different) <= FEW and np.all(different == np.floor(different)) else None


def _plain_numbers(words: pl.Series) -> pl.Series | None:
    """Words that are numbers as machines write them, every one of them; else None."""
    import polars as pl

    numbers = words.cast(pl.Float64, strict=False)
    if numbers.null_count() > words.null_count() or words.str.contains(LEADING_ZERO).any():
        return None
    present = numbers.drop_nulls()
    return numbers if present.is_finite().all() else None


def _counted(cells: pl.Series, name: str, who: str) -> dict[Any, int]:
    """The different values in the order in which they come first, and how often they do."""
    import polars as pl

    if cells.dtype in (pl.Categorical, pl.Enum):
        cells = cells.cast(pl.String)
    found = cells.drop_nulls().to_frame("value").group_by("value", maintain_order=True).len()
    _check_few(len(found), name, who)
    values = found["value"].to_list()
    if cells.dtype.is_temporal():
        values = [str(value) for value in values]
    return dict(zip(values, found["len"].to_list()))


def _counts_of_both(
    first: dict[Any, int] | None, second: dict[Any, int] | None, name: str, who: str
) -> dict[Any, int] | None:
    if first is None or second is None:
        return None
    both, value = dict(first), None
    for value, count in second.items():
        both[value] = both.get(value, 0) + count
    if len(both) > MOST_VALUES and isinstance(value, float):
        return None  # as a quantity has it that is to be predicted
    _check_few(len(both), name, who)
    return both


def _check_few(n: int, name: str, who: str) -> None:
    if n > MOST_VALUES:
        raise DataError(
            f"{who}: column {name!r} has more than {MOST_VALUES:,} different words; say what it is "
            f"(kinds={{{name!r}: 'identifier'}} leaves it out of models, 'text' reads its words), or leave it out "
            "with columns=."
        )
