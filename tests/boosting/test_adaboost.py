"""AdaBoost: the lectures' ten points, a slow definition of every round, the bounds, and what bad input gets."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier as Rival
from sklearn.neighbors import KNeighborsClassifier as RivalNeighbors
from sklearn.tree import DecisionTreeClassifier as RivalTree

import margin
from margin import AdaBoostClassifier
from margin.errors import ConvergenceWarning, ParameterError
from margin.persistence import load, save

#: Ten points as in the picture: two cuts of the first column get three points wrong each, one of the second the rest.
PLUS = [(1, 3), (1.5, 2), (5, 9), (6, 7), (6.5, 6)]
MINUS = [(3, 4.5), (3.5, 4), (4, 3.5), (8, 1), (9, 8)]
POINTS, SIGNS = np.array(PLUS + MINUS, dtype=float), np.array([1] * 5 + [-1] * 5)


@pytest.mark.golden("G5")
def test_the_ten_points_of_the_lectures():
    model = AdaBoostClassifier(n_estimators=3).fit(POINTS, SIGNS)
    assert [round(one.epsilon, 2) for one in model.rounds_] == [0.3, 0.21, 0.14]
    assert [round(one.alpha, 2) for one in model.rounds_] == [0.42, 0.65, 0.92]
    assert model.rounds_[-1].training_error == 0
    assert (model.predict(POINTS) == SIGNS).all()


def slow_rounds(X, y, n_rounds):
    """AdaBoost as the lectures write it: every cut of every column tried in every round. y is -1 and 1."""
    w, F, found = np.full(len(y), 1 / len(y)), np.zeros(len(y)), []
    for _ in range(n_rounds):
        rules = [np.full(len(y), sign) for sign in (-1, 1)]
        for column in X.T:
            for low in np.unique(column)[:-1]:
                rules += [np.where(column > low, 1, -1), np.where(column > low, -1, 1)]
        errors = [w[h != y].sum() for h in rules]
        epsilon = min(errors)
        h = rules[int(np.argmin(errors))]
        if epsilon <= 1e-12 or epsilon >= 0.5 - 1e-12:
            break
        alpha = 0.5 * math.log((1 - epsilon) / epsilon)
        w = w * np.exp(-alpha * y * h)
        F, z = F + alpha * h, w.sum()
        w = w / z
        found.append((epsilon, alpha, z))
    return found, F


@pytest.mark.parametrize("seed", range(10))
def test_every_round_is_that_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 3)), np.where(rng.random(40) < 0.5, -1, 1)
    model = AdaBoostClassifier(n_estimators=8).fit(X, y)
    slow, F = slow_rounds(X, y, 8)
    ours = [(one.epsilon, one.alpha, one.z) for one in model.rounds_]
    assert np.allclose(ours[:4], slow[:4], atol=1e-9)  # afterwards ties may part the ways
    if np.allclose(ours, slow):
        assert model.rounds_[-1].training_error == pytest.approx((np.sign(F) != y).mean(), abs=0.026)


def test_the_bounds_hold_in_every_round_of_200_random_problems():
    rng = np.random.default_rng(0)
    for seed in range(200):
        n, d = int(rng.integers(10, 60)), int(rng.integers(1, 5))
        X = np.round(rng.normal(size=(n, d)), int(rng.integers(0, 3)))
        y = (X[:, 0] + rng.normal(size=n) > 0).astype(int) if seed % 2 else rng.integers(0, 2, n)
        if len(np.unique(y)) < 2:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = AdaBoostClassifier(n_estimators=15).fit(X, y)
        for one, answers in zip(model.rounds_, model.staged_predict(X)):
            assert one.training_error == pytest.approx((answers != y).mean(), abs=1e-9)
            assert one.training_error <= one.bound + 1e-9
            assert one.bound <= one.exponential_bound + 1e-9
            assert one.z == pytest.approx(2 * math.sqrt(one.epsilon * (1 - one.epsilon)), abs=1e-9) or not one.epsilon
            assert one.margins.sum() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("algorithm", ["SAMME", "M1", "SAMME.R"])
@pytest.mark.parametrize("name", ["iris", "golf"])
def test_trees_of_the_core_and_trees_as_a_learner_vote_alike(algorithm, name):
    X, y = margin.data.catalog.load("iris").target("class")
    if name == "golf":
        X, y = X[:100], y[:100]
        y[:10] = "Iris-versicolor"
    settings = {"n_estimators": 6, "algorithm": algorithm}
    core = AdaBoostClassifier(criterion="gini", **settings).fit(X, y)
    slow = AdaBoostClassifier(margin.DecisionStump(), **settings).fit(X, y)
    first, other = core.rounds_[0], slow.rounds_[0]
    assert first.epsilon == pytest.approx(other.epsilon)
    if algorithm != "SAMME.R":
        for one, two in zip(core.rounds_, slow.rounds_):
            assert one.epsilon == pytest.approx(two.epsilon, abs=1e-6)
            assert one.bound == pytest.approx(two.bound, rel=1e-4)


@pytest.mark.parametrize("estimator", [None, margin.DecisionStump()], ids=["core", "learner"])
def test_more_rounds_by_warm_start_are_those_of_one_fit(estimator):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 3))
    y = rng.integers(0, 2, 80)
    at_once = AdaBoostClassifier(estimator, n_estimators=9).fit(X, y)
    model = AdaBoostClassifier(estimator, n_estimators=4, warm_start=True).fit(X, y)
    model.set_params(n_estimators=9).fit(X, y)
    assert len(model.rounds_) == 9
    assert np.allclose(model.decision_function(X), at_once.decision_function(X))
    assert model.rounds_[-1].bound == pytest.approx(at_once.rounds_[-1].bound)


def test_full_trees_do_not_collapse_into_one():
    X, y = margin.data.catalog.load("iris").target("class")
    model = AdaBoostClassifier(RivalTree(), n_estimators=8, random_state=0).fit(X, y)
    assert len(model.rounds_) == 8
    assert len({member.model.steps[-1][1].tree_.node_count for member in model.members_}) > 1


def test_a_rule_that_is_mostly_wrong_votes_for_its_opposite():
    X = np.arange(10.0)[:, None]
    y = np.where(X[:, 0] < 5, "spam", "ham")
    y[9] = "spam"
    model = AdaBoostClassifier(["x0 > 4.5 -> spam"], n_estimators=1).fit(X, y)
    assert model.rounds_[0].alpha < 0
    assert (model.predict(X)[:9] == y[:9]).all()


def mails():
    frame = {"image": ["yes", "no", "yes", "no", "no", "yes"] * 4, "words": [1.0, 30, 2, 40, 3, 50] * 4}
    y = np.array(["spam", "ham", "spam", "ham", "spam", "ham"] * 4)
    return margin.Table.from_columns(frame), y


def test_rules_of_the_user_vote_and_are_saved(tmp_path):
    X, y = mails()
    rules = ["image -> spam", "words <= 10 -> spam", "image == no and words > 10 -> ham"]
    model = AdaBoostClassifier(rules, n_estimators=3).fit(X, y)
    assert (model.predict(X) == y).all()
    assert "words <= 10 -> spam" in margin.explain.explain(model, X[:1]).text()
    again = load(save(model, tmp_path / "rules.margin", about={"target": "y"}))
    assert (again.predict(X) == y).all()


def test_functions_are_rules_too():
    X, y = mails()
    model = AdaBoostClassifier([(lambda rows: rows.cells("words") < 10, "spam")], n_estimators=2).fit(X, y)
    assert (model.predict(X) == y).all()
    assert model.ended_ == "the rule of round 1 has no error"


@pytest.mark.parametrize(
    ("rule", "hint"),
    [
        ("imagee -> spam", "did you mean 'image'"),
        ("image -> spamm", "did you mean 'spam'"),
        ("words > many -> spam", "'many'"),
        ("image == maybe -> spam", "holds"),
        ("image", "condition -> class"),
    ],
)
def test_a_misspelt_rule_is_named(rule, hint):
    X, y = mails()
    with pytest.raises(ParameterError, match=hint):
        AdaBoostClassifier([rule]).fit(X, y)


def test_a_learner_that_is_no_better_than_chance_is_named():
    X, y = np.zeros((8, 1)), np.array([0, 1] * 4)
    X[0] = 1
    with pytest.warns(ConvergenceWarning, match="a rule is no better than chance in round 1.*stronger learner"):
        model = AdaBoostClassifier(["x0 > 5 -> 1"]).fit(X, y)
    assert model.predict_proba(X).tolist() == [[0.5, 0.5]] * 8


def test_a_learner_that_ignores_its_weights_is_named():
    class Deaf(RivalTree):
        def fit(self, X, y, sample_weight=None):
            return super().fit(X, y)

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    with pytest.warns(ConvergenceWarning, match="ignored its weights"):
        AdaBoostClassifier(Deaf(max_depth=1), n_estimators=5).fit(X, y)


def test_a_learner_without_weights_gets_drawn_rows():
    X, y = margin.data.catalog.load("iris").target("class")
    model = AdaBoostClassifier(RivalNeighbors(3), n_estimators=4, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    with pytest.raises(ParameterError, match="takes no weights"):
        AdaBoostClassifier(RivalNeighbors(3), resample=False).fit(X, y)


def test_a_first_rule_without_errors_ends_the_training():
    model = AdaBoostClassifier().fit(np.arange(6.0)[:, None], [0, 0, 0, 1, 1, 1])
    assert len(model.rounds_) == 1
    assert model.rounds_[0].epsilon == 0
    assert model.score(np.arange(6.0)[:, None], [0, 0, 0, 1, 1, 1]) == 1


def test_early_stopping_keeps_the_rounds_up_to_the_best():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4))
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    model = AdaBoostClassifier(n_estimators=200, early_stopping=True, n_iter_no_change=5, random_state=0).fit(X, y)
    errors = [one.validation_error for one in model.rounds_]
    assert len(errors) < 200
    assert errors[-1] == min(errors)


def test_rounds_chosen_out_of_fold_are_learnt_from_all_rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 4))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    settings = {"early_stopping": "out_of_fold", "n_iter_no_change": 5, "random_state": 0}
    model = AdaBoostClassifier(n_estimators=60, **settings).fit(X, y)
    n = len(model.rounds_)
    errors = [one.validation_error for one in model.rounds_]
    assert n < 60
    assert errors[-1] == min(errors)
    assert model.ended_ == f"no better error out of fold since round {n}"
    all_rows = AdaBoostClassifier(n_estimators=n).fit(X, y)
    assert np.array_equal(model.decision_function(X), all_rows.decision_function(X))
    with pytest.raises(ParameterError, match="too few for 5 folds"):
        AdaBoostClassifier(**settings).fit(X[:8], [0, 1] * 4)
    with pytest.raises(ParameterError, match="from the first one on"):
        model.set_params(warm_start=True).fit(X, y)


def test_a_column_of_names_is_not_asked_about():
    X = margin.Table.from_columns({"name": [f"n{k}" for k in range(60)], "size": [float(k % 7) for k in range(60)]})
    y = np.array([k % 7 > 3 for k in range(60)])
    y[::9] ^= True
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    assert "name" not in margin.explain.rounds_text(model)


def test_members_that_vote_with_probabilities_are_found_to_be_deaf():
    class Deaf(RivalTree):
        def fit(self, X, y, sample_weight=None):
            return super().fit(X, y)

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 3, 60)
    with pytest.warns(ConvergenceWarning, match="ignored its weights"):
        model = AdaBoostClassifier(Deaf(max_depth=2), algorithm="SAMME.R", n_estimators=5).fit(X, y)
    assert len(model.rounds_) == 1


def test_with_gini_the_answers_are_those_of_scikit_learn():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(800, 5))
    y = ((X**2).sum(axis=1) > 4.35).astype(int)
    ours, theirs = AdaBoostClassifier(n_estimators=40, criterion="gini").fit(X, y), Rival(n_estimators=40).fit(X, y)
    fresh = rng.normal(size=(500, 5))
    assert (ours.predict(fresh) == theirs.predict(fresh)).mean() > 0.995


def test_errors_are_no_worse_than_those_of_scikit_learn():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(1500, 10))
    y = ((X**2).sum(axis=1) > 9.34).astype(int)  # Hastie, Tibshirani, Friedman (10.2)
    ours = AdaBoostClassifier(n_estimators=100).fit(X[:1000], y[:1000])
    theirs = Rival(n_estimators=100).fit(X[:1000], y[:1000])
    assert ours.score(X[1000:], y[1000:]) >= theirs.score(X[1000:], y[1000:]) - 0.02
