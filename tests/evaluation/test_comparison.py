"""margin.evaluation.comparing.compare_scores: worked by hand, against SciPy, and on evaluated models."""

import math
from dataclasses import replace

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
from margin.evaluation import (
    Answers,
    Bootstrap,
    HoldOut,
    LeaveOneOut,
    Score,
    StratifiedFolds,
    compare_scores,
    corrected_t_test,
    evaluate,
    metric,
    selection_optimism,
    swap_test,
)
from margin.evaluation.comparing.multiple_testing import holm

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


def test_equal_differences_are_told_by_their_signs():
    assert corrected_t_test([0.0, 0.0, 0.0], test_to_train=0.1).p == 1.0
    assert corrected_t_test([0.1, 0.1, 0.1], test_to_train=0.1).p == 0.25
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


# ---- Any metric after any protocol.

EVERY = ("accuracy", "error", "f1", "matthews", "coverage", "log_loss", "brier", "roc_auc", "average_precision")


@pytest.fixture(scope="module")
def held_out():
    models = {"bayes": GaussianNB(), "guess": DummyClassifier(), "tree": DecisionTreeClassifier(random_state=0)}
    return {name: evaluate(model, X, Y, HoldOut(0.5), metrics=EVERY) for name, model in models.items()}


@pytest.mark.parametrize(
    ("name", "test"),
    [
        ("accuracy", "McNemar's exact test"),
        ("error", "McNemar's exact test"),
        ("roc_auc", "DeLong's test"),
        *((name, "permutation test") for name in ("f1", "matthews", "log_loss", "brier", "average_precision")),
    ],
)
def test_after_a_hold_out_every_metric_has_its_test(held_out, name, test):
    found = compare_scores(held_out, name)
    assert found.method.startswith(test)
    assert found.best != "guess"
    assert found["guess"].differs or name == "log_loss", "the tree's certain mistakes cost as much as guessing"
    for pair in found.pairs:
        expected = held_out[pair.first].scores[name].value - held_out[pair.second].scores[name].value
        assert pair.difference == pytest.approx(expected)
        assert pair.test.effect.interval.low <= expected <= pair.test.effect.interval.high
    behind = found["guess"].behind
    assert (behind.interval.low > 0 or behind.interval.high < 0) or not found["guess"].differs


def test_equal_models_are_never_told_apart_by_any_metric(held_out):
    twins = {"one": held_out["bayes"], "two": held_out["bayes"]}
    for name in EVERY:
        assert compare_scores(twins, name).as_good_as_best == ("one", "two")


def test_the_matrix_of_p_values_holds_the_pairs(held_out):
    found = compare_scores(held_out, "f1")
    matrix = found.p_values
    np.testing.assert_array_equal(matrix, matrix.T)
    np.testing.assert_array_equal(np.diag(matrix), 1.0)
    assert found.names[0] == found.best
    for pair in found.pairs:
        assert matrix[found.names.index(pair.first), found.names.index(pair.second)] == pair.corrected
    assert "corrected p" in found._repr_html_()


def test_the_correction_and_the_test_can_be_chosen(held_out):
    raw = compare_scores(held_out, correction="uncorrected")
    bonferroni = compare_scores(held_out, correction="bonferroni")
    for one, other in zip(raw.pairs, bonferroni.pairs):
        assert other.corrected == pytest.approx(min(1, 3 * one.corrected))
    assert "Bonferroni" in bonferroni.method
    swapped = compare_scores(held_out, method="permutation")
    assert "permutation" in swapped.method
    assert swapped["guess"].differs
    folds = {name: evaluate(model, X, Y) for name, model in (("a", GaussianNB()), ("b", DummyClassifier()))}
    assert "McNemar" in compare_scores(folds, method="mcnemar").method
    with pytest.raises(ParameterError, match="did you mean 'holm'"):
        compare_scores(held_out, correction="hlm")
    with pytest.raises(ParameterError, match="did you mean 'mcnemar'"):
        compare_scores(held_out, method="macnemar")
    with pytest.raises(ParameterError, match="no folds"):
        compare_scores(held_out, method="corrected_t")
    with pytest.raises(ParameterError, match="roc_auc only"):
        compare_scores(held_out, method="delong")
    with pytest.raises(ParameterError, match="accuracy and error only"):
        compare_scores(held_out, "f1", method="mcnemar")


