"""Random forests as models: figures known from outside, degenerate tables, what scikit-learn makes of the same rows."""

import math
import warnings

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier as SklearnForest
from sklearn.ensemble import RandomForestRegressor as SklearnRegressor

from margin import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor, measure_out_of_bag
from margin.data import catalog
from margin.errors import MarginWarning, ParameterError
from margin.explain import explain
from margin.persistence import from_bytes, to_bytes
from tests.ensemble.single_trees import draws_of


def rings(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, (X[:, 0] ** 2 + X[:, 1] ** 2 + 0.3 * rng.normal(size=n) > 1.5).astype(int)


@pytest.mark.golden("G2")
def test_a_tree_leaves_out_a_row_with_probability_368():
    n = 500
    out = np.mean([(draws_of(7, t, n, n)[1] == 0).mean() for t in range(40)])
    assert (1 - 1 / n) ** n == pytest.approx(0.368, abs=5e-4)
    assert out == pytest.approx(0.368, abs=0.005)
    X, y = rings(n)
    model = RandomForestClassifier(n_estimators=60, random_state=0).fit(X, y)
    assert model._oob_counts.mean() / 60 == pytest.approx(0.368, abs=0.005)


@pytest.mark.golden("G3")
def test_10_of_103_columns_hold_one_of_3_that_matter_with_probability_266():
    expected = 1 - math.comb(100, 10) / math.comb(103, 10)
    assert expected == pytest.approx(0.266, abs=5e-4)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 103))
    y = (X[:, :3].sum(axis=1) > 0).astype(int)
    # Only splits on columns that matter can be told apart at once: the root asks one of them whenever it sees one.
    X[:, :3] = np.where(y[:, None] == 1, 1.0, -1.0)
    model = RandomForestClassifier(n_estimators=2000, max_features=10, max_depth=1, random_state=0).fit(X, y)
    roots = model.trees_.column[model.trees_.start[:-1]]
    assert (roots < 3).mean() == pytest.approx(expected, abs=3 * math.sqrt(expected * (1 - expected) / 2000))


@pytest.mark.golden("G3")
def test_columns_and_leaves_are_those_of_the_lecture():
    X, y = rings()
    classes = RandomForestClassifier(n_estimators=3, bootstrap=False, random_state=0).fit(X, y)
    assert classes.max_features == "sqrt"
    assert classes.score(X, y) == 1  # leaves of 1: all rows are known by heart
    values = RandomForestRegressor(n_estimators=5, bootstrap=False, random_state=0).fit(X, y.astype(float))
    assert values.max_features == 1 / 3
    leaves = values.apply(X)
    assert min(np.unique(tree, return_counts=True)[1].min() for tree in leaves.T) == 5


@pytest.mark.parametrize(("name", "target"), [("iris", "class"), ("credit", None)])
def test_a_forest_beats_the_majority_out_of_bag(name, target):
    table = catalog.load(name)
    X, y = table.target(target or catalog.card(name).target)
    model = RandomForestClassifier(random_state=0).fit(X, y)
    assert model.oob_score_ > np.unique(y, return_counts=True)[1].max() / len(y)


def test_accuracy_out_of_bag_is_that_of_scikit_learn_within_its_seeds():
    X, y = rings(600)
    theirs = [SklearnForest(100, oob_score=True, random_state=s).fit(X, y).oob_score_ for s in range(5)]
    ours = [RandomForestClassifier(random_state=s).fit(X, y).oob_score_ for s in range(5)]
    spread = np.hypot(np.std(theirs, ddof=1), np.std(ours, ddof=1)) + 1e-3
    assert abs(np.mean(ours) - np.mean(theirs)) < 3 * spread


def test_values_out_of_bag_are_as_good_as_those_of_scikit_learn():
    X, _ = rings(500)
    y = X[:, 0] ** 2 + X[:, 1] + 0.2 * np.random.default_rng(1).normal(size=500)
    given = {"max_features": 1 / 3, "min_samples_leaf": 5}
    theirs = [SklearnRegressor(100, oob_score=True, random_state=s, **given).fit(X, y).oob_score_ for s in range(4)]
    ours = [RandomForestRegressor(random_state=s).fit(X, y).oob_score_ for s in range(4)]
    # A row drawn twice is two cases here and one there, so that leaves are a little smaller here.
    assert np.mean(ours) > np.mean(theirs) - 3 * (np.std(theirs, ddof=1) + 1e-3)


