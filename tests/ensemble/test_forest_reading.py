"""What forests say about columns and rows: importances, proximities, quantiles, how alike trees are."""

import numpy as np
import pytest

from margin import DecisionTreeClassifier, ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor
from margin.data import catalog
from margin.ensemble import forest_variance
from margin.ensemble.forest.importances import associations
from margin.ensemble.forest.quantiles import leaf_weights, weighted_quantiles
from margin.ensemble.forest.rows_again import rows_again
from margin.errors import DataError, InputError, LabelError, ParameterError
from tests.ensemble.single_trees import draws_of


def rows(n=300, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 4))
    return X, (X[:, 0] + X[:, 1] ** 2 > 1).astype(int)


def test_rows_given_again_were_drawn_as_they_were():
    X, y = rows(80)
    model = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    drawn = rows_again(model, X, y, None, "importances").drawn()
    for t in range(5):
        np.testing.assert_array_equal(drawn[t], draws_of(int(model._seed[0]), t, 80, 80)[1])
    np.testing.assert_array_equal((drawn == 0).sum(axis=0), model._oob_counts)
    weight = np.ones(80)
    weight[3:6] = [2, 0, 3]
    weighed = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y, weight)
    drawn = rows_again(weighed, X, y, weight, "importances").drawn()
    assert drawn.sum(axis=1).tolist() == [82] * 5
    np.testing.assert_array_equal((drawn == 0).sum(axis=0), weighed._oob_counts)


def permuted_slowly(model, X, y, of_classes):
    """By the definition, with the random numbers of the core: stream t d + j shuffles from the end."""
    from margin.random import seed_for

    seed = seed_for(int(model._seed[0]) >> 1, "permutation")
    drawn = rows_again(model, X, y, None, "importances").drawn()
    n_trees, d = model.trees_.n_trees, X.shape[1]
    found = np.zeros((n_trees, d))
    for t in range(n_trees):
        out = np.flatnonzero(drawn[t] == 0)
        asked = {int(c) for c in model.trees_.column[model.trees_.start[t] : model.trees_.start[t + 1]] if c >= 0}
        for j in asked:
            raw = np.random.Philox(key=seed, counter=[0, 0, t * d + j, 0])
            order = np.arange(len(out))
            for i in range(len(out), 1, -1):
                product = int(raw.random_raw()) * i
                while product % 2**64 < 2**64 % i:
                    product = int(raw.random_raw()) * i
                k = product >> 64
                order[[i - 1, k]] = order[[k, i - 1]]
            changed = X[out].copy()
            changed[:, j] = changed[order, j]
            before, after = (model._votes_of(rows, "predict")[:, t] for rows in (X[out], changed))
            if of_classes:
                found[t, j] = (after.argmax(axis=1) != y[out]).mean() - (before.argmax(axis=1) != y[out]).mean()
            else:
                found[t, j] = ((after[:, 0] - y[out]) ** 2).mean() - ((before[:, 0] - y[out]) ** 2).mean()
    return found


@pytest.mark.parametrize("of_classes", [True, False])
def test_permutation_importances_are_those_of_the_definition(of_classes):
    X, y = rows(120)
    model = (RandomForestClassifier if of_classes else RandomForestRegressor)(n_estimators=6, random_state=0)
    targets = y if of_classes else X[:, 0] + y
    model.fit(X, targets)
    found = model.importances(X, targets)
    slow = permuted_slowly(model, X, targets, of_classes)
    np.testing.assert_allclose(found.mean, slow.mean(axis=0), rtol=1e-9, atol=1e-12)
    half = 2.570581835636314 * slow.std(axis=0, ddof=1) / np.sqrt(6)  # t of 5 degrees of freedom, .975
    np.testing.assert_allclose(found.high - found.mean, half, rtol=1e-6, atol=1e-12)


