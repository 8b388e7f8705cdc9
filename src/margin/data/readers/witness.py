"""Whether a file that is read in parts is read as it would be whole.

What a column is, is one rule for all its cells (``kind_inference.py``), and a part might be taken otherwise than the
whole: ``03/04/2024`` in one part and ``31/12/2024`` in the next, ``1`` here and ``007`` there. A :class:`Witness` looks
at how the words of every part were taken. Where all parts of a column were taken in one way that leaves no doubt about
the whole, each cell means what it would mean there; anything else is :class:`ReadWhole`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from margin.data.kind_inference import Written, as_numbers
from margin.data.schema import Column
from margin.data.written.date_columns import look_like_dates
from margin.data.written.dates import read_dates
from margin.errors import DataWarning, MarginError, warn

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ReadWhole", "Witness"]


class ReadWhole(MarginError):
    """A part of a file does not say for sure what it means in the whole."""


@dataclass
class _Coerced:
    """Cells of a column that were no numbers: how many of how many, and the first."""

    who: str
    first: str
    place: str
    count: int = 0


class Witness:
    """Looks on while words are read, for columns that a model knows.

    ``learnt`` are the kinds that columns had in training, ``others`` the kind of all that are not among them. With
    ``in_parts`` False nothing is in doubt, and only the cells that were no numbers are counted.
    """

    def __init__(self, learnt: Mapping[str, str], in_parts: bool = True, others: str | None = None) -> None:
        self.learnt = dict(learnt)
        self.in_parts = in_parts
        self.others = others
        self._above = 0
        self._counted: set[str] = set()
        self._ways: dict[str, str] = {}
        self._coerced: dict[str, _Coerced] = {}
        self._cells: dict[str, int] = {}

    def next_part(self, above: int) -> None:
        """A new part is read, perhaps more than once; ``above`` is what stands above it in the file alone."""
        self._above = above
        self._counted = set()

    def __call__(self, words: pl.Series, about: Written, column: Column) -> None:
        kind = self.learnt.get(about.name, self.others)
        if kind is None or about.declared is not None:  # a column to be left out, or read once more
            return
        if kind == "numeric" and about.bad == "missing" and about.name not in self._counted:
            self._count(words, about)
        if self.in_parts:
            self.check(about.name, _way(words, about, column, kind))

    def check(self, name: str, way: str | None) -> None:
        """Refuse a way that leaves the whole in doubt, or is not that of the parts before; "" fits to every other."""
        if way is None or (way and self._ways.setdefault(name, way) != way):
            raise ReadWhole(f"column {name!r} must be read whole.")

    def warn_of_coerced(self) -> None:
        """Say of each column of numbers how many of its cells were none, over all parts."""
        for name, found in self._coerced.items():
            warn(
                f"{found.who}: column {name!r}: {found.count:,} of {self._cells[name]:,} cells are no numbers and are "
                f"read as missing, the first {found.first!r} in {found.place}.",
                DataWarning,
            )

    def _count(self, words: pl.Series, about: Written) -> None:
        self._counted.add(about.name)
        self._cells[about.name] = self._cells.get(about.name, 0) + len(words)
        strays = as_numbers(words, about).strays
        if not len(strays):
            return
        row = int(strays[0])
        place = f"{about.place} {about.line_of(row) + self._above}"
        found = self._coerced.setdefault(about.name, _Coerced(about.who, words[row], place))
        found.count += len(strays)


def _way(words: pl.Series, about: Written, column: Column, learnt: str) -> str | None:
    """How a part was taken, "" if it is empty; None if that says nothing of the whole."""
    if words.null_count() == len(words):
        return ""
    if learnt == "numeric":
        return _way_of_numbers(words, about)
    if column.levels == (False, True):
        return "truth"
    if learnt == "identifier":
        return "words"  # as they are written, whatever they look like
    if column.is_numeric:
        return _way_of_numbers(words, about)
    if column.kind == "identifier":  # all different in this part, but not in training
        return None
    if column.kind == "date":
        found = read_dates(column.levels)
        return None if found is None or not found.told else f"dates, {found.day_first}"
    return None if look_like_dates(words.drop_nulls()) else column.kind


def _way_of_numbers(words: pl.Series, about: Written) -> str | None:
    """Numbers as machines write them, or all with a comma; styles of a whole column are not seen in a part of it."""
    numbers = as_numbers(words, about)
    if numbers.writing or not np.isfinite(numbers.values.drop_nulls().to_numpy()).all():
        return None
    commas = about.decimal_comma is not False and bool(words.str.contains(",", literal=True).any())
    if len(numbers.strays) and (about.bad != "missing" or commas):
        return None
    return "numbers with commas" if commas else "numbers"
