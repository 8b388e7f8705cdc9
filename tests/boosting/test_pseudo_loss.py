"""AdaBoost.M2 and AdaBoost.MH against their definitions, and label sets in the forms that others take."""

from __future__ import annotations

import math

import numpy as np
import pytest

import margin
from margin import AdaBoostClassifier, AdaBoostMHClassifier
from margin.boosting.adaboost.stopping import held_back
from margin.errors import ConvergenceWarning, ParameterError
from margin.persistence import load, save
from margin.random import generator


def three_classes(seed, n=45):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 2)), 1)
    return X, np.digitize(X[:, 0] + rng.normal(size=n) / 2, [-0.4, 0.6])


def every_side(X):
    for column in X.T:
        for low in np.unique(column)[:-1]:
            yield column <= low


def slow_m2(X, y, n_rounds, K):
    """Freund and Schapire (1997), figure 5: every stump, and every set of plausible classes on either side."""
    n = len(y)
    D = np.full((n, K), 1 / n / (K - 1))
    D[np.arange(n), y] = 0
    F, found = np.zeros((n, K)), []
    for _ in range(n_rounds):
        best = (np.inf, None)
        gains = -D.copy()
        gains[np.arange(n), y] = D.sum(axis=1)
        for left in every_side(X):
            h = np.where(left[:, None], gains[left].sum(0) > 0, gains[~left].sum(0) > 0).astype(float)
            pseudo = 0.5 * float((D * (1 - h[np.arange(n), y][:, None] + h)).sum())  # D is 0 where k is y
            if pseudo < best[0] - 1e-12:
                best = (pseudo, h)
        epsilon, h = best
        beta = epsilon / (1 - epsilon)
        D = D * beta ** (0.5 * (1 + h[np.arange(n), y][:, None] - h))
        D[np.arange(n), y] = 0
        D /= D.sum()
        F += math.log(1 / beta) * h
        found.append(epsilon)
    return found, F


@pytest.mark.parametrize("seed", range(2))
def test_pseudo_losses_and_votes_are_those_of_the_definition(seed):
    X, y = three_classes(seed)
    model = AdaBoostClassifier(n_estimators=4, algorithm="M2").fit(X, y)
    losses, F = slow_m2(X, y, 4, 3)
    assert [one.epsilon for one in model.rounds_] == pytest.approx(losses, abs=1e-9)
    assert np.allclose(model.decision_function(X), F)


def test_the_bounds_of_m2_hold_in_every_round():
    for seed in range(20):
        X, y = three_classes(seed)
        model = AdaBoostClassifier(n_estimators=12, algorithm="M2").fit(X, y)
        for one, answers in zip(model.rounds_, model.staged_predict(X)):
            assert one.training_error == pytest.approx((answers != y).mean(), abs=1e-9)
            assert one.training_error <= one.bound + 1e-9 <= one.exponential_bound + 2e-9


def test_m2_of_two_classes_is_adaboost():
    X, y = three_classes(1)
    plain, pseudo = (AdaBoostClassifier(n_estimators=6, algorithm=a).fit(X, y > 0) for a in ("SAMME", "M2"))
    assert np.allclose(plain.decision_function(X), pseudo.decision_function(X))
    assert [one.alpha for one in plain.rounds_] == pytest.approx([one.alpha for one in pseudo.rounds_])


def test_m2_takes_any_learner_with_probabilities_and_goes_on():
    X, y = margin.data.catalog.load("iris").target("class")
    for estimator in (None, margin.NaiveBayes()):
        at_once = AdaBoostClassifier(estimator, n_estimators=5, algorithm="M2").fit(X, y)
        model = AdaBoostClassifier(estimator, n_estimators=2, algorithm="M2", warm_start=True).fit(X, y)
        model.set_params(n_estimators=5).fit(X, y)
        assert np.allclose(model.decision_function(X), at_once.decision_function(X))
        assert at_once.score(X, y) > 0.9
    with pytest.raises(ParameterError, match="need probabilities"):
        AdaBoostClassifier(margin.LinearSVC(), algorithm="M2").fit(X, y)


# ---- Several labels.


def label_sets(seed, n=60):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    has = np.column_stack([X[:, 0] > 0.2, X[:, 1] + 0.3 * rng.normal(size=n) > 0, X[:, 0] + X[:, 2] > 0])
    return X, has, [{name for name, one in zip("abc", row) if one} for row in has]


