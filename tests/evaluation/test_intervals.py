"""margin.evaluation.intervals.interval: worked by hand, against SciPy, and by how often they cover the truth."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from margin.errors import ParameterError
from margin.evaluation import Answers, Interval, Score, bootstrap_interval, metric, proportion_interval
from margin.evaluation.intervals.interval import corrected_t_interval, mean_interval
from margin.evaluation.scoring.of_cases import MANY_CASES, score_cases


def test_no_success_in_ten_trials_worked_by_hand():
    # (1 - high)^10 = 0.025
    interval = proportion_interval(0, 10)
    assert interval.low == 0
    assert interval.high == pytest.approx(1 - 0.025 ** (1 / 10))


@pytest.mark.golden("H4")
def test_the_one_over_root_n_rule():
    assert proportion_interval(50, 100, method="root_n").half_width == pytest.approx(0.1)
    assert proportion_interval(99, 100, method="root_n").high == 1.0


@pytest.mark.golden("H4")
def test_corrected_t_worked_by_hand():
    # mean 0.8, s² = 0.01, J = 3, n_test/n_train = 1/2: deviation √((1/3 + 1/2)·0.01), t(2, 0.975) = 4.3027
    interval = corrected_t_interval([0.7, 0.8, 0.9], test_to_train=0.5)
    assert interval.half_width == pytest.approx(4.30265273 * math.sqrt(5 / 6 * 0.01))
    assert (interval.low + interval.high) / 2 == pytest.approx(0.8)


def test_one_fold_has_no_interval():
    assert corrected_t_interval([0.7], 0.5) is None


def test_without_shared_rows_the_corrected_t_is_the_plain_one():
    values = [0.71, 0.8, 0.93, 0.85]
    low, high = stats.t.interval(0.9, 3, np.mean(values), stats.sem(values))
    interval = corrected_t_interval(values, test_to_train=0.0, confidence=0.9)
    assert (interval.low, interval.high) == pytest.approx((low, high))


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 300), st.floats(0, 1), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_exact_and_wilson_equal_those_of_scipy(trials, share, confidence):
    successes = round(share * trials)
    test = stats.binomtest(successes, trials)
    for method in ("exact", "wilson"):
        theirs = test.proportion_ci(confidence, method)
        ours = proportion_interval(successes, trials, confidence, method)
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@pytest.mark.parametrize("trials", [5, 30])
def test_the_exact_interval_covers_every_share_at_least_as_often_as_it_says(trials):
    intervals = [proportion_interval(k, trials) for k in range(trials + 1)]
    for share in np.linspace(0.01, 0.99, 99):
        chance = stats.binom.pmf(np.arange(trials + 1), trials, share)
        assert sum(p for p, interval in zip(chance, intervals) if share in interval) >= 0.95


def test_the_correction_makes_the_folds_interval_cover():
    """Nearest class mean in one dimension by 5 folds; the true accuracy of a model learnt from 48 rows is known."""
    random = np.random.default_rng(1)
    n, folds, trials = 60, 5, 400
    y = np.tile([0.0, 1.0], n // 2)
    x = random.normal(size=(trials, n)) + y
    fold = np.arange(n) // 2 % folds
    scores, truths = np.empty((trials, folds)), np.empty((trials, folds))
    for k in range(folds):
        train = fold != k
        threshold = (x[:, train & (y == 0)].mean(axis=1) + x[:, train & (y == 1)].mean(axis=1)) / 2
        scores[:, k] = ((x[:, ~train] > threshold[:, None]) == y[~train]).mean(axis=1)
        truths[:, k] = (stats.norm.cdf(threshold) + stats.norm.cdf(1 - threshold)) / 2
    truth = truths.mean()
    corrected = np.mean([truth in corrected_t_interval(values, 12 / 48) for values in scores])
    naive = np.mean([truth in corrected_t_interval(values, 0.0) for values in scores])
    assert corrected >= 0.95
    assert naive < corrected


def test_the_bootstrap_is_the_same_for_the_same_seed_and_narrows_with_more_cases():
    few = Answers.of(["a", "b"] * 20, ["a", "b", "b", "b"] * 10)
    many = Answers.of(["a", "b"] * 2000, ["a", "b", "b", "b"] * 1000)
    f1 = metric("f1")
    assert bootstrap_interval(f1, few, seed=4) == bootstrap_interval(f1, few, seed=4)
    assert bootstrap_interval(f1, few, seed=4) != bootstrap_interval(f1, few, seed=5)
    assert bootstrap_interval(f1, many).half_width < bootstrap_interval(f1, few).half_width / 5


def test_bootstrap_and_normal_interval_of_a_loss_agree():
    random = np.random.default_rng(2)
    probabilities = random.dirichlet([2, 1], size=3000)
    answers = Answers.of(random.integers(2, size=3000), probabilities=probabilities, sample_weight=random.random(3000))
    loss = metric("log_loss")
    drawn = bootstrap_interval(loss, answers)
    normal = mean_interval(loss.by_case(answers), answers.weight)
    assert drawn.half_width == pytest.approx(normal.half_width, rel=0.1)
    assert (drawn.low + drawn.high) / 2 == pytest.approx(loss.value(answers), abs=0.005)


def test_a_loss_on_very_many_cases_gets_the_normal_interval():
    answers = Answers.of(np.tile([0, 1], MANY_CASES), probabilities=np.tile([0.4, 0.6], (2 * MANY_CASES, 1)))
    assert score_cases(metric("log_loss"), answers).interval.method == "normal"


def test_a_share_of_weighted_cases_is_not_given_an_exact_interval():
    truth, said = [0, 1, 1, 0], [0, 1, 0, 0]
    assert score_cases(metric("accuracy"), Answers.of(truth, said)).interval.method == "exact"
    weighted = Answers.of(truth, said, sample_weight=[1, 2, 3, 4])
    assert score_cases(metric("accuracy"), weighted).interval.method == "bootstrap BCa"


def test_scores_print_with_plus_minus_or_brackets():
    even = Interval(0.841, 0.865, 0.95, "t")
    assert str(Score(0.853, even)) == "0.853 ± 0.012"
    assert f"{Score(0.853, even):.1f}" == "0.9 ± 0.0"
    assert str(Score(0.853, Interval(0.841, 0.9, 0.95, "exact"))) == "0.853 [0.841, 0.900]"
    assert str(Score(0.85312, Interval(0.85282, 0.85342, 0.95, "t"))) == "0.85312 ± 0.00030"
    assert str(Score(0.853)) == "0.853"
    assert float(Score(0.853, even)) == 0.853


@pytest.mark.parametrize(
    "call",
    [
        lambda: proportion_interval(1, 0),
        lambda: proportion_interval(3, 2),
        lambda: proportion_interval(1, 2, confidence=95),
        lambda: proportion_interval(1, 2, method="wilsn"),
        lambda: corrected_t_interval([1, 2], 0.1, confidence=1.0),
    ],
)
def test_impossible_requests_are_refused(call):
    with pytest.raises(ParameterError):
        call()
