"""margin.svm.kernels.function and kernel_values: names, numbers, refusals; sources against the definition."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from margin.errors import InputError, ParameterError
from margin.svm import SVC, check_kernel, explicit_map, kernel_matrix
from margin.svm.kernels.function import KernelFunction, kernel_function

KERNELS = [
    KernelFunction("linear"),
    KernelFunction("poly", 0.3, 1.0, 3.0),
    KernelFunction("rbf", 0.2),
    KernelFunction("sigmoid", 0.1, -0.5),
]


def definition(kernel, X, Z):
    """Kernel values as they are written down."""
    product = X @ Z.T
    if kernel.name == "rbf":
        return np.exp(-kernel.gamma * ((X[:, None] - Z[None]) ** 2).sum(axis=2))
    inner = kernel.gamma * product + kernel.coef0
    return {"linear": product, "poly": inner**kernel.degree, "sigmoid": np.tanh(inner)}[kernel.name]


def some_rows(n, d, seed=0):
    return np.random.default_rng(seed).normal(2, 1, size=(n, d))


def block_of(source, rows, columns):
    return source.block(np.asarray(rows, dtype=np.uint32), np.asarray(columns, dtype=np.uint32), 0)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.name)
@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, np.float32], ids=["dense", "csr", "float32"])
def test_a_source_holds_what_the_definition_says(kernel, single, form):
    X = some_rows(70, 6) * (np.random.default_rng(1).random((70, 6)) < 0.6)
    rows = X.astype(np.float32) if form is np.float32 else form(X)
    source = kernel.source(rows, single=single)
    want = definition(kernel, X, X)
    tolerance = 3e-5 if single or form is np.float32 else 1e-12
    assert source.is_single == single
    assert block_of(source, range(3, 70, 2), range(70)) == pytest.approx(want[3::2], rel=tolerance, abs=tolerance)
    assert source.diagonal() == pytest.approx(np.diag(want), rel=tolerance, abs=tolerance)


def test_a_precomputed_kernel_is_read_as_it_is():
    values = np.random.default_rng(0).normal(size=(9, 9))
    for form in (values, values.astype(np.float32)):
        source = KernelFunction("precomputed").source(form)
        assert np.array_equal(block_of(source, [8, 0], range(9)), form[[8, 0]])


def test_a_precomputed_matrix_lives_as_long_as_its_source():
    source = KernelFunction("precomputed").source(np.full((4, 4), 7.0))
    np.full((4, 4), 1.0)
    assert (block_of(source, range(4), range(4)) == 7).all()


def test_single_precision_is_chosen_only_where_exponents_are_small():
    near, far = some_rows(2500, 3), some_rows(2500, 3)
    far[7] = 100
    kernel = KernelFunction("rbf", 0.1)
    assert kernel.source(near).is_single
    assert not kernel.source(far).is_single
    assert not kernel.source(near[:2000]).is_single
    assert not KernelFunction("linear").source(near).is_single
    with_offset = near + 1e6  # the mean is taken off first
    assert kernel.source(with_offset).is_single
    want = definition(kernel, near[:5], near)
    assert block_of(kernel.source(with_offset), range(5), range(2500)) == pytest.approx(want, abs=1e-6)


def test_equal_rows_have_an_rbf_kernel_of_exactly_one():
    X = np.vstack([some_rows(30, 11), some_rows(30, 11)])
    values = kernel_matrix(X)
    assert (np.diag(values) == 1).all()
    assert (np.diag(values[:30, 30:]) == 1).all()
    assert np.array_equal(values, values.T)


@settings(max_examples=40, deadline=None)
@given(X=arrays(float, (5, 2), elements=st.floats(-1e150, 1e150)), gamma=st.floats(1e-300, 1e300))
def test_an_rbf_kernel_is_always_between_zero_and_one(X, gamma):
    values = kernel_matrix(X, kernel="rbf", gamma=gamma)
    assert ((values >= 0) & (values <= 1)).all()
    assert (np.diag(values) == 1).all()


@settings(max_examples=30, deadline=None)
@given(
    X=arrays(float, st.tuples(st.integers(1, 6), st.integers(1, 3)), elements=st.floats(-3, 3)),
    degree=st.integers(0, 4),
    coef0=st.sampled_from([0.0, 0.5, 1.0]),
    gamma=st.sampled_from([0.5, 1.0]),
)
def test_the_product_in_the_explicit_space_is_the_polynomial_kernel(X, degree, coef0, gamma):
    mapped = explicit_map(X, degree, coef0, gamma)
    want = kernel_matrix(X, kernel="poly", gamma=gamma, coef0=coef0, degree=degree)
    assert mapped @ mapped.T == pytest.approx(want, rel=1e-9, abs=1e-9)


def test_gamma_is_what_its_names_say():
    X = some_rows(50, 4)
    assert kernel_function("rbf", X).gamma == pytest.approx(1 / (4 * X.var()))
    assert kernel_function("rbf", sp.csr_array(X)).gamma == pytest.approx(1 / (4 * X.var()))
    assert kernel_function("rbf", X, gamma="auto").gamma == 0.25
    assert kernel_function("rbf", np.ones((3, 2))).gamma == 1.0
    assert kernel_function("gaussian", X, sigma=2).gamma == 0.125


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"kernel": "rfb"}, "did you mean 'rbf'"),
        ({"kernel": "gaussian"}, "needs its width sigma"),
        ({"kernel": "linear", "sigma": 1.0}, "sigma is for a Gaussian"),
        ({"gamma": -1.0}, "gamma must be a number of at least 0"),
        ({"gamma": "wide"}, "gamma must be 'scale', 'auto' or a number"),
        ({"kernel": "gaussian", "sigma": 0.0}, "sigma must be a number above 0"),
        ({"kernel": "poly", "degree": float("nan")}, "degree must be a number of at least 0"),
        ({"kernel": "poly", "degree": 1.5}, "whole number"),
        ({"kernel": "precomputed"}, "the matrix itself"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, words):
    with pytest.raises(ParameterError, match=words):
        kernel_matrix(some_rows(4, 2) - 2, **settings)


def test_a_power_that_is_no_whole_number_needs_no_negative_products():
    X = np.abs(some_rows(6, 3))
    assert kernel_matrix(X, kernel="poly", gamma=1, degree=0.5) == pytest.approx(np.sqrt(X @ X.T))
    signed = np.array([[1.0, 0.0], [-1.0, 0.0]])
    assert kernel_matrix(signed, kernel="poly", gamma=1, coef0=1, degree=0.5)[0, 1] == 0
    with pytest.raises(ParameterError, match="coef0"):
        KernelFunction("poly", 1.0, 0.5, 0.5).source(signed)


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([[1.0, np.nan]], "missing, infinite or too large"),
        ([[1e200]], "missing, infinite or too large"),
        ([1.0, 2.0], "two dimensions"),
        ([["a"]], "rows of numbers"),
    ],
)
def test_rows_that_are_no_numbers_are_refused(X, words):
    with pytest.raises(InputError, match=words):
        kernel_matrix(X)


def test_values_beyond_the_range_of_numbers_are_refused_before_training():
    with pytest.raises(InputError, match="row 1 has a kernel value beyond"):
        KernelFunction("poly", 1.0, 0.0, 5.0).source(np.array([[1.0], [1e100]]))


def test_no_rows_and_no_columns_are_no_trouble():
    assert kernel_matrix(np.zeros((0, 3))).shape == (0, 0)
    assert kernel_matrix(np.zeros((2, 3)), np.zeros((0, 3))).shape == (2, 0)
    assert kernel_matrix(np.zeros((2, 0))).tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert check_kernel(np.zeros((0, 0)))


def test_a_function_of_the_users_is_looked_at():
    X = some_rows(4, 2)
    with pytest.raises(InputError, match="a matrix of 4 × 4 numbers"):
        kernel_matrix(X, kernel=lambda A, B: A @ B.T @ np.ones(4))
    with pytest.raises(InputError, match="must be finite, but that of rows 0 and 0 is nan"):
        kernel_matrix(X, kernel=lambda A, B: np.full((4, 4), np.nan))
    with pytest.raises(ParameterError, match="rows X are needed"):
        check_kernel("rbf")
    with pytest.raises(InputError, match="must be square"):
        check_kernel(np.zeros((2, 3)))


def test_the_check_is_blind_to_units():
    X = some_rows(20, 3)
    for unit in (1e-200, 1.0, 1e200):
        assert check_kernel(X @ X.T * unit)
        assert not check_kernel((X @ X.T - 30 * np.eye(20)) * unit).positive_semidefinite


def test_a_kernel_of_ones_own_that_fails_is_refused_with_what_it_may_have_meant():
    with pytest.raises(InputError, match=r"kernel failed on 3 and 3 rows \(ValueError.*ObjectKernel"):
        check_kernel(lambda x, z: -(x - z) @ (x - z), np.ones((3, 2)))
    with pytest.raises(InputError, match=r"SVC.*kernel failed.*ZeroDivisionError"):
        SVC(kernel=lambda x, z: 1 / 0).fit(np.eye(3), [0, 1, 0])
