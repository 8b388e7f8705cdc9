"""What evaluate does around the folds: threads, progress, columns of groups, the final model, curves."""

import dataclasses
import inspect

import numpy as np
import polars
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit
from sklearn.model_selection import LeaveOneOut as TheirLeaveOneOut
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC

from margin.data import Table
from margin.data.predictions import Predictions
from margin.errors import InputError, ParameterError
from margin.evaluation import Bootstrap, GroupFolds, LeaveOneOut, StratifiedFolds, TimeOrdered, evaluate
from margin.evaluation.cross_validation.evaluate import Plan
from margin.parallel import n_threads, threads

X, Y = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)


class Threads(ClassifierMixin, BaseEstimator):
    """Writes down how many threads it was granted."""

    granted: list = []  # noqa: RUF012 - shared by all clones on purpose

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.granted.append(n_threads())
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize(("n_jobs", "share"), [(1, 4), (2, 2), (3, 1), (8, 1)])
def test_folds_side_by_side_share_the_threads(n_jobs, share):
    Threads.granted.clear()
    with threads(4):
        evaluate(Threads(), X, Y, 4, metrics=["accuracy"], n_jobs=n_jobs)
    assert Threads.granted == [share] * 4


def test_processes_give_the_same_as_threads():
    one, other = (
        evaluate(GaussianNB(), X, Y, 2, n_jobs=jobs, workers=workers)
        for jobs, workers in ((1, "threads"), (2, "processes"))
    )
    assert one.scores == other.scores
    np.testing.assert_array_equal(one.probabilities, other.probabilities)
    with pytest.raises(ParameterError, match="workers must be one of"):
        evaluate(GaussianNB(), X, Y, workers="ants")


def test_progress_is_a_line_on_standard_error_or_a_function(capsys):
    evaluate(GaussianNB(), X, Y, 3, progress=True)
    shown = capsys.readouterr()
    assert not shown.out
    assert shown.err.startswith("\rGaussianNB: fold 1 of 3")
    assert "fold 3 of 3" in shown.err
    assert shown.err.endswith("\n")
    told = []
    evaluate(GaussianNB(), X, Y, 3, progress=told.append)
    assert [fold.number for fold in told] == [1, 2, 3]
    evaluate(GaussianNB(), X, Y, 3)
    assert not capsys.readouterr().err
    with pytest.raises(ParameterError, match="progress must be True, False or a function"):
        evaluate(GaussianNB(), X, Y, progress="yes")


# ---- Splitters of scikit-learn, groups and times.


def test_splitters_of_scikit_learn_are_taken_as_they_are():
    splitter = KFold(4, shuffle=True, random_state=1)
    result = evaluate(GaussianNB(), X, Y, splitter, metrics=["accuracy"])
    by_hand = [GaussianNB().fit(X[train], Y[train]).score(X[test], Y[test]) for train, test in splitter.split(X)]
    np.testing.assert_allclose(result.fold_scores["accuracy"], by_hand)
    assert evaluate(GaussianNB(), X, Y, ShuffleSplit(3, random_state=0)).protocol.judged_by == "folds"
    assert evaluate(GaussianNB(), X[::5], Y[::5], TheirLeaveOneOut()).protocol == LeaveOneOut()
    plant = np.arange(150) // 3
    by_group = evaluate(GaussianNB(), X, Y, GroupKFold(5), groups=plant)
    assert len(by_group.folds) == 5


