"""margin.svm.kernels.expansion: sums of kernels against the definition; the same bits alone and together."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from margin.errors import InputError
from margin.svm.kernels.expansion import Expansion
from margin.svm.kernels.function import KernelFunction
from tests.svm.test_kernels import KERNELS, definition

RNG = np.random.default_rng(0)
VECTORS, ROWS = RNG.normal(1, 1, size=(700, 9)), RNG.normal(1, 1, size=(150, 9))
COEF = RNG.normal(size=(3, 700))
BOUNDS = np.array([0, 5, 5, 402, 700])


def by_definition(kernel, X, vectors, coef, bounds):
    values = definition(kernel, X, vectors)
    parts = [values[:, a:b] @ coef[:, a:b].T for a, b in itertools.pairwise(bounds)]
    return np.stack(parts, axis=1)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.name)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("single", [False, True, "auto"])
def test_sums_are_those_of_the_definition(kernel, form, single):
    want = by_definition(kernel, ROWS, VECTORS, COEF, BOUNDS)
    got = Expansion(kernel, form(VECTORS), COEF, BOUNDS, single).sums(form(ROWS))
    largest = max(1.0, np.abs(definition(kernel, ROWS, VECTORS)).max())
    tolerance = (1e-13 if single is False else 1e-6) * largest * np.abs(COEF).sum(axis=1).max()
    assert got == pytest.approx(want, abs=tolerance)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_a_row_alone_has_the_same_bits_as_among_others_and_on_any_number_of_threads(form):
    many = Expansion(KernelFunction("rbf", 0.1), form(VECTORS), COEF, BOUNDS)
    together = many.sums(form(ROWS), 2)
    assert np.array_equal(together, many.sums(form(ROWS), 1))
    alone = np.concatenate([many.sums(form(ROWS[i : i + 1])) for i in range(len(ROWS))])
    assert np.array_equal(together, alone)


def test_float32_rows_are_read_as_they_are():
    kernel = KernelFunction("rbf", 0.1)
    rows = ROWS.astype(np.float32)
    want = by_definition(kernel, rows.astype(float), VECTORS, COEF, BOUNDS)
    assert Expansion(kernel, VECTORS, COEF, BOUNDS, False).sums(rows) == pytest.approx(want, abs=1e-10)


def test_a_precomputed_kernel_is_summed_over_its_columns():
    values = definition(KERNELS[2], ROWS, VECTORS)
    found = Expansion(KernelFunction("precomputed"), 700, COEF, BOUNDS).sums(values)
    assert found == pytest.approx(by_definition(KERNELS[2], ROWS, VECTORS, COEF, BOUNDS), abs=1e-10)


@pytest.mark.parametrize("huge", [1e10, 1e30, 1e150, 1e300])
def test_rows_far_away_have_sums_of_zero(huge):
    far = np.full((2, 9), huge)
    far[1, ::2] *= -1
    for form in (np.asarray, sp.csr_array):
        for single in (True, False):
            machine = Expansion(KernelFunction("rbf", 0.1), form(VECTORS), COEF, BOUNDS, single)
            assert (machine.sums(form(far)) == 0).all()


def test_float32_is_left_where_it_would_not_do():
    wide = VECTORS * 10
    assert Expansion(KernelFunction("rbf", 0.1), VECTORS, COEF, BOUNDS)._packed[0].dtype == np.float32
    assert Expansion(KernelFunction("rbf", 0.1), wide, COEF, BOUNDS)._packed[0].dtype == np.float64
    assert Expansion(KernelFunction("rbf", 0.1), VECTORS, COEF * 1e35, BOUNDS)._packed[0].dtype == np.float64
    assert Expansion(KernelFunction("poly", 0.1), VECTORS, COEF, BOUNDS)._packed[0].dtype == np.float64
    few = Expansion(KernelFunction("rbf", 0.1), VECTORS[:100], COEF[:, :100], np.array([0, 100]))
    assert few._packed[0].dtype == np.float64


def test_no_rows_no_vectors_and_no_stored_cells_are_no_trouble():
    kernel = KernelFunction("rbf", 0.1)
    assert Expansion(kernel, VECTORS, COEF, BOUNDS).sums(ROWS[:0]).shape == (0, 4, 3)
    none = Expansion(kernel, VECTORS[:0], COEF[:, :0], np.array([0, 0]))
    assert none.sums(ROWS).tolist() == np.zeros((150, 1, 3)).tolist()
    empty = Expansion(kernel, sp.csr_array((2, 9)), np.ones((1, 2)), np.array([0, 2]))
    assert empty.sums(sp.csr_array((3, 9))).ravel().tolist() == [2.0, 2.0, 2.0]


def test_columns_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="9 columns"):
        Expansion(KERNELS[0], VECTORS, COEF, BOUNDS).sums(ROWS[:, :4])


def test_what_is_derived_is_not_saved():
    machine = Expansion(KernelFunction("rbf", 0.1), VECTORS, COEF, BOUNDS)
    before = machine.sums(ROWS)
    state = machine.__getstate__()
    assert set(state) == {"kernel", "vectors", "coef", "bounds", "single"}
    assert np.array_equal(Expansion(**state).sums(ROWS), before)
