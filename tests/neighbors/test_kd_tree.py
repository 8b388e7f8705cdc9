"""margin.neighbors.indexes.kd_tree: worked by hand, then the definition in NumPy, then properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.errors import InputError
from margin.neighbors.indexes.kd_tree import KDTree

MEASURES = [
    ("euclidean", 2.0),
    ("manhattan", 1.0),
    ("chebyshev", 2.0),
    ("minkowski", 0.5),
    ("minkowski", 3.0),
    ("minkowski", 50.0),
]
ADDED = {"euclidean": np.square, "manhattan": np.abs, "chebyshev": np.abs}


def joined(rows, query, metric):
    """What rows are compared by, before any root: eight running sums over the columns, added up by halves."""
    join = np.maximum if metric == "chebyshev" else np.add
    terms = ADDED[metric](query - rows.astype(np.float64))
    sums = np.zeros((len(rows), 8))
    for j in range(terms.shape[1]):
        sums[:, j % 8] = join(sums[:, j % 8], terms[:, j])
    for half in (4, 2, 1):
        sums = join(sums[:, :half], sums[:, half:])
    return sums[:, 0]


def slow(rows, query, metric, p):
    """Distances and places of all rows, by distance, then by place."""
    if metric == "minkowski":  # the unit keeps powers from overflowing; powers differ in their last digits
        size = np.abs(query - rows.astype(np.float64))
        unit = size.max(axis=1, keepdims=True) + (size.max(axis=1, keepdims=True) == 0)
        distance = np.round(unit[:, 0] * ((size / unit) ** p).sum(axis=1) ** (1 / p), 9)
    else:
        distance = joined(rows, query, metric)
    order = np.lexsort((np.arange(len(rows)), distance))
    return (np.sqrt(distance) if metric == "euclidean" else distance)[order], order


def assert_as_defined(rows, queries, k, metric, p, leaf_size=16, n_threads=2):
    tree = KDTree.build(rows, metric, p, leaf_size, n_threads)
    distance, place = tree.nearest(queries, k, n_threads)
    for q, query in enumerate(queries):
        expected, order = slow(rows, query, metric, p)
        if metric == "minkowski":
            np.testing.assert_allclose(distance[q], expected[:k], rtol=1e-8, atol=1e-8)
        else:
            assert np.array_equal(distance[q], expected[:k])
            assert np.array_equal(place[q], order[:k])


def test_three_rows_on_a_line():
    tree = KDTree.build(np.array([[0.0], [1.0], [5.0]]), "euclidean", 2.0, 16, 1)
    distance, place = tree.nearest(np.array([[4.0], [0.4]]), 3, 1)
    assert place.tolist() == [[2, 1, 0], [0, 1, 2]]
    assert distance.tolist() == [[1.0, 3.0, 4.0], [0.4, 0.6, 4.6]]


@pytest.mark.parametrize(
    ("metric", "p", "expected"),
    [
        ("euclidean", 2.0, 5.0),
        ("manhattan", 1.0, 7.0),
        ("chebyshev", 2.0, 4.0),
        ("minkowski", 3.0, 91 ** (1 / 3)),
        ("minkowski", 0.5, (3**0.5 + 2) ** 2),
    ],
)
def test_three_and_four_apart(metric, p, expected):
    tree = KDTree.build(np.array([[3.0, -4.0]]), metric, p, 16, 1)
    distance, place = tree.nearest(np.zeros((1, 2)), 1, 1)
    assert distance[0, 0] == pytest.approx(expected, rel=1e-14)
    assert place.tolist() == [[0]]


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 400),
    d=st.integers(1, 20),
    share=st.floats(0, 1),
    measure=st.sampled_from(MEASURES[:3]),
    coarse=st.booleans(),
    single=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_neighbours_are_those_of_the_definition_to_the_last_bit(seed, n, d, share, measure, coarse, single):
    rng = np.random.default_rng(seed)
    draw = (lambda size: rng.integers(0, 3, size).astype(float)) if coarse else (lambda size: rng.normal(0, 1, size))
    rows = draw((n, d)).astype(np.float32 if single else np.float64)
    rows[:, rng.integers(d)] *= rng.integers(2)  # sometimes a constant column
    assert_as_defined(rows, draw((4, d)), max(1, round(share * n)), *measure)


@given(seed=st.integers(0, 10_000), d=st.integers(1, 9), measure=st.sampled_from(MEASURES), k=st.integers(1, 60))
@settings(max_examples=60, deadline=None)
def test_ties_go_to_the_smaller_place_for_every_metric(seed, d, measure, k):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 3, (60, d)).astype(float)
    rows[30:] = rows[:30]  # each row twice: the second one comes after the first, at the same distance
    queries = rng.integers(0, 3, (5, d)).astype(float)
    distance, place = KDTree.build(rows, *measure, 16, 2).nearest(queries, 60, 2)
    fewer = KDTree.build(rows, *measure, 16, 2).nearest(queries, k, 2)
    assert np.array_equal(fewer[0], distance[:, :k])
    assert np.array_equal(fewer[1], place[:, :k])
    for q in range(5):
        assert sorted(place[q]) == list(range(60))
        assert np.array_equal(np.lexsort((place[q], distance[q])), np.arange(60))


@pytest.mark.parametrize(("metric", "p"), MEASURES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_metric_has_the_distances_of_its_definition(metric, p, dtype):
    rng = np.random.default_rng(3)
    rows, queries = rng.normal(size=(3000, 4)).astype(dtype), rng.normal(size=(20, 4))
    assert_as_defined(rows, queries, 7, metric, p)


@pytest.mark.parametrize(("metric", "p"), MEASURES)
def test_number_of_threads_and_leaf_size_change_nothing(metric, p):
    rng = np.random.default_rng(4)
    rows, queries = rng.integers(0, 40, (9000, 3)).astype(float), rng.integers(0, 40, (150, 3)).astype(float)
    trees = [KDTree.build(rows, metric, p, 16, threads) for threads in (1, 2, 7)]
    for name in vars(trees[0]):
        assert all(np.array_equal(getattr(trees[0], name), getattr(tree, name)) for tree in trees), name
    answers = [tree.nearest(queries, 9, threads) for tree, threads in zip(trees, (1, 2, 7))]
    answers.append(KDTree.build(rows, metric, p, 200, 2).nearest(queries, 9, 2))
    answers.append(tuple(np.vstack(parts) for parts in zip(*(trees[0].nearest(q[None], 9, 1) for q in queries))))
    for other in answers[1:]:
        assert np.array_equal(answers[0][0], other[0])
        assert np.array_equal(answers[0][1], other[1])


@given(seed=st.integers(0, 10_000), radius=st.integers(0, 4), measure=st.sampled_from(MEASURES[:3]))
@settings(max_examples=60, deadline=None)
def test_all_rows_within_a_radius_are_found_those_at_the_very_radius_too(seed, radius, measure):
    rng = np.random.default_rng(seed)
    rows, queries = rng.integers(0, 6, (150, 3)).astype(float), rng.integers(-9, 15, (6, 3)).astype(float)
    start, distance, place = KDTree.build(rows, *measure, 16, 2).within(queries, radius, 2)
    assert start[0] == 0
    assert start[-1] == len(distance) == len(place)
    for q, query in enumerate(queries):
        expected, order = slow(rows, query, *measure)
        count = np.count_nonzero(expected <= radius)
        assert np.array_equal(distance[start[q] : start[q + 1]], expected[:count])
        assert np.array_equal(place[start[q] : start[q + 1]], order[:count])


def test_a_radius_as_a_distance_that_was_found_finds_it_again():
    rng = np.random.default_rng(5)
    rows, queries = rng.normal(size=(500, 3)), rng.normal(size=(100, 3))
    tree = KDTree.build(rows, "euclidean", 2.0, 16, 1)
    distance, place = tree.nearest(queries, 4, 1)
    for q in range(100):
        _, again, found = tree.within(queries[q : q + 1], distance[q, 3], 1)
        assert np.array_equal(again, distance[q])
        assert np.array_equal(found, place[q])


@pytest.mark.parametrize("n", [1, 16, 17, 5000])
def test_equal_rows_come_in_the_order_of_their_places(n):
    tree = KDTree.build(np.full((n, 3), 0.1), "euclidean", 2.0, 16, 2)
    distance, place = tree.nearest(np.full((2, 3), 0.1), n, 2)
    assert np.array_equal(place, np.tile(np.arange(n), (2, 1)))
    assert not distance.any()


def test_masses_of_rows_that_equal_the_query_are_not_all_looked_at():
    rng = np.random.default_rng(11)
    rows = rng.integers(0, 2, (20_000, 3)).astype(float)  # eight points, 2500 rows each
    tree = KDTree.build(rows, "euclidean", 2.0, 16, 2)
    assert tree.looked_at(rows[:50], 5, 2) < 0.02
    assert_as_defined(rows, rows[:8], 5, "euclidean", 2.0)


def test_one_column_and_all_rows_asked_for():
    rows = np.random.default_rng(6).normal(size=(300, 1))
    assert_as_defined(rows, np.array([[0.0], [100.0]]), 300, "euclidean", 2.0)


@pytest.mark.parametrize("unit", [1e-150, 1e-30, 1e30, 1e150])
@pytest.mark.parametrize(("metric", "p"), MEASURES[:3])
def test_magnitudes_of_any_size(unit, metric, p):
    rows = unit * np.random.default_rng(7).uniform(-1, 1, (400, 3))
    tree = KDTree.build(rows, metric, p, 16, 2)
    assert_as_defined(rows, rows[:5] * 0.9, 6, metric, p)
    assert tree.looked_at(rows[:20], 1, 1) < 0.5


def test_a_far_offset_costs_nothing():
    rng = np.random.default_rng(8)
    rows = rng.normal(size=(20_000, 3))
    near = KDTree.build(rows, "euclidean", 2.0, 16, 2).looked_at(rows[:100], 5, 2)
    far = KDTree.build(rows + 1e9, "euclidean", 2.0, 16, 2).looked_at(rows[:100] + 1e9, 5, 2)
    assert far < 2 * near
    assert_as_defined(rows + 1e9, rows[:10] + 1e9, 5, "euclidean", 2.0)


def test_absurd_queries_are_infinitely_far_and_never_nan():
    tree = KDTree.build(np.array([[1.0, 2.0], [3.0, 4.0]]), "euclidean", 2.0, 16, 1)
    distance, place = tree.nearest(np.array([[1e300, -1e300]]), 2, 1)
    assert np.isposinf(distance).all()
    assert place.tolist() == [[0, 1]]


def test_float32_rows_stay_float32_and_answer_like_the_same_rows_in_double():
    rng = np.random.default_rng(9)
    rows, queries = rng.normal(size=(5000, 5)).astype(np.float32), rng.normal(size=(50, 5))
    single, double = (KDTree.build(r, "euclidean", 2.0, 16, 2) for r in (rows, rows.astype(np.float64)))
    assert {value.dtype for value in vars(single).values() if isinstance(value, np.ndarray)} == {
        np.dtype(np.float32),
        np.dtype(np.int32),
        np.dtype(np.float64),  # the shift of each column
    }
    assert single.cells.size == 0
    for one, other in zip(single.nearest(queries, 5, 2), double.nearest(queries, 5, 2)):
        assert np.array_equal(one, other)


def test_no_queries_have_no_neighbours():
    tree = KDTree.build(np.zeros((4, 2)), "euclidean", 2.0, 16, 2)
    distance, place = tree.nearest(np.zeros((0, 2)), 3, 2)
    assert distance.shape == place.shape == (0, 3)
    assert tree.within(np.zeros((0, 2)), 1.0, 2)[0].tolist() == [0]
    assert tree.looked_at(np.zeros((0, 2)), 1, 2) == 0


def test_few_dimensions_are_looked_at_little_and_many_entirely():
    rng = np.random.default_rng(10)
    share = {
        d: KDTree.build(rng.normal(size=(5000, d)), "euclidean", 2.0, 16, 2).looked_at(rng.normal(size=(20, d)), 5, 2)
        for d in (2, 40)
    }
    assert share[2] < 0.03
    assert share[40] > 0.9


def test_more_rows_than_places_can_number_are_refused():
    many = np.broadcast_to(np.zeros((1, 1)), (2**31, 1))
    with pytest.raises(InputError, match=r"at most 2147483647 rows, not 2147483648"):
        KDTree.build(many, "euclidean", 2.0, 16, 1)
