"""margin.explain.shap_values: the definition over all subsets, what holds of all Shapley values, and bad input."""

from __future__ import annotations

import numpy as np
import pytest

import margin
from margin import (
    C45,
    ID3,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from margin.data import catalog
from margin.data.frames.in_memory import table_from_memory
from margin.errors import DataError, InputTypeError, NotFittedError, ParameterError
from margin.explain import shap_values
from tests.explain.shap_definition import answer, forest_answer, node_weights, shapley


def mixed(n=80, seed=0, missing=0.1):
    """Two numbers, a nominal and an ordered column, with missing cells; classes and numbers that need all of them."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=n), rng.integers(0, 5, n).astype(float)
    c, e = rng.choice(list("pqrs"), n), rng.choice(["x", "y", "z"], n)
    y = a * (c == "p") + (b > 2) * (e == "x") + rng.normal(scale=0.3, size=n)
    a[rng.random(n) < missing] = np.nan
    c = np.where(rng.random(n) < missing, None, c)
    table = table_from_memory({"c": c.tolist(), "a": a, "e": e.tolist(), "b": b}, "test")
    return table, y, np.digitize(y, [-0.3, 0.6])


def by_definition(model, X, rows, game):
    data = model._encoded(X, "predict")
    cells = np.column_stack([np.asarray(data.numeric, float), *(np.where(c < 0, np.nan, c) for c in data.codes)])
    back = np.argsort(
        model._places() if hasattr(model, "_places") else margin.tree.settings.numbers_first(model._columns)
    )
    for i in rows:
        values, pairs = shapley(lambda known, row=cells[i]: game(row, known), cells.shape[1])
        yield i, values[back], pairs[back][:, back]


def check_tree(model, X, answers):
    found = shap_values(model, X, interactions=True)
    game = lambda row, known: answer(model.tree_, answers, row, known)  # noqa: E731
    for i, values, pairs in by_definition(model, X, range(0, len(found), 9), game):
        np.testing.assert_allclose(found.values[i].reshape(values.shape), values, atol=1e-12)
        np.testing.assert_allclose(found.interactions[i].reshape(pairs.shape), pairs, atol=1e-12)
    return found


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(),
        DecisionTreeClassifier(nominal="multiway", missing="fractional"),
        DecisionTreeClassifier(missing="surrogate", max_depth=5),
        DecisionTreeClassifier(numeric="equal_count", max_intervals=4, max_depth=4),
        DecisionTreeClassifier(class_weight="balanced", max_leaf_nodes=9),
        C45(),
        C45(prune=False, min_leaf=1),
    ],
    ids=["cart", "multiway-parts", "surrogates", "intervals", "balanced", "c45", "c45-unpruned"],
)
@pytest.mark.parametrize("classes", [2, 3])
def test_trees_agree_with_the_definition(model, classes):
    X, _, y = mixed()
    y = np.minimum(y, classes - 1)
    model = model.fit(X, y)
    shares = model.tree_.value / model.tree_.value.sum(axis=1, keepdims=True)
    found = check_tree(model, X, shares)
    np.testing.assert_allclose(found.answers, model.predict_proba(X), atol=1e-12)


def test_a_regression_tree_agrees_with_the_definition():
    X, y, _ = mixed(n=150, seed=1)
    model = DecisionTreeRegressor(min_samples_leaf=3).fit(X, y, sample_weight=np.linspace(0.5, 2, 150))
    found = check_tree(model, X, model.tree_.value)
    np.testing.assert_allclose(found.answers, model.predict(X), atol=1e-12)
    assert found.base.shape == ()


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(n_estimators=4, random_state=0),
        ExtraTreesClassifier(n_estimators=4, random_state=0),
        RandomForestRegressor(n_estimators=4, random_state=0, min_samples_leaf=2),
        ExtraTreesRegressor(n_estimators=4, random_state=0, min_samples_leaf=2),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("classes", [2, 3])
def test_forests_agree_with_the_definition(model, classes):
    X, numbers, labels = mixed()
    is_classifier = hasattr(model, "class_weight")
    model = model.fit(X, np.minimum(labels, classes - 1) if is_classifier else numbers)
    weight = node_weights(model.trees_)
    found = shap_values(model, X, interactions=True)

    def game(row, known):
        return sum(forest_answer(model.trees_, weight, row, known, t) for t in range(4)) / 4

    for i, values, pairs in by_definition(model, X, range(0, len(found), 20), game):
        np.testing.assert_allclose(found.values[i].reshape(values.shape), values, atol=1e-12)
        np.testing.assert_allclose(found.interactions[i].reshape(pairs.shape), pairs, atol=1e-12)
    said = model.predict_proba(X) if is_classifier else model.predict(X)
    np.testing.assert_allclose(found.answers, said, atol=1e-12)


def test_the_root_of_every_tree_weighs_what_was_drawn():
    X, _, y = mixed()
    trees = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y).trees_
    assert (node_weights(trees)[trees.start[:-1]] == 80).all()
    assert len(trees.leaf_weight) == trees.is_leaf.sum()


def test_columns_that_say_the_same_share_alike_and_others_have_nothing():
    cells = np.random.default_rng(0).integers(0, 2, (64, 3)).astype(float)
    cells[:, 2] = np.arange(64) % 7  # no tree needs it
    cells[:32, :2] = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], 8, axis=0)
    cells[32:, :2] = cells[:32, :2]
    y = ((cells[:, 0] > 0) & (cells[:, 1] > 0)).astype(int)
    found = shap_values(DecisionTreeClassifier().fit(cells, y), cells, interactions=True).of_class(1)
    assert found.base == 0.25
    both = found.values[y == 1]
    np.testing.assert_allclose(both[:, :2], 0.375, atol=1e-15)  # by hand: and-gate, (1 - 1/4) / 2
    np.testing.assert_allclose(found.interactions[y == 1][:, 0, 1], 0.125, atol=1e-15)  # half of 1 - 2/2 + 1/4
    assert (found.values[:, 2] == 0).all()
    assert (found.interactions[:, 2] == 0).all()


def test_deep_ways_over_many_columns_stay_exact():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 60))
    y = (X * np.geomspace(1, 0.2, 60)).sum(axis=1)
    model = DecisionTreeRegressor(splitter="random", random_state=0).fit(X, y)
    assert model.tree_.depth > 12
    found = shap_values(model, X, interactions=True)
    np.testing.assert_allclose(found.answers, model.predict(X), rtol=0, atol=1e-11)
    np.testing.assert_allclose(found.interactions, found.interactions.transpose(0, 2, 1), atol=1e-12)
    np.testing.assert_allclose(found.interactions.sum(axis=2), found.values, atol=1e-11)


def test_a_chain_as_long_as_its_rows_has_one_column():
    X = np.arange(300.0).reshape(-1, 1)
    model = DecisionTreeRegressor().fit(X, np.exp2(-X[:, 0] / 4))
    found = shap_values(model, X)
    np.testing.assert_allclose(found.values[:, 0] + found.base, model.predict(X), atol=1e-12)
    assert found.base == pytest.approx(np.exp2(-X[:, 0] / 4).mean(), abs=1e-12)


def test_the_same_bytes_on_any_number_of_threads():
    X, _, y = mixed(n=400)
    model = RandomForestClassifier(n_estimators=10, random_state=0, n_jobs=1).fit(X, y)
    one = shap_values(model, X, interactions=True)
    two = shap_values(model.set_params(n_jobs=2), X, interactions=True)
    assert one.values.tobytes() == two.values.tobytes()
    assert one.interactions.tobytes() == two.interactions.tobytes()


def test_rows_one_by_one_and_in_float32_are_the_same_rows():
    X = np.random.default_rng(0).normal(size=(50, 4)).astype(np.float32)
    model = RandomForestRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0] - X[:, 1])
    whole = shap_values(model, X).values
    assert (np.vstack([shap_values(model, X[i : i + 1]).values for i in range(50)]) == whole).all()
    assert (shap_values(model, X.astype(np.float64)).values == whole).all()


def test_a_tree_of_one_leaf_and_no_rows_at_all():
    X, y = catalog.load("iris").target("class")
    model = DecisionTreeClassifier(max_depth=1, min_samples_leaf=100).fit(X, y)
    found = shap_values(model, X)
    assert (found.values == 0).all()
    assert np.allclose(found.base, 1 / 3)
    assert shap_values(model, X.take([]), interactions=True).values.shape == (0, 4, 3)


def test_what_is_no_fitted_tree_or_forest_is_refused():
    X, y = catalog.load("iris").target("class")
    with pytest.raises(InputTypeError, match="must be a fitted tree, forest or gradient boosting"):
        shap_values(margin.NaiveBayes().fit(X, y), X)
    with pytest.raises(NotFittedError):
        shap_values(DecisionTreeClassifier(), X)
    two = np.column_stack([np.arange(20.0), np.arange(20.0)])
    with pytest.raises(InputTypeError, match="several targets"):
        shap_values(DecisionTreeRegressor().fit(two, two), two)
    wide = np.random.default_rng(0).normal(size=(400, 2000))
    with pytest.raises(ParameterError, match="fewer rows"):
        shap_values(DecisionTreeRegressor(max_depth=1).fit(wide, wide[:, 0]), wide, interactions=True)
    X, y = catalog.load("weather_nominal").target("play")
    found = shap_values(ID3().fit(X, y), X)
    with pytest.raises(ParameterError, match="one of the classes"):
        found.of_class("maybe")
    with pytest.raises(ParameterError, match="one of the 14 rows"):
        found.text(14)


def test_a_forest_without_weights_of_leaves_is_refused():
    X, y = catalog.load("iris").target("class")
    model = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    object.__setattr__(model.trees_, "leaf_weight", np.empty(0, np.float32))
    with pytest.raises(DataError, match="older file"):
        shap_values(model, X)


def test_forests_keep_the_weights_of_leaves_in_files_and_as_they_grow(tmp_path):
    X, y = catalog.load("iris").target("class")
    model = RandomForestClassifier(n_estimators=6, random_state=0).fit(X, y)
    margin.persistence.save(model, tmp_path / "forest.margin")
    again = margin.persistence.load(tmp_path / "forest.margin")
    assert (shap_values(again, X).values == shap_values(model, X).values).all()
    grown = RandomForestClassifier(n_estimators=4, random_state=0).fit(X, y).grow(2, X, y)
    assert (grown.trees_.leaf_weight == model.trees_.leaf_weight).all()
