"""Votes of pairs and layouts of weights, against slow definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.multiclass import _ovr_decision_function

from margin.linear.presolve import NEVER
from margin.svm.kernel_machine.multiclass import Layout, laid_out, widened_pairs


@given(n=st.integers(0, 7), k=st.integers(3, 9), seed=st.integers(0, 1000))
def test_votes_are_counted_pair_by_pair(n, k, seed):
    rng = np.random.default_rng(seed)
    layout = Layout(k, "one_vs_one")
    sums, intercept = rng.integers(-2, 3, (n, k, k - 1)).astype(float), rng.integers(-1, 2, layout.n_problems) * 1.0
    decisions = layout.decisions(sums, intercept)
    votes = np.zeros((n, k))
    for pair, (a, b) in enumerate(layout.sides()):
        expected = sums[:, a, b - 1] + sums[:, b, a] + intercept[pair]
        assert np.array_equal(decisions[:, pair], expected)
        votes[np.arange(n), np.where(expected > 0, a, b)] += 1
    assert np.array_equal(layout.answers(decisions), votes.argmax(axis=1))
    if n:
        expected = _ovr_decision_function(decisions < 0, -decisions, k)
        assert layout.scores(decisions) == pytest.approx(expected)


def test_the_first_of_three_classes_wins_a_circle():
    layout = Layout(3, "one_vs_one")
    assert layout.answers(np.array([[1.0, -1.0, 1.0]])).tolist() == [0]  # 0 beats 1, 2 beats 0, 1 beats 2


def test_weights_of_pairs_are_laid_out_by_class():
    y = np.array([2, 0, 1, 0])
    layout = Layout(3, "one_vs_one")
    problems = layout.problems(y)
    alphas = [np.arange(1.0, 1 + len(each.rows)) * (10**i) for i, each in enumerate(problems)]
    table = laid_out(layout, y, problems, alphas)
    assert table.support.tolist() == [1, 3, 2, 0]
    assert table.n_support.tolist() == [2, 1, 1]
    # Pair (0, 1) has rows 1, 2, 3; (0, 2) rows 0, 1, 3; (1, 2) rows 0, 2. The first class counts as positive.
    assert table.coef.tolist() == [[1.0, 3.0, -2.0, -10.0], [20.0, 30.0, 200.0, -100.0]]


def test_a_class_without_rows_loses_every_pair():
    found = widened_pairs(Layout(2, "one_vs_one"), np.array([[0.5]]), np.array([0, 2]), 3)
    assert found.tolist() == [[-NEVER, -0.5, NEVER]]
