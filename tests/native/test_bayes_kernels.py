"""margin._core.{counts,sums,bayes,density}: against definitions in NumPy, the same bytes on 1, 2 and 3 threads."""

from __future__ import annotations

import itertools
import math

import margin._core as _core
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

<<<<<<< HEAD
LARGEST = 1e300
FLOATS = (np.float64, np.float32)
CELLS = (np.float64, np.float32, np.int32, np.int64)
SEEDS = st.integers(0, 2**32 - 1)

few = settings(max_examples=40, deadline=None)


def on_1_2_3_threads(kernel, *arguments):
    """What the kernel gives; it must be the same to the last bit on any number of threads."""
    answers = [kernel(*arguments, threads) for threads in (1, 2, 3)]
    first = answers[0] if isinstance(answers[0], tuple) else (answers[0],)
    for other in answers[1:]:
        for a, b in zip(first, other if isinstance(other, tuple) else (other,), strict=True):
            assert np.asarray(a).tobytes() == np.asarray(b).tobytes()
    return answers[0]


def added(kernel, *arguments, scores):
    """The scores after the kernel has added to them, and what it said."""
    found = []
    for threads in (1, 2, 3):
        copy = scores.copy()
        answer = kernel(*arguments, copy, threads)
        found.append((copy, answer))
    assert all(copy.tobytes() == found[0][0].tobytes() and answer == found[0][1] for copy, answer in found)
    return found[0]


def random_cells(rng, rows, columns, dtype, missing=0.2, spread=5):
    x = rng.normal(scale=spread, size=(rows, columns))
    if np.issubdtype(dtype, np.integer):
        return np.rint(x).astype(dtype)
    x[rng.random(x.shape) < missing] = np.nan
    return x.astype(dtype)


def random_weight(rng, rows):
    return rng.random(rows) + 0.1 if rng.random() < 0.5 else None


def sizes(rng):
    """Rows, columns, classes: small ones, with the borders, and now and then enough for several blocks."""
    rows = int(rng.choice([0, 1, 2, 7, 40, 333, 5000]))
    return rows, int(rng.choice([1, 2, 3, 5, 8, 9, 17, 40])), int(rng.choice([1, 2, 3, 30]))


# ---- a first look


@few
@given(seed=SEEDS, dtype=st.sampled_from(CELLS))
def test_a_survey_finds_ranges_and_missing_cells(seed, dtype):
    rng = np.random.default_rng(seed)
    rows, columns, _ = sizes(rng)
    x = random_cells(rng, rows, columns, dtype, missing=rng.choice([0, 0.2, 1]))
    low, high, missing, bad = on_1_2_3_threads(_core.data.survey, x, LARGEST)
    absent = np.isnan(x)
    np.testing.assert_array_equal(low, np.where(absent, np.inf, x.astype(float)).min(axis=0, initial=np.inf))
    np.testing.assert_array_equal(high, np.where(absent, -np.inf, x.astype(float)).max(axis=0, initial=-np.inf))
    np.testing.assert_array_equal(missing, absent.sum(axis=0))
    assert missing.dtype == np.int64
    assert low.dtype == np.float64
    assert bad == -1


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("wrong", [np.inf, -np.inf, 1e20, -1e20])
def test_the_first_unusable_cell_is_found(dtype, wrong):
    x = np.random.default_rng(0).normal(size=(70_000, 3)).astype(dtype)
    x[0, 0] = np.nan
    x[40_000, 1] = x[69_999, 0] = wrong
    y = np.zeros(len(x), dtype=np.int32)
    assert on_1_2_3_threads(_core.data.survey, x, 1e19)[-1] == 40_000 * 3 + 1
    assert on_1_2_3_threads(_core.data.survey_moments, x, y, None, 1, 1e19)[-1] == 40_000 * 3 + 1


def test_large_whole_numbers_are_fine():
    x = np.array([[2**62, -(2**62)], [np.iinfo(np.int64).max, np.iinfo(np.int64).min]])
    low, high, _, bad = _core.data.survey(x, 10.0, 1)
    assert bad == -1
    np.testing.assert_array_equal(low, [2.0**62, -(2.0**63)])
    np.testing.assert_array_equal(high, [2.0**63, -(2.0**62)])


