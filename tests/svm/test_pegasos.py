"""margin.PegasosClassifier in the columns themselves: by hand, against the rule written out, then properties."""

import signal
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import LinearSVC, PegasosClassifier
from margin.errors import ConvergenceWarning, InputError, ParameterError
from tests.svm.descents import batches_of, objective, orders_of, rows, slow_pegasos

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConvergenceWarning")  # few passes need not settle


def fit(X, y, sample_weight=None, **given):
    return PegasosClassifier(**{"tol": None, "max_iter": 4, "average": None, **given}).fit(X, y, sample_weight)


# by hand


def test_three_steps_by_hand():
    # λ = 1, rows as they stand. Step 1: f = 0, w = (2, 0), b = 1. Step 2, η = 1/2: f = 1 for the row of class -1,
    # so that w = (1, 0) + 1/2 (-1) (0, 4) = (1, -2) and b = 1/2.
    X, y = np.array([[2.0, 0.0], [0.0, 4.0], [3.0, -1.0]]), [1, 0, 1]
    model = fit(X[:2], y[:2], lambda_=1.0, shuffle=False, max_iter=1)
    assert model.coef_[0].tolist() == [1, -2]
    assert model.intercept_[0] == 0.5
    # Step 3: the margin of (3, -1) is 5.5: w only shrinks, by 1 - 1/3.
    model = fit(X, y, lambda_=1.0, shuffle=False, max_iter=1)
    assert model.coef_[0] == pytest.approx([2 / 3, -4 / 3])
    assert (model.intercept_[0], model.t_, model.n_iter_) == (0.5, 4, 1)


def test_lambda_is_two_over_the_rows_times_C():
    X, y = rows(0)
    assert fit(X, y, C=5.0).lambda_used_ == pytest.approx(2 / (40 * 5))
    assert fit(X, y, C=5.0, sample_weight=np.full(40, 3.0)).lambda_used_ == pytest.approx(2 / (120 * 5))
    assert fit(X, y, lambda_=0.3).lambda_used_ == 0.3


