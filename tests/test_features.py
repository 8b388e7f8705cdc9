"""PolynomialFeatures and QuadraticFeatures: products by hand, beside scikit-learn's, and what they are for."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures as Rival

from margin import LinearSVC, LogisticRegression, NaiveBayes, PolynomialFeatures, QuadraticFeatures
from margin.data import Table, catalog
from margin.data.generators import circles, xor
from margin.errors import ExportError, InputError
from margin.export import to_onnx
from margin.persistence import from_bytes, to_bytes

X = np.random.default_rng(0).normal(size=(30, 4))
TABLE = Table.from_columns(
    {"a": [2.0, 3.0, None], "ink": ["red", "blue", "red"], "b": [5.0, 7.0, 1.0], "big": ["y", "n", None]}
)


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
@pytest.mark.parametrize("interaction_only", [False, True])
def test_products_are_those_of_scikit_learn_in_its_order(degree, interaction_only):
    found = PolynomialFeatures(degree=degree, interaction_only=interaction_only).fit_transform(X)
    rival = Rival(degree, interaction_only=interaction_only, include_bias=False).fit_transform(X)
    np.testing.assert_allclose(found, rival, rtol=1e-12)


def test_a_table_stays_one_and_its_columns_say_what_they_are():
    made = PolynomialFeatures(degree=3).fit(TABLE).transform(TABLE)
    assert made.names == ("a", "ink", "b", "big", "a²", "a·b", "b²", "a³", "a²·b", "a·b²", "b³")
    assert made["a²·b"].tolist()[:2] == [20.0, 63.0]
    assert np.isnan(made["a·b"][2])
    assert made.schema["ink"].kind == "nominal"
    assert list(QuadraticFeatures().fit(X).get_feature_names_out()[:6]) == ["x0", "x1", "x2", "x3", "x0²", "x0·x1"]


def test_columns_of_words_are_crossed_or_left_out():
    crossed = QuadraticFeatures(nominal="cross").fit_transform(TABLE)
    assert crossed["ink & big"].tolist() == ["red & y", "blue & n", None]
    assert crossed["b·[ink = red]"].tolist() == [5.0, 0.0, 1.0]
    assert np.isnan(crossed["b·[big = y]"][2])
    assert QuadraticFeatures(nominal="drop").fit_transform(TABLE).names == ("a", "b", "a²", "a·b", "b²")
    assert list(QuadraticFeatures(nominal="cross").fit(TABLE).get_feature_names_out()) == list(crossed.names)


@pytest.mark.parametrize(("points", "least"), [(circles, 0.97), (xor, 0.9)], ids=["circles", "xor"])
@pytest.mark.parametrize(
    "model", [LogisticRegression(C=100.0, scale="standard"), LinearSVC(scale="standard")], ids=repr
)
def test_straight_lines_in_products_are_curves(points, least, model):
    rows, y = points(400)
    plain = cross_val_score(model, rows, y, cv=5).mean()
    bent = cross_val_score(make_pipeline(QuadraticFeatures(), model), rows, y, cv=5).mean()
    assert plain < 0.7
    assert bent > least


def test_works_in_pipelines_on_mixed_tables_with_missing_cells():
    table, y = catalog.load("credit").inputs().target("risk")
    for settings in ({}, {"nominal": "cross"}, {"nominal": "drop"}):
        model = make_pipeline(QuadraticFeatures(**settings), NaiveBayes()).fit(table, y)
        assert model.predict(table.take([0, 1])).shape == (2,)
        frame = pd.DataFrame(table.to_pandas())
        assert np.array_equal(model.predict(frame), model.predict(table))


def test_products_beyond_all_numbers_are_refused_with_row_and_column():
    rows = X.copy()
    rows[4, 1] = 1e160
    with pytest.raises(InputError, match="'x1', row 4"):
        QuadraticFeatures().fit(rows)


def test_nothing_but_words_to_be_left_out_is_refused():
    with pytest.raises(InputError, match="no column holds numbers"):
        QuadraticFeatures(nominal="drop").fit(TABLE[["ink", "big"]])


def test_goes_through_a_file_and_through_onnx():
    pytest.importorskip("onnxruntime")
    model = PolynomialFeatures(degree=3).fit(X)
    assert np.array_equal(from_bytes(to_bytes(model)).transform(X), model.transform(X))
    to_onnx(model, check=X)
    to_onnx(QuadraticFeatures(nominal="drop").fit(TABLE), check=TABLE)
    with pytest.raises(ExportError, match="as words beside numbers"):
        to_onnx(QuadraticFeatures().fit(TABLE))