def moments_by_definition(x, y, w, classes):
    """Weight, squared weight, mean and squared deviations in exact arithmetic, rounded once."""
    w = np.ones(len(x)) if w is None else w
    found = np.zeros((4, classes, x.shape[1]))
    for k in range(classes):
        for j in range(x.shape[1]):
            rows = np.flatnonzero((y == k) & ~np.isnan(x[:, j]))
            weights, cells = [Fraction(v) for v in w[rows]], [Fraction(float(v)) for v in x[rows, j]]
            total = sum(weights, Fraction(0))
            mean = sum((a * b for a, b in zip(weights, cells, strict=True)), Fraction(0)) / (total or 1)
            m2 = sum((a * (b - mean) ** 2 for a, b in zip(weights, cells, strict=True)), Fraction(0))
            found[:, k, j] = [float(v) for v in (total, sum((v * v for v in weights), Fraction(0)), mean, m2)]
    return found


@few
@given(seed=SEEDS, dtype=st.sampled_from(FLOATS), centre=st.sampled_from([0.0, 1.0, 1e8]))
def test_moments_by_class_agree_with_exact_arithmetic(seed, dtype, centre):
    rng = np.random.default_rng(seed)
    rows, columns, classes = int(rng.choice([0, 1, 5, 60])), int(rng.choice([1, 2, 5, 9, 19])), int(rng.integers(1, 5))
    x = (random_cells(rng, rows, columns, np.float64, missing=rng.choice([0, 0.2]), spread=1) + centre).astype(dtype)
    y = rng.integers(0, classes, rows).astype(np.int32)
    w = random_weight(rng, rows)
    weight, weight2, mean, rest, m2, low, high, missing, bad = on_1_2_3_threads(
        _core.data.survey_moments, x, y, w, classes, LARGEST
    )
    expected = moments_by_definition(x.astype(np.float64), y, w, classes)
    np.testing.assert_allclose(weight, expected[0], rtol=1e-14)
    np.testing.assert_allclose(weight2, expected[1], rtol=1e-14)
    np.testing.assert_allclose(mean + rest, expected[2], rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(m2, expected[3], rtol=1e-13, atol=1e-28)
    seen = _core.data.survey(x, LARGEST, 1)
    for a, b in zip((low, high, missing, bad), seen, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("classes", [1, 2, 3000])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.001])
def test_moments_of_many_rows_agree_with_doubled_precision(classes, weighted, missing):
    rng = np.random.default_rng(classes)
    centre = np.array([0, 1e8, -1e8, 1, 2, 3, 4, 5, 6, 7, 8])
    x = rng.normal(size=(30_000, 11)) + centre
    x[rng.random(x.shape) < missing] = np.nan
    y = rng.integers(0, classes, len(x)).astype(np.int32)
    w = rng.random(len(x)) + 0.1 if weighted else None
    weight, weight2, mean, rest, m2, *_ = on_1_2_3_threads(_core.data.survey_moments, x, y, w, classes, LARGEST)
    ones = np.ones(len(x)) if w is None else w
    for k in rng.choice(classes, min(classes, 20), replace=False):
        for j in range(x.shape[1]):
            rows = (y == k) & ~np.isnan(x[:, j])
            cells, weights = x[rows, j].astype(np.longdouble) - centre[j], ones[rows].astype(np.longdouble)
            exact = (weights * cells).sum() / weights.sum()
            squares = (weights * (cells - exact) ** 2).sum()
            found = (np.longdouble(mean[k, j]) - centre[j]) + rest[k, j]
            assert weight[k, j] == pytest.approx(float(weights.sum()), rel=1e-14)
            assert weight2[k, j] == pytest.approx(float((weights**2).sum()), rel=1e-14)
            assert float(found) == pytest.approx(float(exact), rel=1e-13, abs=1e-15)
            assert m2[k, j] == pytest.approx(float(squares), rel=2e-14, abs=1e-20)
            assert abs(rest[k, j]) <= abs(np.spacing(mean[k, j]))


