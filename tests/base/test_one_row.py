"""One row read at once: the same answers as among other rows, and refusals as ever."""

from contextlib import suppress
from math import inf, nan

import numpy as np
import pandas as pd
import pytest

from margin import BaggingClassifier, DecisionTreeClassifier, LogisticRegression, NaiveBayes, Table
from margin.base.inputs import columns as columns_module
from margin.base.inputs.columns import Columns
from margin.base.inputs.one_row import RowReader
from margin.data import catalog
from margin.data.schema import Column, Schema
from margin.errors import DataWarning, InputError

X, Y = catalog.load("credit").target("risk")
NAMES = [column.name for column in X.schema if column.kind != "identifier"]
RECORDS = [dict(zip(X.names, row)) for row in zip(*(X.values(name) for name in X.names))][:20]
ROWS = [[record[name] for name in NAMES] for record in RECORDS]
FORMS = {
    "record": lambda i: [RECORDS[i]],
    "without identifier": lambda i: [dict(zip(reversed(NAMES), reversed(ROWS[i])))],
    "list": lambda i: [ROWS[i]],
    "tuple": lambda i: (tuple(ROWS[i]),),
    "objects": lambda i: np.array([ROWS[i]], dtype=object),
    "frame": lambda i: pd.DataFrame([RECORDS[i]]),
    "row of a frame": lambda i: pd.DataFrame(RECORDS).iloc[[i]],
    "table": lambda i: X.take([i]),
    "table of a frame": lambda i: Table(pd.DataFrame(RECORDS)).take([i]),
    "objects of a frame": lambda i: pd.DataFrame([RECORDS[i]], dtype=object)[NAMES],
}


@pytest.fixture
def long_way(monkeypatch):
    """How often a row was read the long way."""
    times, read = [], Columns.read
    monkeypatch.setattr(Columns, "read", lambda *given: times.append(1) or read(*given))
    return times


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("model", [NaiveBayes(), DecisionTreeClassifier(max_depth=5), LogisticRegression()], ids="ntl")
def test_one_row_is_answered_as_among_others(model, form, long_way):
    expected = model.fit(X, Y).predict_proba(X[:20])
    long_way.clear()
    found = np.vstack([model.predict_proba(FORMS[form](i)) for i in range(20)])
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert not long_way


@pytest.mark.parametrize(
    ("name", "value"),
    [("sex", "unheard of"), ("sex", "?"), ("sex", 3), ("age", "31"), ("age", True), ("housing", b"own")],
)
def test_what_could_mean_several_things_goes_the_long_way(name, value, long_way):
    model = NaiveBayes().fit(X, Y)
    row = [value if column == name else cell for column, cell in zip(NAMES, ROWS[0])]
    long_way.clear()
    with suppress(InputError):
        model.predict([row])
    assert long_way


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([ROWS[0][:-1]], "expecting 11 features"),
        ([{**RECORDS[0], "weather": 1}], "'weather' was not there at fit"),
        ([{name: cell for name, cell in RECORDS[0].items() if name != "age"}], "'age' is missing"),
        ([[float("inf"), *ROWS[0][1:]]], "infinity"),
        ([[1e200, *ROWS[0][1:]]], "too large"),
    ],
)
def test_refusals_are_those_of_the_long_way(row, message):
    with pytest.raises(InputError, match=message):
        NaiveBayes().fit(X, Y).predict(row)


def test_one_row_of_a_frame_is_read_without_what_pandas_does_not_promise(monkeypatch, long_way):
    model = DecisionTreeClassifier(max_depth=5).fit(X, Y)
    frames = [FORMS["frame"](i) for i in range(5)]
    monkeypatch.delattr(pd.DataFrame, "_iter_column_arrays")
    long_way.clear()
    assert [model.predict(frame)[0] for frame in frames] == model.predict(ROWS[:5]).tolist()
    assert len(long_way) == 1  # the five rows


def test_a_frame_with_a_name_twice_is_refused_as_one_row_too():
    frame = pd.DataFrame([RECORDS[0]])
    with pytest.raises(InputError, match="'age'"):
        NaiveBayes().fit(X, Y).predict(pd.concat([frame, frame[["age"]]], axis=1))


def test_members_of_a_bag_are_asked_about_one_row_at_once(long_way):
    model = BaggingClassifier(NaiveBayes(), n_estimators=3, max_features=0.7, random_state=0).fit(X, Y)
    expected = model.predict_proba(X[:20])
    long_way.clear()
    found = np.vstack([model.predict_proba([record]) for record in RECORDS])
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert not long_way


def test_a_row_whose_keys_cannot_be_compared_is_read_the_long_way():
    class Rude(str):
        __hash__ = str.__hash__

        def __eq__(self, other):
            raise RuntimeError("do not compare me")

    schema = Schema([Column("w", "nominal", ("blue", "red")), Column("x", "numeric")])
    reader = RowReader(schema, frozenset({"id"}))
    assert reader.cells([{"w": "red", "x": 1, Rude("id"): 2}], 1e20) is None
    assert reader.cells([{"w": "red", "x": 1}], 1e20) == [1, 1.0]