@pytest.mark.parametrize("as_inputs", [Table.from_columns, polars.DataFrame])
def test_a_column_of_groups_or_times_is_named_and_is_no_input(as_inputs):
    plant = np.arange(150) // 3
    columns = {f"x{at}": X[:, at] for at in range(4)}
    frame = as_inputs({**columns, "plant": plant.astype(float)})
    model = GaussianNB()
    named = evaluate(model, frame, Y, GroupFolds("plant", 5), metrics=["accuracy"])
    given = evaluate(model, as_inputs(columns), Y, GroupFolds(plant, 5), metrics=["accuracy"])
    assert named.scores == given.scores
    assert evaluate(model, frame, Y, 5, groups="plant", metrics=["accuracy"]).scores == given.scores
    ordered = evaluate(model, frame, Y % 2, TimeOrdered("plant", 3), metrics=["accuracy"])
    assert ordered.folds[0].n_train < ordered.folds[-1].n_train
    with pytest.raises(InputError, match="did you mean 'plant'"):
        evaluate(model, frame, Y, GroupFolds("plants", 5))
    with pytest.raises(InputError, match="X has no names"):
        evaluate(model, X, Y, GroupFolds("plant", 5))


# ---- Preparation inside the folds.


def best_columns_of_all(X, y, how_many=5):
    together = np.abs(np.corrcoef(X.T, y)[-1, :-1])
    return np.argsort(-together)[:how_many]


class BestColumns(BaseEstimator):
    """Keeps the columns that go best with the labels: on noise this leaks unless it is learnt inside the folds."""

    def fit(self, X, y):
        self.kept_ = best_columns_of_all(X, y)
        return self

    def transform(self, X):
        return X[:, self.kept_]


def test_choosing_columns_inside_the_folds_finds_nothing_in_noise_and_outside_it_does():
    random = np.random.default_rng(0)
    noise, coins = random.normal(size=(50, 1000)), np.arange(50) % 2
    inside = evaluate(make_pipeline(BestColumns(), GaussianNB()), noise, coins, 10, metrics=["accuracy"])
    outside = evaluate(GaussianNB(), noise[:, best_columns_of_all(noise, coins)], coins, 10, metrics=["accuracy"])
    assert outside.scores["accuracy"].value > 0.7
    assert inside.scores["accuracy"].value < 0.6


# ---- Leave-one-out in one go.


class LeftOut(GaussianNB):
    """Answers leave-one-out at once, in the way it is told."""

    def __init__(self, how="right"):
        super().__init__()
        self.how = how

    def left_out_answers(self, X, y, sample_weight=None):
        if self.how == "none":
            return None
        if self.how == "fails":
            raise RuntimeError("not today")
        if self.how == "short":
            return Predictions(y[:-1])
        return Predictions(y)


def test_left_out_answers_are_taken_or_fitted_anew_and_failures_are_told():
    small, labels = X[::10], Y[::10]
    anew = evaluate(LeftOut("none"), small, labels, "loo", metrics=["accuracy"])
    assert len(anew.folds) == 15
    assert evaluate(LeftOut(), small, labels, "loo", metrics=["accuracy"]).scores["accuracy"].value == 1
    for how, says in (("fails", "not today"), ("short", "must be of the shape")):
        told = evaluate(LeftOut(how), small, labels, "loo", metrics=["accuracy"])
        assert told.scores == anew.scores
        assert says in told.warnings[0]


class OutOfBag(GaussianNB):
    """Answers from the members that did not draw a row, with too few rows."""

    def out_of_bag_answers(self, X, y, sample_weight=None):
        return Predictions(y[:-1])


def test_what_failed_to_answer_all_rows_at_once_is_called_by_its_name():
    for model, method in ((LeftOut("short"), "LeftOut.left_out_answers"), (OutOfBag(), "OutOfBag.out_of_bag_answers")):
        (told,) = evaluate(model, X[::10], Y[::10], "loo", metrics=["accuracy"]).warnings
        assert told.startswith(f"{method} failed (InputError: {method}: labels must be of the shape (15, 1)")


# ---- What an evaluation gives.


def test_folds_are_a_table():
    table = evaluate(GaussianNB(), X, Y, 5).fold_table()
    assert table.names == ("fold", "n_train", "n_test", "accuracy", "f1", "log_loss", "fit_seconds", "predict_seconds")
    assert table["n_test"].tolist() == [30.0] * 5