def slow_mh(X, truth, n_rounds):
    """Schapire and Singer (1999), figure 3 with rules of -1 and 1."""
    Y = np.where(truth, 1.0, -1.0)
    D, F, found = np.full(Y.shape, 1 / Y.size), np.zeros(Y.shape), []
    for _ in range(n_rounds):
        r, h = max(
            (
                (
                    np.abs((D * Y)[left].sum(0)).sum() + np.abs((D * Y)[~left].sum(0)).sum(),
                    np.where(left[:, None], np.sign((D * Y)[left].sum(0)), np.sign((D * Y)[~left].sum(0))),
                )
                for left in every_side(X)
            ),
            key=lambda pair: pair[0],
        )
        alpha = 0.5 * math.log((1 + r) / (1 - r))
        D = D * np.exp(-alpha * Y * h)
        z = D.sum()
        D, F = D / z, F + alpha * h
        found.append((alpha, z))
    return found, F


def test_rounds_of_labels_are_those_of_the_definition():
    X, has, sets = label_sets(0)
    model = AdaBoostMHClassifier(n_estimators=6).fit(X, sets)
    slow, F = slow_mh(X, has, 6)
    assert np.allclose([(one.alpha, one.z) for one in model.rounds_], slow)
    assert np.allclose(model.votes(X), F)
    for one, answers in zip(model.rounds_, model.staged_predict(X)):
        wrong = np.mean([len(said ^ truth) / 3 for said, truth in zip(answers, sets)])
        assert one.training_error == pytest.approx(wrong)
        assert one.training_error <= one.bound + 1e-9 <= one.exponential_bound + 2e-9


def test_sets_matrices_and_columns_of_words_are_the_same_labels(tmp_path):
    X, has, sets = label_sets(1)
    of_sets = AdaBoostMHClassifier(n_estimators=8).fit(X, sets)
    of_matrix = AdaBoostMHClassifier(n_estimators=8).fit(X, has.astype(int))
    of_words = AdaBoostMHClassifier(n_estimators=8).fit(X, np.where(has, "yes", "no"))
    assert np.array_equal(of_matrix.predict(X), [[name in one for name in "abc"] for one in of_sets.predict(X)])
    assert np.array_equal(of_words.predict(X) == "yes", of_matrix.predict(X) == 1)
    again = load(save(of_sets, tmp_path / "labels.margin", about={"target": "y"}))
    assert again.predict(X).tolist() == of_sets.predict(X).tolist()
    assert "votes for" in margin.explain.explain(of_sets, X[:1]).text()


def test_one_target_of_three_classes_is_three_labels():
    X, y = margin.data.catalog.load("iris").target("class")
    model = AdaBoostMHClassifier(n_estimators=20).fit(X, y)
    assert model.score(X, y) > 0.95
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1)


def test_labels_that_no_column_tells_are_answered_by_their_shares():
    X = np.array([[0.0], [1.0]] * 4)
    y = np.array([[0, 1], [0, 1], [1, 0], [1, 0]] * 2)
    with pytest.warns(ConvergenceWarning, match="no better than chance in round 1"):
        model = AdaBoostMHClassifier().fit(X, y)
    assert [each[0].tolist() for each in model.predict_proba(X)] == [[0.5, 0.5]] * 2


@pytest.mark.parametrize("forms", ["sets", "classes"])
def test_early_stopping_by_labels_keeps_the_rounds_up_to_the_best(forms):
    X, has, _ = label_sets(3, n=90)
    rng = np.random.default_rng(0)
    has ^= rng.random(has.shape) < 0.2
    y = np.array([{name for name, one in zip("abc", row) if one} for row in has], dtype=object)
    if forms == "classes":
        y = has[:, 0] + 2 * has[:, 1]
    settings = {"early_stopping": True, "validation_fraction": 0.3, "n_iter_no_change": 6, "random_state": 0}
    model = AdaBoostMHClassifier(n_estimators=80, **settings).fit(X, y if forms == "classes" else list(y))
    n = len(model.rounds_)
    errors = [one.validation_error for one in model.rounds_]
    assert n < 74
    assert errors[-1] == min(errors)
    assert model.ended_ == f"no better error on the rows held back since round {n}"
    held = held_back(y if forms == "classes" else np.zeros(90), 0.3, generator(0, "held back"), "")
    kept = y[~held] if forms == "classes" else list(y[~held])
    alone = AdaBoostMHClassifier(n_estimators=n).fit(X[~held], kept)
    assert np.allclose(alone.votes(X), model.votes(X))
    truth = has if forms == "sets" else np.eye(4, dtype=bool)[y]
    assert errors[-1] == pytest.approx(((alone.votes(X) > 0) != truth)[held].mean())


def test_labels_choose_their_rounds_out_of_fold():
    X, _, sets = label_sets(4, n=80)
    model = AdaBoostMHClassifier(n_estimators=50, early_stopping="out_of_fold", n_iter_no_change=4, random_state=0)
    n = len(model.fit(X, sets).rounds_)
    errors = [one.validation_error for one in model.rounds_]
    assert n < 50
    assert errors[-1] == min(errors)
    assert np.array_equal(model.votes(X), AdaBoostMHClassifier(n_estimators=n).fit(X, sets).votes(X))
