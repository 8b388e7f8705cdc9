"""Logistic regression next to scikit-learn on real tables: objectives never higher, coefficients the same."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression as Rival
from sklearn.linear_model import LogisticRegressionCV as RivalCV
from sklearn.preprocessing import StandardScaler

from margin import LogisticRegression, LogisticRegressionCV, TableEncoder, logistic_path, read
from tests.shared_data import shared_data


def data(name, target="class", scaled=True):
    table, y = read(shared_data(name)).target(target)
    X = TableEncoder().fit_transform(table)
    X = X[:, np.ptp(X, axis=0) > 0]
    X = StandardScaler().fit_transform(X) if scaled else X
    return X, np.unique(np.asarray(y), return_inverse=True)[1]


def fitted(X, y, weight=None, **given):
    """scikit-learn's answer at its tightest."""
    given = {"tol": 1e-9, "max_iter": 20_000, "random_state": 0, **given}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Rival(**given).fit(X, y, weight)


def objective(model, X, y, C, l1_ratio=0.0, weight=None):
    z = X @ model.coef_.T + model.intercept_
    z = np.column_stack([np.zeros(len(z)), z]) if z.shape[1] == 1 else z
    top = z.max(axis=1)
    loss = np.log(np.exp(z - top[:, None]).sum(axis=1)) + top - z[np.arange(len(z)), y]
    weight = np.ones(len(y)) if weight is None else weight
    penalty = (1 - l1_ratio) / 2 * (model.coef_**2).sum() + l1_ratio * np.abs(model.coef_).sum()
    return C * (weight @ loss) + penalty


@pytest.mark.parametrize("name", ["spambase.arff.gz", "ionosphere.arff.gz", "diabetes.arff.gz"])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_two_classes(name, C):
    X, y = data(name)
    ours = LogisticRegression(C=C).fit(X, y)
    theirs = fitted(X, y, C=C, solver="newton-cholesky")
    assert objective(ours, X, y, C) <= objective(theirs, X, y, C) * (1 + 1e-12)
    assert objective(ours, X, y, C) == pytest.approx(objective(theirs, X, y, C), rel=1e-6)
    assert ours.coef_ == pytest.approx(theirs.coef_, abs=1e-4)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "target"), [("wine.arff.gz", "class"), ("glass.arff.gz", "Type"), ("iris.arff", "class")]
)
def test_softmax(name, target):
    X, y = data(name, target)
    ours = LogisticRegression().fit(X, y)
    theirs = fitted(X, y)
    assert objective(ours, X, y, 1.0) <= objective(theirs, X, y, 1.0) * (1 + 1e-12)
    assert objective(ours, X, y, 1.0) == pytest.approx(objective(theirs, X, y, 1.0), rel=1e-6)
    assert ours.coef_ == pytest.approx(theirs.coef_, abs=1e-4)
    assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-5)


def test_default_settings_are_never_above_scikit_learns_defaults():
    for name in ("spambase.arff.gz", "wine.arff.gz", "diabetes.arff.gz"):
        X, y = data(name, scaled=False)
        ours = LogisticRegression().fit(X, y)
        theirs = fitted(X, y, tol=1e-4, max_iter=100)
        assert objective(ours, X, y, 1.0) <= objective(theirs, X, y, 1.0)


def test_sample_and_class_weights():
    X, y = data("ionosphere.arff.gz")
    weight = np.random.default_rng(0).random(len(y)) * 3
    ours = LogisticRegression(class_weight="balanced").fit(X, y, weight)
    counts = np.bincount(y, weight)
    both = weight * (counts.sum() / (2 * counts))[y]
    theirs = fitted(X, y, both)
    assert ours.coef_ == pytest.approx(theirs.coef_, abs=1e-4)
    assert objective(ours, X, y, 1.0, weight=both) <= objective(theirs, X, y, 1.0, weight=both) * (1 + 1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("C", [0.01, 0.1])
def test_the_lasso_keeps_the_same_columns(C, form):
    X, y = data("ionosphere.arff.gz")
    ours = LogisticRegression(C=C, l1_ratio=1.0, tol=1e-7, max_iter=2000).fit(form(X), y)
    theirs = fitted(X, y, C=C, l1_ratio=1.0, solver="saga", tol=1e-8, max_iter=5000)
    assert objective(ours, X, y, C, 1.0) <= objective(theirs, X, y, C, 1.0) * (1 + 1e-9)
    # saga stops early; the duality gap says who is nearer.
    assert objective(ours, X, y, C, 1.0) == pytest.approx(objective(theirs, X, y, C, 1.0), rel=2e-4)
    assert ours.certificate_.duality_gap < 1e-6 * ours.certificate_.mean_objective
    assert np.array_equal(ours.coef_ != 0, np.abs(theirs.coef_) > 1e-7)


@pytest.mark.parametrize("l1_ratio", [0.3, 1.0])
def test_softmax_with_elastic_net(l1_ratio):
    X, y = data("wine.arff.gz")
    ours = LogisticRegression(C=0.1, l1_ratio=l1_ratio, tol=1e-7, max_iter=2000).fit(X, y)
    theirs = fitted(X, y, C=0.1, l1_ratio=l1_ratio, solver="saga", tol=1e-8, max_iter=5000)
    assert objective(ours, X, y, 0.1, l1_ratio) <= objective(theirs, X, y, 0.1, l1_ratio) * (1 + 1e-9)
    assert ours.coef_ == pytest.approx(theirs.coef_, abs=1e-3)


def test_sparse_rows():
    X, y = _a9a()
    ours = LogisticRegression().fit(X, y)
    theirs = fitted(X, y, solver="newton-cg", tol=1e-8)
    assert objective(ours, X, y, 1.0) <= objective(theirs, X, y, 1.0) * (1 + 1e-6)
    assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-3)


def _a9a():
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(str(shared_data("a9a.libsvm.gz")), n_features=123)
    return sp.csr_array(X), (y > 0).astype(int)


def test_the_path_of_c_is_that_of_single_fits():
    X, y = data("diabetes.arff.gz")
    path = logistic_path(X, y, 5)
    for C, coef in zip(path.C, path.coef):
        assert coef == pytest.approx(fitted(X, y, C=C, solver="newton-cholesky").coef_, abs=1e-5)


def test_cross_validation_sees_the_same_curve():
    X, y = data("diabetes.arff.gz")
    Cs = np.logspace(-3, 1, 5)
    ours = LogisticRegressionCV(Cs=Cs, rule="best").fit(X, y)
    theirs = RivalCV(Cs=Cs, cv=5, scoring="neg_log_loss", l1_ratios=(0,), use_legacy_attributes=False, tol=1e-8).fit(
        X, y
    )
    # The folds differ, the curves hardly: a fifth of a standard error.
    curve = -np.asarray(theirs.scores_).reshape(5, -1).mean(axis=0)
    assert ours.choice_.losses[0] == pytest.approx(curve, abs=0.3 * ours.choice_.standard_errors.max())
