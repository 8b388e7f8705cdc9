"""Every kernel that the core has, by its slow definition: values, machines, checks, files and graphs."""

import margin._core as _core
import numpy as np
import pytest
import scipy.sparse as sp

from margin import SVC
from margin.errors import ExportError, ParameterError
from margin.export.graph import Graph
from margin.export.machines import KERNELS as IN_ONNX
from margin.export.machines import kernel_sums
from margin.persistence.container.limits import Malformed
from margin.persistence.kinds.kernels import KINDS
from margin.svm import PegasosClassifier, check_kernel, kernel_matrix
from margin.svm.kernels.expansion import Expansion
from margin.svm.kernels.function import FAMILY, KERNELS, KernelFunction

NAMES = [name for name, *_ in _core.svm.kernels()]
SETTINGS = {"gamma": 0.2, "coef0": 0.5, "degree": 2}
# A kernel that is added needs a line here.
DEFINITIONS = {
    "linear": lambda product, square, gamma, coef0, degree: product,
    "poly": lambda product, square, gamma, coef0, degree: (gamma * product + coef0) ** degree,
    "rbf": lambda product, square, gamma, coef0, degree: np.exp(-gamma * square),
    "sigmoid": lambda product, square, gamma, coef0, degree: np.tanh(gamma * product + coef0),
}


def by_definition(name, X, Z, **settings):
    square = ((X[:, None] - Z[None]) ** 2).sum(axis=2)
    return DEFINITIONS[name](X @ Z.T, square, **(SETTINGS | settings))


def some_rows(n=60):
    X = np.random.default_rng(3).normal(0.5, 1, size=(n, 4)) * (np.random.default_rng(4).random((n, 4)) < 0.7)
    return X, np.where(X[:, 0] * X[:, 1] > 0.1, "in", "out")


def test_the_names_that_users_write_are_those_of_the_core_and_two_more():
    assert [name for name in KERNELS if name not in ("gaussian", "precomputed")] == NAMES == list(FAMILY)


@pytest.mark.parametrize("name", NAMES)
def test_a_matrix_holds_what_the_definition_says(name):
    X, _ = some_rows()
    found = kernel_matrix(X, X[:9], kernel=name, **SETTINGS)
    assert found == pytest.approx(by_definition(name, X, X[:9]), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", NAMES)
def test_decisions_are_sums_of_kernels_by_definition(name, form):
    X, y = some_rows()
    model = SVC(kernel=name, **SETTINGS).fit(form(X), y)
    values = by_definition(name, X, X[model.support_])
    want = values @ model.dual_coef_[0] + model.intercept_[0]
    assert model.decision_function(form(X)) == pytest.approx(want, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "linear"])
def test_sub_gradient_descent_sums_them_too(name):
    X, y = some_rows()
    model = PegasosClassifier(kernel=name, max_iter=3, tol=None, **SETTINGS).fit(X, y)
    want = by_definition(name, X, X[model.support_]) @ model.dual_coef_[0] + model.intercept_[0]
    assert model.decision_function(X) == pytest.approx(want, rel=1e-9, abs=1e-9)
    assert np.isnan(model.certificate_.lower_bound) != FAMILY[name].positive_definite


@pytest.mark.parametrize("name", NAMES)
def test_a_check_says_of_a_kernel_what_the_kernel_says_of_itself(name):
    X, _ = some_rows()
    found = check_kernel(name, X, **SETTINGS)
    eigenvalues = np.linalg.eigvalsh(by_definition(name, X, X))
    assert found.symmetric
    assert found.positive_semidefinite == FAMILY[name].positive_definite
    assert found.largest_eigenvalue == pytest.approx(eigenvalues[-1], rel=1e-9)


@pytest.mark.parametrize("parameter", sorted(SETTINGS))
@pytest.mark.parametrize("name", NAMES)
def test_a_kernel_reads_the_parameters_that_it_names_and_no_others(name, parameter):
    X, _ = some_rows(20)
    one, other = (kernel_matrix(X, kernel=name, **(SETTINGS | {parameter: value})) for value in (1, 3))
    assert np.array_equal(one, other) == (parameter not in FAMILY[name].parameters)


@pytest.mark.parametrize("name", [name for name in NAMES if FAMILY[name].of_distance])
def test_a_kernel_of_distances_does_not_see_where_the_rows_are(name):
    X, _ = some_rows(20)
    assert kernel_matrix(X + 1e6, kernel=name, **SETTINGS) == pytest.approx(by_definition(name, X, X), abs=1e-8)


def test_a_name_that_is_none_is_refused_as_before():
    X, y = some_rows(20)
    with pytest.raises(ParameterError) as refused:
        SVC(kernel="rfb").fit(X, y)
    assert str(refused.value).startswith(
        "SVC(kernel='rfb'): kernel must be one of 'linear', 'poly', 'rbf', 'gaussian', 'sigmoid', 'precomputed'"
    )
    with pytest.raises(ParameterError, match=r"one of 'linear', 'poly', 'rbf', 'sigmoid' \(did you mean 'rbf'\?\)"):
        PegasosClassifier(kernel="rfb").fit(X, y)
    with pytest.raises(ValueError, match="'rfb' is not one of 'linear', 'poly', 'rbf', 'sigmoid'"):
        KernelFunction("rfb").source(X)


@pytest.mark.parametrize("name", [*NAMES, "laplacian"])
def test_a_graph_has_a_form_for_a_kernel_or_refuses_it_with_the_reason(name):
    X, _ = some_rows(5)
    sums = Expansion(KernelFunction(name), X, np.ones((1, 5)), np.array([0, 5]))
    if name in IN_ONNX:
        assert kernel_sums(Graph(), sums, "matrix", "SVC")
    else:
        with pytest.raises(ExportError, match=r"to_onnx\(SVC\(kernel='laplacian'\)\): the kernel has not been written"):
            kernel_sums(Graph(), sums, "matrix", "SVC")


def test_a_file_with_another_kernel_is_refused_with_the_names_that_there_are():
    field = next(kind for kind in KINDS if kind.name == "kernel-function").fields["name"]
    assert [field.unpack(name, None) for name in NAMES] == NAMES
    with pytest.raises(Malformed, match="must be one of 'linear', 'poly', 'rbf', 'sigmoid', 'precomputed', not"):
        field.unpack("laplacian", None)
