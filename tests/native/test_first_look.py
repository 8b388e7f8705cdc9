"""margin._core.data: one look at matrices, columns and sparse matrices, against definitions in NumPy."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import margin._core as _core
from tests.native.kernels import (
    CELLS,
    FLOATS,
    SEEDS,
    csr_parts,
    few,
    on_1_2_3_threads,
    random_cells,
    random_csr,
    random_weight,
    sizes,
)

LARGEST = 1e300


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
