"""Test parts that are not drawn: from a date on, or in a file of their own; and which rows a fold held."""

import pickle
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB

from margin import NaiveBayes
from margin.data import Table
from margin.errors import DataError, LabelError, ParameterError
from margin.evaluation import (
    PROTOCOLS,
    Bootstrap,
    LeaveOneOut,
    StratifiedFolds,
    TimeHoldOut,
    evaluate,
    evaluate_steps,
    metric,
)
from margin.evaluation.cross_validation import fold as fold_module

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[:200], Y[:200]
DAYS = np.datetime64("2024-01-01") + np.random.default_rng(0).permutation(200) // 2


@pytest.mark.parametrize("at", ["2024-03-01", date(2024, 3, 1), np.datetime64("2024-03-01"), "2024-03-01 00:00"])
def test_what_came_before_a_date_is_learnt_from_and_what_came_from_it_on_asked_about(at):
    result = evaluate(GaussianNB(), X, Y, TimeHoldOut(DAYS, at=at), metrics=["accuracy"])
    past = np.datetime64("2024-03-01") > DAYS
    assert result.rows.tolist() == np.flatnonzero(~past).tolist()
    by_hand = GaussianNB().fit(X[past], Y[past]).score(X[~past], Y[~past])
    assert result.scores["accuracy"].value == pytest.approx(by_hand)
    assert result.scores["accuracy"].interval.method == "exact"
    (fold,) = result.folds
    assert fold.train_rows.tolist() == np.flatnonzero(past).tolist()
    assert fold.test_rows.tolist() == np.flatnonzero(~past).tolist()


def test_a_share_keeps_equal_times_together_and_a_gap_is_left_out():
    when = [1, 1, 2, 3, 3, 3, 3, 4]
    ((train, test),) = TimeHoldOut(when, test_share=0.5).split([0, 1] * 4)
    assert (train.tolist(), test.tolist()) == ([0, 1, 2], [3, 4, 5, 6, 7])
    ((train, test),) = TimeHoldOut(when, at=3, gap=1).split([0, 1] * 4)
    assert (train.tolist(), test.tolist()) == ([0, 1], [3, 4, 5, 6, 7])
    ((train, _),) = TimeHoldOut(DAYS, at="2024-03-01", gap=timedelta(days=7)).split(Y)
    assert DAYS[train].max() < np.datetime64("2024-02-23")
    ((train, test),) = TimeHoldOut(at=6).split([0, 1] * 4)
    assert test.tolist() == [6, 7]
    assert isinstance(PROTOCOLS["time-hold-out"](), TimeHoldOut)


def test_the_times_may_be_a_column_which_is_then_no_input():
    frame = pd.DataFrame(X[:, :3]).rename(columns=str).assign(day=DAYS)
    result = evaluate(GaussianNB(), frame, Y, TimeHoldOut("day", at="2024-03-01"), refit=True)
    assert result.protocol.name == "hold-out from 2024-03-01 on"
    assert result.final_model.n_features_in_ == 3
    assert "Learnt from the rows before 2024-03-01" in result.summary()


def test_times_that_leave_nothing_to_learn_from_or_to_ask_are_refused():
    for at in ("2023-01-01", "2025-01-01"):
        with pytest.raises(DataError, match="no row is left"):
            evaluate(GaussianNB(), X, Y, TimeHoldOut(DAYS, at=at))
    with pytest.raises(ParameterError, match="the times are dates"):
        evaluate(GaussianNB(), X, Y, TimeHoldOut(DAYS, at="soon"))
    with pytest.raises(ParameterError, match="the times are numbers"):
        evaluate(GaussianNB(), X, Y, TimeHoldOut(np.arange(200), at="2024-03-01"))
    with pytest.raises(DataError, match="all rows are of one time"):
        evaluate(GaussianNB(), X, Y, TimeHoldOut(np.zeros(200)))


