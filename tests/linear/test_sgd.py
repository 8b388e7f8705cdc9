"""margin.linear.LinearSGD: worked by hand, against the rule written out row by row, then properties."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import margin._core as _core
from margin import LinearSGD
from margin.errors import ConvergenceWarning, InputError, ParameterError
from margin.random import seed_for
from tests.linear.online import whole_numbers

LOSSES = [name for name, _ in _core.linear.losses()]


@pytest.fixture(autouse=True)
def _few_epochs_need_not_settle():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def rows(seed, n=40, d=5, n_classes=2):
    X, y = whole_numbers(seed, n, d, n_classes, noise=2.0)
    return X / 4 + np.random.default_rng(seed).normal(size=X.shape) / 10, y


def slow_sgd(X, y, orders, loss, eta, alpha, l1_ratio=0.0, average_from=0, step=None):
    """Weights, their average and the losses before each row; L1 is the cumulative penalty, paid by all weights at once,
    and L2 shrinks what was paid and is owed along with the weights.

    ``eta`` gives the step for t = 1, 2, …; one score for two classes.
    """
    w, b, q, u, t = np.zeros(X.shape[1]), 0.0, np.zeros(X.shape[1]), 0.0, 1
    kept, curve = [], []
    for order in orders:
        losses = []
        for i in order:
            sign, weight = (1.0 if y[i] else -1.0), (1.0 if step is None else step[i])
            value, slope, _ = _core.linear.loss_at(loss, np.array([sign * (w @ X[i] + b)]))
            losses.append(weight * value[0])
            change = -eta(t) * weight * sign * slope[0]
            shrink = max(0.0, 1 - eta(t) * alpha * (1 - l1_ratio))
            w, u, q = shrink * w + change * X[i], shrink * u + l1_ratio * alpha * eta(t), shrink * q
            b += change
            before = w.copy()
            w = np.where(w > 0, np.maximum(0, w - (u + q)), np.where(w < 0, np.minimum(0, w + (u - q)), 0))
            q += w - before
            if average_from and t >= average_from:
                kept.append(np.append(w, b))
            t += 1
        penalty = alpha * ((1 - l1_ratio) / 2 * w @ w + l1_ratio * np.abs(w).sum())
        curve.append(np.sum(losses) / (len(order) if step is None else sum(step[i] for i in order)) + penalty)
    mean = np.mean(kept, axis=0) if kept else np.append(w, b)
    return mean[:-1], mean[-1], curve


def orders_of(n, epochs, shuffle=True, seed=3):
    key = seed_for(seed, "sgd", "order of rows")
    return [_core.linear.visits(n, key, number) if shuffle else range(n) for number in range(epochs)]


def fit(X, y, **given):
    weight = given.pop("sample_weight", None)
    return LinearSGD(**{"tol": None, "max_iter": 4, "random_state": 3, **given}).fit(X, y, weight)


# by hand


def test_one_row_by_hand():
    # constant step 1/2, hinge: the row (2, 0) of class +1 has margin 0 < 1, so that w = (1, 0), b = 1/2
    X, y = [[2.0, 0.0], [0.0, 4.0]], [1, 0]
    model = fit(X, y, loss="hinge", alpha=0.0, learning_rate="constant", eta0=0.5, max_iter=1, shuffle=False)
    # the second, of class -1, has margin -(0 + 1/2): w = (1, -2), b = 0
    assert (model.coef_.tolist(), model.intercept_.tolist()) == ([[1, -2]], [0])
    assert model.loss_curve_ == pytest.approx([(1 + 1.5) / 2])
    assert (model.n_iter_, model.t_) == (1, 3)


# the definition


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("sparse", [False, True])
def test_agrees_with_the_rule_row_by_row(loss, sparse):
    X, y = rows(1)
    X[np.random.default_rng(1).random(X.shape) < 0.4] = 0
    expected = slow_sgd(X, y, orders_of(40, 4), loss, lambda t: 0.05 / t**0.5, 0.01)
    model = fit(sp.csr_array(X) if sparse else X, y, loss=loss, alpha=0.01, learning_rate="invscaling", eta0=0.05)
    np.testing.assert_allclose(model.coef_[0], expected[0], rtol=1e-10)
    np.testing.assert_allclose(model.intercept_[0], expected[1], rtol=1e-10)
    np.testing.assert_allclose(model.loss_curve_, expected[2], rtol=1e-10)


@pytest.mark.parametrize(
    ("given", "eta"),
    [
        ({"learning_rate": "optimal", "alpha": 0.1}, lambda t: 1 / (0.1 * (1 / (0.1**-0.25 * 0.1) + t - 1))),
        ({"learning_rate": "constant", "eta0": 0.1, "alpha": 0.1}, lambda t: 0.1),
        ({"learning_rate": "invscaling", "eta0": 0.1, "power_t": 0.3, "alpha": 0.1}, lambda t: 0.1 / t**0.3),
        ({"learning_rate": "adaptive", "eta0": 0.1, "alpha": 0.1}, lambda t: 0.1),
        ({"learning_rate": "constant", "eta0": 0.1, "alpha": 11.0}, lambda t: 0.1),  # shrinks weights to nothing
    ],
    ids=["optimal", "constant", "invscaling", "adaptive", "strong"],
)
@pytest.mark.parametrize("l1_ratio", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("sparse", [False, True])
def test_steps_and_penalties_are_those_of_the_definition(given, eta, l1_ratio, sparse):
    X, y = rows(2)
    X[np.random.default_rng(2).random(X.shape) < 0.4] = 0
    coef, intercept, curve = slow_sgd(X, y, orders_of(40, 4, False), "log_loss", eta, given["alpha"], l1_ratio)
    model = fit(sp.csr_array(X) if sparse else X, y, l1_ratio=l1_ratio, shuffle=False, **given)
    np.testing.assert_allclose(model.coef_[0], coef, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.intercept_[0], intercept, rtol=1e-9)
    np.testing.assert_allclose(model.loss_curve_, curve, rtol=1e-9)


@pytest.mark.parametrize("average", [True, 50])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_average_is_that_of_the_weights_after_every_row(average, sparse):
    X, y = rows(3)
    coef, intercept, _ = slow_sgd(
        X, y, orders_of(40, 3), "hinge", lambda t: 0.1, 0.05, average_from=1 if average is True else average
    )
    given = {"loss": "hinge", "learning_rate": "constant", "eta0": 0.1, "alpha": 0.05, "average": average}
    model = fit(sp.csr_array(X) if sparse else X, y, max_iter=3, **given)
    np.testing.assert_allclose(model.coef_[0], coef, rtol=1e-9)
    np.testing.assert_allclose(model.intercept_[0], intercept, rtol=1e-9)
    assert fit(X, y, max_iter=3, **{**given, "average": 1000}).coef_.tolist() != model.coef_.tolist()


def test_weights_are_visits_or_multiply_the_step():
    X, y = rows(4)
    weight = np.random.default_rng(0).integers(0, 4, len(X))
    repeated = np.repeat(np.arange(len(X)), weight)
    assert np.array_equal(fit(X, y, sample_weight=weight).coef_, fit(X[repeated], y[repeated]).coef_)
    step = np.random.default_rng(0).random(len(X)) + 0.1
    for weights, settings_ in ((step, {}), (np.where(y == 1, 3.0, 1.0), {"class_weight": {1: 3}})):
        coef, _, curve = slow_sgd(X, y, orders_of(40, 4), "log_loss", lambda t: 0.05, 0.01, step=weights)
        given = {"learning_rate": "constant", "eta0": 0.05, "alpha": 0.01, **settings_}
        model = fit(X, y, sample_weight=None if settings_ else step, **given)
        np.testing.assert_allclose(model.coef_[0], coef, rtol=1e-9)
        np.testing.assert_allclose(model.loss_curve_, curve, rtol=1e-9)


def test_more_classes_are_learnt_one_against_the_rest():
    X, y = rows(5, n_classes=3)
    for chosen in ({}, {"average": True}, {"l1_ratio": 0.5, "alpha": 0.01}):
        model = fit(X, y, **chosen)
        alone = [fit(X, (y == k).astype(int), **chosen) for k in range(3)]
        np.testing.assert_allclose(model.coef_, np.vstack([one.coef_ for one in alone]), rtol=1e-12)
        np.testing.assert_allclose(model.loss_curve_, np.mean([one.loss_curve_ for one in alone], axis=0))
        shares = np.column_stack([one.predict_proba(X)[:, 1] for one in alone])
        np.testing.assert_allclose(model.predict_proba(X), shares / shares.sum(axis=1, keepdims=True))


# properties


@given(st.integers(0, 1000), st.sampled_from(LOSSES), st.sampled_from([2, 3]), st.booleans())
@settings(max_examples=40, deadline=None)
def test_rows_in_parts_are_one_epoch(seed, loss, n_classes, average):
    X, y = rows(seed, n_classes=n_classes)
    given = {"loss": loss, "average": average, "learning_rate": "invscaling", "alpha": 0.01, "shuffle": False}
    whole = fit(X, y, max_iter=1, **given)
    once = LinearSGD(**given).partial_fit(X, y)
    parts = LinearSGD(**given).partial_fit(X[:17], y[:17], classes=range(n_classes)).partial_fit(X[17:], y[17:])
    for model in (once, parts):
        np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-9)
        np.testing.assert_allclose(model.intercept_, whole.intercept_, rtol=1e-9)
    assert (once.t_, parts.t_) == (whole.t_, whole.t_)


@given(st.integers(0, 1000), st.sampled_from(["float32", "float64"]))
@settings(max_examples=20, deadline=None)
def test_sparse_rows_and_narrow_floats_give_the_same_weights(seed, dtype):
    X, y = whole_numbers(seed, noise=2.0)
    expected = fit(X, y, learning_rate="constant").coef_
    for form in (X.astype(dtype), sp.csr_array(X.astype(dtype))):
        assert np.array_equal(fit(form, y, learning_rate="constant").coef_, expected)


def test_epochs_in_parts_go_on_like_those_of_fit():
    X, y = rows(6)
    model = LinearSGD(random_state=3)
    for _ in range(4):
        model.partial_fit(X, y)
    whole = fit(X, y)
    assert np.array_equal(model.coef_, whole.coef_)
    assert np.array_equal(model.loss_curve_, whole.loss_curve_)


# stopping


def test_training_ends_when_the_objective_no_longer_falls():
    X, y = rows(7, n=200)
    model = LinearSGD(scale="standard", alpha=0.01, tol=1e-3, n_iter_no_change=3).fit(X, y)
    best = np.minimum.accumulate(model.loss_curve_)
    assert 3 < model.n_iter_ < 1000
    assert model.loss_curve_[-3:].min() >= best[-4] - 1e-3
    with pytest.warns(ConvergenceWarning, match=r"still fell by more than tol=0\.\d+ \(by up to .* after 2 epochs"):
        LinearSGD(max_iter=2).fit(X, y)


def test_an_adaptive_step_falls_before_training_ends():
    X, y = rows(8, n=200)
    given = {"eta0": 1.0, "tol": 1e-3, "n_iter_no_change": 2, "max_iter": 1000, "alpha": 1e-3}
    constant, adaptive = (fit(X, y, learning_rate=name, **given) for name in ("constant", "adaptive"))
    assert adaptive.n_iter_ > constant.n_iter_
    assert adaptive.loss_curve_[-1] < constant.loss_curve_[-1]


def test_rows_that_are_held_out_are_not_learnt_from():
    X, y = rows(9, n=100, n_classes=3)
    model = LinearSGD(early_stopping=True, validation_fraction=0.3, tol=1e-3, scale="standard").fit(X, y)
    assert model.t_ - 1 == model.n_iter_ * (100 - sum(round(0.3 * (y == k).sum()) for k in range(3)))
    weighted = LinearSGD(early_stopping=True, max_iter=5).fit(X, y, np.full(100, 2))
    assert (weighted.t_ - 1) % 2 == 0
    with pytest.raises(InputError, match="not one of 3 rows is held out"):
        LinearSGD(early_stopping=True).fit(X[:3], y[:3])


def test_weights_without_bounds_are_refused_with_advice():
    X, y = rows(10)
    with pytest.raises(InputError, match=r"beyond all bounds in epoch 1; scale='standard' or a smaller eta0 keeps"):
        fit(1e90 * X, y, loss="squared_error", learning_rate="constant")
    with pytest.warns(
        ConvergenceWarning, match=r"weights of 0 have at most 1.*scale='standard' or a smaller eta0 helps"
    ):
        fit(40 * X, y, loss="squared_error", learning_rate="constant", eta0=0.01, max_iter=2)
    with pytest.raises(ParameterError, match=r"LinearSGD\(alpha=0\): .*alpha must be above 0"):
        LinearSGD(alpha=0).fit(X, y)
    with pytest.raises(ParameterError, match="did you mean 'hinge'"):
        LinearSGD(loss="hinges").fit(X, y)


def test_a_lasso_leaves_columns_out():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 10))
    y = (X[:, 0] - X[:, 1] > 0).astype(int)
    model = LinearSGD(alpha=0.05, l1_ratio=1.0).fit(X, y)
    assert np.flatnonzero(model.coef_[0]).tolist() == [0, 1]


def test_probabilities_are_those_of_the_loss():
    X, y = rows(11)
    log, huber = fit(X, y), fit(X, y, loss="modified_huber")
    np.testing.assert_allclose(log.predict_proba(X)[:, 1], 1 / (1 + np.exp(-log.decision_function(X))))
    np.testing.assert_allclose(huber.predict_proba(X)[:, 1], (np.clip(huber.decision_function(X), -1, 1) + 1) / 2)
    assert not hasattr(fit(X, y, loss="hinge"), "predict_proba")


def test_the_seed_decides_the_order():
    X, y = rows(12)
    assert np.array_equal(fit(X, y, random_state=1).coef_, fit(X, y, random_state=1).coef_)
    assert not np.array_equal(fit(X, y, random_state=1).coef_, fit(X, y, random_state=2).coef_)
    assert not np.array_equal(fit(X, y, random_state=None).coef_, fit(X, y, random_state=None).coef_)


def test_one_class_and_constant_columns_leave_the_shares():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert LinearSGD().fit([[1.0], [2.0]], ["a", "a"]).predict_proba([[5.0]]).tolist() == [[1]]
        model = LinearSGD().fit([[1.0]] * 5, ["a", "b", "c", "c", "c"])
    np.testing.assert_allclose(model.predict_proba([[5.0]]), [[0.2, 0.2, 0.6]])
    assert model.loss_curve_.size == 0
