"""The knee: curves worked by hand, a slow definition, and the same meaning wherever there is one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margin.errors import InputError
from margin.evaluation.curves.knee import knee, knee_of


def test_the_knee_is_the_minimum_before_the_error_rises_again():
    found = knee([1, 2, 4, 8, 16], [0.5, 0.3, 0.2, 0.25, 0.4])
    assert (found.x, found.y, found.index) == (4.0, 0.2, 2)
    assert found.depth == pytest.approx(0.2)
    assert str(found) == "knee at 4 (value 0.2, depth 0.2)"


@pytest.mark.parametrize(
    "error", [[4, 3, 2, 1], [1, 2, 3, 4], [2, 2, 2], [3, 2], [1], [5, 2, 2, 2], [32, 16, 8, 4, 2, 2, 2]]
)
def test_an_error_that_only_falls_or_only_rises_or_stays_has_no_knee(error):
    assert knee(range(len(error)), error) is None


def test_a_bump_on_the_way_down_is_no_end_and_of_equal_minima_the_first_is_taken():
    assert knee_of(np.array([1.0, 0.2, 0.9, 0.19, 0.18, 0.17, 0.9])) == 5
    assert knee_of(np.array([0.5, 0.2, 0.2, 0.3, 0.2, 0.4])) == 1


def test_a_score_is_an_error_turned_over_and_the_order_of_points_does_not_matter():
    x, error = np.array([1, 2, 4, 8, 16]), np.array([0.5, 0.3, 0.2, 0.25, 0.4])
    assert knee(x, 1 - error, greater_is_better=True).x == 4.0
    shuffled = np.array([3, 0, 4, 2, 1])
    found = knee(x[shuffled], error[shuffled])
    assert (found.x, shuffled[found.index]) == (4.0, 2)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=12))
def test_agrees_with_the_definition(error):
    meant = None
    for at, value in enumerate(error):
        before, after = error[:at], error[at + 1 :]
        if value == min(error) and all(each > value for each in before) and before and any(e > value for e in after):
            meant = at
    assert knee_of(np.array(error, dtype=float)) == meant


@pytest.mark.parametrize(
    "arguments",
    [
        ([1, 2, 3], [1, 2]),
        ([1, 2, "x"], [1, 2, 3]),
        ([1, 2, np.nan], [1, 2, 3]),
        ([1, 2, 2], [1, 2, 3]),
        ([[1, 2, 3]], [[1, 2, 3]]),
    ],
)
def test_points_that_are_no_curve_are_refused(arguments):
    with pytest.raises(InputError, match=r"^knee: "):
        knee(*arguments)
