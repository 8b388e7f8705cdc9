"""Every model that knows what it would answer without a row: the same as fitting it without that row."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone

import margin
from margin.evaluation import LeaveOneOut
from margin.evaluation.predictions.leave_one_out import refitted_predictions
from tests.contract.estimators import frame, numbers, settings

MODELS = [model for model in settings() if hasattr(model, "left_out_answers")]


def few_numbers():
    X, y = numbers(24)
    X[7], y[7] = X[3], y[3]  # a row that is there twice
    return X, y


def a_mixed_table():
    return frame(18)


@pytest.mark.parametrize("table", [few_numbers, a_mixed_table])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_answers_to_rows_left_out_are_those_of_new_fits(model, table):
    X, y = table()
    weight = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = clone(model).left_out_answers(X, y, sample_weight=weight)
        if found is None:
            return
        refitted = refitted_predictions(model, X, y, weight, np.arange(len(y)))
    assert found.labels.tolist() == refitted.labels.tolist()
    np.testing.assert_allclose(found.probabilities, refitted.probabilities, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("model", [m for m in MODELS if not m.get_params() or repr(m).endswith("()")], ids=repr)
def test_numbers_are_left_out_in_one_go_with_the_settings_one_gets(model):
    X, y = few_numbers()
    if type(model).__name__ in ("CategoricalNB", "JointBayes"):
        X = np.minimum(np.floor(X), 4)  # as many different numbers as rows are as many categories
    if type(model).__name__ == "BernoulliNB":
        X = X - X.mean(axis=0)  # present or absent, not present alone
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert clone(model).left_out_answers(X, y) is not None


class AnewBayes(margin.NaiveBayes):
    """The same model, fitted anew for every row."""

    def left_out_answers(self, X, y, sample_weight=None):
        return None


def test_leave_one_out_has_the_same_scores_in_one_go_as_by_new_fits():
    X, y = few_numbers()
    weight = np.random.default_rng(3).integers(1, 4, len(y)).astype(float)
    for sample_weight in (None, weight):
        found, anew = (
            margin.evaluate(model, X, y, LeaveOneOut(), sample_weight=sample_weight)
            for model in (margin.NaiveBayes(), AnewBayes())
        )
        assert (len(found.folds), len(anew.folds)) == (1, len(y))
        for name, score in anew.scores.items():
            np.testing.assert_allclose(found.scores[name].value, score.value, rtol=1e-9)
