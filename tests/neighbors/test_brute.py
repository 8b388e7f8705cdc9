"""margin.neighbors.indexes.brute_force:
hand-worked cases, then the definition, then data that rounding to bytes treats badly.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.neighbors.indexes.brute_force import BruteForce

METRICS = [("euclidean", 2.0), ("manhattan", 1.0), ("chebyshev", 1.0), ("minkowski", 3.0), ("minkowski", 1.5)]
TYPES = [np.float32, np.float64]


def joined(query: np.ndarray, rows: np.ndarray, metric: str, p: float) -> np.ndarray:
    """The distances from one query to all rows in the order of additions that the core states."""
    difference = np.abs(query - rows.astype(np.float64))
    with np.errstate(over="ignore"):
        terms = {"euclidean": difference**2, "minkowski": difference**p}.get(metric, difference)
    join = np.maximum if metric == "chebyshev" else np.add
    sums = np.zeros((8, len(rows)))
    for j, term in enumerate(terms.T):
        sums[j % 8] = join(sums[j % 8], term)
    for half in (4, 2, 1):
        sums = join(sums[:half], sums[half : 2 * half])
    return sums[0]


def finished(joined: np.ndarray, metric: str, p: float) -> np.ndarray:
    return {"euclidean": np.sqrt(joined), "minkowski": joined ** (1 / p)}.get(metric, joined)


def check_against_the_definition(rows, queries, k, metric="euclidean", p=2.0, n_threads=2):
    """Nearest rows and rows within a radius, for each query: the very bits, except for powers of NumPy's own."""
    index = BruteForce.build(rows, metric, p)
    distance, place = index.nearest(queries, k, n_threads)
    assert distance.shape == place.shape == (len(queries), k)
    radius = float(np.median(distance)) if len(queries) else 1.0
    start, near, row = index.within(queries, radius, n_threads)
    assert start[0] == 0
    assert start[-1] == len(near) == len(row)
    for q, query in enumerate(queries):
        exact = joined(query, rows, metric, p)
        if metric == "minkowski":
            np.testing.assert_allclose(distance[q], np.sort(finished(exact, metric, p))[:k], rtol=1e-12, atol=0)
            continue
        order = np.lexsort((np.arange(len(rows)), exact))
        np.testing.assert_array_equal(place[q], order[:k])
        np.testing.assert_array_equal(distance[q], finished(exact[order[:k]], metric, p))
        inside = order[finished(exact[order], metric, p) <= radius]
        np.testing.assert_array_equal(row[start[q] : start[q + 1]], inside)
        np.testing.assert_array_equal(near[start[q] : start[q + 1]], finished(exact[inside], metric, p))


def test_three_rows_by_hand():
    rows = np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]])
    queries = np.array([[0.0, 0.0]])
    expected = {"euclidean": [0, 3, 5], "manhattan": [0, 3, 7], "chebyshev": [0, 3, 4]}
    for metric, distances in expected.items():
        distance, place = BruteForce.build(rows, metric, 2.0).nearest(queries, 3)
        assert place.tolist() == [[0, 2, 1]]
        assert distance.tolist() == [distances]
    distance, _ = BruteForce.build(rows, "minkowski", 3.0).nearest(queries, 3)
    np.testing.assert_allclose(distance, [[0, 3, 91 ** (1 / 3)]])


def test_the_radius_itself_is_within_it():
    rows = np.array([[0.1 * i] for i in range(10)])
    start, distance, place = BruteForce.build(rows, "euclidean", 2.0).within(np.array([[0.0], [9.0]]), 0.1 * 3)
    assert start.tolist() == [0, 4, 4]
    assert place.tolist() == [0, 1, 2, 3]
    assert distance[-1] == 0.1 * 3


def test_no_queries_give_no_answers():
    index = BruteForce.build(np.zeros((3, 2)), "euclidean", 2.0)
    distance, place = index.nearest(np.empty((0, 2)), 2)
    assert distance.shape == place.shape == (0, 2)
    assert index.within(np.empty((0, 2)), 1.0)[0].tolist() == [0]


@pytest.mark.parametrize(("metric", "p"), [*METRICS, ("minkowski", 0.5), ("minkowski", 7.0)])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n_columns", [1, 2, 7, 8, 33, 150])
def test_agrees_with_the_definition(metric, p, dtype, n_columns):
    random = np.random.default_rng(n_columns)
    rows = random.normal(size=(700, n_columns)).astype(dtype)
    queries = random.normal(size=(30, n_columns))
    queries[::3] = rows[::70]
    check_against_the_definition(rows, queries, 5, metric, p)
    check_against_the_definition(rows, queries[:2], 5, metric, p)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 600),
    n_columns=st.integers(1, 20),
    n_queries=st.integers(1, 20),
    levels=st.integers(1, 6),
    metric=st.sampled_from(METRICS[:3]),
    dtype=st.sampled_from(TYPES),
    scale=st.sampled_from([1.0, 0.1, 1e-30, 1e30]),
    k=st.integers(1, 600),
)
def test_ties_go_to_the_smaller_place(seed, n, n_columns, n_queries, levels, metric, dtype, scale, k):
    random = np.random.default_rng(seed)
    rows = (random.integers(0, levels, (n, n_columns)) * scale).astype(dtype)
    queries = (random.integers(0, levels, (n_queries, n_columns)) * scale).astype(dtype).astype(np.float64)
    check_against_the_definition(rows, queries, min(k, n), *metric)