@pytest.mark.parametrize("scale", [None, "standard", "range"])
def test_one_row_of_the_matrix_has_the_bits_of_the_whole(scale):
    size = ["small", "large", None, "medium"] * 5
    frame = pd.DataFrame(
        {
            "size": pd.Categorical(size, ["small", "medium", "large"], ordered=True),
            "x": [0.1 * i if i % 3 else None for i in range(20)],
            "word": [["b", "a", "c", None][i % 4] for i in range(20)],
        }
    )
    model = LogisticRegression(scale=scale).fit(frame, np.arange(20) % 2)
    encoder, columns = model._encoder, model._columns
    whole = encoder.encode(columns.read(frame, "here"), "here")
    rows = [encoder.one_row([record], columns.row_reader()) for record in frame.to_dict("records")]
    assert sum(row is not None for row in rows) >= 15
    for i, row in enumerate(rows):
        if row is not None:
            assert row.tobytes() == whole[i : i + 1].tobytes()


def test_the_core_reads_what_can_mean_one_thing_only():
    schema = Schema([Column("w", "nominal", ("blue", "red", "?")), Column("x", "numeric")])
    reader = RowReader(schema, frozenset({"id"}))
    taken = {
        ("red", 2): [1, 2.0], (None, None): [-1, nan], (nan, nan): [-1, nan], ("blue", np.float32(1.5)): [0, 1.5],
        ("red", np.int64(-7)): [1, -7.0], ("red", np.float64(3)): [1, 3.0], ("red", 2**60): [1, float(2**60)],
    }  # fmt: skip
    for (word, number), expected in taken.items():
        for row in ([word, number], (word, number), {"x": number, "w": word}, {"x": number, "w": word, "id": "7"}):
            found = reader.cells([row], 1e20)
            assert [type(cell) for cell in found] == [int, float]
            np.testing.assert_array_equal(found, expected)
    strange = [("?", 1), ("green", 1), (1, 1), (True, 1), (b"red", 1), (np.str_("red"), 1), ("red", "1"), ("red", True)]
    strange += [("red", 1e21), ("red", -inf), ("red", 10**400), ("red", 1j), ([], 1), ("red",), ("red", 1, 1)]
    for row in strange:
        assert reader.cells([row], 1e20) is None, row
        assert reader.cells([list(row)], 1e20) is None, row
    for X in (
        [],
        [{}],
        [{"w": "red"}],
        [{"w": "red", "x": 1, "y": 2}],
        None,
        "red",
        [None],
        [["red", 1]] * 2,
        {"w": 1},
    ):
        assert reader.cells(X, 1e20) is None, X


def test_a_row_too_far_away_for_the_scale_is_refused_as_ever():
    model = LogisticRegression(scale="standard").fit(pd.DataFrame({"x": [0.0, 1e-290], "w": ["a", "b"]}), [0, 1])
    with pytest.raises(InputError, match="too far from what the column held at fit"):
        model.predict([{"x": 1e90, "w": "a"}])


def test_an_encoder_that_learns_anew_encodes_rows_anew():
    model = LogisticRegression(scale="standard")
    for shift in (0.0, 100.0):
        frame = pd.DataFrame({"x": np.arange(10.0) + shift, "w": ["a", "b"] * 5})
        model.fit(frame, np.arange(10) > 4)
        record = frame.to_dict("records")[3]
        np.testing.assert_array_equal(model.predict_proba([record]), model.predict_proba(frame)[3:4])


@pytest.mark.parametrize("model", [NaiveBayes(), DecisionTreeClassifier(max_depth=5), LogisticRegression()], ids="ntl")
def test_a_list_of_records_is_matched_without_inferring_a_table(model, monkeypatch):
    expected = model.fit(X, Y).predict_proba(X[:20])
    times = []
    inferred = columns_module.table_from_memory
    monkeypatch.setattr(columns_module, "table_from_memory", lambda *given: times.append(1) or inferred(*given))
    np.testing.assert_array_equal(model.predict_proba(RECORDS), expected)
    gaps = [{**record, "age": None, "sex": None} for record in RECORDS]
    unsaid = model.predict_proba(pd.DataFrame(gaps))
    np.testing.assert_array_equal(model.predict_proba(gaps), unsaid)
    assert not times


@pytest.mark.parametrize(("name", "value"), [("sex", "unheard of"), ("sex", "?"), ("age", "31"), ("age", 10**400)])
def test_a_list_of_records_with_a_cell_of_several_meanings_is_read_as_ever(name, value, monkeypatch):
    model, strange = NaiveBayes().fit(X, Y), [{**record, name: value} for record in RECORDS[:3]]
    read = columns_module.table_from_memory
    times = []
    monkeypatch.setattr(columns_module, "table_from_memory", lambda *given: times.append(1) or read(*given))
    with suppress(InputError, DataWarning):
        model.predict(strange)
    assert times


def test_records_that_lack_a_column_or_have_one_more_are_refused_as_ever():
    model = NaiveBayes().fit(X, Y)
    with pytest.raises(InputError, match="'weather' was not there at fit"):
        model.predict([{**record, "weather": 1} for record in RECORDS])
    with pytest.raises(InputError, match="'age' is missing"):
        model.predict([{name: cell for name, cell in record.items() if name != "age"} for record in RECORDS])
