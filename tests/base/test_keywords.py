"""Parameters that a class does not have, scikit-learn's names, and what is shown in notebooks."""

from __future__ import annotations

import copy
import inspect
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier as TheirTree

from margin import GridSearch, KNeighborsClassifier, LinearSVC, LogisticRegression, NaiveBayes, Perceptron
from margin.errors import InputTypeError

X = np.random.default_rng(0).normal(size=(60, 2))
Y = np.where(X[:, 0] + 0.3 * np.random.default_rng(1).normal(size=60) > 0, "yes", "no")


@pytest.mark.parametrize(
    ("make", "hint"),
    [
        (lambda: LogisticRegression(c=1), r"c is not one of its parameters \(did you mean 'C'\?\)"),
        (lambda: LogisticRegression(penalty="l1"), r"\(penalty='l1'\): .* \(did you mean 'l1_ratio'\? 0 is"),
        (lambda: KNeighborsClassifier(neighbors=3), "did you mean 'n_neighbors'"),
        (lambda: GridSearch(estimator=NaiveBayes(), grid={}), "did you mean 'model'"),
        (lambda: GridSearch(NaiveBayes(), param_grid={}), "did you mean 'grid'"),
        (lambda: Perceptron(colour="red"), "colour is not one of its parameters; it has "),
    ],
)
def test_a_parameter_that_a_class_lacks_is_refused_with_the_one_that_was_meant(make, hint):
    with pytest.raises(InputTypeError, match=hint) as refused:
        make()
    assert isinstance(refused.value, TypeError)  # what Python itself raises


def test_making_copying_and_pickling_stay_as_they_were():
    model = LogisticRegression(C=2.0).fit(X, Y)
    assert "C" in inspect.signature(LogisticRegression).parameters
    for other in (clone(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other.get_params() == model.get_params()

    class Mine(LogisticRegression):
        def __init__(self, *, C: float = 1.0, colour: str = "red"):
            super().__init__(C=C)
            self.colour = colour

    assert Mine(colour="blue").colour == "blue"


def test_a_search_answers_to_the_names_of_scikit_learn():
    depths = {"max_depth": [1, 2]}
    ours = GridSearch(TheirTree(random_state=0), depths, cv=3, metric="accuracy").fit(X, Y)
    theirs = GridSearchCV(TheirTree(random_state=0), depths, cv=3).fit(X, Y)
    assert ours.best_estimator_ is ours.model_
    shared = {"params", "param_max_depth", "mean_test_score", "std_test_score", "rank_test_score", "split0_test_score"}
    assert shared | {"mean_fit_time"} <= set(ours.cv_results_) & set(theirs.cv_results_) | {"mean_fit_time"}
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    scores = ours.cv_results_["mean_test_score"]
    splits = [ours.cv_results_[f"split{k}_test_score"] for k in range(3)]
    assert np.allclose(np.mean(splits, axis=0), scores)
    assert ours.cv_results_["rank_test_score"][ours.best_index_] == 1
    loss = GridSearch(NaiveBayes(), {"alpha": [0.5, 1.0]}, metric="log_loss", cv=3).fit(X, Y)
    assert (loss.cv_results_["mean_test_score"] < 0).all()  # a loss with its sign turned, as there


def test_read_outs_are_shown_in_notebooks():
    model = LogisticRegression().fit(X, Y)
    table = model.summary()._repr_html_()
    assert table.count("<tr>") == 1 + 3
    assert "log-odds of &#x27;yes&#x27; against &#x27;no&#x27;" in table
    assert "pseudo-R²" in table
    for read_out in (model.certificate_, LinearSVC().fit(X, Y).certificate_, KNeighborsClassifier().fit(X, Y).index_):
        shown = read_out._repr_html_()
        assert shown.startswith("<pre")
        assert str(read_out).splitlines()[0][:20] in shown
