"""LinearSVC against scikit-learn's (liblinear) on real data: the same objective, intercept penalised, never higher."""

import gzip
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file
from sklearn.svm import LinearSVC as Theirs

from margin import LinearSVC, TableEncoder
from margin.data import read
from tests.shared_data import shared_data
from tests.svm.linear_slow import crammer_singer_objective, objective


def table(name, target="class"):
    """Numbers in units of their own, and codes of the classes."""
    X, y = read(shared_data(f"{name}.arff.gz")).target(target)
    X = TableEncoder().fit_transform(X)
    X = X[:, X[:1000].std(axis=0) > 0]
    return (X - X.mean(axis=0)) / X.std(axis=0), np.unique(y, return_inverse=True)[1]


def both(X, y, C, **asked):
    ours = LinearSVC(C=C, intercept_scaling=1.0, **asked).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = Theirs(C=C, max_iter=3000, dual="auto" if asked.get("penalty") != "l1" else False, **asked).fit(X, y)
    return ours, theirs


def cost(model, X, y, C, **asked):
    """The intercept counts as one more coefficient."""
    with_ones = np.column_stack([X.toarray() if hasattr(X, "toarray") else X, np.ones(X.shape[0])])
    w = np.append(model.coef_[0], model.intercept_[0])
    squared = asked.get("loss") != "hinge"
    return objective(w, 0.0, with_ones, np.where(y == 1, 1.0, -1.0), np.full(len(y), C), squared, "penalty" in asked)


@pytest.mark.parametrize("asked", [{}, {"loss": "hinge"}, {"penalty": "l1"}], ids=str)
@pytest.mark.parametrize("name", ["spambase", "diabetes"])
def test_never_above_liblinear_on_numbers(name, asked):
    X, y = table(name)
    for C in (0.1, 10.0):
        ours, theirs = both(X, y, C, **asked)
        assert ours.certificate_.converged
        assert cost(ours, X, y, C, **asked) <= cost(theirs, X, y, C, **asked) * (1 + 1e-5)


@pytest.mark.parametrize("asked", [{}, {"loss": "hinge"}, {"loss": "hinge", "dual": True}], ids=str)
def test_never_above_liblinear_on_sparse_rows(asked):
    with gzip.open(shared_data("a9a.libsvm.gz")) as file:
        X, y = load_svmlight_file(file)
    X, y = X[:4000], (y[:4000] > 0).astype(int)
    ours = LinearSVC(C=0.5, intercept_scaling=1.0, **asked).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = Theirs(C=0.5, max_iter=3000, **{"dual": "auto", **asked}).fit(X, y)
    assert ours.certificate_.converged
    assert cost(ours, X, y, 0.5, **asked) <= cost(theirs, X, y, 0.5, **asked) * (1 + 1e-5)


def test_never_above_liblinear_for_ten_classes_together():
    X, y = table("optdigits")
    X, y = X[:1000], y[:1000]
    ours, theirs = both(X, y, 0.01, multi_class="crammer_singer")
    with_ones, bound = np.column_stack([X, np.ones(len(X))]), np.full(len(y), 0.01)
    reached, known = (
        crammer_singer_objective(np.column_stack([m.coef_, m.intercept_]), 0.0, with_ones, y, bound)
        for m in (ours, theirs)
    )
    assert ours.certificate_.primal == pytest.approx(reached, rel=1e-8)
    assert reached <= known * (1 + 1e-5)
