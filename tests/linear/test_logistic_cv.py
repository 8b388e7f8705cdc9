"""margin.linear.LogisticRegressionCV: the folds, the slow definition of the losses, the rule."""

import numpy as np
import pytest
import scipy.sparse as sp

from margin import LogisticRegression, LogisticRegressionCV
from margin.errors import ParameterError
from margin.linear.logistic.folds import folds
from margin.linear.logistic.regression_cv import _chosen


def rows(n_classes=2, n=90, seed=0):
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % n_classes).astype(np.int32)
    X = rng.normal(size=(n, 4))
    X[:, 0] += 1.5 * y
    return X, y


# Folds


def test_every_row_is_judged_once_and_classes_are_in_proportion():
    X, y = rows(3)
    judged = np.zeros(len(y))
    for learning, judging in folds(X, y, None, 5, 0):
        assert (learning + judging == 1).all()
        judged += judging
        counts = np.bincount(y, judging)
        assert counts.max() - counts.min() <= 1
    assert (judged == 1).all()


def test_folds_depend_on_what_rows_hold_not_on_their_order_or_form():
    X, y = rows()
    X[X < -0.5] = 0.0
    X = X.astype(np.float32)
    order = np.random.default_rng(1).permutation(len(y))
    plain = [judging for _, judging in folds(X, y, None, 4, 7)]
    shuffled = [judging for _, judging in folds(X[order], y[order], None, 4, 7)]
    for a, b in zip(plain, shuffled):
        assert np.array_equal(a[order], b)
    for form in (X.astype(np.float64), sp.csr_array(X)):
        assert all(np.array_equal(a, b) for a, (_, b) in zip(plain, folds(form, y, None, 4, 7)))
    assert not all(np.array_equal(a, b) for a, (_, b) in zip(plain, folds(X, y, None, 4, 8)))


def test_a_weight_of_three_is_dealt_out_as_three_rows():
    X, y = rows(n=30)
    weight = np.random.default_rng(2).integers(1, 5, 30)
    repeated = np.repeat(np.arange(30), weight)
    weighted = folds(X, y, weight.astype(float), 3, 0)
    for (learning, judging), (_, of_rows) in zip(weighted, folds(X[repeated], y[repeated], None, 3, 0)):
        assert np.array_equal(judging, np.bincount(repeated, of_rows))
        assert np.array_equal(learning + judging, weight)


def test_few_rows_make_few_folds():
    X, y = rows(n=3)
    assert len(list(folds(X, y, None, 5, 0))) == 3
    assert list(folds(X[:1], y[:1], None, 5, 0)) == []


# Losses and choice


