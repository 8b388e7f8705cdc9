"""margin.linear.logistic_path: each point is a fit of its own, and L1 lets columns in one after another."""

import numpy as np
import pytest

from margin import LogisticRegression, logistic_path
from margin.errors import ParameterError
from margin.linear.logistic.path import strengths


def rows(n_classes=2, n=100):
    rng = np.random.default_rng(0)
    y = np.arange(n) % n_classes
    X = rng.normal(size=(n, 5))
    X[:, 0] += y
    X[:, 1] -= 0.5 * y
    return X, y


def test_strengths_run_from_the_strongest_penalty_to_the_weakest():
    assert strengths(10) == pytest.approx(np.logspace(-4, 4, 10))
    assert strengths([5, 1, 5, 0.1]).tolist() == [0.1, 1.0, 5.0]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_every_point_of_the_path_is_the_fit_at_its_c(l1_ratio, n_classes):
    X, y = rows(n_classes)
    path = logistic_path(X, y, [0.02, 0.2, 5.0], l1_ratio=l1_ratio, tol=1e-9, max_iter=1000)
    for at, C in enumerate(path.C):
        alone = LogisticRegression(C=C, l1_ratio=l1_ratio, tol=1e-9, max_iter=1000).fit(X, y)
        assert path.coef[at] == pytest.approx(alone.coef_, abs=1e-5)
        assert path.intercept[at] == pytest.approx(alone.intercept_, abs=1e-5)
        assert path.objective[at] == pytest.approx(alone.certificate_.objective, rel=1e-8)
    assert path.converged.all()


def test_with_l1_columns_come_in_one_after_another():
    X, y = rows()
    path = logistic_path(X, y, np.logspace(-3, 1, 15), l1_ratio=1.0)
    assert path.nonzero[0] == 0
    assert path.nonzero[-1] == 5
    assert (np.diff(path.nonzero) >= 0).all()
    assert np.flatnonzero(path.coef[np.flatnonzero(path.nonzero)[0], 0]).tolist() == [0]
    assert len(str(path).splitlines()) == 16


def test_the_last_point_may_have_no_penalty():
    X, y = rows()
    path = logistic_path(X, y, [1.0, np.inf], tol=1e-8)
    assert path.coef[-1] == pytest.approx(LogisticRegression(C=np.inf, tol=1e-8).fit(X, y).coef_, rel=1e-5)


@pytest.mark.parametrize("bad", [0, -1, [], [1, -2], "ten", None, [[1.0]]])
def test_what_is_no_list_of_strengths_is_refused(bad):
    with pytest.raises(ParameterError, match="Cs must be"):
        logistic_path(*rows(), Cs=bad)


def test_settings_that_do_not_belong_are_refused():
    with pytest.raises(ParameterError, match="Cs"):
        logistic_path(*rows(), C=1.0)
    with pytest.raises(ParameterError, match="penalty"):
        logistic_path(*rows(), penalty="l1")
