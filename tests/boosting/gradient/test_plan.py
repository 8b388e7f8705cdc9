"""What "auto" means by the number of rows and scores, and that what is given stands."""

import numpy as np
import pytest

from margin import GradientBoostingClassifier
from margin.boosting.gradient.plan import plans_for


def ways(n_rows, n_scores=1, *, symmetric=True, **settings):
    plans = plans_for(GradientBoostingClassifier(**settings), n_rows, n_scores, symmetric=symmetric)
    return [(plan.growth, plan.max_leaf_nodes, plan.learning_rate, plan.stop) for plan in plans]


@pytest.mark.parametrize(("n_rows", "n_scores", "expected"), [
    (500, 1, [("leaf", 8, 0.05, "folds"), ("leaf", 31, 0.1, "folds"), ("symmetric", 16, 0.05, "folds")]),
    (20_000, 3, [("leaf", 31, 0.05, "part"), ("symmetric", 64, 0.1, "part")]),
    (200_000, 1, [("leaf", 63, 0.1, "part")]),
    (500, 11, [("leaf", 16, 0.2, "folds"), ("leaf", 31, 0.1, "folds")]),
    (20_000, 26, [("leaf", 63, 0.1, "part")]),
])  # fmt: skip
def test_auto_goes_by_rows_and_scores(n_rows, n_scores, expected):
    assert ways(n_rows, n_scores) == expected


def test_rows_that_are_neither_few_nor_many_have_fewer_bins_unless_asked():
    bins = lambda n, **asked: {plan.max_bins for plan in plans_for(GradientBoostingClassifier(**asked), n)}  # noqa: E731
    assert bins(499) == bins(10_000) == bins(500, n_estimators=10) == {255}
    assert bins(500) == bins(9_999) == {64}
    assert bins(5_000, max_bins=100) == {100}


def test_what_is_given_stands_in_each_way():
    assert ways(500, growth="symmetric") == [("symmetric", 16, 0.05, "folds")]
    assert {way[0] for way in ways(500, growth="depth")} == {"depth"}
    assert {way[0] for way in ways(500, 11, growth="symmetric")} == {"symmetric"}
    assert {way[1:3] for way in ways(20_000, max_leaf_nodes=5, learning_rate=0.3)} == {(5, 0.3)}
    assert ways(20_000, n_estimators=10) == [("leaf", 31, 0.1, "no")]
    assert {way[0] for way in ways(500, symmetric=False)} == {"leaf"}


def test_rows_held_back_choose_symmetric_trees_where_columns_act_together():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10_000, 6))
    y = (X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] + rng.logistic(size=len(X)) > 0).astype(int)
    best = {}
    for growth in ("leaf", "symmetric", "auto"):
        asked = {"n_iter_no_change": 5, "growth": growth, "learning_rate": 0.2, "random_state": 0}
        best[growth] = GradientBoostingClassifier(**asked).fit(X, y).validation_loss_.min()
    assert best["symmetric"] < best["leaf"]
    assert best["auto"] == best["symmetric"]
