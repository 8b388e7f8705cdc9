"""What columns get: cases 7 to 10 and 13 to 15 of the robustness list."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from margin.data import Table
from margin.errors import DataWarning, InputError, MarginError
from tests.contract.estimators import answers, every_estimator, frame, learnt, numbers, one_of_each_way_in


@one_of_each_way_in
def test_columns_of_one_name_are_refused_by_name(estimator):
    X, y = frame()
    X.columns = ["age", "job", "member", "age", "count"]
    with pytest.raises(MarginError, match="'age'"):
        clone(estimator).fit(X, y)


@one_of_each_way_in
def test_columns_are_found_by_name_in_any_order(estimator):
    X, _ = frame()
    model = learnt(estimator, frame)
    assert np.array_equal(answers(model, X[X.columns[::-1]]), answers(model, X))


@one_of_each_way_in
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X: X.drop(columns="job"), "'job' is missing"),
        (lambda X: X.assign(extra=1), "'extra' was not there at fit"),
        (lambda X: X.rename(columns={"job": "jobb"}), r"'jobb' was not there at fit.*did you mean 'job'"),
    ],
    ids=["missing", "extra", "renamed"],
)
def test_missing_extra_and_renamed_columns_are_refused_by_name(estimator, change, message):
    X, _ = frame()
    model = learnt(estimator, frame)
    with pytest.raises(InputError, match=message):
        answers(model, change(X))


@one_of_each_way_in
def test_a_wrong_number_of_plain_columns_is_refused(estimator):
    X, _ = numbers()
    model = learnt(estimator)
    with pytest.raises(InputError, match=r"X has 3 features, but .* is expecting 4 features"):
        answers(model, X[:, :3])


@every_estimator
def test_an_unseen_category_counts_as_missing(estimator):
    X, _ = frame()
    model = learnt(estimator, frame)
    unseen, missing = X.copy(), X.copy()
    unseen["job"] = "pilot"
    missing["job"] = None
    assert np.array_equal(answers(model, unseen), answers(model, missing))


@one_of_each_way_in
def test_the_order_of_categories_changes_nothing(estimator):
    X, y = frame()
    one, other = X.copy(), X.copy()
    one["job"] = pd.Categorical(X["job"], ["clerk", "cook", "never seen"])
    other["job"] = pd.Categorical(X["job"], ["never seen", "cook", "clerk"])
    model = clone(estimator).fit(one, y)
    assert np.array_equal(answers(model, other), answers(model, one))
    assert np.array_equal(answers(clone(estimator).fit(other, y), other), answers(model, one))


@one_of_each_way_in
def test_one_bad_cell_among_numbers_written_as_words_is_named(estimator):
    X, y = frame()
    X["count"] = X["count"].astype(str).astype(object)
    model = clone(estimator).fit(X, y)
    X.loc[17, "count"] = "seven"
    with pytest.raises(InputError, match="column 'count', row 17: 'seven'"):
        clone(estimator).fit(X, y)
    with pytest.raises(InputError, match="column 'count', row 17: 'seven'"):
        answers(model, X)


MARKS = {
    "words": lambda cells: pd.DataFrame({"x0": np.arange(len(cells)) % 7 + 0.5, "x1": pd.Series(cells, dtype=object)}),
    "numbers": lambda cells: pd.DataFrame(
        {
            "x0": np.arange(len(cells)) % 7 + 0.5,
            "x1": pd.Series([float(c) if c[:1].isdigit() else c for c in cells], dtype=object),
        }
    ),
    "polars": lambda cells: pl.DataFrame({"x0": np.arange(len(cells)) % 7 + 0.5, "x1": cells}),
    "object array": lambda cells: np.array([[i % 7 + 0.5, c] for i, c in enumerate(cells)], dtype=object),
}


@one_of_each_way_in
@pytest.mark.parametrize("make", MARKS, ids=str)
def test_marks_of_missing_cells_among_numbers_are_missing_as_in_files(estimator, make, recwarn):
    marks = ("?", "NA", "", " n/a", "-", "nan")
    cells = [marks[i % 6] if i % 3 == 1 else f"{i % 5}.5" for i in range(30)]
    given, y = MARKS[make](cells), np.arange(30) % 2
    plain = np.array([[i % 7 + 0.5, np.nan if i % 3 == 1 else i % 5 + 0.5] for i in range(30)])
    if make != "object array":
        plain = pd.DataFrame(plain, columns=["x0", "x1"])
    expected = answers(clone(estimator).fit(plain, y), plain)
    recwarn.clear()
    model = clone(estimator).fit(given, y)
    warned = [str(each.message) for each in recwarn if issubclass(each.category, DataWarning)]
    assert len(warned) == 1, warned
    assert warned[0].startswith(f"{type(estimator).__name__}.fit: column 'x1': 10 of 30 cells")
    recwarn.clear()
    assert np.array_equal(answers(model, given), expected)
    warned = [str(each.message) for each in recwarn if issubclass(each.category, DataWarning)]
    assert len(warned) == 1, warned
    assert "column 'x1': 10 of 30 cells" in warned[0]


@one_of_each_way_in
@pytest.mark.parametrize("mark", ["?", "-"])
def test_a_row_alone_with_a_mark_of_a_missing_cell_is_answered_as_among_others(estimator, mark):
    X, y = numbers()
    named = pd.DataFrame(X, columns=list("abcd"))
    missing = X[:1].copy()
    missing[0, 1] = np.nan
    row = [X[0, 0], mark, X[0, 2], X[0, 3]]
    for fitted_on, given in ((X, [row]), (named, pd.DataFrame([row], columns=list("abcd")))):
        model = clone(estimator).fit(fitted_on, y)
        expected = answers(model, missing)
        with pytest.warns(DataWarning, match=r"1 of 1 cells"):
            assert np.array_equal(answers(model, given), expected)


@one_of_each_way_in
def test_a_mark_of_a_missing_cell_among_words_is_missing_as_in_files(estimator):
    if not hasattr(estimator, "predict"):
        pytest.skip("it hands words on as they are")
    cells = [("yes", "no", "?")[i % 3] for i in range(30)]
    X, y = pd.DataFrame({"answer": cells, "x": np.arange(30) % 7}), np.arange(30) % 2
    missing = X.assign(answer=[None if cell == "?" else cell for cell in cells])
    expected = answers(clone(estimator).fit(missing, y), missing)
    with pytest.warns(DataWarning, match=r"column 'answer': 10 of 30 cells \('\?'\) are read as missing"):
        model = clone(estimator).fit(X, y)
    assert np.array_equal(answers(model, X), expected)
    word = X.assign(answer=pd.Categorical(cells))  # whoever made it categorical meant a word
    as_word = X.assign(answer=[cell.replace("?", "maybe") for cell in cells])
    assert np.array_equal(
        answers(clone(estimator).fit(word, y), word), answers(clone(estimator).fit(as_word, y), as_word)
    )


def other_makes(X: pd.DataFrame):
    nullable = X.convert_dtypes()
    arrow = pa.Table.from_pandas(X)
    return {
        "nullable": nullable,
        "pyarrow types": X.convert_dtypes(dtype_backend="pyarrow"),
        "polars": pl.from_arrow(arrow),
        "arrow table": arrow,
        "margin table": Table.from_columns({name: X[name].tolist() for name in X}),
    }


@one_of_each_way_in
def test_frames_of_every_make_give_the_same_answers(estimator):
    X, y = frame()
    X["size"] = X["size"].astype(str)
    model = clone(estimator).fit(X, y)
    expected = answers(model, X)
    for make, given in other_makes(X).items():
        assert np.array_equal(answers(clone(estimator).fit(given, y), given), expected), make
        assert np.array_equal(answers(model, given), expected), make


@one_of_each_way_in
def test_a_frame_of_numbers_equals_the_array(estimator):
    X, y = numbers()
    X[::7, 2] = np.nan
    expected = answers(clone(estimator).fit(X, y), X)
    named = pd.DataFrame(X, columns=list("abcd"))
    for given in [named, pl.DataFrame(X, schema=list("abcd")), pa.Table.from_pandas(named), named.convert_dtypes()]:
        assert np.array_equal(answers(clone(estimator).fit(given, y), given), expected)


@one_of_each_way_in
@pytest.mark.parametrize(
    "cells",
    [
        lambda n: pd.to_timedelta(np.arange(n), unit="s"),
        lambda n: [datetime.time(12, 30)] * n,
        lambda n: pd.Series([pd.NaT] * n, dtype="datetime64[ns]"),
    ],
    ids=["timedelta", "time objects", "NaT"],
)
def test_times_and_dates_that_are_all_missing_are_refused_by_column(estimator, cells):
    X, y = frame()
    X["when"] = cells(len(X))
    with pytest.raises(InputError, match="column 'when'"):
        clone(estimator).fit(X, y)


@one_of_each_way_in
def test_dates_are_read_the_same_whatever_they_come_in(estimator, quiet):
    if getattr(clone(estimator).representation, "text", False) is True:
        pytest.skip("dates are words to it, and words differ")
    X, y = frame()
    days = pd.date_range("2020-01-01 06:00", periods=len(X), freq="31h").to_series().reset_index(drop=True)
    days[3] = pd.NaT
    told = {
        "datetime": days,
        "objects": days.astype(object),
        "words": days.dt.strftime("%Y-%m-%d %H:%M"),
        "other words": days.dt.strftime("%d.%m.%Y %H:%M"),
    }
    models = {way: clone(estimator).fit(X.assign(when=cells), y) for way, cells in told.items()}
    expected = answers(models["datetime"], X.assign(when=days))
    for way, model in models.items():
        assert np.array_equal(answers(model, X.assign(when=told[way])), expected), way
        assert np.array_equal(answers(model, pl.DataFrame(X.assign(when=days))), expected), way
    with pytest.raises(InputError, match="column 'when', row 2: 'soon' is not a date"):
        answers(models["words"], X.assign(when=["2020-01-01", None, "soon", *told["words"][3:]]))
    with pytest.raises(InputError, match="column 'when' is missing"):
        answers(models["words"], X)


@one_of_each_way_in
def test_cells_that_hold_lists_are_refused_by_column(estimator):
    X, y = frame()
    X["job"] = [["clerk", "cook"]] * len(X)
    with pytest.raises(InputError, match="column 'job'"):
        clone(estimator).fit(X, y)


@one_of_each_way_in
def test_object_arrays_are_read_as_mixed_columns(estimator):
    X, y = frame()
    X["size"] = X["size"].astype(str)
    as_objects = X.to_numpy(dtype=object)
    expected = answers(clone(estimator).fit(X, y), X)
    model = clone(estimator).fit(as_objects, y)
    assert np.array_equal(answers(model, as_objects), expected)


@every_estimator
def test_parameters_out_of_range_are_refused_at_fit_with_what_must_hold(estimator):
    X, y = numbers()
    for name in estimator.get_params(deep=False):
        broken = clone(estimator).set_params(**{name: object()})
        with pytest.raises(MarginError, match=rf"{type(estimator).__name__}\({name}=.*must be"):
            broken.fit(X, y)


@one_of_each_way_in
def test_an_unfitted_model_says_so(estimator):
    X, _ = numbers()
    with pytest.raises(MarginError, match=r"call fit\(X"):
        answers(clone(estimator), X)


@every_estimator
def test_a_failed_fit_leaves_the_model_as_it_was(estimator):
    X, y = numbers()
    model = learnt(estimator)
    before = answers(model, X)
    X_bad = X[:, :2].copy()
    X_bad[0, 0] = np.inf
    with pytest.raises(InputError):
        model.fit(X_bad, y)
    assert np.array_equal(answers(model, X), before)