def test_the_rest_of_a_mean_holds_the_digits_that_the_mean_cannot():
    x = np.array([[1e8], [1e8 + 2.0**-26], [1e8 + 2.0**-26]])
    _, _, mean, rest, *_ = _core.data.survey_moments(x, np.zeros(3, np.int32), None, 1, LARGEST, 1)
    assert Fraction(mean[0, 0]) + Fraction(rest[0, 0]) - 10**8 == pytest.approx(2.0**-26 * 2 / 3, rel=1e-12)


@few
@given(seed=SEEDS)
def test_levels_are_counted_and_missing_ones_left_out(seed):
    rng = np.random.default_rng(seed)
    n_levels = int(rng.choice([0, 1, 2, 10, 5000]))
    codes = rng.integers(-1, n_levels, int(rng.choice([0, 1, 5, 200_000]))).astype(np.int32)
    counts = on_1_2_3_threads(_core.data.level_counts, codes, n_levels)
    np.testing.assert_array_equal(counts, np.bincount(codes[codes >= 0], minlength=n_levels))
    assert counts.dtype == np.int64
    assert len(counts) == n_levels


@pytest.mark.parametrize("shape", [(0, 0), (0, 2), (1, 1), (5, 3), (10_001, 7), (40, 300)])
def test_columns_are_laid_side_by_side(shape):
    x = np.random.default_rng(0).normal(size=shape)
    laid = on_1_2_3_threads(_core.data.side_by_side, [np.ascontiguousarray(x[:, j]) for j in range(shape[1])])
    np.testing.assert_array_equal(laid, x if shape[1] else np.zeros((0, 0)))
    assert laid.flags.c_contiguous


# ---- sparse matrices: structure


def csr_parts(matrix, dtype=np.float64, index=np.int32):
    return matrix.data.astype(dtype), matrix.indices.astype(index), matrix.indptr.astype(index)


def random_csr(rng, rows, columns, missing=0.0, share=0.3):
    dense = np.where(rng.random((rows, columns)) < share, rng.poisson(2.0, (rows, columns)), 0).astype(float)
    dense[(rng.random(dense.shape) < missing) & (dense != 0)] = np.nan
    return scipy.sparse.csr_array(dense), dense


def survey_of(data, indices, indptr, columns, largest=LARGEST):
    return on_1_2_3_threads(_core.data.csr_survey, data, indices, indptr, columns, largest)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", FLOATS)
def test_a_sparse_matrix_is_looked_at_once(index, dtype):
    data = np.array([1, 2, 3, 4], dtype=dtype)
    indices, indptr = np.array([0, 2, 1, 2], dtype=index), np.array([0, 2, 2, 4], dtype=index)
    assert survey_of(data, indices, indptr, 3) == (0, -1, False, False)
    assert survey_of(data, indices[::-1].copy(), indptr, 3)[0] == 1
    assert survey_of(data, np.array([0, 0, 1, 2], dtype=index), indptr, 3)[0] == 1
    assert survey_of(data, indices, indptr, 2)[:2] == (2, 0)
    assert survey_of(data, np.array([0, 2, -1, 2], dtype=index), indptr, 3)[:2] == (2, 2)
    for broken, row in (([1, 2, 2, 4], 0), ([0, 3, 2, 4], 1), ([0, 2, 2, 3], 2), ([0, 2, 9, 4], 1), ([0, -5, 2, 4], 0)):
        assert survey_of(data, indices, np.array(broken, dtype=index), 3)[:2] == (2, row)
    data[2] = np.inf
    assert survey_of(data, indices, indptr, 3)[:2] == (3, 2)
    data[1:3] = np.nan, -1
    assert survey_of(data, indices, indptr, 3) == (0, -1, True, True)
    data[0] = 1e20
    assert survey_of(data, indices, indptr, 3, largest=1e19)[:2] == (3, 0)


