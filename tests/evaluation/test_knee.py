"""The knee: curves worked by hand, a slow definition, and what turning a curve over does to it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.errors import InputError, ParameterError
from margin.evaluation.curves.knee import knee, knee_of_falling


def test_the_corner_of_two_lines_is_the_knee():
    # From (0, 10) down to (4, 2), then level to (10, 2): brought to the unit square, (0.4, 0) lies 0.6 below the chord.
    x = np.arange(11.0)
    y = np.where(x <= 4, 10 - 2 * x, 2.0)
    found = knee(x, y)
    assert (found.x, found.y, found.index) == (4.0, 2.0, 4)
    assert found.clearness == pytest.approx(0.6)
    assert str(found) == "knee at 4 (value 2, clearness 0.60)"


@pytest.mark.parametrize(
    ("turn", "at"),
    [
        (lambda x, y: (x, y), 4.0),
        (lambda x, y: (x, -y), 4.0),
        (lambda x, y: (10 - x, y), 6.0),
        (lambda x, y: (10 - x, -y), 6.0),
    ],
)
def test_a_curve_turned_over_has_its_knee_at_the_turned_place(turn, at):
    x = np.arange(11.0)
    turned = turn(x, np.where(x <= 4, 10 - 2 * x, 2.0))
    assert knee(*turned).x == at
    order = np.argsort(turned[0])
    rises = turned[1][order][-1] > turned[1][order][0]
    bends_up = turned[1][order].mean() < (turned[1][order][0] + turned[1][order][-1]) / 2
    said = {"curve": "convex" if bends_up else "concave", "direction": "increasing" if rises else "decreasing"}
    assert knee(*turned, **said).x == at


def test_values_that_double_bend_by_their_logarithm():
    x, y = 2.0 ** np.arange(9), [9, 7, 5, 3, 1, 1, 1, 1, 1]
    assert knee(x, y, log_x=True).x == 16.0
    assert knee(x, y).clearness > knee(x, y, log_x=True).clearness == pytest.approx(0.5)


def test_lines_and_too_few_points_have_no_knee():
    assert knee([1, 2, 3, 4], [4, 3, 2, 1]) is None
    assert knee([1, 2], [4, 3]) is None
    assert knee([1, 2, 3], [2, 2, 2]) is None
    noisy = np.arange(50) + np.random.default_rng(0).normal(0, 0.2, 50)
    assert knee(np.arange(50), noisy) is None
    assert knee(np.arange(50), noisy, sensitivity=0) is not None


def test_points_may_come_in_any_order():
    x, y = np.arange(11.0), np.where(np.arange(11) <= 4, 10 - 2 * np.arange(11.0), 2.0)
    shuffled = np.random.default_rng(0).permutation(11)
    found = knee(x[shuffled], y[shuffled])
    assert (found.x, found.index) == (4.0, int(np.flatnonzero(shuffled == 4)[0]))


def slow_clearness(x, y):
    """Farthest upright distance from the chord, on either side, straight from the definition."""
    across = [(a - min(x)) / (max(x) - min(x)) for a in x]
    up = [(b - min(y)) / (max(y) - min(y)) for b in y]
    if y[-1] > y[0]:
        return max(abs(b - a) for a, b in zip(across, up))
    return max(abs(b - (1 - a)) for a, b in zip(across, up))


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(st.floats(0.01, 5), min_size=3, max_size=12), falls=st.booleans())
def test_the_knee_is_the_point_farthest_from_the_chord(steps, falls):
    x = np.cumsum(np.ones(len(steps)))
    y = np.cumsum(steps) * (-1 if falls else 1)
    found = knee(x, y, sensitivity=0)
    if found is None:
        assert slow_clearness(x, y) == pytest.approx(0, abs=1e-9)
    else:
        assert found.clearness == pytest.approx(slow_clearness(x.tolist(), y.tolist()), abs=1e-9)


def test_the_knee_of_an_error_stops_at_its_smallest_value():
    assert knee_of_falling(np.array([0.4, 0.1, 0.09, 0.08, 0.5, 0.07, 0.9])) == 1
    assert knee_of_falling(np.array([0.1, 0.2, 0.3])) == 0
    assert knee_of_falling(np.array([0.3, 0.2])) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], [1, 2, 3]), "same length"),
        (([1, 1, 2], [1, 2, 3]), "stand once"),
        (([1, 2, np.nan], [1, 2, 3]), "finite"),
        ((["a", "b"], [1, 2]), "hold numbers"),
    ],
)
def test_what_is_no_curve_is_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        knee(*arguments)


def test_wrong_words_are_refused_with_the_closest():
    with pytest.raises(ParameterError, match="did you mean 'convex'"):
        knee([1, 2, 3], [3, 2, 1], curve="convx")
    with pytest.raises(ParameterError, match="must be above 0"):
        knee([0, 1, 2], [3, 2, 1], log_x=True)
    with pytest.raises(ParameterError, match="at least 0"):
        knee([1, 2, 3], [3, 2, 1], sensitivity=-1)
