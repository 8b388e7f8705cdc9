"""The golden figures of sub-gradient descent: who buys a computer, kernel SGD, and who is moved by outliers."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from margin import LinearSVC, PegasosClassifier, loss_family, plot_losses
from margin.data import catalog
from tests.svm.descents import objective, orders_of, rows, slow_kernel_sgd

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "lectures" / "07_who_is_moved_by_outliers.py"


def buys_computer():
    """The lecture's 14 rows: Age>40, Income=high, Student=yes, Credit=fair, and whether the person buys."""
    table, y = catalog.load("buys_computer").target("BuysComp")
    return table, np.array([int(label) for label in y])


def descend(X, sign, C, eta, iterations):
    """The lecture's gradient descent: the intercept is w_0, whose column is 1, and is not regularised."""
    n, w = len(X), np.zeros(X.shape[1] + 1)
    X, lambda_ = np.column_stack([np.ones(n), X]), 2 / (n * C)
    for _ in range(iterations):
        close = sign * (X @ w) < 1
        slope = -(sign * close) @ X / n + lambda_ * np.append(0.0, w[1:])
        w = w - eta * slope
    return w


@pytest.mark.golden("E4")
def test_a_person_with_a_score_of_two_and_a_half_buys_a_computer():
    table, y = buys_computer()
    model = PegasosClassifier(tol=None, max_iter=5).fit(table, y)
    model.intercept_, model.coef_ = np.array([-0.5]), np.array([[1.2, 3.0, -2.0, 0.7]])
    person = dict.fromkeys(table.names, 0.0) | {"Income=high": 1.0}
    assert table.names == ("Age>40", "Income=high", "Student=yes", "Credit=fair")
    given = np.array([[person[name] for name in table.names]])
    assert model.decision_function(given) == pytest.approx([2.5], abs=1e-15)
    assert model.predict(given).tolist() == [+1]


@pytest.mark.golden("E4")
def test_descent_over_all_rows_with_one_step_size_is_that_of_the_lecture():
    table, y = buys_computer()
    X = np.column_stack([table.cells(name) for name in table.names])
    model = PegasosClassifier(C=2.0, eta=0.1, batch_size=None, average=None, max_iter=200, tol=None).fit(table, y)
    assert model.lambda_used_ == 2 / (14 * 2.0)
    expected = descend(X, y, C=2.0, eta=0.1, iterations=200)
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_[0]), expected, rtol=1e-10)


@pytest.mark.golden("E4")
def test_the_trained_model_is_within_a_hundredth_of_the_optimum_and_says_so():
    table, y = buys_computer()
    X = np.column_stack([table.cells(name) for name in table.names])
    model = PegasosClassifier(C=2.0, tol=0.01, max_iter=5000).fit(table, y)
    exact = LinearSVC(loss="hinge", C=1.0, tol=1e-6).fit(X, y)  # ½‖w‖² + Σξ is half of ‖w‖² + 2 Σξ
    best = objective(X, y, exact.coef_[0], exact.intercept_[0], model.lambda_used_)
    certificate = model.certificate_
    assert certificate.relative_gap <= 0.01
    assert certificate.lower_bound <= best * (1 + 1e-6) <= certificate.objective * (1 + 2e-6)
    assert model.objective_[-1] < model.objective_[0]
    assert (model.predict(table) == y).sum() >= (exact.predict(X) == y).sum() - 1


@pytest.mark.golden("E5")
def test_kernel_descent_is_the_loop_over_beta_averaged():
    X, y = rows(0, n=120)
    lambda_, passes = 0.02, 5
    K = np.exp(-0.7 * np.square(X[:, None] - X[None]).sum(axis=2))
    order = np.concatenate(orders_of(len(X), passes))
    history = slow_kernel_sgd(K, 2.0 * y - 1, order, lambda_)
    model = PegasosClassifier(
        lambda_=lambda_, kernel="rbf", gamma=0.7, fit_intercept=False, average="all", max_iter=passes, tol=None
    ).fit(X, y)
    assert np.array_equal(model.beta_[0], history[-1][0][model.support_])
    alpha = np.mean([beta / (lambda_ * t) for t, (beta, _) in enumerate(history[:-1], start=1)], axis=0)
    np.testing.assert_allclose(model.dual_coef_[0], alpha[model.support_], rtol=1e-10)
    assert np.array_equal(np.flatnonzero(alpha), model.support_)
    np.testing.assert_allclose(model.decision_function(X), K @ alpha, rtol=1e-9)


@pytest.mark.golden("E10")
def test_hinge_logistic_and_exponential_loss_side_by_side():
    losses = loss_family().only("hinge", "log_loss", "exponential")
    curves = losses.curves([-4.0, 0.0, 1.0, 4.0])
    assert curves.value["hinge"].tolist() == [5, 1, 0, 0]
    assert curves.value["log_loss"] == pytest.approx(
        [np.log1p(np.exp(4)), np.log(2), np.log1p(1 / np.e), np.log1p(np.exp(-4))]
    )
    assert curves.value["exponential"] == pytest.approx([np.exp(4), 1, 1 / np.e, np.exp(-4)])
    # What an outlier on the wrong side pulls with: 1, next to 1, and without measure.
    assert curves.slope["hinge"][0] == -1
    assert -1 < curves.slope["log_loss"][0] < -0.98
    assert curves.slope["exponential"][0] < -54
    pytest.importorskip("matplotlib").use("Agg")
    drawn = [line.get_label() for line in plot_losses(losses).lines]
    assert {"hinge", "log_loss", "exponential"} <= set(drawn)


@pytest.mark.golden("E10")
def test_outliers_move_discriminant_analysis_and_hardly_the_others(tmp_path, capsys):
    spec = importlib.util.spec_from_file_location("outlier", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    for n in example.OUTLIERS:
        moved = example.moves(*example.clouds(), n)
        assert moved["discriminant analysis"][0] > 15
        assert moved["support vector machine"][:2] == pytest.approx((0, 0), abs=0.05)
        assert moved["logistic regression"][:2] == pytest.approx((0, 0), abs=0.05)
        assert moved["discriminant analysis"][2] > moved["support vector machine"][2]
    pytest.importorskip("matplotlib").use("Agg")
    example.main(str(tmp_path))
    printed = capsys.readouterr().out
    assert printed.count("support vector machine") == len(example.OUTLIERS)
    assert (tmp_path / "moved-by-outliers.png").stat().st_size > 10_000
