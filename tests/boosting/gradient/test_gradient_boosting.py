"""Gradient boosting: what must hold whatever the rows are."""

import warnings

import numpy as np
import pytest

from margin import GradientBoostingClassifier, GradientBoostingRegressor
from margin.errors import DataError, DataWarning, ParameterError

ARRAYS = ("nodes", "start", "words", "gain", "cover", "base")


def _classes(n, seed=0, d=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[rng.uniform(size=X.shape) < 0.05] = np.nan
    f = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) * np.nan_to_num(X[:, 2])
    return X, (f + rng.logistic(size=n) * 0.5 > 0).astype(int)


def _same(a, b):
    return all(np.array_equal(getattr(a.trees_, name), getattr(b.trees_, name)) for name in ARRAYS)


def _log_loss(model, X, y):
    return float(-np.log(model.predict_proba(X)[np.arange(len(y)), y]).mean())


@pytest.mark.parametrize("n", [3_000, 40_000])
def test_the_model_does_not_depend_on_the_number_of_threads(n):
    X, y = _classes(n)
    models = [GradientBoostingClassifier(n_estimators=5, random_state=0, n_jobs=jobs).fit(X, y) for jobs in (1, 2, 3)]
    assert _same(models[0], models[1])
    assert _same(models[0], models[2])


def test_weights_are_repeated_rows_to_the_bit():
    X, y = _classes(400)
    X = X.round(1)  # fewer different numbers than bins
    times = np.random.default_rng(1).integers(1, 4, size=len(y))
    for loss in ("log_loss", "exponential"):
        model = GradientBoostingClassifier(n_estimators=8, loss=loss)
        weighted = GradientBoostingClassifier(n_estimators=8, loss=loss).fit(X, y, times.astype(float))
        assert _same(weighted, model.fit(np.repeat(X, times, axis=0), np.repeat(y, times)))


def test_the_order_of_few_rows_does_not_matter():
    X, y = _classes(500)
    order = np.random.default_rng(2).permutation(len(y))
    one, other = (GradientBoostingClassifier(n_estimators=8) for _ in range(2))
    assert _same(one.fit(X, y), other.fit(X[order], y[order]))


def test_coarse_gradients_lose_nothing_that_can_be_measured():
    X, y = _classes(24_000, 3)
    known, new = slice(0, 16_000), slice(16_000, None)
    settings = {"n_estimators": 60, "early_stopping": False, "random_state": 0}
    fine = GradientBoostingClassifier(**settings).fit(X[known], y[known])
    # The same rows with one more stand on the coarse grid: above 16384 rows.
    more = np.r_[np.arange(16_000), np.arange(400)]
    coarse = GradientBoostingClassifier(**settings).fit(X[more], y[more])
    assert abs(_log_loss(fine, X[new], y[new]) - _log_loss(coarse, X[new], y[new])) < 0.005


def test_missing_cells_go_where_they_gain_more():
    x = np.array([1.0] * 30 + [2.0] * 30 + [np.nan] * 30)
    for low in (0.0, 10.0):
        y = np.r_[np.zeros(30), np.full(30, 10.0), np.full(30, low)]
        model = GradientBoostingRegressor(n_estimators=1, learning_rate=1.0, l2=0.0).fit(x[:, None], y)
        np.testing.assert_allclose(model.predict([[1.0], [2.0], [np.nan]]), [0.0, 10.0, low], atol=1e-9)


