"""margin.neighbors.indexes.sparse: worked by hand, then the definition, then properties."""

import math

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.errors import InputError
from margin.neighbors.indexes.ball_tree import BallTree
from margin.neighbors.indexes.sparse import SPARSE_METRICS, SparseRows

ALL = (*SPARSE_METRICS, "p=0.5")


def running_sums(terms):
    """Column j to running sum j mod 8, then the sums by halves: the order that all of margin's distances have."""
    sums = np.zeros(8)
    for j in range(0, len(terms), 8):
        sums[: len(terms) - j] += terms[j : j + 8]
    for half in (4, 2, 1):
        sums = sums[:half] + sums[half:]
    return float(sums[0])


def of_length_one(row):
    length = math.sqrt(running_sums(row * row))
    return row / length if length > 0 else row


def cosine(a, b):
    """The squared distance of rows of length 1; 2 where no column is shared, 0 where there is nothing at all."""
    if not np.any((a != 0) & (b != 0)):
        return 2.0 if a.any() or b.any() else 0.0
    return running_sums((of_length_one(a) - of_length_one(b)) ** 2)


# What rows are compared by, and the distance that follows.
DEFINITIONS = {
    "euclidean": (lambda a, b: running_sums((a - b) ** 2), np.sqrt),
    "manhattan": (lambda a, b: running_sums(np.abs(a - b)), np.asarray),
    "chebyshev": (lambda a, b: np.abs(a - b).max(), np.asarray),
    "cosine": (cosine, lambda compared: compared / 2),
}


def slow(rows, queries, metric, p):
    """All distances by definition, of rows written out, in order, and the places of the rows."""
    if metric == "minkowski":  # whose powers are those of the compiler's library
        return BallTree.scan(rows, metric, p).nearest(queries, len(rows), 1)
    compare, finish = DEFINITIONS[metric]
    compared = np.array([[compare(query, row) for row in rows] for query in queries])
    place = np.lexsort((np.broadcast_to(np.arange(len(rows)), compared.shape), compared), axis=1)
    return finish(np.take_along_axis(compared, place, axis=1)), place


def measure(metric):
    return ("minkowski", 0.5) if metric == "p=0.5" else (metric, 3.0)


def sparse(dense, zeros_at=None, index=np.int32, dtype=np.float64):
    """CSR of the cells that are not 0, and of some that are."""
    stored = dense != 0 if zeros_at is None else (dense != 0) | zeros_at
    row, column = np.nonzero(stored)
    matrix = scipy.sparse.csr_array((dense[row, column].astype(dtype), (row, column)), shape=dense.shape)
    matrix.sort_indices()
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    return matrix


def test_distances_worked_by_hand():
    rows = sparse(np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, -2.0, 0.0, 0.0]]))
    query = sparse(np.array([[0.0, 2.0, 2.0, 0.0]]))
    expected = {
        "euclidean": [math.sqrt(5), math.sqrt(8), math.sqrt(20)],
        "manhattan": [3, 4, 6],
        "chebyshev": [2, 2, 4],
        "minkowski": [9 ** (1 / 3), 16 ** (1 / 3), 72 ** (1 / 3)],
        "cosine": [1 - 4 / math.sqrt(5 * 8), 1, 1 + 4 / math.sqrt(4 * 8)],
    }
    for metric, distances in expected.items():
        distance, place = SparseRows.build(rows, metric, 3.0, 1).nearest(query, 3, 1)
        np.testing.assert_allclose(distance[0], distances, rtol=1e-15)
        assert place.tolist() == [[0, 1, 2]]


