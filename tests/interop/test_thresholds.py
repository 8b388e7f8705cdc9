"""Thresholds of trees: scikit-learn rounds cells to float32 first, and margin's doubles must part at the same place."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier, ExtraTreeRegressor

import margin
from margin.interop.thresholds import last_that, rounded

NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=64)


def test_the_last_double_that_rounds_to_one_is_half_a_step_of_float32_above_it():
    # 1 + 2**-24 lies in the middle between 1 and the next float32, and goes to the even one, which is 1.
    assert last_that(lambda x: rounded(x) <= 1.0, 1)[0] == 1 + 2.0**-24
    # The next float32 is odd: the middle behind it goes away from it.
    assert last_that(lambda x: rounded(x) <= 1 + 2.0**-23, 1)[0] == np.nextafter(1 + 3 * 2.0**-24, 0)


def test_a_threshold_between_two_float32_parts_where_rounding_does():
    assert last_that(lambda x: rounded(x) <= 1 + 2.0**-25, 1)[0] == 1 + 2.0**-24


def test_nothing_goes_left_and_everything_goes_left():
    never, always = last_that(lambda x: np.array([False, True]), 2)
    assert never == -np.inf
    assert always == np.finfo(np.float64).max


def test_zero_is_one_number_with_two_signs():
    assert last_that(lambda x: x <= 0.0, 1)[0] == 0.0
    assert last_that(lambda x: x < 0.0, 1)[0] == -5e-324


@given(NUMBERS, NUMBERS)
def test_a_double_is_below_the_threshold_just_where_its_float32_is(limit, x):
    found = last_that(lambda cells: rounded(cells) <= limit, 1)[0]
    for cell in (x, found, np.nextafter(found, np.inf), np.nextafter(found, -np.inf), limit):
        if np.isfinite(cell):
            assert (cell <= found) == bool(rounded(np.array([cell]))[0] <= limit)


@pytest.mark.parametrize("scaler", [None, StandardScaler(), MinMaxScaler((-3, 5))], ids=str)
def test_trees_part_rows_one_step_around_their_thresholds_as_scikit_learn_does(scaler):
    random = np.random.default_rng(3)
    X = random.normal(size=(300, 3)) * [1.0, 1e-3, 1e6] + [0.1, 7.0, 1e8]
    y = random.integers(0, 3, 300)
    theirs = DecisionTreeClassifier(random_state=0)
    theirs = (theirs if scaler is None else make_pipeline(scaler, theirs)).fit(X, y)
    ours = margin.from_sklearn(theirs)
    tree = ours.tree_
    inner = np.flatnonzero(~tree.is_leaf)
    assert len(inner) > 50
    rows = []
    for node in inner:
        at = tree.threshold[node]
        for cell in (at, np.nextafter(at, np.inf), np.nextafter(at, -np.inf), np.float64(np.float32(at))):
            for row in X[:3].copy():
                row[tree.column[node]] = cell
                rows.append(row)
    np.testing.assert_array_equal(ours.predict_proba(np.array(rows)), theirs.predict_proba(np.array(rows)))


def test_rows_of_float32_go_the_same_way():
    random = np.random.default_rng(4)
    X = random.normal(size=(200, 2)).astype(np.float32)
    theirs = ExtraTreeRegressor(random_state=0).fit(X, X[:, 0] * X[:, 1])
    np.testing.assert_array_equal(margin.from_sklearn(theirs).predict(X), theirs.predict(X))
