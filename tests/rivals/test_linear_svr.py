"""LinearSVR against scikit-learn's (liblinear) on real data: the same objective, intercept penalised, never higher."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.svm import LinearSVR as Theirs

from margin import LinearSVR
from tests.svm.linear_slow import tube_objective

LOSSES = ("epsilon_insensitive", "squared_epsilon_insensitive")


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("dual", ["auto", True])
def test_never_above_liblinear(loss, dual):
    X, y = load_diabetes(return_X_y=True)
    X, y = X / X.std(axis=0), y / y.std()
    for C, epsilon in ((0.01, 0.0), (0.1, 0.5)):
        ours = LinearSVR(C=C, epsilon=epsilon, loss=loss, dual=dual, intercept_scaling=1.0).fit(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = Theirs(C=C, epsilon=epsilon, loss=loss, max_iter=3000).fit(X, y)
        assert ours.certificate_.converged
        reached, known = (
            tube_objective(m.coef_, m.intercept_[0], X, y, np.full(len(y), C), epsilon, loss == LOSSES[1], 1.0)
            for m in (ours, theirs)
        )
        assert reached <= known * (1 + 1e-5)
