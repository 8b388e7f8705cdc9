"""Neighbours against scikit-learn's on real data, and where they differ.

Rows as near as the last neighbour share its votes in margin; scikit-learn takes those it meets first. Equal votes go
to the class whose voters are nearer in margin, to the first class in scikit-learn: labels are compared elsewhere. On
iris and on the digits, whose cells are round numbers, equally near rows are common: there only rows are compared
whose neighbours are no matter of choice. The other sets have next to none. scikit-learn's regressor adds up targets
as they are, margin their differences to the nearest one, which is more exact.
"""

import numpy as np
import pytest
from sklearn import neighbors as rivals
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from margin import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
    choose_k,
    read,
)
from tests.shared_data import shared_data

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")

SETTINGS = [
    {"n_neighbors": 5},
    {"n_neighbors": 7, "weights": "distance"},
    {"n_neighbors": 3, "p": 1},
    {"n_neighbors": 4, "metric": "cosine"},
]


def halves(load):
    X, y = load(return_X_y=True)
    return X[::2], y[::2], X[1::2], y[1::2]


def decided(shares):
    """Whether one class has more votes than every other."""
    second, first = np.sort(shares, axis=1)[:, -2:].T
    return first - second > 1e-9


def untied(rival, X):
    """Rows whose neighbours are no matter of choice, since the next one is farther away than the last."""
    distance, _ = rival.kneighbors(X, rival.n_neighbors + 1)
    return ~np.isclose(distance[:, -1], distance[:, -2], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer, load_iris, load_digits], ids=lambda f: f.__name__)
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_classes_probabilities_and_neighbours_are_those_of_scikit_learn(load, settings):
    X, y, new, _ = halves(load)
    ours = KNeighborsClassifier(**settings).fit(X, y)
    rival = rivals.KNeighborsClassifier(**settings, algorithm="brute").fit(X, y)
    clear = untied(rival, new)
    assert clear.mean() > (0.99 if load in (load_wine, load_breast_cancer) else 0.5)
    np.testing.assert_allclose(ours.predict_proba(new)[clear], rival.predict_proba(new)[clear], rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(
        np.sort(ours.kneighbors(new)[1][clear], axis=1), np.sort(rival.kneighbors(new)[1][clear], axis=1)
    )
    if settings.get("weights") != "distance":
        clear &= decided(rival.predict_proba(new))
        assert np.array_equal(ours.predict(new)[clear], rival.predict(new)[clear])


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_quantities_are_those_of_scikit_learn(settings):
    X, y, new, _ = halves(load_diabetes)
    ours = KNeighborsRegressor(**settings).fit(X, y)
    rival = rivals.KNeighborsRegressor(**settings, algorithm="brute").fit(X, y)
    np.testing.assert_allclose(ours.predict(new), rival.predict(new), rtol=1e-6)
    both, theirs = np.column_stack([y, -2 * y]), np.column_stack([y, -2 * y])
    np.testing.assert_allclose(ours.fit(X, both).predict(new), rival.fit(X, theirs).predict(new), rtol=1e-6)


def test_miles_per_gallon_are_those_of_scikit_learn():
    table = read(shared_data("auto-mpg.arff.gz"))
    X, y = table.target("class")
    numbers = [column.name for column in X.schema if column.is_numeric and not X.missing(column.name).any()]
    cells = np.column_stack([X[name] for name in numbers])
    cells = (cells - cells.mean(axis=0)) / cells.std(axis=0)
    ours, rival = KNeighborsRegressor(4).fit(cells[::2], y[::2]), rivals.KNeighborsRegressor(4).fit(cells[::2], y[::2])
    clear = untied(rival, cells[1::2])
    np.testing.assert_allclose(ours.predict(cells[1::2])[clear], rival.predict(cells[1::2])[clear], rtol=1e-9)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.filterwarnings("ignore:Outlier label -1", "ignore::margin.errors.LonelyRowWarning")
def test_radii_give_the_answers_of_scikit_learn(weights):
    X, y, new, _ = halves(load_wine)
    spread = X.std(axis=0)
    X, new = X / spread, new / spread
    ours = RadiusNeighborsClassifier(2.0, weights=weights, outlier_label=-1).fit(X, y)
    rival = rivals.RadiusNeighborsClassifier(2.0, weights=weights, outlier_label=-1).fit(X, y)
    assert (rival.predict(new) == -1).any()
    np.testing.assert_allclose(ours.predict_proba(new), rival.predict_proba(new), rtol=1e-9)
    assert np.array_equal(ours.predict(new), rival.predict(new))
    with pytest.warns(UserWarning, match="One or more samples have no neighbors"):
        expected = rivals.RadiusNeighborsRegressor(2.0, weights=weights).fit(X, y * 1.0).predict(new)
    np.testing.assert_allclose(
        RadiusNeighborsRegressor(2.0, weights=weights).fit(X, y).predict(new), expected, rtol=1e-9
    )


def test_several_columns_of_labels_are_those_of_scikit_learn():
    X, y, new, _ = halves(load_wine)
    labels = np.column_stack([y, y == 1, y % 2])
    ours, rival = (kind(5).fit(X, labels) for kind in (KNeighborsClassifier, rivals.KNeighborsClassifier))
    clear = np.logical_and.reduce([decided(shares) for shares in rival.predict_proba(new)])
    assert clear.mean() > 0.9
    assert np.array_equal(ours.predict(new)[clear], rival.predict(new)[clear])
    for mine, theirs in zip(ours.predict_proba(new), rival.predict_proba(new)):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)


def test_one_search_finds_what_leaving_out_each_row_of_wine_finds():
    X, y = load_wine(return_X_y=True)
    choice = choose_k(X, y, 12)
    for k in (1, 3, 5, 12):
        shares = cross_val_predict(rivals.KNeighborsClassifier(k), X, y, cv=LeaveOneOut(), method="predict_proba")
        clear = decided(shares)
        right = (shares.argmax(axis=1) == y)[clear].sum()
        assert right <= choice.right[k - 1] <= right + (~clear).sum()
        assert choice.right[k - 1] == right or not clear.all()