def test_a_sparse_matrix_without_rows_or_cells_is_canonical():
    none = np.zeros(0), np.zeros(0, np.int32)
    assert survey_of(*none, np.zeros(1, np.int32), 0) == (0, -1, False, False)
    assert survey_of(*none, np.zeros(5, np.int32), 3) == (0, -1, False, False)
    assert survey_of(*none, np.zeros(0, np.int32), 3)[0] == 2
    assert survey_of(np.zeros(2), np.zeros(1, np.int32), np.array([0, 1], np.int32), 3)[0] == 2


@few
@given(seed=SEEDS, index=st.sampled_from([np.int32, np.int64]))
def test_no_damage_to_a_sparse_matrix_goes_unnoticed(seed, index):
    rng = np.random.default_rng(seed)
    matrix, _ = random_csr(rng, 30, 8)
    data, indices, indptr = csr_parts(matrix, index=index)
    assert survey_of(data, indices, indptr, 8)[0] == 0
    target = indptr if rng.random() < 0.5 else indices
    at = rng.integers(len(target))
    before = target[at]
    target[at] = rng.choice([-1, -(2**31), 2**31 - 1, 8, 7, 0, rng.integers(0, 200)])
    starts_fit = indptr[0] == 0 and indptr[-1] == len(data) and (np.diff(indptr) >= 0).all()
    fine = starts_fit and (indices >= 0).all() and (indices < 8).all()
    ordered = fine and all((np.diff(indices[a:b]) > 0).all() for a, b in itertools.pairwise(indptr))
    assert survey_of(data, indices, indptr, 8)[0] == (0 if ordered else 1 if fine else 2), (before, target[at])

=======
from tests.native.kernels import (
    CELLS,
    FLOATS,
    SEEDS,
    added,
    csr_parts,
    few,
    on_1_2_3_threads,
    random_cells,
    random_csr,
    random_weight,
    sizes,
)
>>>>>>> kernels

# ---- categories


def random_levels(rng, rows, columns):
    n_levels = rng.integers(1, 8, columns)
    codes = [rng.integers(-1, levels, rows).astype(np.int32) for levels in n_levels]
    return codes, np.concatenate([[0], np.cumsum(n_levels)]).astype(np.int64)


@few
@given(seed=SEEDS)
def test_levels_are_counted_by_class(seed):
    rng = np.random.default_rng(seed)
    rows, columns, classes = sizes(rng)
    codes, first = random_levels(rng, rows, columns)
    y, w = rng.integers(0, classes, rows).astype(np.int32), random_weight(rng, rows)
    expected = np.zeros((first[-1], classes))
    for j, column in enumerate(codes):
        there = column >= 0
        np.add.at(expected, (first[j] + column[there], y[there]), 1.0 if w is None else w[there])
    counts = on_1_2_3_threads(_core.counts.of_columns, codes, first, y, w, classes)
    np.testing.assert_allclose(counts, expected, rtol=0 if w is None else 1e-13)
    matrix = np.column_stack(codes) if columns else np.zeros((rows, 0))
    for dtype in CELLS:
        x = matrix.astype(dtype)
        if np.issubdtype(dtype, np.floating) and rng.random() < 0.5:
            x[x < 0] = np.nan
        again = on_1_2_3_threads(_core.counts.of_matrix, np.ascontiguousarray(x), first, y, w, classes)
        np.testing.assert_allclose(again, expected, rtol=0 if w is None else 1e-13)


def test_many_levels_and_classes_are_counted_too():
    rng = np.random.default_rng(5)
    column, y = rng.integers(-1, 40_000, 100_000).astype(np.int32), rng.integers(0, 7, 100_000).astype(np.int32)
    first, expected = np.array([0, 40_000]), np.zeros((40_000, 7))
    np.add.at(expected, (column[column >= 0], y[column >= 0]), 1)
    np.testing.assert_array_equal(on_1_2_3_threads(_core.counts.of_columns, (column,), first, y, None, 7), expected)
    x = column[:, None].astype(np.int64)
    np.testing.assert_array_equal(on_1_2_3_threads(_core.counts.of_matrix, x, first, y, None, 7), expected)


