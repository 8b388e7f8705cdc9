"""A row of whole-number weight is as many rows, in every bit: also where several rules are equally good."""

from __future__ import annotations

import numpy as np
import pytest

import margin
from margin import AdaBoostClassifier, AdaBoostMHClassifier, LPBoostClassifier
from margin.boosting.adaboost.votes import ExactWeights

MODELS = [
    AdaBoostClassifier(margin.DecisionTreeClassifier(max_depth=2), algorithm="SAMME.R", n_estimators=6),
    AdaBoostClassifier(margin.DecisionTreeClassifier(max_depth=2), n_estimators=6),
    AdaBoostMHClassifier(max_depth=2, n_estimators=8, learning_rate=0.5),
    AdaBoostMHClassifier(n_estimators=8),
    AdaBoostClassifier(n_estimators=8, learning_rate=0.5),
    AdaBoostClassifier(n_estimators=6, max_depth=2, algorithm="SAMME.R"),
    AdaBoostClassifier(n_estimators=6, algorithm="M2"),
]


def rows_with_ties(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Few different cells, so that many cuts are equally good."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(40, 4)).astype(float)
    return X, rng.integers(0, 3, 40), rng.integers(1, 5, 40)


@pytest.mark.parametrize("model", MODELS, ids=["real", "SAMME", "MH, step .5", "MH", "stumps", "real trees", "M2"])
def test_weights_are_repeated_rows_in_every_bit(model):
    for seed in range(10):
        X, y, times = rows_with_ties(seed)
        found = []
        for given in ((X, y, times), (np.repeat(X, times, axis=0), np.repeat(y, times), None)):
            fitted = model.fit(*given)
            found.append(([one.epsilon for one in fitted.rounds_], fitted.decision_function(X)))
        assert found[0][0] == found[1][0]
        assert np.array_equal(found[0][1], found[1][1])


def test_of_equally_good_votes_the_program_takes_the_same_for_weights_and_repeated_rows():
    for seed in range(20):
        X, y, times = rows_with_ties(seed)
        found = []
        for given in ((X, y > 0, times), (np.repeat(X, times, axis=0), np.repeat(y > 0, times), None)):
            fitted = LPBoostClassifier(nu=0.3, n_estimators=12).fit(*given)
            found.append(([one.weight for one in fitted.rounds_], fitted.predict(X)))
        assert found[0][0] == found[1][0]
        assert np.array_equal(found[0][1], found[1][1])


def test_sums_of_weights_are_exact_in_any_order():
    rng = np.random.default_rng(0)
    weights = ExactWeights(rng.integers(1, 9, 1000).astype(float))
    for _ in range(20):
        weights.follow(np.exp(rng.normal(size=1000)))
        order = rng.permutation(1000)
        assert weights.weight[order].cumsum()[-1] == weights.weight.sum() == weights.total
    assert weights.total == pytest.approx(weights.n_cases, rel=1e-9)


@pytest.mark.parametrize("estimator", [None, margin.DecisionTreeClassifier(max_depth=1)], ids=["core", "learner"])
def test_very_large_whole_numbers_are_weights_and_not_rows(estimator):
    X, y, times = rows_with_ties(3)
    small, large = (AdaBoostClassifier(estimator, n_estimators=6).fit(X, y, times * factor) for factor in (0.7, 1e12))
    assert np.allclose(small.decision_function(X), large.decision_function(X), atol=0.02)


def test_fractions_are_weights_as_they_are():
    given = np.random.default_rng(0).random(50)
    assert np.allclose(ExactWeights(given).shares, given / given.sum(), atol=1e-13)
