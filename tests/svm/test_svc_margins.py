"""Hard margins, budgets, paths along C and its choice: proofs, monotony, slow definitions."""

import numpy as np
import pytest

from margin import SVC, choose_C, svm_path
from margin.errors import LabelError, NotSeparableError, ParameterError
from margin.svm.kernel_machine.multiclass import Layout, Weighted
from margin.svm.kernel_machine.solve import SoftMargin, Solver


def two(n=60, seed=0, apart=3.0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, 2)) + apart * y[:, None], y


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_a_hard_margin_is_the_limit_of_large_penalties(kernel):
    X, y = two(apart=6.0)
    hard = SVC(kernel=kernel, gamma=0.1, hard_margin=True).fit(X, y)
    large = SVC(kernel=kernel, gamma=0.1, C=1e8).fit(X, y)
    s = np.where(y == 1, 1, -1)
    assert (s * hard.decision_function(X)).min() == pytest.approx(1.0, abs=1e-6)
    assert hard.margin_width_ == pytest.approx(large.margin_width_, rel=1e-5)
    assert hard.decision_function(X) == pytest.approx(large.decision_function(X), rel=1e-4, abs=1e-4)
    assert hard.certificate_.relative_gap < 1e-6
    assert hard.certificate_.n_bounded == hard.certificate_.n_inside == 0
    assert np.isinf(hard.C_)
    zero = SVC(kernel=kernel, gamma=0.1, budget=0).fit(X, y)
    assert zero.margin_width_ == pytest.approx(hard.margin_width_)


def test_rows_at_the_same_place_are_named():
    X = np.array([[0.0, 1.0], [2.0, 3.0], [5.0, 5.0], [2.0, 3.0]])
    for kernel in ("linear", "rbf"):
        with pytest.raises(NotSeparableError, match="rows 1, 3 are at the same place and of different classes"):
            SVC(kernel=kernel, hard_margin=True).fit(X, [0, 0, 1, 1])
    with pytest.raises(NotSeparableError, match="rows 2, 4 are at the same place"):
        SVC(hard_margin=True).fit(np.vstack([X[:1], X]), [0, 0, 0, 1, 1], [0, 1, 1, 1, 1])


@pytest.mark.parametrize("kernel", ["poly", "precomputed"])
def test_what_a_kernel_cannot_separate_is_refused_with_the_distance_of_the_hulls(kernel):
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    given = X @ X.T if kernel == "precomputed" else X
    with pytest.raises(
        NotSeparableError, match=r"rows 0, 1, 2, 3.* apart, where the longest row is .* no margin is wider"
    ):
        SVC(kernel=kernel, degree=1, gamma=1.0, hard_margin=True).fit(given, [0, 1, 0, 1])


def test_the_pair_that_cannot_be_separated_is_named():
    X, y = np.array([[0.0], [1.0], [5.0], [5.5], [6.0], [5.2]]), ["a", "a", "b", "c", "b", "c"]
    with pytest.raises(NotSeparableError, match=r"\('b' against 'c'\)"):
        SVC(kernel="linear", hard_margin=True).fit(X, y)


def test_the_budget_is_kept_and_used_up():
    X, y = two(apart=1.0)
    weight = 1.0 + np.arange(60) % 3
    widths = []
    for budget in (60.0, 75.0, 100.0):
        model = SVC(kernel="linear", budget=budget).fit(X, y, weight)
        slack = weight @ model.slack_
        assert budget * 0.998 <= slack <= budget * (1 + 1e-9)
        widths.append(model.margin_width_)
    assert widths == sorted(widths)
    # No machine with a wider margin keeps to the budget: the same C is optimal for the sum of both.
    same = SVC(kernel="linear", C=model.C_).fit(X, y, weight)
    assert same.margin_width_ == pytest.approx(model.margin_width_)


def test_a_budget_for_everything_answers_the_larger_class():
    X, y = two()
    y = np.where(np.arange(60) < 20, 1, 0)
    model = SVC(budget=40.0).fit(X, y)
    assert set(model.predict(X)) == {0}
    assert model.margin_width_ == np.inf
    assert model.C_ == 0
    assert model.slack_.sum() == pytest.approx(40.0)


