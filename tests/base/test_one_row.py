"""One row read at once: the same answers as among other rows, and refusals as ever."""

from contextlib import suppress

import numpy as np
import pandas as pd
import pytest

from margin import DecisionTreeClassifier, LogisticRegression, NaiveBayes
from margin.base.inputs.columns import Columns
from margin.data import catalog
from margin.errors import InputError

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
