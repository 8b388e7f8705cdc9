"""Fitted models of scikit-learn to take over, and what it means that two models answer the same."""

from __future__ import annotations

import functools
import re
import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    RidgeClassifier,
    RidgeClassifierCV,
    SGDClassifier,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestCentroid,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
)
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor

__all__ = ["CASES", "DATA", "NAMES", "assert_same_answers", "decided_rows", "fitted", "rows_for", "tied_rows"]


def shifted_product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """A kernel of the user's own."""
    return A @ B.T + 1.0


CASES: tuple[BaseEstimator, ...] = (
    LogisticRegression(max_iter=50),
    LogisticRegression(C=0.1, l1_ratio=1.0, solver="saga", max_iter=20, class_weight="balanced", fit_intercept=False),
    LogisticRegressionCV(Cs=2, cv=2, l1_ratios=(0.0,), scoring="neg_log_loss", use_legacy_attributes=False),
    OneVsRestClassifier(LogisticRegression(max_iter=30)),
    OneVsRestClassifier(LinearSVC()),
    Perceptron(random_state=0),
    SGDClassifier(random_state=0),
    SGDClassifier(loss="log_loss", penalty="elasticnet", average=True, random_state=0),
    SGDClassifier(loss="modified_huber", random_state=0),
    SGDClassifier(loss="squared_error", eta0=1e-9, random_state=0),
    SGDClassifier(loss="squared_hinge", random_state=0),
    RidgeClassifier(),
    RidgeClassifier(fit_intercept=False),
    RidgeClassifierCV(),
    LinearSVC(),
    LinearSVC(multi_class="crammer_singer", fit_intercept=False, max_iter=50),
    SVC(),
    SVC(kernel="linear", C=0.1),
    SVC(kernel="poly", degree=2, coef0=1.0),
    SVC(kernel="sigmoid", gamma="auto"),
    SVC(kernel=shifted_product, C=0.01),
    SVC(decision_function_shape="ovo", class_weight="balanced"),
    SVC(break_ties=True),
    GaussianNB(),
    GaussianNB(priors=None, var_smoothing=1e-3),
    MultinomialNB(),
    MultinomialNB(alpha=0.1, fit_prior=False),
    ComplementNB(),
    ComplementNB(norm=True),
    BernoulliNB(binarize=2.0),
    CategoricalNB(),
    CategoricalNB(min_categories=5000, alpha=0.5),
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(n_components=1, store_covariance=True),
    LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
    LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.1),
    QuadraticDiscriminantAnalysis(reg_param=1e-3),
    QuadraticDiscriminantAnalysis(reg_param=0.1),
    QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.1),
    NearestCentroid(),
    NearestCentroid(metric="manhattan"),
    NearestCentroid(priors="empirical", shrink_threshold=0.5),
    KNeighborsClassifier(),
    KNeighborsClassifier(weights="distance", algorithm="kd_tree"),
    KNeighborsClassifier(metric="minkowski", p=3),
    KNeighborsClassifier(metric="cosine"),
    KNeighborsRegressor(weights="distance", algorithm="kd_tree"),
    RadiusNeighborsClassifier(radius=50.0, outlier_label="most_frequent"),
    RadiusNeighborsRegressor(radius=50.0),
    DecisionTreeClassifier(random_state=0),
    DecisionTreeClassifier(criterion="entropy", max_leaf_nodes=5, random_state=0),
    DecisionTreeClassifier(class_weight="balanced", max_depth=3, random_state=0),
    DecisionTreeRegressor(random_state=0),
    DecisionTreeRegressor(criterion="absolute_error", max_depth=3, random_state=0),
    ExtraTreeClassifier(random_state=0),
    ExtraTreeRegressor(random_state=0),
    DummyClassifier(),
    CalibratedClassifierCV(LinearSVC()),
    CalibratedClassifierCV(KNeighborsClassifier(9, weights="distance", algorithm="kd_tree"), method="isotonic"),
    CalibratedClassifierCV(SGDClassifier(random_state=0), method="temperature", ensemble=False),
)

#: What tests call them: without the addresses of functions, which differ from process to process.
NAMES = [re.sub(r"<function (\w+) at \w+>", r"\1", " ".join(repr(case).split())) for case in CASES]
DATA = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer}


def rows_for(model: Any, data: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows that a model can learn from: those that want categories get whole numbers."""
    X, y = DATA[data](return_X_y=True)
    return (np.floor(X) if "CategoricalNB" in repr(model) else X), y


@functools.cache
def fitted(place: int, data: str) -> Any:
    model = clone(CASES[place])
    X, y = rows_for(model, data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


def tied_rows(theirs: Any, X: Any) -> np.ndarray:
    """Rows whose last neighbour is as near as the next: which of the two is asked, is each package's own choice."""
    k = getattr(theirs, "n_neighbors", None)
    if k is None:
        return np.zeros(X.shape[0], dtype=bool)
    distance = theirs.kneighbors(X, k + 1)[0]
    return distance[:, k] - distance[:, k - 1] <= 1e-9 * distance[:, k]


def decided_rows(ours: Any, theirs: Any, X: Any) -> np.ndarray:
    """Rows but those whose neighbours vote for two classes alike: who wins is each package's own choice there."""
    if "Neighbors" not in type(ours).__name__ or isinstance(shares := theirs.predict_proba(X), list):
        return np.ones(X.shape[0], dtype=bool)
    second, first = np.sort(shares, axis=1)[:, -2:].T
    return (first - second > 1e-9) | (first == 0)


def assert_same_answers(theirs: Any, ours: Any, X: Any, tol: float = 1e-12) -> None:
    """Labels are the same; numbers differ by no more than ``tol`` of the largest of them."""
    if not hasattr(theirs, "classes_"):
        _assert_near(ours.predict(X), theirs.predict(X), tol)
        return
    decided = decided_rows(ours, theirs, X)
    np.testing.assert_array_equal(ours.predict(X)[decided], theirs.predict(X)[decided])
    assert ours.predict(X).dtype == theirs.classes_.dtype
    for method in ("decision_function", "predict_proba"):
        if hasattr(theirs, method):
            _assert_near(getattr(ours, method)(X), getattr(theirs, method)(X), tol)


def _assert_near(ours: Any, theirs: Any, tol: float) -> None:
    theirs = np.asarray(theirs, dtype=np.float64)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tol * np.abs(theirs).max(initial=1e-300))
