"""margin.neighbors.indexes.ball_tree: worked by hand, then the definition, then properties."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.errors import InputError, ParameterError
from margin.neighbors.indexes.ball_tree import BALL_METRICS, BallTree


def great_circle(a, b):
    """The angle between two unit vectors, by the arc tangent of sine and cosine."""
    u, v = (np.array([math.cos(x) * math.cos(y), math.cos(x) * math.sin(y), math.sin(x)]) for x, y in (a, b))
    return math.atan2(float(np.linalg.norm(np.cross(u, v))), float(u @ v))


def canberra(a, b):
    return sum(abs(x - y) / (abs(x) + abs(y)) for x, y in zip(a, b) if x != y)


DEFINITIONS = {
    "euclidean": lambda a, b: math.sqrt(((a - b) ** 2).sum()),
    "manhattan": lambda a, b: np.abs(a - b).sum(),
    "chebyshev": lambda a, b: np.abs(a - b).max(),
    "minkowski": lambda a, b: (np.abs(a - b) ** 3).sum() ** (1 / 3),
    "canberra": canberra,
    "hamming": lambda a, b: np.mean(a != b),
    "haversine": great_circle,
}


def test_every_metric_by_name_has_its_definition_here():
    assert set(BALL_METRICS) == set(DEFINITIONS)


def test_distances_worked_by_hand():
    rows, query = np.array([[1.0, 0.0, -2.0]]), np.array([[3.0, 0.0, 2.0]])
    expected = {"canberra": 2 / 4 + 4 / 4, "hamming": 2 / 3, "manhattan": 6, "chebyshev": 4, "euclidean": math.sqrt(20)}
    for metric, distance in expected.items():
        assert BallTree.build(rows, metric, 2.0, 1, 1).nearest(query, 1, 1)[0].tolist() == [[distance]]


def test_distances_on_the_sphere():
    quarter = math.pi / 2
    rows = np.array([[0.0, 0.0], [0.0, quarter], [0.0, math.pi], [quarter, 1.0], [0.0, 1e-12]])
    distance, place = BallTree.build(rows, "haversine", 2.0, 1, 1).nearest(np.zeros((1, 2)), 5, 1)
    assert place.tolist() == [[0, 4, 1, 3, 2]]
    np.testing.assert_allclose(distance[0], [0, 1e-12, quarter, quarter, math.pi], rtol=1e-15)
    # Nearly opposite places: the usual arc sine would be wrong by 1e-8 here.
    near = BallTree.build(np.array([[-0.3, math.pi - 1e-7]]), "haversine", 2.0, 1, 1)
    distance, _ = near.nearest(np.array([[0.3, 0.0]]), 1, 1)
    assert distance[0, 0] == pytest.approx(math.pi - math.cos(0.3) * 1e-7, abs=1e-15)


def some_rows(rng, n, d, metric, dtype=np.float64):
    """Few different values, hence duplicates and ties."""
    rows = rng.integers(-1, 3, (n, d)) * (0.5 if metric == "haversine" else 1.0)
    return rows.astype(dtype)


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 60),
    d=st.integers(1, 20),
    k=st.integers(1, 60),
    leaf_size=st.sampled_from([1, 2, 5, 100]),
    metric=st.sampled_from(BALL_METRICS),
    dtype=st.sampled_from([np.float32, np.float64]),
)
@settings(max_examples=150, deadline=None)
def test_neighbours_are_those_of_the_definition_with_duplicates_and_ties(seed, n, d, k, leaf_size, metric, dtype):
    rng = np.random.default_rng(seed)
    d, k = 2 if metric == "haversine" else d, min(k, n)
    rows, queries = some_rows(rng, n, d, metric, dtype), some_rows(rng, 4, d, metric)
    every = np.array([[DEFINITIONS[metric](q, r) for r in rows.astype(np.float64)] for q in queries])
    index = BallTree.build(rows, metric, 3.0, leaf_size, 1)
    distance, place = index.nearest(queries, k, 1)
    np.testing.assert_allclose(distance, np.sort(every, axis=1)[:, :k], atol=1e-14)
    if metric in ("manhattan", "chebyshev", "hamming", "euclidean"):  # sums of whole numbers: equal ones are equal
        expected = [sorted(range(n), key=lambda i: (round(row[i], 9), i))[:k] for row in every]
        assert place.tolist() == expected
    scan = BallTree.scan(rows, metric, 3.0)
    for one, other in zip(index.nearest(queries, k, 1), scan.nearest(queries, k, 1)):
        np.testing.assert_array_equal(one, other)
    for radius in (0.0, 1.0, 2.5):
        for one, other in zip(index.within(queries, radius, 1), scan.within(queries, radius, 1)):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("metric", BALL_METRICS)
@pytest.mark.parametrize("unit", [1e-140, 1e-3, 1.0, 1e10])
def test_a_tree_finds_what_a_scan_finds_to_the_last_bit(metric, unit):
    if metric == "haversine" and unit > 1:
        unit = 100.0  # many times round the sphere
    rng = np.random.default_rng(1)
    d = 2 if metric == "haversine" else 3
    rows = rng.normal(size=(2000, d)) * unit
    queries = np.concatenate([rng.normal(size=(30, d)) * unit, rows[:5], rows[5:10] * (1 + 1e-15)])
    tree, scan = BallTree.build(rows, metric, 1.5, 8, 2), BallTree.scan(rows, metric, 1.5)
    for k in (1, 7, 40):
        for one, other in zip(tree.nearest(queries, k, 2), scan.nearest(queries, k, 1)):
            np.testing.assert_array_equal(one, other)
    radius = float(scan.nearest(queries[:1], 20, 1)[0].max())
    for one, other in zip(tree.within(queries, radius, 2), scan.within(queries, radius, 1)):
        np.testing.assert_array_equal(one, other)


def test_rows_within_a_radius_include_those_at_it_and_come_query_by_query():
    tree = BallTree.build(np.array([[3.0], [0.0], [1.0], [2.0]]), "manhattan", 2.0, 1, 1)
    start, distance, place = tree.within(np.array([[0.0], [50.0], [2.0]]), 2.0, 1)
    assert start.tolist() == [0, 3, 3, 7]
    assert distance.tolist() == [0, 1, 2, 0, 1, 1, 2]
    assert place.tolist() == [1, 2, 3, 3, 0, 2, 1]


def test_the_number_of_threads_changes_nothing():
    rng = np.random.default_rng(0)
    rows, queries = rng.integers(0, 9, (5000, 3)).astype(float), rng.integers(0, 9, (300, 3)).astype(float)
    trees = [BallTree.build(rows, "canberra", 2.0, 10, threads) for threads in (1, 2, 5)]
    for tree in trees[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(tree._tree(), trees[0]._tree()))
    answers = [trees[0].nearest(queries, 9, threads) for threads in (1, 2, 5)]
    assert all(np.array_equal(a, b) for other in answers[1:] for a, b in zip(other, answers[0]))


def test_equal_rows_make_a_shallow_tree_and_are_found_by_place():
    tree = BallTree.build(np.ones((5000, 2)), "euclidean", 2.0, 1, 2)
    assert tree._levels <= 13
    distance, place = tree.nearest(np.ones((1, 2)), 7, 1)
    assert distance.tolist() == [[0.0] * 7]
    assert place.tolist() == [[0, 1, 2, 3, 4, 5, 6]]


def test_rows_come_back_by_place_as_float64():
    rows = np.arange(20, dtype=np.float32).reshape(10, 2)[::-1].copy()
    for index in (BallTree.build(rows, "canberra", 2.0, 1, 1), BallTree.scan(rows, "canberra", 2.0)):
        assert index.rows().dtype == np.float64
        np.testing.assert_array_equal(index.rows(), rows)


def test_no_queries_and_a_single_row():
    tree = BallTree.build(np.array([[1.0, 2.0]]), "hamming", 2.0, 40, 1)
    assert tree.n_rows == 1
    assert tree.name == "ball tree"
    assert tree.nearest(np.empty((0, 2)), 1, 1)[0].shape == (0, 1)
    assert tree.within(np.empty((0, 2)), 1.0, 1)[0].tolist() == [0]


def test_powers_below_one_are_scanned_but_make_no_tree():
    rows = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 3.0]])
    with pytest.raises(ParameterError, match=r"BallTree\(p=0.5\): p must be at least 1"):
        BallTree.build(rows, "minkowski", 0.5, 1, 1)
    distance, place = BallTree.scan(rows, "minkowski", 0.5).nearest(np.zeros((1, 2)), 3, 1)
    assert place.tolist() == [[0, 2, 1]]
    np.testing.assert_allclose(distance, [[0, 3, 4]])


def test_places_on_the_sphere_have_two_columns():
    with pytest.raises(InputError, match="two columns, latitude and longitude"):
        BallTree.build(np.zeros((2, 3)), "haversine", 2.0, 1, 1)


def edit_distance(a, b):
    """Insertions, deletions and changes between two words, padded with -1."""
    a, b = a[a >= 0], b[b >= 0]
    before = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        now = [i]
        for j, y in enumerate(b, 1):
            now.append(min(now[-1] + 1, before[j] + 1, before[j - 1] + (x != y)))
        before = now
    return before[-1]


@given(seed=st.integers(0, 10_000), n=st.integers(1, 40), k=st.integers(1, 40), leaf_size=st.sampled_from([1, 3, 50]))
@settings(max_examples=25, deadline=None)
def test_a_function_of_the_user_finds_what_the_definition_says(seed, n, k, leaf_size):
    rng = np.random.default_rng(seed)
    k = min(k, n)
    words = rng.integers(-1, 2, (n, 4)).astype(np.float32)
    queries = rng.integers(-1, 2, (3, 4)).astype(np.float64)
    tree = BallTree.build(words, edit_distance, 2.0, leaf_size, 2)
    distance, place = tree.nearest(queries, k, 2)
    start, near, near_place = tree.within(queries, 1.0, 2)
    for q, query in enumerate(queries):
        ranked = sorted((float(edit_distance(query, word)), i) for i, word in enumerate(words))
        assert list(zip(distance[q].tolist(), place[q].tolist())) == ranked[:k]
        part = slice(start[q], start[q + 1])
        assert list(zip(near[part].tolist(), near_place[part].tolist())) == [r for r in ranked if r[0] <= 1]


def test_a_function_is_asked_less_often_by_a_tree_than_by_a_scan():
    asked = []

    def distance(a, b):
        asked.append(1)
        return np.abs(a - b).sum()

    rows = np.random.default_rng(0).normal(size=(3000, 2))
    tree = BallTree.build(rows, distance, 2.0, 8, 1)
    asked.clear()
    tree.nearest(rows[:20], 3, 1)
    assert len(asked) < 20 * 3000 / 10


@pytest.mark.parametrize("answer", [None, "3", math.nan, math.inf, -1.0, 1j, np.zeros(2), [1.0]])
def test_a_function_that_gives_no_distance_is_refused_by_name(answer):
    def odd(a, b):
        return answer

    with pytest.raises(InputError, match=r"BallTree\(metric=odd\): the function must give a finite number of at least"):
        BallTree.build(np.zeros((3, 1)), odd, 2.0, 1, 1)
    with pytest.raises(InputError, match="but gave"):
        BallTree.scan(np.zeros((3, 1)), odd, 2.0).nearest(np.zeros((1, 1)), 1, 1)


@pytest.mark.parametrize("answer", [2, True, np.float32(2.5), np.int8(3), np.array(1.5)])
def test_any_kind_of_number_is_a_distance(answer):
    scan = BallTree.scan(np.zeros((1, 1)), lambda a, b: answer, 2.0)
    assert scan.nearest(np.zeros((1, 1)), 1, 1)[0].tolist() == [[float(answer)]]


def test_what_a_function_raises_comes_out():
    def broken(a, b):
        raise ZeroDivisionError("by hand")

    with pytest.raises(ZeroDivisionError, match="by hand"):
        BallTree.build(np.zeros((3, 1)), broken, 2.0, 1, 1)
    with pytest.raises(ZeroDivisionError, match="by hand"):
        BallTree.scan(np.zeros((3, 1)), broken, 2.0).within(np.zeros((1, 1)), 1.0, 1)


def test_a_function_cannot_write_to_the_rows():
    def greedy(a, b):
        b[0] = 0.0
        return 0.0

    with pytest.raises(ValueError, match="read-only"):
        BallTree.build(np.ones((3, 1)), greedy, 2.0, 1, 1)