def test_a_column_may_say_something_by_being_missing_alone():
    x = np.r_[np.full(40, 3.0), np.full(40, np.nan)]
    y = np.r_[np.zeros(40), np.ones(40)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = GradientBoostingRegressor(n_estimators=1, learning_rate=1.0, l2=0.0).fit(x[:, None], y)
    np.testing.assert_allclose(model.predict([[3.0], [np.nan], [99.0]]), [0.0, 1.0, 0.0], atol=1e-12)


@pytest.mark.parametrize("growth", ["leaf", "depth"])
def test_the_answer_rises_where_it_must(growth):
    rng = np.random.default_rng(4)
    X = rng.uniform(-2, 2, size=(800, 3))
    y = X[:, 0] + np.sin(4 * X[:, 0]) + X[:, 1] ** 2 + rng.normal(size=800) * 0.3
    settings = {"n_estimators": 50, "growth": growth, "learning_rate": 0.3}
    free = GradientBoostingRegressor(**settings).fit(X, y)
    bound = GradientBoostingRegressor(monotonic_cst=[1, 0, -1], **settings).fit(X, y)
    grid = np.linspace(-2, 2, 201)
    for at in rng.uniform(-2, 2, size=(20, 3)):
        for column, sign in ((0, 1), (2, -1)):
            line = np.tile(at, (len(grid), 1))
            line[:, column] = grid
            assert (sign * np.diff(bound.predict(line)) >= -1e-9).all()
    line = np.zeros((len(grid), 3))
    line[:, 0] = grid
    assert (np.diff(free.predict(line)) < -1e-9).any()  # else nothing was bound


def test_boosting_stops_at_the_smallest_loss_of_the_rows_held_back():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(600, 5))
    y = (X[:, 0] + rng.logistic(size=600) * 2 > 0).astype(int)
    model = GradientBoostingClassifier(n_estimators=300, early_stopping=True, random_state=0).fit(X, y)
    assert model.n_estimators_ == int(model.validation_loss_.argmin()) + 1
    assert len(model.validation_loss_) < 300
    assert len(list(model.staged_predict(X))) == model.n_estimators_


def test_growing_on_is_growing_at_once():
    X, y = _classes(600)
    for settings in ({}, {"subsample": 0.5, "max_features": 0.5}):
        at_once = GradientBoostingClassifier(n_estimators=12, random_state=0, **settings).fit(X, y)
        model = GradientBoostingClassifier(n_estimators=5, random_state=0, warm_start=True, **settings).fit(X, y)
        assert _same(model.set_params(n_estimators=12).fit(X, y), at_once)
    with pytest.raises(ParameterError, match="must not be below the 12 rounds"):
        model.set_params(n_estimators=3).fit(X, y)
    with pytest.raises(DataError, match="those that the trees grew from"):
        model.set_params(n_estimators=20).fit(X, 1 - np.minimum(y, np.arange(len(y)) > 30))


def test_the_last_stage_is_the_answer():
    X, y = _classes(300)
    for model in (GradientBoostingClassifier(n_estimators=5), GradientBoostingRegressor(n_estimators=5)):
        *_, last = model.fit(X, y).staged_predict(X)
        np.testing.assert_array_equal(last, model.predict(X))
        np.testing.assert_array_equal([model.predict(row[None])[0] for row in X[:20]], last[:20])


@pytest.mark.parametrize("settings", [{"subsample": 0.5}, {"subsample": 0.2, "top_rate": 0.2}, {"max_features": 0.5}])
def test_drawing_rows_and_columns_still_learns(settings):
    X, y = _classes(3_000)
    plain = GradientBoostingClassifier(n_estimators=40).fit(X[:2000], y[:2000])
    model = GradientBoostingClassifier(n_estimators=40, random_state=0, **settings).fit(X[:2000], y[:2000])
    again = GradientBoostingClassifier(n_estimators=40, random_state=0, n_jobs=1, **settings).fit(X[:2000], y[:2000])
    assert _same(model, again)
    assert not _same(model, plain)
    assert _log_loss(model, X[2000:], y[2000:]) < _log_loss(plain, X[2000:], y[2000:]) + 0.05


def test_a_median_is_not_moved_by_outliers():
    rng = np.random.default_rng(6)
    X = rng.uniform(size=(500, 1))
    y = (X[:, 0] > 0.5) * 4.0 + rng.normal(size=500) * 0.1
    y[::10] += 1e6
    for loss in ("absolute_error", "huber"):
        model = GradientBoostingRegressor(loss=loss, alpha=0.85, n_estimators=100).fit(X, y)
        np.testing.assert_allclose(model.predict([[0.25], [0.75]]), [0.0, 4.0], atol=0.6)


def test_quantiles_lie_where_they_say():
    rng = np.random.default_rng(7)
    X = rng.uniform(size=(4_000, 1))
    y = X[:, 0] * rng.normal(size=4_000)
    for alpha in (0.1, 0.9):
        model = GradientBoostingRegressor(loss="quantile", alpha=alpha).fit(X[:3000], y[:3000])
        assert np.mean(y[3000:] <= model.predict(X[3000:])) == pytest.approx(alpha, abs=0.04)


