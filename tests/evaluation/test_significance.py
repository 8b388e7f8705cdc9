"""Tests on two models: worked by hand, then slow definitions, then properties."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from margin.errors import InputError, ParameterError
from margin.evaluation import (
    Answers,
    HoldOut,
    cochran_q,
    corrected_t_test,
    delong,
    evaluate,
    five_by_two_f,
    mcnemar,
    metric,
    permutation_test,
    swap_test,
)

# ---- McNemar


@pytest.mark.golden("H4")
@pytest.mark.parametrize(
    ("variant", "statistic", "p"),
    [
        # Airway responses before and after stem cell transplantation: 1 and 7 of 21 children changed (Fagerland 2013).
        ("exact", 1, 18 / 256),
        ("mid_p", 1, 18 / 256 - 8 / 256),
        ("chi2", 4.5, 0.0339),
        ("chi2_corrected", 25 / 8, 0.0771),
    ],
)
def test_mcnemars_test_on_a_published_table(variant, statistic, p):
    found = mcnemar(1, 7, variant=variant, n=21)
    assert found.statistic == pytest.approx(statistic)
    assert found.p == pytest.approx(p, abs=5e-5)
    assert found.effect.value == pytest.approx(-6 / 21)
    assert mcnemar(7, 1, variant=variant).p == pytest.approx(found.p)


def test_mcnemars_test_from_labels_counts_the_cases_only_one_gets_right():
    truth = ["a", "a", "b", "b", "b", "a"]
    first = ["a", "a", "b", "b", "a", None]  # right: 1 1 1 1 0 0
    second = ["b", "a", "a", "a", "b", "b"]  # right: 0 1 0 0 1 0
    found = mcnemar(first, second, truth)
    assert found.p == pytest.approx(2 * 5 / 16)  # 3 against 1
    assert found.effect.value == pytest.approx(2 / 6)
    with pytest.raises(InputError, match="give y_true"):
        mcnemar(first, second)
    with pytest.raises(ParameterError, match="did you mean 'mid_p'"):
        mcnemar(1, 2, variant="midp")
    with pytest.raises(ParameterError, match="no less than their sum"):
        mcnemar(3, 4, n=6)


def test_equal_splits_and_no_differing_cases_are_no_evidence():
    assert mcnemar(0, 0).p == 1.0
    assert mcnemar(4, 4).p == 1.0
    assert mcnemar(4, 4, variant="mid_p").p == pytest.approx(1 - math.comb(8, 4) / 2**8 / 2)
    assert mcnemar(5, 4, variant="chi2_corrected").p == 1.0


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 30), st.integers(0, 30))
def test_mid_p_lies_below_the_exact_p_and_above_a_half_of_it(b, c):
    exact, middle = mcnemar(b, c).p, mcnemar(b, c, variant="mid_p").p
    assert exact / 2 - 1e-12 <= middle <= exact + 1e-12


# ---- Cochran


@pytest.mark.golden("H4")
def test_cochrans_q_on_his_own_table():
    # Diphtheria bacilli grown from 69 specimens on four media (Cochran 1950): Q = 153/19 = 8.05.
    patterns = [[1, 1, 1, 1], [1, 1, 0, 1], [0, 1, 1, 1], [0, 1, 0, 1], [0, 0, 0, 0]]
    found = cochran_q(np.repeat(patterns, [4, 2, 3, 1, 59], axis=0), names="ABCD")
    assert found.statistic == pytest.approx(153 / 19)
    assert found.p == pytest.approx(0.045, abs=5e-4)
    np.testing.assert_allclose(found.shares * 69, [6, 10, 7, 10])
    test, corrected = found.pairs["A", "B"]
    assert test.p == pytest.approx(2 / 16)
    assert corrected == pytest.approx(6 * 2 / 16)
    assert "Cochran's Q with 3 degrees of freedom" in str(found)


def test_cochrans_q_of_two_models_is_mcnemars_chi_squared():
    random = np.random.default_rng(0)
    right = random.integers(2, size=(50, 2))
    b, c = int((right[:, 0] > right[:, 1]).sum()), int((right[:, 0] < right[:, 1]).sum())
    assert cochran_q(right).statistic == pytest.approx(mcnemar(b, c, variant="chi2").statistic)


def test_cochrans_q_takes_labels_and_evaluations_by_name(two_classes):
    X, y = two_classes
    models = {"bayes": GaussianNB(), "guess": DummyClassifier(), "line": LogisticRegression()}
    evaluations = {name: evaluate(model, X, y, HoldOut(0.5), metrics="accuracy") for name, model in models.items()}
    found = cochran_q(evaluations)
    labels = cochran_q({name: each.predictions for name, each in evaluations.items()}, evaluations["bayes"].truth)
    assert found.statistic == labels.statistic
    assert found.names == ("bayes", "guess", "line")
    assert cochran_q(np.ones((5, 3), dtype=int)).p == 1.0
    with pytest.raises(InputError, match="only 0 and 1"):
        cochran_q([[0, 2], [1, 1]])


@pytest.fixture
def two_classes():
    random = np.random.default_rng(3)
    y = np.repeat([0, 1], 60)
    return y[:, None] + random.normal(size=(120, 3)), y


# ---- Corrected t, evaluations


def test_evaluations_know_their_folds(two_classes):
    X, y = two_classes
    first, second = (
        evaluate(model, X, y, metrics=["accuracy", "error"]) for model in (GaussianNB(), DummyClassifier())
    )
    found = corrected_t_test(first, second, metric="error")
    scores = [each.fold_scores["error"] for each in (first, second)]
    assert found.p == corrected_t_test(*scores, test_to_train=1 / 9).p
    assert found.effect.value == pytest.approx((scores[0] - scores[1]).mean())
    low, high = found.effect.interval.low, found.effect.interval.high
    assert (low < 0 < high) == (found.p > 0.05)
    with pytest.raises(ParameterError, match="in the same way"):
        corrected_t_test(first, scores[1])
    with pytest.raises(ParameterError, match="1/9 for ten folds"):
        corrected_t_test(*scores)
    with pytest.raises(InputError, match="as many values each"):
        corrected_t_test([1.0, 2.0], [1.0], test_to_train=0.1)
    with pytest.raises(ParameterError, match="same rows by the same protocol"):
        corrected_t_test(first, evaluate(GaussianNB(), X, y, HoldOut(), metrics="error"), metric="error")


# ---- Permutations


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=9))
def test_the_permutation_test_counts_all_ways_to_set_signs(values):
    sums = [abs(sum(s * v for s, v in zip(signs, values))) for signs in product((1, -1), repeat=len(values))]
    assert permutation_test(values).p == pytest.approx(np.mean(np.array(sums) >= abs(sum(values))))


@pytest.mark.parametrize("values", [np.random.default_rng(0).normal(0.1, 1, 400), np.repeat([1.0, -1.0], [120, 80])])
def test_many_cases_draw_some_ways_and_come_to_the_normal_p(values):
    z = values.sum() / math.sqrt((values**2).sum())
    expected = math.erfc(abs(z) / math.sqrt(2))
    assert permutation_test(values).p == pytest.approx(expected, rel=0.25)
    assert permutation_test(values, seed=1).p == permutation_test(values, seed=1).p


def test_swaps_of_a_count_metric_agree_with_swapping_case_by_case():
    random = np.random.default_rng(1)
    truth, good, bad = random.integers(3, size=(3, 60))
    good = np.where(random.random(60) < 0.6, truth, good)
    answers = [Answers.of(truth.tolist(), each.tolist()) for each in (good, bad)]
    which = metric("f1")
    found = swap_test(which, *answers, times=4000)
    seen = abs(which.value(answers[0]) - which.value(answers[1]))
    far = 0
    for _ in range(400):
        swap = random.random(60) < 0.5
        one, other = np.where(swap, bad, good), np.where(swap, good, bad)
        values = [which.value(Answers.of(truth.tolist(), each.tolist())) for each in (one, other)]
        far += abs(values[0] - values[1]) >= seen - 1e-12
    assert found.p == pytest.approx(far / 400, abs=0.03)
    assert found.effect.value == pytest.approx(which.value(answers[0]) - which.value(answers[1]))


@pytest.mark.parametrize("name", ["accuracy", "log_loss", "weighted"])
def test_swaps_agree_with_the_permutation_test_where_the_metric_is_a_mean_over_cases(name):
    random = np.random.default_rng(2)
    truth = random.integers(2, size=80)
    shares = [np.clip(0.5 + (truth - 0.5) * gain + random.normal(0, 0.2, 80), 0.01, 0.99) for gain in (0.5, 0.2)]
    answers = [
        Answers.of(
            truth.tolist(), (p > 0.5).astype(int).tolist(), probabilities=np.column_stack([1 - p, p]),
            sample_weight=np.arange(1, 81) % 3 + 1.0 if name == "weighted" else None,
        )
        for p in shares
    ]  # fmt: skip
    if name == "log_loss":
        losses = [metric("log_loss").by_case(each) for each in answers]
    else:
        losses = [(each.truth == each.predicted).astype(float) for each in answers]
    if name == "weighted":
        losses = [each * answers[0].weight for each in losses]
    which = metric("accuracy" if name == "weighted" else name)
    expected = permutation_test(losses[0], losses[1]).p
    assert swap_test(which, *answers).p == pytest.approx(expected, abs=0.04)


@pytest.mark.parametrize("name", ["log_loss", "average_precision", "roc_auc"])
def test_of_many_cases_the_normal_test_says_what_swaps_would(name, monkeypatch):
    random = np.random.default_rng(5)
    truth = random.integers(2, size=600)
    shares = [1 / (1 + np.exp(-gain * (truth - 0.5) - random.normal(size=600))) for gain in (1.1, 0.8)]
    answers = [Answers.of(truth.tolist(), probabilities=np.column_stack([1 - p, p])) for p in shares]
    by_swaps = swap_test(metric(name), *answers)
    monkeypatch.setattr("margin.evaluation.comparing.permutation.MANY_CASES", 100)
    normal = swap_test(metric(name), *answers)
    assert normal.method == "paired normal test"
    assert normal.p == pytest.approx(by_swaps.p, abs=0.03)
    assert normal.effect.value == by_swaps.effect.value
    assert normal.effect.interval.half_width == pytest.approx(by_swaps.effect.interval.half_width, rel=0.15)
    if name == "roc_auc":
        assert normal.p == pytest.approx(delong(shares[0], shares[1], truth).p, rel=0.05)


def test_differences_beyond_all_swaps_have_a_p_below_what_they_can_count():
    truth = ["a", "b"] * 100
    good, bad = Answers.of(truth, truth), Answers.of(truth, ["a"] * 200)
    assert swap_test(metric("f1"), good, bad, times=100).p < 1e-10
    few = [Answers.of(truth[:8], answers) for answers in (truth[:8], ["a"] * 8)]
    assert swap_test(metric("f1"), *few).p >= 2 / 2**4, "four cases differ: two of sixteen swaps are as far"


def test_swaps_refuse_different_cases():
    with pytest.raises(InputError, match="same cases"):
        swap_test(metric("f1"), Answers.of(["a", "b"], ["a", "b"]), Answers.of(["b", "b"], ["a", "b"]))


# ---- DeLong


def slow_area_variance(scores, positive):
    """The area and the two placement covariances, pair by pair (DeLong et al. 1988, formulas 4 to 6)."""
    kernel = [(s[positive][:, None] > s[~positive]) + 0.5 * (s[positive][:, None] == s[~positive]) for s in scores]
    areas = [k.mean() for k in kernel]
    v10, v01 = np.array([k.mean(axis=1) for k in kernel]), np.array([k.mean(axis=0) for k in kernel])
    covariance = np.cov(v10) / positive.sum() + np.cov(v01) / (~positive).sum()
    return areas, covariance


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**31), st.integers(6, 40))
def test_delongs_test_agrees_with_its_definition_by_pairs(seed, n):
    random = np.random.default_rng(seed)
    positive = np.arange(n) % 3 == 0
    scores = [np.round(random.normal(size=n) + positive, 1) for _ in range(2)]
    areas, covariance = slow_area_variance(scores, positive)
    found = delong(scores[0], scores[1], positive.astype(int))
    assert found.effect.value == pytest.approx(areas[0] - areas[1])
    spread = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    if spread > 1e-9:
        assert found.statistic == pytest.approx((areas[0] - areas[1]) / math.sqrt(spread))


def test_delong_takes_evaluations_of_two_classes_and_more():
    random = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 40)
    X = np.eye(3)[np.repeat([0, 1, 2], 40)] + random.normal(size=(120, 3))
    first, second = (
        evaluate(model, X, y, HoldOut(0.5), metrics="accuracy") for model in (GaussianNB(), DummyClassifier())
    )
    found = delong(first, second)
    areas = [first.answers.ranking(code).area for code in range(3)]
    assert found.effect.value == pytest.approx(np.mean(areas) - 0.5)
    assert found.p < 0.001
    assert delong(first, second, positive="b").effect.value == pytest.approx(areas[1] - 0.5)
    with pytest.raises(InputError, match="two classes"):
        delong(X[:, 0], X[:, 1], y)
    with pytest.raises(InputError, match="give y_true"):
        delong(X[:, 0], X[:, 1])


def test_equal_rankings_do_not_differ():
    scores = np.arange(10.0)
    assert delong(scores, 3 * scores + 1, np.arange(10) % 2).p == 1.0


# ---- 5×2


@pytest.mark.golden("H4")
def test_five_by_two_worked_by_hand():
    # Σd² = 0.0092; squared distances from the mean of each pair 0.0002, 0, 0.0008, 0, 0.0002, in all 0.0012
    differences = [[0.02, 0.04], [0.03, 0.03], [0.05, 0.01], [0.02, 0.02], [0.04, 0.02]]
    assert five_by_two_f(differences).statistic == pytest.approx(0.0092 / 0.0024)
    assert five_by_two_f(differences, variant="t").statistic == pytest.approx(0.02 / math.sqrt(0.0012 / 5))
    assert five_by_two_f(differences).effect.value == pytest.approx(0.028)
    assert five_by_two_f(np.zeros((5, 2))).p == 1.0
    assert five_by_two_f(np.full((5, 2), 0.1)).p == 0.0


def test_five_by_two_runs_the_folds_itself(two_classes):
    X, y = two_classes
    found = five_by_two_f(GaussianNB(), DummyClassifier(), X, y)
    assert found.effect.value < 0, "fewer errors than guessing"
    assert found.p < 0.05
    assert five_by_two_f(GaussianNB(), GaussianNB(), X, y).p == 1.0
    with pytest.raises(InputError, match="5 repeats"):
        five_by_two_f([[1.0, 2.0]])
    with pytest.raises(InputError, match="need X and y"):
        five_by_two_f(GaussianNB(), GaussianNB())
    with pytest.raises(ParameterError, match="'f' or 't'"):
        five_by_two_f(np.zeros((5, 2)), variant="z")
