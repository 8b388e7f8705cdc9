"""The protocol for rows that come one after the other: learn from the past, ask about what comes next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from margin.data.written.dates import read_dates
from margin.errors import DataError, InputError, ParameterError
from margin.evaluation.protocols.groups import named_values
from margin.evaluation.protocols.stratified import Judged, Split, Splits, _groups, check_count, check_share
from margin.typing import LabelsLike, TableLike

__all__ = ["TimeHoldOut", "TimeOrdered", "written_times"]


@dataclass(frozen=True, eq=False)
class TimeOrdered(Splits):
    """Cuts the rows in order of time into ``folds + 1`` stretches and asks about each but the first, of the past alone.

    Rows of equal time always fall into one stretch, so that none of them is learnt from while another is asked about.

    Parameters
    ----------
    times
        When each row was seen: numbers, dates, or dates as files write them; or the name of a column of the inputs,
        which is then taken out of them. The order of the rows without it.
    folds
        Stretches that are asked about, of nearly equal numbers of rows.
    gap
        How long before the first row asked about learning ends, for targets that are known only later: in the unit of
        the times, as ``timedelta(days=7)``, or in rows where no times are given.
    window
        How far back learning reaches, in the same unit; to the beginning without it.

    Examples
    --------
    >>> [(train.tolist(), test.tolist()) for train, test in TimeOrdered(folds=2).split([0, 1, 0, 1, 0, 1])]
    [([0, 1], [2, 3]), ([0, 1, 2, 3], [4, 5])]
    >>> [(train.tolist(), test.tolist()) for train, test in TimeOrdered(folds=2, gap=1, window=2).split([0, 1] * 3)]
    [([0], [2, 3]), ([1, 2], [4, 5])]
    """

    times: Any = field(default=None, repr=False)
    folds: int = 5
    gap: Any = 0
    window: Any = None

    def __post_init__(self) -> None:
        check_count("TimeOrdered", "folds", self.folds)
        for what, value in (("gap", self.gap), ("window", self.window)):
            if value is None and what == "window":
                continue
            length = value if isinstance(value, (int, float, np.number)) else _seconds(what, value)
            if isinstance(value, bool) or not (length > 0 or (length == 0 and what == "gap")):
                least = "0 or more" if what == "gap" else "above 0"
                raise ParameterError(f"TimeOrdered({what}={value!r}): {what} must be a length of time, {least}.")

    @property
    def name(self) -> str:
        return f"{self.folds} stretches in order of time"

    @property
    def n_fits(self) -> int:
        return self.folds

    def bound(self, X: TableLike) -> tuple[TimeOrdered, Any]:
        """The protocol with the times themselves, and the inputs without the column they stood in."""
        times, X = named_values(self.times, X, "TimeOrdered(times=…)")
        return replace(self, times=times), X

    def split(self, y: LabelsLike) -> Iterator[Split]:
        n = len(_groups("TimeOrdered", y, least=2))
        when, (gap, window) = self._clock(n)
        order = np.argsort(when, kind="stable")
        ordered = when[order]
        cuts = _cuts(ordered, self.folds + 1)
        for begin, end in pairwise(cuts[1:]):
            until = int(np.searchsorted(ordered, ordered[begin] - gap, side="left"))
            since = 0 if window is None else int(np.searchsorted(ordered, ordered[begin] - gap - window, side="left"))
            if until <= since:
                raise DataError(
                    f"TimeOrdered(gap={self.gap!r}, window={self.window!r}): nothing is left to learn from before row "
                    f"{begin} in order of time (use a shorter gap, a longer window or fewer folds)."
                )
            yield np.sort(order[since:until]), np.sort(order[begin:end])

    def _clock(self, n: int) -> tuple[np.ndarray, tuple[Any, Any]]:
        """The time of each row as a number, with gap and window in the same unit."""
        if self.times is None:
            return np.arange(n), (self.gap, self.window)
        if isinstance(self.times, str):
            raise ParameterError(
                f"TimeOrdered(times={self.times!r}): a column is known by name only where the inputs are (evaluate "
                "reads it; give the values themselves here)."
            )
        when = _as_times(self.times)
        if len(when) != n:
            raise InputError(f"TimeOrdered: {len(when)} times were given for {n} rows.")
        lengths = (self.gap, self.window)
        if when.dtype.kind == "M":
            gap, window = (
                length if length is None or length == 0 else round(1e9 * _seconds("gap or window", length))
                for length in lengths
            )
            return when.astype("datetime64[ns]").astype(np.int64), (gap, window)
        if any(not (length is None or isinstance(length, (int, float, np.number))) for length in lengths):
            raise ParameterError(
                f"TimeOrdered(gap={self.gap!r}, window={self.window!r}): the times are numbers, so must these be."
            )
        return when, lengths

    def describe(self) -> str:
        since = "" if self.window is None else f", no more than {self.window} back"
        gap = f", leaving a gap of {self.gap}" if self.gap else ""
        return (
            f"Each of {self.folds} stretches of time was asked of a model learnt from what came before it{since}{gap}."
        )


@dataclass(frozen=True, eq=False)
class TimeHoldOut(Splits):
    """Learns from the rows before a point in time and asks about those from it on: the past once, the future once.

    Parameters
    ----------
    times
        As in :class:`TimeOrdered`: one per row, the name of a column of the inputs, which is then taken out of them, or
        the order of the rows without it.
    at
        The first time that is asked about, written as the times are: ``"2024-05-31"``. Without it, such that about
        ``test_share`` of the rows are.
    test_share
        The share of the rows that is asked about where no point in time is given; rows of equal time stay together.
    gap
        How long before it learning ends, as in :class:`TimeOrdered`.

    Examples
    --------
    >>> days = ["2024-05-29", "2024-05-30", "2024-05-31", "2024-06-01"]
    >>> ((train, test),) = TimeHoldOut(days, at="2024-05-31").split(["a", "b", "a", "b"])
    >>> train.tolist(), test.tolist()
    ([0, 1], [2, 3])
    """

    times: Any = field(default=None, repr=False)
    at: Any = None
    test_share: float = 0.25
    gap: Any = 0

    judged_by: ClassVar[Judged] = "cases"
    n_fits = 1

    def __post_init__(self) -> None:
        check_share("TimeHoldOut", "test_share", self.test_share)
        TimeOrdered(gap=self.gap)  # refuses what is no length of time

    @property
    def name(self) -> str:
        return (
            f"hold-out from {self.at} on"
            if self.at is not None
            else f"hold-out of the last {100 * self.test_share:g} %"
        )

    def bound(self, X: TableLike) -> tuple[TimeHoldOut, Any]:
        """The protocol with the times themselves, and the inputs without the column they stood in."""
        times, X = named_values(self.times, X, "TimeHoldOut(times=…)")
        return replace(self, times=times), X

    def split(self, y: LabelsLike) -> Iterator[Split]:
        n = len(_groups("TimeHoldOut", y, least=2))
        when, (gap, _) = TimeOrdered(self.times, gap=self.gap)._clock(n)
        first = self._first(when)
        train, test = np.flatnonzero(when < first - gap), np.flatnonzero(when >= first)
        if not len(train) or not len(test):
            side = "before" if not len(train) else "from"
            raise DataError(
                f"TimeHoldOut(at={self.at!r}, gap={self.gap!r}): no row is left {side} that time "
                f"(times go from {self._shown(when.argmin())} to {self._shown(when.argmax())})."
            )
        yield train, test

    def _first(self, when: np.ndarray) -> Any:
        """The first time that is asked about, as a number."""
        if self.at is None:
            ordered = np.sort(when)
            changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
            if not len(changes):
                raise DataError("TimeHoldOut: all rows are of one time, so none can be held back.")
            return ordered[changes[np.argmin(np.abs(changes - (1 - self.test_share) * len(when)))]]
        if self.times is None or _as_times(self.times).dtype.kind != "M":
            if isinstance(self.at, bool) or not isinstance(self.at, (int, float, np.number)):
                raise ParameterError(f"TimeHoldOut(at={self.at!r}): the times are numbers, so must this be.")
            return self.at
        try:
            given = np.asarray(self.times)
            beside = given.tolist() if given.dtype.kind in "OUST" else []  # they say whether 3/4 is in March
            at = _as_times(np.array([*beside, self.at], dtype=object))[-1]
            return at.astype("datetime64[ns]").astype(np.int64)
        except (TypeError, ValueError):
            raise ParameterError(
                f"TimeHoldOut(at={self.at!r}): the times are dates, so must this be, as '2024-05-31'."
            ) from None

    def _shown(self, row: Any) -> str:
        return str(row if self.times is None else np.asarray(self.times)[int(row)])

    def describe(self) -> str:
        gap = f", leaving a gap of {self.gap}" if self.gap else ""
        if self.at is None:
            return f"Learnt from the earlier rows and asked about the last {100 * self.test_share:g} % of them{gap}."
        return f"Learnt from the rows before {self.at} and asked about those from then on{gap}."


def _as_times(times: np.ndarray) -> np.ndarray:
    values = np.asarray(times)
    if values.ndim != 1:
        raise InputError(f"TimeOrdered: there must be one time per row, not the shape {values.shape}.")
    if values.dtype.kind in "OUST":
        values = written_times(values)
        values = np.asarray(values.tolist(), dtype="datetime64[ns]") if values.dtype.kind != "M" else values
    if values.dtype.kind not in "iufMmb":
        raise InputError(f"TimeOrdered: times must be numbers or dates, not {values.dtype}.")
    missing = np.flatnonzero(np.isnat(values) if values.dtype.kind in "Mm" else np.isnan(values))
    if len(missing):
        raise InputError(f"TimeOrdered: {len(missing)} of {len(values)} times are missing, first in row {missing[0]}.")
    return values.astype(np.int64) if values.dtype.kind in "mb" else values


def written_times(times: np.ndarray) -> np.ndarray:
    """Words as they are where NumPy reads them as times, else the dates that files are known to write.

    In which order days and months stand, all of them say; so this is for all rows, before some are chosen.

    >>> written_times(np.array(["31.12.2023", "1.2.2024"], dtype=object)).astype(str).tolist()
    ['2023-12-31', '2024-02-01']
    """
    words = times.tolist()
    try:
        np.asarray(words, dtype="datetime64[ns]")
        return times
    except (TypeError, ValueError):
        pass
    present = [word for word in words if word is not None]
    found = read_dates(present) if all(isinstance(word, str) for word in present) else None
    if found is None:
        raise InputError(
            "TimeOrdered: times must be numbers or dates that files write, as '2024-05-31 18:00' or '31.5.2024' "
            f"(the first is {words[0]!r})."
        )
    dates = np.full(len(words), np.datetime64("NaT"), dtype="datetime64[ms]")
    dates[[word is not None for word in words]] = (
        (1000 * found.moment).round().astype(np.int64).astype("datetime64[ms]")
    )
    in_days = dates.astype("datetime64[D]")
    return in_days if np.all((in_days == dates) | np.isnat(dates)) else dates


def _seconds(what: str, length: Any) -> float:
    try:
        return float(np.timedelta64(length) / np.timedelta64(1, "s"))
    except (TypeError, ValueError):
        raise ParameterError(
            f"TimeOrdered({what}={length!r}): among dates this must be a length of time, as "
            "datetime.timedelta(days=7) or numpy.timedelta64(7, 'D')."
        ) from None


def _cuts(ordered: np.ndarray, parts: int) -> np.ndarray:
    """Where to cut ascending times into so many parts of nearly equal size, never between equal times."""
    n = len(ordered)
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    if len(changes) + 1 < parts:
        raise DataError(
            f"TimeOrdered(folds={parts - 1}): there are only {len(changes) + 1} different times for {parts} stretches "
            f"(use folds={len(changes)} or fewer)."
        )
    cuts, at = [0], -1
    for part in range(1, parts):
        # The nearest change of time, but after the last cut, and early enough to leave one for each cut to come.
        near = int(np.argmin(np.abs(changes - n * part / parts)))
        at = min(max(near, at + 1), len(changes) - (parts - part))
        cuts.append(int(changes[at]))
    return np.array([*cuts, n])