def test_bins_answer_about_as_all_thresholds_do():
    X, y = rings(800)
    exact = RandomForestClassifier(random_state=0, max_bins=None).fit(X, y)
    binned = RandomForestClassifier(random_state=0, max_bins=64).fit(X, y)
    assert "all thresholds" in exact.growth_
    assert "64 bins" in binned.growth_
    assert abs(exact.oob_score_ - binned.oob_score_) < 0.03


def test_auto_stops_when_the_error_out_of_bag_is_flat():
    X, y = rings(300)
    model = RandomForestClassifier(n_estimators="auto", random_state=0).fit(X, y)
    assert 100 <= model.trees_.n_trees < 1000
    assert model.trees_.n_trees % 25 == 0
    as_many = RandomForestClassifier(n_estimators=model.trees_.n_trees, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.trees_.nodes, as_many.trees_.nodes)
    np.testing.assert_array_equal(model.predict_proba(X), as_many.predict_proba(X))
    with pytest.raises(ParameterError, match="n_estimators='auto'"):
        RandomForestClassifier(n_estimators="auto", bootstrap=False).fit(X, y)


@pytest.mark.parametrize("class_weight", ["balanced", "balanced_subsample", {1: 30.0}])
def test_a_rare_class_is_answered_more_often_if_it_weighs_more(class_weight):
    rng = np.random.default_rng(0)
    y = (rng.random(600) < 0.05).astype(int)
    X = rng.normal(size=(600, 3)) + y[:, None]
    given = {"n_estimators": 50, "max_depth": 4, "random_state": 0}
    plain = RandomForestClassifier(**given).fit(X, y)
    weighed = RandomForestClassifier(class_weight=class_weight, **given).fit(X, y)
    assert weighed.predict(X).sum() > 2 * plain.predict(X).sum() + 5


def test_a_class_of_three_rows_that_some_trees_do_not_draw():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(60, 2)), rng.normal(20, 1, size=(3, 2))])
    y = np.array(["many"] * 60 + ["few"] * 3)
    model = RandomForestClassifier(random_state=0).fit(X, y)
    assert model.predict([[20.0, 20.0]])[0] == "few"
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1)


def test_more_columns_than_rows_and_one_row():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 60)), np.arange(12) % 2
    X[:, 5] += 6 * y
    assert RandomForestClassifier(random_state=0, max_features=None).fit(X, y).score(X, y) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MarginWarning)
        assert RandomForestRegressor().fit([[1.0]], [3.0]).predict([[7.0]]) == [3.0]
        one = RandomForestClassifier().fit([[1.0, 2.0]], ["a"])
    assert one.predict([[0.0, 0.0]]).tolist() == ["a"]
    assert np.isnan(one.oob_error_).all()  # no tree left the row out


def test_importances_find_the_columns_that_matter():
    X, y = rings(500)
    for model in (RandomForestClassifier(random_state=0), RandomForestRegressor(random_state=0)):
        found = model.fit(X, y).feature_importances_
        assert found.sum() == pytest.approx(1)
        assert found[:2].min() > 1.5 * found[2:].max()


def walked(trees, X):
    """The leaf of each row in each tree, question by question."""
    column, threshold, first, missing = trees.column, trees.threshold, trees.first, trees.missing
    found = np.empty((len(X), trees.n_trees), dtype=int)
    for i, row in enumerate(X):
        for t, root in enumerate(trees.start[:-1]):
            at = root
            while column[at] >= 0:
                x = row[column[at]]
                at = root + first[at] + (missing[at] if np.isnan(x) else x > threshold[at])
            found[i, t] = at - root
    return found


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("missing", [False, True])
def test_rows_reach_the_leaves_their_cells_lead_to_however_many_there_are(dtype, missing):
    X, y = rings(500)
    X = X.astype(dtype)
    if missing:
        X[::3, 1] = X[1::5, 0] = np.nan
    model = RandomForestClassifier(n_estimators=7, random_state=0).fit(X, y)
    assert np.diff(model.trees_.start).max() > 40  # few rows walk these trees as they are, many a copy of them
    leaves = walked(model.trees_, X)
    expected = model.trees_.answers(leaves + model.trees_.start[:-1]).mean(axis=1)
    for n in (1, 2, 5, 70, 500):
        np.testing.assert_array_equal(model.apply(X[:n]), leaves[:n])
        np.testing.assert_allclose(model.predict_proba(X[:n]), expected[:n], rtol=1e-15)
    for n in (1, 2, 5, 70):
        np.testing.assert_array_equal(model.predict_proba(X[:n]), model.predict_proba(X)[:n])


