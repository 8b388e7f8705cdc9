"""metric="precomputed": the same answers as on the rows behind the distances; scale="unit": as on rows of length 1."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

import margin.persistence
from margin import KNeighborsClassifier, KNeighborsRegressor, RadiusNeighborsClassifier, choose_k, evaluate
from margin.data import catalog
from margin.errors import ExportError, InputError, ParameterError
from margin.evaluation import LeaveOneOut, StratifiedFolds
from margin.selection import GridSearch


@pytest.fixture
def iris() -> tuple[np.ndarray, np.ndarray]:
    X, y = catalog.load("iris").target("class")
    return np.column_stack([X.cells(name) for name in X.schema.names]), np.asarray(y)


def distances(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """As margin measures them, so that ties are the same."""
    model = KNeighborsRegressor(len(B)).fit(B, np.zeros(len(B)))
    found, row = model.kneighbors(A)
    square = np.empty((len(A), len(B)))
    np.put_along_axis(square, row, found, axis=1)
    return square


def test_answers_are_those_of_the_rows_behind_the_distances(iris):
    X, y = iris
    train, test = np.arange(0, 150, 2), np.arange(1, 150, 2)
    D, Q = distances(X[train], X[train]), distances(X[test], X[train])
    for k, weights in ((1, "uniform"), (4, "uniform"), (7, "distance")):
        on_rows = KNeighborsClassifier(k, weights=weights).fit(X[train], y[train])
        given = KNeighborsClassifier(k, weights=weights, metric="precomputed").fit(D, y[train])
        assert_array_equal(given.predict(Q), on_rows.predict(X[test]))
        assert_array_equal(given.predict_proba(Q), on_rows.predict_proba(X[test]))
        assert_array_equal(given.kneighbors(Q)[0], on_rows.kneighbors(X[test])[0])
        assert_array_equal(given.kneighbors()[0], on_rows.kneighbors()[0])
    assert str(given.index_) == "given distances: metric 'precomputed': X holds them"
    near = RadiusNeighborsClassifier(0.5, metric="precomputed").fit(D, y[train])
    assert_array_equal(near.predict(Q), RadiusNeighborsClassifier(0.5).fit(X[train], y[train]).predict(X[test]))


def test_weightless_rows_are_cut_out_on_both_sides(iris):
    X, y = iris
    weight = (np.arange(150) % 3 > 0).astype(np.float64)
    D = distances(X, X)
    kept = np.flatnonzero(weight)
    given = KNeighborsClassifier(5, metric="precomputed").fit(D, y, weight)
    assert_array_equal(given.predict(D), KNeighborsClassifier(5).fit(X[kept], y[kept]).predict(X))


def test_evaluations_searches_and_left_out_rows_cut_the_matrix_on_both_sides(iris):
    X, y = iris
    D = distances(X, X)
    given, on_rows = KNeighborsClassifier(5, metric="precomputed"), KNeighborsClassifier(5)
    for protocol in (LeaveOneOut(), StratifiedFolds(5)):
        found, wanted = (evaluate(m, x, y, protocol) for m, x in ((given, D), (on_rows, X)))
        assert found.scores["accuracy"].value == wanted.scores["accuracy"].value
    assert_array_equal(choose_k(D, y, 30, metric="precomputed").error, choose_k(X, y, 30).error)
    searches = [
        GridSearch(m, {"n_neighbors": [1, 5, 9]}, random_state=0).fit(x, y) for m, x in ((given, D), (on_rows, X))
    ]
    assert searches[0].best_score_ == searches[1].best_score_


def test_the_only_row_of_a_class_is_answered_by_a_fit_without_it():
    X = np.array([[0.0], [1.0], [2.0], [9.0]])
    y = np.array(["a", "a", "a", "b"])
    D = np.abs(X - X.T)
    found = KNeighborsClassifier(1, metric="precomputed").left_out_answers(D, y)
    assert found.labels.tolist() == ["a", "a", "a", "a"]


def test_distances_need_be_neither_symmetric_nor_zero_on_the_diagonal():
    D = np.array([[5.0, 1.0, 1.0], [5.0, 1.0, 1.0], [2.0, 3.0, 0.0]])
    model = KNeighborsClassifier(1, metric="precomputed").fit(D, ["a", "b", "c"])
    distance, row = model.kneighbors(n_neighbors=1)
    assert distance.ravel().tolist() == [1.0, 1.0, 2.0]
    assert row[1:].ravel().tolist() == [2, 0]  # row 1 is not its own neighbour, though nearer to itself than to row 0


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones((3, 2)), "X must be square"),
        (np.array([[0.0, -1, 1], [1, 0, 1], [1, 1, 0]]), "row 0, column 1 is -1"),
        (np.array([[0.0, np.nan, 1], [1, 0, 1], [1, 1, 0]]), "no missing cells"),
    ],
)
def test_what_is_no_matrix_of_distances_is_refused(X, message):
    with pytest.raises(InputError, match=message):
        KNeighborsClassifier(1, metric="precomputed").fit(X, [0, 1, 0])


def test_new_distances_are_looked_at_too():
    model = KNeighborsClassifier(1, metric="precomputed").fit(1.0 - np.eye(3), [0, 1, 0])
    for bad, message in (([[1.0, -2.0, 1.0]], "column 1 is -2"), ([[1.0, np.nan, 1.0]], "no missing cells")):
        with pytest.raises(InputError, match=message):
            model.predict(np.array(bad))
    with pytest.raises(InputError):
        model.predict(np.ones((1, 2)))


@pytest.mark.parametrize("more", [{"scale": "standard"}, {"feature_weights": [1, 2, 3]}, {"algorithm": "kd_tree"}])
def test_what_needs_columns_is_refused_beside_distances(more):
    with pytest.raises(ParameterError, match=f"leave {next(iter(more))} out"):
        KNeighborsClassifier(1, metric="precomputed", **more).fit(1.0 - np.eye(3), [0, 1, 0])


def test_a_model_of_distances_comes_back_from_its_file_and_has_no_graph(tmp_path):
    model = KNeighborsClassifier(2, metric="precomputed").fit(cdist(np.eye(4), np.eye(4)), [0, 1, 0, 1])
    margin.persistence.save(model, tmp_path / "model.margin")
    again = margin.persistence.load(tmp_path / "model.margin")
    assert_array_equal(again.predict_proba(np.ones((1, 4))), model.predict_proba(np.ones((1, 4))))
    with pytest.raises(ExportError, match="knows distances"):
        model.to_onnx()


def test_unit_length_rows_are_compared_by_their_directions(iris):
    X, y = iris
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    found = KNeighborsClassifier(5, scale="unit").fit(X, y)
    wanted = KNeighborsClassifier(5).fit(unit, y)
    assert_allclose(found.kneighbors(X)[0], wanted.kneighbors(unit)[0], atol=1e-12)
    assert_array_equal(found.predict(7.5 * X), found.predict(X))
    dense, sparse = found.kneighbors(X), KNeighborsClassifier(5, scale="unit").fit(scipy.sparse.csr_array(X), y)
    assert_array_equal(sparse.kneighbors(scipy.sparse.csr_array(X))[0], dense[0])


def test_rows_of_any_magnitude_are_brought_to_length_one_and_zeros_stay():
    X = np.array([[3e140, 4e140], [3e-170, 4e-170], [0.0, 0.0], [-1.0, 0.0]])
    distance, row = KNeighborsClassifier(4, scale="unit").fit(X, [0, 0, 1, 2]).kneighbors([[6.0, 8.0]])
    assert_array_equal(row, [[0, 1, 2, 3]])
    assert_allclose(distance, [[0.0, 0.0, 1.0, np.sqrt(0.8**2 + 1.6**2)]], atol=1e-15)


def test_unit_length_goes_with_weights_of_columns_leave_one_out_and_files(iris, tmp_path):
    X, y = iris
    model = KNeighborsClassifier(3, scale="unit", feature_weights=[1, 0, 0, 4]).fit(X, y)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    wanted = KNeighborsClassifier(3, feature_weights=[1, 0, 0, 4]).fit(unit, y)
    assert_allclose(model.kneighbors(X)[0], wanted.kneighbors(unit)[0], atol=1e-12)
    left_out = KNeighborsClassifier(3, scale="unit").left_out_answers(X, y)
    for row in (0, 70, 149):
        others = np.delete(np.arange(150), row)
        anew = KNeighborsClassifier(3, scale="unit").fit(X[others], y[others])
        assert left_out.labels[row] == anew.predict(X[[row]])[0]
    margin.persistence.save(model, tmp_path / "model.margin")
    assert_array_equal(margin.persistence.load(tmp_path / "model.margin").predict(X), model.predict(X))


def test_rows_of_length_one_are_written_into_a_graph(iris):
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    X, y = iris
    for more in ({}, {"metric": "manhattan", "feature_weights": [1, 0, 2, 1]}):
        KNeighborsClassifier(3, scale="unit", **more).fit(X, y).to_onnx(
            check=X
        )  # refuses a graph that answers otherwise
