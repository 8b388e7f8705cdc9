"""Exported trees: worked by hand, then on real tables at every threshold, with lost cells and unseen words."""

from __future__ import annotations

import numpy as np
import pytest

from margin import C45, ID3, DecisionTreeClassifier, DecisionTreeRegressor
from margin.data import Table
from margin.export import onnx_inputs, run_onnx, to_onnx
from tests.contract.estimators import dealt
from tests.export.asked import both, exact, lost, real, thresholds_and_neighbours

pytest.importorskip("onnxruntime")
pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.MarginWarning")

TREES = [
    DecisionTreeClassifier(),
    DecisionTreeClassifier(nominal="multiway"),
    DecisionTreeClassifier(nominal="one_vs_rest", criterion="entropy"),
    DecisionTreeClassifier(numeric="equal_count", max_intervals=4, nominal="multiway"),
    DecisionTreeClassifier(missing="surrogate"),
    DecisionTreeClassifier(missing="fractional", nominal="multiway"),
    DecisionTreeClassifier(max_bins=255),
    C45(),
    C45(prune=False, binary_splits=True),
    ID3(missing="fractional"),
]
DATA = ["iris", "credit-g", "mushroom", "soybean", "vote", "glass", "diabetes", "penguins", "adult"]


def test_a_stump_by_hand():
    model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["low", "low", "high"])
    assert model.tree_.threshold[0] == 3.0
    asked = np.array([[3.0], [np.nextafter(3.0, 4.0)], [-5.0]])
    found = run_onnx(to_onnx(model), {"X": asked})
    assert found["label"].tolist() == ["low", "high", "low"]
    assert found["probabilities"].tolist() == [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]


def test_a_missing_cell_in_parts_by_hand():
    X = Table.from_columns({"sky": ["sun", "sun", "sun", "rain"]})
    y = ["go", "go", "go", "stay"]
    model = DecisionTreeClassifier(nominal="multiway", missing="fractional").fit(X, y)
    found = run_onnx(to_onnx(model), {"sky": np.array([["sun"], ["rain"], ["fog"], [""]], dtype=object)})
    # Three of four cases went down with the sun: so much of a row goes there whose sky nobody knows.
    assert found["probabilities"].tolist() == [[1.0, 0.0], [0.0, 1.0], [0.75, 0.25], [0.75, 0.25]]
    assert found["label"].tolist() == ["go", "stay", "go", "go"]


def test_a_tree_of_one_leaf_answers_it():
    model = DecisionTreeClassifier().fit([[1.0], [1.0], [1.0]], ["a", "b", "b"])
    found = run_onnx(to_onnx(model), {"X": np.array([[7.0], [np.nan]])})
    assert found["label"].tolist() == ["b", "b"]
    assert found["probabilities"].tolist() == [[1 / 3, 2 / 3]] * 2


def test_costs_change_the_answer_and_not_the_probabilities():
    X, y = [[1.0], [1.0], [1.0], [5.0]], ["ill", "well", "well", "well"]
    model = DecisionTreeClassifier(costs={("ill", "well"): 10}).fit(X, y)
    said, found = both(model, [[1.0], [5.0]])
    assert found["label"].tolist() == said["label"].tolist() == ["ill", "well"]
    assert np.array_equal(found["probabilities"], said["probabilities"])


@dealt(TREES, "names", DATA, others=3)
def test_answers_are_the_same_in_every_bit(estimator, names):
    for name in names:
        X, y = real(name)
        half = len(y) // 2
        tree = estimator.fit(X.take(np.arange(half)), y[:half])  # the other half brings words that were not there
        exact(tree, X)
        exact(tree, lost(X))
        exact(tree, thresholds_and_neighbours(tree, X))
        exact(tree, lost(thresholds_and_neighbours(tree, X), seed=1))


def each_column_empty_in_turn(X: Table) -> Table:
    """As many copies of the rows as there are columns, one column without a cell in each."""
    cells = []
    for place, column in enumerate(X.schema):
        copies = np.tile(np.asarray(X.cells(column.name)), len(X.schema)).reshape(len(X.schema), -1)
        copies[place] = np.nan if column.is_numeric else -1
        cells.append(copies.ravel())
    return Table(X.schema, cells, n_rows=len(X.schema) * X.n_rows)


@pytest.mark.parametrize("name", ["credit-g", "penguins", "adult"])
@pytest.mark.parametrize("tree", TREES, ids=repr)
def test_rows_that_miss_a_column_altogether_go_the_same_way(tree, name):
    X, y = real(name, 300)
    exact(tree.fit(X, y), each_column_empty_in_turn(X))


@pytest.mark.parametrize("missing", ["direction", "surrogate", "fractional"])
def test_words_that_were_not_there_are_missing_cells(missing):
    X, y = real("credit-g")
    model = DecisionTreeClassifier(missing=missing).fit(X, y)
    feeds = onnx_inputs(model, X)
    strange = {k: np.full_like(v, "never heard of") if v.dtype == object else v for k, v in feeds.items()}
    silent = {k: np.full_like(v, "") if v.dtype == object else v for k, v in feeds.items()}
    gone = [X.cells(c.name) if c.is_numeric else np.full(X.n_rows, -1, dtype=np.int32) for c in X.schema]
    said = model.predict_proba(Table(X.schema, gone, n_rows=X.n_rows))
    graph = to_onnx(model)
    assert np.array_equal(run_onnx(graph, strange)["probabilities"], said)
    assert np.array_equal(run_onnx(graph, silent)["probabilities"], said)


@pytest.mark.parametrize(
    "tree",
    [
        DecisionTreeRegressor(),
        DecisionTreeRegressor(missing="surrogate"),
        DecisionTreeRegressor(missing="fractional", nominal="multiway", min_samples_leaf=5),
    ],
    ids=repr,
)
def test_trees_of_quantities_are_the_same_in_every_bit(tree):
    X, _ = real("credit-g")
    amount = np.asarray(X.cells("credit_amount"))
    X = X.drop("credit_amount")
    tree.fit(X.take(np.arange(400)), amount[:400])
    for rows in (X, lost(X), thresholds_and_neighbours(tree, X)):
        exact(tree, rows)


def test_a_deep_tree_of_one_column_is_walked_to_its_end():
    X = np.arange(3000.0).reshape(-1, 1)
    model = DecisionTreeClassifier().fit(X, np.arange(3000) % 2)
    asked = np.concatenate([X, X + 0.5, np.nextafter(X + 0.5, np.inf)])
    exact(model, asked)
