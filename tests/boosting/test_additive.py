"""GentleBoost and LogitBoost: figures of R, slow definitions, and what must hold on any table."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.metrics import log_loss

from margin import CalibratedClassifier, GentleBoostClassifier, LogitBoostClassifier, Table
from margin.data import catalog
from margin.data.rows import take_rows
from margin.errors import DataError, LabelError, ParameterError
from tests.boosting.every_stump import least_squares_stump

BOTH = [GentleBoostClassifier, LogitBoostClassifier]
both = pytest.mark.parametrize("cls", BOTH, ids=lambda cls: cls.__name__)


def cells(seed: int, n: int = 80, d: int = 3, n_classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(2)
    score = X[:, 0] + X[:, 1] ** 2 + 0.7 * rng.normal(size=n)
    return X, np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))


# ---- Figures from outside.


def of_two_irises() -> tuple[Table, np.ndarray]:
    X, y = catalog.load("iris").target("class")
    rows = np.flatnonzero(np.asarray(y) != "Iris-setosa")
    return take_rows(X, rows), np.asarray(y)[rows]


# R 4.2, rpart stumps with weights: one <- function(w, z) predict(rpart(z ~ ., cbind(X, z = z), weights = w,
#   control = rpart.control(maxdepth = 1, cp = 0, minsplit = 2, minbucket = 1, maxcompete = 0, maxsurrogate = 0)))
# F <- F + one(exp(-y * F), y); mean(exp(-y * F))
@pytest.mark.golden("G6")
def test_gentleboost_of_two_irises_has_the_losses_of_rpart_stumps_in_r():
    found = GentleBoostClassifier(n_estimators=10).fit(*of_two_irises()).loss_
    known = [0.52879974051, 0.319263387225, 0.24970186494, 0.201330777545, 0.179322517761]
    known += [0.155513240863, 0.138308298516, 0.126953001944, 0.119356978725, 0.106523687646]
    np.testing.assert_allclose(found, known, rtol=1e-9)


# z <- ifelse(y > 0, pmin(1 / p, 4), -pmin(1 / (1 - p), 4)); F <- F + one(((y > 0) - p) / z, z) / 2;
# mean(log(1 + exp(-2 * y * F)))
@pytest.mark.golden("G6")
def test_logitboost_of_two_irises_has_the_losses_of_rpart_stumps_in_r():
    found = LogitBoostClassifier(n_estimators=10).fit(*of_two_irises()).loss_
    known = [0.260605195357, 0.146816785249, 0.121094967579, 0.101116004971, 0.087540121522]
    known += [0.0775699639782, 0.0703358105151, 0.0601150592893, 0.0554686373116, 0.0499881601619]
    np.testing.assert_allclose(found, known, rtol=1e-9)


# S <- S + 2/3 * (f - rowMeans(f)) with f[, j] of rpart for each of the three classes; -mean(log p of the true class)
@pytest.mark.golden("G6")
def test_logitboost_of_three_irises_has_the_losses_of_rpart_stumps_in_r():
    found = LogitBoostClassifier(n_estimators=5).fit(*catalog.load("iris").target("class")).loss_
    known = [0.308482314479, 0.137608793155, 0.100020871526, 0.0765525884392, 0.056594352364]
    np.testing.assert_allclose(found, known, rtol=1e-9)


# ---- Slow definitions.


@pytest.mark.parametrize("seed", range(4))
def test_gentleboost_is_its_definition(seed):
    X, code = cells(seed)
    weight = np.random.default_rng(seed).integers(1, 4, len(X)).astype(float)
    model = GentleBoostClassifier(n_estimators=8, learning_rate=0.7).fit(X, code, sample_weight=weight)
    y, F = 2.0 * code - 1, np.zeros(len(X))
    w = weight / weight.sum()
    for scores in model.staged_decision_function(X):
        f = 0.7 * least_squares_stump(X, w, y)
        F += f
        w = w * np.exp(-y * f)
        w /= w.sum()
        np.testing.assert_allclose(scores, F, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-2 * F)), rtol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_logitboost_of_two_classes_is_its_definition(seed):
    X, code = cells(seed)
    model = LogitBoostClassifier(n_estimators=8, z_max=3.0).fit(X, code)
    F = np.zeros(len(X))
    for scores in model.staged_decision_function(X):
        p = 1 / (1 + np.exp(-2 * F))
        z = np.clip((code - p) / (p * (1 - p)), -3, 3)
        F += least_squares_stump(X, (code - p) / z, z) / 2
        np.testing.assert_allclose(scores, F, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-2 * F)), rtol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_logitboost_of_many_classes_is_its_definition(seed):
    X, code = cells(seed, n_classes=4)
    model = LogitBoostClassifier(n_estimators=6).fit(X, code)
    F, is_class = np.zeros((len(X), 4)), code[:, None] == np.arange(4)
    for scores in model.staged_decision_function(X):
        p = np.exp(F) / np.exp(F).sum(axis=1, keepdims=True)
        z = np.clip((is_class - p) / (p * (1 - p)), -4, 4)
        w = (is_class - p) / z
        f = np.column_stack([least_squares_stump(X, w[:, j], z[:, j]) for j in range(4)])
        F += 3 / 4 * (f - f.mean(axis=1, keepdims=True))
        np.testing.assert_allclose(scores, F, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(model.predict_proba(X), np.exp(F) / np.exp(F).sum(axis=1, keepdims=True), rtol=1e-8)


def test_gentleboost_of_many_classes_is_that_of_each_class_against_the_rest():
    X, code = cells(1, n_classes=3)
    model = GentleBoostClassifier(n_estimators=7).fit(X, code)
    alone = [GentleBoostClassifier(n_estimators=7).fit(X, code == k) for k in range(3)]
    np.testing.assert_allclose(
        model.decision_function(X), np.column_stack([each.decision_function(X) for each in alone]), rtol=1e-12
    )
    shares = np.column_stack([each.predict_proba(X)[:, 1] for each in alone])
    np.testing.assert_allclose(model.predict_proba(X), shares / shares.sum(axis=1, keepdims=True), rtol=1e-9)


def test_two_classes_are_the_model_of_many_classes():
    X, code = cells(5)
    two = LogitBoostClassifier(n_estimators=1).fit(X, code)
    p = np.full((len(X), 2), 0.5)
    z = ((code[:, None] == np.arange(2)) - p) / (p * (1 - p))
    f = np.column_stack([least_squares_stump(X, np.ones(len(X)), z[:, j]) for j in range(2)])
    np.testing.assert_allclose(two.decision_function(X), (f - f.mean(axis=1, keepdims=True))[:, 1] / 2, rtol=1e-9)


# ---- A rival.


@both
def test_breast_cancer_is_told_as_well_as_by_gradient_boosted_stumps_of_scikit_learn(cls):
    X, y = load_breast_cancer(return_X_y=True)
    train, test = np.arange(0, len(y), 2), np.arange(1, len(y), 2)
    loss = "exponential" if cls is GentleBoostClassifier else "log_loss"
    theirs = GradientBoostingClassifier(loss=loss, max_depth=1, learning_rate=0.3, random_state=0)
    theirs.fit(X[train], y[train])
    ours = cls(learning_rate=0.3).fit(X[train], y[train])
    assert ours.score(X[test], y[test]) >= theirs.score(X[test], y[test]) - 0.015
    # Newton's steps bring the losses of the training rows at least as low as steps along the gradient.
    assert log_loss(y[train], ours.predict_proba(X[train])) <= log_loss(y[train], theirs.predict_proba(X[train])) * 1.1


# ---- What must hold.


@both
def test_rounds_that_are_added_later_are_those_of_one_fit(cls):
    X, y = cells(3, n_classes=3)
    options = {"learning_rate": 0.5, "n_iter_no_change": 50, "random_state": 0}
    at_once = cls(n_estimators=12, **options).fit(X, y)
    later = cls(n_estimators=5, warm_start=True, **options).fit(X, y).set_params(n_estimators=12)
    if len(later.loss_) == 5:  # the best of its rounds is the last
        later.fit(X, y)
        assert [each.nodes.tolist() for each in later.trees_] == [each.nodes.tolist() for each in at_once.trees_]
    plain = cls(n_estimators=4, warm_start=True).fit(X, y).set_params(n_estimators=9).fit(X, y)
    whole = cls(n_estimators=9).fit(X, y)
    assert [each.nodes.tolist() for each in plain.trees_] == [each.nodes.tolist() for each in whole.trees_]
    np.testing.assert_array_equal(plain.loss_, whole.loss_)


@both
def test_going_on_with_other_rows_is_refused(cls):
    X, y = cells(3)
    model = cls(n_estimators=4, warm_start=True).fit(X, y)
    with pytest.raises(ParameterError, match="must not be below the 4 rounds"):
        model.set_params(n_estimators=3).fit(X, y)
    model.set_params(n_estimators=6)
    with pytest.raises(DataError, match="columns and classes"):
        model.fit(X[:, :2], y)
    with pytest.raises(DataError, match="columns and classes"):
        model.fit(X, y + 1)
    with pytest.raises(ParameterError, match="held back as they were"):
        model.set_params(n_iter_no_change=3).fit(X, y)
    assert len(model.rounds_) == 4


@both
def test_rows_held_back_end_the_rounds_at_their_best(cls):
    X, y = cells(7, n=300)
    rng = np.random.default_rng(0)
    y = np.where(rng.random(300) < 0.2, 1 - y, y)
    model = cls(n_estimators=400, max_depth=3, n_iter_no_change=5, validation_fraction=0.3, random_state=0).fit(X, y)
    assert len(model.loss_) < 400
    again = cls(**{**model.get_params(), "n_jobs": 1}).fit(X[::-1], y[::-1])
    np.testing.assert_array_equal(again.trees_[0].nodes, model.trees_[0].nodes)
    assert np.argmin(model.validation_loss_) == len(model.validation_loss_) - 1 == len(model.loss_) - 1
    assert model.trees_[0].n_trees == len(model.loss_)


@both
@pytest.mark.parametrize("n_classes", [2, 3])
def test_stages_end_at_the_model_and_rounds_add_up(cls, n_classes):
    X, y = cells(2, n_classes=n_classes)
    model = cls(n_estimators=10).fit(X, y)
    stages = list(model.staged_predict_proba(X))
    assert len(stages) == len(model.rounds_) == 10
    np.testing.assert_allclose(stages[-1], model.predict_proba(X), atol=1e-12)
    assert (list(model.staged_predict(X))[-1] == model.predict(X)).all()
    errors = [(answers != y).mean() for answers in model.staged_predict(X)]
    np.testing.assert_allclose(model.error_, errors)
    added = model.contributions(X).sum(axis=1)
    scores = model.decision_function(X)
    if n_classes == 2:
        np.testing.assert_allclose(added[:, 0], scores, atol=1e-12)
    elif cls is LogitBoostClassifier:
        np.testing.assert_allclose(added - added.mean(axis=1, keepdims=True), scores, atol=1e-12)
    else:
        np.testing.assert_allclose(added, scores, atol=1e-12)


@both
def test_both_losses_of_one_ensemble_are_told_on_any_rows(cls):
    X, y = cells(4)
    model = cls(n_estimators=6).fit(X, y)
    curves = model.loss_curves(X, y)
    F = np.column_stack(list(model.staged_decision_function(X)))
    sign = (2 * y - 1)[:, None]
    np.testing.assert_allclose(curves.exponential, np.exp(-sign * F).mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(curves.log_loss, np.log1p(np.exp(-2 * sign * F)).mean(axis=0), rtol=1e-12)
    own = curves.exponential if cls is GentleBoostClassifier else curves.log_loss
    np.testing.assert_allclose(own, model.loss_, rtol=1e-12)
    with pytest.raises(LabelError, match="classes of fit"):
        model.loss_curves(X, y + 5)


@both
@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.zeros((10, 2)), [0] * 7 + [1] * 3),
        (np.zeros((10, 2)), list("aaaaabbbcc")),
        (np.full((9, 1), np.nan), [0] * 6 + [1] * 3),
        (np.arange(12.0).reshape(-1, 1), [0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0]),
        (np.random.default_rng(0).normal(size=(12, 50)), list("aaaaaaaabbcd")),
    ],
    ids=["constant", "constant, three classes", "missing", "noise", "wide"],
)
@pytest.mark.filterwarnings("ignore")
def test_no_table_is_told_worse_than_by_the_majority(cls, X, y):
    y = np.array(y)
    majority = max(np.mean(y == label) for label in np.unique(y))
    model = cls(n_estimators=200).fit(X, y)
    assert model.score(X, y) >= majority
    assert np.isfinite(model.predict_proba(X)).all()
    if np.isnan(X).any() or np.ptp(X, axis=0).max() == 0:  # nothing to ask about: the shares of the classes
        shares = [np.mean(y == label) for label in model.classes_]
        np.testing.assert_allclose(model.predict_proba(X)[0], shares, atol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_the_score_of_a_rare_class_does_not_fall_for_ever():
    y = np.arange(1000) % 100 == 0
    model = LogitBoostClassifier(n_estimators=300).fit(np.zeros((1000, 1)), y)
    assert model.predict_proba([[0.0]])[0, 1] == pytest.approx(0.01, abs=1e-6)


@both
def test_one_class_is_certain(cls):
    model = cls(n_estimators=3).fit([[1.0], [2.0]], ["a", "a"])
    assert model.predict([[5.0]]).tolist() == ["a"]
    assert model.predict_proba([[5.0]]).tolist() == [[1.0]]
    assert list(model.staged_predict([[5.0]])) == []
    assert model.rounds_ == ()


@both
def test_rows_that_are_told_apart_stay_finite(cls):
    X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) >= 20
    model = cls(n_estimators=500).fit(X, y)
    assert model.score(X, y) == 1
    assert np.isfinite(model.predict_log_proba(X)).all()


@both
def test_words_missing_cells_and_ranks_are_read_in_rules(cls):
    rows = {"colour": ["red", "red", "blue", "green", "blue", None] * 5, "size": [1.0, 2.0, np.nan, 4.0, 5.0, 6.0] * 5}
    y = ["yes", "yes", "no", "no", "no", "no"] * 5
    model = cls(n_estimators=3, max_depth=2).fit(rows, y)
    assert model.score(rows, y) == 1
    assert any("colour is" in each or "size <=" in each for record in model.rounds_ for each in record.rules)
    assert str(model.rounds_[0]).startswith("   1  loss 0.")


def test_calibration_works_around_them():
    X, y = cells(9, n=200)
    model = CalibratedClassifier(GentleBoostClassifier(n_estimators=50), cv=3).fit(X, y)
    plain = GentleBoostClassifier(n_estimators=50).fit(X[::2], y[::2])
    new = cells(10, n=2000)
    assert log_loss(new[1], model.predict_proba(new[0])) < log_loss(new[1], plain.predict_proba(new[0]))
