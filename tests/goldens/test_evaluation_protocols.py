"""Goldens of protocols: what each must show, the sealed test, and the final model (H2, H3, H7)."""

import numpy as np
import pytest
from scipy import special
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from margin import MajorityClassifier, RoteClassifier
from margin.errors import SealBrokenError
from margin.evaluation import (
    Answers,
    Bootstrap,
    LeaveOneOut,
    SealedTest,
    StratifiedFolds,
    TimeOrdered,
    TrainingData,
    TrainValidationTest,
    evaluate,
    metric,
)
from margin.evaluation.scoring.over_folds import score_over_folds

IRIS = load_iris(return_X_y=True)


@pytest.mark.golden("H2")
def test_leave_one_out_on_balanced_coin_flips_with_the_majority_learner_errs_always():
    coins = np.tile(["heads", "tails"], 50)
    result = evaluate(MajorityClassifier(), np.arange(100.0)[:, None], coins, "loo", metrics=["error"])
    assert result.scores["error"].value == 1.0
    assert result.scores["error"].interval.high == 1.0
    assert result.scores["error"].interval.low > 0.96


@pytest.mark.golden("H2")
def test_a_rote_learner_makes_no_error_on_its_training_data_and_the_result_says_so():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 3)), random.integers(2, size=60)
    result = evaluate(RoteClassifier(), X, y, TrainingData(), metrics=["error"])
    assert result.scores["error"].value == 0
    assert "optimistic" in result.warnings[0]
    assert "Careful: The model was asked about the rows it had learnt from" in str(result)
    honest = evaluate(RoteClassifier(), X, y, 10, metrics=["error"])
    assert honest.scores["error"].value > 0.3
    assert not honest.warnings


@pytest.mark.golden("H2")
def test_ten_times_ten_folds_ask_about_every_row_ten_times():
    X, y = IRIS
    asked, fits = np.zeros(150), 0
    for train, test in StratifiedFolds(10, repeats=10).split(y):
        assert np.bincount(y[test]).tolist() == [5, 5, 5]
        assert len(train) == 135
        asked[test] += 1
        fits += 1
    assert fits == 100
    assert (asked == 10).all()
    result = evaluate(GaussianNB(), X, y, "10x10", metrics=["accuracy"])
    assert result.fold_scores["accuracy"].shape == (100,)
    assert result.scores["accuracy"].value == pytest.approx(result.fold_scores["accuracy"].mean())


