"""margin.evaluation.curves.risk_coverage:
worked by hand, then the definition row by row, then what is promised of the bound.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import margin.evaluation.metrics.definitions as m
from margin.errors import InputError, ParameterError
from margin.evaluation import confusion, metric, proportion_interval, risk_coverage

TRUTH = ["a", "a", "b", "b", "a"]
SAID = ["a", "b", "b", "a", "a"]  # right, wrong, right, wrong, right
SURE = [0.9, 0.8, 0.7, 0.6, 0.6]


def test_a_curve_worked_by_hand():
    curve = risk_coverage(TRUTH, SAID, SURE)
    assert curve.threshold.tolist() == [0.8, 0.7, 0.6, -math.inf]
    assert curve.coverage.tolist() == [0.2, 0.4, 0.6, 1.0]  # the two of equal confidence come together
    assert curve.risk == pytest.approx([0, 1 / 2, 1 / 3, 2 / 5])
    assert curve.aurc == pytest.approx(0.2 * 0 + 0.2 / 2 + 0.2 / 3 + 0.4 * 2 / 5)


def test_a_case_at_the_threshold_is_not_answered():
    curve = risk_coverage(TRUTH, SAID, SURE)
    assert curve.at(0.9) == (0.0, 0.0)
    assert curve.at(0.85) == (0.2, 0.0)
    assert curve.at(0.8) == (0.2, 0.0)
    assert curve.at(0.6) == pytest.approx((0.6, 1 / 3))
    assert curve.at(0.59) == (1.0, 0.4)
    assert curve.at(math.inf) == (0.0, 0.0)


def test_a_prediction_of_none_is_never_answered():
    curve = risk_coverage(["a", "b", "b"], ["a", None, "b"], [0.5, 0.9, 0.4])
    assert curve.coverage == pytest.approx([1 / 3, 2 / 3])
    assert curve.risk.tolist() == [0.0, 0.0]


def test_the_seen_error_chooses_the_smallest_threshold_that_will_do():
    curve = risk_coverage(TRUTH, SAID, SURE)
    assert curve.for_error(0.35, level=None).threshold == 0.6
    assert curve.for_error(0.4, level=None).threshold == -math.inf
    assert curve.for_error(0.1, level=None).threshold == 0.8
    wrong = risk_coverage(["a"], ["b"], [1.0])
    nothing = wrong.for_error(0.5, level=None)
    assert (nothing.threshold, nothing.coverage) == (math.inf, 0.0)
    assert "nothing is answered" in str(nothing)


def test_the_cost_of_abstaining_chooses_where_the_mean_cost_is_least():
    curve = risk_coverage(TRUTH, SAID, SURE)
    # costs: nothing c, then .8c, .2 + .6c, .2 + .4c, .4
    assert curve.for_cost(0.0).coverage == 0.2
    assert curve.for_cost(0.4).coverage == 0.2  # .32 against .44, .36 and .4
    assert curve.for_cost(0.5).coverage == 1.0  # .4 twice: the one that answers more
    assert risk_coverage(["a", "a"], ["b", "b"], [1, 2]).for_cost(0.3).threshold == math.inf


def test_too_few_cases_cannot_vouch_for_the_target():
    def without_a_mistake(n):
        return risk_coverage(np.zeros(n), np.zeros(n), np.arange(n)).for_error(0.05)

    assert 1 - 0.05 ** (1 / 59) <= 0.05 < 1 - 0.05 ** (1 / 58)
    few, enough = without_a_mistake(58), without_a_mistake(59)
    assert (few.threshold, enough.threshold, enough.bound) == (math.inf, -math.inf, 0.05)
    assert "at least 59 cases" in few.reason
    poor = risk_coverage(np.zeros(400), np.arange(400) % 2, np.arange(400.0)).for_error(0.3)
    assert "its smallest bound is" in poor.reason


def test_a_threshold_is_tried_at_each_twentieth_of_the_cases():
    wrong = np.r_[np.zeros(330), np.ones(70)]
    choice = risk_coverage(np.zeros(400), wrong, -np.arange(400.0)).for_error(0.05)
    assert choice.coverage == 0.85  # 10 mistakes among 340; at 90 % there are 30 among 360
    assert choice.threshold == -340.0


def falling_back(wrong, target, level):
    """The fallback procedure by its definition, on cases from the surest on: how many are answered."""
    n, fewest = len(wrong), math.ceil(math.log(1 - level) / math.log(1 - target))
    looks = sorted({n * k // 20 for k in range(1, 21)} - {0})
    start = next((times * fewest for times in (3, 2, 1) if n >= times * fewest), n)
    looks = [look for look in looks if look >= start]
    spent = [0.7] + [0.3 / (len(looks) - 1)] * (len(looks) - 1) if len(looks) > 1 else [1.0]
    answered, handed_on = 0, 0.0
    for look, share in zip(looks, spent):
        tail = share * (1 - level) + handed_on
        p = sum(math.comb(look, k) * target**k * (1 - target) ** (look - k) for k in range(sum(wrong[:look]) + 1))
        answered, handed_on = (look, tail) if p <= tail else (answered, 0.0)
    return answered


@pytest.mark.parametrize("n", [20, 59, 60, 130, 400])
@pytest.mark.parametrize("target", [0.05, 0.15])
def test_what_a_look_may_err_is_handed_on_to_the_next_one(n, target):
    rng = np.random.default_rng(n)
    for _ in range(40):
        wrong = rng.random(n) < rng.choice([0.0, 0.02, 0.1, 0.3]) * np.linspace(0, 2, n)
        choice = risk_coverage(np.zeros(n), wrong.astype(int), -np.arange(n)).for_error(target, 0.9)
        assert round(choice.coverage * n) == falling_back(wrong.tolist(), target, 0.9)


def test_more_is_answered_than_by_bounds_that_hold_all_together():
    """Twenty bounds that hold at once (Bonferroni) answered about half of these cases, looks in a row nearly two
    thirds."""
    rng, coverage = np.random.default_rng(2), []
    for _ in range(200):
        u = np.sort(rng.random(300))
        wrong = rng.random(300) < 0.02 + 0.5 * u**2
        coverage.append(risk_coverage(np.zeros(300), wrong.astype(int), -u).for_error(0.15).coverage)
    assert 0.6 < np.mean(coverage) < 0.7


def test_confidence_that_says_nothing_does_not_stop_at_the_first_look():
    rng = np.random.default_rng(3)
    wrong = (rng.random((50, 1000)) < 0.1).astype(int)
    answered = [risk_coverage(np.zeros(1000), row, np.arange(1000)).for_error(0.15).coverage for row in wrong]
    assert np.mean(answered) > 0.8


def test_the_band_is_the_exact_interval_of_each_point():
    curve = risk_coverage(TRUTH, SAID, SURE, level=0.9)
    low, high = curve.band
    for at, (answered, wrong) in enumerate([(1, 0), (2, 1), (3, 1), (5, 2)]):
        expected = proportion_interval(wrong, answered, 0.9)
        assert (low[at], high[at]) == pytest.approx((expected.low, expected.high))


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from([0, 1, 2, None]), st.integers(0, 6), st.integers(1, 3)), min_size=1
    )
)
@settings(deadline=None, max_examples=80)
def test_agrees_with_counting_row_by_row(cases):
    truth, said, sure, weight = (list(column) for column in zip(*cases))
    curve = risk_coverage(truth, said, sure, sample_weight=weight)
    for threshold in [-1, *range(7), 2.5]:
        given_ = [case for case in cases if case[1] is not None and case[2] > threshold]
        answered = sum(case[3] for case in given_)
        wrong = sum(case[3] for case in given_ if case[0] != case[1])
        expected = (answered / sum(weight), wrong / answered if answered else 0.0)
        assert curve.at(threshold) == pytest.approx(expected)
    answers = [s if s is not None and c > 2 else None for s, c in zip(said, sure)]
    w = {"sample_weight": weight}
    assert curve.at(2) == pytest.approx((m.coverage(truth, answers, **w), m.selective_error(truth, answers, **w)))
    repeated = [case for case in cases for _ in range(case[3])]
    again = risk_coverage(*([case[at] for case in repeated] for at in range(3)))
    assert (again.n_cases, again.aurc) == pytest.approx((curve.n_cases, curve.aurc))


@given(st.integers(0, 10_000), st.floats(0.0, 1.2))
@settings(deadline=None, max_examples=50)
def test_no_threshold_costs_less_than_the_one_chosen_by_cost(seed, cost):
    rng = np.random.default_rng(seed)
    truth, said, sure = rng.integers(0, 2, 30), rng.integers(0, 2, 30), rng.integers(0, 9, 30)
    choice = risk_coverage(truth, said, sure).for_cost(cost)

    def mean_cost(threshold):
        answered = sure > threshold
        return ((truth != said) & answered).mean() + cost * (~answered).mean()

    assert mean_cost(choice.threshold) == pytest.approx(min(map(mean_cost, [-1, *range(9)])))


def test_the_promised_error_is_exceeded_no_more_often_than_stated():
    # Confidence is even on (0, 1) and an answer of confidence u is wrong with probability (1 - u)/2, so the error of
    # the answered above t is (1 - t)/4.
    rng, target, level, broken, times = np.random.default_rng(1), 0.1, 0.8, 0, 400
    for _ in range(times):
        sure = rng.random(300)
        wrong = rng.random(300) < (1 - sure) / 2
        threshold = risk_coverage(np.zeros(300), wrong.astype(int), sure).for_error(target, level).threshold
        broken += (1 - max(threshold, 0)) / 4 > target
    assert 0 < broken <= times * (1 - level)


def test_metrics_that_count_abstentions_worked_by_hand():
    truth, said = ["a", "a", "b", "b", "b"], ["a", None, "a", "b", None]
    assert m.coverage(truth, said) == pytest.approx(3 / 5)
    assert m.selective_error(truth, said) == pytest.approx(1 / 3)
    assert m.reject_cost(truth, said, cost=0.1) == pytest.approx((1 + 0.2) / 5)
    assert m.selective_error(truth, [None] * 5) == 0.0
    matrix = confusion(truth, said)
    assert (matrix.coverage, matrix.selective_error) == pytest.approx((3 / 5, 1 / 3))
    assert matrix.abstained.tolist() == [1, 1]


def test_impossible_requests_are_refused():
    curve = risk_coverage(TRUTH, SAID, SURE)
    for ask in (lambda: curve.for_error(0.0), lambda: curve.for_error(0.1, level=1.0), lambda: curve.for_cost(-1)):
        with pytest.raises(ParameterError, match="must"):
            ask()
    with pytest.raises(ParameterError, match="cost must be a number of at least 0"):
        metric("reject_cost", cost=-1)
    with pytest.raises(InputError, match="one number for each of 5 cases"):
        risk_coverage(TRUTH, SAID, SURE[:4])
    with pytest.raises(InputError, match="none missing"):
        risk_coverage(TRUTH, SAID, [*SURE[:4], math.nan])
