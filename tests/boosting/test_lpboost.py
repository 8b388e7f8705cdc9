"""LPBoost: worked by hand, the whole program over all stumps at once, and what it certifies."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.optimize
from scipy.optimize import linprog
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from margin import CalibratedClassifier, LPBoostClassifier
from margin.boosting.margins.soft_margin import best_margin
from margin.errors import ParameterError
from tests.boosting.every_stump import all_stumps


def cells(seed: int, n: int = 30, d: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(1)
    return X, (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n) > 1).astype(int)


def whole_program(X: np.ndarray, y: np.ndarray, limit: np.ndarray) -> float:
    """max rho - sum D xi over the weights of every stump, as it stands in the paper."""
    right = (2.0 * y - 1)[:, None] * all_stumps(X)
    n, m = right.shape
    found = linprog(
        np.concatenate([np.zeros(m), limit, [-1.0]]),
        A_ub=np.hstack([-right, -np.eye(n), np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=np.concatenate([np.ones(m), np.zeros(n + 1)])[None, :],
        b_eq=[1.0],
        bounds=[(0, None)] * (m + n) + [(None, None)],
    )
    return float(-found.fun)


def test_two_rows_that_one_stump_tells_apart_have_margin_one():
    model = LPBoostClassifier(nu=0.5).fit([[0.0], [1.0]], ["a", "b"])
    assert model.margin_.tolist() == [1.0]
    assert model.gap_.tolist() == [0.0]
    assert model.decision_function([[0.0], [1.0]]) == pytest.approx([-1, 1])


def test_three_stumps_that_are_each_wrong_once_have_a_margin_of_a_third():
    # yes, no, yes along one column: two thresholds and the constant, each wrong of one row, have a third of the votes.
    model = LPBoostClassifier(nu=1 / 3).fit([[0.0], [1.0], [2.0]], [1, 0, 1])
    assert model.margin_ == pytest.approx([1 / 3])
    assert [each.weight for each in model.rounds_ if each.weight] == pytest.approx([1 / 3] * 3)
    assert model.score([[0.0], [1.0], [2.0]], [1, 0, 1]) == 1


@pytest.mark.golden("G6")
@pytest.mark.parametrize("nu", [0.04, 0.2, 0.5])
@pytest.mark.parametrize("seed", range(4))
def test_the_objective_is_that_of_the_program_over_all_stumps(seed, nu):
    X, y = cells(seed)
    model = LPBoostClassifier(nu=nu, tol=1e-8).fit(X, y)
    best = whole_program(X, y, np.full(len(y), 1 / (nu * len(y))))
    assert model.objective_[0] == pytest.approx(best, abs=1e-7)
    assert model.converged_.all()
    assert model.bound_[0] >= best - 1e-9


def test_weighted_rows_have_the_program_of_weighted_slack():
    X, y = cells(7)
    weight = np.random.default_rng(0).integers(1, 5, len(y)).astype(float)
    model = LPBoostClassifier(nu=0.2).fit(X, y, sample_weight=weight)
    assert model.objective_[0] == pytest.approx(whole_program(X, y, weight / (0.2 * weight.sum())), abs=1e-6)


def test_every_round_brackets_the_optimum_and_its_numbers_follow_from_the_votes():
    X, y = cells(3, n=60)
    model = LPBoostClassifier(nu=0.2, tol=1e-8).fit(X, y)
    best = whole_program(X, y, np.full(len(y), 1 / (0.2 * len(y))))
    rounds = model.rounds_
    assert all(each.objective <= best + 1e-8 and each.bound >= best - 1e-8 for each in rounds)
    assert all(late.objective >= early.objective - 1e-8 for early, late in pairwise(rounds))
    assert sum(each.weight for each in rounds) == pytest.approx(1)
    margins = (2 * y - 1) * model.decision_function(X)
    rho = model.margin_[0]
    assert (margins < rho - 1e-6).mean() <= 0.2
    assert rho - np.maximum(rho - margins, 0).sum() / (0.2 * len(y)) == pytest.approx(model.objective_[0], abs=1e-6)


def test_too_few_rounds_leave_a_gap_that_is_told():
    X, y = cells(1, n=80)
    model = LPBoostClassifier(nu=0.1, n_estimators=2).fit(X, y)
    assert not model.converged_.any()
    assert model.gap_[0] > 1e-3
    assert len(model.rounds_) == 2


def test_many_classes_are_told_each_against_the_rest():
    X, y = cells(2, n=90)
    y = y + (X[:, 0] > 1)
    model = LPBoostClassifier(nu=0.2).fit(X, y)
    alone = [LPBoostClassifier(nu=0.2).fit(X, y == k).decision_function(X) for k in range(3)]
    np.testing.assert_allclose(model.decision_function(X), np.column_stack(alone), atol=1e-8)
    assert sorted({each.label for each in model.rounds_}) == [0, 1, 2]


def test_any_classifier_that_takes_weights_will_do():
    X, y = load_breast_cancer(return_X_y=True)
    for weak in (DecisionTreeClassifier(max_depth=2), LogisticRegression(C=0.01, max_iter=5000)):
        model = LPBoostClassifier(weak, nu=0.05, n_estimators=5).fit(X[::2] / X.std(axis=0), y[::2])
        assert model.score(X[1::2] / X.std(axis=0), y[1::2]) > 0.9


def test_a_classifier_without_weights_is_refused_by_name():
    with pytest.raises(ParameterError, match=r"LPBoostClassifier.*KNeighborsClassifier.fit takes no weights"):
        LPBoostClassifier(KNeighborsClassifier()).fit([[0.0], [1.0], [2.0]], [0, 1, 1])


def test_a_program_that_highs_cannot_solve_is_told(monkeypatch):
    def fails(*args, **kwargs):
        return scipy.optimize.OptimizeResult(status=4, x=None, message="Numerical difficulties encountered.")

    monkeypatch.setattr(scipy.optimize, "linprog", fails)
    model = LPBoostClassifier()
    with pytest.raises(ParameterError, match=r"2 kinds of rows and 1 weak classifiers must .* Numerical difficulties"):
        model.fit(*cells(0))
    assert not hasattr(model, "ensembles_")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("y", [[0] * 7 + [1] * 3, list("aaaaabbbcc"), list("ab") * 5])
def test_rows_that_are_alike_get_the_majority(y):
    model = LPBoostClassifier().fit(np.zeros((10, 2)), y)
    most = max(sorted(set(y)), key=y.count)
    assert model.predict(np.zeros((1, 2)))[0] == most


def test_votes_that_cancel_each_other_out_leave_the_first_classifier():
    X = np.random.default_rng(0).normal(size=(400, 10))
    y = np.sum(X**2, axis=1) > 9.342
    model = LPBoostClassifier(nu=0.2, n_estimators=5).fit(X, y)
    assert model.objective_[0] <= 1e-6
    assert [each.weight for each in model.rounds_] == [1, 0, 0, 0, 0]
    assert model.score(X, y) > max(y.mean(), 1 - y.mean())


def test_a_program_on_which_the_simplex_method_does_not_end_goes_to_the_interior_point_method(monkeypatch):
    asked = []

    def slow(*args, method, **kwargs):
        asked.append(method)
        if method == "highs-ds":
            return scipy.optimize.OptimizeResult(status=1, x=None, message="Iteration limit reached.")
        return linprog(*args, method=method, **kwargs)

    monkeypatch.setattr(scipy.optimize, "linprog", slow)
    model = LPBoostClassifier(nu=0.2).fit(*cells(3))
    assert set(asked) == {"highs-ds", "highs-ipm"}
    assert model.gap_[0] < 1e-5


def test_calibration_gives_it_probabilities():
    X, y = cells(5, n=200)
    assert not hasattr(LPBoostClassifier(), "predict_proba")
    shares = CalibratedClassifier(LPBoostClassifier(nu=0.3), cv=3).fit(X, y).predict_proba(X)
    assert np.isfinite(shares).all()
    assert (shares.argmax(axis=1) == y).mean() > 0.7


def test_where_one_classifier_answers_alone_the_margin_is_its_own():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)
    model = LPBoostClassifier(nu=0.05, n_estimators=2).fit(X, y)
    alone = model.ensembles_[0]
    assert (alone.weights > 0).sum() == 1
    right = np.where(model.predict(X) == y, 1.0, -1.0)
    limit = np.full(40, 1 / (0.05 * 40))
    assert model.margin_ == pytest.approx([best_margin(right, limit)[1]])