@pytest.mark.golden("H2")
def test_632_plus_of_a_rote_learner_by_hand():
    """Half the labels are 1 and nothing can be learnt: out-of-bag errs γ = 1/2 of the time, so R = 1.

    The estimate is 1/2, although the training data show no error at all; .632 says 0.316.
    """

    class Parrot(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.array([0, 1])
            self.known_ = dict(zip(X[:, 0].tolist(), y))
            return self

        def predict(self, X):
            return np.array([self.known_.get(number, int(number) % 4 // 2) for number in X[:, 0].tolist()])

    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    plus, plain = (evaluate(Parrot(), X, y, Bootstrap(50, each), metrics=["error"]) for each in (".632+", ".632"))
    assert plus.beside["training data"]["error"].value == 0
    assert plus.beside["out-of-bag"]["error"].value == pytest.approx(0.5)
    assert plus.scores["error"].value == pytest.approx(0.5)
    assert plain.scores["error"].value == pytest.approx(0.316)


@pytest.mark.golden("H2")
def test_three_parts_keep_choosing_and_reporting_apart():
    X, y = IRIS
    result = evaluate(GaussianNB(), X, y, TrainValidationTest(0.2, 0.2), metrics=["accuracy"])
    train, validation, test = TrainValidationTest(0.2, 0.2).parts(y)
    model = GaussianNB().fit(X[train], y[train])
    assert result.scores["accuracy"].value == pytest.approx(model.score(X[test], y[test]))
    assert result.validation_scores["accuracy"].value == pytest.approx(model.score(X[validation], y[validation]))
    assert "for choosing" in str(result)
    again = evaluate(GaussianNB(), X, y, TrainValidationTest(0.2, 0.2, refit=True), metrics=["accuracy"])
    both = np.concatenate([train, validation])
    assert again.scores["accuracy"].value == pytest.approx(GaussianNB().fit(X[both], y[both]).score(X[test], y[test]))
    assert again.validation_scores["accuracy"].value == result.validation_scores["accuracy"].value


@pytest.mark.golden("H2")
def test_in_order_of_time_a_trend_is_judged_as_it_will_be_met():
    """The class follows the day, and days do not come back: shuffled folds see the neighbours of every day.

    In order of time the newest days are always new.
    """
    from sklearn.neighbors import KNeighborsClassifier

    day = np.arange(120.0)
    y = (day // 10 % 2).astype(int)
    shuffled = evaluate(KNeighborsClassifier(1), day[:, None], y, 10, metrics=["accuracy"])
    in_order = evaluate(KNeighborsClassifier(1), day[:, None], y, TimeOrdered(folds=5), metrics=["accuracy"])
    assert shuffled.scores["accuracy"].value > 0.85
    assert in_order.scores["accuracy"].value < 0.6


@pytest.mark.golden("H2")
def test_leave_one_out_of_a_pipeline_learns_its_preparation_without_the_row():
    X, y = IRIS
    X = X[::5].copy()
    X[3] = 1e6  # a row that moves mean and scale of everything it is part of
    model = make_pipeline(StandardScaler(), GaussianNB())
    result = evaluate(model, X, y[::5], LeaveOneOut(), metrics=["accuracy"])
    rest = np.delete(np.arange(30), 3)
    by_hand = make_pipeline(StandardScaler(), GaussianNB()).fit(X[rest], y[::5][rest]).predict_proba(X[3:4])
    np.testing.assert_allclose(result.probabilities[3:4], by_hand)


@pytest.mark.golden("H3")
def test_the_sealed_test_opens_once_and_the_report_says_how_often():
    sealed = SealedTest(*IRIS)
    model = GaussianNB().fit(*sealed.train)
    first = sealed.open(model)
    assert "opened once" in str(first)
    with pytest.raises(SealBrokenError):
        sealed.open(model)
    second = sealed.open(model, again=True)
    assert "opened 2 times" in str(second)
    assert len(second.protocol.openings) == 2


@pytest.mark.golden("H7")
def test_after_evaluation_the_final_classifier_learns_from_all_the_data():
    X, y = IRIS
    result = evaluate(GaussianNB(), X, y, 5, refit=True)
    everything = GaussianNB().fit(X, y)
    np.testing.assert_array_equal(result.final_model.theta_, everything.theta_)
    np.testing.assert_array_equal(result.fit_final(X, y).theta_, everything.theta_)
    assert "The final model learnt from all rows; the scores are those of models that learnt from 120." in str(result)


# ---- How often intervals of 95 % cover: nearest means on Gaussian classes, whose accuracy is known in closed form.


def nearest_means(X, y, fold_of, folds):
    """Weights and offsets of the rule for each fold, from the means of the rows outside it."""
    member = np.zeros((2 * folds, len(y)))
    member[y * folds + fold_of, np.arange(len(y))] = 1
    sums, counts = (member @ X).reshape(2, folds, -1), member.sum(axis=1).reshape(2, folds, 1)
    means = (sums.sum(axis=1, keepdims=True) - sums) / (counts.sum(axis=1, keepdims=True) - counts)
    weights = means[1] - means[0]
    return weights, (weights * means.sum(axis=0)).sum(axis=1) / 2


def cross_validated(random, n, columns, distance, repeats):
    """Accuracy by fold, the answers of the first repeat, and the true accuracy of every rule that was learnt."""
    folds, centre = 10, np.eye(columns)[0] * distance / 2
    y = np.arange(n) % 2
    X = random.normal(size=(n, columns)) + np.where(y, 1, -1)[:, None] * centre
    scores, truths, first = [], [], None
    for _ in range(repeats):
        fold_of = np.empty(n, dtype=int)
        for label in (0, 1):
            fold_of[random.permutation(np.flatnonzero(y == label))] = np.arange(n // 2) % folds
        weights, offsets = nearest_means(X, y, fold_of, folds)
        answers = ((X * weights[fold_of]).sum(axis=1) > offsets[fold_of]).astype(int)
        first = answers if first is None else first
        scores += (np.bincount(fold_of, answers == y, folds) / np.bincount(fold_of, minlength=folds)).tolist()
        length, shift = np.sqrt((weights**2).sum(axis=1)), weights @ centre
        truths += (special.ndtr((shift - offsets) / length) + special.ndtr((shift + offsets) / length)).tolist()
    return scores, Answers(np.array([0, 1]), y, first), np.mean(truths) / 2


def coverage(times, repeats, *setting):
    random, found, truths = np.random.default_rng(7), [], []
    for _ in range(times):
        scores, answers, truth = cross_validated(random, *setting, repeats)
        found.append(score_over_folds(metric("accuracy"), scores, 1 / 9, answers, disjoint=repeats == 1).interval)
        truths.append(truth)
    return np.mean([np.mean(truths) in interval for interval in found])


@pytest.mark.golden("H4")
@pytest.mark.parametrize("setting", [(100, 1, 2.0), (100, 20, 1.0), (60, 5, 1.5)])
def test_95_percent_intervals_of_ten_folds_cover_93_to_97_percent(setting):
    assert 0.93 <= coverage(1500, 1, *setting) <= 0.97


@pytest.mark.golden("H4")
@pytest.mark.parametrize("setting", [(100, 1, 2.0), (100, 10, 2.0)])
def test_95_percent_intervals_of_ten_times_ten_folds_cover_93_to_97_percent(setting):
    assert 0.93 <= coverage(500, 10, *setting) <= 0.97


@pytest.mark.golden("H4")
def test_folds_that_are_alike_do_not_make_a_score_certain():
    """Of the majority learner every stratified fold says the same, yet the share of the majority is by chance."""
    random = np.random.default_rng(3)
    covered = []
    for _ in range(60):
        y = (random.random(100) < 0.3).astype(int)
        result = evaluate(MajorityClassifier(), np.arange(100.0)[:, None], y, 10, metrics=["accuracy"])
        covered.append(0.7 in result.scores["accuracy"].interval)
    assert np.mean(covered) >= 0.9