def test_a_budget_that_cannot_be_kept_is_refused_with_the_slack_that_is_left():
    X = np.array([[0.0], [0.0], [1.0], [3.0]])
    with pytest.raises(NotSeparableError, match=r"SVC\(budget=1\): the slacks cannot .* add up to 2"):
        SVC(kernel="linear", budget=1.0).fit(X, [0, 1, 0, 1])


def test_each_problem_has_a_budget_of_its_own():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 2)) + np.array([[0, 0], [1, 2], [2, 0]])[y]
    model = SVC(budget=15.0).fit(X, y)
    assert np.nansum(model.slack_, axis=0) == pytest.approx([15.0] * 3, rel=2e-3)
    assert model.C_.shape == (3,)


def test_a_path_is_as_many_fits():
    X, y = two(apart=1.0)
    path = svm_path(X, y, [0.1, 1.0, 10.0], gamma=0.5)
    for i, C in enumerate(path.C):
        model = SVC(C=C, gamma=0.5).fit(X, y)
        found = model.certificate_
        assert path.margin_width[i, 0] == pytest.approx(found.margin_width, rel=1e-6)
        assert path.slack[i, 0] == pytest.approx(found.slack, rel=1e-6)
        assert path.objective[i] == pytest.approx(found.primal)
        assert path.error[i] == pytest.approx(1 - model.score(X, y))
    assert len(str(path).splitlines()) == 4
    for wrong, words in (
        ({"C": 1.0}, "name its values"),
        ({"budget": 1.0}, "another way"),
        ({"depth": 3}, "not a setting"),
    ):
        with pytest.raises(ParameterError, match=words):
            svm_path(X, y, **wrong)
    with pytest.raises(ParameterError, match="Cs must be"):
        svm_path(X, y, Cs=[0.0])
    with pytest.raises(ParameterError, match="at least two classes"):
        svm_path(X, np.zeros(60))


def test_a_warm_start_ends_in_the_same_place_sooner():
    from margin.svm.kernels.function import KernelFunction

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 5)), rng.integers(0, 2, 600)
    problems = [Weighted(each.rows, each.sign, np.ones(600)) for each in Layout(2, "one_vs_one").problems(y)]
    solver = Solver(KernelFunction("rbf", 0.2).source(X), 1e-4, -1, 200.0, 1, False)
    first = SoftMargin(1.0).solve(solver, problems)
    warm, cold = (SoftMargin(1.1).solve(solver, problems, start) for start in (first, None))
    assert warm.found[0].objective == pytest.approx(cold.found[0].objective, rel=1e-4)
    assert warm.found[0].steps < cold.found[0].steps


@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_errors_of_folds_are_those_of_models_fitted_without_them(kernel):
    from margin.base.meta.cross_fitting import stratified_splits

    X, y = two(50, apart=1.0)
    given = X @ X.T if kernel == "precomputed" else X
    choice = choose_C(given, y, [0.1, 1.0], n_folds=4, kernel=kernel, scale=None)
    for fold, (train, test) in enumerate(stratified_splits(y, np.ones(50), 4)):
        known, asked = given[train.rows], given[test.rows]
        if kernel == "precomputed":
            known, asked = known[:, train.rows], asked[:, train.rows]
        for place, C in enumerate(choice.Cs):
            wrong = SVC(C=C, kernel=kernel).fit(known, y[train.rows]).predict(asked) != y[test.rows]
            assert choice.fold_errors[fold, place] == pytest.approx(wrong.mean())
    assert choice.errors == pytest.approx(choice.fold_errors.mean(axis=0), abs=0.02)
    assert choice.standard_errors == pytest.approx(np.sqrt(choice.errors * (1 - choice.errors) / 50))


def test_the_smallest_penalty_within_one_standard_error_is_taken():
    X, y = two(80, apart=1.2, seed=3)
    careful, best = (choose_C(X, y, [0.01, 0.1, 1, 10, 1000], rule=rule) for rule in ("one_standard_error", "best"))
    assert careful.C <= best.C
    assert best.chosen == best.best
    assert careful.errors[careful.chosen] <= best.errors[best.best] + best.standard_errors[best.best]
    with pytest.raises(ParameterError, match="rule must be"):
        choose_C(X, y, rule="worst")
    with pytest.raises(LabelError, match="two classes"):
        choose_C(X, np.zeros(80))
