"""Forests for several targets: single trees of the same draws, one target twice, scikit-learn, files and refusals."""

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier as SklearnExtraTrees
from sklearn.ensemble import RandomForestClassifier as SklearnForest
from sklearn.ensemble import RandomForestRegressor as SklearnRegressor

from margin import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from margin.data import Table
from margin.ensemble import measure_out_of_bag
from margin.errors import ExportError, LabelError, ParameterError
from margin.explain import explain
from margin.export import to_onnx
from margin.persistence import load, save
from tests.ensemble.single_trees import draws_of

CLASSES = (RandomForestClassifier, ExtraTreesClassifier)
VALUES = (RandomForestRegressor, ExtraTreesRegressor)


def rows(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    noise = rng.normal(size=(n, 2)) / 3
    y = np.column_stack([X[:, 0] + noise[:, 0] > 0, (X[:, 1] + X[:, 2] > 0) * 1 + (X[:, 0] + noise[:, 1] > 1)])
    return X, y.astype(int), np.column_stack([X[:, 0] ** 2, 3 * X[:, 1] + X[:, 2]]) + noise


def words(n=300, seed=1):
    """A table with words and missing cells."""
    X, y, values = rows(n, seed)
    X[::7, 0] = np.nan
    return (
        Table({"a": X[:, 0], "b": X[:, 1], "c": np.where(X[:, 2] > 0, "up", np.where(X[:, 3] > 0, "so", "no"))}),
        y,
        values,
    )


@pytest.mark.parametrize("made", [rows, words])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_a_tree_of_all_rows_and_columns_is_the_single_tree_of_several_classes(made, criterion):
    X, y, _ = made()
    forest = RandomForestClassifier(n_estimators=1, bootstrap=False, max_features=None, criterion=criterion)
    tree = DecisionTreeClassifier(criterion=criterion)
    for ours, theirs in zip(forest.fit(X, y).predict_proba(X), tree.fit(X, y).predict_proba(X), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    fresh = made(seed=5)[0]
    for ours, theirs in zip(forest.predict_proba(fresh), tree.predict_proba(fresh), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-14)


@pytest.mark.parametrize("made", [rows, words])
def test_a_tree_of_all_rows_and_columns_is_the_single_tree_of_several_numbers(made):
    X, _, values = made()
    forest = RandomForestRegressor(n_estimators=1, bootstrap=False, max_features=None, min_samples_leaf=3)
    tree = DecisionTreeRegressor(min_samples_leaf=3).fit(X, values)
    fresh = made(seed=5)[0]
    np.testing.assert_allclose(forest.fit(X, values).predict(fresh), tree.predict(fresh), rtol=1e-13)


def test_trees_are_single_trees_of_what_they_drew():
    X, y, values = rows()
    forest = RandomForestClassifier(n_estimators=4, max_features=None, random_state=3).fit(X, y)
    numbers = RandomForestRegressor(n_estimators=4, max_features=None, min_samples_leaf=1, random_state=3).fit(
        X, values
    )
    seed = int(forest._seed[0])
    fresh = rows(seed=9)[0]
    said, means = forest._votes_of(fresh, "predict"), numbers._votes_of(fresh, "predict")
    for t in range(4):
        times = draws_of(seed, t, len(X), len(X))[1]
        tree = DecisionTreeClassifier().fit(X, y, times)
        np.testing.assert_allclose(said[:, t], np.hstack(tree.predict_proba(fresh)), rtol=1e-14)
        tree = DecisionTreeRegressor().fit(X, values, times)
        np.testing.assert_allclose(means[:, t], tree.predict(fresh), rtol=1e-12)


@pytest.mark.parametrize("model", CLASSES)
@pytest.mark.parametrize("weighted", [False, True])
def test_one_target_twice_is_that_target(model, weighted):
    X, y, _ = rows()
    weight = np.random.default_rng(0).uniform(0.5, 2, len(X)) if weighted else None
    settings = {"n_estimators": 15, "random_state": 1, "bootstrap": True}
    once = model(**settings).set_params(oob_score=True).fit(X, y[:, 1], weight)
    twice = model(**settings).set_params(oob_score=True).fit(X, y[:, [1, 1]], weight)
    np.testing.assert_allclose(twice.predict_proba(X)[0], once.predict_proba(X), atol=1e-12)
    np.testing.assert_array_equal(twice.predict(X), np.column_stack([once.predict(X)] * 2))
    np.testing.assert_allclose(twice.oob_error_, once.oob_error_, atol=1e-12)
    np.testing.assert_allclose(twice.oob_decision_function_[1], once.oob_decision_function_, atol=1e-12)


@pytest.mark.parametrize("model", VALUES)
def test_one_number_twice_is_that_number(model):
    X, _, values = rows()
    settings = {"n_estimators": 15, "random_state": 1, "bootstrap": True, "oob_score": True}
    once = model(**settings).fit(X, values[:, 1] * 1e12)
    twice = model(**settings).fit(X, values[:, [1, 1]] * 1e12)
    np.testing.assert_allclose(twice.predict(X)[:, 0], once.predict(X), rtol=1e-9)
    np.testing.assert_allclose(twice.oob_prediction_[:, 1], once.oob_prediction_, rtol=1e-9)
    assert twice.oob_score_ == pytest.approx(once.oob_score_, rel=1e-9)
    assert twice.n_outputs_ == 2
    assert once.n_outputs_ == 1


def test_votes_out_of_bag_are_those_of_the_trees_that_did_not_draw_a_row():
    X, y, values = rows(120)
    forest = RandomForestClassifier(n_estimators=30, random_state=2).fit(X, y)
    numbers = RandomForestRegressor(n_estimators=30, random_state=2).fit(X, values)
    out = np.column_stack([draws_of(int(forest._seed[0]), t, len(X), len(X))[1] == 0 for t in range(30)])
    shares = (forest._votes_of(X, "predict") * out[:, :, None]).sum(axis=1) / out.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.hstack(forest.oob_decision_function_), shares, rtol=1e-12)
    winners = np.column_stack([shares[:, :2].argmax(axis=1), shares[:, 2:].argmax(axis=1)])
    asked = out.any(axis=1)
    assert forest.oob_score_ == pytest.approx((winners == y)[asked].mean())
    means = (numbers._votes_of(X, "predict") * out[:, :, None]).sum(axis=1) / out.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(numbers.oob_prediction_, means, rtol=1e-12)
    left = ((means - values)[asked] ** 2).mean(axis=0) / values[asked].var(axis=0)
    assert numbers.oob_score_ == pytest.approx((1 - left).mean())
    assert numbers.oob_error_[-1] == pytest.approx(((means - values)[asked] ** 2).mean())


def test_answers_are_as_good_as_those_of_scikit_learn():
    X, y, values = rows(600)
    fresh, truth, numbers = rows(2000, seed=1)
    for ours, theirs in ((RandomForestClassifier, SklearnForest), (ExtraTreesClassifier, SklearnExtraTrees)):
        mine = (ours(random_state=0).fit(X, y).predict(fresh) == truth).mean()
        rival = (theirs(random_state=0).fit(X, y).predict(fresh) == truth).mean()
        assert mine > rival - 0.01
    given = {"max_features": 1 / 3, "min_samples_leaf": 5, "random_state": 0}
    mine = RandomForestRegressor(random_state=0).fit(X, values).score(fresh, numbers)
    assert mine > SklearnRegressor(**given).fit(X, values).score(fresh, numbers) - 0.01


def test_sets_of_labels_are_answered_with_sets():
    X, y, _ = rows()
    sets = [{name for name, there in zip("ab", row, strict=True) if there} for row in y.astype(bool)]
    model = RandomForestClassifier(random_state=0).fit(X, sets)
    assert np.mean([said == given for said, given in zip(model.predict(X), sets, strict=True)]) > 0.95
    assert model.oob_score_ > 0.8
    assert model.proximities_out_of_bag(X[:], sets).shape == (len(X), len(X))
    assert "trees" in str(explain(model, X[:1]))


def test_growing_on_is_growing_at_once():
    X, y, values = rows(150)
    for model, targets in ((RandomForestClassifier, y), (RandomForestRegressor, values)):
        parts = model(n_estimators=5, random_state=0).fit(X, targets).grow(4, X, targets)
        whole = model(n_estimators=9, random_state=0).fit(X, targets)
        np.testing.assert_array_equal(parts.trees_.nodes, whole.trees_.nodes)
        np.testing.assert_array_equal(parts.trees_.shares, whole.trees_.shares)
        np.testing.assert_array_equal(parts.oob_error_, whole.oob_error_)


def test_auto_and_balanced_and_any_number_of_threads():
    X, y, values = rows(200)
    found = RandomForestClassifier(n_estimators="auto", class_weight="balanced", random_state=0).fit(X, y)
    assert 100 <= found.trees_.n_trees <= 1000
    assert RandomForestRegressor(n_estimators="auto", random_state=0).fit(X, values).trees_.n_trees >= 100
    one, two = (RandomForestRegressor(n_jobs=jobs, random_state=0).fit(X, values) for jobs in (1, 2))
    np.testing.assert_array_equal(one.trees_.shares, two.trees_.shares)
    np.testing.assert_array_equal(one.oob_error_, two.oob_error_)


@pytest.mark.parametrize("model", [*CLASSES, *VALUES])
def test_files_hold_them(model, tmp_path):
    X, y, values = words()
    fitted = model(n_estimators=5, random_state=0).fit(X, y if model in CLASSES else values)
    save(fitted, tmp_path / "forest.margin")
    again = load(tmp_path / "forest.margin")
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    assert again.n_outputs_ == 2


def test_several_numbers_are_exported_and_several_classes_refused():
    pytest.importorskip("onnxruntime")
    X, y, values = words(100)
    forest = RandomForestRegressor(n_estimators=5, random_state=0).fit(X, values)
    graph = to_onnx(forest, check=X)
    assert len(graph.graph.output) == 1
    with pytest.raises(ExportError, match="several targets"):
        to_onnx(RandomForestClassifier(n_estimators=5).fit(X, y))


def test_what_is_about_one_target_is_refused():
    X, y, values = rows(80)
    for settings, named in (
        ({"class_weight": "balanced_subsample"}, "class_weight"),
        ({"class_weight": {0: 2.0}}, "class_weight"),
        ({"criterion": "error"}, "criterion"),
        ({"monotonic_cst": [1, 0, 0, 0, 0]}, "monotonic_cst"),
    ):
        with pytest.raises(ParameterError, match=f"{named}.* where y has several columns"):
            RandomForestClassifier(n_estimators=2, **settings).fit(X, y)
    with pytest.raises(ParameterError, match="monotonic_cst must be None where y has several columns"):
        RandomForestRegressor(monotonic_cst=[1, 0, 0, 0, 0]).fit(X, values)
    forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    numbers = RandomForestRegressor(n_estimators=5, random_state=0).fit(X, values)
    for ask in (
        lambda: forest.strength(X, y),
        lambda: forest.outliers(X, y),
        lambda: forest.importances(X, y),
        lambda: numbers.predict_quantiles(X, [0.5], trained_on=(X, values)),
        lambda: measure_out_of_bag(forest, y),
    ):
        with pytest.raises(ParameterError, match="one target"):
            ask()
    assert forest.importances(kind="impurity").mean.sum() == pytest.approx(1)
    with pytest.raises(LabelError, match="2 columns"):
        forest.proximities_out_of_bag(X, y[:, :1].tolist())
    assert "four of five trees" in str(explain(numbers, X[:1]))
