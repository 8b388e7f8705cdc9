"""The first models against scikit-learn's on real data, and where they differ.

Gaussian naive Bayes: scikit-learn divides by n and adds 1e-9 of the largest variance of all columns to each; margin
divides by n-1. The rival below is scikit-learn with margin's variances put in.
k nearest neighbours: rows at equal distance are taken by class here, by row number there; answers may differ on
ties and nowhere else.
"""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier as Rival

from margin import KNeighborsClassifier, MajorityClassifier, NaiveBayes, Table, read
from tests.shared_data import shared_data

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")

SETS = [load_iris, load_wine, load_breast_cancer]


@pytest.mark.parametrize("load", SETS, ids=lambda f: f.__name__)
def test_gaussian_naive_bayes_equals_scikit_learn_with_the_same_variances(load):
    X, y = load(return_X_y=True)
    ours = NaiveBayes().fit(X, y)
    rival = GaussianNB(var_smoothing=0).fit(X, y)
    counts = np.bincount(y)[:, None]
    np.testing.assert_allclose(ours.distributions_["x0"].variance, rival.var_ * counts / (counts - 1), rtol=1e-9)
    rival.var_ = ours.distributions_["x0"].variance
    np.testing.assert_allclose(ours.predict_proba(X), rival.predict_proba(X), rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("name", ["car.arff.gz", "nursery.arff.gz", "tic-tac-toe.arff.gz"])
@pytest.mark.parametrize("alpha", [1.0, 0.3])
def test_categorical_naive_bayes_equals_scikit_learn(name, alpha):
    table = read(shared_data(name))
    X, y = table.target(table.names[-1])
    codes = np.column_stack([X.cells(column) for column in X.names])
    rival = CategoricalNB(alpha=alpha).fit(codes, y)
    ours = NaiveBayes(alpha=alpha).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), rival.predict_proba(codes), rtol=1e-9)
    assert np.array_equal(ours.predict(X), rival.predict(codes))


@pytest.mark.parametrize("load", [*SETS, load_digits], ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "settings",
    [{"n_neighbors": 5}, {"n_neighbors": 7, "weights": "distance"}, {"p": 1}, {"p": 3}, {"metric": "chebyshev"}],
    ids=str,
)
def test_neighbours_are_those_of_scikit_learn(load, settings):
    X, y = load(return_X_y=True)
    train, test = slice(0, None, 2), slice(1, None, 2)
    ours = KNeighborsClassifier(**settings).fit(X[train], y[train])
    rival = Rival(**settings, algorithm="brute").fit(X[train], y[train])
    distance, _ = ours.kneighbors(X[test])
    expected, _ = rival.kneighbors(X[test])
    np.testing.assert_allclose(distance, expected, rtol=1e-6, atol=1e-6)
    beyond = rival.kneighbors(X[test], ours.n_neighbors + 1)[0]
    untied = ~np.isclose(beyond[:, -1], beyond[:, -2])
    assert untied.mean() > 0.2
    np.testing.assert_allclose(
        ours.predict_proba(X[test])[untied], rival.predict_proba(X[test])[untied], rtol=1e-5, atol=1e-6
    )


def test_the_majority_is_that_of_scikit_learn():
    X, y = load_wine(return_X_y=True)
    rival = DummyClassifier(strategy="prior").fit(X, y)
    np.testing.assert_allclose(MajorityClassifier().fit(X, y).predict_proba(X), rival.predict_proba(X))


def test_missing_cells_hurt_less_than_filling_them_by_hand():
    """On soybean (2337 missing cells) leaving them out of the product is at least as right as a level of their own."""
    table = read(shared_data("soybean.arff.gz"))
    X, y = table.target("class")
    filled = Table.from_columns({name: ["missing" if v is None else v for v in X[name]] for name in X.names})
    train, test = slice(0, None, 2), slice(1, None, 2)
    left_out = (NaiveBayes().fit(X[train], y[train]).predict(X[test]) == y[test]).mean()
    own_level = (NaiveBayes().fit(filled[train], y[train]).predict(filled[test]) == y[test]).mean()
    assert left_out >= own_level - 0.03
    assert left_out > 0.85
