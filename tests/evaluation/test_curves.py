"""margin.evaluation.curves.thresholds: worked by hand, against counting, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.errors import InputError, LabelError, ParameterError
from margin.evaluation import gain_curve, precision_recall_curve, proportion_interval, roc_curve

TRUTH = ["y", "n", "y", "n", "n", "y"]
SCORES = [0.9, 0.8, 0.7, 0.7, 0.2, 0.1]


def test_a_small_curve_by_hand_with_a_tie():
    curve = roc_curve(TRUTH, SCORES)
    assert curve.thresholds.tolist() == [np.inf, 0.9, 0.8, 0.7, 0.2, 0.1]
    assert curve.tpr.tolist() == pytest.approx([0, 1 / 3, 1 / 3, 2 / 3, 2 / 3, 1])
    assert curve.fpr.tolist() == pytest.approx([0, 0, 1 / 3, 2 / 3, 1, 1])
    assert curve.positive == "y"
    assert curve.area.value == pytest.approx(4.5 / 9)
    assert np.trapezoid(curve.tpr, curve.fpr) == pytest.approx(4.5 / 9)


def test_the_best_threshold_by_youden_by_cost_and_by_f1():
    curve = roc_curve(TRUTH, SCORES)
    assert curve.best().threshold == 0.9
    # Misses cost 10: everything is answered. Alarms cost 10: only the surest.
    assert curve.best("cost", miss=10).threshold == 0.1
    assert curve.best("cost", alarm=10).threshold == 0.9
    assert curve.best("cost", alarm=10, prevalence=0.01).threshold == 0.9
    assert curve.best("cost", miss=1, alarm=1, prevalence=0.0).tpr <= 1 / 3
    # F1: 2·1/4, 2·1/5, 2·2/7, 2·2/8, 2·3/9
    best = precision_recall_curve(TRUTH, SCORES).best()
    assert best.threshold == 0.1
    assert "F1 0.667" in str(best)
    assert precision_recall_curve(TRUTH, SCORES).best(beta=0.2).threshold == 0.9


def test_gain_and_lift_by_hand():
    curve = gain_curve(TRUTH, SCORES)
    assert curve.share.tolist() == pytest.approx([0, 1 / 6, 2 / 6, 4 / 6, 5 / 6, 1])
    assert curve.gain.tolist() == pytest.approx([0, 1 / 3, 1 / 3, 2 / 3, 2 / 3, 1])
    assert curve.lift_at(1 / 6) == pytest.approx(2.0)
    assert curve.lift_at(1.0) == pytest.approx(1.0)
    assert np.isnan(curve.lift[0])


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.booleans(), st.integers(-3, 3), st.integers(1, 3)), min_size=2, max_size=30))
def test_every_point_counts_the_cases_at_or_above_its_threshold(cases):
    truth, score, weight = (np.array(column) for column in zip(*cases))
    if truth.all() or not truth.any():
        return
    curve = roc_curve(truth, score, sample_weight=weight)
    precise = precision_recall_curve(truth, score, sample_weight=weight)
    for at, threshold in enumerate(curve.thresholds):
        taken = score >= threshold
        assert curve.tpr[at] == pytest.approx(weight[taken & truth].sum() / weight[truth].sum())
        assert curve.fpr[at] == pytest.approx(weight[taken & ~truth].sum() / weight[~truth].sum())
        if taken.any():
            assert precise.precision[at] == pytest.approx(weight[taken & truth].sum() / weight[taken].sum())
    low, high = curve.pointwise()
    assert ((low <= curve.tpr + 1e-12) & (curve.tpr <= high + 1e-12)).all()
    _, below, above = curve.band(curve.fpr)
    assert ((below <= curve.tpr + 1e-12) & (curve.tpr <= above + 1e-12)).all()


def test_intervals_of_a_point_are_those_of_a_share():
    curve = roc_curve(TRUTH, SCORES, confidence=0.9)
    low, high = curve.pointwise()
    for at, hits in enumerate([0, 1, 1, 2, 2, 3]):
        expected = proportion_interval(hits, 3, 0.9)
        assert (low[at], high[at]) == pytest.approx((expected.low, expected.high))
    assert curve.pointwise_fpr()[1][-1] == 1.0


def test_a_column_per_class_and_one_of_three_classes():
    shares = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.3, 0.4, 0.3]])
    curve = roc_curve(["a", "b", "c", "a"], shares, positive="a")
    assert curve.thresholds.tolist() == [np.inf, 0.7, 0.3, 0.2, 0.1]
    assert curve.area.value == 1.0
    with pytest.raises(InputError, match="name the positive class of 3"):
        roc_curve(["a", "b", "c", "a"], shares)
    with pytest.raises(LabelError, match="'z' is none of the classes"):
        roc_curve(["a", "b", "c", "a"], shares, positive="z")


def test_impossible_requests_are_refused():
    curve = roc_curve(TRUTH, SCORES)
    for call in (
        lambda: curve.best("luck"),
        lambda: curve.best("cost", miss=-1),
        lambda: curve.best("cost", prevalence=2),
        lambda: precision_recall_curve(TRUTH, SCORES).best(beta=0),
        lambda: gain_curve(TRUTH, SCORES).lift_at(0),
    ):
        with pytest.raises(ParameterError):
            call()
    assert "area 0.500" in repr(curve)
    assert "lift" in repr(gain_curve(TRUTH, SCORES))
