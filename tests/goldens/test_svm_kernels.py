"""E6: kernels, their explicit maps, and the check of symmetry and positive semi-definiteness."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from margin import SVC, SpectrumKernel, check_kernel, explicit_map, kernel_matrix

pytestmark = pytest.mark.golden("E6")

X = np.array([[1.0, 2.0], [-0.5, 3.0], [0.0, 0.0], [4.0, -1.5]])


def test_the_square_of_one_plus_the_product_is_a_map_to_six_features():
    one, two = X.T
    root = np.sqrt(2)
    by_hand = np.column_stack([np.ones(4), root * one, root * two, one**2, root * one * two, two**2])
    assert explicit_map(X, degree=2, coef0=1) == pytest.approx(by_hand)
    assert kernel_matrix(X, kernel="poly", gamma=1, coef0=1, degree=2) == pytest.approx(by_hand @ by_hand.T)


def test_the_square_of_the_product_is_a_map_to_three_features():
    one, two = X.T
    by_hand = np.column_stack([one**2, np.sqrt(2) * one * two, two**2])
    assert explicit_map(X, degree=2, coef0=0) == pytest.approx(by_hand)
    assert kernel_matrix(X, kernel="poly", gamma=1, coef0=0, degree=2) == pytest.approx(by_hand @ by_hand.T)


def test_each_kernel_is_its_formula():
    product = X @ X.T
    distance = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    assert kernel_matrix(X, kernel="linear") == pytest.approx(product)
    assert kernel_matrix(X, kernel="rbf", gamma=0.3) == pytest.approx(np.exp(-0.3 * distance))
    assert kernel_matrix(X, kernel="gaussian", sigma=1.7) == pytest.approx(np.exp(-distance / (2 * 1.7**2)))
    assert kernel_matrix(X, kernel="sigmoid", gamma=0.1, coef0=-0.2) == pytest.approx(np.tanh(0.1 * product - 0.2))
    mine = kernel_matrix(X, kernel=lambda A, B: np.minimum(A[:, None], B[None]).sum(axis=2))
    assert mine[0].tolist() == [3.0, 1.5, 0.0, -0.5]


def test_the_check_tells_kernels_from_others():
    assert check_kernel("rbf", X, gamma=0.5)
    sigmoid = check_kernel("sigmoid", X, gamma=1, coef0=-1)
    assert sigmoid.symmetric
    assert not sigmoid.positive_semidefinite
    assert sigmoid.smallest_eigenvalue < 0
    crooked = check_kernel(np.array([[1.0, 0.5], [0.25, 1.0]]))
    assert not crooked.symmetric
    assert crooked.largest_asymmetry == 0.25
    assert crooked.positive_semidefinite
    assert "not symmetric" in str(crooked)


def test_texts_are_told_apart_by_the_pieces_they_share():
    texts = ["banana bread", "bananas", "a banana", "cherry pie", "cherries", "sour cherry"] * 3
    fruit = ["banana", "banana", "banana", "cherry", "cherry", "cherry"] * 3
    model = make_pipeline(SpectrumKernel(k=3), SVC(kernel="linear", C=10)).fit(texts, fruit)
    assert model.predict(["banana split", "black cherry"]).tolist() == ["banana", "cherry"]


def test_a_machine_trains_on_any_kernel_and_on_its_matrix_alike():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 3))
    inside = np.linalg.norm(rows, axis=1) < 1.5
    named = SVC(kernel="rbf", gamma=0.5).fit(rows, inside)
    values = kernel_matrix(rows, kernel="rbf", gamma=0.5)
    given = SVC(kernel="precomputed").fit(values, inside)
    asked = SVC(kernel=lambda A, B: kernel_matrix(A, B, kernel="rbf", gamma=0.5)).fit(rows, inside)
    assert given.decision_function(values) == pytest.approx(named.decision_function(rows), abs=2e-2)
    assert asked.decision_function(rows) == pytest.approx(named.decision_function(rows), abs=2e-2)