@pytest.mark.parametrize(
    "made",
    [np.asarray, sparse.csr_matrix, lambda rows: pd.DataFrame(rows).rename(columns=str)],
    ids=["dense", "sparse", "frame"],
)
def test_a_test_part_of_its_own_is_asked_of_a_model_that_learnt_from_all_rows(made):
    model = NaiveBayes() if made is not sparse.csr_matrix else _Dense()
    result = evaluate(model, made(X[:120]), Y[:120], test=(made(X[120:]), Y[120:]), metrics=["accuracy"], refit=True)
    fitted = model.fit(made(X[:120]), Y[:120])
    assert result.scores["accuracy"].value == pytest.approx(np.mean(fitted.predict(made(X[120:])) == Y[120:]))
    assert result.protocol.name == "test part of its own"
    assert result.rows.tolist() == result.folds[0].test_rows.tolist() == list(range(80))
    assert result.folds[0].train_rows.tolist() == list(range(120))
    np.testing.assert_array_equal(result.final_model.predict(made(X[120:])), fitted.predict(made(X[120:])))
    assert pickle.loads(pickle.dumps(result)).scores == result.scores


class _Dense(BaseEstimator):
    def fit(self, X, y):
        self.model_ = GaussianNB().fit(X.toarray(), y)
        return self

    def predict(self, X):
        return self.model_.predict(X.toarray())


def test_tables_name_the_column_weights_stand_third_and_new_classes_are_counted():
    table = Table.from_columns({"x": X[:, 0], "ill": np.array(["no", "yes"])[Y]})
    result = evaluate(NaiveBayes(), table.take(np.arange(120)), "ill", test=table.take(np.arange(120, 200)))
    assert len(result.rows) == 80
    weight = np.arange(1.0, 81.0)
    weighed = evaluate(GaussianNB(), X[:120], Y[:120], test=(X[120:], Y[120:], weight), metrics=["accuracy"])
    said = GaussianNB().fit(X[:120], Y[:120]).predict(X[120:])
    assert weighed.scores["accuracy"].value == pytest.approx(np.average(said == Y[120:], weights=weight))
    strange = evaluate(
        GaussianNB(), X[:120], Y[:120], test=(X[120:123], [0, 1, 7]), metrics=[metric("recall", positive=7)]
    )
    assert strange.scores["recall(positive=7)"].value == 0.0
    assert strange.classes.tolist() == [0, 1, 7]


def test_a_test_part_that_does_not_fit_is_refused():
    test = (X[120:], Y[120:])
    with pytest.raises(ParameterError, match="needs no protocol"):
        evaluate(GaussianNB(), X[:120], Y[:120], 5, test=test)
    with pytest.raises(ParameterError, match="needs no groups"):
        evaluate(GaussianNB(), X[:120], Y[:120], groups=Y[:120], test=test)
    with pytest.raises(ParameterError, match=r"must be \(X_test, y_test\)"):
        evaluate(GaussianNB(), X[:120], Y[:120], test=X[120:])
    with pytest.raises(LabelError):
        evaluate(GaussianNB(), X[:120], Y[:120], test=(X[120:], ["a", "b"] * 40))


def test_folds_say_which_rows_they_held():
    result = evaluate(GaussianNB(), X, Y, StratifiedFolds(4, repeats=2))
    for fold, (train, test) in zip(result.folds, StratifiedFolds(4, repeats=2).split(Y), strict=True):
        assert fold.train_rows.tolist() == train.tolist()
        assert fold.test_rows.tolist() == test.tolist()
    *steps, _ = evaluate_steps(GaussianNB(), X, Y, Bootstrap(3, estimate="out-of-bag"))
    for step, (drawn, left) in zip(steps, Bootstrap(3).split(Y), strict=True):
        assert step.train_rows.tolist() == drawn.tolist()
        assert step.test_rows.tolist() == left.tolist()


def test_very_many_rows_are_not_listed_again_for_every_fold(monkeypatch):
    monkeypatch.setattr(fold_module, "MOST_LISTED", 500)
    result = evaluate(GaussianNB(), X[:30], Y[:30] * 0 + np.arange(30) % 2, LeaveOneOut())
    listed = [fold.train_rows is not None for fold in result.folds]
    assert listed == [True] * 17 + [False] * 13
    assert all(fold.test_rows is not None for fold in result.folds)