def test_many_values_without_use_have_no_importance_by_permutation():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    X = np.column_stack([np.where(rng.random(400) < 0.8, y, 1 - y), rng.normal(size=400)])
    model = RandomForestClassifier(random_state=0, max_features=1).fit(X, y)
    assert model.importances(kind="impurity").mean[1] > 0.3  # as impurity has it
    found = model.importances(X, y)
    assert found.low[0] > 0.1
    assert found.mean[1] < found.mean[0] / 5


def test_conditional_importance_of_a_column_that_only_goes_with_another_is_small():
    rng = np.random.default_rng(0)
    cause = rng.normal(size=800)
    X = np.column_stack([cause, cause + 0.3 * rng.normal(size=800), rng.normal(size=800)])
    y = cause + 0.5 * X[:, 2]
    model = RandomForestRegressor(random_state=0, max_features=1).fit(X, y)
    plain, conditional = (model.importances(X, y, kind=kind).mean for kind in ("permutation", "conditional"))
    assert plain[1] > 0.2 * plain[0]
    assert conditional[1] / conditional[0] < plain[1] / plain[0]
    # A column that goes with no other keeps its importance to the bit but for the numbers that permute it.
    assert conditional[2] == pytest.approx(plain[2], rel=0.1)


def test_importances_of_words_with_missing_cells_keep_the_order_of_the_table():
    X, y = catalog.load("credit").target(catalog.card("credit").target)
    model = RandomForestClassifier(n_estimators=40, random_state=0).fit(X, y)
    one, two = (model.set_params(n_jobs=n).importances(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.mean, two.mean)
    assert one.names == tuple(model.feature_names_in_)
    assert "[" in one.text()
    conditional = model.importances(X, y, kind="conditional")
    assert np.isfinite(conditional.mean).all()


def test_associations_are_between_0_and_1_and_find_what_goes_together():
    X, y = catalog.load("credit").target(catalog.card("credit").target)
    model = RandomForestClassifier(n_estimators=2, random_state=0).fit(X, y)
    found = associations(model._encoded(X, "importances"))
    assert ((found >= 0) & (found <= 1 + 1e-12)).all()
    np.testing.assert_array_equal(found, found.T)


def test_importances_refuse_what_they_cannot_tell():
    X, y = rows(60)
    model = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    with pytest.raises(InputError, match="rows of fit"):
        model.importances()
    with pytest.raises(ParameterError, match="kind must be one of"):
        model.importances(X, y, kind="gini")
    with pytest.raises(DataError, match="the rows must be the 60"):
        model.importances(X[:50], y[:50])
    with pytest.raises(LabelError, match="classes of fit"):
        model.importances(X, y + 5)
    with pytest.raises(ParameterError, match="bootstrap"):
        ExtraTreesClassifier(n_estimators=3).fit(X, y).importances(X, y)


def test_proximities_are_shares_of_common_leaves():
    X, y = rows(50)
    model = RandomForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    leaves = model.apply(X)
    near = model.proximities(X)
    assert near[3, 7] == np.mean(leaves[3] == leaves[7])
    assert (np.diag(near) == 1).all()
    np.testing.assert_array_equal(near, near.T)
    np.testing.assert_array_equal(model.proximities(X[:5], X), near[:5])
    out = rows_again(model, X, y, None, "importances").drawn() == 0
    both = out[:, 3] & out[:, 7]
    expected = np.mean(leaves[3, both] == leaves[7, both])
    assert model.proximities_out_of_bag(X, y)[3, 7] == pytest.approx(expected)


def test_a_row_of_the_wrong_class_is_an_outlier():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(60, 3)), rng.normal(6, 1, size=(60, 3))])
    y = np.repeat([0, 1], 60)
    y[5] = 1
    found = RandomForestClassifier(random_state=0, min_samples_leaf=3).fit(X, y).outliers(X, y)
    assert found.argmax() == 5
    assert found[5] > 10


