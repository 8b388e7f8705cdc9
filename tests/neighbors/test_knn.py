"""margin.neighbors: worked by hand, then the definition in NumPy, then properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import KNeighborsClassifier, RoteClassifier
from margin.errors import InputError, ParameterError

DISTANCES = {
    "euclidean": lambda a, b: np.sqrt(((a - b) ** 2).sum()),
    "manhattan": lambda a, b: np.abs(a - b).sum(),
    "chebyshev": lambda a, b: np.abs(a - b).max(),
    "minkowski": lambda a, b: (np.abs(a - b) ** 3).sum() ** (1 / 3),
}

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")


def slow_neighbors(X, y, query, k, distance):
    """All distances, sorted by distance, then class (the last one first), then row."""
    ranked = sorted((float(distance(row, query)), -y[i], i) for i, row in enumerate(X))
    return [i for _, _, i in ranked[:k]]


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 40),
    d=st.integers(1, 40),
    k=st.integers(1, 8),
    metric=st.sampled_from(sorted(DISTANCES)),
)
@settings(max_examples=60, deadline=None)
def test_neighbours_are_those_of_the_definition_with_duplicates_and_ties(seed, n, d, k, metric):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, d)).astype(float)  # whole numbers: many ties
    y = rng.integers(0, 3, n)
    queries = rng.integers(0, 3, (5, d)).astype(float)
    model = KNeighborsClassifier(k, metric=metric, p=3).fit(X, y)
    _, rows = model.kneighbors(queries)
    for found, query in zip(rows, queries):
        expected = slow_neighbors(X, y, query, min(k, n), lambda a, b: np.round(DISTANCES[metric](a, b), 9))
        assert found.tolist() == expected


@given(seed=st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_answers_do_not_depend_on_the_order_of_the_rows(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, (30, 2)).astype(float), rng.integers(0, 3, 30)
    order = rng.permutation(30)
    one = KNeighborsClassifier(4).fit(X, y).predict_proba(X)
    other = KNeighborsClassifier(4).fit(X[order], y[order]).predict_proba(X)
    assert np.array_equal(one, other)


def test_float32_rows_stay_float32():
    X = np.arange(12, dtype=np.float32).reshape(6, 2)
    model = KNeighborsClassifier(1).fit(X, [0, 0, 0, 1, 1, 1])
    assert model._index.cells.dtype == np.float32
    assert model.predict(X).tolist() == [0, 0, 0, 1, 1, 1]


def test_more_neighbours_than_rows_ask_all_rows():
    model = KNeighborsClassifier(50).fit([[0.0], [1.0], [2.0]], ["a", "a", "b"])
    assert model.predict_proba([[9.0]])[0] == pytest.approx([2 / 3, 1 / 3])


def test_a_function_of_the_user_weighs_the_votes():
    model = KNeighborsClassifier(2, weights=lambda d: np.exp(-d)).fit([[0.0], [1.0]], ["a", "b"])
    assert model.predict_proba([[0.25]])[0] == pytest.approx([1 / (1 + np.exp(-0.5)), 1 / (1 + np.exp(0.5))])
    with pytest.raises(InputError, match="finite vote"):
        KNeighborsClassifier(2, weights=lambda d: -d).fit([[0.0], [1.0]], ["a", "b"]).predict([[0.5]])


def test_an_unknown_metric_is_answered_with_the_list_and_the_nearest_word():
    with pytest.raises(ParameterError, match=r"one of 'euclidean', .*did you mean 'euclidean'"):
        KNeighborsClassifier(metric="euclidian").fit([[0.0]], [0])


def test_weights_that_are_not_counts_multiply_the_votes():
    model = KNeighborsClassifier(2).fit([[0.0], [1.0]], ["a", "b"], sample_weight=[0.75, 0.25])
    assert model.predict_proba([[0.5]])[0] == pytest.approx([0.75, 0.25])


def test_equal_rows_with_different_labels_answer_by_weight():
    model = RoteClassifier().fit([[1, 1], [1, 1], [2, 2]], ["a", "b", "b"], sample_weight=[3, 1, 1])
    assert model.predict_proba([[1, 1]])[0].tolist() == [0.75, 0.25]


def test_a_missing_cell_matches_a_missing_cell_and_minus_zero_is_zero():
    model = RoteClassifier(unmatched="abstain").fit([[np.nan, 0.0], [1.0, 2.0]], ["a", "b"])
    assert model.predict([[np.nan, -0.0]]).tolist() == ["a"]
    assert model.predict([[9.0, 9.0]]).tolist() == [None]
    assert model.predict_proba([[9.0, 9.0]]).tolist() == [[0.5, 0.5]]
    assert model.matched([[1.0, 2.0], [9.0, 9.0]]).tolist() == [True, False]


@pytest.mark.parametrize("p", [0.5, 3, 50, 1000])
@pytest.mark.parametrize("unit", [1e-140, 1e-10, 1.0, 1e10, 1e140])
def test_powers_of_any_size_find_the_nearest_and_say_how_far(p, unit):
    X = np.array([[1.0, 1.0], [2.0, 1.0], [4.0, 3.0]]) * unit
    distance, rows = KNeighborsClassifier(3, p=p).fit(X, [0, 1, 2]).kneighbors([[0.0, 0.0]])
    assert rows.tolist() == [[0, 1, 2]]
    expected = [1.0 * 2 ** (1 / p), 2.0 * (1 + 0.5**p) ** (1 / p), 4.0 * (1 + 0.75**p) ** (1 / p)]
    np.testing.assert_allclose(distance[0], np.array(expected) * unit, rtol=1e-12)


def test_a_distance_beyond_all_numbers_is_refused_by_row():
    model = KNeighborsClassifier(1, p=1e-4).fit([[0.0, 0.0]], ["a"])
    with pytest.raises(InputError, match="row 1 of X is too far"):
        model.predict([[0.0, 0.0], [1.0, 1.0]])


def test_a_query_between_two_float32_numbers_keeps_its_digits():
    X = np.array([[2.0**24], [2.0**24 + 2]], dtype=np.float32)
    model = KNeighborsClassifier(1).fit(X, ["a", "b"])
    assert model.predict([[2.0**24 + 0.9], [2.0**24 + 1.1]]).tolist() == ["a", "b"]


def test_votes_by_distance_need_no_ordinary_distances():
    for unit in (1e-148, 1e-60, 1.0, 1e100):
        model = KNeighborsClassifier(2, weights="inverse_square").fit([[1 * unit], [-2 * unit]], ["a", "b"])
        assert model.predict_proba([[0.0]])[0] == pytest.approx([0.8, 0.2])


@pytest.mark.parametrize("k", [0, -1, 2.5, "two"])
def test_an_impossible_number_of_neighbours_is_refused(k):
    with pytest.raises(ParameterError, match="n_neighbors must be a whole number of at least 1"):
        KNeighborsClassifier(1).fit([[0.0]], ["a"]).kneighbors([[0.0]], k)


@pytest.mark.parametrize(
    "votes", [lambda d: None, lambda d: "x", lambda d: d * np.nan, lambda d: 1.0], ids=["None", "word", "NaN", "one"]
)
def test_a_function_that_gives_no_votes_is_refused(votes):
    with pytest.raises(InputError, match="finite vote"):
        KNeighborsClassifier(1, weights=votes).fit([[0.0], [1.0]], ["a", "b"]).predict([[0.25]])


def test_the_metric_is_that_of_the_fit_and_the_number_of_neighbours_that_of_the_question():
    X = [[0.0, 0.0], [2.0, 2.0], [0.0, 3.0]]
    model = KNeighborsClassifier(1, metric="chebyshev").fit(X, ["a", "b", "c"])
    model.set_params(metric="manhattan", n_neighbors=2)
    distance, _ = model.kneighbors([[0.0, 0.0]])
    assert distance.tolist() == [[0.0, 2.0]]


def test_voters_are_those_of_one_row():
    model = KNeighborsClassifier(1).fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(InputError, match="one row, but has 2"):
        model.voters([[0.0], [1.0]])
