"""Bias² + variance + noise (H5): polynomials and nearest neighbours on a known function, against the closed form.

Training inputs stay where they are and only the noise is drawn anew. Both models are then linear in the training
values, answers = S·y, so that at any input the mean answer is S·f and the variance σ²·Σ S².
"""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin

from margin.evaluation import bias_variance, bias_variance_curve
from margin.neighbors import KNeighborsRegressor

pytestmark = pytest.mark.golden("H5")

NOISE = 0.3
INPUTS = np.linspace(-1, 1, 31)
ASKED = np.linspace(-0.95, 0.95, 25)


def wave(x):
    return np.sin(2.5 * x) + 0.5 * np.cos(5 * x)


def draw(random):
    return INPUTS[:, None], wave(INPUTS) + random.normal(0, NOISE, len(INPUTS))


def expected(X):
    return wave(X[:, 0])


class Polynomial(RegressorMixin, BaseEstimator):
    def __init__(self, order=1):
        self.order = order

    def fit(self, X, y):
        self.coefficients_ = np.linalg.lstsq(np.vander(X[:, 0], self.order + 1), y, rcond=None)[0]
        return self

    def predict(self, X):
        return np.vander(X[:, 0], self.order + 1) @ self.coefficients_


@pytest.fixture(scope="module")
def orders():
    return bias_variance_curve(
        Polynomial(), parameter="order", values=range(10), draw=draw, X_test=ASKED[:, None],
        expected=expected, noise=NOISE**2, times=200,
    )  # fmt: skip


def closed_form(smoother):
    """Bias² and variance of answers S·y at the asked inputs."""
    return (smoother @ wave(INPUTS) - wave(ASKED)) ** 2, NOISE**2 * (smoother**2).sum(axis=1)


def test_the_terms_of_polynomials_are_those_of_the_closed_form(orders):
    for order, point in zip(orders.values, orders.points):
        smoother = np.vander(ASKED, order + 1) @ np.linalg.pinv(np.vander(INPUTS, order + 1))
        bias, variance = closed_form(smoother)
        # Twice the 95 % interval: twenty of them are looked at.
        for found, true in ((point.bias, bias.mean()), (point.variance, variance.mean())):
            assert abs(found.value - true) < 2 * found.interval.half_width
        np.testing.assert_allclose(point.cases.variance, variance, rtol=0.4)


def test_bias_variance_and_noise_add_up_to_the_error_exactly(orders):
    for point in orders.points:
        np.testing.assert_allclose(
            point.cases.bias + point.cases.variance + point.cases.noise, point.cases.error, rtol=0, atol=1e-12
        )
        assert point.bias.value + point.variance.value + point.noise.value == pytest.approx(point.error.value)
        assert point.noise.value == pytest.approx(NOISE**2)


def test_their_sum_is_the_squared_error_measured_on_new_data(orders):
    random = np.random.default_rng(5)
    for order, point in zip(orders.values, orders.points):
        smoother = np.vander(ASKED, order + 1) @ np.linalg.pinv(np.vander(INPUTS, order + 1))
        learnt = wave(INPUTS)[:, None] + random.normal(0, NOISE, (len(INPUTS), 2000))
        measured = wave(ASKED)[:, None] + random.normal(0, NOISE, (len(ASKED), 2000))
        errors = ((smoother @ learnt - measured) ** 2).mean(axis=0)
        spread = 4 * errors.std() / np.sqrt(2000) + 2 * point.error.interval.half_width
        assert abs(point.error.value - errors.mean()) < spread


def test_bias_falls_and_variance_grows_with_the_order_and_the_sum_has_its_least_between(orders):
    assert (np.diff(orders.variance) > 0).all()
    assert (np.diff(orders.bias) < 2e-3).all(), "equal orders by symmetry may swap by chance"
    assert orders.bias[0] > 100 * abs(orders.bias[9])
    assert 4 <= orders.best <= 7
    assert orders.error[0] > 2 * orders.error.min()
    assert orders.error[9] > orders.error.min()
    assert "least error" in str(orders)


@pytest.mark.parametrize("k", [1, 3, 7, 15, 31])
def test_nearest_neighbours_have_variance_noise_over_k_and_the_bias_of_their_mean(k):
    asked = ASKED + 0.003  # no two neighbours equally far
    found = bias_variance(
        KNeighborsRegressor(k, n_jobs=1),
        draw=draw,
        X_test=asked[:, None],
        expected=expected,
        noise=NOISE**2,
        times=300,
        seed=1,
    )
    near = np.argsort(np.abs(asked[:, None] - INPUTS), axis=1)[:, :k]
    bias = ((wave(INPUTS)[near].mean(axis=1) - wave(asked)) ** 2).mean()
    assert abs(found.variance.value - NOISE**2 / k) < 2 * found.variance.interval.half_width
    assert abs(found.bias.value - bias) < 2 * found.bias.interval.half_width


def test_with_more_neighbours_bias_grows_and_variance_falls():
    found = bias_variance_curve(
        {k: KNeighborsRegressor(k, n_jobs=1) for k in (1, 3, 7, 15, 31)}, draw=draw, X_test=ASKED[:, None] + 0.003,
        expected=expected, noise=NOISE**2, times=60,
    )  # fmt: skip
    assert (np.diff(found.variance) < 0).all()
    assert (np.diff(found.bias[1:]) > 0).all()
    assert found.best in (3, 7)