@few
@given(seed=SEEDS, ruled_out=st.booleans())
def test_log_shares_are_added(seed, ruled_out):
    rng = np.random.default_rng(seed)
    rows, columns, classes = sizes(rng)
    codes, first = random_levels(rng, rows, columns)
    share = rng.normal(size=(first[-1], classes))
    if ruled_out:
        share[0] = -np.inf
    scores = rng.normal(size=(rows, classes))
    expected = scores.copy()
    for j, column in enumerate(codes):
        expected[column >= 0] += share[first[j] + column[column >= 0]]
    got, empty = added(_core.counts.add_columns, codes, first, share, scores=scores)
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)
    assert empty == np.isneginf(expected).any()
    for dtype in CELLS:
        got, empty = added(_core.counts.add_matrix, np.column_stack(codes).astype(dtype), first, share, scores=scores)
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)
        assert empty == np.isneginf(expected).any()


def test_cells_that_are_no_level_add_nothing():
    first, share = np.array([0, 2, 4]), np.array([[1.0], [2.0], [4.0], [8.0]])
    strange = [np.nan, np.inf, -np.inf, 1e300, -1e300, 0.5, 1.5, 2.0, -1.0, 2.0**31, 2.0**63]
    x = np.column_stack([strange, np.ones(len(strange))])
    for dtype in FLOATS:
        with np.errstate(over="ignore"):
            cells = x.astype(dtype)
        got, _ = added(_core.counts.add_matrix, cells, first, share, scores=np.zeros((len(x), 1)))
        np.testing.assert_array_equal(got, 8.0)
    for dtype in (np.int32, np.int64):
        edge = np.iinfo(dtype)
        x = np.array([[edge.max, 0], [edge.min, 1], [2, 1], [-1, 1], [1, 1]], dtype=dtype)
        got, _ = added(_core.counts.add_matrix, x, first, share, scores=np.zeros((5, 1)))
        np.testing.assert_array_equal(got[:, 0], [4, 8, 8, 8, 10])
    got, _ = added(
        _core.counts.add_columns, [np.array([5, -7, 1], np.int32)] * 2, first, share, scores=np.zeros((3, 1))
    )
    np.testing.assert_array_equal(got[:, 0], [0, 0, 10])


# ---- sums


@few
@given(seed=SEEDS, dtype=st.sampled_from(CELLS), above=st.booleans())
def test_columns_are_summed_by_class(seed, dtype, above):
    rng = np.random.default_rng(seed)
    rows, columns, classes = sizes(rng)
    x = random_cells(rng, rows, columns, dtype, missing=rng.choice([0, 0.01, 0.3]))
    y, w = rng.integers(0, classes, rows).astype(np.int32), random_weight(rng, rows)
    arguments = (x, 1.0, y, w, classes) if above else (x, y, w, classes)
    sums, cells = on_1_2_3_threads(_core.sums.dense_above if above else _core.sums.dense, *arguments)
    weights = np.ones(rows) if w is None else w
    value = np.where(x > 1, 1.0, 0.0) if above else x.astype(np.float64)
    there = ~np.isnan(x)
    for k in range(classes):
        of = weights[:, None] * (y == k)[:, None] * there
        np.testing.assert_allclose(cells[k], of.sum(axis=0), rtol=0 if w is None else 1e-12)
        np.testing.assert_allclose(sums[k], (of * np.where(there, value, 0)).sum(axis=0), rtol=1e-10, atol=1e-10)


