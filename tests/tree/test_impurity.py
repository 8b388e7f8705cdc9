"""Impurities and gains: worked by hand, then as properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margin.errors import InputError, ParameterError
from margin.tree import entropy, gain_ratio, gini, information_gain, split_benefit
from margin.tree.impurity import error_share, split_information

counts = st.lists(st.integers(0, 50), min_size=2, max_size=6).filter(any)


def test_four_equal_classes_are_two_bits():
    assert (entropy([3, 3, 3, 3]), gini([3, 3, 3, 3]), error_share([3, 3, 3, 3])) == (2.0, 0.75, 0.75)


def test_one_class_is_pure():
    assert (entropy([7]), gini([0, 7]), error_share([0, 7, 0])) == (0.0, 0.0, 0.0)


def test_weights_count_as_repeated_rows():
    column, y, times = ["a", "a", "b"], [0, 1, 1], [2, 1, 3]
    repeated = [np.repeat(values, times) for values in (column, y)]
    assert information_gain(column, y, times) == pytest.approx(information_gain(*repeated))


def test_a_key_gains_all_and_a_ratio_less():
    y = ["no", "yes", "no", "yes"]
    assert information_gain(range(4), y) == 1
    assert gain_ratio(range(4), y) == 0.5
    assert split_information(range(4)) == 2


def test_a_column_of_one_level_says_nothing():
    assert information_gain(["a", "a"], [0, 1]) == 0
    assert gain_ratio(["a", "a"], [0, 1]) == 0


def test_missing_words_are_a_level_of_their_own():
    assert information_gain([None, "a", None, "a"], [0, 1, 0, 1]) == 1


@given(counts)
def test_impurities_are_largest_for_equal_shares(weights):
    k = len(weights)
    assert -1e-12 <= entropy(weights) <= np.log2(k) + 1e-12
    assert -1e-12 <= error_share(weights) <= gini(weights) + 1e-12 <= 1 - 1 / k + 1e-9


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=30))
def test_no_split_raises_a_concave_impurity(rows):
    column, y = zip(*rows)
    for criterion in ("entropy", "gini", "error"):
        assert split_benefit(column, y, criterion) >= -1e-12


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="at least 0"):
        entropy([-1, 2])
    with pytest.raises(InputError, match="equal length"):
        information_gain(["a"], [1, 2])
    with pytest.raises(ParameterError, match="did you mean 'gini'"):
        split_benefit(["a", "b"], [0, 1], "ginni")
