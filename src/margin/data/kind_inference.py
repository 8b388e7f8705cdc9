"""What a column of written cells is: numbers, categories, dates, names of rows or free text.

One rule for the whole column, never for a part of it, and the reason is kept:

1. Blanks around a cell do not count. Some marks always stand for a missing cell (:data:`MISSING`); some do so only
   where every other cell is a number (:data:`MISSING_AMONG_NUMBERS`).
2. A column is numeric if every present cell is a number, ``12``, ``-1.5``, ``1e5``; decimal commas are understood
   where commas do not separate cells, and so are thousands set apart, ``1,250``, and a unit that stands at every
   number, ``$5``, ``12 %``. A leading zero, ``007``, makes it nominal: such numbers are names.
3. A column of nothing but ``True`` and ``False`` holds truth values, as other readers of files have it.
4. Running numbers under a name like ``id``, and words that are nearly all different, are identifiers;
   long words of several parts are text. Words are dates if all of them are, in one order of days and months.
5. Everything else is nominal, its levels sorted.

Files and data in memory go through the same rule; what is typed already skips the part of it that reads words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from margin.data.declared_kinds import DeclaredKind
from margin.data.level_codes import (
    ENOUGH_WORDS,
    codes_among,
    codes_of_all,
    in_number_order,
    levels_of_numbers,
    names_of_rows,
)
from margin.data.number_formats import in_plain_digits
from margin.data.schema import Column, Kind
from margin.data.written.date_columns import dated_column, look_like_dates
from margin.data.written.dates import first_stray
from margin.errors import DataError, DataWarning, InputError, closest, warn

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "MISSING",
    "MISSING_AMONG_NUMBERS",
    "BadCells",
    "Written",
    "as_numbers",
    "infer",
    "infer_numbers",
    "infer_stripped",
    "infer_words",
    "numbers_in",
    "truth_values",
    "without_marks",
]

#: Marks that stand for a missing cell in every column: those that other readers of files know, and "?".
MISSING = (
    "", "?", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None", "<NA>",
    "#NA", "#N/A", "#N/A N/A",
)  # fmt: skip
#: Marks that stand for a missing cell where all other cells are numbers; elsewhere they are values.
MISSING_AMONG_NUMBERS = ("-", "--", ".", "none")
#: What becomes of a word in a column that is otherwise numbers: all become words, it is an error, or it is missing.
BadCells = Literal["words", "refuse", "missing"]

#: A column is "almost numeric", and worth a warning, from this share of numbers and this many of them.
ALMOST_NUMERIC, ENOUGH_NUMBERS = 0.95, 20
#: Where a bad cell is refused or taken for missing, this share of numbers shows that numbers were meant.
MEANT_AS_NUMBERS = 0.9
#: Words of more parts than this, on average, are sentences.
LONG_WORDS = 4
RUNNING_NUMBER_ROWS = 20

NAME_OF_ROWS = re.compile(
    r"^(?i:id|idx|index|nr|no|num|number|row|rownames?|row_?id|key|unnamed.*|.+[ _.-]id)$|^.+I[dD]$"
)
LEADING_ZERO = r"^[+-]?0[0-9]"
_TRUE, _FALSE = ("True", "TRUE", "true"), ("False", "FALSE", "false")


@dataclass(frozen=True)
class Written:
    """What is known about a column of cells besides the cells.

    ``unnamed`` says that the header left the name empty; ``line_of`` gives the line of the file that a row
    stands in, or the row itself where ``place`` says so; ``missing`` replaces both lists of marks; ``bad`` says what
    becomes of a cell that is no number among numbers. Where nothing is known of a ``decimal_comma`` (None), commas
    set thousands apart if they can. A ``witness`` is told how words were taken.
    """

    name: str
    who: str = "read"
    missing: tuple[str, ...] | None = None
    decimal_comma: bool | None = False
    is_target: bool = False
    unnamed: bool = False
    declared: DeclaredKind | None = None
    line_of: Callable[[int], int] = lambda row: row + 1
    place: str = "line"
    bad: BadCells = "words"
    witness: Callable[[pl.Series, Written, Column], None] | None = None

    def refusal(self, row: int, value: object, must: str) -> DataError:
        return DataError(f"{self.who}: column {self.name!r}, {self.at(row)}: {value!r} {must}.")

    def at(self, row: int) -> str:
        return f"{self.place} {self.line_of(row)}"


@dataclass(frozen=True)
class _Numbers:
    """Cells read as numbers, null where they are none, the rows of the words left over, and how they are written."""

    values: pl.Series
    strays: np.ndarray
    writing: str = ""

    @property
    def count(self) -> int:
        return len(self.values) - self.values.null_count()


def infer(cells: pl.Series, about: Written) -> tuple[Column, np.ndarray]:
    """The column that written cells make, and what a table stores for it.

    >>> import polars as pl
    >>> column, stored = infer(pl.Series(["1", "?", "2.5"]), Written("age"))
    >>> column.kind, column.reason, stored
    ('numeric', 'every cell is a number, 1 missing', array([1. , nan, 2.5]))
    """
    return infer_stripped(without_marks(cells.to_frame(about.name), about.missing).to_series(), about)


def infer_stripped(words: pl.Series, about: Written) -> tuple[Column, np.ndarray]:
    """The same for words that :func:`without_marks` gave."""
    found = _inferred(words, about)
    if about.witness is not None:
        about.witness(words, about, found[0])
    return found


def _inferred(words: pl.Series, about: Written) -> tuple[Column, np.ndarray]:
    if about.declared is not None:
        return _as_declared(words, about, about.declared)
    if words.null_count() == len(words):
        return Column(about.name, "numeric", reason="every cell is missing"), np.full(len(words), np.nan)
    truth = truth_values(words)
    if truth is not None:
        return Column(about.name, "nominal", (False, True), "truth values"), truth
    if not words.str.contains(r"\d").any():  # as most words are; asking whether they are numbers takes much longer
        return infer_words(words, about)
    numbers = as_numbers(words, about)
    share = ALMOST_NUMERIC if about.bad == "words" else MEANT_AS_NUMBERS
    if not numbers.count or numbers.count < share * (numbers.count + len(numbers.strays)):
        return infer_words(words, about)
    zeros = words.str.contains(LEADING_ZERO).arg_true()
    if len(zeros):
        return infer_words(words, about, f"leading zeros, as in {words[int(zeros[0])]!r}, make names of numbers")
    if not len(numbers.strays) or about.bad != "words":
        _settle_strays(words, numbers, about)
        return _numeric(words, numbers, about)
    if numbers.count < ENOUGH_NUMBERS:
        return infer_words(words, about)
    _warn_of_strays(words, numbers, about)
    return _leveled(words, about, f"{len(numbers.strays)} of its cells are not numbers")


def infer_words(words: pl.Series, about: Written, because: str = "") -> tuple[Column, np.ndarray]:
    """The column that words make, null for missing ones: nominal, identifier or text, never numeric.

    >>> import polars as pl
    >>> infer_words(pl.Series(["red", "blue", None]), Written("colour"))[0]
    Column(name='colour', kind='nominal', levels=('blue', 'red'), reason='2 different words')
    """
    present = words.drop_nulls()
    if look_like_dates(present):
        dated = dated_column(words, about.name, "dates")
        if dated is not None:
            return dated
    column, codes = _leveled(words, about, "")
    distinct, rows = len(column.levels), len(present)
    kind: Kind = "nominal"
    reason = because or f"{distinct} different word" + "s" * (distinct != 1)
    if rows > ENOUGH_WORDS and distinct >= rows / 2 and not about.is_target:
        if _mean_parts(present) > LONG_WORDS:
            kind, reason = "text", "sentences, nearly all different" if distinct < rows else "sentences, all different"
        elif names_of_rows(distinct, rows):
            kind, reason = "identifier", f"{distinct} different words in {rows} cells name the rows"
    return Column(about.name, kind, column.levels, reason), codes


def infer_numbers(stored: np.ndarray, about: Written) -> tuple[Column, np.ndarray]:
    """The column that numbers make which came as such: numeric, or an identifier if they count the rows.

    >>> infer_numbers(np.array([1.0, np.nan]), Written("age"))[0].reason
    'every cell is a number, 1 missing'
    """
    if len(stored) and np.isnan(stored).all():
        return Column(about.name, "numeric", reason="every cell is missing"), stored
    if _names_rows(stored, about):
        levels = tuple(map(str, stored.astype(np.int64).tolist()))
        return _running_numbers(levels, about)
    return Column(about.name, "numeric", reason=_numeric_reason(stored, "")), stored


def truth_values(words: pl.Series) -> np.ndarray | None:
    """The codes of a column of nothing but True and False, -1 for null; None for all other columns."""
    import polars as pl

    present = words.drop_nulls()
    if not len(present) or present[0] not in (*_TRUE, *_FALSE) or not present.is_in([*_TRUE, *_FALSE]).all():
        return None
    return words.is_in(list(_TRUE)).cast(pl.Int32).fill_null(-1).to_numpy().astype(np.int32)


def numbers_in(words: pl.Series, about: Written) -> np.ndarray:
    """Words as the numbers they are written for, NaN where null; what is none is settled as ``about`` says."""
    numbers = as_numbers(words, about)
    _settle_strays(words, numbers, about)
    return _stored(numbers)


def without_marks(cells: pl.DataFrame, missing: tuple[str, ...] | None = None) -> pl.DataFrame:
    """The cells of all columns without blanks around them, null where they say that nothing is there.

    >>> import polars as pl
    >>> without_marks(pl.DataFrame({"c": [" red", "NA", ""]}))["c"].to_list()
    ['red', None, None]
    """
    import polars as pl

    marks = MISSING if missing is None else ("", *missing)
    stripped = cells.select(pl.all().str.strip_chars())
    return stripped.select(pl.when(~pl.all().is_in(list(marks))).then(pl.all()))


def as_numbers(words: pl.Series, about: Written) -> _Numbers:
    """Words as numbers in the one way of writing that suits the column best, with the rows of those that are none."""
    import polars as pl

    if about.decimal_comma is None:
        with_points = as_numbers(words, replace(about, decimal_comma=False))
        with_commas = as_numbers(words, replace(about, decimal_comma=True)) if len(with_points.strays) else with_points
        return with_points if len(with_commas.strays) else with_commas
    found = _cast(words, words, about)
    # Most columns are plain numbers or plain words; only what is neither is looked at again.
    if not len(found.strays):
        return found
    if about.decimal_comma and words.str.contains(",", literal=True).any() and not words.str.contains(r"\.\d").any():
        # A column that writes both 1.5 and 1,5 is left alone: one of the two groups thousands.
        commas = _cast(words, words.str.replace(",", ".", literal=True), about)
        if not len(commas.strays):
            return commas
        found = max(found, commas, key=lambda numbers: numbers.count)
    present = words if about.missing is not None else words.to_frame().select(
        pl.when(~pl.all().is_in(list(MISSING_AMONG_NUMBERS))).then(pl.all())
    ).to_series()  # fmt: skip
    plain, writing = in_plain_digits(present, about.decimal_comma)
    styled = _cast(words, plain, about, writing) if writing else found
    return found if len(styled.strays) else styled


def _cast(words: pl.Series, written: pl.Series, about: Written, writing: str = "") -> _Numbers:
    import polars as pl

    values = written.cast(pl.Float64, strict=False).fill_nan(None)
    if values.is_infinite().any() and not values.is_finite().any():
        values = pl.Series(np.full(len(words), np.nan)).fill_nan(None)
    if values.null_count() == words.null_count():
        return _Numbers(values, np.empty(0, dtype=np.int64), writing)
    left = words.is_not_null() & values.is_null()
    if about.missing is None:
        left = left & ~words.is_in(list(MISSING_AMONG_NUMBERS))
    return _Numbers(values, left.arg_true().to_numpy(), writing)


def _mean_parts(words: pl.Series) -> float:
    return float(words.str.count_matches(r"\s+").mean() or 0.0) + 1.0  # type: ignore[arg-type]


def _numeric(words: pl.Series, numbers: _Numbers, about: Written) -> tuple[Column, np.ndarray]:
    stored = _stored(numbers)
    if _names_rows(stored, about):
        return _running_numbers(tuple(words.to_list()), about)
    return Column(about.name, "numeric", reason=_numeric_reason(stored, numbers.writing)), stored


def _stored(numbers: _Numbers) -> np.ndarray:
    return numbers.values.cast(float).fill_null(np.nan).to_numpy().astype(np.float64)


def _running_numbers(levels: tuple[str, ...], about: Written) -> tuple[Column, np.ndarray]:
    column = Column(about.name, "identifier", levels, "a running number names the rows")
    return column, np.arange(len(levels), dtype=np.int32)


def _names_rows(stored: np.ndarray, about: Written) -> bool:
    named = about.unnamed or NAME_OF_ROWS.match(about.name)
    return bool(
        named and not about.is_target and len(stored) > RUNNING_NUMBER_ROWS
        and np.isfinite(stored).all() and stored[0] == np.floor(stored[0]) and np.all(np.diff(stored) == 1)
    )  # fmt: skip


def _numeric_reason(stored: np.ndarray, writing: str) -> str:
    missing = int(np.isnan(stored).sum())
    reason = ", ".join(filter(None, ["every cell is a number", writing, f"{missing} missing" * bool(missing)]))
    some = stored[:1000]
    # A glance at the first cells spares most columns the sorting of all.
    if np.all(np.isnan(some) | (some == np.floor(some))) and len(np.unique(some[~np.isnan(some)])) <= 10:
        distinct = np.unique(stored[~np.isnan(stored)])
        if 1 < len(distinct) <= 10 and len(stored) > 10 * len(distinct) and np.all(distinct == np.floor(distinct)):
            reason += f"; {len(distinct)} different whole numbers, so it may be nominal"
    return reason


def _warn_of_strays(words: pl.Series, numbers: _Numbers, about: Written) -> None:
    row, n = int(numbers.strays[0]), len(numbers.strays)
    word, name = words[row], about.name
    warn(
        f"{about.who}: column {name!r} is nominal because not every cell is a number: {n} of {numbers.count + n} are "
        f"not, the first {word!r} in {about.at(row)} (coerce=True or --coerce reads all of them as missing; "
        f"missing={word!r} or --missing {word} if it stands for a missing cell; kinds={{{name!r}: 'nominal'}} or "
        f"--kind {name}=nominal if this is meant).",
        DataWarning,
    )


def _settle_strays(words: pl.Series, numbers: _Numbers, about: Written) -> None:
    """Cells that are no numbers: refused, or missing with a warning that counts them."""
    if not len(numbers.strays):
        return
    row, n = int(numbers.strays[0]), len(numbers.strays)
    if about.bad == "missing":
        warn(
            f"{about.who}: column {about.name!r}: {n} of {len(words)} cells are no numbers and are read as missing, "
            f"the first {words[row]!r} in {about.at(row)}.",
            DataWarning,
        )
    elif about.bad == "refuse":
        raise InputError(
            f"{about.who}: column {about.name!r}, {about.at(row)}: {words[row]!r} is not a number that can be used, "
            "but the column is numeric (mend the cell, make it None if it is missing, or make the column categorical)."
        )
    else:
        hint = f"missing={words[row]!r} or --missing {words[row]} if it stands for none, coerce=True or --coerce"
        raise about.refusal(row, words[row], f"is not a number ({hint} to read all such cells as missing)")


def _leveled(words: pl.Series, about: Written, reason: str, kind: Kind = "nominal") -> tuple[Column, np.ndarray]:
    levels, codes = codes_of_all(words)
    return Column(about.name, kind, levels, reason), codes


def _as_declared(words: pl.Series, about: Written, declared: DeclaredKind) -> tuple[Column, np.ndarray]:
    if declared.kind == "numeric":
        return Column(about.name, "numeric", reason="as told"), numbers_in(words, about)
    if declared.kind == "date":
        dated = dated_column(words, about.name, "as told")
        if dated is None:
            row = int(words.is_not_null().arg_true()[first_stray(words.drop_nulls().to_list())])
            raise about.refusal(row, words[row], "is not a date that is known, such as '2024-05-31 18:00'")
        return dated
    if declared.levels is None and declared.kind == "nominal":
        return _declared_nominal(words, about)
    if declared.levels is None:
        levels, codes = codes_of_all(words)
        if declared.kind == "ordinal":
            levels = in_number_order(levels)
            codes = codes_among(words, levels)
    else:
        levels = tuple(map(str, declared.levels))
        codes = codes_among(words, levels)
        lost = np.flatnonzero((codes < 0) & words.is_not_null().to_numpy())
        if len(lost):
            value = words[int(lost[0])]
            raise about.refusal(int(lost[0]), value, f"is not among the levels{closest(value, levels)}")
    return Column(about.name, declared.kind, levels, "as told"), codes


def _declared_nominal(words: pl.Series, about: Written) -> tuple[Column, np.ndarray]:
    """Truth values and numbers stay what they are, so that classes 2 and 10 stand in their order."""
    truth = truth_values(words)
    if truth is not None:
        return Column(about.name, "nominal", (False, True), "as told"), truth
    numbers = as_numbers(words, about)
    if numbers.count and not len(numbers.strays) and not numbers.writing and not words.str.contains(LEADING_ZERO).any():
        levels, codes = levels_of_numbers(_stored(numbers))
        return Column(about.name, "nominal", levels, "as told"), codes
    return _leveled(words, about, "as told")