@few
@given(seed=SEEDS, dtype=st.sampled_from(FLOATS), index=st.sampled_from([np.int32, np.int64]), above=st.booleans())
def test_sparse_columns_are_summed_by_class(seed, dtype, index, above):
    rng = np.random.default_rng(seed)
    rows, columns, classes = sizes(rng)
    missing = rng.choice([0.0, 0.1])
    matrix, dense = random_csr(rng, rows, columns, missing=missing)
    y, w = rng.integers(0, classes, rows).astype(np.int32), random_weight(rng, rows)
    kernel, threshold = (_core.sums.csr_above, (1.0,)) if above else (_core.sums.csr, ())
    parts = csr_parts(matrix, dtype, index)
    sums, lost = on_1_2_3_threads(kernel, *parts, columns, *threshold, y, w, classes)
    weights = np.zeros((classes, rows))
    weights[y, np.arange(rows)] = 1.0 if w is None else w
    gone = np.isnan(dense)
    value = np.where(dense > 1, 1.0, 0.0) if above else np.where(gone, 0.0, dense)
    np.testing.assert_allclose(sums, weights @ value, rtol=0 if w is None else 1e-12)
    assert (lost is None) == (not gone.any())
    if lost is not None:
        np.testing.assert_allclose(lost, weights @ gone, rtol=1e-12)


def test_long_sparse_matrices_are_summed_in_several_pieces():
    rng = np.random.default_rng(2)
    matrix = scipy.sparse.random_array((30_000, 50), density=0.8, format="csr", rng=rng)
    y = (np.arange(30_000) % 10 == 0).astype(np.int32)
    w = rng.random(30_000)
    sums, lost = on_1_2_3_threads(_core.sums.csr, *csr_parts(matrix), 50, y, w, 2)
    for k in (0, 1):
        np.testing.assert_allclose(sums[k], (matrix * (w * (y == k))[:, None]).sum(axis=0), rtol=1e-12)
    assert lost is None


@few
@given(seed=SEEDS, dtype=st.sampled_from(CELLS), ruled_out=st.booleans())
def test_rows_times_a_table_are_added(seed, dtype, ruled_out):
    rng = np.random.default_rng(seed)
    rows, columns, classes = sizes(rng)
    x = random_cells(rng, rows, columns, dtype, missing=rng.choice([0, 0.2]), spread=1)
    table, scores = rng.normal(size=(columns, classes)), rng.normal(size=(rows, classes))
    if ruled_out:
        table[rng.random(table.shape) < 0.2] = -np.inf
    nothing = (np.isnan(x) | (x == 0))[:, :, None]
    with np.errstate(invalid="ignore"):
        terms = np.where(nothing, 0.0, x.astype(float)[:, :, None] * table)
        expected = scores + terms.sum(axis=1)
    got, _ = added(_core.sums.add_dense, x, table, scores=scores)
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-11)
    sparse = scipy.sparse.csr_array(x.astype(np.float64))
    for index in (np.int32, np.int64):
        got, _ = added(_core.sums.add_csr, *csr_parts(sparse, index=index), table, scores=scores)
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-11)


@few
@given(seed=SEEDS, dtype=st.sampled_from(CELLS), ruled_out=st.booleans())
def test_tables_of_presence_are_added(seed, dtype, ruled_out):
    rng = np.random.default_rng(seed)
    rows, columns, classes = sizes(rng)
    x = random_cells(rng, rows, columns, dtype, missing=rng.choice([0, 0.2]), spread=1)
    present, absent = rng.normal(size=(2, columns, classes))
    if ruled_out:
        present[rng.random(present.shape) < 0.1] = absent[rng.random(absent.shape) < 0.1] = -np.inf
    scores = rng.normal(size=(rows, classes))
    cells = x.astype(float)[:, :, None]
    terms = np.where(np.isnan(cells), 0.0, np.where(cells > 0.5, present, absent))
    got, _ = added(_core.sums.add_dense_above, x, 0.5, present, absent, scores=scores)
    np.testing.assert_allclose(got, scores + terms.sum(axis=1), rtol=1e-12, atol=1e-11)
    sparse = scipy.sparse.csr_array(x.astype(np.float64))
    for missing_table in (None, absent):
        terms = np.where(cells > 0.5, present, 0.0)
        if missing_table is not None:
            terms = np.where(np.isnan(cells), missing_table, terms)
        parts = csr_parts(sparse, np.float32 if dtype == np.float32 else np.float64)
        got, _ = added(_core.sums.add_csr_above, *parts, 0.5, present, missing_table, scores=scores)
        np.testing.assert_allclose(got, scores + terms.sum(axis=1), rtol=1e-12, atol=1e-11)


