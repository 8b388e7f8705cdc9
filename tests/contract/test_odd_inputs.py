"""Inputs of unusual make, at fit and at prediction: answered rightly, or refused by name, never by a raw error."""

import datetime
import decimal
import fractions
import functools

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from margin.data import Table
from margin.errors import InputError, InputTypeError, MarginError
from tests.contract.estimators import (
    answers,
    case,
    every_estimator,
    frame,
    learnt,
    numbers,
    one_of_each_way_in,
)

pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")

N = 12


def words(n: int = N) -> list[str]:
    return [("left", "right", "left", "middle")[i % 4] for i in range(n)]


def two_columns(cells) -> pd.DataFrame:
    return pd.DataFrame({"number": np.arange(N) % 5 + 0.5, "odd": cells})


LABELS = np.arange(N) % 2


def labelled_words() -> tuple[pd.DataFrame, np.ndarray]:
    return two_columns(words()), LABELS


def labelled_numbers(d: int) -> tuple[np.ndarray, np.ndarray]:
    return numbers(N, d)[0], LABELS


def labelled_halves() -> tuple[pd.DataFrame, np.ndarray]:
    return two_columns(np.array(HALVES, dtype=float)), LABELS


def labelled_matrix_of_halves() -> tuple[np.ndarray, np.ndarray]:
    return labelled_halves()[0].to_numpy(), LABELS


def named_numbers() -> tuple[pd.DataFrame, np.ndarray]:
    X, y = numbers()
    return pd.DataFrame(X, columns=list("abcd")), y


SAME_AS_WORDS = {
    "np.str_": lambda: two_columns(pd.Series([np.str_(w) for w in words()], dtype=object)),
    "string[pyarrow]": lambda: two_columns(pd.Series(words(), dtype="string[pyarrow]")),
    "arrow dictionary in pandas": lambda: two_columns(
        pd.Series(words(), dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())))
    ),
    "polars Categorical": lambda: pl.DataFrame(two_columns(words())).with_columns(pl.col("odd").cast(pl.Categorical)),
    "polars Enum": lambda: pl.DataFrame(two_columns(words())).with_columns(
        pl.col("odd").cast(pl.Enum(["right", "never", "middle", "left"]))
    ),
    "polars Object": lambda: pl.DataFrame(
        {"number": np.arange(N) % 5 + 0.5, "odd": pl.Series(words(), dtype=pl.Object)}
    ),
    "arrow dictionary": lambda: pa.table(
        {"number": np.arange(N) % 5 + 0.5, "odd": pa.array(words()).dictionary_encode()}
    ),
    "arrow chunks": lambda: pa.concat_tables(
        [pa.Table.from_pandas(two_columns(words())[:5]), pa.Table.from_pandas(two_columns(words())[5:])]
    ),
    "arrow record batch": lambda: pa.RecordBatch.from_pandas(two_columns(words())),
    "repeated index": lambda: two_columns(words()).set_axis([7] * N, axis=0),
    "margin table": lambda: Table.from_columns({"number": np.arange(N) % 5 + 0.5, "odd": words()}),
    "StringDType": lambda: np.array(
        [[str(i % 5 + 0.5), w] for i, w in enumerate(words())], dtype=np.dtypes.StringDType()
    ),
    "list of lists": lambda: [[i % 5 + 0.5, w] for i, w in enumerate(words())],
    "dict of columns": lambda: {"number": np.arange(N) % 5 + 0.5, "odd": words()},
    "list of records": lambda: [{"number": i % 5 + 0.5, "odd": w} for i, w in enumerate(words())],
}


@one_of_each_way_in
def test_words_of_every_make_are_the_same_words(estimator):
    fitted_on_pandas = learnt(estimator, labelled_words)
    expected = answers(fitted_on_pandas, two_columns(words()))
    for name, make in SAME_AS_WORDS.items():
        with case(name):
            given = make()
            assert np.array_equal(answers(clone(estimator).fit(given, LABELS), given), expected)
            assert np.array_equal(answers(fitted_on_pandas, make()), expected)


HALVES = [None if i % 4 == 3 else i % 3 / 2 for i in range(N)]

