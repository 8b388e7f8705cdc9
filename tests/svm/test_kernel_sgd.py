"""margin.PegasosClassifier with a kernel: against the lecture's loop over β, and against descent in the columns."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import SVC, PegasosClassifier
from margin.errors import ConvergenceWarning, InputError, NotFittedError
from margin.svm.kernels.function import KernelFunction
from tests.svm.descents import orders_of, rows, slow_kernel_sgd

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConvergenceWarning")  # few passes need not settle


def fit(X, y, sample_weight=None, **given):
    chosen = {"kernel": "rbf", "gamma": 0.5, "tol": None, "max_iter": 4, "average": None, **given}
    return PegasosClassifier(**chosen).fit(X, y, sample_weight)


def dense_beta(model, n):
    """β of all rows."""
    found = np.zeros((len(model.beta_), n))
    found[:, model.support_] = model.beta_
    return found


def rbf(X, Z, gamma=0.5):
    return np.exp(-gamma * np.square(X[:, None] - Z[None]).sum(axis=2))


# the definition


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_beta_is_that_of_the_lecture(intercept, sparse):
    X, y = rows(1, n=300)
    X[np.random.default_rng(1).random(X.shape) < 0.4] = 0
    order = np.concatenate(orders_of(300, 4))
    history = slow_kernel_sgd(rbf(X, X), 2.0 * y - 1, order, 0.02, intercept)
    model = fit(sp.csr_array(X) if sparse else X, y, lambda_=0.02, fit_intercept=intercept)
    assert np.array_equal(dense_beta(model, 300)[0], history[-1][0])
    np.testing.assert_allclose(model.intercept_[0], history[-1][1], rtol=1e-12)
    np.testing.assert_allclose(model.dual_coef_[0], model.beta_[0] / (0.02 * (len(order) + 1)), rtol=1e-12)


@pytest.mark.parametrize("average", ["all", "last_half", "weighted"])
def test_alpha_is_the_average_of_beta_over_lambda_t(average):
    X, y = rows(2, n=150)
    order = np.concatenate(orders_of(150, 4))
    history = slow_kernel_sgd(rbf(X, X), 2.0 * y - 1, order, 0.02, intercept=True)[:-1]
    steps = np.arange(1, len(history) + 1)
    counts = {"all": np.ones(len(steps)), "weighted": steps, "last_half": steps > len(steps) // 2}[average]
    alpha = np.average([beta / (0.02 * t) for t, (beta, _) in zip(steps, history)], axis=0, weights=counts)
    model = fit(X, y, lambda_=0.02, average=average)
    np.testing.assert_allclose(model.dual_coef_[0], alpha[model.support_], rtol=1e-9)
    np.testing.assert_allclose(model.intercept_[0], np.average([b for _, b in history], weights=counts), rtol=1e-9)
    new = rows(3)[0]
    np.testing.assert_allclose(model.decision_function(new), rbf(new, X) @ alpha + model.intercept_[0], rtol=1e-8)


def test_rows_drawn_one_by_one_may_come_twice_in_a_block():
    X, y = rows(4, n=30)
    model = fit(X, y, lambda_=0.01, replace=True, fit_intercept=False)
    from margin.svm.pegasos.rule import Visits

    visits = Visits.of(30, None, True, True, 0)
    order = np.concatenate([visits.order(number) for number in range(4)])
    assert len(np.unique(order[:30])) < 30
    assert np.array_equal(dense_beta(model, 30)[0], slow_kernel_sgd(rbf(X, X), 2.0 * y - 1, order, 0.01)[-1][0])


CHOSEN = [
    {},
    {"batch_size": 7},
    {"batch_size": 200},
    {"batch_size": None},
    {"project": True},
    {"project": True, "batch_size": 7},
    {"project": True, "batch_size": None},
    {"eta": 0.2},
    {"eta": 0.2, "project": True},
    {"average": "weighted"},
    {"average": "all", "project": True, "batch_size": 5},
]


@pytest.mark.parametrize("chosen", CHOSEN, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_linear_kernel_is_descent_in_the_columns(chosen, n_classes):
    # In step t the columns have w = v / (λ (t - 1)), a kernel v / (λ t); steps of one size make no difference.
    X, y = rows(5, n=250, n_classes=n_classes)
    by_kernel = fit(X, y, kernel="poly", gamma=1.0, degree=1, lambda_=0.05, **chosen)
    scores = by_kernel.decision_function(X)
    if "eta" in chosen:
        model = fit(X, y, kernel="linear", lambda_=0.05, **chosen)
        np.testing.assert_allclose(scores, model.decision_function(X), rtol=1e-8, atol=1e-10)
    # The objective, which only β and the sums of kernels are used for, is that of the weights that follow from β.
    w, share = by_kernel.dual_coef_ @ by_kernel.support_vectors_, 1 / len(X)
    signs = np.where(y[:, None] == np.arange(n_classes), 1, -1) if n_classes > 2 else np.where(y == 1, 1, -1)[:, None]
    np.testing.assert_allclose(scores.reshape(len(X), -1), X @ w.T + by_kernel.intercept_, rtol=1e-8, atol=1e-10)
    hinge = np.maximum(0, 1 - signs * scores.reshape(len(X), -1)).sum(axis=0) * share
    expected = np.mean(0.05 / 2 * np.square(w).sum(axis=1) + hinge)
    assert by_kernel.objective_[-1] == pytest.approx(expected, rel=1e-9)
    if chosen.get("project") and "average" not in chosen:
        assert np.linalg.norm(w, axis=1).max() <= (1 + 1e-9) / np.sqrt(0.05)


def test_batches_of_one_kernel_row_are_steps_of_the_columns():
    # n + 1 steps of the columns, the first of which finds nothing new, make up for the shift by one step.
    X, y = rows(6)
    by_kernel = fit(X, y, kernel="poly", gamma=1.0, degree=1, lambda_=0.05, fit_intercept=False)
    sign, v, t = 2.0 * y - 1, np.zeros(X.shape[1]), 0
    for t, i in enumerate(np.concatenate(orders_of(40, 4)), start=1):
        if sign[i] * (v @ X[i]) / (0.05 * t) < 1:
            v = v + sign[i] * X[i]
    np.testing.assert_allclose(by_kernel.decision_function(X), X @ v / (0.05 * (t + 1)), rtol=1e-9)


# the objective and what is proved about it


@given(
    st.integers(0, 10_000), st.sampled_from([2, 3]), st.booleans(), st.booleans(), st.sampled_from([1, 6, None]),
    st.sampled_from([{}, {"project": True}, {"average": "all"}, {"average": None}]), st.floats(0.1, 10),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_the_smallest_objective_lies_between_the_bound_and_the_objective(
    seed, n_classes, intercept, replace, batch, chosen, C
):
    X, y = rows(seed, n=30, n_classes=n_classes)
    weight = np.random.default_rng(seed).random(30) + 0.2
    steps = {"average": "weighted", "max_iter": 5, "replace": replace, "batch_size": batch, "random_state": seed}
    model = fit(X, y, weight, C=C, fit_intercept=intercept, **{**steps, **chosen})
    certificate = model.certificate_
    assert certificate.lower_bound <= certificate.objective
    if not intercept:
        return  # SVC always has one; its optimum is no larger than the one without
    signs = [2.0 * (y == k) - 1 for k in (range(n_classes) if n_classes > 2 else (1,))]
    best = []
    for sign in signs:
        exact = SVC(C=C / 2, gamma=0.5, tol=1e-6).fit(X, sign, weight)
        alpha = exact.dual_coef_[0]
        square = alpha @ rbf(X, X)[np.ix_(exact.support_, exact.support_)] @ alpha
        hinge = weight / weight.sum() @ np.maximum(0, 1 - sign * exact.decision_function(X))
        best.append(model.lambda_used_ / 2 * square + hinge)
    assert certificate.lower_bound <= np.mean(best) * (1 + 1e-5)
    assert np.mean(best) <= certificate.objective * (1 + 1e-5)


def test_training_ends_when_the_objective_is_proved_to_be_near_enough():
    X, y = rows(7, n=300)
    model = PegasosClassifier(kernel="rbf", tol=0.02, max_iter=500).fit(X, y)
    assert model.certificate_.relative_gap <= 0.02
    assert 1 < model.n_iter_ < 500
    with pytest.warns(ConvergenceWarning, match=r"let SVC find the optimum"):
        PegasosClassifier(kernel="rbf", tol=0.02, max_iter=2).fit(X, y)


def test_nothing_is_proved_for_a_kernel_that_is_no_product():
    X, y = rows(8)
    model = fit(X, y, kernel="sigmoid", tol=0.01)
    assert np.isnan(model.certificate_.lower_bound)
    assert np.isnan(model.certificate_.relative_gap)
    assert model.n_iter_ == 4


# properties


def test_more_classes_are_learnt_one_against_the_rest():
    X, y = rows(9, n=200, n_classes=3)
    model = fit(X, y, average="weighted")
    alone = [fit(X, (y == k).astype(int), average="weighted") for k in range(3)]
    scores = np.column_stack([one.decision_function(X) for one in alone])
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=1e-9, atol=1e-12)
    assert model.certificate_.lower_bound == pytest.approx(np.mean([one.certificate_.lower_bound for one in alone]))


def test_the_model_does_not_depend_on_how_many_kernel_rows_are_kept():
    X, y = rows(10, n=400)
    expected = fit(X, y, average="weighted").dual_coef_
    for megabytes in (1e-6, 0.2):
        assert np.array_equal(fit(X, y, average="weighted", cache_size=megabytes).dual_coef_, expected)


def test_passes_in_parts_go_on_like_those_of_fit():
    X, y = rows(11, n=60, n_classes=3)
    new = rows(12)[0]
    for average in (None, "weighted"):
        whole = fit(X, y, average=average, shuffle=False, max_iter=1)
        parts = PegasosClassifier(
            kernel="rbf", gamma=0.5, average=average, shuffle=False, lambda_=whole.lambda_used_
        ).partial_fit(X[:25], y[:25], classes=[0, 1, 2])
        parts.partial_fit(X[25:], y[25:])
        np.testing.assert_allclose(parts.decision_function(new), whole.decision_function(new), rtol=1e-9, atol=1e-12)
        assert (parts.t_, parts.certificate_) == (whole.t_, None)
        again = fit(sp.csr_array(X), y, average=average).partial_fit(sp.csr_array(X), y)
        assert again.support_vectors_.shape[0] == again.dual_coef_.shape[1] == again.beta_.shape[1]


def test_support_vectors_are_the_rows_that_were_ever_too_close():
    X, y = rows(13, n=80)
    weight = np.where(np.arange(80) % 9 == 0, 0.0, 1.0)
    model = fit(X, y, weight)
    assert np.array_equal(model.support_vectors_, X[model.support_])
    assert not set(model.support_) & set(np.flatnonzero(weight == 0))
    assert np.array_equal(np.sign(model.beta_[0]), np.where(y[model.support_] == 1, 1, -1))
    with pytest.raises(NotFittedError):
        _ = PegasosClassifier(kernel="rbf").support_vectors_
    assert not hasattr(PegasosClassifier(max_iter=1).fit(X, y), "dual_coef_")


def test_gamma_is_that_of_scikit_learn():
    X, y = rows(14)
    assert fit(X, y, gamma="scale")._expansion.kernel.gamma == pytest.approx(1 / (4 * X.var()))
    assert fit(X, y, gamma="auto")._expansion.kernel == KernelFunction("rbf", 0.25, 0.0, 3.0)


def test_kernel_values_beyond_all_numbers_are_refused():
    X, y = rows(15)
    with pytest.raises(InputError, match="beyond the range of numbers"):
        fit(X * 1e90, y, kernel="poly", gamma=1.0, degree=5)
