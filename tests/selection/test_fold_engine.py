"""One engine runs the folds of evaluations, searches and curves: they agree, and refuse alike."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from margin import DecisionTreeClassifier, evaluate
from margin.errors import ParameterError
from margin.evaluation import HoldOut, LeaveOneOut, StratifiedFolds
from margin.selection import GridSearch, learning_curve, nested, validation_curve


def test_weights_reach_every_step_of_a_pipeline_that_takes_them():
    X, y = load_iris(return_X_y=True)
    weight = np.where(y == 0, 0.2, 1.0)
    pipeline = make_pipeline(StandardScaler(), GaussianNB())
    result = evaluate(pipeline, X, y, HoldOut(0.4), sample_weight=weight, metrics=["log_loss"], refit=True)
    ((train, test),) = HoldOut(0.4).split(y)
    told = {"standardscaler__sample_weight": weight[train], "gaussiannb__sample_weight": weight[train]}
    by_hand = clone(pipeline).fit(X[train], y[train], **told).predict_proba(X[test])
    losses = -np.log(by_hand[np.arange(len(test)), y[test]])
    assert result.scores["log_loss"].value == pytest.approx(np.average(losses, weights=weight[test]))
    assert result.final_model[0].mean_ == pytest.approx(np.average(X, axis=0, weights=weight))


def test_a_matrix_of_kernel_values_is_cut_to_the_rows_learnt_from():
    X, y = load_iris(return_X_y=True)
    by_columns = evaluate(SVC(kernel="linear"), X, y, 5, metrics=["accuracy"])
    by_kernel = evaluate(SVC(kernel="precomputed"), X @ X.T, y, 5, metrics=["accuracy"])
    assert not by_kernel.failures
    assert by_kernel.scores["accuracy"].value == pytest.approx(by_columns.scores["accuracy"].value, abs=0.02)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_setting_scores_in_a_search_and_on_a_curve_as_in_an_evaluation(weighted):
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).random(len(y)) + 0.5 if weighted else None
    folds, depths = StratifiedFolds(4), [1, 2, None]
    pipeline = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    name = "decisiontreeclassifier__max_depth"
    search = GridSearch(pipeline, {name: depths}, cv=folds, metric="log_loss").fit(X, y, sample_weight=weight)
    curve = validation_curve(pipeline, X, y, name, depths, protocol=folds, metrics=["log_loss"], sample_weight=weight)
    for place, depth in enumerate(depths):
        model = clone(pipeline).set_params(**{name: depth})
        alone = evaluate(model, X, y, folds, metrics=["log_loss"], sample_weight=weight).fold_scores["log_loss"]
        assert search.results_.fold_scores[place].tolist() == alone.tolist()
        assert curve.test_folds["log_loss"][place].tolist() == alone.tolist()


def test_a_metric_that_a_model_cannot_give_is_left_out_of_evaluations_and_refused_where_it_decides():
    X, y = load_iris(return_X_y=True)
    left_out = evaluate(LinearSVC(), X, y, 3, metrics=["accuracy", "log_loss"])
    assert list(left_out.scores) == ["accuracy"]
    assert left_out.warnings == ("log_loss is left out: LinearSVC gives no probabilities.",)
    for cv in (3, LeaveOneOut()):
        with pytest.raises(ParameterError, match="GridSearch: log_loss needs probabilities, and LinearSVC gives none"):
            GridSearch(LinearSVC(), {"C": [0.1]}, metric="log_loss", cv=cv).fit(X[::5], y[::5])
    with pytest.raises(ParameterError, match="learning_curve: log_loss needs probabilities"):
        learning_curve(LinearSVC(), X, y, metrics=["accuracy", "log_loss"])


def test_what_is_no_classifier_is_refused_in_the_same_words():
    for call, who in ((evaluate, "evaluate"), (learning_curve, "learning_curve"), (nested, "nested")):
        with pytest.raises(ParameterError, match=rf"{who}\(.*must be a classifier with fit, predict and get_params"):
            call(GaussianNB, [[0.0], [1.0]], [0, 1])
