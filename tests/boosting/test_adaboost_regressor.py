"""AdaBoost.R2: the algorithm written out, scikit-learn's with the same members, and what bad learners get."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import AdaBoostRegressor as Rival
from sklearn.neighbors import KNeighborsRegressor as RivalNeighbors

import margin
from margin import AdaBoostRegressor
from margin.boosting.adaboost.regressor import weighted_median
from margin.errors import ConvergenceWarning, ParameterError
from margin.persistence import load, save
from tests.boosting.every_stump import least_squares_stump

LOSSES = {"linear": lambda e: e, "square": lambda e: e**2, "exponential": lambda e: 1 - np.exp(-e)}


def friedman(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 5))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, y + rng.normal(size=n)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_every_round_is_that_of_the_definition(loss, rate):
    X, y = friedman(60)
    model = AdaBoostRegressor(n_estimators=6, max_depth=1, loss=loss, learning_rate=rate).fit(X, y)
    w, said, alphas = np.full(60, 1 / 60), [], []
    for one in model.rounds_:
        h = least_squares_stump(X, w, y)
        e = np.abs(h - y)
        L = LOSSES[loss](e / e.max())
        mean = float(w @ L)
        beta = mean / (1 - mean)
        assert (one.epsilon, one.beta, one.largest_error) == pytest.approx((mean, beta, e.max()))
        w = w * beta ** (rate * (1 - L))
        w /= w.sum()
        said.append(h)
        alphas.append(rate * math.log(1 / beta))
    order = np.argsort(said, axis=0)
    weights = np.cumsum(np.array(alphas)[order], axis=0)
    at = (weights >= weights[-1] / 2).argmax(axis=0)
    rows = np.arange(60)
    assert np.allclose(model.predict(X), np.array(said)[order[at, rows], rows])


class Known(RegressorMixin, BaseEstimator):
    """Answers that do not depend on the rows drawn, another in each round, so that draws do not matter."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        Known.round += 1
        self.slope_ = 3.0 + 5 * math.sin(1.7 * Known.round)
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        return self.slope_ * np.asarray(X, dtype=float)[:, 3] + 12


@pytest.mark.parametrize("loss", LOSSES)
def test_weights_and_median_are_those_of_scikit_learn(loss):
    X, y = friedman(80)
    found = []
    for booster in (AdaBoostRegressor, Rival):
        Known.round = 0
        found.append(booster(Known(), n_estimators=7, loss=loss, random_state=0).fit(X, y))
    ours, theirs = found
    n = len(ours.rounds_)
    assert n == len(theirs.estimators_)
    assert [one.alpha for one in ours.rounds_] == pytest.approx(theirs.estimator_weights_[:n].tolist())
    assert np.allclose(ours.predict(X), theirs.predict(X))


def test_it_is_no_worse_than_scikit_learn_on_fresh_rows():
    X, y = friedman(1200, 1)
    X, y, X_test, y_test = X[:600], y[:600], X[600:], y[600:]
    theirs = np.mean([Rival(random_state=k).fit(X, y).score(X_test, y_test) for k in range(3)])
    ours = [AdaBoostRegressor(resample=True, random_state=k).fit(X, y).score(X_test, y_test) for k in range(3)]
    assert np.mean(ours) > theirs - 0.01
    # By weights alone, which is the same every time, members are more alike.
    assert AdaBoostRegressor().fit(X, y).score(X_test, y_test) > theirs - 0.04


@pytest.mark.parametrize("estimator", [None, margin.DecisionTreeRegressor(max_depth=2)], ids=["trees", "learner"])
def test_more_rounds_by_warm_start_and_files_answer_alike(estimator, tmp_path):
    X, y = friedman(100)
    at_once = AdaBoostRegressor(estimator, n_estimators=7, random_state=0).fit(X, y)
    model = AdaBoostRegressor(estimator, n_estimators=3, random_state=0, warm_start=True).fit(X, y)
    model.set_params(n_estimators=7).fit(X, y)
    assert np.allclose(model.predict(X), at_once.predict(X))
    *_, last = at_once.staged_predict(X)
    assert np.array_equal(last, at_once.predict(X))
    again = load(save(at_once, tmp_path / "r2.margin", about={"target": "y"}))
    assert np.array_equal(again.predict(X), at_once.predict(X))
    assert "members" in margin.explain.explain(at_once, X[:1]).text()


def test_words_and_missing_cells_are_taken_as_they_are():
    rng = np.random.default_rng(0)
    kind = rng.choice(["a", "b", "c"], 200)
    size = rng.normal(size=200)
    y = np.select([kind == "a", kind == "b"], [5.0, -5.0], 0.0) + size
    size[::7] = np.nan
    model = AdaBoostRegressor().fit({"kind": kind.tolist(), "size": size}, y)
    assert model.score({"kind": kind.tolist(), "size": size}, y) > 0.9


def test_a_perfect_member_and_one_that_errs_by_half_end_the_rounds():
    X = np.arange(8.0)[:, None]
    model = AdaBoostRegressor().fit(X, np.where(X[:, 0] < 4, 1.0, 2.0))
    assert len(model.rounds_) == 1
    assert model.rounds_[0].epsilon == 0
    with pytest.warns(ConvergenceWarning, match="no better than ½"):
        alone = AdaBoostRegressor(max_depth=1).fit([[0.0], [0.0], [1.0], [1.0]], [0.0, 1.0, 0.0, 1.0])
    assert len(alone.rounds_) == 1


def test_a_learner_without_weights_gets_drawn_rows():
    X, y = friedman(100)
    model = AdaBoostRegressor(RivalNeighbors(3), n_estimators=5, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.7
    with pytest.raises(ParameterError, match="takes no weights"):
        AdaBoostRegressor(RivalNeighbors(3), resample=False).fit(X, y)


def test_the_median_needs_half_of_the_weight():
    assert weighted_median(np.array([[1.0, 2.0]]), np.array([1.0, 1.0])).tolist() == [1.0]
    assert weighted_median(np.array([[9.0, 2.0, 4.0]]), np.array([3.0, 1.0, 1.0])).tolist() == [9.0]