SAME_AS_NUMBERS = {
    "Decimal": lambda: two_columns(
        pd.Series([None if v is None else decimal.Decimal(v) for v in HALVES], dtype=object)
    ),
    "Decimal NaN": lambda: two_columns(
        pd.Series([decimal.Decimal("NaN" if v is None else v) for v in HALVES], dtype=object)
    ),
    "Fraction": lambda: two_columns(
        pd.Series([None if v is None else fractions.Fraction(v) for v in HALVES], dtype=object)
    ),
    "pandas arrow decimal": lambda: two_columns(
        pd.Series([None if v is None else decimal.Decimal(v) for v in HALVES], dtype=pd.ArrowDtype(pa.decimal128(5, 2)))
    ),
    "polars Decimal": lambda: pl.DataFrame(two_columns(HALVES)).with_columns(pl.col("odd").cast(pl.Decimal(5, 2))),
    "sparse pandas column": lambda: two_columns(pd.arrays.SparseArray(np.array(HALVES, dtype=float))),
    "masked array": lambda: np.ma.masked_invalid(two_columns(np.array(HALVES, dtype=float)).to_numpy()),
    "np.matrix": lambda: np.matrix(two_columns(np.array(HALVES, dtype=float)).to_numpy()),
    "lists with None": lambda: [[i % 5 + 0.5, v] for i, v in enumerate(HALVES)],
    "masked cells in objects": lambda: np.array(
        [[i % 5 + 0.5, np.ma.masked if v is None else v] for i, v in enumerate(HALVES)], dtype=object
    ),
}


@one_of_each_way_in
def test_numbers_of_every_make_are_the_same_numbers(estimator):
    fitted_on_pandas = learnt(estimator, labelled_halves)
    fitted_on_matrix = learnt(estimator, labelled_matrix_of_halves)
    expected = answers(fitted_on_pandas, labelled_halves()[0])
    for name, make in SAME_AS_NUMBERS.items():
        with case(name):
            given = make()
            assert np.array_equal(answers(clone(estimator).fit(given, LABELS), given), expected)
            assert np.array_equal(answers(fitted_on_pandas, make()), expected)
            assert np.array_equal(answers(fitted_on_matrix, make()), expected)


@one_of_each_way_in
def test_a_frame_of_wide_integers_is_read(estimator, quiet):
    plain = pl.DataFrame({"a": np.arange(N) % 5, "b": np.arange(N) % 3})
    wide = plain.with_columns(pl.col("a").cast(pl.Int128))
    assert np.array_equal(
        answers(clone(estimator).fit(wide, LABELS), wide), answers(clone(estimator).fit(plain, LABELS), plain)
    )


UNREADABLE = {
    "lazy frame": (lambda: pl.DataFrame(two_columns(words())).lazy(), "collect"),
    "structured array": (lambda: np.zeros(N, dtype=[("number", float), ("odd", "U5")]), "structured array"),
    "three dimensions": (lambda: np.zeros((N, 2, 1)), "two dimensions"),
    "three dimensions of words": (lambda: np.full((N, 2, 1), "a"), "two dimensions"),
    "one dimension of words": (lambda: np.array(words()), "two dimensions"),
    "one dimension of objects": (lambda: np.array(words(), dtype=object), "two dimensions"),
    "series": (lambda: two_columns(words())["number"], "two dimensions"),
    "single value": (lambda: 3.0, "single value"),
    "nothing": (lambda: None, "single value None"),
    "single record": (lambda: {"number": 1.0, "odd": "left"}, "must be a list of cells"),
    "generator": (lambda: (row for row in [[1.0, "left"]]), "generator"),
    "ragged rows": (lambda: [[1.0, "left"], [2.0]] * 6, "equal length"),
    "dates": (lambda: np.full((N, 2), np.datetime64("2020-01-01")), "dates"),
    "time spans": (lambda: np.full((N, 2), np.timedelta64(1, "s")), "dates or times"),
    "equal names": (lambda: pa.Table.from_arrays([pa.array(np.ones(N))] * 2, names=["odd", "odd"]), "'odd'"),
    "names equal as written": (lambda: pd.DataFrame(np.ones((N, 2)), columns=[1, "1"]), "'1'"),
}


