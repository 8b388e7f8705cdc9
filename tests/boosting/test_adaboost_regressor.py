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
from margin.boosting.adaboost.regression_rounds import RunningMedian, weighted_median
from margin.boosting.adaboost.stopping import held_back, which_fold
from margin.errors import ConvergenceWarning, ParameterError
from margin.persistence import load, save
from margin.random import generator
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


@pytest.mark.parametrize("estimator", [None, margin.DecisionTreeRegressor(max_depth=2)], ids=["trees", "learner"])
def test_early_stopping_keeps_the_rounds_up_to_the_best_and_says_which_that_is(estimator, tmp_path):
    X, y = friedman(120)
    settings = {"early_stopping": True, "validation_fraction": 0.3, "n_iter_no_change": 4, "random_state": 0}
    model = AdaBoostRegressor(estimator, n_estimators=60, **settings).fit(X, y)
    n = len(model.rounds_)
    errors = [one.validation_error for one in model.rounds_]
    assert n < 56
    assert errors[-1] == min(errors)
    assert model.ended_.endswith(f"since round {n}" if estimator is None else f"held back was round {n}")
    again = load(save(model, tmp_path / "r2.margin", about={"target": "y"}))
    assert again.rounds_ == model.rounds_
    # Of the rows that are held back none is learnt from: the same rounds without them say the same of them.
    held = held_back(np.zeros(120), 0.3, generator(0, "held back"), "")
    alone = AdaBoostRegressor(estimator, n_estimators=n, random_state=0).fit(X[~held], y[~held])
    assert np.allclose(alone.predict(X), model.predict(X))
    assert errors == pytest.approx([np.abs(said - y)[held].mean() for said in alone.staged_predict(X)])


def test_rounds_chosen_out_of_fold_are_learnt_from_all_rows():
    X, y = friedman(150)
    settings = {"early_stopping": "out_of_fold", "n_iter_no_change": 3, "random_state": 0}
    model = AdaBoostRegressor(n_estimators=40, **settings).fit(X, y)
    n = len(model.rounds_)
    fold = which_fold(np.zeros(150), generator(0, "folds"), "")
    far = np.zeros(n)
    for k in range(5):
        part = AdaBoostRegressor(n_estimators=n).fit(X[fold != k], y[fold != k])
        far += [np.abs(said - y[fold == k]).sum() for said in part.staged_predict(X[fold == k])]
    assert [one.validation_error for one in model.rounds_] == pytest.approx((far / 150).tolist())
    assert np.argmin(far) == n - 1 < 39
    assert np.array_equal(model.predict(X), AdaBoostRegressor(n_estimators=n).fit(X, y).predict(X))


def test_the_best_round_is_said_where_the_last_one_is_worse():
    X, y = friedman(120)
    settings = {"early_stopping": True, "validation_fraction": 0.3, "n_iter_no_change": 50, "random_state": 0}
    model = AdaBoostRegressor(n_estimators=30, **settings).fit(X, y)
    n = len(model.rounds_)
    assert n < 30
    assert model.ended_ == f"as many rounds as asked for; the best on the rows held back was round {n}"


def test_going_on_judges_by_all_members():
    X, y = friedman(120)
    settings = {"early_stopping": True, "validation_fraction": 0.3, "n_iter_no_change": 50, "random_state": 0}
    model = AdaBoostRegressor(n_estimators=3, warm_start=True, **settings).fit(X, y)
    model.set_params(n_estimators=12).fit(X, y)
    at_once = AdaBoostRegressor(n_estimators=12, **settings).fit(X, y)
    ours = [one.validation_error for one in model.rounds_]
    assert ours[:3] == [one.validation_error for one in at_once.rounds_[:3]]
    n = min(len(ours), len(at_once.rounds_))
    assert ours[:n] == pytest.approx([one.validation_error for one in at_once.rounds_[:n]])
    assert n > 3


def test_a_running_median_is_the_median_of_all_so_far():
    rng = np.random.default_rng(0)
    said, alpha = rng.integers(0, 4, size=(30, 9)).astype(float), rng.random(9)
    running = RunningMedian(30)
    for n in range(9):
        running.add(said[:, n], alpha[n])
        assert np.array_equal(running.values(), weighted_median(said[:, : n + 1], alpha[: n + 1]))
