"""margin.evaluation.comparison: worked by hand, against SciPy, and on evaluated models."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from margin.errors import ParameterError
from margin.evaluation import HoldOut, LeaveOneOut, StratifiedFolds, compare_scores, corrected_t_test, evaluate
from margin.evaluation.corrections import holm

X, Y = load_iris(return_X_y=True)


@pytest.mark.golden("H4")
def test_the_corrected_test_worked_by_hand():
    # mean 0.03, s² = 0.0002/2 = 0.0001, J = 3, n_test/n_train = 1/2: t = 0.03 / √(5/6 · 0.0001) = 3.2863
    # with 2 degrees of freedom p = 1 - t/√(2 + t²)
    t = 0.03 / math.sqrt(5 / 6 * 0.0001)
    assert corrected_t_test([0.02, 0.03, 0.04], test_to_train=0.5).p == pytest.approx(1 - t / math.sqrt(2 + t * t))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), min_size=2, max_size=30))
def test_without_the_correction_it_is_the_paired_t_test_of_scipy(differences):
    if np.std(differences) > 1e-9:
        expected = stats.ttest_1samp(differences, 0.0).pvalue
        assert corrected_t_test(differences, test_to_train=0.0).p == pytest.approx(expected, abs=1e-10)
    corrected = corrected_t_test(differences, test_to_train=0.5).p
    assert corrected >= corrected_t_test(differences, test_to_train=0.0).p - 1e-12


def test_equal_differences_are_certain():
    assert corrected_t_test([0.0, 0.0, 0.0], test_to_train=0.1).p == 1.0
    assert corrected_t_test([0.1, 0.1, 0.1], test_to_train=0.1).p == 0.0
    assert corrected_t_test([0.1], test_to_train=0.1).p == 1.0


@pytest.mark.golden("H4")
def test_holm_worked_by_hand():
    # ascending 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1; the last may not fall below the one before
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


def test_a_guesser_differs_from_the_best_and_near_equals_do_not():
    protocol = StratifiedFolds(10)
    models = {
        "guess": DummyClassifier(),
        "tree": DecisionTreeClassifier(random_state=0),
        "bayes": GaussianNB(),
    }
    evaluations = {name: evaluate(model, X, Y, protocol) for name, model in models.items()}
    found = compare_scores(evaluations, "accuracy")
    assert found.standings[-1].name == "guess"
    assert found["guess"].differs
    assert found["guess"].p < 0.001
    assert set(found.as_good_as_best) == {"tree", "bayes"}
    assert found[found.best].p == 1.0
    assert len(found.pairs) == 3
    differences = evaluations["bayes"].fold_scores["accuracy"] - evaluations["tree"].fold_scores["accuracy"]
    (pair,) = [pair for pair in found.pairs if "guess" not in (pair.first, pair.second)]
    assert pair.p == pytest.approx(corrected_t_test(differences, test_to_train=15 / 135).p)
    assert "differs from the best" in str(found)
    assert "<table>" in found._repr_html_()
    losses = compare_scores(evaluations, "log_loss")
    assert losses.best == "bayes", "of losses, the least is best"
    with pytest.raises(ParameterError, match="did you mean 'bayes'"):
        found["bays"]


@pytest.mark.parametrize("protocol", [HoldOut(0.4), LeaveOneOut()])
def test_where_cases_are_asked_once_mcnemars_test_compares_them(protocol):
    evaluations = {
        name: evaluate(model, X, Y, protocol) for name, model in (("bayes", GaussianNB()), ("guess", DummyClassifier()))
    }
    found = compare_scores(evaluations)
    right = {name: each.predictions == each.truth for name, each in evaluations.items()}
    only_bayes, only_guess = (right["bayes"] & ~right["guess"]).sum(), (~right["bayes"] & right["guess"]).sum()
    assert found["guess"].p == pytest.approx(stats.binomtest(int(only_bayes), int(only_bayes + only_guess)).pvalue)
    assert found["guess"].differs
    assert "McNemar's exact test" in found.method


class MissesAFold(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        if len(set(np.flatnonzero((X == X_FIRST).all(axis=1)))) == 0:
            raise RuntimeError("first row needed")
        self.model_ = GaussianNB().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)


X_FIRST = X[0]


def test_folds_that_failed_for_one_model_are_left_out_of_its_comparisons():
    evaluations = {
        "whole": evaluate(GaussianNB(), X, Y, metrics="accuracy"),
        "part": evaluate(MissesAFold(), X, Y, metrics="accuracy"),
    }
    assert len(evaluations["part"].failures) == 1
    found = compare_scores(evaluations)
    assert found.pairs[0].difference == pytest.approx(0.0)
    assert found.pairs[0].p == 1.0


def test_only_like_is_compared_with_like():
    bayes = evaluate(GaussianNB(), X, Y)
    with pytest.raises(ParameterError, match="same protocol and seed"):
        compare_scores({"a": bayes, "b": evaluate(GaussianNB(), X, Y, StratifiedFolds(10, seed=1))})
    with pytest.raises(ParameterError, match="same protocol and seed"):
        compare_scores({"a": bayes, "b": evaluate(GaussianNB(), X[::-1], np.roll(Y, 3))})
    with pytest.raises(ParameterError, match="'svc' was not scored by it"):
        compare_scores({"bayes": bayes, "svc": evaluate(LinearSVC(), X, Y)}, "log_loss")
    with pytest.raises(ParameterError, match="at least one"):
        compare_scores({})


def test_a_single_model_is_simply_the_best():
    found = compare_scores({"bayes": evaluate(GaussianNB(), X, Y)})
    assert found.best == "bayes"
    assert found.pairs == ()
