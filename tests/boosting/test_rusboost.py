"""RUSBoost: AdaBoost where nothing is drawn, balanced draws where something is, and what rare classes gain."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier as Theirs

from margin import DecisionTreeClassifier, LogitBoostClassifier, RUSBoostClassifier
from margin.errors import ParameterError


def rare(seed: int, n: int = 1500, one_in: int = 30, n_classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % one_in == 0, 1, 0)
    if n_classes == 3:
        y[1::one_in] = 2
    return rng.normal(size=(n, 4)) + np.array([0, 1.2, -1.2])[y][:, None] * np.array([1, 1, 0, 0]), y


@pytest.mark.parametrize("n_classes", [2, 3])
def test_without_draws_it_is_samme_of_scikit_learn(n_classes):
    X, y = rare(0, 300, 4, n_classes)
    ours = RUSBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=15, sampling=None, weights="equal")
    ours.fit(X, y)
    theirs = AdaBoostClassifier(Theirs(max_depth=1), n_estimators=15, random_state=0).fit(X, y)
    np.testing.assert_allclose([each.epsilon for each in ours.rounds_], theirs.estimator_errors_, atol=1e-9)
    np.testing.assert_allclose(ours.weights_, theirs.estimator_weights_ * (n_classes - 1) / n_classes, atol=1e-7)
    assert (ours.predict(X) == theirs.predict(X)).all()


def test_it_is_its_definition_round_by_round():
    X, y = rare(1, 600)
    model = RUSBoostClassifier(n_estimators=8, weights="equal", random_state=3).fit(X, y)
    w, sign, F = np.full(len(y), 1 / len(y)), 2.0 * y - 1, np.zeros(len(y))
    for record, member in zip(model.rounds_, model.members_):
        h = 2.0 * member.answers(X) - 1
        epsilon = w @ (h != sign)
        assert record.epsilon == pytest.approx(epsilon)
        assert record.alpha == pytest.approx(np.log((1 - epsilon) / epsilon) / 2)
        assert record.n_drawn == 2 * y.sum()
        F += record.alpha * h
        w = w * np.exp(-record.alpha * sign * h)
        w /= w.sum()
    np.testing.assert_allclose(model.decision_function(X), F, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-2 * F)), rtol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rare_classes_are_found_more_often_than_by_boosting_that_is_not_told(n_classes):
    found = []
    for seed in (2, 12, 22):  # 50 rows of a class leave much to chance
        X, y = rare(seed, n_classes=n_classes)
        new, truth = rare(seed + 1, n_classes=n_classes)
        models = (
            LogitBoostClassifier(n_estimators=50),
            RUSBoostClassifier(random_state=0),
            RUSBoostClassifier(DecisionTreeClassifier(max_depth=1), sampling=None),
        )
        found.append([balanced_accuracy_score(truth, model.fit(X, y).predict(new)) for model in models])
    plain, under, weighted = np.mean(found, axis=0)
    assert under > plain + 0.1
    assert weighted > plain + 0.1


def test_beside_a_class_of_one_row_the_others_keep_ten():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [60, 59, 1])
    X = rng.normal(size=(120, 2)) + 2.0 * y[:, None]
    model = RUSBoostClassifier(n_estimators=10, random_state=0).fit(X, y)
    assert model.rounds_[0].n_drawn == 21
    assert model.score(X, y) > 0.8


def test_rows_that_were_drawn_stand_for_those_of_their_class_that_were_not():
    class Spy(Theirs):
        """Remembers what its classes weighed."""

        def fit(self, X, y, sample_weight):
            self.of_classes_ = np.bincount(y, sample_weight)
            return super().fit(X, y, sample_weight)

    X, y = rare(6, 600)
    members = RUSBoostClassifier(Spy(max_depth=1), n_estimators=1, random_state=0).fit(X, y).members_
    np.testing.assert_allclose(members[0].model.of_classes_, y.sum())


def test_the_ratio_says_how_many_rows_of_other_classes_are_drawn():
    X, y = rare(4, 600)
    drawn = {
        ratio: RUSBoostClassifier(n_estimators=2, ratio=ratio).fit(X, y).rounds_[0].n_drawn for ratio in (1, 3, 99)
    }
    assert drawn == {1: 40, 3: 80, 99: 600}


def test_the_seed_decides_and_stages_end_at_the_model():
    X, y = rare(5, 400)
    first, again, other = (RUSBoostClassifier(n_estimators=6, random_state=seed).fit(X, y) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.decision_function(X), again.decision_function(X))
    assert not np.array_equal(first.decision_function(X), other.decision_function(X))
    assert (list(first.staged_predict(X))[-1] == first.predict(X)).all()
    np.testing.assert_allclose(list(first.staged_predict_proba(X))[-1], first.predict_proba(X))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("y", [[0] * 7 + [1] * 3, list("aaaaabbbcc"), ["a"] * 10])
def test_rows_that_are_alike_get_the_shares_of_the_classes(y):
    model = RUSBoostClassifier(random_state=0).fit(np.zeros((10, 2)), y)
    shares = [y.count(label) / 10 for label in model.classes_]
    np.testing.assert_allclose(model.predict_proba(np.zeros((1, 2)))[0], shares)


def test_a_class_of_three_rows_is_learnt():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.repeat([0, 1], [57, 3])
    X[57:] += 4
    model = RUSBoostClassifier(random_state=0).fit(X, y)
    assert (model.predict(X[57:]) == 1).all()


def test_one_classifier_without_mistakes_does_not_silence_the_others():
    X, y = np.arange(20.0).reshape(-1, 1), np.arange(20) >= 15
    model = RUSBoostClassifier(n_estimators=5, random_state=0).fit(X, y)
    assert np.isfinite(model.weights_).all()
    assert model.score(X, y) == 1


def test_a_classifier_without_weights_is_refused_by_name():
    with pytest.raises(ParameterError, match=r"RUSBoostClassifier.*KNeighborsClassifier.fit takes no weights"):
        RUSBoostClassifier(KNeighborsClassifier()).fit([[0.0], [1.0], [2.0]], [0, 1, 1])


def test_very_large_whole_numbers_are_weights_and_not_rows_to_draw():
    X, y = rare(7, 200)
    model = RUSBoostClassifier(n_estimators=3, random_state=0).fit(X, y, np.where(np.arange(200) % 2, 1e12, 1.0))
    assert model.rounds_[0].n_drawn <= 200
