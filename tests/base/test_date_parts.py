"""Dates as columns that models see: worked by hand, then against the calendar of Python, then in models."""

import calendar
import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import LogisticRegression, NaiveBayes
from margin.base.inputs.date_parts import DAY, learn_dates, with_date_parts
from margin.bayes import CalibratedClassifier
from margin.data import Table, read
from margin.data.written.dates import read_dates
from margin.errors import ExportError, InputError
from margin.explain import explain
from margin.persistence import from_bytes, to_bytes
from margin.svm import LinearSVC
from margin.tree import DecisionTreeClassifier


def made(days, waves=False, rows=None):
    table = read({"day": days, "x": np.arange(len(days), dtype=float)})
    learnt = learn_dates(table if rows is None else table.take(rows), ["day"], waves)
    return learnt[0], with_date_parts(table, learnt, "here")


def test_what_is_made_of_two_dates():
    learnt, table = made(["2024-02-28 23:30", "2024-03-01", None])
    assert learnt.parts == ("days", "month", "day", "weekday", "hour")
    np.testing.assert_allclose(table["day, days"], [0, 1 + 0.5 / 24, np.nan])
    np.testing.assert_array_equal(table["day, month"], [2, 3, np.nan])
    np.testing.assert_array_equal(table["day, day"], [28, 1, np.nan])
    np.testing.assert_array_equal(table["day, weekday"], [3, 5, np.nan])
    np.testing.assert_array_equal(table["day, hour"], [23, 0, np.nan])
    assert table.names[-1] == "x"


def test_december_is_as_near_to_january_as_january_to_february():
    _, table = made(["2023-12-05", "2024-01-05", "2024-02-05"], waves=True)
    points = np.column_stack([table["day, month sine"], table["day, month cosine"]])
    gaps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    assert gaps[0] == pytest.approx(gaps[1])
    assert table["day, day of the week"].tolist() == ["Tuesday", "Friday", "Monday"]
    assert "day, year" not in table.names


def test_only_training_rows_say_what_varies_and_where_days_begin():
    learnt, table = made(["2020-01-01", "2024-05-01", "2024-05-02"], rows=[1, 2])
    assert learnt.parts == ("days", "day", "weekday")
    np.testing.assert_array_equal(table["day, days"], [-1582, 0, 1])


@settings(deadline=None, max_examples=50)
@given(st.lists(st.datetimes(datetime.datetime(1, 1, 1), datetime.datetime(9999, 1, 1)), min_size=2, max_size=20))
def test_parts_agree_with_pythons_calendar(moments):
    learnt, table = made([str(moment) for moment in moments])
    first = min(moments)
    for part, of in {
        "days": lambda m: (m - first).total_seconds() / DAY,
        "year": lambda m: m.year,
        "month": lambda m: m.month,
        "day": lambda m: m.day,
        "weekday": lambda m: calendar.weekday(m.year, m.month, m.day) + 1,
        "hour": lambda m: m.hour,
    }.items():
        wanted = [of(moment) for moment in moments]
        assert (part in learnt.parts) == (part == "days" or len(set(wanted)) > 1)
        if part in learnt.parts:
            np.testing.assert_allclose(table[f"day, {part}"], wanted, rtol=1e-12, atol=1e-4)


@pytest.mark.parametrize(
    ("word", "moment"),
    [
        ("2024-03-01", "2024-03-01"),
        ("2024/3/1 7:05", "2024-03-01T07:05"),
        ("1.3.2024 14:05", "2024-03-01T14:05"),
        ("25/12/23", "2023-12-25"),
        ("12-25-1999", "1999-12-25"),
        ("March 1st, 2024", "2024-03-01"),
        ("01-Mar-24", "2024-03-01"),
        ("1 Mar 2024, 2:05:09 PM", "2024-03-01T14:05:09"),
        ("2024-03-01T14:05:00.25+02:00", "2024-03-01T12:05:00.250"),
        ("2024-03-01 14:05Z", "2024-03-01T14:05"),
    ],
)
def test_every_way_in_which_files_write_dates_is_understood(word, moment):
    assert read_dates([word]).moment[0] == np.datetime64(moment, "ms").astype(np.int64) / 1000