# the definition


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"fit_intercept": False},
        {"batch_size": 7},
        {"batch_size": None, "eta": 0.5},
        {"eta": 0.1},
        {"project": True},
        {"project": True, "batch_size": 7},
    ],
    ids=str,
)
def test_agrees_with_the_rule_row_by_row(chosen, sparse):
    X, y = rows(1)
    X[np.random.default_rng(1).random(X.shape) < 0.4] = 0
    size = chosen.get("batch_size", 1) or len(X)
    history = slow_pegasos(
        X, 2.0 * y - 1, batches_of(orders_of(40, 4), size), 0.05, chosen.get("fit_intercept", True),
        chosen.get("eta"), chosen.get("project", False),
    )  # fmt: skip
    model = fit(sp.csr_array(X) if sparse else X, y, lambda_=0.05, **chosen)
    np.testing.assert_allclose(model.coef_[0], history[-1][0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.intercept_[0], history[-1][1], rtol=1e-9, atol=1e-12)
    assert model.t_ == len(history)


@pytest.mark.parametrize("chosen", [{}, {"project": True}, {"eta": 0.3}, {"batch_size": 7}], ids=str)
@pytest.mark.parametrize("average", ["all", "last_half", "weighted"])
def test_averages_are_those_of_the_weights_at_every_step(chosen, average):
    X, y = rows(2)
    size = chosen.get("batch_size", 1)
    history = slow_pegasos(
        X, 2.0 * y - 1, batches_of(orders_of(40, 4), size), 0.05, True, chosen.get("eta"), chosen.get("project", False)
    )[:-1]
    counts = np.arange(1, len(history) + 1) if average == "weighted" else np.ones(len(history))
    if average == "last_half":
        counts[: len(history) // 2] = 0
    model = fit(X, y, lambda_=0.05, average=average, **chosen)
    np.testing.assert_allclose(model.coef_[0], np.average([w for w, _ in history], axis=0, weights=counts), rtol=1e-9)
    np.testing.assert_allclose(model.intercept_[0], np.average([b for _, b in history], weights=counts), rtol=1e-9)


def test_weights_are_visits_or_multiply_the_step():
    X, y = rows(3)
    weight = np.random.default_rng(0).integers(0, 4, len(X))
    repeated = np.repeat(np.arange(len(X)), weight)
    assert np.array_equal(fit(X, y, weight).coef_, fit(X[repeated], y[repeated]).coef_)
    share = np.random.default_rng(0).random(len(X)) + 0.1
    for weights, chosen in ((share, {}), (np.where(y == 1, 3.0, 1.0), {"class_weight": {1: 3}})):
        model = fit(X, y, None if chosen else share, C=2.0, **chosen)
        lambda_ = 2 / (2.0 * weights.sum())
        history = slow_pegasos(
            X, 2.0 * y - 1, batches_of(orders_of(40, 4), 1), lambda_, factor=weights / weights.mean()
        )
        np.testing.assert_allclose(model.coef_[0], history[-1][0], rtol=1e-9)
        assert model.objective_[-1] == pytest.approx(
            objective(X, 2.0 * y - 1, model.coef_[0], model.intercept_[0], lambda_, weights / weights.sum())
        )


def test_more_classes_are_learnt_one_against_the_rest():
    X, y = rows(4, n_classes=3)
    for chosen in ({}, {"average": "weighted", "batch_size": 3}, {"project": True}):
        model = fit(X, y, **chosen)
        alone = [fit(X, (y == k).astype(int), **chosen) for k in range(3)]
        np.testing.assert_allclose(model.coef_, np.vstack([one.coef_ for one in alone]), rtol=1e-12)
        assert model.objective_ == pytest.approx(np.mean([one.objective_ for one in alone], axis=0))
        assert model.certificate_.lower_bound == pytest.approx(np.mean([one.certificate_.lower_bound for one in alone]))


# the objective and what is proved about it


def test_the_trace_is_the_objective_of_the_model_that_answers():
    X, y = rows(5, n=60)
    for passes in (1, 3, 6):
        model = fit(X, y, C=2.0, average="weighted", max_iter=passes)
        found = objective(X, 2.0 * y - 1, model.coef_[0], model.intercept_[0], model.lambda_used_)
        assert model.objective_[-1] == pytest.approx(found, rel=1e-12)
        assert model.objective_passes_[-1] == passes == model.n_iter_
    assert fit(X, y, C=2.0, average="weighted", max_iter=6).objective_[:2] == pytest.approx(
        [fit(X, y, C=2.0, average="weighted", max_iter=p).objective_[-1] for p in (1, 2)]
    )


@given(
    st.integers(0, 10_000), st.sampled_from([2, 3]), st.booleans(), st.booleans(), st.sampled_from([1, 6, None]),
    st.sampled_from([{}, {"project": True}, {"eta": 0.05}, {"average": "all"}, {"average": None}]),
    st.floats(0.05, 20),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_the_smallest_objective_lies_between_the_bound_and_the_objective(
    seed, n_classes, intercept, replace, batch, chosen, C
):
    X, y = rows(seed, n=30, n_classes=n_classes)
    weight = np.random.default_rng(seed).random(30) + 0.2
    model = PegasosClassifier(
        C=C,
        tol=None,
        max_iter=5,
        fit_intercept=intercept,
        replace=replace,
        batch_size=batch,
        random_state=seed,
        **chosen,
    ).fit(X, y, weight)
    # ½‖w‖² + C/2 Σ s ξ is N C / 2 times the mean objective
    exact = LinearSVC(loss="hinge", C=C / 2, fit_intercept=intercept, tol=1e-6, max_iter=10_000).fit(X, y, weight)
    share, signs = weight / weight.sum(), [2.0 * (y == k) - 1 for k in (range(n_classes) if n_classes > 2 else (1,))]
    best = np.mean([
        objective(X, sign, w, b, model.lambda_used_, share)
        for sign, w, b in zip(signs, exact.coef_, np.broadcast_to(exact.intercept_, len(signs)), strict=True)
    ])  # fmt: skip
    certificate = model.certificate_
    assert certificate.lower_bound <= best * (1 + 1e-5)
    assert best <= certificate.objective * (1 + 1e-5)
    assert certificate.gap == pytest.approx(certificate.objective - certificate.lower_bound)


def test_training_ends_when_the_objective_is_proved_to_be_near_enough():
    X, y = rows(6, n=300)
    model = PegasosClassifier(C=0.5, tol=0.05, max_iter=500).fit(X, y)
    assert model.certificate_.relative_gap <= 0.05
    assert 1 < model.n_iter_ < 500
    with pytest.warns(ConvergenceWarning, match=r"after 2 passes up to .*% of the objective .* more than tol=0\.05"):
        PegasosClassifier(C=0.5, tol=0.05, max_iter=2).fit(X, y)
    assert "of it too much" in str(model.certificate_)


def test_nothing_is_proved_where_that_would_take_too_much_memory(monkeypatch):
    X, y = rows(6)
    expected = fit(X, y)
    monkeypatch.setattr("margin.svm.pegasos.primal.MOST_REMEMBERED", 39)
    model = fit(X, y)
    assert np.array_equal(model.coef_, expected.coef_)
    assert model.certificate_.objective == expected.certificate_.objective
    assert model.certificate_.lower_bound == 0 < expected.certificate_.lower_bound


# properties


@given(st.integers(0, 1000), st.sampled_from(["float32", "float64"]), st.booleans())
@settings(max_examples=15, deadline=None)
def test_sparse_rows_and_narrow_floats_give_the_same_weights(seed, dtype, project):
    X, y = rows(seed)
    X = X.round(1).astype("float32").astype(float)
    expected = fit(X, y, project=project).coef_
    for form in (X.astype(dtype), sp.csr_array(X.astype(dtype))):
        assert np.array_equal(fit(form, y, project=project).coef_, expected)


def test_passes_in_parts_go_on_like_those_of_fit():
    X, y = rows(7, n_classes=3)
    for average in (None, "weighted", "all"):
        model = PegasosClassifier(average=average)
        for _ in range(4):
            model.partial_fit(X, y)
        whole = fit(X, y, average=average)
        np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-12)
        assert (model.t_, model.n_iter_, model.certificate_) == (whole.t_, 4, None)
        np.testing.assert_allclose(
            fit(X, y, average=average, max_iter=3).partial_fit(X, y).coef_, whole.coef_, rtol=1e-12
        )


def test_rows_that_come_in_parts_are_learnt_one_after_another():
    X, y = rows(8)
    parts = PegasosClassifier(lambda_=0.1, shuffle=False, average=None)
    parts.partial_fit(X[:17], y[:17], classes=[0, 1]).partial_fit(X[17:], y[17:])
    whole = fit(X, y, lambda_=0.1, shuffle=False, max_iter=1)
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-12)
    assert PegasosClassifier(C=4.0).partial_fit(X[:10], y[:10], classes=[0, 1]).lambda_used_ == 2 / (4 * 10)


def test_rows_drawn_one_by_one_are_another_order_of_the_same_rule():
    X, y = rows(9)
    model = fit(X, y, replace=True, lambda_=0.05)
    assert not np.array_equal(model.coef_, fit(X, y, lambda_=0.05).coef_)
    assert np.array_equal(model.coef_, fit(X, y, replace=True, lambda_=0.05).coef_)


def test_steps_that_forget_everything_are_refused():
    X, y = rows(10)
    with pytest.raises(ParameterError, match=r"PegasosClassifier\(eta=3\): eta must be below 1 / lambda = 2"):
        PegasosClassifier(lambda_=0.5, eta=3.0).fit(X, y)


def test_weights_that_leave_all_bounds_are_refused():
    X, y = rows(11)
    with pytest.raises(InputError, match="grew beyond all numbers in pass 1"):
        PegasosClassifier(lambda_=1e-300).fit(X * 1e99, y)


def test_an_interrupted_fit_leaves_the_model_as_it_was():
    X, y = rows(12, n=50_000, d=60)
    model = PegasosClassifier(max_iter=1).fit(X, y)
    before = model.coef_.copy()
    threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        model.set_params(max_iter=100_000, tol=None).fit(X, y)
    assert time.perf_counter() - start < 5
    assert np.array_equal(model.coef_, before)