def _tables():
    rng = np.random.default_rng(8)
    yield "constant", np.ones((40, 2)), rng.integers(0, 2, 40)
    yield "ten rows", rng.normal(size=(10, 3)), np.r_[np.zeros(6), np.ones(4)].astype(int)
    yield "more columns than rows", rng.normal(size=(30, 200)), np.r_[np.zeros(20), np.ones(10)].astype(int)
    yield "a class of three", rng.normal(size=(100, 3)), np.r_[np.zeros(60), np.ones(37), np.full(3, 2)].astype(int)
    yield "one class", rng.normal(size=(20, 2)), np.zeros(20, int)
    yield "two rows", np.array([[0.0], [1.0]]), np.array([0, 1])
    yield "all missing", np.full((30, 2), np.nan), np.r_[np.zeros(20), np.ones(10)].astype(int)


@pytest.mark.parametrize(("name", "X", "y"), list(_tables()), ids=[name for name, *_ in _tables()])
@pytest.mark.parametrize("early_stopping", [False, True])
def test_no_table_is_answered_worse_than_by_the_majority(name, X, y, early_stopping):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = GradientBoostingClassifier(early_stopping=early_stopping, random_state=0).fit(X, y)
        assert model.score(X, y) >= np.bincount(y).max() / len(y)
        shares = model.predict_proba(X)
        values = GradientBoostingRegressor(early_stopping=early_stopping, random_state=0).fit(X, y * 1.0).predict(X)
    assert np.isfinite(shares).all()
    assert np.allclose(shares.sum(axis=1), 1)
    if not early_stopping:
        assert np.mean((values - y) ** 2) <= np.var(y) + 1e-12


def test_very_many_levels_share_a_bin_and_are_still_told_apart():
    rng = np.random.default_rng(9)
    level = rng.integers(0, 1000, 20_000)
    worth = rng.normal(size=1000)
    y = worth[level] + rng.normal(size=20_000) * 0.3
    table = {"place": [f"p{k}" for k in level], "x": rng.normal(size=20_000)}
    with pytest.warns(DataWarning, match="very many levels"):
        model = GradientBoostingRegressor(n_estimators=100, early_stopping=False).fit(table, y)
    assert model.score(table, y) > 0.2  # 254 of 1000 levels have a bin of their own
    assert np.isfinite(model.predict({"place": ["never seen"], "x": [0.0]})).all()


def test_large_and_small_targets_are_learnt_alike():
    X, _ = _classes(300)
    y = np.nan_to_num(X[:, 0])
    plain = GradientBoostingRegressor(n_estimators=10).fit(X, y).predict(X)
    for unit in (2.0**200, 2.0**-200):
        found = GradientBoostingRegressor(n_estimators=10).fit(X, y * unit).predict(X)
        np.testing.assert_allclose(found / unit, plain, rtol=1e-9)


def test_what_does_not_fit_together_is_refused():
    X, y = _classes(60)
    three = np.arange(60) % 3
    with pytest.raises(ParameterError, match="two classes"):
        GradientBoostingClassifier(loss="exponential").fit(X, three)
    with pytest.raises(ParameterError, match="only the scores of two classes"):
        GradientBoostingClassifier(monotonic_cst=[1] * 6).fit(X, three)
    with pytest.raises(ParameterError, match="both shares together"):
        GradientBoostingClassifier(top_rate=0.5, subsample=0.6).fit(X, y)
    with pytest.raises(ParameterError, match="'x9' is not one of the columns"):
        GradientBoostingClassifier(monotonic_cst={"x9": 1}).fit(X, y)
    with pytest.raises(DataError, match="counts of at least 0"):
        GradientBoostingRegressor(loss="poisson").fit(X, y - 5.0)
    with pytest.raises(ParameterError, match="must be 'squared_error' where engine='exact'"):
        GradientBoostingRegressor(engine="exact", loss="huber").fit(X, y)
    with pytest.raises(ParameterError, match="a whole number from 2 to 65535"):
        GradientBoostingClassifier(max_bins=65536).fit(X, y)


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 8, 16])
def test_answers_are_those_after_the_last_round_for_any_number_of_classes(n_classes):
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(40 * n_classes, 3))
    y = np.arange(len(X)) % n_classes
    X[:, 0] += 3 * y
    model = GradientBoostingClassifier(n_estimators=5, min_samples_leaf=5).fit(X, y)
    *_, last = model.staged_predict_proba(X)
    assert np.array_equal(model.predict_proba(X), last)
    assert model.score(X, y) > 0.8
