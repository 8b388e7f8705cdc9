"""The golden figures of the perceptron, on iris in the order of the file."""

import numpy as np
import pytest

from margin import Perceptron
from margin.data import catalog
from margin.errors import NotSeparableWarning


def iris(*columns):
    """Some columns of iris, and whether a flower is a setosa."""
    X, y = catalog.load("iris").target("class")
    return np.column_stack([X.cells(name) for name in columns]), np.array(y) == "Iris-setosa"


@pytest.mark.golden("D1")
def test_petals_of_setosa_cost_four_mistakes_in_three_passes():
    model = Perceptron().fit(*iris("petallength", "petalwidth"))
    assert [(rows + 1).tolist() for rows in model.mistakes_] == [[1, 51], [1, 2], []]
    assert model.coef_[0] == pytest.approx([-0.5, -0.8], abs=1e-12)
    assert model.intercept_ == pytest.approx([2.0], abs=1e-12)


@pytest.mark.golden("D1")
def test_sepals_of_setosa_cost_1562_updates():
    X, y = iris("sepallength", "sepalwidth")
    model = Perceptron().fit(X, y)
    assert model.n_mistakes_ == 1562
    assert model.mistakes_[-1].size == 0
    assert np.array_equal(model.predict(X), y)


@pytest.mark.golden("D1")
def test_the_step_and_the_threshold_are_those_of_the_deck():
    X, y = iris("petallength", "petalwidth")
    model = Perceptron(eta0=0.1).fit(X, y)
    threshold = -model.intercept_[0]
    assert [(rows + 1).tolist() for rows in model.mistakes_] == [[1, 51], [1, 2], []]
    assert np.array_equal(X @ model.coef_[0] - threshold > 0, y)


@pytest.mark.golden("D2")
@pytest.mark.parametrize("columns", [("petallength", "petalwidth"), ("sepallength", "sepalwidth")], ids=" ".join)
@pytest.mark.parametrize("shuffle", [False, True])
def test_no_more_mistakes_than_the_radius_over_the_margin_squared(columns, shuffle):
    X, y = iris(*columns)
    model = Perceptron(shuffle=shuffle, random_state=0, max_iter=5000).fit(X, y)
    found = model.certificate_
    z = np.column_stack([X, np.ones(len(X))])
    direction = np.append(found.direction, found.intercept)
    assert found.radius == pytest.approx(np.linalg.norm(z, axis=1).max())
    assert found.margin == pytest.approx((np.where(y, 1, -1) * (z @ direction)).min() / np.linalg.norm(direction))
    assert model.n_mistakes_ == found.mistakes <= found.bound == pytest.approx((found.radius / found.margin) ** 2)


@pytest.mark.golden("D2")
def test_what_no_plane_separates_ends_with_a_warning():
    X, y = catalog.load("iris").target("class")
    virginica = np.array(y) == "Iris-virginica"
    with pytest.warns(NotSeparableWarning, match="no plane between the classes was found"):
        model = Perceptron(max_iter=50).fit(X, virginica)
    assert not model.certificate_.separable


@pytest.mark.golden("D2")
@pytest.mark.parametrize("variant", ["averaged", "voted"])
def test_averages_and_votes_forgive_what_the_last_row_did(variant):
    X, y = catalog.load("iris").target("class")
    virginica = np.array(y) == "Iris-virginica"
    with pytest.warns(NotSeparableWarning):
        plain = Perceptron(max_iter=30, shuffle=True, random_state=0).fit(X, virginica)
    with pytest.warns(NotSeparableWarning):
        model = Perceptron(max_iter=30, shuffle=True, random_state=0, variant=variant).fit(X, virginica)
    assert np.array_equal(model.mistake_counts_, plain.mistake_counts_)
    assert model.score(X, virginica) > max(plain.score(X, virginica), 0.95)


@pytest.mark.golden("D2")
def test_a_stream_of_single_flowers_is_one_pass():
    X, y = iris("petallength", "petalwidth")
    stream = Perceptron()
    for i in range(len(X)):
        stream.partial_fit(X[i : i + 1], y[i : i + 1], classes=[False, True])
    assert np.flatnonzero(stream.mistake_counts_).tolist() == [0, 50]
    assert np.array_equal(stream.coef_, Perceptron().partial_fit(X, y).coef_)
