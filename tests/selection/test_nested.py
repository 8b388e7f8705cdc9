"""Nested validation: against the loops it stands for, and with searches of other makes."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier as OtherKNN

from margin import DecisionTreeClassifier, GridSearch, KNeighborsClassifier, LogSearch, NaiveBayes
from margin.data import catalog
from margin.errors import ParameterError
from margin.evaluation import StratifiedFolds
from margin.selection import nested


def test_nested_validation_is_a_search_inside_each_fold():
    X, y = load_iris(return_X_y=True)
    search = GridSearch(KNeighborsClassifier(), {"n_neighbors": [1, 5, 25]}, cv=3)
    found = nested(search, X, y, StratifiedFolds(4))
    inner, outer, chosen = [], [], []
    for train, test in StratifiedFolds(4).split(y):
        fitted = GridSearch(KNeighborsClassifier(), {"n_neighbors": [1, 5, 25]}, cv=3).fit(X[train], y[train])
        inner.append(float(fitted.best_score_))
        outer.append(fitted.score(X[test], y[test]))
        chosen.append(fitted.best_params_["n_neighbors"])
    assert found.inner_scores.tolist() == inner
    assert found.outer_scores == pytest.approx(outer)
    assert found.optimism.value == pytest.approx(np.mean(inner) - np.mean(outer))
    assert found.score.value == pytest.approx(np.mean(outer))
    assert {setting["n_neighbors"]: n for setting, n in found.choices} == {k: chosen.count(k) for k in chosen}
    assert found.choices[0][1] == max(chosen.count(k) for k in chosen)
    assert found.stability == found.choices[0][1] / 4
    assert found.final.best_params_ == search.fit(X, y).best_params_
    assert str(found.non_nested) == str(search.best_score_)


@pytest.mark.parametrize("scoring", [None, "accuracy", "neg_log_loss"])
def test_searches_of_scikit_learn_are_judged_too(scoring):
    X, y = load_iris(return_X_y=True)
    found = nested(GridSearchCV(OtherKNN(), {"n_neighbors": [5, 25]}, scoring=scoring, cv=3), X, y, 3)
    assert found.metric == ("log_loss" if scoring == "neg_log_loss" else "accuracy")
    assert (found.inner_scores > 0).all()
    assert found.non_nested.interval is None
    assert sum(n for _, n in found.choices) == 3


def test_losses_are_optimistic_when_they_are_too_small():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), rng.integers(2, size=40)
    search = GridSearch(DecisionTreeClassifier(), {"min_samples_leaf": [5, 10, 15]}, metric="brier", cv=3)
    found = nested(search, X, y, 4, metrics=["accuracy"])
    assert found.optimism.value == pytest.approx((found.outer_scores - found.inner_scores).mean())
    assert "accuracy" in found.evaluation.scores


def test_the_sentence_says_which_score_to_report():
    X, y = load_iris(return_X_y=True)
    found = nested(LogSearch(KNeighborsClassifier(), {"n_neighbors": 2}, cv=2), X, y, 3, refit=False)
    assert found.final is None
    assert "report the nested" in str(found)
    assert "Careful" in found._repr_html_()
    assert "times: n_neighbors=" in str(found)


def test_tables_weights_and_inner_folds_are_taken():
    table = catalog.load("iris")
    search = GridSearch(NaiveBayes(), {"alpha": [0.5, 1.0]})
    found = nested(search, table, "class", 3, inner=2)
    assert found.final.cv == 2
    assert search.cv == 5
    weight = np.random.default_rng(0).integers(1, 3, 150)
    assert nested(search, table, "class", 3, inner=2, sample_weight=weight, refit=False).score.value > 0.8


def test_what_is_no_search_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises((ParameterError, AttributeError), match="best_params_"):
        nested(NaiveBayes(), X, y, 3)
    with pytest.raises(ParameterError, match="no parameter cv"):
        nested(NaiveBayes(), X, y, inner=3)
    with pytest.raises(ParameterError, match="scoring may be None"):
        nested(GridSearchCV(OtherKNN(), {"n_neighbors": [1]}, scoring="roc_auc_ovr"), X, y)
