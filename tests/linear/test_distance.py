"""Distances of rows from the planes of a linear model: by hand, against a slow search, and where there is no plane."""

import numpy as np
import pytest

import margin
from margin.base.planes import distance_from_planes

MODELS = [
    margin.LogisticRegression(),
    margin.LogisticRegression(scale="standard"),
    margin.LinearSVC(),
    margin.Perceptron(max_iter=20),
    margin.Adaline(),
    margin.LinearSGD(random_state=0),
    margin.LinearDiscriminantAnalysis(),
    margin.DiagonalLinearDiscriminantAnalysis(),
]


@pytest.fixture(autouse=True)
def _quiet(recwarn):
    """Some of the models stop before they are done: their planes are planes all the same."""
    import warnings

    warnings.simplefilter("ignore", margin.errors.MarginWarning)


def blobs(n_classes, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, 120)
    angle = 2 * np.pi * y / n_classes
    return np.column_stack([np.cos(angle), np.sin(angle)]) + 0.4 * rng.normal(size=(120, 2)), y


def test_a_plane_worked_by_hand():
    assert distance_from_planes(np.array([10.0, -5.0]), np.array([[3.0, 4.0]])).tolist() == [2.0, -1.0]


def test_without_weights_there_is_no_plane():
    assert distance_from_planes(np.array([1.0, -1.0]), np.zeros((1, 2))).tolist() == [np.inf, -np.inf]
    assert distance_from_planes(np.ones((2, 3)), np.zeros((3, 2))).tolist() == [np.inf, np.inf]


def test_weights_whose_squares_overflow_have_a_length():
    assert distance_from_planes(np.array([5e200]), np.array([[3e200, 4e200]])) == pytest.approx([1.0])


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize(
    "model", MODELS, ids=lambda model: f"{type(model).__name__}{getattr(model, 'scale', None) or ''}"
)
def test_a_row_moved_by_its_distance_reaches_another_answer(model, n_classes):
    X, y = blobs(n_classes)
    model = model.fit(X, y)
    unit = np.ones(2) if getattr(model, "scale", None) is None else X.std(axis=0)
    distance = np.abs(model.distance(X))
    assert distance.shape == (len(X),)
    turn = np.linspace(0, 2 * np.pi, 720, endpoint=False)
    ways = np.column_stack([np.cos(turn), np.sin(turn)]) * unit
    for x, far in list(zip(X, distance))[:12]:
        answers = model.predict([x])[0]
        assert (model.predict(x + 0.99 * far * ways) == answers).all()
        assert (model.predict(x + 1.01 * far * ways) != answers).any()


def test_the_sign_tells_the_second_of_two_classes():
    X, y = blobs(2)
    for model in (margin.LogisticRegression().fit(X, y), margin.LinearDiscriminantAnalysis().fit(X, y)):
        assert ((model.distance(X) > 0) == (model.predict(X) == 1)).all()


def test_votes_and_kernels_have_no_plane():
    assert not hasattr(margin.Perceptron(variant="voted"), "distance")
    assert not hasattr(margin.PegasosClassifier(kernel="rbf"), "distance")
