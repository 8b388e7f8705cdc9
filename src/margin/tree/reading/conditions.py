"""What a branch demands of one column, in words; demands on the same column join into one."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

from margin.data.schema import Column

__all__ = ["Condition", "answer_words", "number"]

#: Levels that are named in a condition; the others are counted.
MOST_LEVELS = 6


def number(x: float, digits: int = 6) -> str:
    """A number with so many significant digits, but never fewer than stand before its point.

    >>> number(77.5), number(1234567.25, 3), number(4.0), number(2e30)
    ('77.5', '1234567', '4', '2e+30')
    """
    return f"{x:.0f}" if 10.0**digits <= abs(x) < 1e15 else f"{x:.{digits}g}"


def answer_words(answer: Any, digits: int = 6) -> str:
    """An answer in words: numbers rounded, those of several outputs one after another.

    >>> answer_words(0.123456789), answer_words(("yes", 2.0)), answer_words("no")
    ('0.123457', 'yes, 2', 'no')
    """
    if isinstance(answer, tuple):
        return ", ".join(answer_words(each, digits) for each in answer)
    return number(answer, digits) if isinstance(answer, float) else str(answer)


@dataclass(frozen=True)
class Condition:
    """One column must lie in a range, or hold one of some levels.

    ``low`` < number <= ``high``, or a level whose code is among ``codes``. With ``missing`` a missing cell will do as
    well; that is said in words only where ``tell_missing``.

    >>> age = Column("age", "numeric")
    >>> print(Condition(age, high=5.0) & Condition(age, low=1.0, high=3.0))
    1 < age <= 3
    >>> print(Condition(Column("sky", "nominal", ("grey", "blue", "red", "black")), codes=(1, 2)))
    sky in {blue, red}
    """

    column: Column
    low: float = -math.inf
    high: float = math.inf
    codes: tuple[int, ...] | None = None
    missing: bool = False
    tell_missing: bool = field(default=False, compare=False)

    def __and__(self, other: Condition) -> Condition:
        codes = self.codes
        if codes is not None and other.codes is not None:
            both = set(other.codes)
            codes = tuple(code for code in codes if code in both)
        return replace(
            self,
            low=max(self.low, other.low),
            high=min(self.high, other.high),
            codes=codes,
            missing=self.missing and other.missing,
            tell_missing=self.tell_missing or other.tell_missing,
        )

    @property
    def only_missing(self) -> bool:
        """Whether no known cell will do."""
        return not self.codes if self.codes is not None else self.low >= self.high

    @property
    def any_known(self) -> bool:
        """Whether all known cells will do."""
        if self.codes is not None:
            return len(self.codes) == len(self.column.levels)
        return self.low == -math.inf and self.high == math.inf

    @property
    def demands_nothing(self) -> bool:
        """Whether every cell will do."""
        return self.any_known and self.missing

    def holds(self, cell: float) -> bool:
        """Whether a number or code will do; NaN is a missing cell."""
        if math.isnan(cell):
            return self.missing
        return int(cell) in self.codes if self.codes is not None else self.low < cell <= self.high

    def text(self, digits: int = 6) -> str:
        """The condition with the name of its column."""
        name = self.column.name
        if self.codes is None and -math.inf < self.low < self.high < math.inf:
            words = f"{number(self.low, digits)} < {name} <= {number(self.high, digits)}"
            return words + self._or_missing()
        return f"{name} {self.relation(digits)}"

    def relation(self, digits: int = 6) -> str:
        """The condition without the name of its column, as on the edge of a picture."""
        if self.only_missing:
            return "is missing" if self.missing else "is impossible"
        if self.any_known and not self.missing:
            return "is known"
        words = self._levels() if self.codes is not None else self._range(digits)
        return words + self._or_missing()

    def _or_missing(self) -> str:
        return " or missing" if self.missing and self.tell_missing else ""

    def _range(self, digits: int) -> str:
        low, high = f"> {number(self.low, digits)}", f"<= {number(self.high, digits)}"
        return low if self.high == math.inf else high if self.low == -math.inf else f"{low} and {high}"

    def _levels(self) -> str:
        levels, codes = self.column.levels, self.codes or ()
        if len(codes) == 1:
            return f"= {levels[codes[0]]}"
        if self.column.kind == "ordinal" and codes[-1] - codes[0] + 1 == len(codes):
            if codes[0] == 0:
                return f"<= {levels[codes[-1]]}"
            first = f"> {levels[codes[0] - 1]}"
            return first if codes[-1] == len(levels) - 1 else f"{first} and <= {levels[codes[-1]]}"
        if len(codes) == len(levels) - 1:
            return f"!= {levels[next(iter(set(range(len(levels))) - set(codes)))]}"
        return f"in {_listed([str(levels[code]) for code in codes])}"

    def __str__(self) -> str:
        return self.text()


def _listed(words: list[str]) -> str:
    more = len(words) - MOST_LEVELS
    if more <= 1:  # nothing is saved by counting a single one
        return "{" + ", ".join(words) + "}"
    return "{" + ", ".join(words[:MOST_LEVELS]) + f", … {more} more" + "}"