def test_a_region_of_equivalence_gives_probabilities(held_out):
    found = compare_scores(held_out, rope=0.5)
    assert found[found.standings[1].name].pair.posterior.equivalent > 0.99
    assert "equivalent within 0.5 with probability" in str(found)
    folds = {name: evaluate(model, X, Y) for name, model in (("a", GaussianNB()), ("b", DummyClassifier()))}
    (pair,) = compare_scores(folds, rope=0.01).pairs
    assert pair.posterior.first_better > 0.999
    assert compare_scores(folds).pairs[0].posterior is None


def test_weighted_cases_are_swapped_with_their_weights():
    weight = np.where(Y == 0, 5.0, 1.0)
    models = {"bayes": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1)}
    found = compare_scores({n: evaluate(m, X, Y, HoldOut(0.5), sample_weight=weight) for n, m in models.items()})
    assert "permutation" in found.method
    assert found["stump"].differs


def test_bootstrap_replicates_are_compared_as_folds():
    models = {"bayes": GaussianNB(), "guess": DummyClassifier()}
    found = compare_scores({name: evaluate(model, X, Y, Bootstrap(times=20)) for name, model in models.items()})
    assert "corrected resampled t" in found.method
    assert found["guess"].differs


def test_of_undefined_scores_nothing_is_claimed(held_out):
    one = replace(held_out["guess"], scores={**held_out["guess"].scores, "roc_auc": Score(math.nan)})
    found = compare_scores({"undefined": one, **held_out}, "roc_auc")
    assert found.standings[-1].name == "undefined"
    assert not found["undefined"].differs
    assert "undefined" in str(found)
    nobody = Answers.of(["a", "a"], probabilities=[[0.2, 0.8], [0.6, 0.4]], classes=["a", "b"])
    other = Answers.of(["a", "a"], probabilities=[[0.3, 0.7], [0.6, 0.4]], classes=["a", "b"])
    assert swap_test(metric("roc_auc"), nobody, other).p == 1.0


# ---- What choosing the best costs.


def coins(n_models, n=120, share=0.5, protocol=None):
    """Evaluations of models that answer rightly with a given chance, whatever the case."""
    random = np.random.default_rng(0)
    y = random.integers(2, size=n)
    base = evaluate(DummyClassifier(), np.zeros((n, 1)), y, protocol, metrics=["accuracy", "error", "f1"])
    found = {}
    for at in range(n_models):
        answers = np.where(random.random(n) < share, y, 1 - y)
        found[f"coin {at}"] = replace(base, answers=replace(base.answers, predicted=answers))
    return found


@pytest.mark.golden("H4")
@pytest.mark.parametrize("name", ["accuracy", "error", "f1"])
def test_the_luckiest_of_many_coins_is_seen_through(name):
    found = selection_optimism(coins(30, share=0.7), name)
    honest = {"accuracy": 0.7, "error": 0.3, "f1": 0.7}[name]
    assert abs(found.apparent - honest) > 0.07, "flattered"
    assert abs(found.corrected.value - honest) < 0.035
    assert found.value == pytest.approx(abs(found.apparent - found.corrected.value))
    assert "best of 30" in str(found)


def test_a_single_model_is_not_flattered():
    found = selection_optimism(coins(1, share=0.7))
    assert abs(found.value) < 0.01


def test_optimism_agrees_with_the_definition():
    evaluations = coins(4, n=30, share=0.6)
    right = np.column_stack([each.answers.truth == each.answers.predicted for each in evaluations.values()])
    random, values = np.random.default_rng(1), []
    for _ in range(1500):
        drawn = random.integers(30, size=30)
        left = np.setdiff1d(np.arange(30), drawn)
        values.append(right[left, right[drawn].mean(axis=0).argmax()].mean())
    assert selection_optimism(evaluations, times=1500).corrected.value == pytest.approx(np.mean(values), abs=0.015)


def test_a_comparison_knows_its_optimism(held_out):
    compared = compare_scores(held_out)
    assert compared.optimism.apparent == pytest.approx(compared.standings[0].score.value)
    for name in ("f1", "log_loss", "roc_auc"):
        found = selection_optimism(held_out, name, times=40)
        assert found.apparent == pytest.approx(held_out[compare_scores(held_out, name).best].scores[name].value)
        assert math.isfinite(found.value)
    with pytest.raises(ParameterError, match="at least one evaluation"):
        selection_optimism({})