@one_of_each_way_in
def test_what_is_no_table_is_refused_at_fit_and_at_prediction(estimator):
    model = learnt(estimator, labelled_words)
    plain = learnt(estimator, functools.partial(labelled_numbers, 2))
    for name, (given, message) in UNREADABLE.items():
        with case(name):
            with pytest.raises(InputError, match=message):
                clone(estimator).fit(given(), LABELS)
            with pytest.raises(InputError, match=message):
                answers(model, given())
            if name != "names equal as written":  # without names at fit, columns go by position
                with pytest.raises(InputError, match=message):
                    answers(plain, given())


BAD_CELLS = {
    "list": [1, 2],
    "dict": {"a": 1},
    "array": np.array([1.0, 2.0]),
    "complex": 1j,
    "date": datetime.date(2020, 1, 1),
    "time span": np.timedelta64(1, "s"),
    "function": len,
}


@one_of_each_way_in
@pytest.mark.parametrize("others", [words, lambda: list(np.arange(N) / 2)], ids=["words", "numbers"])
def test_a_cell_that_is_no_value_is_refused_with_column_and_row(estimator, others):
    cells = pd.Series(others(), dtype=object)
    model = clone(estimator).fit(two_columns(cells), LABELS)
    for name, bad in BAD_CELLS.items():
        cells[4] = bad
        with case(name):
            with pytest.raises(InputError, match="column 'odd', row 4"):
                clone(estimator).fit(two_columns(cells), LABELS)
            with pytest.raises(InputError, match="column 'odd', row 4"):
                answers(model, two_columns(cells))
            with pytest.raises(InputError, match="column 'odd', row 4"):
                answers(model, two_columns(cells).to_numpy(dtype=object))


@one_of_each_way_in
def test_a_number_beyond_all_floats_is_refused_with_column_and_row(estimator):
    cells = pd.Series(np.arange(N) / 2, dtype=object)
    model = clone(estimator).fit(two_columns(cells), LABELS)
    for huge in (10**400, str(10**400), decimal.Decimal("1e400")):
        cells[4] = huge
        for refused in (
            lambda: clone(estimator).fit(two_columns(cells), LABELS),
            lambda: answers(model, two_columns(cells)),
        ):
            with case(type(huge)), pytest.raises(InputError, match="column 'odd', row 4") as refusal:
                refused()
            assert len(str(refusal.value)) < 300


@one_of_each_way_in
def test_a_column_of_missing_dates_is_refused_as_dates(estimator):
    with pytest.raises(InputError, match=r"column 'odd'.*dates"):
        clone(estimator).fit(two_columns(pd.Series([pd.NaT] * N, dtype=object)), LABELS)


@one_of_each_way_in
def test_a_column_without_a_single_cell_says_nothing_whatever_comes_later(estimator, quiet):
    for dtype in (pl.String, pl.Null, pl.Object):
        empty = pl.DataFrame({"number": np.arange(N) % 5 + 0.5, "odd": pl.Series([None] * N, dtype=dtype)})
        with case(dtype):
            model = clone(estimator).fit(empty, LABELS)
            expected = answers(model, empty)
            for later in (words(), [None] * N):
                assert np.array_equal(answers(model, empty.with_columns(pl.Series("odd", later))), expected)


@every_estimator
def test_only_empty_columns_leave_nothing_to_go_by(estimator, quiet):
    empty = pl.DataFrame({"a": pl.Series([None] * N, dtype=pl.String), "b": pl.Series([None] * N, dtype=pl.String)})
    assert np.isfinite(answers(clone(estimator).fit(empty, LABELS), empty)).all()


LEVELS = [(3, 1), ("3", "1"), (3.0, 1.0), (True, False)]


@one_of_each_way_in
def test_a_category_is_found_as_it_is_or_as_it_is_written(estimator):
    for levels in LEVELS:
        with case(levels):
            finds_a_category_as_it_is_or_as_it_is_written(estimator, levels)


