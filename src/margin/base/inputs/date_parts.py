"""What a column of dates tells a model: how much time has passed, and where in the year, week and day it was.

A model sees columns of numbers made of the dates, ``signed_up, days`` and ``signed_up, month``, in place of the column
itself. Days are counted from the earliest date of the training rows, and only what varies among them is there.

Trees cut numbers in two, so that ``month <= 3`` is a season to them: they get the parts as numbers. To a weighted sum
or a distance December and January would be eleven apart, so that models of one numeric matrix get months, days of the
month and times of day as points on a circle (sine and cosine), the day of the week as a word, for weekends are no
wave, and no year, of which the days tell already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.data.schema import Column, Schema
from margin.data.table import Table
from margin.data.written.dates import Dates, first_stray, read_dates
from margin.errors import InputError

__all__ = ["PARTS", "DateParts", "learn_dates", "with_date_parts"]

DAY = 86_400.0
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def _days(clock: np.ndarray) -> np.ndarray:
    return np.floor(clock / DAY)


def _calendar(clock: np.ndarray, unit: str) -> np.ndarray:
    return _days(clock).astype("datetime64[D]").astype(f"datetime64[{unit}]")


def _year(clock: np.ndarray) -> np.ndarray:
    return _calendar(clock, "Y").astype(np.int64) + 1970


def _month(clock: np.ndarray) -> np.ndarray:
    return _calendar(clock, "M").astype(np.int64) % 12 + 1


def _day(clock: np.ndarray) -> np.ndarray:
    return (_calendar(clock, "D") - _calendar(clock, "M")).astype(np.int64) + 1


def _weekday(clock: np.ndarray) -> np.ndarray:
    return (_days(clock) + 3) % 7 + 1  # the first of January 1970 was a Thursday


def _hour(clock: np.ndarray) -> np.ndarray:
    return np.floor((clock - DAY * _days(clock)) / 3600)


def _wave(share: Callable[[np.ndarray], np.ndarray], wave: Any) -> Callable[[np.ndarray], np.ndarray]:
    # Rounded, so that the sine of half a year is 0 and not a last digit that a scale would make much of.
    return lambda clock: np.round(wave(2 * np.pi * share(clock)), 12)


def _waves(name: str, share: Callable[[np.ndarray], np.ndarray]) -> dict[str, Callable[[np.ndarray], np.ndarray]]:
    return {f"{name} sine": _wave(share, np.sin), f"{name} cosine": _wave(share, np.cos)}


#: What is made of the clock, in models that cut numbers and in models of one numeric matrix. Days come before all.
AS_NUMBERS = {"year": _year, "month": _month, "day": _day, "weekday": _weekday, "hour": _hour}
AS_WAVES = {
    **_waves("month", lambda clock: (_month(clock) - 1) / 12),
    **_waves("day", lambda clock: (_day(clock) - 1) / 31),
    "day of the week": _weekday,
    **_waves("hour", lambda clock: clock / DAY - _days(clock)),
}
PARTS = ("days", *AS_NUMBERS, *AS_WAVES)
_MADE = {**AS_NUMBERS, **AS_WAVES}


@dataclass(frozen=True)
class DateParts:
    """The columns that are made of one column of dates.

    ``origin`` are the seconds from 1970 to the earliest date, ``parts`` those of :data:`PARTS` that are there, and
    ``day_first`` says whether 3/4 is the third of April, None where nothing was written so.
    """

    column: str
    origin: float
    parts: tuple[str, ...]
    day_first: bool | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{self.column}, {part}" for part in self.parts)

    def made_of(self, given: Column, cells: np.ndarray, who: str) -> list[tuple[Column, np.ndarray]]:
        """The columns made of the cells of a table's column; what is no date is refused by row."""
        if given.is_numeric:
            return self._of_numbers(cells, who)
        levels = list(map(str, given.levels))
        found = read_dates(levels, self.day_first) if levels else Dates(np.empty(0), np.empty(0), None, True)
        if found is None:
            used = np.unique(cells[cells >= 0])
            bad = used[first_stray([levels[code] for code in used], self.day_first)]
            raise self._refusal(int(np.argmax(cells == bad)), given.levels[bad], who)
        return [_made(name, part, found, self.origin, cells) for name, part in zip(self.names, self.parts)]

    def _of_numbers(self, cells: np.ndarray, who: str) -> list[tuple[Column, np.ndarray]]:
        """A column without a single date is numeric where nothing else is known of it."""
        there = np.flatnonzero(~np.isnan(cells))
        if len(there):
            raise self._refusal(int(there[0]), f"{cells[there[0]]:g}", who)
        return self.made_of(Column(self.column, "date"), np.full(len(cells), -1), who)

    def _refusal(self, row: int, value: object, who: str) -> InputError:
        return InputError(
            f"{who}: column {self.column!r}, row {row}: {value!r} is not a date that is known, but the column holds "
            "dates (mend the cell, or make it None if it is missing)."
        )


def _made(name: str, part: str, dates: Dates, origin: float, codes: np.ndarray) -> tuple[Column, np.ndarray]:
    if part == "day of the week":
        stored = np.append(_weekday(dates.clock) - 1, -1).astype(np.int32)[codes]
        return Column(name, "nominal", WEEKDAYS, "made of dates"), stored
    numbers = (dates.moment - origin) / DAY if part == "days" else _MADE[part](dates.clock)
    return Column(name, "numeric", reason="made of dates"), np.append(numbers, np.nan)[codes]


def learn_dates(table: Table, names: Iterable[str], waves: bool) -> tuple[DateParts, ...]:
    """What is made of the dates of training rows; in which order days and months stand, all levels say."""
    return tuple(_learnt(table.schema[name], table.cells(name), waves) for name in names)


def _learnt(column: Column, codes: np.ndarray, waves: bool) -> DateParts:
    levels = list(map(str, column.levels))
    found = read_dates(levels) if levels else None
    seen = np.unique(codes[codes >= 0])
    if found is None or not len(seen):
        return DateParts(column.name, 0.0, ("days",), None if found is None else found.day_first)
    clock = found.clock[seen]
    made = {part: make(clock) for part, make in (AS_WAVES if waves else AS_NUMBERS).items()}
    parts = ("days", *(part for part, values in made.items() if values.min() < values.max()))
    return DateParts(column.name, float(found.moment[seen].min()), parts, found.day_first)


def with_date_parts(table: Table, dates: tuple[DateParts, ...], who: str) -> Table:
    """The table with what is made of its dates in the place of each such column.

    >>> table = Table({"day": ["2024-01-31", "2024-02-02"], "x": [1.0, 2.0]})
    >>> made = with_date_parts(table, learn_dates(table, ["day"], waves=False), "here")
    >>> made.names, made["day, days"].tolist(), made["day, weekday"].tolist()
    (('day, days', 'day, month', 'day, day', 'day, weekday', 'x'), [0.0, 2.0], [3.0, 5.0])
    """
    known = {each.column: each for each in dates}
    made: list[tuple[Column, np.ndarray]] = []
    for column in table.schema:
        cells = table.cells(column.name)
        made += known[column.name].made_of(column, cells, who) if column.name in known else [(column, cells)]
    return Table(Schema(column for column, _ in made), [cells for _, cells in made], table.name, table.n_rows)