def test_rows_without_a_common_column_are_at_distance_one_and_go_by_place():
    rows = sparse(np.array([[0.0, 0.3, 0.7], [0.0, 0.0, 0.0], [0.1, 0.2, 0.0], [0.0, 1.0, 9.0]]))
    index = SparseRows.build(rows, "cosine", 2.0, 1)
    distance, place = index.nearest(sparse(np.array([[0.5, 0.0, 0.0], [0.0, 0.0, 0.0]])), 4, 1)
    assert place.tolist() == [[2, 0, 1, 3], [1, 0, 2, 3]]
    assert distance[0, 1:].tolist() == [1.0, 1.0, 1.0]
    assert distance[1].tolist() == [0.0, 1.0, 1.0, 1.0]


def test_a_small_angle_keeps_its_digits():
    rows = sparse(np.array([[1.0, 1e-9]]))
    distance, _ = SparseRows.build(rows, "cosine", 2.0, 1).nearest(sparse(np.array([[1.0, 0.0]])), 1, 1)
    assert distance[0, 0] == pytest.approx(5e-19, rel=1e-12)


@given(
    seed=st.integers(0, 100_000),
    n=st.integers(1, 50),
    d=st.integers(1, 40),
    share=st.sampled_from([0.02, 0.2, 0.7]),
    values=st.sampled_from(["ones", "counts", "signed", "any"]),
    k=st.integers(1, 50),
    metric=st.sampled_from(ALL),
    dtype=st.sampled_from([np.float32, np.float64]),
    index=st.sampled_from([np.int32, np.int64]),
)
@settings(max_examples=250, deadline=None)
def test_neighbours_are_to_the_last_bit_those_of_rows_written_out(seed, n, d, share, values, k, metric, dtype, index):
    rng = np.random.default_rng(seed)
    metric, p = measure(metric)

    def some(n_rows):
        held = rng.random((n_rows, d)) < share
        cells = {
            "ones": lambda: np.ones((n_rows, d)),
            "counts": lambda: rng.integers(0, 4, (n_rows, d)),
            "signed": lambda: rng.integers(-2, 3, (n_rows, d)),
            "any": lambda: rng.normal(size=(n_rows, d)) * 10.0 ** rng.integers(-12, 12, (n_rows, d)),
        }[values]()
        return np.where(held, cells, 0).astype(dtype).astype(np.float64), held

    (rows, held), (queries, asked) = some(n), some(4)
    built = SparseRows.build(sparse(rows, held, index, dtype), metric, p, 1)
    assert built.n_rows == n
    distance, place = slow(rows, queries, metric, p)
    for form in (sparse(queries, asked, index), queries):
        found, found_place = built.nearest(form, min(k, n), 1)
        np.testing.assert_array_equal(found, distance[:, :k])
        np.testing.assert_array_equal(found_place, place[:, :k])
    for radius in (0.0, 1.0, float(distance[0, n // 2])):
        start, near, near_place = built.within(sparse(queries, asked), radius, 1)
        for q in range(4):
            part, count = slice(start[q], start[q + 1]), int((distance[q] <= radius).sum())
            np.testing.assert_array_equal(near[part], distance[q, :count])
            np.testing.assert_array_equal(near_place[part], place[q, :count])


@pytest.mark.parametrize("metric", ALL)
@pytest.mark.parametrize("unit", [1e-100, 1.0, 1e100])
def test_many_rows_in_several_blocks_with_common_and_rare_columns(metric, unit):
    rng = np.random.default_rng(3)
    metric, p = measure(metric)
    n = 5000
    share = np.array([0.9, 0.5, 0.3, 0.2, 0.13, *[0.01] * 20])
    rows = np.where(rng.random((n, 25)) < share, rng.normal(size=(n, 25)), 0) * unit
    queries = np.where(rng.random((3, 25)) < share, rng.normal(size=(3, 25)), 0) * unit
    rows[n // 2 :] = rows[: n - n // 2]  # every row twice
    distance, place = slow(rows, queries, metric, p)
    found, found_place = SparseRows.build(sparse(rows), metric, p, 1).nearest(sparse(queries), 40, 1)
    np.testing.assert_array_equal(found, distance[:, :40])
    np.testing.assert_array_equal(found_place, place[:, :40])


def test_rows_of_very_different_lengths_are_told_apart():
    rng = np.random.default_rng(5)
    rows = np.where(rng.random((3000, 30)) < 0.2, rng.random((3000, 30)), 0) * 10.0 ** rng.integers(-30, 30, (3000, 1))
    queries = rows[:10] * (1 + 1e-9)
    for metric in ("euclidean", "manhattan", "cosine"):
        distance, place = slow(rows, queries, metric, 2.0)
        found, found_place = SparseRows.build(sparse(rows), metric, 2.0, 1).nearest(sparse(queries), 5, 1)
        np.testing.assert_array_equal(found, distance[:, :5])
        np.testing.assert_array_equal(found_place, place[:, :5])


def test_lengths_whose_squares_vanish_or_overflow_are_lengths():
    angles = np.array([[1.0, 1.0], [1.0, 0.0], [3.0, 4.0]]) * np.array([[1e-170], [1e-300], [1e200]])
    distance, place = SparseRows.build(sparse(angles), "cosine", 2.0, 1).nearest(sparse(np.array([[2.0, 0.0]])), 3, 1)
    assert place.tolist() == [[1, 0, 2]]
    np.testing.assert_allclose(distance[0], [0, 1 - math.sqrt(0.5), 0.4], atol=1e-15)


@pytest.mark.parametrize("metric", SPARSE_METRICS)
def test_the_number_of_threads_changes_nothing(metric):
    rng = np.random.default_rng(0)
    rows, queries = (scipy.sparse.random_array((n, 200), density=0.03, rng=rng, format="csr") for n in (2500, 100))
    index = SparseRows.build(rows, metric, 3.0, 1)
    answers = [(*index.nearest(queries, 7, n), *index.within(queries, 0.9, n)) for n in (1, 2, 5)]
    assert all(np.array_equal(a, b) for other in answers[1:] for a, b in zip(other, answers[0]))


@pytest.mark.parametrize("metric", SPARSE_METRICS)
def test_empty_rows_no_queries_and_a_single_row(metric):
    empty = SparseRows.build(sparse(np.zeros((3, 4))), metric, 3.0, 1)
    distance, place = empty.nearest(sparse(np.zeros((2, 4))), 3, 1)
    assert distance.tolist() == [[0.0] * 3] * 2
    assert place.tolist() == [[0, 1, 2]] * 2
    single = SparseRows.build(sparse(np.array([[0.0, 1.0]])), metric, 3.0, 1)
    assert single.nearest(sparse(np.array([[1.0, 0.0]])), 1, 1)[1].tolist() == [[0]]
    assert single.nearest(sparse(np.zeros((0, 2))), 1, 1)[0].shape == (0, 1)
    assert single.within(np.zeros((0, 2)), 1.0, 1)[0].tolist() == [0]


def test_rows_come_back_by_place():
    dense = np.array([[0.0, 1.0], [0.0, 0.0], [3.0, 4.0]])
    index = SparseRows.build(sparse(dense), "cosine", 2.0, 1)
    np.testing.assert_array_equal(index.rows().toarray(), dense)
    assert index.nearest(index.rows(), 1, 1)[1].ravel().tolist() == [0, 1, 2]


def test_building_leaves_the_matrix_as_it_was():
    matrix = sparse(np.array([[1.0, 0.0], [0.0, 2.0]]), np.ones((2, 2), dtype=bool))
    SparseRows.build(matrix, "cosine", 2.0, 1)
    assert matrix.nnz == 4


def test_too_many_columns_are_refused():
    wide = scipy.sparse.csr_array((np.ones(1), np.zeros(1, np.int64), np.array([0, 1])), shape=(1, 2**31))
    with pytest.raises(InputError, match=r"less than 2\^31 rows and columns"):
        SparseRows.build(wide, "cosine", 2.0, 1)
