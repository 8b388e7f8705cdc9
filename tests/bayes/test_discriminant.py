"""margin.bayes: discriminants worked by hand, then the definition in NumPy, then properties."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from margin import DiagonalLinearDiscriminantAnalysis, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, Table
from margin.bayes.discriminant.scatter import measure_scatter
from margin.data import read
from margin.errors import DeficientClassWarning, InputError, ParameterError
from margin.evaluation import evaluate
from tests.bayes.discriminants import MODELS, data, every_model
from tests.shared_data import shared_data

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")


def normal_scores(X, means, covariances, priors):
    """log prior + log density, one class at a time."""
    scores = []
    for mean, covariance, prior in zip(means, covariances, priors):
        away = X - mean
        distance = (away * np.linalg.solve(covariance, away.T).T).sum(axis=1)
        scores.append(np.log(prior) - 0.5 * np.linalg.slogdet(covariance)[1] - 0.5 * distance)
    return np.stack(scores, axis=1)


def probabilities(scores):
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


# Worked by hand


def test_two_classes_on_a_line():
    """Means 1 and 5, pooled variance (2 + 2) / (4 - 2) = 2: the score is (5 - 1)/2 (x - 3)."""
    model = LinearDiscriminantAnalysis().fit([[0.0], [2.0], [4.0], [6.0]], ["a", "a", "b", "b"])
    assert model.covariance_.tolist() == [[2.0]]
    assert model.coef_[0, 0] == pytest.approx(2.0)
    assert model.intercept_[0] == pytest.approx(-6.0)
    assert model.decision_function([[3.5]]) == pytest.approx([1.0])
    assert model.predict_proba([[3.5]])[0, 1] == pytest.approx(1 / (1 + np.exp(-1)))


def test_two_classes_of_different_spread():
    """Variances 1 and 9 around one mean: at distance 3 the scores differ by log 3 - (9 - 1)/2 = -2.90."""
    X = [[-1.0], [1.0], [-3.0], [3.0]]
    model = QuadraticDiscriminantAnalysis().fit(X, ["narrow", "narrow", "wide", "wide"])
    assert model.covariance_.ravel().tolist() == [1.0, 9.0]
    assert model.decision_function([[3.0]])[0] == pytest.approx(4 - np.log(3))
    assert model.decision_function([[0.0]])[0] == pytest.approx(-np.log(3))
    halved = QuadraticDiscriminantAnalysis(unbiased=True).fit(X, [0, 0, 1, 1])
    assert halved.covariance_.ravel().tolist() == [2.0, 18.0]
    pulled = QuadraticDiscriminantAnalysis(reg_param=0.5).fit(X, [0, 0, 1, 1])
    assert pulled.covariance_.ravel() == pytest.approx([1.0, 5.0])


def test_the_boundary_of_the_diagonal_model_is_the_perpendicular_between_the_means():
    X = [[0.0, 0.0], [2.0, 2.0], [4.0, 0.0], [6.0, 2.0]]
    model = DiagonalLinearDiscriminantAnalysis().fit(X, [0, 0, 1, 1])
    assert model.var_.tolist() == [2.0, 2.0]
    assert model.decision_function([[3.0, -7.0], [4.0, 9.0]]) == pytest.approx([0.0, 2.0])


def test_the_axes_put_the_classes_apart_with_variance_one_within():
    X, y, _ = data(300)
    model = LinearDiscriminantAnalysis().fit(X, y)
    projected = model.transform(X)
    assert projected.shape == (300, 2)
    within = sum(np.cov(projected[y == k].T) * ((y == k).sum() - 1) for k in range(3)) / (300 - 3)
    np.testing.assert_allclose(within, np.eye(2), atol=1e-10)
    assert model.explained_variance_ratio_.sum() == pytest.approx(1)
    assert model.explained_variance_ratio_[0] > model.explained_variance_ratio_[1]
    one = LinearDiscriminantAnalysis(n_components=1).fit(X, y)
    np.testing.assert_allclose(one.transform(X), projected[:, :1])
    assert np.array_equal(one.predict(X), model.predict(X))
    np.testing.assert_allclose(LinearDiscriminantAnalysis().fit_transform(X, y), projected)
    assert model.get_feature_names_out().tolist() == ["lineardiscriminantanalysis0", "lineardiscriminantanalysis1"]


# The definition


def flattest(covariances):
    """The least variance in any direction, with every column scaled to 1."""
    scales = [np.sqrt(np.diagonal(c)) for c in covariances]
    return min(np.linalg.eigvalsh(c / s[:, None] / s)[0] for c, s in zip(covariances, scales))


@given(seed=st.integers(0, 1000), n=st.integers(30, 80), d=st.integers(1, 14))
@settings(max_examples=30, deadline=None)
def test_agrees_with_the_definition(seed, n, d):
    X, y, _ = data(n, d, seed)
    parts = [X[y == k] for k in range(3)]
    means, shares = [part.mean(axis=0) for part in parts], [len(part) / n for part in parts]
    own = [np.cov(part.T, bias=True).reshape(d, d) for part in parts]
    pooled = sum(len(part) * c for part, c in zip(parts, own)) / (n - 3)
    assume(flattest([pooled, *(own if d < 6 else [])]) > 1e-6)  # flatter directions are left out, or floored
    linear = probabilities(normal_scores(X, means, [pooled] * 3, shares))
    np.testing.assert_allclose(LinearDiscriminantAnalysis().fit(X, y).predict_proba(X), linear, rtol=1e-6, atol=1e-9)
    diagonal = probabilities(normal_scores(X, means, [np.diag(np.diag(pooled))] * 3, shares))
    found = DiagonalLinearDiscriminantAnalysis().fit(X, y).predict_proba(X)
    np.testing.assert_allclose(found, diagonal, rtol=1e-6, atol=1e-9)
    if d < 6:
        quadratic = normal_scores(X, means, own, shares)
        found = QuadraticDiscriminantAnalysis().fit(X, y).decision_function(X)
        np.testing.assert_allclose(found, quadratic, rtol=1e-6, atol=1e-6)


def test_third_and_fourth_sums_are_those_of_the_definition():
    X, y, weight = data(80, 3, 5, weighted=True)
    sums = measure_scatter(X, y.astype(np.int32), weight, 3, pooled=False, fourth=True, who="test")
    for k in range(3):
        w = weight[y == k]
        away = X[y == k] - np.average(X[y == k], axis=0, weights=w)
        np.testing.assert_allclose(sums.within[k], np.einsum("r,ri,rj", w, away, away), rtol=1e-10)
        np.testing.assert_allclose(sums.third[k], np.einsum("r,ri,rj", w, away**2, away), rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(sums.fourth[k], np.einsum("r,ri,rj", w, away**2, away**2), rtol=1e-10)


# Few rows, flat directions, odd columns


def test_one_hot_columns_and_copies_of_columns_change_nothing():
    X, y, _ = data()
    doubled = np.column_stack([X, X[:, 0] - X[:, 1], np.full(90, 7.0)])
    for model in MODELS[:1]:
        expected = clone(model).fit(X, y).predict_proba(X)
        np.testing.assert_allclose(clone(model).fit(doubled, y).predict_proba(doubled), expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("shrinkage", [None, "auto"], ids=str)
def test_one_hot_columns_that_repeat_each_other_do_not_favour_the_class_that_is_shrunk_least(shrinkage):
    """Customers without internet have "none" in every column that depends on it."""
    rng = np.random.default_rng(0)
    y = (rng.random(3000) < 0.25).astype(int)
    x = 3.0 * y + rng.normal(size=3000)
    internet = rng.random(3000) < np.where(y == 1, 0.8, 0.5)
    services = {f"service{j}": np.where(internet, rng.choice(["no", "yes"], 3000), "none") for j in range(8)}
    table = pd.DataFrame({"x": x, **services})
    model = QuadraticDiscriminantAnalysis(shrinkage=shrinkage).fit(table, y)
    assert model.score(table, y) > 0.93
    copies = [f"service{j}=none" for j in range(8)]
    at = [model._encoder.names_out().index(name) for name in copies]
    for covariance in model.covariance_:
        np.testing.assert_allclose(covariance[at[0]], covariance[at[1]], atol=1e-9)


def test_a_table_of_categories_is_learnt():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    word = np.where(rng.random(200) < 0.2 + 0.6 * y, "yes", "no")
    table = pd.DataFrame({"word": word, "other": rng.choice(["u", "v", "w"], 200), "x": rng.normal(size=200) + y})
    for model in (LinearDiscriminantAnalysis(), DiagonalLinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()):
        assert model.fit(table, y).score(table, y) > 0.75


deficient = pytest.mark.filterwarnings("ignore::margin.errors.DeficientClassWarning")


@deficient
@every_model
def test_more_columns_than_rows_are_learnt(model):
    rng = np.random.default_rng(0)
    y = np.arange(24) % 3
    X = rng.normal(size=(24, 40)) + 3 * y[:, None]
    answers = clone(model).fit(X, y)
    assert np.isfinite(answers.predict_proba(X)).all()
    assert answers.score(X, y) == 1


def test_a_class_that_lies_on_a_line_leans_on_the_shape_of_all():
    """Both classes lie on lines of their own; a case off its line belongs to the other. MASS::qda of R refuses such
    classes: rank deficiency in group 0."""
    t = np.linspace(-1, 1, 20)
    X = np.concatenate([np.column_stack([t, t]), np.column_stack([t, -t])])
    y = np.repeat([0, 1], 20)
    with pytest.warns(DeficientClassWarning, match=r"class 0, 1 does not vary .*pooled_share_ up to 0\.09"):
        model = QuadraticDiscriminantAnalysis().fit(X, y)
    assert model.predict([[0.5, 0.499], [0.5, -0.499]]).tolist() == [0, 1]
    own, pooled = np.cov(X[:20].T, bias=True), np.eye(2) * t.var()
    np.testing.assert_allclose(model.covariance_[0], (20 * own + 2 * pooled) / 22)
    np.testing.assert_allclose(model.pooled_share_, 2 / 22)


def test_a_level_that_a_class_never_has_does_not_make_it_win_every_row():
    """The class without the level has no variance along it: a volume of almost nothing, and with it every row."""
    rng = np.random.default_rng(0)
    y = np.repeat(["rare", "common"], [40, 160])
    level = np.where((y == "common") & (rng.random(200) < 0.1), "c", rng.choice(["a", "b"], 200))
    size = rng.normal(size=200) + 2.5 * (y == "rare")
    X = Table.from_columns({"level": level.tolist(), "size": size.tolist()})
    with pytest.warns(DeficientClassWarning, match="class 'rare' does"):
        model = QuadraticDiscriminantAnalysis().fit(X, y)
    assert model.pooled_share_[0] == 0
    assert model.score(X, y) > 0.85  # .8 is the share of the common class


def test_classes_with_rows_enough_are_left_alone():
    X, y, _ = data()
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    assert not model.pooled_share_.any()
    np.testing.assert_allclose(model.covariance_[0], np.cov(X[y == 0].T, bias=True))


def test_a_column_that_no_class_varies_in_draws_nothing():
    X, y, _ = data()
    model = QuadraticDiscriminantAnalysis().fit(np.column_stack([X, y]), y)
    assert not model.pooled_share_.any()
    assert model.score(np.column_stack([X, y]), y) == 1


@deficient
@pytest.mark.parametrize(("name", "target", "most"), [("audiology", "class", 0.55), ("credit-g", "class", 0.7)])
def test_mixed_tables_are_answered_better_than_by_the_majority(name, target, most):
    """By 10 folds .43 and .70 before classes leant on each other; the majority has .25 and .70."""
    X, y = read(shared_data(f"{name}.arff.gz")).target(target)
    assert evaluate(QuadraticDiscriminantAnalysis(), X, y, 5).scores["accuracy"].value > most


@deficient
def test_a_class_of_one_case_takes_the_pooled_covariance():
    X, y, _ = data()
    X, y = np.vstack([X, X.mean(axis=0) + 9]), np.append(y, 3)
    for unbiased in (False, True):
        model = QuadraticDiscriminantAnalysis(unbiased=unbiased).fit(X, y)
        squares = sum((X[y == k] - X[y == k].mean(axis=0)).T @ (X[y == k] - X[y == k].mean(axis=0)) for k in range(3))
        np.testing.assert_allclose(model.covariance_[3], squares / (91 - 4 if unbiased else 91), rtol=1e-9)


def test_classes_that_a_column_tells_apart_for_certain():
    X = np.array([[1.0, 5.0], [1.0, 7.0], [2.0, 5.5], [2.0, 6.0]])
    y = [0, 0, 1, 1]
    for model in (DiagonalLinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()):
        assert model.fit(X, y).predict([[1.0, 6.0], [2.0, 6.0]]).tolist() == [0, 1]


@every_model
@pytest.mark.parametrize("far", [1e6, 1e9])
def test_large_means_cost_no_digits(model, far):
    X, y, _ = data()
    X = np.round(X * 1024) / 1024  # exact at any distance
    near = clone(model).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(clone(model).fit(X + far, y).predict_proba(X + far), near, rtol=1e-6, atol=1e-9)


@every_model
def test_a_row_has_the_same_answer_alone_and_among_others(model):
    X, y, _ = data()
    fitted = clone(model).fit(X, y)
    together = fitted.predict_proba(X)
    assert all(np.array_equal(fitted.predict_proba(X[i : i + 1])[0], together[i]) for i in range(10))


@every_model
def test_single_precision_is_read_as_it_is(model):
    X, y, _ = data()
    single = X.astype(np.float32)
    found = clone(model).fit(single, y).predict_proba(single)
    expected = clone(model).fit(single.astype(float), y).predict_proba(single.astype(float))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


# Drawing


@every_model
def test_drawn_cases_look_like_those_learnt_from(model):
    X, y, _ = data(600, 3)
    fitted = clone(model).fit(X, y)
    drawn, classes = fitted.sample(40_000, random_state=1)
    assert drawn.shape == (40_000, 3)
    shares = np.bincount(classes) / 40_000
    np.testing.assert_allclose(shares, fitted.priors_, atol=0.01)
    for k in range(3):
        covariance = np.diag(fitted.var_) if hasattr(fitted, "var_") else fitted.covariance_
        covariance = covariance[k] if covariance.ndim == 3 else covariance
        deviation = np.sqrt(np.diag(covariance))
        assert (np.abs(drawn[classes == k].mean(axis=0) - fitted.means_[k]) < 0.05 * deviation).all()
        found = np.cov(drawn[classes == k].T)
        assert (np.abs(found - covariance) < 0.05 * deviation[:, None] * deviation).all()
    again, _ = fitted.sample(40_000, random_state=1)
    assert np.array_equal(again, drawn)


def test_cases_are_drawn_as_a_table_of_the_same_columns():
    X, y, _ = data(d=2)
    table = Table.from_columns({"a": X[:, 0].tolist(), "b": X[:, 1].tolist()})
    model = QuadraticDiscriminantAnalysis().fit(table, np.array(["x", "y", "z"])[y])
    drawn, classes = model.sample(7, random_state=0)
    assert drawn.names == table.names
    assert set(classes) <= {"x", "y", "z"}
    assert len(model.predict(drawn)) == 7
    mixed = LinearDiscriminantAnalysis().fit(pd.DataFrame({"a": X[:, 0], "w": np.where(y > 0, "u", "v")}), y)
    with pytest.raises(InputError, match="column 'w' is not numeric"):
        mixed.sample(3)
    with pytest.raises(ParameterError, match="n must be a whole number"):
        model.sample(-1)


# Refusals


def test_impossible_settings_are_refused():
    X, y, _ = data()
    with pytest.raises(ParameterError, match=r"n_components must be at most 2.*4 columns and 3 classes"):
        LinearDiscriminantAnalysis(n_components=3).fit(X, y)
    with pytest.raises(ParameterError, match="there are 3 classes"):
        QuadraticDiscriminantAnalysis(priors=[0.5, 0.5]).fit(X, y)
    with pytest.raises(ParameterError, match="with training rows needs a prior above 0"):
        LinearDiscriminantAnalysis(priors=[0, 1, 0]).fit(X, y, sample_weight=(y != 1).astype(float))
    with pytest.raises(ParameterError, match=r"shrinkage must be .*'auto'.*a number from 0 to 1"):
        LinearDiscriminantAnalysis(shrinkage=1.5).fit(X, y)
    with pytest.raises(ParameterError, match="use 'svd' or 'eigen'"):
        LinearDiscriminantAnalysis(solver="lsqr").fit(X, y).transform(X)


def test_a_matrix_too_wide_for_memory_is_refused_before_it_is_made():
    with pytest.raises(MemoryError, match="scatter of the columns"):
        measure_scatter(np.ones((2, 300_000)), np.zeros(2, np.int32), None, 1, pooled=True, fourth=False, who="test")


# Settings and weights that are slightly wrong


@every_model
def test_a_class_whose_weights_all_but_vanish_is_all_but_impossible(model):
    X, y, _ = data()
    answers = clone(model).fit(X, y, sample_weight=np.where(y == 0, 1e-300, 1.0)).predict_proba(X)
    np.testing.assert_allclose(answers.sum(axis=1), 1)


@every_model
def test_logarithms_of_probabilities_stay_finite_where_probabilities_vanish(model):
    X, y, _ = data()
    fitted = clone(model).fit(X, y)
    far = X[:1] + 1e5
    logs = fitted.predict_log_proba(far)
    assert np.isfinite(logs).all()
    assert logs.min() < -1000
    np.testing.assert_allclose(np.exp(logs), fitted.predict_proba(far), atol=1e-12)


def test_a_solver_without_axes_has_no_names_for_them_either():
    X, y, _ = data()
    model = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    with pytest.raises(ParameterError, match="get_feature_names_out: this solver finds no axes"):
        model.get_feature_names_out()


def test_a_model_answers_as_it_was_fitted_whatever_its_parameters_are_now():
    X, y, _ = data()
    for solver, then in (("svd", "eigen"), ("eigen", "svd"), ("svd", "lsqr")):
        model = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
        before = model.decision_function(X), model.transform(X)
        model.set_params(solver=then)
        np.testing.assert_array_equal(model.decision_function(X), before[0])
        np.testing.assert_array_equal(model.transform(X), before[1])
    with pytest.raises(ParameterError, match="finds no axes"):
        LinearDiscriminantAnalysis(solver="lsqr").fit(X, y).set_params(solver="svd").transform(X)


@pytest.mark.parametrize(
    ("model", "then"),
    [
        (LinearDiscriminantAnalysis(), {"shrinkage": "auto"}),
        (LinearDiscriminantAnalysis(), {"solver": "eigen", "priors": [0.2, 0.3, 0.5]}),
        (QuadraticDiscriminantAnalysis(), {"shrinkage": "auto"}),
    ],
    ids=str,
)
def test_sums_that_later_parameters_cannot_use_are_not_added_up(model, then):
    X, y, _ = data()
    changed = clone(model).fit(X, y).set_params(**then)
    with pytest.raises(InputError, match="partial_fit: parameters were changed after fit"):
        changed.partial_fit(X, y)
    with pytest.raises(InputError, match="merge: parameters were changed after fit"):
        clone(model).set_params(**then).fit(X, y).merge(changed)


def test_no_cases_are_drawn_for_an_answer_to_yes_or_no():
    X, y, _ = data()
    with pytest.raises(ParameterError, match=r"sample\(n=True\): n must be a whole number"):
        LinearDiscriminantAnalysis().fit(X, y).sample(True)
