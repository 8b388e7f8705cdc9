"""Growth stopped where chance explains a split well enough."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tests.tree.engine import columns, grow, grow_numbers


def p_value(codes, y, w):
    table = np.zeros((codes.max() + 1, y.max() + 1))
    np.add.at(table, (codes, y), w)
    table = table[table.sum(1) > 0][:, table.sum(0) > 0]
    return stats.chi2_contingency(table, correction=False).pvalue if min(table.shape) > 1 else 1.0


def test_a_split_worked_by_hand():
    # 8 and 2 against 3 and 7: expected 5.5 and 4.5, statistic 2 * 2.5^2 / 5.5 + 2 * 2.5^2 / 4.5 = 5.0505, p = 0.02462.
    codes = [0] * 10 + [1] * 10
    y = [0] * 8 + [1] * 2 + [0] * 3 + [1] * 7
    assert stats.chi2.sf(5.0505, 1) == pytest.approx(0.02462, abs=1e-5)
    assert grow(columns(codes=[codes]), y, nominal="multiway", largest_p=0.025).n_nodes == 3
    assert grow(columns(codes=[codes]), y, nominal="multiway", largest_p=0.0246).n_nodes == 1


def test_the_next_best_column_is_tried():
    # Column 0 has a level for every pair of rows and the larger gain, but chance does as well; column 1 is the cause.
    y = np.repeat([0, 1], 20)
    cause = y.copy()
    cause[[0, 1, 2, 3, 20, 21, 22, 23]] ^= 1
    pairs = np.arange(40) // 2
    X = columns(codes=[pairs, cause])
    assert grow(X, y, nominal="multiway", max_depth=1).column[0] == 0
    assert p_value(pairs, y, np.ones(40)) > 0.001 > p_value(cause, y, np.ones(40))
    assert grow(X, y, nominal="multiway", max_depth=1, largest_p=0.001).column[0] == 1


rows = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(1, 4)), min_size=2, max_size=60)


@settings(max_examples=150, deadline=None)
@given(rows)
def test_agrees_with_scipy(rows):
    codes, y, w = (np.array(part) for part in zip(*rows))
    p = p_value(codes, y, w)
    X, is_split = columns(codes=[codes]), len(set(codes)) > 1 and len(set(y)) > 1
    for largest_p, grows in ((p * (1 + 1e-9) + 1e-12, True), (p * (1 - 1e-9) - 1e-12, False)):
        if 0 < largest_p < 1:
            tree = grow(X, y, weight=w, nominal="multiway", largest_p=largest_p, max_depth=1)
            assert (tree.n_nodes > 1) == (grows and is_split)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-4, 4)), min_size=3, max_size=40))
def test_numbers_are_tested_by_the_analysis_of_variance(rows):
    codes, y = (np.array(part) for part in zip(*rows))
    groups = [y[codes == c] for c in sorted(set(codes))]
    if len(groups) < 2 or len(groups) == len(y) or all(len(set(group)) == 1 for group in groups):
        return
    p = stats.f_oneway(*groups).pvalue
    for largest_p, grows in ((p * (1 + 1e-8) + 1e-12, True), (p * (1 - 1e-8) - 1e-12, False)):
        if 0 < largest_p < 1:
            tree = grow_numbers(columns(codes=[codes]), y, nominal="multiway", largest_p=largest_p, max_depth=1)
            assert (tree.n_nodes > 1) == grows