def test_curves_come_from_answers_to_rows_that_were_not_learnt_from():
    result = evaluate(GaussianNB(), *CANCER, 5, metrics=["roc_auc"])
    assert result.roc().area.value == pytest.approx(
        evaluate(GaussianNB(), *CANCER, 5, metrics=["accuracy"]).roc(positive=1).area.value
    )
    assert result.precision_recall().average_precision.value > 0.9
    assert result.calibration(bins=5).counts.sum() == len(CANCER[1])
    assert result.risk_coverage().coverage[-1] == 1
    silent = evaluate(LinearSVC(), *CANCER, 3, metrics=["accuracy"])
    assert silent.roc().area.value > 0.5
    with pytest.raises(InputError, match="gives no probabilities"):
        silent.calibration()


def test_the_final_model_is_there_on_request_only():
    result = evaluate(GaussianNB(), X, Y, 3)
    with pytest.raises(InputError, match="refit=True"):
        _ = result.final_model
    assert result.fit_final(X, Y).predict(X[:1]).tolist() == [0]
    weighted = evaluate(GaussianNB(), X, Y, 3, refit=True, sample_weight=np.where(Y == 2, 3.0, 1.0))
    assert weighted.final_model.class_prior_.round(2).tolist() == [0.2, 0.2, 0.6]
    assert result.seconds > 0
    assert result.total_fit_seconds == pytest.approx(result.fit_seconds.sum())


def test_what_stands_beside_is_shown():
    three = evaluate(GaussianNB(), X, Y, "train-validation-test")
    assert "Beside these, validation:" in three.summary()
    assert "Beside these, validation" in three._repr_html_()
    again = evaluate(GaussianNB(), X, Y, Bootstrap(9), metrics=["error"])
    assert list(again.beside) == ["training data", "out-of-bag", "no information"]


def test_a_model_that_cannot_learn_from_all_rows_has_no_632():
    class Small(GaussianNB):
        def fit(self, X, y):
            if len(np.unique(X[:, 0])) == len(X):
                raise RuntimeError("too many different rows")
            return super().fit(X, y)

    small = np.column_stack([np.arange(20.0), np.arange(20.0) % 2])
    with pytest.raises(RuntimeError, match="too many different rows") as caught:
        evaluate(Small(), small, np.arange(20) % 2, Bootstrap(9), metrics=["accuracy"])
    assert "training data" in caught.value.__notes__[0]
    fine = evaluate(Small(), small, np.arange(20) % 2, Bootstrap(9, "out-of-bag"), metrics=["accuracy"])
    assert fine.scores["accuracy"].value > 0.5


def test_rows_are_the_same_however_inputs_are_kept():
    keep = make_pipeline(FunctionTransformer(), GaussianNB())
    plain = evaluate(keep, X, Y, StratifiedFolds(3))
    for other in (np.asfortranarray(X), X[:, ::-1][:, ::-1], polars.DataFrame(X)):
        assert evaluate(keep, other, Y, StratifiedFolds(3)).scores == plain.scores


def test_the_target_may_be_a_column_of_any_frame():
    frame = polars.DataFrame({f"x{at}": X[:, at] for at in range(4)} | {"kind": Y})
    assert evaluate(GaussianNB(), frame, "kind", 3).scores == evaluate(GaussianNB(), X, Y, 3).scores
    with pytest.raises(InputError, match="did you mean 'kind'"):
        evaluate(GaussianNB(), frame, "kinds", 3)


def test_what_an_evaluation_can_be_asked_for_is_stated_alike_in_the_function_and_in_the_plan():
    stated = {name: each.default for name, each in inspect.signature(evaluate).parameters.items()}
    planned = {each.name: each.default for each in dataclasses.fields(Plan)}
    assert {name: default for name, default in stated.items() if name in planned} == planned
    assert set(stated) - set(planned) == {"model", "X", "y", "progress"}