@pytest.mark.parametrize("scoring", ["log_loss", "brier", "error"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_losses_are_those_of_models_fitted_to_the_other_folds(n_classes, scoring):
    X, y = rows(n_classes)
    Cs = [0.1, 1.0, 10.0]
    model = LogisticRegressionCV(Cs=Cs, n_folds=3, scoring=scoring, tol=1e-8).fit(X, y)
    from margin.random import seed_for

    losses = np.zeros((3, len(Cs), len(y)))
    parts = list(folds(X, y, None, 3, seed_for(0, "folds")))
    for f, (learning, judging) in enumerate(parts):
        held = judging > 0
        for c, C in enumerate(Cs):
            p = LogisticRegression(C=C, tol=1e-8).fit(X[learning > 0], y[learning > 0]).predict_proba(X[held])
            true = p[np.arange(held.sum()), y[held]]
            if scoring == "log_loss":
                losses[f, c, held] = -np.log(true)
            elif scoring == "error":
                losses[f, c, held] = p.argmax(axis=1) != y[held]
            else:
                squared = ((p - np.eye(n_classes)[y[held]]) ** 2).sum(axis=1)
                losses[f, c, held] = squared / 2 if n_classes == 2 else squared
    expected = losses.sum(axis=0)
    assert model.choice_.losses[0] == pytest.approx(expected.mean(axis=1), rel=1e-5)
    assert model.choice_.standard_errors[0] == pytest.approx(expected.std(axis=1) / np.sqrt(len(y)), rel=1e-4)
    by_fold = [losses[f][:, judging > 0].mean(axis=1) for f, (_, judging) in enumerate(parts)]
    assert model.scores_[:, 0] == pytest.approx(np.array(by_fold), rel=1e-5)


def test_one_standard_error_takes_the_strongest_penalty_that_is_as_good():
    Cs, ratios = np.array([0.1, 1.0, 10.0, 100.0]), np.array([0.0, 1.0])
    losses = np.array([[0.9, 0.55, 0.5, 0.52], [0.9, 0.54, 0.51, 0.6]])
    errors = np.full((2, 4), 0.06)
    best = _chosen(Cs, ratios, losses, errors, "best")
    assert (best.C, best.l1_ratio) == (10.0, 0.0)
    careful = _chosen(Cs, ratios, losses, errors, "one_standard_error")
    assert (careful.C, careful.l1_ratio, careful.best) == (1.0, 0.0, (0, 2))
    assert "chosen:        C 1, l1_ratio 0, loss 0.55 ± 0.06" in str(careful)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_model_is_the_fit_of_the_choice_to_all_rows(n_classes):
    X, y = rows(n_classes)
    model = LogisticRegressionCV(Cs=4, l1_ratios=(0.0, 1.0), n_folds=3, rule="best").fit(X, y)
    alone = LogisticRegression(C=model.C_, l1_ratio=model.l1_ratio_).fit(X, y)
    assert np.array_equal(model.coef_, alone.coef_)
    assert np.array_equal(model.intercept_, alone.intercept_)
    assert model.scores_.shape == (3, 2, 4)
    assert model.choice_.losses.min() == model.choice_.losses[model.choice_.best]
    assert model.certificate_.converged


def test_columns_of_noise_are_left_out_by_the_lasso_with_one_standard_error():
    rng = np.random.default_rng(5)
    y = np.arange(200) % 2
    X = rng.normal(size=(200, 20))
    X[:, 3] += 2.0 * y
    Cs = np.logspace(-2, 1, 10)
    model = LogisticRegressionCV(Cs=Cs, l1_ratios=[1.0]).fit(X, y)
    best = LogisticRegressionCV(Cs=Cs, l1_ratios=[1.0], rule="best").fit(X, y)
    used = np.flatnonzero(model.coef_[0])
    assert 3 in used
    assert len(used) < len(np.flatnonzero(best.coef_[0])) / 2


def test_the_order_of_the_rows_does_not_matter():
    X, y = rows(3)
    order = np.random.default_rng(0).permutation(len(y))
    first = LogisticRegressionCV(Cs=4).fit(X, y)
    second = LogisticRegressionCV(Cs=4).fit(X[order], y[order])
    assert second.C_ == first.C_
    assert second.scores_ == pytest.approx(first.scores_, rel=1e-6)


def test_a_class_of_one_case_and_a_single_row_are_survived():
    X, y = rows()
    y = y.copy()
    y[0] = 2
    model = LogisticRegressionCV(Cs=3).fit(X, y)
    assert np.isfinite(model.scores_).all()
    assert model.predict(X).shape == (90,)
    alone = LogisticRegressionCV(Cs=3).fit(X[:1], ["a"])
    assert alone.predict(X[:2]).tolist() == ["a", "a"]
    assert alone.choice_.chosen == (0, 0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"Cs": 0}, "Cs must be"),
        ({"l1_ratios": 0.5}, "l1_ratios must be a list"),
        ({"l1_ratios": [0.5, 1.5]}, "l1_ratios must be"),
        ({"n_folds": 1}, "n_folds must be"),
        ({"rule": "two"}, "rule must be one of"),
        ({"scoring": "log_los"}, "did you mean 'log_loss'"),
    ],
)
def test_settings_out_of_range_are_refused(given, message):
    with pytest.raises(ParameterError, match=message):
        LogisticRegressionCV(**given).fit(*rows())