def cloud(n_columns=24, n=900, seed=0):
    return np.random.default_rng(seed).normal(size=(n, n_columns))


AWKWARD = {
    "one huge column": lambda x: x * np.r_[1e6, np.ones(x.shape[1] - 1)],
    "one far row": lambda x: np.vstack([x[:-1], np.full((1, x.shape[1]), 1e12)]),
    "a tenth of the rows far": lambda x: x * np.where(np.arange(len(x)) % 10 == 3, 1e5, 1)[:, None],
    "a huge offset": lambda x: 1e8 + x * 1e-3,
    "offsets of many sizes": lambda x: x + 10.0 ** np.arange(x.shape[1]),
    "all rows equal": lambda x: np.ones_like(x),
    "all rows equal but one": lambda x: np.vstack([np.ones_like(x[:-1]), x[-1:]]),
    "two rows over and over": lambda x: x[np.arange(len(x)) % 2],
    "huge numbers": lambda x: x * 1e149,
    "tiny numbers": lambda x: x * 1e-130,
    "squares underflow": lambda x: x * 1e-170,
    "subnormal numbers": lambda x: x * 1e-310,
    "numbers of all sizes": lambda x: np.sign(x) * 10.0 ** (20 * x),
    "mostly zeros": lambda x: np.where(x > 2, x, 0.0),
    "whole numbers": lambda x: np.rint(40 * x),
    "halves of the steps": lambda x: np.rint(20 * x) + 0.5 * (x > 0),
    "one line": lambda x: x[:, :1] * np.ones(x.shape[1]),
    "neighbours apart by roundings": lambda x: x[:1] + np.arange(len(x))[::-1, None] * 2.0**-45 * np.ones(x.shape[1]),
}


@pytest.mark.parametrize("case", AWKWARD)
@pytest.mark.parametrize("metric", METRICS[:3])
def test_awkward_numbers_are_ranked_as_the_definition_ranks_them(case, metric):
    rows = AWKWARD[case](cloud())
    queries = np.vstack([rows[::50], AWKWARD[case](cloud(seed=1))[:10], rows[:5] * (1 + 1e-9)])
    check_against_the_definition(rows, queries, 4, *metric)


@pytest.mark.parametrize("metric", METRICS[:3])
def test_queries_far_from_all_rows_are_answered(metric):
    rows = cloud()
    for far in (1e3, 1e9, 1e100, 1e160):
        check_against_the_definition(rows, cloud(seed=1)[:12] * far, 3, *metric)


def test_rows_on_the_limit_are_not_lost():
    """900 rows at one distance, none of which rounding may put beyond it: the smallest places win."""
    directions = cloud(n_columns=6)
    rows = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    rows = rows * np.where(np.arange(900) % 2, 1, 1 + 2.0**-50)[:, None]
    check_against_the_definition(rows, np.zeros((9, 6)), 7)
    signs = np.where(cloud(n_columns=10) > 0, 0.3, -0.3)
    for metric in METRICS[:3]:
        check_against_the_definition(signs, np.zeros((9, 10)), 7, *metric)


@pytest.mark.parametrize("metric", METRICS[:3])
def test_all_rows_may_be_asked_for(metric):
    rows = cloud(n_columns=3, n=500)
    for n_queries in (1, 9, 80):
        check_against_the_definition(rows, cloud(n_columns=3, n=n_queries, seed=2), 500, *metric)


@pytest.mark.parametrize("dtype", TYPES)
def test_one_row_and_one_column(dtype):
    check_against_the_definition(np.array([[2.5]], dtype=dtype), np.array([[1.0], [2.5]]), 1)


@pytest.mark.parametrize(("metric", "p"), METRICS)
def test_the_number_of_threads_changes_nothing(metric, p):
    rows, queries = cloud(n_columns=40, n=3000).astype(np.float32), cloud(n_columns=40, n=70, seed=3)
    index = BruteForce.build(rows, metric, p)
    for some in (queries[:1], queries[:5], queries):
        alone = [*index.nearest(some, 40, 1), *index.within(some, 8.0, 1)]
        for n_threads in (2, 3, 7):
            together = [*index.nearest(some, 40, n_threads), *index.within(some, 8.0, n_threads)]
            for a, b in zip(alone, together, strict=True):
                np.testing.assert_array_equal(a, b)


def test_float32_rows_answer_as_the_same_numbers_in_float64():
    rows, queries = cloud(n=2000).astype(np.float32), cloud(n=50, seed=4)
    narrow = BruteForce.build(rows, "euclidean", 2.0).nearest(queries, 9)
    wide = BruteForce.build(rows.astype(np.float64), "euclidean", 2.0).nearest(queries, 9)
    for a, b in zip(narrow, wide, strict=True):
        np.testing.assert_array_equal(a, b)