def test_one_row_alone_is_answered_as_among_others():
    X, y = rings(300)
    for model in (RandomForestClassifier(random_state=0), RandomForestRegressor(random_state=0)):
        model.fit(X, y)
        answer = model.predict_proba if hasattr(model, "predict_proba") else model.predict
        together = answer(X)
        np.testing.assert_array_equal(np.concatenate([answer(X[i : i + 1]) for i in range(20)]), together[:20])
        np.testing.assert_array_equal(answer(X.astype(np.float64).tolist()), together)


def test_very_large_and_small_targets_are_answered_in_their_unit():
    X, _ = rings(200)
    y = X[:, 0] + 3
    plain = RandomForestRegressor(n_estimators=10, random_state=0).fit(X, y)
    huge = RandomForestRegressor(n_estimators=10, random_state=0).fit(X, y * 2.0**400)
    np.testing.assert_allclose(huge.predict(X) / 2.0**400, plain.predict(X), rtol=1e-12)
    np.testing.assert_allclose(huge.oob_prediction_ / 2.0**400, plain.oob_prediction_, rtol=1e-12)


def test_trees_say_what_they_vote_for():
    X, y = rings(200)
    found = explain(RandomForestClassifier(n_estimators=30, random_state=0).fit(X, y), X[:1])
    assert "30 trees" in found.how
    assert found.reasons
    assert "30 trees" in explain(RandomForestRegressor(n_estimators=30, random_state=0).fit(X, y), X[:1]).how


def test_costs_move_answers_to_the_class_that_costs_least_and_leave_probabilities():
    stream = np.random.default_rng(0)
    X = stream.normal(size=(200, 3))
    y = np.where(X[:, 0] + stream.normal(size=200) > 0.5, "ill", "well")
    plain = RandomForestClassifier(n_estimators=30, random_state=0).fit(X, y)
    careful = RandomForestClassifier(n_estimators=30, random_state=0, costs={("ill", "well"): 5}).fit(X, y)
    shares = plain.predict_proba(X)
    assert np.array_equal(careful.predict_proba(X), shares)
    expected = [min("ill", "well", key=lambda a: {"ill": s[1], "well": 5 * s[0]}[a]) for s in shares]
    assert careful.predict(X).tolist() == expected
    assert [careful.predict(row[None])[0] for row in X[:20]] == expected[:20]
    assert from_bytes(to_bytes(careful)).predict(X).tolist() == expected
    out = careful.oob_decision_function_
    said = measure_out_of_bag(careful, y, "accuracy").answers.predicted
    assert np.array_equal(said, np.where(out[:, 1] < 5 * out[:, 0], 0, 1))
    assert np.array_equal(careful.set_params(costs=None).fit(X, y).predict(X), plain.predict(X))
    with pytest.raises(ParameterError, match="costs"):
        ExtraTreesClassifier(costs=np.ones((3, 3))).fit(X, y)
    with pytest.raises(ParameterError, match="costs must be None where y has several columns"):
        RandomForestClassifier(costs={("ill", "well"): 5}).fit(X, np.column_stack([y, y]))


def test_a_single_row_which_every_tree_draws_ends_the_growth_of_auto():
    forest = RandomForestClassifier(n_estimators="auto", random_state=0).fit([[1.0, 2.0]], ["a"])
    assert forest.trees_.n_trees == 100
    assert forest.predict([[5.0, 5.0]]).tolist() == ["a"]
