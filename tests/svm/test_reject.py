"""margin.svm.Reject: worked by hand, then against the definition, around models of all kinds."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression as RivalLogistic
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier as RivalNeighbours
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as RivalSVC  # noqa: N811
from sklearn.svm import LinearSVC as RivalLinearSVC
from sklearn.tree import DecisionTreeClassifier

from margin import (
    SVC,
    KNeighborsClassifier,
    LinearSGD,
    LinearSVC,
    LogisticRegression,
    NaiveBayes,
    Perceptron,
    Reject,
    RoteClassifier,
    Table,
    TableEncoder,
    decision_regions,
)
from margin.base.meta.cross_fitting import stratified_splits
from margin.data import catalog
from margin.errors import AbstentionWarning, LabelError, ParameterError
from margin.evaluation import HoldOut, evaluate, risk_coverage
from margin.explain import explain
from margin.persistence import load, save


def two_clouds(n=400, seed=0, classes=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    return rng.normal(size=(n, 2)) + 1.5 * np.column_stack([y, -y]), y


class Given(BaseEstimator):
    """A fitted classifier whose score is its only column."""

    classes_ = np.array(["no", "yes"])

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.classes_[(np.asarray(X)[:, 0] > 0).astype(int)]

    def decision_function(self, X):
        return np.asarray(X)[:, 0]

    def __sklearn_is_fitted__(self):
        return True


def test_yes_above_t_no_below_minus_t_and_dont_know_between():
    model = Reject(Given(), threshold=1.0, cv="prefit").fit([[0.0], [1.0]], ["no", "yes"])
    assert model.predict([[1.5], [1.0], [0.3], [-0.3], [-1.0], [-1.01]]).tolist() == [
        "yes", None, None, None, None, "no",
    ]  # fmt: skip
    assert model.confidences([[1.5], [-3.0]]).tolist() == [1.5, 3.0]


def test_chows_rule_answers_where_being_wrong_costs_less_than_abstaining():
    X, y = two_clouds()
    for cost in (0.05, 0.2, 0.45):
        model = Reject(LogisticRegression(), cost=cost).fit(X, y)
        shares = model.predict_proba(X)
        unsure = 1 - shares.max(axis=1) > cost
        assert [answer is None for answer in model.predict(X)] == unsure.tolist()
        assert model.threshold_ == 1 - cost
        assert model.curve_ is None
        if unsure.any():
            assert not unsure.all()


def test_without_a_wish_it_answers_as_the_model_does_and_in_its_type():
    X, y = two_clouds()
    answers = Reject(LogisticRegression()).fit(X, y).predict(X)
    assert answers.dtype == y.dtype
    assert np.array_equal(answers, LogisticRegression().fit(X, y).predict(X))


def test_labels_keep_their_type_beside_abstentions():
    X, y = two_clouds()
    for labels in (y, y.astype(bool), y.astype(float), np.array(["n", "y"])[y]):
        answers = Reject(LogisticRegression(), threshold=0.9).fit(X, labels).predict(X)
        assert answers.dtype == object
        assert {type(answer) for answer in answers} == {type(labels[:1].tolist()[0]), type(None)}


def test_the_distance_to_the_runner_up_decides_among_several_classes():
    X, y = two_clouds(classes=3)
    model = Reject(RidgeClassifier(), threshold=0.4).fit(X, y)
    ranked = np.sort(model.decision_function(X), axis=1)
    expected = ranked[:, -1] - ranked[:, -2]
    assert model.confidences(X) == pytest.approx(expected)
    assert [answer is None for answer in model.predict(X)] == (expected <= 0.4).tolist()


@pytest.mark.parametrize("inner", [RivalSVC, SVC], ids=["scikit-learn", "margin"])
def test_decisions_of_pairs_are_as_sure_as_the_closest_pair_of_the_answer(inner):
    X, y = two_clouds(classes=3)
    model = Reject(inner(decision_function_shape="ovo"), threshold=0.3, confidence="margin").fit(X, y)
    zero_one, zero_two, one_two = model.decision_function(X).T
    each = np.column_stack(
        [np.minimum(zero_one, zero_two), np.minimum(-zero_one, one_two), np.minimum(-zero_two, -one_two)]
    )
    said = model.model_.predict(X)
    assert model.confidences(X) == pytest.approx(each[np.arange(len(X)), said])
    answers = model.predict(X)
    assert all(answer is None or each[row, answer] > 0.3 for row, answer in enumerate(answers))


MODELS = [
    NaiveBayes(),
    KNeighborsClassifier(7),
    LinearSGD(loss="hinge", scale="standard", random_state=0),
    Perceptron(variant="averaged", random_state=0),
    RivalLogistic(),
    RivalLinearSVC(),
    RivalSVC(),
    RivalNeighbours(),
    make_pipeline(StandardScaler(), RivalLogistic()),
]


@pytest.mark.filterwarnings("ignore::margin.errors.ConvergenceWarning")
@pytest.mark.parametrize("inner", MODELS, ids=repr)
@pytest.mark.parametrize("wish", [{"target_error": 0.1, "level": None}, {"cost": 0.15}], ids=str)
def test_it_wraps_any_classifier_and_is_wrong_less_often(inner, wish):
    X, y = two_clouds(600)
    new_X, new_y = two_clouds(3000, seed=1)
    model = Reject(inner, **wish).fit(X, y)
    answers = model.predict(new_X)
    answered = np.array([answer is not None for answer in answers])
    error = np.mean(answers[answered] != new_y[answered])
    assert 0.3 < answered.mean() < 1
    assert error < 0.14 < np.mean(model.model_.predict(new_X) != new_y) + 0.03


def test_the_held_out_answers_are_those_of_models_that_have_not_seen_the_rows():
    X, y = two_clouds(200)
    model = Reject(RivalLogistic(), target_error=0.1, level=None, cv=4).fit(X, y)
    said, sure = np.empty(200, dtype=int), np.empty(200)
    for train, test in stratified_splits(y, np.ones(200), 4):
        inner = RivalLogistic().fit(X[train.rows], y[train.rows])
        said[test.rows], sure[test.rows] = inner.predict(X[test.rows]), inner.predict_proba(X[test.rows]).max(axis=1)
    curve = risk_coverage(y, said, sure)
    assert np.array_equal(curve.risk, model.curve_.risk)
    assert model.threshold_ == curve.for_error(0.1, None).threshold
    assert (model.choice_.coverage, model.choice_.risk) == curve.at(model.threshold_)
    assert np.array_equal(model.model_.coef_, RivalLogistic().fit(X, y).coef_)  # all rows teach the one that answers


def test_the_bound_keeps_more_back_than_the_seen_error():
    X, y = two_clouds(500)
    seen = Reject(LogisticRegression(), target_error=0.08, level=None).fit(X, y)
    sure = Reject(LogisticRegression(), target_error=0.08).fit(X, y)
    assert sure.threshold_ > seen.threshold_
    assert sure.choice_.risk < sure.choice_.bound <= 0.08
    assert sure.choice_.level == 0.95


def test_a_target_out_of_reach_answers_nothing_and_warns():
    X, y = two_clouds(100)
    with pytest.warns(AbstentionWarning, match=r"no threshold keeps the error below it.*at least"):
        model = Reject(LogisticRegression(), target_error=0.001).fit(X, y)
    assert model.predict(X).tolist() == [None] * 100
    assert model.threshold_ == math.inf


def test_a_fitted_model_is_taken_as_it_is():
    X, y = two_clouds(900)
    inner = RivalSVC().fit(X[:300], y[:300])
    for wrapped in (Reject(inner, target_error=0.08, cv="prefit"), Reject(FrozenEstimator(inner), target_error=0.08)):
        model = wrapped.fit(X[300:], y[300:])
        assert model.model_ is inner
        curve = risk_coverage(y[300:], inner.predict(X[300:]), np.abs(inner.decision_function(X[300:])))
        assert model.threshold_ == curve.for_error(0.08).threshold
    with pytest.raises(ParameterError, match=r"Reject\(model=SVC\(\), cv='prefit'\): model must be fitted"):
        Reject(RivalSVC(), cv="prefit").fit(X, y)
    with pytest.raises(LabelError, match="2 is none of them"):
        Reject(inner, cv="prefit").fit(X, np.where(y == 1, 2, 0))


def test_held_out_rows_may_be_told():
    X, y = two_clouds(400)
    for cv in (HoldOut(), [(np.arange(200), np.arange(200, 400))]):
        model = Reject(RivalSVC(), cost=0.2, cv=cv).fit(X, y)
        assert 100 <= model.curve_.n_cases <= 200
        assert model.model_.shape_fit_ == (400, 2)


def test_mixed_tables_reach_models_that_take_none():
    X, y = catalog.load("credit").target("risk")
    tree = DecisionTreeClassifier(min_samples_leaf=20, random_state=0)
    for inner in (NaiveBayes(), make_pipeline(TableEncoder(), tree), tree):
        model = Reject(inner, target_error=0.15, level=None, random_state=0).fit(X, y)
        answers = model.predict(X)
        assert {"good", None} <= set(answers.tolist()) <= {"good", "bad", None}
        assert model.score(X, y) == np.mean(answers == np.asarray(y))


def test_evaluation_counts_its_abstentions():
    X, y = catalog.load("credit").target("risk")
    found = evaluate(
        Reject(NaiveBayes(), cost=0.2), X, y, HoldOut(seed=1), metrics=["coverage", "selective_error", "error"]
    )
    scores = {name: score.value for name, score in found.scores.items()}
    assert 0 < scores["coverage"] < 1
    assert (
        scores["selective_error"]
        < evaluate(NaiveBayes(), X, y, HoldOut(seed=1), metrics=["error"]).scores["error"].value
    )
    assert scores["error"] == pytest.approx(1 - scores["coverage"] * (1 - scores["selective_error"]))


def test_a_model_that_abstains_by_itself_may_abstain_more():
    X, y = [[0, 0], [1, 1], [1, 1], [1, 2]], ["no", "yes", "no", "yes"]
    rote = RoteClassifier(unmatched="abstain")
    assert Reject(rote).fit(X, y).predict([[0, 0], [9, 9]]).tolist() == ["no", None]
    model = Reject(rote, threshold=0.6).fit(X, y)
    assert model.predict([[0, 0], [9, 9], [1, 1]]).tolist() == ["no", None, None]


def test_kernel_values_are_cut_to_the_rows_of_each_part():
    X, y = two_clouds(200)
    plain = Reject(RivalSVC(kernel="linear"), cost=0.2).fit(X, y)
    model = Reject(RivalSVC(kernel="precomputed"), cost=0.2).fit(X @ X.T, y)
    assert model.threshold_ == pytest.approx(plain.threshold_, abs=1e-3)
    assert model.predict(X[:50] @ X.T).tolist() == plain.predict(X[:50]).tolist()


def test_regions_are_blank_where_it_abstains():
    X, y = two_clouds(100)
    model = Reject(LogisticRegression(), threshold=0.8).fit(X, y)
    regions = decision_regions(model, X, y, steps=30)
    sure = model.predict_proba(np.column_stack([a.ravel() for a in np.meshgrid(regions.x.values, regions.y.values)]))
    assert np.array_equal(regions.winner.ravel() < 0, sure.max(axis=1) <= 0.8)


@given(st.integers(0, 10_000), st.floats(0.0, 3.0), st.floats(0.0, 3.0))
@hypothesis_settings(deadline=None, max_examples=25)
def test_a_higher_threshold_answers_a_part_of_what_a_lower_one_does(seed, one, other):
    X, y = two_clouds(60, seed=seed, classes=3)
    model = Reject(RidgeClassifier()).fit(X, y)
    answers = []
    for threshold in sorted([one, other]):
        answers.append(model.set_params(threshold=threshold).fit(X, y).predict(X).tolist())
    plain = model.model_.predict(X).tolist()
    for lower, higher, always in zip(*answers, plain):
        assert higher in (None, lower)
        assert lower in (None, always)


def test_methods_are_those_of_the_model_inside():
    X, y = two_clouds(60)
    assert not hasattr(Reject(Perceptron()), "predict_proba")
    assert not hasattr(Reject(NaiveBayes()), "decision_function")
    model = Reject(LogisticRegression(), threshold=0.8).fit(X, y)
    inner = LogisticRegression().fit(X, y)
    for method in ("predict_proba", "predict_log_proba", "decision_function"):
        assert np.array_equal(getattr(model, method)(X), getattr(inner, method)(X))
    answers, shares = model.predict_with_proba(X)
    assert answers.tolist() == model.predict(X).tolist()
    assert np.array_equal(shares, inner.predict_proba(X))


def test_weights_reach_the_model_and_the_judging():
    X, y = two_clouds(150)
    weight = np.random.default_rng(3).integers(0, 3, 150)
    weighted = Reject(LogisticRegression(), target_error=0.1, level=None, cv=2).fit(X, y, sample_weight=weight)
    repeated = Reject(LogisticRegression(), target_error=0.1, level=None, cv=2).fit(
        X.repeat(weight, 0), y.repeat(weight)
    )
    assert weighted.curve_.n_cases == repeated.curve_.n_cases == weight.sum()
    assert weighted.threshold_ == pytest.approx(repeated.threshold_)
    with pytest.raises(ParameterError, match=r"KNeighborsClassifier\.fit takes no weights"):
        Reject(RivalNeighbours()).fit(X, y, sample_weight=weight)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"threshold": 0.5, "cost": 0.1}, "only one of threshold, target_error and cost"),
        ({"target_error": 1.5}, "target_error must be a number between 0 and 1 or None"),
        ({"cost": -1}, "cost must be a number of at least 0"),
        ({"confidence": "margin"}, "NaiveBayes must have decision_function"),
        ({"confidence": "margins"}, "did you mean 'margin'"),
        ({"model": NaiveBayes}, "model must be None or a classifier"),
    ],
    ids=str,
)
def test_impossible_settings_are_refused(settings, message):
    X, y = two_clouds(classes=3)
    with pytest.raises(ParameterError, match=message):
        Reject(**settings).fit(X, y)


def test_one_class_and_one_row_per_class_have_an_answer():
    assert Reject(threshold=0.5).fit([[1.0], [2.0]], ["a", "a"]).predict([[1.5]]).tolist() == ["a"]
    with pytest.warns(AbstentionWarning):
        model = Reject(target_error=0.1).fit([[1.0], [2.0]], ["a", "b"])
    assert model.predict([[1.0]]).tolist() == [None]


@pytest.mark.parametrize("wish", [{"target_error": 0.1}, {"target_error": 0.001}, {"cost": 0.2}, {}], ids=str)
@pytest.mark.filterwarnings("ignore::margin.errors.AbstentionWarning")
def test_a_saved_model_abstains_as_before(wish, tmp_path):
    X, y = two_clouds()
    table = Table.from_columns({"a": X[:, 0], "b": X[:, 1]})
    model = Reject(LinearSGD(loss="hinge", random_state=0), **wish).fit(table, np.array(["no", "yes"])[y])
    save(model, tmp_path / "reject.margin")
    again = load(tmp_path / "reject.margin")
    assert again.predict(table).tolist() == model.predict(table).tolist()
    assert again.threshold_ == model.threshold_
    assert str(again.choice_) == str(model.choice_)
    if model.curve_ is not None:
        assert again.curve_.aurc == model.curve_.aurc


@pytest.mark.parametrize("inner", [SVC(scale="standard"), LinearSVC()], ids=repr)
def test_support_vector_machines_come_back_whole_from_a_file(inner, tmp_path):
    X, y = two_clouds()
    model = Reject(inner, cost=0.15).fit(X, y)
    save(model, tmp_path / "svm.margin")
    again = load(tmp_path / "svm.margin")
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert np.array_equal(again.decision_function(X), model.decision_function(X))
    assert str(again.model_.certificate_) == str(model.model_.certificate_)
    assert str(explain(again, X[:1])) == str(explain(model, X[:1]))


def test_error_against_coverage_on_new_rows():
    X, y = two_clouds()
    new_X, new_y = two_clouds(seed=1)
    model = Reject(LogisticRegression(), threshold=0.8).fit(X, y)
    curve = model.risk_coverage(new_X, new_y)
    answers = model.predict(new_X)
    answered = np.array([answer is not None for answer in answers])
    assert curve.at(0.8) == pytest.approx((answered.mean(), np.mean(answers[answered] != new_y[answered])))
