"""margin._core.{counts,sums,bayes,density}: against definitions in NumPy, the same bytes on 1, 2 and 3 threads."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import margin._core as _core
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
