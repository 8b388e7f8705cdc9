"""The golden figures of the active perceptron and of Adaline."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from margin import ActivePerceptron, Adaline, Perceptron
from margin.errors import ConvergenceWarning


def sphere(seed: int, n: int, d: int = 25) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    u = rng.normal(size=d)
    return X, X @ u > 0, u / np.linalg.norm(u)


def error(model, u: np.ndarray) -> float:
    """The share of the sphere on which the model is wrong: the angle between its direction and the true one, by π."""
    w = model.coef_[0]
    return float(np.arccos(np.clip(w @ u / np.linalg.norm(w), -1, 1)) / np.pi)


@pytest.mark.golden("D3")
@pytest.mark.parametrize("seed", range(3))
def test_the_active_perceptron_needs_far_fewer_labels_than_the_passive_one(seed):
    X, y, u = sphere(seed, 15_000)
    active = ActivePerceptron(fit_intercept=False).fit(X, y)
    assert active.labels_used_ == len(active.queried_) < 1_500
    assert error(active, u) < 0.01
    one_pass = {"fit_intercept": False, "max_iter": 1, "tol": 1.0}
    few = Perceptron(**one_pass).partial_fit(X[: active.labels_used_], y[: active.labels_used_])
    assert error(few, u) > 5 * error(active, u)  # as many labels
    all_ = Perceptron(**one_pass).partial_fit(X, y)
    assert error(all_, u) > error(active, u)  # ten times as many


@pytest.mark.golden("D3")
def test_the_error_falls_as_labels_are_asked_for_and_is_recorded():
    X, y, _ = sphere(7, 15_000)
    model = ActivePerceptron(fit_intercept=False).fit(X, y)
    labels, errors = model.error_curve_.T
    assert (np.diff(labels) >= 0).all()
    assert labels[-1] == model.labels_used_
    assert errors[labels <= 10].min() > 0.2
    assert errors[-1] < 0.01


@pytest.mark.golden("D4")
def test_adaline_descends_to_least_squares_in_batches_and_near_it_row_by_row():
    X, y = load_iris(return_X_y=True)
    X, setosa = X[:, 2:], y == 0
    best = np.linalg.lstsq(np.column_stack([X, np.ones(150)]), np.where(setosa, 1.0, -1.0), rcond=None)[0]
    batch = Adaline(max_iter=100_000, tol=1e-12, scale=None).fit(X, setosa)
    np.testing.assert_allclose(np.r_[batch.coef_[0], batch.intercept_], best, rtol=1e-3, atol=1e-4)
    assert (np.diff(batch.loss_curve_) < 0).all()
    assert np.array_equal(batch.predict(X), np.column_stack([X, np.ones(150)]) @ best > 0)
    assert batch.score(X, setosa) == 149 / 150  # squared errors pull at rows far on the right side, too
    by_rows = Adaline(method="stochastic", random_state=0, scale=None).fit(X, setosa)
    assert by_rows.score(X, setosa) > 0.98
    assert by_rows.loss_curve_[-1] < 2 * batch.loss_curve_[-1]


@pytest.mark.golden("D4")
def test_a_step_that_is_too_long_is_found_out_and_a_stable_one_named():
    X, y = load_iris(return_X_y=True)
    rows = np.column_stack([X, np.ones(150)])
    stable = 2 / np.linalg.eigvalsh(rows.T @ rows / 150)[-1]
    with pytest.warns(ConvergenceWarning, match=rf"longest stable one is about {stable:.2g}"):
        model = Adaline(eta0=1.1 * stable, scale=None).fit(X, y == 0)
    assert np.isfinite(model.coef_).all()
    assert model.n_iter_ < 1000
    falling = Adaline(eta0=0.9 * stable, tol=1e-3, scale=None).fit(X, y == 0)
    assert (np.diff(falling.loss_curve_) < 0).all()