def test_the_order_of_days_and_months_is_that_of_the_training_table():
    days = [f"{d}/{m}/2023" for m in range(1, 13) for d in (5, 28)]
    y = np.repeat(np.arange(12) < 6, 2)
    model = DecisionTreeClassifier().fit({"day": days}, y)
    assert model.predict({"day": ["3/11/2023"]}).tolist() == [False]  # in November, though it might be March
    assert from_bytes(to_bytes(model)).predict({"day": ["3/11/2023"]}).tolist() == [False]


@pytest.fixture(scope="module")
def signed_up():
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 900 * 24, 300), unit="h")
    X = pd.DataFrame({"signed_up": days, "age": rng.normal(40, 10, 300), "sex": rng.choice(["f", "m"], 300)})
    return X, np.where((days.month <= 3) | (days.day_of_week >= 5), "yes", "no")


def test_trees_tell_dates_in_rules(signed_up):
    model = DecisionTreeClassifier(max_depth=2).fit(*signed_up)
    assert "if signed_up, month <= 3.5 then yes" in str(model.rules())
    assert "signed_up, month = " in explain(model, signed_up[0][:1]).text()
    assert model.score(*signed_up) == 1


@pytest.mark.parametrize(
    "model", [NaiveBayes(), LogisticRegression(scale="standard"), CalibratedClassifier(LinearSVC(scale="standard"))]
)
def test_models_with_dates_come_back_from_files_and_say_why_not_to_onnx(model, signed_up):
    X, y = signed_up
    model.fit(X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > 0.7
    again = from_bytes(to_bytes(model))
    words = X.assign(signed_up=X["signed_up"].dt.strftime("%d %b %Y %H:%M"))
    assert (again.predict(words) == model.predict(X)).all()
    with pytest.raises(ExportError, match="'signed_up' holds dates"):
        model.to_onnx()


def test_further_rows_are_counted_from_the_first_days(signed_up):
    X, y = signed_up
    whole = NaiveBayes().partial_fit(X[:150], y[:150]).partial_fit(X[150:], y[150:])
    fitted = NaiveBayes().fit(X[:150], y[:150])
    assert whole._columns.dates == fitted._columns.dates
    table = with_date_parts(read(X), fitted._columns.dates, "here")
    np.testing.assert_allclose(whole.predict_proba(X), NaiveBayes().fit(table, y).predict_proba(table), rtol=1e-9)


def test_rows_left_out_are_fitted_anew(signed_up):
    X, y = signed_up
    assert NaiveBayes().left_out_answers(X[:40], y[:40]) is None
    assert NaiveBayes().left_out_answers(X[["age", "sex"]][:40], y[:40]) is not None


def test_sums_of_dates_from_other_days_are_not_added_up(signed_up):
    X, y = signed_up
    parts = [NaiveBayes().fit(X[rows], y[rows]) for rows in (slice(0, 150), slice(150, 300))]
    with pytest.raises(InputError, match="days of column 'signed_up' are counted from another date"):
        parts[0].merge(parts[1])
    assert (parts[0].merge(parts[0]).predict(X) == parts[0].predict(X)).mean() > 0.99


def test_a_column_without_a_date_in_training_says_nothing():
    table = Table({"day": ["2024-01-01", "2024-01-02", None, None], "x": [1.0, 2.0, 3.0, 4.0]})
    with pytest.warns(UserWarning, match="'day, days' holds one value or none"):
        model = DecisionTreeClassifier().fit(table.take([2, 3]), ["a", "b"])
    assert model.predict(table).tolist() == ["a", "a", "a", "b"]
