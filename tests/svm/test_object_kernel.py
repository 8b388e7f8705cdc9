"""margin.svm.ObjectKernel: worked by hand, then next to what it stands for, then what it refuses."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from margin import SVC, SVR, ObjectKernel, OneClassSVM, check_kernel, kernel_matrix
from margin.errors import ExportError, InputError, InputTypeError, ParameterError
from margin.explain import explain


def shared(x, z):
    """How many members two sets have in common."""
    return len(x & z)


def product(x, z):
    """Of two tuples of numbers."""
    return sum(a * b for a, b in zip(x, z, strict=True))


WORDS = ["apple", "grape", "pear", "plum", "hammer", "saw", "nail", "screw"]
SETS = [set(word) for word in WORDS]
KINDS = np.repeat(["fruit", "tool"], 4)


def test_values_and_normalised_values_by_hand():
    one, two, none = {1, 2, 3}, {2, 3, 4, 5}, set()
    assert ObjectKernel(shared)([one, none], [two, one]).tolist() == [[2.0, 3.0], [0.0, 0.0]]
    normal = ObjectKernel(shared, normalize=True)
    assert normal([one, none], [two, one]) == pytest.approx(np.array([[2 / np.sqrt(12), 1.0], [0.0, 0.0]]))
    assert kernel_matrix([one, two], kernel=normal)[0, 0] == 1


def test_a_machine_of_objects_is_that_of_their_kernel_values():
    kernel = ObjectKernel(shared, normalize=True)
    model = SVC(kernel=kernel).fit(SETS, KINDS)
    known = SVC(kernel="precomputed").fit(kernel(SETS), KINDS)
    new = [set("cherry"), set("pliers"), set("xyz")]
    assert model.decision_function(new) == pytest.approx(known.decision_function(kernel(new, SETS)))
    assert np.array_equal(model.support_, known.support_)
    assert model.certificate_ == known.certificate_


def test_tuples_of_numbers_are_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    rows = [tuple(row) for row in X.tolist()]
    kernel = ObjectKernel(product)
    assert SVR(kernel=kernel).fit(rows, y).predict(rows) == pytest.approx(
        SVR(kernel="linear").fit(X, y).predict(X), abs=1e-6
    )
    assert (
        SVC(kernel=kernel).fit(rows, y > 0).predict(X[:5]).tolist()
        == SVC(kernel="linear").fit(X, y > 0).predict(X[:5]).tolist()
    )
    assert set(OneClassSVM(kernel=kernel).fit(rows).predict(rows)) <= {1, -1}


@pytest.mark.parametrize(
    "X", [SETS, np.array(SETS, dtype=object), np.array(SETS, dtype=object)[:, None]], ids=["list", "array", "column"]
)
def test_objects_may_stand_in_a_list_an_array_or_a_column(X):
    model = SVC(kernel=ObjectKernel(shared), class_weight="balanced").fit(X, KINDS)
    assert (
        model.predict(X).tolist()
        == SVC(kernel=ObjectKernel(shared), class_weight="balanced").fit(SETS, KINDS).predict(SETS).tolist()
    )


def test_weights_of_0_clones_pickles_cross_validation_and_reasons():
    weight = np.array([1, 1, 1, 0, 1, 1, 0, 1])
    model = SVC(kernel=ObjectKernel(shared), probability="sigmoid").fit(SETS, KINDS, weight)
    kept = [each for each, counts in zip(SETS, weight, strict=True) if counts]
    other = clone(model).fit(kept, KINDS[weight > 0])
    assert model.decision_function(SETS) == pytest.approx(other.decision_function(SETS))
    assert model.predict_proba(SETS).sum(axis=1) == pytest.approx(1.0)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.decision_function(SETS), model.decision_function(SETS))
    assert len(cross_val_score(SVC(kernel=ObjectKernel(shared)), SETS, KINDS, cv=2)) == 2
    assert "support vector" in explain(model, SETS[:1]).how


def test_a_check_says_bounds_and_what_objects_have_with_themselves():
    found = check_kernel(ObjectKernel(shared), SETS)
    assert found
    assert (found.smallest_value, found.largest_value) == (0.0, 5.0)
    assert (found.smallest_diagonal, found.largest_diagonal) == (3.0, 5.0)
    assert "values from 0 to 5, k(x, x) from 3 to 5" in str(found)
    assert "k(x, x) = 1" in str(check_kernel(ObjectKernel(shared, normalize=True), SETS))
    assert not check_kernel(ObjectKernel(lambda x, z: len(x - z)), SETS).symmetric


def test_what_is_no_kernel_of_objects_is_refused():
    with pytest.raises(ParameterError, match="function must be a function of two objects"):
        ObjectKernel("rbf")
    with pytest.raises(InputTypeError, match=r"SVC.fit: X must be a list or an array of objects, but is str"):
        SVC(kernel=ObjectKernel(shared)).fit("words", KINDS)
    with pytest.raises(InputError, match="must give a number, but gave 'x' for objects 0 and 0"):
        SVC(kernel=ObjectKernel(lambda x, z: "x")).fit(SETS, KINDS)
    with pytest.raises(InputError, match="must be finite, but that of objects 0 and 0 is nan"):
        SVC(kernel=ObjectKernel(lambda x, z: float("nan"))).fit(SETS, KINDS)
    with pytest.raises(InputError, match="kernel below 0 with itself, but object 0"):
        ObjectKernel(lambda x, z: -1.0, normalize=True)(SETS)
    with pytest.raises(ExportError, match="function of objects"):
        SVC(kernel=ObjectKernel(shared)).fit(SETS, KINDS).to_onnx()
