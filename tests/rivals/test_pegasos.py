"""PegasosClassifier against the exact optimum on real data, and against scikit-learn's descent on the hinge loss.

scikit-learn's SGDClassifier takes the same steps but for where its schedule begins, visits rows in other orders, and
averages all steps alike: what is compared is the objective that each reaches with the same number of passes.
"""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.datasets import load_digits
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import StandardScaler

from margin import SVC, LinearSVC, PegasosClassifier, read
from tests.shared_data import shared_data
from tests.svm.descents import objective


@pytest.fixture(autouse=True)
def _few_passes_do_not_settle():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def heart():
    X, y = read(shared_data("heart-statlog.arff.gz")).target("class")
    X = StandardScaler().fit_transform(np.column_stack([X.cells(name) for name in X.names]))
    return X, np.where(np.array(y) == np.unique(y)[1], 1.0, -1.0)


def spam():
    X, y = read(shared_data("spambase.arff.gz")).target("class")
    X = StandardScaler().fit_transform(np.column_stack([X.cells(name) for name in X.names]))
    return X, np.where(np.array(y) == np.unique(y)[1], 1.0, -1.0)


@pytest.mark.parametrize("data", [heart, spam])
def test_rows_drawn_at_random_come_as_near_as_theory_promises(data):
    X, y = data()
    lambda_ = 0.01
    exact = LinearSVC(loss="hinge", C=1 / (lambda_ * len(X)), fit_intercept=False, tol=1e-4).fit(X, y)
    best = objective(X, y, exact.coef_[0], 0.0, lambda_)
    above = []
    for seed in range(5):
        model = PegasosClassifier(
            lambda_=lambda_, fit_intercept=False, replace=True, average="all", tol=None, max_iter=10, random_state=seed
        ).fit(X, y)
        above.append(model.objective_[-1] - best)
    assert -1e-3 * best <= np.mean(above) <= model.certificate_.guarantee
    assert model.certificate_.lower_bound <= best * (1 + 1e-6)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("data", [heart, spam])
def test_the_objective_is_no_worse_than_that_of_scikit_learn(data, intercept):
    X, y = data()
    lambda_, passes = 0.005, 20
    ours, theirs = [], []
    for seed in range(5):
        model = PegasosClassifier(
            lambda_=lambda_, fit_intercept=intercept, tol=None, max_iter=passes, random_state=seed
        ).fit(X, y)
        peer = SGDClassifier(
            loss="hinge", alpha=lambda_, average=True, tol=None, max_iter=passes, fit_intercept=intercept,
            random_state=seed,
        ).fit(X, y)  # fmt: skip
        ours.append(objective(X, y, model.coef_[0], model.intercept_[0], lambda_))
        theirs.append(objective(X, y, peer.coef_[0], peer.intercept_[0], lambda_))
        assert model.objective_[-1] == pytest.approx(ours[-1], rel=1e-12)
    assert np.mean(ours) <= np.mean(theirs) * 1.01


def test_sparse_rows_reach_the_optimum_of_digits_against_the_rest():
    X, y = load_digits(return_X_y=True)
    rows = sp.csr_array(X / 16)
    model = PegasosClassifier(lambda_=0.01, max_iter=150, tol=0.02).fit(rows, y)
    exact = LinearSVC(loss="hinge", C=1 / (0.01 * len(y)), tol=1e-4).fit(X / 16, y)
    best = np.mean([
        objective(X / 16, np.where(y == k, 1.0, -1.0), exact.coef_[k], exact.intercept_[k], 0.01) for k in range(10)
    ])  # fmt: skip
    assert model.certificate_.relative_gap <= 0.02
    assert model.objective_[-1] <= best * 1.02
    assert model.score(rows, y) >= exact.score(X / 16, y) - 0.01


@pytest.mark.parametrize("peer", [SVC, sklearn.svm.SVC])
def test_kernel_descent_comes_near_the_exact_machine(peer):
    X, y = heart()
    model = PegasosClassifier(kernel="rbf", gamma=0.05, C=2.0, tol=0.01, max_iter=2000).fit(X, y)
    exact = peer(C=1.0, gamma=0.05, tol=1e-5).fit(X, y)
    assert model.certificate_.relative_gap <= 0.01
    away = model.decision_function(X) - exact.decision_function(X)
    # λ/2 ‖w - w*‖² is at most the gap, and |f - f*| at most ‖w - w*‖ plus what the intercepts differ by
    assert np.abs(away).max() < 2 * np.sqrt(2 * model.certificate_.gap / model.lambda_used_)
    assert (model.predict(X) == exact.predict(X)).mean() > 0.97