# ---- densities


@few
@given(seed=SEEDS, dtype=st.sampled_from(FLOATS))
def test_normal_log_densities_are_added(seed, dtype):
    rng = np.random.default_rng(seed)
    rows, columns, classes = sizes(rng)
    x = random_cells(rng, rows, columns, dtype, missing=rng.choice([0, 0.2]))
    mean, steep, off = rng.normal(size=(3, classes, columns))
    steep = np.abs(steep)
    scores = rng.normal(size=(rows, classes))
    terms = off - steep * (x.astype(float)[:, None, :] - mean) ** 2
    expected = scores + np.where(np.isnan(x)[:, None, :], 0.0, terms).sum(axis=2)
    got, empty = added(_core.bayes.add_normal, x, mean, steep, off, off.sum(axis=1), scores=scores)
    np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-10)
    assert empty is False


def test_a_cell_beyond_every_density_rules_its_class_out():
    x = np.array([[1e200]])
    one = np.ones((1, 1))
    got, empty = added(_core.bayes.add_normal, x, one, one, one, np.ones(1), scores=np.zeros((1, 1)))
    assert np.isneginf(got).all()
    assert empty is True


def log_sum(terms):
    best = max(terms)
    return best + math.log(math.fsum(math.exp(t - best) for t in terms)) if best > -math.inf else best


def random_kernels(rng, columns, classes):
    """Sorted values of every column and class, their log-weights, starts, steepness and height."""
    n_values = rng.choice([0, 1, 2, 5, 300], columns * classes)
    values = [np.sort(rng.normal(size=n) * 10) for n in n_values]
    weight = [rng.random(n) ** 8 + 1e-12 for n in n_values]
    log_weight = [np.log(w / w.sum()) for w in weight]
    steep = np.exp(rng.uniform(-6, 8, columns * classes))
    start = np.concatenate([[0], np.cumsum(n_values)]).astype(np.int64)
    return np.concatenate(values), np.concatenate(log_weight), start, steep, rng.normal(size=columns * classes)


@few
@given(seed=SEEDS)
def test_kernel_densities_agree_with_the_whole_sum(seed):
    rng = np.random.default_rng(seed)
    rows, columns, classes = int(rng.choice([0, 1, 20])), int(rng.integers(1, 4)), int(rng.integers(1, 4))
    values, log_weight, start, steep, off = random_kernels(rng, columns, classes)
    x = rng.normal(size=(rows, columns)) * rng.choice([1, 10, 1000])
    x[rng.random(x.shape) < 0.2] = np.nan
    scores = rng.normal(size=(rows, classes))
    expected = scores.copy()
    for i, j in zip(*np.nonzero(~np.isnan(x)), strict=True):
        for k in range(classes):
            at = slice(start[j * classes + k], start[j * classes + k + 1])
            if at.start < at.stop:
                terms = log_weight[at] - steep[j * classes + k] * (x[i, j] - values[at]) ** 2
                expected[i, k] += off[j * classes + k] + log_sum(terms.tolist())
    got, empty = added(_core.density.add_kernels, x, values, log_weight, start, steep, off, scores=scores)
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)
    assert empty is False


def test_a_heavy_value_far_away_counts_more_than_a_light_one_near_by():
    values, log_weight = np.array([0.0, 9.0]), np.array([0.0, -200.0])
    start = np.array([0, 2])
    got, _ = added(
        _core.density.add_kernels,
        np.array([[10.0]]), values, log_weight, start, np.array([0.5]), np.zeros(1),
        scores=np.zeros((1, 1)),
    )  # fmt: skip
    assert got[0, 0] == pytest.approx(-50.0, rel=1e-14)


def test_a_cell_beyond_all_kernels_rules_the_class_out():
    got, empty = added(
        _core.density.add_kernels,
        np.array([[1e200]]), np.zeros(1), np.zeros(1), np.array([0, 1]), np.ones(1), np.zeros(1),
        scores=np.zeros((1, 1)),
    )  # fmt: skip
    assert np.isneginf(got).all()
    assert empty is True
