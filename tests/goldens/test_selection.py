"""The golden figures of choosing settings: the knee, search by doubling and halving, and nested validation."""

import math

import numpy as np
import pytest

from margin import DecisionTreeClassifier, GridSearch, KNeighborsClassifier, LogSearch, learning_curve, nested
from margin.evaluation import StratifiedFolds
from margin.selection import knee, validation_curve
from margin.selection.search.doubling import AHEAD


def stripes(width, n):
    """Points on a line in stripes of two classes: a tree needs a leaf for each stripe."""
    x = (np.arange(n) + 0.5) / n
    return x[:, None], (x / width).astype(int) % 2


@pytest.mark.golden("H6")
def test_the_knee_is_the_minimum_before_the_error_rises_again():
    # What a model cannot express halves from 32, what it learns by heart grows by one a step: their sum is least, 6,
    # at the fifth and sixth point, and rises again by 3.06 to the end.
    error = [32 * 2.0**-i + i for i in range(10)]
    assert error[:6] == [32, 17, 10, 7, 6, 6]
    found = knee(range(10), error)
    assert (found.index, found.y) == (4, 6.0)
    assert found.depth == pytest.approx(32 / 512 + 9 - 6)
    assert knee(range(10), [32 * 2.0**-i for i in range(10)]) is None


@pytest.mark.golden("H6")
@pytest.mark.parametrize("doublings", [2, 4, 6])
def test_doubling_finds_the_best_value_in_a_logarithm_of_settings(doublings):
    # 2^m stripes, and leaves are what the tree may have: 2^m of them are enough, fewer are not, and more are no better.
    leaves = 2**doublings
    X, y = stripes(1 / leaves, 40 * leaves)
    search = LogSearch(DecisionTreeClassifier(), {"max_leaf_nodes": 2}, patience=0, refine=0, cv=3).fit(X, y)
    assert search.best_params_ == {"max_leaf_nodes": leaves}
    assert [step.value for step in search.path_] == [2.0**i for i in range(1, doublings + 2)]
    # Trees share the work along this parameter, so that a few values are tried in one go.
    assert len(search.results_) <= math.ceil(math.log2(leaves / 2)) + 2 + (AHEAD - 1)


@pytest.mark.golden("H6")
def test_on_noise_the_best_setting_looks_better_than_chance_and_nested_validation_does_not():
    claims, nested_scores, covered = [], [], 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 5)), rng.permutation(60) % 2
        search = GridSearch(KNeighborsClassifier(), {"n_neighbors": list(range(1, 31))}, cv=5)
        found = nested(search, X, y, StratifiedFolds(5, seed=seed))
        claims.append(found.non_nested.value)
        nested_scores.append(found.score.value)
        covered += 0.5 in found.score.interval
    assert sum(claim > 0.5 for claim in claims) >= 11
    assert np.mean(claims) > 0.57
    assert abs(np.mean(nested_scores) - 0.5) < 0.05
    assert covered >= 10


@pytest.mark.golden("H6")
def test_curves_show_learning_by_heart():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] + rng.normal(0, 0.7, 300) > 0).astype(int)
    by_k = validation_curve(KNeighborsClassifier(), X, y, "n_neighbors", [1, 3, 9, 27, 81])
    assert by_k.training()[0].value == 1.0  # one neighbour knows every training row by heart
    assert by_k.best > 1
    by_size = learning_curve(KNeighborsClassifier(1), X, y)
    assert by_size.dominates == "variance"
    assert by_size.gain_from_twice.value >= 0


@pytest.mark.golden("H7")
def test_after_the_choice_the_final_classifier_learns_from_all_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = (X[:, 0] > 0).astype(int)
    search = GridSearch(KNeighborsClassifier(), {"n_neighbors": [1, 3]}, cv=3).fit(X, y)
    alone = KNeighborsClassifier(**search.best_params_).fit(X, y)
    assert np.array_equal(search.predict_proba(X), alone.predict_proba(X))
    found = nested(search, X, y, 3)
    assert np.array_equal(found.final.predict_proba(X), alone.predict_proba(X))