def finds_a_category_as_it_is_or_as_it_is_written(estimator, levels):
    fitted_on = pd.Categorical([levels[i % 3 == 0] for i in range(N)], categories=list(levels))
    model = clone(estimator).fit(two_columns(fitted_on), LABELS)
    expected = answers(model, two_columns(fitted_on))
    as_written = [f"{level:g}" if isinstance(level, float) else str(level) for level in fitted_on.tolist()]
    assert np.array_equal(answers(model, two_columns(as_written)), expected)
    if levels != (True, False):
        as_numbers = [float(level) for level in fitted_on.tolist()]
        assert np.array_equal(answers(model, two_columns(as_numbers)), expected)
        by_position = np.column_stack([np.arange(N) % 5 + 0.5, as_numbers])
        assert np.array_equal(answers(model, by_position), expected)


@one_of_each_way_in
def test_a_missing_number_is_not_the_word_nan(estimator):
    cells = [("nan", "none", "some")[i % 3] for i in range(N)]
    model = clone(estimator).fit(two_columns(pd.Categorical(cells)), LABELS)
    missing = two_columns(pd.Series([None] * N, dtype=object))
    assert np.array_equal(answers(model, two_columns(np.full(N, np.nan))), answers(model, missing))


@one_of_each_way_in
def test_categories_of_any_type_can_be_told_apart(estimator):
    for categories in (
        pd.cut(np.arange(N), 3),
        pd.Categorical(pd.date_range("2020-01-01", periods=3).repeat(4)),
        pd.Categorical([3, "three", 2.5] * 4),
        pd.Categorical([1j, 2j] * 6),
    ):
        X = two_columns(categories)
        assert np.isfinite(answers(clone(estimator).fit(X, LABELS), X)).all()


@one_of_each_way_in
def test_truth_beside_words_in_a_list_stays_what_it_is(estimator):
    rows = [[i % 5 + 0.5, i % 3 == 0, word] for i, word in enumerate(words())]
    X = pd.DataFrame(rows, columns=["x0", "x1", "x2"])
    expected = answers(clone(estimator).fit(X, LABELS), X)
    assert np.array_equal(answers(clone(estimator).fit(rows, LABELS), rows), expected)


@one_of_each_way_in
def test_masked_words_are_missing(estimator):
    hidden = np.ma.masked_array(np.array(words()).reshape(-1, 1), np.array([w == "middle" for w in words()])[:, None])
    shown = pd.DataFrame({"x0": [None if w == "middle" else w for w in words()]})
    assert np.array_equal(
        answers(clone(estimator).fit(hidden, LABELS), hidden), answers(clone(estimator).fit(shown, LABELS), shown)
    )


@one_of_each_way_in
def test_frames_and_arrays_may_take_turns(estimator):
    X, _ = numbers()
    named = pd.DataFrame(X, columns=list("abcd"))
    expected = answers(learnt(estimator), X)
    assert np.array_equal(answers(learnt(estimator), named), expected)
    for given in (X, sp.csr_array(X), X.tolist()):
        assert np.array_equal(answers(learnt(estimator, named_numbers), given), expected)


@every_estimator
def test_a_row_alone_is_answered_as_among_others(estimator):
    X, _ = frame()
    model = learnt(estimator, frame)
    together = answers(model, X)
    for row in range(0, len(X), 7):
        assert np.array_equal(answers(model, X.iloc[[row]]), together[[row]])
        assert np.array_equal(answers(model, pl.from_pandas(X.iloc[[row]])), together[[row]])


@one_of_each_way_in
def test_what_only_looks_like_a_frame_is_refused(estimator):
    class Odd:
        columns = ("a", "b")

    with pytest.raises(InputTypeError, match="Odd cannot be read"):
        clone(estimator).fit(Odd(), LABELS)


@one_of_each_way_in
def test_column_names_with_half_a_character_are_refused(estimator):
    X, y = numbers()
    named = pd.DataFrame(X, columns=pd.Index(["a", "b\ud800", "c", "d"], dtype=object))
    with pytest.raises(InputError, match=r"column name 'b\\ud800' holds half a character"):
        clone(estimator).fit(named, y)
    model = learnt(estimator, named_numbers)
    with pytest.raises(InputError, match="half a character"):
        answers(model, named)


@one_of_each_way_in
def test_every_refusal_says_who_refuses(estimator):
    for given, _ in UNREADABLE.values():
        with pytest.raises(MarginError, match=rf"^{type(estimator).__name__}\.fit"):
            clone(estimator).fit(given(), LABELS)
