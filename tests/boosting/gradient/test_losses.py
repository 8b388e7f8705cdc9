"""Losses of one's own and the focal one: against known losses, against differences, and what is refused."""

import numpy as np
import pytest

from margin import GradientBoostingClassifier, GradientBoostingRegressor
from margin.errors import DataError, ParameterError

SETTINGS = {"n_estimators": 10, "learning_rate": 0.3, "max_leaf_nodes": 6, "min_samples_leaf": 5}


def _rows(n=300):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n) * 0.3


def squared(y, f):
    return (f - y) ** 2 / 2, f - y, np.ones_like(f)


def logistic(y, f):
    p = 1 / (1 + np.exp(-f))
    return np.logaddexp(0, f) - y * f, p - y, p * (1 - p)


def softmax(y, f):
    p = np.exp(f - f.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    hit = np.eye(f.shape[1])[y]
    k = f.shape[1]
    return -np.log(p[np.arange(len(y)), y]), p - hit, k / (k - 1) * p * (1 - p)


def test_known_losses_written_as_functions_give_the_known_models():
    X, y = _rows()
    pairs = (
        (GradientBoostingRegressor, y, "squared_error", squared),
        (GradientBoostingClassifier, (y > 1).astype(int), "log_loss", logistic),
        (GradientBoostingClassifier, np.digitize(y, [0, 2]), "log_loss", softmax),
    )
    for kind, target, name, function in pairs:
        known, own = (kind(loss=loss, **SETTINGS).fit(X, target) for loss in (name, function))
        says = "predict" if kind is GradientBoostingRegressor else "predict_proba"
        np.testing.assert_allclose(getattr(own, says)(X), getattr(known, says)(X), atol=1e-6)


def test_rows_held_back_stop_a_loss_of_ones_own():
    X, y = _rows()
    model = GradientBoostingRegressor(loss=squared, n_estimators=200, early_stopping=True, random_state=0).fit(X, y)
    assert model.n_estimators_ == int(model.validation_loss_.argmin()) + 1 < 200
    assert model.validation_loss_[0] > model.validation_loss_.min() > 0


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda y, f: f, "must answer three arrays"),
        (lambda y, f: (f, f[:-1], f), r"first derivatives must have the shape \(300,\), but have \(299,\)"),
        (lambda y, f: (f, f, np.where(np.arange(len(f)) == 7, np.nan, 1.0)), "finite, but row 7 has nan"),
        (lambda y, f: (f, f, np.full(len(f), -1.0)), "second derivatives must be at least 0"),
        (lambda y, f: (f, ["a"] * len(f), f), "first derivatives must be numbers"),
    ],
)
def test_what_a_loss_must_not_answer_is_told_and_leaves_the_model_as_it_was(function, told):
    X, y = _rows()
    model = GradientBoostingRegressor(**SETTINGS).fit(X, y)
    before = model.predict(X)
    with pytest.raises(DataError, match=told):
        model.set_params(loss=function).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), before)


def test_the_focal_loss_has_the_derivatives_of_its_formula_and_is_the_log_loss_without_a_power():
    X, y = _rows()
    label = (y > 1).astype(int)
    plain, none = (
        GradientBoostingClassifier(loss=n, focal_gamma=0.0, **SETTINGS).fit(X, label) for n in ("log_loss", "focal")
    )
    np.testing.assert_allclose(none.predict_proba(X), plain.predict_proba(X), atol=1e-9)

    def focal(target, f, gamma=2.0):
        def loss(z):
            s = 1 / (1 + np.exp(-(2 * target - 1) * z))
            return -((1 - s) ** gamma) * np.log(s)

        s, e = 1 / (1 + np.exp(-(2 * target - 1) * f)), 1e-4
        least = (1 - s) ** (gamma + 1) * s
        g, h = (loss(f + e) - loss(f - e)) / (2 * e), (loss(f + e) - 2 * loss(f) + loss(f - e)) / e**2
        return loss(f), g, np.maximum(h, least)

    own, ours = (GradientBoostingClassifier(loss=n, **SETTINGS).fit(X, label) for n in (focal, "focal"))
    np.testing.assert_allclose(ours.predict_proba(X), own.predict_proba(X), atol=1e-4)
    with pytest.raises(ParameterError, match="two classes"):
        GradientBoostingClassifier(loss="focal").fit(X, np.digitize(y, [0, 2]))