def test_quantiles_are_those_of_the_weighted_targets():
    X, _ = rows(90)
    y = X[:, 0] * 2
    model = RandomForestRegressor(n_estimators=8, random_state=0).fit(X, y)
    leaves = model.apply(X)
    weight = leaf_weights(leaves[:4], leaves, np.ones(90))
    for i in range(4):
        slow = np.zeros(90)
        for t in range(8):
            mates = leaves[:, t] == leaves[i, t]
            slow[mates] += 1 / mates.sum() / 8
        np.testing.assert_allclose(weight[i], slow, rtol=1e-12)
    found = model.predict_quantiles(X[:4], [0.1, 0.5, 1.0], trained_on=(X, y))
    np.testing.assert_array_equal(found, weighted_quantiles(y, weight, np.array([0.1, 0.5, 1.0])))
    assert (np.diff(found, axis=1) >= 0).all()


def test_intervals_by_quantiles_cover_about_as_often_as_they_say():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(1200, 2))
    y = X[:, 0] + (0.1 + X[:, 1]) * rng.normal(size=1200)
    model = RandomForestRegressor(random_state=0, min_samples_leaf=20).fit(X[:800], y[:800])
    low, high = model.predict_quantiles(X[800:], [0.05, 0.95], trained_on=(X[:800], y[:800])).T
    assert np.mean((low <= y[800:]) & (y[800:] <= high)) == pytest.approx(0.9, abs=0.05)
    with pytest.raises(ParameterError, match="quantiles must be numbers"):
        model.predict_quantiles(X, [1.5], trained_on=(X[:800], y[:800]))


def test_strength_and_correlation_by_their_definition():
    X, y = rows(150)
    model = RandomForestClassifier(n_estimators=30, random_state=0).fit(X, y)
    found = model.strength(X, y)
    out = rows_again(model, X, y, None, "strength").drawn().T == 0
    votes = model._votes_of(X, "predict").argmax(axis=2)
    right = np.array([np.mean(votes[i, out[i]] == y[i]) for i in range(150)])
    margin = 2 * right - 1  # two classes: all other votes are for the one other
    assert found.strength == pytest.approx(margin.mean())
    spread = np.mean([np.sqrt(1 - (2 * np.mean(votes[out[:, t], t] == y[out[:, t]]) - 1) ** 2) for t in range(30)])
    assert found.correlation == pytest.approx(margin.var() / spread**2)
    assert model.oob_error_[-1] <= found.error_bound


@pytest.mark.golden("G4")
def test_the_variance_of_forests_is_that_of_the_formula():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5))
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=600)
    found = forest_variance(
        RandomForestRegressor(), X, y, X[:100], n_trees=(1, 3, 10, 60), n_repeats=30, random_state=0
    )
    assert 0 < found.correlation < 0.6
    np.testing.assert_allclose(found.predicted, found.simulated, rtol=0.12)
    assert found.simulated[0] > 2 * found.simulated[-1]
    assert found.predicted[0] == pytest.approx(found.variance)
    all_columns = forest_variance(
        RandomForestRegressor(max_features=None), X, y, X[:100], n_trees=(1, 60), n_repeats=15, random_state=0
    )
    assert all_columns.correlation > found.correlation  # what drawing columns is for


@pytest.mark.golden("G3")
def test_3_of_103_columns_matter_and_small_draws_cost_the_forest_most_of_its_lead():
    """Errors of a single tree, of a forest that draws 10 columns, and of one that looks at all: about .16, .13, .09."""
    errors = []
    for seed in range(3):
        X = np.random.default_rng(seed).normal(size=(1200, 103))
        y = (X[:, :3].sum(axis=1) > 0).astype(int)
        models = (
            DecisionTreeClassifier(),
            RandomForestClassifier(max_features=10, random_state=0),
            RandomForestClassifier(max_features=None, random_state=0),
        )
        errors.append([1 - model.fit(X[:600], y[:600]).score(X[600:], y[600:]) for model in models])
        found = models[1].importances(X[:600], y[:600])
        assert sorted(np.argsort(-found.mean)[:3].tolist()) == [0, 1, 2]
    tree, few, all_columns = np.mean(errors, axis=0)
    assert all_columns < few - 0.02
    assert few < tree
