"""margin.linear.online.adaline: by hand, against slow definitions, least squares, steps that are too long, streams."""

import warnings
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import SGDRegressor

import margin
from margin.data import catalog
from margin.errors import ConvergenceWarning, DataWarning, ParameterError
from margin.linear.online import squared_error as squares
from margin.linear.online.squared_error import squared_errors

#: Figures worked out from the columns as they are.
Adaline = partial(margin.Adaline, scale=None)


def problem(seed, n=80, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 0.5
    return X, X @ rng.normal(size=d) + rng.normal(size=n) > 0


def with_constant(X):
    return np.column_stack([X, np.ones(len(X))])


def weights(model):
    return np.column_stack([model.coef_, model.intercept_])


@pytest.fixture
def unfinished():
    """Few epochs are meant."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


# by hand


def test_the_first_batch_step_goes_along_the_mean_of_targets_times_rows(unfinished):
    X, y = [[1.0, 0.0], [0.0, 2.0], [3.0, 1.0], [0.0, 0.0]], [1, 0, 1, 0]
    model = Adaline(eta0=0.1, max_iter=1).fit(X, y)
    # mean of y x = ((1 + 3) / 4, (-2 + 1) / 4), mean of y = 0
    assert model.coef_[0] == pytest.approx([0.1, -0.025])
    assert model.intercept_ == pytest.approx([0.0])
    errors = np.array([1 - 0.1, -1 + 0.05, 1 - 0.275, -1])
    assert model.loss_curve_ == pytest.approx([(errors**2).mean() / 2])
    assert (model.n_iter_, model.eta_) == (1, 0.1)


def test_a_stochastic_step_follows_each_row(unfinished):
    model = Adaline(method="stochastic", eta0=0.5, max_iter=1, shuffle=False).fit([[1.0], [2.0]], [1, 0])
    # f = 0, error -1: w = .5, b = .5; then f = 1.5, error 2.5: w = .5 - .5 * 2.5 * 2, b = .5 - 1.25
    assert weights(model)[0] == pytest.approx([-2.0, -0.75])
    assert model.loss_curve_ == pytest.approx([(1 + 2.5**2) / 4])


def test_two_rows_are_answered_by_their_signs():
    model = Adaline().fit([[0.0], [2.0]], ["no", "yes"])
    assert model.predict([[0.9], [1.1]]).tolist() == ["no", "yes"]
    assert not hasattr(model, "predict_proba")


# slow definitions


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.booleans(), st.integers(1, 6))
def test_batches_agree_with_the_definition(seed, intercept, epochs):
    X, y = problem(seed)
    weight = np.random.default_rng(seed).random(len(X)) + 0.1
    Z, t = with_constant(X) if intercept else X, np.where(y, 1.0, -1.0)
    v, losses = np.zeros(Z.shape[1]), []
    for _ in range(epochs):
        v = v - 0.05 * Z.T @ (weight * (Z @ v - t)) / weight.sum()
        losses.append(weight @ (Z @ v - t) ** 2 / weight.sum() / 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = Adaline(eta0=0.05, max_iter=epochs, tol=0.0, fit_intercept=intercept).fit(X, y, weight)
    np.testing.assert_allclose(model.coef_[0], v[:3], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.intercept_[0], v[3] if intercept else 0, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.loss_curve_, losses, rtol=1e-9)


@pytest.mark.parametrize("size", [1, 7, 80])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_rows_and_small_batches_agree_with_the_definition(size, make, unfinished):
    X, y = problem(1)
    Z, t, v = with_constant(X), np.where(y, 1.0, -1.0), np.zeros(4)
    for _ in range(3):
        for first in range(0, 80, size):
            rows = slice(first, first + size)
            v = v - 0.02 * (Z[rows].T @ (Z[rows] @ v - t[rows])) / len(t[rows])
    model = Adaline(method="stochastic", eta0=0.02, batch_size=size, shuffle=False, max_iter=3).fit(make(X), y)
    np.testing.assert_allclose(weights(model)[0], v, rtol=1e-9)


def test_a_batch_of_all_rows_is_a_batch_step(unfinished):
    X, y = problem(2)
    small = Adaline(method="stochastic", eta0=0.1, batch_size=80, shuffle=False, max_iter=10).fit(X, y)
    np.testing.assert_allclose(weights(small), weights(Adaline(eta0=0.1, max_iter=10, tol=0.0).fit(X, y)), rtol=1e-9)


def test_sums_over_rows_and_rows_themselves_give_the_same_epochs(monkeypatch, unfinished):
    X, y = problem(3)
    y = y.astype(int) + (X[:, 0] > 1)
    expected = Adaline(eta0=0.1, max_iter=50).fit(X, y)
    monkeypatch.setattr(squares, "FEW_COLUMNS", 0)
    for rows in (X, sp.csr_array(X)):
        model = Adaline(eta0=0.1, max_iter=50).fit(rows, y)
        np.testing.assert_allclose(weights(model), weights(expected), rtol=1e-9)
        np.testing.assert_allclose(model.loss_curve_, expected.loss_curve_, rtol=1e-9)


def test_the_largest_curvature_is_the_largest_eigenvalue():
    X, y = problem(4, 200, 6)
    share = np.full(200, 1 / 200)
    Z = with_constant(X)
    found = squared_errors(X, y.astype(np.int32), share, 1, True).largest_curvature()
    assert found == pytest.approx(np.linalg.eigvalsh(Z.T @ Z / 200)[-1], rel=1e-3)


# least squares


@pytest.mark.parametrize("seed", range(5))
def test_batches_come_to_least_squares(seed):
    X, y = problem(seed)
    best = np.linalg.lstsq(with_constant(X), np.where(y, 1.0, -1.0), rcond=None)[0]
    model = Adaline(tol=1e-15, max_iter=20_000).fit(X, y)
    np.testing.assert_allclose(weights(model)[0], best, rtol=1e-5, atol=1e-6)
    assert (np.diff(model.loss_curve_) < 1e-12).all()


def test_several_classes_come_to_least_squares_each():
    X, _ = problem(5, 120)
    y = np.argmax(X, axis=1)
    model = Adaline(tol=1e-15, max_iter=50_000).fit(X, y)
    T = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    best = np.linalg.lstsq(with_constant(X), T, rcond=None)[0].T
    np.testing.assert_allclose(weights(model), best, rtol=1e-4, atol=1e-5)
    assert np.array_equal(model.predict(X), (with_constant(X) @ best.T).argmax(axis=1))


def test_stochastic_descent_stays_near_least_squares():
    X, y = problem(6, 2000)
    best = np.linalg.lstsq(with_constant(X), np.where(y, 1.0, -1.0), rcond=None)[0]
    lowest = ((with_constant(X) @ best - np.where(y, 1.0, -1.0)) ** 2).mean() / 2
    for size in (1, 16):
        model = Adaline(method="stochastic", batch_size=size, random_state=0).fit(X, y)
        loss = ((with_constant(X) @ weights(model)[0] - np.where(y, 1.0, -1.0)) ** 2).mean() / 2
        assert lowest < loss < 1.1 * lowest


def test_row_by_row_is_the_regressor_of_scikit_learn(unfinished):
    X, y = problem(7)
    theirs = SGDRegressor(
        penalty=None, learning_rate="constant", eta0=0.01, shuffle=False, max_iter=4, tol=None, average=False
    ).fit(X, np.where(y, 1.0, -1.0))
    ours = Adaline(method="stochastic", eta0=0.01, shuffle=False, max_iter=4).fit(X, y)
    np.testing.assert_allclose(ours.coef_[0], theirs.coef_, rtol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9)


# steps that are too long


@pytest.mark.parametrize("seed", range(4))
def test_the_longest_stable_step_is_where_batches_begin_to_grow(seed):
    X, y = problem(seed)
    Z = with_constant(X)
    stable = 2 / np.linalg.eigvalsh(Z.T @ Z / len(Z))[-1]
    assert (np.diff(Adaline(eta0=0.98 * stable, tol=1e-4).fit(X, y).loss_curve_) < 0).all()
    with pytest.warns(ConvergenceWarning, match="the loss grew") as told:
        model = Adaline(eta0=1.02 * stable, tol=0.0, max_iter=5000).fit(X, y)
    named = float(str(told[0].message).split("about ")[1].split(" ")[0])
    assert named == pytest.approx(stable, rel=0.01)
    assert "eta0='auto'" in str(told[0].message)
    assert np.isfinite(weights(model)).all()
    assert model.loss_curve_[-1] > model.loss_curve_[-2]
    last = ((Z @ weights(model)[0] - np.where(y, 1, -1)) ** 2).mean() / 2
    assert last == pytest.approx(model.loss_curve_[-2])  # the weights before the loss grew


@pytest.mark.parametrize("eta0", [3.0, 1e6, 1e300])
def test_rows_that_leave_all_bounds_are_found_out(eta0):
    X, y = problem(8)
    for size in (1, 8):
        with pytest.warns(ConvergenceWarning, match="longest stable one is about"):
            model = Adaline(method="stochastic", eta0=eta0, batch_size=size, random_state=0).fit(X, y)
        assert np.isfinite(weights(model)).all()


@pytest.mark.parametrize("unit", [1e-90, 1e-3, 1e5, 1e90])
def test_the_step_chosen_by_itself_is_stable_whatever_the_unit(unit, unfinished):
    X, y = problem(9)
    for method in ("batch", "stochastic"):
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message=".*grew.*")
            warnings.filterwarnings("ignore", message=".*only numbers below.*", category=DataWarning)
            model = Adaline(method=method, random_state=0, max_iter=50).fit(X * unit, y)
        assert model.loss_curve_[-1] < (0.5 if method == "batch" else 0.6)
        assert np.isfinite(weights(model)).all()


def test_too_few_epochs_are_told_with_what_to_do():
    X, y = problem(10)
    with pytest.warns(ConvergenceWarning, match=r"last of 3 epochs still lowered.*scale='standard'.*max_iter=12"):
        Adaline(max_iter=3).fit(X, y)


def test_advice_is_not_what_is_set_already():
    X, y = problem(10)
    with pytest.warns(ConvergenceWarning) as told:
        margin.Adaline(max_iter=3).fit(X, y)
    assert "scale=" not in str(told[0].message)
    with pytest.warns(ConvergenceWarning) as told:
        margin.Adaline(eta0=100.0).fit(X, y)
    assert "scale=" not in str(told[0].message)


@pytest.mark.parametrize(("name", "target"), [("iris", "class"), ("credit", "risk")])
def test_the_default_comes_to_the_end_on_ordinary_tables(name, target):
    X, y = catalog.load(name).target(target)
    model = margin.Adaline().fit(X, y)  # a warning would be an error here
    finer = margin.Adaline(tol=1e-9, max_iter=100_000).fit(X, y)
    assert model.loss_curve_[-1] <= 1.002 * finer.loss_curve_[-1]


def test_columns_of_very_different_size_do_not_lose_to_the_majority():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3)) * [1, 1e3, 1e6] + [0, 0, 5e6]
    y = X[:, 0] > 0.3
    assert (margin.Adaline().fit(X, y).predict(X) == y).mean() > 0.95


# streams and weights


def test_parts_take_one_epoch_each(unfinished):
    X, y = problem(11)
    whole = Adaline(method="stochastic", eta0=0.02, shuffle=False, max_iter=1).fit(X, y)
    parts = Adaline(method="stochastic", eta0=0.02)
    for first in range(0, 80, 20):
        parts.partial_fit(X[first : first + 20], y[first : first + 20], classes=[False, True])
    np.testing.assert_allclose(weights(parts), weights(whole), rtol=1e-12)
    assert len(parts.loss_curve_) == parts.n_iter_ == 4
    batch = Adaline(eta0=0.1)
    for _ in range(5):
        batch.partial_fit(X, y)
    np.testing.assert_allclose(weights(batch), weights(Adaline(eta0=0.1, max_iter=5, tol=0.0).fit(X, y)), rtol=1e-9)


def test_parts_choose_the_step_at_the_first_call_and_keep_it():
    X, y = problem(12)
    model = Adaline(method="stochastic").partial_fit(X[:40], y[:40], classes=[False, True])
    step = model.eta_
    assert model.partial_fit(X[40:] * 3, y[40:]).eta_ == step > 0


def test_a_part_that_leaves_all_bounds_is_thrown_away():
    X, y = problem(13)
    model = Adaline(method="stochastic", eta0=0.1).partial_fit(X, y)
    before = weights(model)
    with pytest.warns(ConvergenceWarning, match="thrown away"):
        model.partial_fit(X * 1e8, y)
    assert np.array_equal(weights(model), before)


@pytest.mark.parametrize("method", ["batch", "stochastic"])
def test_whole_number_weights_are_repeated_rows(method, unfinished):
    X, y = problem(14)
    weight = np.random.default_rng(0).integers(1, 4, 80)
    given = {"method": method, "max_iter": 20, "shuffle": False}
    repeated = Adaline(**given).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weights(Adaline(**given).fit(X, y, weight)), weights(repeated), rtol=1e-9)


def test_class_weights_multiply_errors(unfinished):
    X, y = problem(15)
    weighted = Adaline(class_weight={False: 1.0, True: 5.0}).fit(X, y)
    expected = Adaline().fit(X, y, np.where(y, 5.0, 1.0))
    np.testing.assert_allclose(weights(weighted), weights(expected))


def test_float32_rows_are_learnt_as_they_are(unfinished):
    X, y = problem(16)
    X = X.astype(np.float32)
    for method in ("batch", "stochastic"):
        given = {"method": method, "max_iter": 20, "shuffle": False}
        expected = weights(Adaline(**given).fit(X.astype(float), y))
        np.testing.assert_allclose(weights(Adaline(**given).fit(X, y)), expected, rtol=1e-9)


def test_impossible_steps_are_refused():
    with pytest.raises(ParameterError, match="eta0 must be"):
        Adaline(eta0=0.0).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ParameterError, match="eta0 must be"):
        Adaline(eta0="fast").fit([[0.0], [1.0]], [0, 1])
