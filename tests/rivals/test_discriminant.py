"""Discriminants against scikit-learn's on real data, and where they differ.

Linear, ``solver="svd"``: scikit-learn divides squared deviations by n from version 1.9 on, margin by n - K; distances
then differ by the factor (n - K)/n. ``"lsqr"`` and ``"eigen"`` are the same in both.
Quadratic: the same; where a class does not vary in all directions scikit-learn refuses, margin answers.
Diagonal: scikit-learn has none; Gaussian naive Bayes with the pooled variances put in is the same model.
"""

import numpy as np
import pytest
import sklearn.discriminant_analysis as rivals
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.naive_bayes import GaussianNB

from margin import DiagonalLinearDiscriminantAnalysis, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

pytestmark = pytest.mark.filterwarnings(
    "ignore::margin.errors.ConstantColumnWarning", "ignore::margin.errors.DeficientClassWarning"
)

SETS = [load_iris, load_wine, load_breast_cancer, load_digits]
FULL_RANK = SETS[:3]


def every(sets):
    return pytest.mark.parametrize("load", sets, ids=lambda f: f.__name__)


@every(SETS)
def test_the_default_is_scikit_learn_with_n_less_k_in_place_of_n(load):
    X, y = load(return_X_y=True)
    ours, rival = LinearDiscriminantAnalysis().fit(X, y), rivals.LinearDiscriminantAnalysis().fit(X, y)
    factor = (len(y) - len(ours.classes_)) / len(y)
    np.testing.assert_allclose(ours.coef_, rival.coef_ * factor, rtol=1e-9, atol=1e-9 * np.abs(rival.coef_).max())
    log_priors = np.log(rival.priors_)
    if len(log_priors) == 2:
        log_priors = log_priors[1] - log_priors[0]
    scores = (rival.decision_function(X) - log_priors) * factor + log_priors
    np.testing.assert_allclose(ours.decision_function(X), scores, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours.explained_variance_ratio_, rival.explained_variance_ratio_, rtol=1e-9)
    projected, expected = ours.transform(X), rival.transform(X) * np.sqrt(factor)
    same_way = np.sign((projected * expected).sum(axis=0))
    np.testing.assert_allclose(projected, expected * same_way, rtol=1e-9, atol=1e-9)


def same_answers(ours, rival, X):
    np.testing.assert_allclose(ours.predict_proba(X), rival.predict_proba(X), rtol=1e-9, atol=1e-9)
    assert np.array_equal(ours.predict(X), rival.predict(X))
    np.testing.assert_allclose(ours.decision_function(X), rival.decision_function(X), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(ours.covariance_, rival.covariance_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.coef_, rival.coef_, rtol=1e-9, atol=1e-9 * np.abs(rival.coef_).max())
    np.testing.assert_allclose(ours.intercept_, rival.intercept_, rtol=1e-9)


@pytest.mark.parametrize("solver", ["lsqr", "eigen"])
def test_the_other_solvers_keep_directions_that_hardly_vary(solver):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 3, 200)
    X[:, 2] = X[:, 0] + X[:, 1] + 3e-5 * (X[:, 2] + y)
    ours = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
    rival = rivals.LinearDiscriminantAnalysis(solver=solver).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), rival.predict_proba(X), atol=1e-5)


@every([load_iris, load_wine])
@pytest.mark.parametrize("shrinkage", [None, "auto", 0.3], ids=str)
@pytest.mark.parametrize("solver", ["lsqr", "eigen"])
@pytest.mark.parametrize("priors", [None, (0.2, 0.3, 0.5)], ids=str)
def test_the_other_solvers_are_those_of_scikit_learn(load, solver, shrinkage, priors):
    X, y = load(return_X_y=True)
    ours = LinearDiscriminantAnalysis(solver=solver, shrinkage=shrinkage, priors=priors).fit(X, y)
    rival = rivals.LinearDiscriminantAnalysis(solver=solver, shrinkage=shrinkage, priors=priors).fit(X, y)
    same_answers(ours, rival, X)
    if solver == "eigen":
        np.testing.assert_allclose(ours.explained_variance_ratio_, rival.explained_variance_ratio_, rtol=1e-9)
        np.testing.assert_allclose(np.abs(ours.transform(X)), np.abs(rival.transform(X)), rtol=1e-8, atol=1e-9)


@every([load_breast_cancer, load_digits])
@pytest.mark.parametrize("shrinkage", ["auto", 0.3], ids=str)
def test_shrinkage_is_that_of_scikit_learn_on_columns_that_hardly_vary(load, shrinkage):
    X, y = load(return_X_y=True)
    ours = LinearDiscriminantAnalysis(solver="eigen", shrinkage=shrinkage).fit(X, y)
    same_answers(ours, rivals.LinearDiscriminantAnalysis(solver="eigen", shrinkage=shrinkage).fit(X, y), X)


@every([load_iris, load_wine])
@pytest.mark.parametrize("settings", [{}, {"reg_param": 0.1}, {"priors": (0.2, 0.3, 0.5)}], ids=str)
def test_quadratic_discriminants_are_those_of_scikit_learn(load, settings):
    X, y = load(return_X_y=True)
    ours = QuadraticDiscriminantAnalysis(**settings).fit(X, y)
    rival = rivals.QuadraticDiscriminantAnalysis(**settings, store_covariance=True).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), rival.predict_proba(X), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.decision_function(X), rival.decision_function(X), rtol=1e-9, atol=1e-9)
    for mine, theirs in zip(ours.scalings_, rival.scalings_):
        np.testing.assert_allclose(mine, theirs, rtol=1e-8)


@every(SETS)
@pytest.mark.parametrize("shrinkage", ["auto", 0.2], ids=str)
def test_shrunk_quadratic_discriminants_are_those_of_scikit_learn(load, shrinkage):
    X, y = load(return_X_y=True)
    if load is load_breast_cancer:
        X = X / X.std(axis=0)  # else its smallest variances are rounding to scikit-learn
    ours = QuadraticDiscriminantAnalysis(shrinkage=shrinkage).fit(X, y)
    rival = rivals.QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=shrinkage).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), rival.predict_proba(X), rtol=1e-9, atol=1e-9)


@every(FULL_RANK)
def test_diagonal_discriminants_are_naive_bayes_with_shared_variances(load):
    X, y = load(return_X_y=True)
    ours, rival = DiagonalLinearDiscriminantAnalysis().fit(X, y), GaussianNB(var_smoothing=0).fit(X, y)
    counts = np.bincount(y)
    rival.var_ = np.tile(counts @ rival.var_ / (len(y) - len(counts)), (len(counts), 1))
    np.testing.assert_allclose(ours.var_, rival.var_[0], rtol=1e-9)
    np.testing.assert_allclose(ours.predict_proba(X), rival.predict_proba(X), rtol=1e-9, atol=1e-12)


def test_classes_that_lie_in_a_plane_are_answered_where_scikit_learn_refuses():
    X, y = load_digits(return_X_y=True)
    with pytest.raises(np.linalg.LinAlgError):
        rivals.QuadraticDiscriminantAnalysis().fit(X[::2], y[::2])
    right = QuadraticDiscriminantAnalysis(shrinkage="auto").fit(X[::2], y[::2]).score(X[1::2], y[1::2])
    assert right > 0.9
    assert np.isfinite(QuadraticDiscriminantAnalysis().fit(X[::2], y[::2]).predict_proba(X)).all()
