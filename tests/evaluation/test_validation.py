"""margin.evaluation.cross_validation.evaluate: no leak, failures told, the same result on any number of threads."""

import pickle
import threading
import time

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from margin.data import catalog
from margin.errors import DataError, InputError, LabelError, ParameterError
from margin.evaluation import (
    Evaluation,
    FoldDone,
    HoldOut,
    LeaveOneOut,
    StratifiedFolds,
    TrainingData,
    evaluate,
    evaluate_steps,
    metric,
)

IRIS = load_iris(return_X_y=True)


class Spy(ClassifierMixin, BaseEstimator):
    """Writes down the rows it sees (their number stands in the first column) and the mean it learns."""

    seen: list = []  # noqa: RUF012 - shared by all clones on purpose
    lock = threading.Lock()

    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.mean_ = X[:, 0].mean()
        self.majority_ = self.classes_[counts.argmax()]
        self.learnt_ = set(X[:, 0].astype(int).tolist())
        return self

    def predict(self, X):
        with self.lock:
            self.seen.append((self.learnt_, set(X[:, 0].astype(int).tolist()), self.mean_))
        return np.full(len(X), self.majority_)


@pytest.fixture
def spy():
    Spy.seen.clear()
    return Spy()


class Rote(ClassifierMixin, BaseEstimator):
    """Answers only for rows it has seen, and says nothing about others."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.known_ = {tuple(row): label for row, label in zip(np.asarray(X).tolist(), y)}
        return self

    def predict(self, X):
        return np.array([self.known_.get(tuple(row)) for row in np.asarray(X).tolist()], dtype=object)


class FailsOn(ClassifierMixin, BaseEstimator):
    """Refuses to learn from a part without the row whose first cell is ``row``."""

    def __init__(self, row=0):
        self.row = row

    def fit(self, X, y):
        if self.row not in X[:, 0]:
            raise RuntimeError(f"row {self.row} is needed")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def numbered(n=40, classes=2):
    X = np.column_stack([np.arange(n), np.random.default_rng(0).normal(size=n)])
    return X, np.arange(n) % classes


@pytest.mark.golden("A3")
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("protocol", [HoldOut(0.3), StratifiedFolds(5, repeats=2), LeaveOneOut()])
def test_no_fold_learns_from_the_rows_it_is_asked_about(spy, protocol, n_jobs):
    X, y = numbered()
    evaluate(spy, X, y, protocol, metrics=["accuracy"], n_jobs=n_jobs)
    assert len(spy.seen) == (protocol.n_fits or len(y))
    expected = [
        (set(train.tolist()), set(test.tolist()), pytest.approx(train.mean())) for train, test in protocol.split(y)
    ]
    for split in expected:
        assert split in spy.seen
    assert not hasattr(spy, "mean_"), "the model that was given must stay unfitted"


@pytest.mark.golden("A3")
def test_scaling_inside_the_model_is_learnt_on_the_training_part():
    """One huge test row moves the mean of all rows; a scaler that had seen it would answer otherwise."""
    X, y = IRIS
    model = make_pipeline(StandardScaler(), LogisticRegression())
    protocol = HoldOut(0.3)
    ((train, test),) = protocol.split(y)
    spoilt = X.copy()
    spoilt[test[0]] = 1e6
    clean, moved = (evaluate(model, inputs, y, protocol) for inputs in (X, spoilt))
    np.testing.assert_array_equal(clean.probabilities[1:], moved.probabilities[1:])
    by_hand = model.fit(X[train], y[train]).predict_proba(X[test])
    np.testing.assert_allclose(clean.probabilities, by_hand, atol=1e-12)


@pytest.mark.golden("H2")
def test_leave_one_out_on_balanced_coin_flips_with_the_majority_learner_errs_always():
    coins = np.tile(["heads", "tails"], 25)
    result = evaluate(
        DummyClassifier(strategy="most_frequent"),
        np.zeros((50, 1)),
        coins,
        LeaveOneOut(),
        metrics=["error", "accuracy"],
    )
    assert result.scores["error"].value == 1.0
    assert result.scores["accuracy"].value == 0.0
    assert len(result.folds) == 50


def test_out_of_fold_answers_are_those_of_scikit_learn_on_the_same_folds():
    X, y = IRIS
    model = GaussianNB()
    protocol = StratifiedFolds(5)
    result = evaluate(model, X, y, protocol)
    splits = list(protocol.split(y))
    assert result.rows.tolist() == list(range(150))
    np.testing.assert_array_equal(result.predictions, cross_val_predict(model, X, y, cv=splits))
    theirs = cross_val_predict(model, X, y, cv=splits, method="predict_proba")
    np.testing.assert_allclose(result.probabilities, theirs, atol=1e-12)
    assert result.confusion.accuracy == (result.predictions == y).mean()


def test_scores_over_folds_are_means_with_the_corrected_interval():
    X, y = IRIS
    result = evaluate(GaussianNB(), X, y, StratifiedFolds(5))
    by_fold = result.fold_scores["accuracy"]
    score = result.scores["accuracy"]
    assert score.value == pytest.approx(by_fold.mean())
    # t(4, 0.975) = 2.7764; test to train 30/120, a quarter of it since the test parts are disjoint
    half = 2.7764451 * np.sqrt((1 / 5 + 30 / 120 / 4) * by_fold.var(ddof=1))
    assert score.interval.low == pytest.approx(score.value - half)
    assert score.interval.method == "corrected resampled t"


def test_with_repeats_the_correction_is_whole():
    X, y = IRIS
    result = evaluate(GaussianNB(), X, y, StratifiedFolds(5, repeats=2), metrics=["brier"])
    by_fold = result.fold_scores["brier"]
    # t(9, 0.975) = 2.2622
    half = 2.2621572 * np.sqrt((1 / 10 + 30 / 120) * by_fold.var(ddof=1))
    assert result.scores["brier"].interval.high == pytest.approx(by_fold.mean() + half)


def test_a_hold_out_has_exact_intervals_for_shares_and_bootstrap_for_the_rest():
    X, y = load_breast_cancer(return_X_y=True)
    result = evaluate(GaussianNB(), X, y, HoldOut(0.2))
    methods = {name: score.interval.method for name, score in result.scores.items()}
    assert methods == {"accuracy": "exact", "f1": "bootstrap BCa", "log_loss": "bootstrap BCa"}
    assert len(result.predictions) == len(result.truth) == 114


def test_with_repeats_predictions_are_the_first_and_probabilities_the_mean():
    X, y = IRIS
    both = evaluate(GaussianNB(), X, y, StratifiedFolds(5, repeats=2))
    once = evaluate(GaussianNB(), X, y, StratifiedFolds(5))
    np.testing.assert_array_equal(both.predictions, once.predictions)
    splits = list(StratifiedFolds(5, repeats=2).split(y))
    second = cross_val_predict(GaussianNB(), X, y, cv=splits[5:], method="predict_proba")
    np.testing.assert_allclose(both.probabilities, (once.probabilities + second) / 2, atol=1e-12)


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_results_do_not_depend_on_the_number_of_threads(n_jobs):
    X, y = IRIS
    model = DecisionTreeClassifier(random_state=0)
    one, many = (evaluate(model, X, y, StratifiedFolds(4, repeats=2), n_jobs=jobs) for jobs in (1, n_jobs))
    assert one.scores == many.scores
    np.testing.assert_array_equal(one.predictions, many.predictions)
    assert [fold.number for fold in many.folds] == list(range(1, 9))


def test_training_data_come_with_a_caution():
    result = evaluate(DecisionTreeClassifier(), *IRIS, TrainingData())
    assert result.scores["accuracy"].value == 1.0
    assert "optimistic" in result.warnings[0]
    assert "optimistic" in result.summary()
    assert "optimistic" in result._repr_html_()


def test_a_fold_that_fails_is_told_and_left_out():
    X, y = numbered(20)
    result = evaluate(FailsOn(row=3), X, y, StratifiedFolds(5), metrics=["accuracy"])
    (failure,) = result.failures
    assert failure.error == "RuntimeError: row 3 is needed"
    assert (failure.n_train, failure.n_test) == (16, 4)
    assert "row 3 is needed" in result.summary()
    assert len(result.rows) == 16
    assert 3 not in result.rows
    assert np.isnan(result.fold_scores["accuracy"]).sum() == 1
    assert "mean of 4 folds" in result.scores["accuracy"].how


def test_where_all_folds_fail_the_first_error_is_raised():
    X, y = numbered(20)
    with pytest.raises(RuntimeError, match="row -1 is needed") as caught:
        evaluate(FailsOn(row=-1), X, y, StratifiedFolds(5), metrics=["accuracy"])
    assert "failed in all 5 folds" in caught.value.__notes__[0]


class Interrupted(FailsOn):
    def fit(self, X, y):
        raise KeyboardInterrupt


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_always_goes_through(n_jobs):
    with pytest.raises(KeyboardInterrupt):
        evaluate(Interrupted(), *numbered(), StratifiedFolds(4), n_jobs=n_jobs)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_steps_come_fold_by_fold(spy, n_jobs):
    X, y = numbered()
    steps = list(evaluate_steps(spy, X, y, StratifiedFolds(4), n_jobs=n_jobs))
    assert [type(step) for step in steps] == [FoldDone] * 4 + [Evaluation]
    assert [(step.number, step.of) for step in steps[:-1]] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert steps[0].scores["accuracy"] == 0.5
    assert "accuracy 0.500" in str(steps[0])


class Slow(Spy):
    def fit(self, X, y):
        time.sleep(0.05)
        return super().fit(X, y)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_closing_the_steps_calls_off_the_folds_that_have_not_begun(spy, n_jobs):
    running = evaluate_steps(Slow(), *numbered(), StratifiedFolds(40), n_jobs=n_jobs)
    next(running)
    running.close()
    time.sleep(0.15)  # what had begun comes to its end
    ended = len(spy.seen)
    time.sleep(0.15)
    assert ended == len(spy.seen) < 40


def test_what_cannot_be_evaluated_is_refused_before_the_first_fold():
    X, y = IRIS
    with pytest.raises(ParameterError, match=r"give an instance: GaussianNB\(\)"):
        evaluate_steps(GaussianNB, X, y)
    with pytest.raises(ParameterError, match="did you mean 'accuracy'"):
        evaluate_steps(GaussianNB(), X, y, metrics=["acuracy"])
    with pytest.raises(InputError, match="150 rows, but y has 149"):
        evaluate_steps(GaussianNB(), X, y[:-1])
    with pytest.raises(LabelError, match="missing"):
        evaluate_steps(GaussianNB(), X, [None, *y[1:].tolist()])
    with pytest.raises(LabelError, match="one label per row"):
        evaluate_steps(GaussianNB(), X, np.zeros((150, 2, 2)))
    with pytest.raises(DataError, match="folds=150 or fewer"):
        evaluate_steps(GaussianNB(), X, y, StratifiedFolds(151))
    for wrong in ({"confidence": 95}, {"n_jobs": 0}, {"metrics": []}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            evaluate_steps(GaussianNB(), X, y, **wrong)


def test_a_model_without_probabilities_is_scored_on_labels_and_that_is_said():
    result = evaluate(LinearSVC(), *IRIS, StratifiedFolds(3))
    assert set(result.scores) == {"accuracy", "f1"}
    assert result.probabilities is None
    assert result.warnings == ("log_loss is left out: LinearSVC gives no probabilities.",)


def test_abstentions_are_kept_as_none():
    X = np.array([[0], [0], [1], [1], [2], [3]])
    y = np.array(["a", "a", "b", "b", "c", "c"])
    result = evaluate(Rote(), X, y, LeaveOneOut(), metrics=["accuracy"])
    assert result.predictions.tolist() == ["a", "a", "b", "b", None, None]
    assert result.confusion.abstained.tolist() == [0, 0, 2]
    assert result.scores["accuracy"].value == pytest.approx(4 / 6)


def test_a_class_with_a_single_case_is_evaluated_without_it_in_training():
    X, y = IRIS
    y = np.where(np.arange(150) == 149, 9, y)
    result = evaluate(GaussianNB(), X, y, StratifiedFolds(5))
    assert result.classes.tolist() == [0, 1, 2, 9]
    assert result.probabilities[149, 3] == 0
    assert np.isfinite(result.scores["log_loss"].value)
    assert not result.failures


def test_weights_reach_the_fit_and_the_scores():
    X, y = IRIS
    weight = np.where(y == 0, 1e-9, 1.0)
    result = evaluate(GaussianNB(), X, y, HoldOut(0.4), sample_weight=weight, metrics=["accuracy"])
    ((train, test),) = HoldOut(0.4).split(y)
    by_hand = GaussianNB().fit(X[train], y[train], sample_weight=weight[train]).predict(X[test])
    expected = np.average(by_hand == y[test], weights=weight[test])
    assert result.scores["accuracy"].value == pytest.approx(expected)
    assert result.scores["accuracy"].interval.method == "bootstrap BCa"
    with pytest.raises(ParameterError, match=r"KNeighborsClassifier\.fit takes no sample_weight"):
        evaluate(make_pipeline(StandardScaler(), KNeighborsClassifier()), X, y, sample_weight=weight)


@pytest.mark.parametrize(
    "names", [["no", "yes"], [False, True], [-1, 1], [2**53, 2**53 + 1]], ids=lambda names: str(names[1])
)
def test_labels_come_back_in_their_own_type_with_the_same_scores(names):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:120], y[:120]
    expected = evaluate(GaussianNB(), X, y, StratifiedFolds(3))
    result = evaluate(GaussianNB(), X, np.array(names)[y], StratifiedFolds(3))
    assert {name: (score.value, score.interval) for name, score in result.scores.items()} == {
        name: (score.value, score.interval) for name, score in expected.scores.items()
    }
    assert result.positive == names[1]
    assert result.scores["f1"].how.startswith(f"of class {names[1]!r}, ")
    assert result.predictions.dtype == np.array(names).dtype
    assert result.classes.tolist() == names


def test_a_test_part_without_any_weight_is_reported_and_not_scored_as_zero():
    X, y = IRIS
    ((_, test), *_) = StratifiedFolds(5).split(y)
    weight = np.ones(150)
    weight[test] = 0
    result = evaluate(GaussianNB(), X, y, StratifiedFolds(5), sample_weight=weight)
    assert "at least one weight must be above 0" in result.failures[0].error
    assert result.scores["accuracy"].value > 0.9


def test_a_result_survives_pickling():
    result = evaluate(GaussianNB(), *IRIS, StratifiedFolds(3))
    again = pickle.loads(pickle.dumps(result))
    assert again.summary() == result.summary()
    assert again.metrics == result.metrics


def test_metrics_may_carry_options():
    result = evaluate(GaussianNB(), *IRIS, StratifiedFolds(3), metrics=[metric("f1", positive=2), "kappa"])
    assert set(result.scores) == {"f1(positive=2)", "kappa"}
    assert set(evaluate(GaussianNB(), *IRIS, StratifiedFolds(3), metrics="brier").scores) == {"brier"}


def test_few_rows_get_as_many_folds_as_there_are_rows():
    result = evaluate(DummyClassifier(), np.zeros((6, 1)), list("ababab"))
    assert result.protocol.folds == 6


def test_times_and_texts_of_a_result():
    result = evaluate(make_pipeline(StandardScaler(), GaussianNB()), *IRIS, StratifiedFolds(3))
    assert (result.fit_seconds > 0).all()
    assert (result.predict_seconds > 0).all()
    assert result.model == "StandardScaler → GaussianNB"
    text = str(result)
    assert "3-fold cross-validation" in text
    assert "mean of 3 folds; 95 % interval, corrected resampled t" in text
    assert repr(result).startswith("<Evaluation of StandardScaler → GaussianNB by 3-fold cross-validation: accuracy 0.")
    assert "<table>" in result._repr_html_()


def test_the_labels_of_a_table_may_be_named():
    table = catalog.load("iris")
    X, y = table.target("class")
    named, given = (evaluate(DummyClassifier(), *what) for what in ((table, "class"), (X, y)))
    assert named.scores == given.scores


def test_a_foreign_model_that_cannot_take_a_table_says_what_to_put_in_front():
    table = catalog.load("weather_nominal")
    with pytest.raises(InputError, match=r"make_pipeline\(margin.TableEncoder\(\), LogisticRegression\(\)\)") as caught:
        evaluate(LogisticRegression(), table, "play", StratifiedFolds(folds=2))
    assert isinstance(caught.value.__cause__, ValueError)
