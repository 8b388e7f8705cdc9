"""KNeighborsRegressor: worked by hand, then the definition in NumPy, then properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import KNeighborsRegressor
from margin.errors import InputError, LabelError

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")


def slow_mean(X, y, query, k, vote):
    """The mean of the k nearest, each counting by its distance; equally far ones share the places that are left."""
    far = np.abs(X - query).sum(axis=1)
    nearer, group = (far[:, None] > far).sum(axis=1), (far[:, None] == far).sum(axis=1)
    places = np.clip((k - nearer) / group, 0, 1)
    votes = np.array([vote(distance) for distance in far])
    if np.isinf(votes[places > 0]).any():
        votes = np.isinf(votes).astype(float)
    return float((places * votes * y).sum() / (places * votes).sum())


VOTES = {
    "uniform": lambda d: 1.0,
    "distance": lambda d: np.inf if d == 0 else 1 / d,
    "inverse_square": lambda d: np.inf if d == 0 else 1 / d**2,
}


def test_the_answer_is_the_mean_of_the_neighbours():
    model = KNeighborsRegressor(2).fit([[0.0], [1.0], [5.0]], [10.0, 20.0, 90.0])
    assert model.predict([[0.2], [4.0]]).tolist() == [15.0, 55.0]


def test_near_neighbours_count_more_and_an_exact_match_alone():
    model = KNeighborsRegressor(2, weights="distance").fit([[0.0], [3.0]], [10.0, 40.0])
    assert model.predict([[1.0], [3.0]]) == pytest.approx([20.0, 40.0])


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 30),
    k=st.integers(1, 8),
    weights=st.sampled_from(sorted(VOTES)),
)
@settings(max_examples=50, deadline=None)
def test_agrees_with_the_definition_with_duplicates_and_ties(seed, n, k, weights):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, (n, 2)).astype(float), rng.integers(-3, 4, n) / 2
    queries = rng.integers(0, 3, (5, 2)).astype(float)
    found = KNeighborsRegressor(k, weights=weights, metric="manhattan").fit(X, y).predict(queries)
    expected = [slow_mean(X, y, query, k, VOTES[weights]) for query in queries]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@given(seed=st.integers(0, 10_000), outputs=st.integers(1, 3))
@settings(max_examples=25, deadline=None)
def test_answers_do_not_depend_on_the_order_of_the_rows(seed, outputs):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, (30, 2)).astype(float), rng.integers(0, 3, (30, outputs)) / 7
    y = y[:, 0] if outputs == 1 else y
    order = rng.permutation(30)
    one = KNeighborsRegressor(4, weights="distance").fit(X, y).predict(X + 0.25)
    other = KNeighborsRegressor(4, weights="distance").fit(X[order], y[order]).predict(X + 0.25)
    assert one.tobytes() == other.tobytes()


def test_several_targets_are_answered_by_the_same_neighbours():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), rng.normal(size=(50, 2))
    together = KNeighborsRegressor(4, weights="distance").fit(X, y).predict(X[:9] + 0.1)
    apart = [KNeighborsRegressor(4, weights="distance").fit(X, y[:, j]).predict(X[:9] + 0.1) for j in range(2)]
    np.testing.assert_allclose(together, np.column_stack(apart), rtol=1e-15)
    assert KNeighborsRegressor(4).fit(X, y).predict(X[:0]).shape == (0, 2)


def test_no_digit_is_lost_to_a_large_offset():
    offset = 2.0**50
    y = offset + np.array([0.25, 0.5, 0.75])
    model = KNeighborsRegressor(3).fit([[0.0], [1.0], [2.0]], y)
    assert model.predict([[0.0]])[0] - offset == 0.5
    large = KNeighborsRegressor(2).fit([[0.0], [1.0]], [1e150, -1e150])
    assert large.predict([[0.5]])[0] == 0.0


def test_neighbours_of_one_target_answer_it_exactly():
    model = KNeighborsRegressor(7, weights="inverse_square").fit(np.arange(7.0)[:, None], [0.1] * 7)
    assert model.predict([[2.3]])[0] == 0.1


def test_whole_number_weights_are_repeated_rows_and_others_multiply():
    X, y = [[0.0], [1.0], [2.0]], [10.0, 20.0, 40.0]
    assert KNeighborsRegressor(3).fit(X, y, [2, 5, 1]).predict([[0.0]])[0] == pytest.approx((10 + 10 + 20) / 3)
    assert KNeighborsRegressor(2).fit(X, y, [0.75, 0.25, 1.5]).predict([[0.0]])[0] == pytest.approx(12.5)


def test_where_no_vote_counts_all_neighbours_count_the_same():
    model = KNeighborsRegressor(2, weights=lambda d: np.zeros_like(d)).fit([[0.0], [1.0], [9.0]], [1.0, 2.0, 7.0])
    assert model.predict([[0.5]])[0] == 1.5


def test_voters_are_those_of_one_row_with_their_targets():
    model = KNeighborsRegressor(2).fit([[0.0], [1.0], [9.0]], [1.5, 2.5, 7.0])
    distance, rows, targets, votes = model.voters([[0.25]])
    assert (distance.tolist(), rows.tolist(), targets.tolist(), votes.tolist()) == (
        [0.25, 0.75],
        [0, 1],
        [1.5, 2.5],
        [1.0, 1.0],
    )
    with pytest.raises(InputError, match="one row, but has 2"):
        model.voters([[0.0], [1.0]])


def test_a_mixed_table_with_missing_cells_goes_straight_in():
    X = np.array([[1.0, "a"], [2.0, None], [np.nan, "b"], [4.0, "b"]], dtype=object)
    model = KNeighborsRegressor(1, metric="heom").fit(X, [1.0, 2.0, 3.0, 4.0])
    assert model.predict(np.array([[4.0, "b"], [1.0, "a"]], dtype=object)).tolist() == [4.0, 1.0]


def test_bad_targets_of_several_are_refused_with_column_and_row():
    y = np.ones((4, 2))
    y[2, 1] = np.inf
    with pytest.raises(LabelError, match="column 1 of y: y holds inf in row 2"):
        KNeighborsRegressor(1).fit(np.arange(4.0)[:, None], y)
