"""What a column of written cells is: numbers, categories, names of rows or free text.

One rule for the whole column, never for a part of it, and the reason is kept:

1. Blanks around a cell do not count. Some marks always stand for a missing cell (:data:`MISSING`); some do so only
   where every other cell is a number (:data:`MISSING_AMONG_NUMBERS`).
2. A column is numeric if every present cell is a number, ``12``, ``-1.5``, ``1e5``; decimal commas are understood
   where commas do not separate cells, and so are thousands set apart, ``1,250``, and a unit that stands at every
   number, ``$5``, ``12 %``. A leading zero, ``007``, makes it nominal: such numbers are names.
3. Running numbers under a name like ``id``, and words that are nearly all different, are identifiers;
   long words of several parts are text, and so are dates.
4. Everything else is nominal, its levels sorted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from margin.data.declared_kinds import DeclaredKind
from margin.data.level_codes import codes_among, codes_of_all
from margin.data.number_formats import in_plain_digits
from margin.data.schema import Column, Kind
from margin.errors import DataError, DataWarning, closest, warn

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MISSING", "MISSING_AMONG_NUMBERS", "Written", "infer", "infer_stripped", "infer_words", "without_marks"]

#: Marks that stand for a missing cell in every column.
MISSING = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "#N/A")
#: Marks that stand for a missing cell where all other cells are numbers; elsewhere they are values.
MISSING_AMONG_NUMBERS = ("-", "--", ".", "None", "none")

#: A column is "almost numeric", and worth a warning, from this share of numbers and this many of them.
ALMOST_NUMERIC, ENOUGH_NUMBERS = 0.95, 20
#: Words are names of rows if this share of them differ, in columns of more rows than this.
NEARLY_ALL_DIFFERENT, ENOUGH_WORDS = 0.99, 50
#: Words of more parts than this, on average, are sentences.
LONG_WORDS = 4
RUNNING_NUMBER_ROWS = 20

_NAME_OF_ROWS = re.compile(
    r"^(?i:id|idx|index|nr|no|num|number|row|rownames?|row_?id|key|unnamed.*|.+[ _.-]id)$|^.+I[dD]$"
)
_MONTH = r"(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY = (
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})"
    rf"|{_MONTH} \d{{1,2}}(st|nd|rd|th)?,? \d{{4}}|\d{{1,2}}[- ]{_MONTH}[- ]\d{{2,4}}"
)
_DATE = rf"^({_DAY})(,?[T ]\d{{1,2}}:\d{{2}}(:\d{{2}}([.,]\d+)?)?\s?([aApP][mM]|Z|[+-]\d{{2}}:?\d{{2}})?)?$"
_LEADING_ZERO = r"^[+-]?0[0-9]"


@dataclass(frozen=True)
class Written:
    """What is known about a column of cells besides the cells.

    ``unnamed`` says that the header left the name empty; ``line_of`` gives the line of the file that a row
    stands in; ``missing`` replaces both lists of marks.
    """

    name: str
    who: str = "read"
    missing: tuple[str, ...] | None = None
    decimal_comma: bool = False
    is_target: bool = False
    unnamed: bool = False
    declared: DeclaredKind | None = None
    line_of: Callable[[int], int] = lambda row: row + 1

    def refusal(self, row: int, value: object, must: str) -> DataError:
        return DataError(f"{self.who}: column {self.name!r}, line {self.line_of(row)}: {value!r} {must}.")


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
    if about.declared is not None:
        return _as_declared(words, about, about.declared)
    if words.null_count() == len(words):
        return Column(about.name, "numeric", reason="every cell is missing"), np.full(len(words), np.nan)
    numbers = _numbers(words, about)
    if not numbers.count or numbers.count < ALMOST_NUMERIC * (numbers.count + len(numbers.strays)):
        return infer_words(words, about)
    zeros = words.str.contains(_LEADING_ZERO).arg_true()
    if len(zeros):
        return infer_words(words, about, f"leading zeros, as in {words[int(zeros[0])]!r}, make names of numbers")
    if not len(numbers.strays):
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
    if len(present) and bool(present.head(1).str.contains(_DATE).all()) and bool(present.str.contains(_DATE).all()):
        return _leveled(words, about, "dates, which models do not use", "text")
    column, codes = _leveled(words, about, "")
    distinct, rows = len(column.levels), len(present)
    kind: Kind = "nominal"
    reason = because or f"{distinct} different word" + "s" * (distinct != 1)
    if rows > ENOUGH_WORDS and distinct >= rows / 2 and not about.is_target:
        if _mean_parts(present) > LONG_WORDS:
            kind, reason = "text", "sentences, nearly all different" if distinct < rows else "sentences, all different"
        elif distinct >= NEARLY_ALL_DIFFERENT * rows:
            kind, reason = "identifier", f"{distinct} different words in {rows} cells name the rows"
    return Column(about.name, kind, column.levels, reason), codes


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


def _numbers(words: pl.Series, about: Written) -> _Numbers:
    import polars as pl

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
    stored = numbers.values.cast(float).fill_null(np.nan).to_numpy().astype(np.float64)
    if _names_rows(stored, about):
        levels = tuple(words.to_list())
        reason = "a running number names the rows"
        return Column(about.name, "identifier", levels, reason), np.arange(len(words), dtype=np.int32)
    return Column(about.name, "numeric", reason=_numeric_reason(stored, numbers.writing)), stored


def _names_rows(stored: np.ndarray, about: Written) -> bool:
    named = about.unnamed or _NAME_OF_ROWS.match(about.name)
    return bool(
        named and not about.is_target and len(stored) > RUNNING_NUMBER_ROWS
        and np.isfinite(stored).all() and stored[0] == np.floor(stored[0]) and np.all(np.diff(stored) == 1)
    )  # fmt: skip


def _numeric_reason(stored: np.ndarray, writing: str) -> str:
    missing = int(np.isnan(stored).sum())
    reason = ", ".join(filter(None, ["every cell is a number", writing, f"{missing} missing" * bool(missing)]))
    some = stored[:1000]
    if np.all(np.isnan(some) | (some == np.floor(some))):
        distinct = np.unique(stored[~np.isnan(stored)])
        if 1 < len(distinct) <= 10 and len(stored) > 10 * len(distinct) and np.all(distinct == np.floor(distinct)):
            reason += f"; {len(distinct)} different whole numbers, so it may be nominal"
    return reason


def _warn_of_strays(words: pl.Series, numbers: _Numbers, about: Written) -> None:
    row, n = int(numbers.strays[0]), len(numbers.strays)
    word, name = words[row], about.name
    warn(
        f"{about.who}: column {name!r} is nominal because not every cell is a number: {n} of {numbers.count + n} are "
        f"not, the first {word!r} in line {about.line_of(row)} (missing={word!r} or --missing {word} if it stands for "
        f"a missing cell; kinds={{{name!r}: 'nominal'}} or --kind {name}=nominal if this is meant).",
        DataWarning,
    )


def _leveled(words: pl.Series, about: Written, reason: str, kind: Kind = "nominal") -> tuple[Column, np.ndarray]:
    levels, codes = codes_of_all(words)
    return Column(about.name, kind, levels, reason), codes


def _as_declared(words: pl.Series, about: Written, declared: DeclaredKind) -> tuple[Column, np.ndarray]:
    if declared.kind == "numeric":
        numbers = _numbers(words, about)
        if len(numbers.strays):
            row = int(numbers.strays[0])
            word = words[row]
            hint = f"missing={word!r} or --missing {word} if it stands for none"
            raise about.refusal(row, word, f"is not a number ({hint})")
        return Column(about.name, "numeric", reason="as told"), numbers.values.fill_null(np.nan).to_numpy().copy()
    if declared.levels is None:
        levels, codes = codes_of_all(words)
        if declared.kind == "ordinal":
            levels = _in_number_order(levels)
            codes = codes_among(words, levels)
    else:
        levels = tuple(map(str, declared.levels))
        codes = codes_among(words, levels)
        lost = np.flatnonzero((codes < 0) & words.is_not_null().to_numpy())
        if len(lost):
            value = words[int(lost[0])]
            raise about.refusal(int(lost[0]), value, f"is not among the levels{closest(value, levels)}")
    return Column(about.name, declared.kind, levels, "as told"), codes


def _in_number_order(levels: tuple[str, ...]) -> tuple[str, ...]:
    try:
        return tuple(sorted(levels, key=float))
    except ValueError:
        return levels
