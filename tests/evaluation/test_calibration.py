"""margin.evaluation.curves.calibration: by hand, by definition, and the parts of the Brier score add up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import margin.evaluation.metrics.definitions as m
from margin.errors import InputError, LabelError, ParameterError
from margin.evaluation import brier_decomposition, calibration_curve, proportion_interval


def test_bins_of_equal_width_by_hand():
    truth = [0, 0, 1, 1, 1]
    curve = calibration_curve(truth, [0.1, 0.25, 0.3, 0.5, 0.95], bins=4)
    assert curve.edges.tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert curve.counts.tolist() == [2, 2, 0, 1]  # 0.25 and 0.5 belong to the bin below
    assert curve.mean_confidence[[0, 1, 3]].tolist() == pytest.approx([0.175, 0.4, 0.95])
    assert curve.observed[[0, 1, 3]].tolist() == pytest.approx([0, 1, 1])
    assert np.isnan(curve.observed[2])
    expected = proportion_interval(0, 2, method="wilson")
    assert (curve.low[0], curve.high[0]) == pytest.approx((expected.low, expected.high))
    assert curve.error == pytest.approx((2 * 0.175 + 2 * 0.6 + 0.05) / 5)
    assert curve.max_error == pytest.approx(0.6)
    assert "calibration error 0.3200" in str(curve)
    assert "<table>" in curve._repr_html_()


@pytest.mark.parametrize("bins", [3, 7, 10, 15])
def test_a_value_on_an_edge_belongs_to_the_bin_below_it(bins):
    edges = np.linspace(0, 1, bins + 1)
    values = np.concatenate([edges, np.nextafter(edges[1:-1], 0), np.nextafter(edges[1:-1], 1)])
    curve = calibration_curve(np.arange(len(values)) % 2, values, bins=bins)
    expected = np.zeros(bins)
    for value in values:
        expected[max(int(np.searchsorted(edges, value, side="left")) - 1, 0)] += 1
    assert curve.counts.tolist() == expected.tolist()


def test_bins_of_equal_counts_and_the_most_probable_class():
    random = np.random.default_rng(0)
    shares = random.dirichlet(np.ones(3), size=300)
    truth = [random.choice(3, p=row) for row in shares]
    curve = calibration_curve(truth, shares, strategy="count", bins=5)
    assert curve.positive is None
    assert curve.counts.tolist() == pytest.approx([60] * 5, abs=1)
    assert curve.error == pytest.approx(m.calibration_error(truth, shares, strategy="count", bins=5))
    one = calibration_curve(truth, shares, positive=2)
    assert one.counts.sum() == 300
    assert one.observed[one.filled] @ one.counts[one.filled] == pytest.approx(truth.count(2))


def test_weights_count_and_widen_the_intervals():
    truth, shares = [0, 1, 1, 0] * 20, [0.2, 0.7, 0.9, 0.3] * 20
    plain = calibration_curve(truth, shares, bins=2)
    same = calibration_curve(truth, shares, bins=2, sample_weight=np.full(80, 3.0))
    assert same.observed.tolist() == plain.observed.tolist()
    assert same.low.tolist() == pytest.approx(plain.low.tolist())
    uneven = calibration_curve(truth, shares, bins=2, sample_weight=[1, 1, 1, 5] * 20)
    assert (uneven.high - uneven.low)[0] > (plain.high - plain.low)[0]


CASES = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 6), st.integers(0, 6), st.integers(1, 3)), min_size=1)


@settings(deadline=None, max_examples=60)
@given(CASES, st.sampled_from([None, 1, 3, 10]), st.sampled_from(["width", "count"]))
def test_the_parts_of_the_brier_score_add_up(cases, bins, strategy):
    truth, first, second, weight = (np.array(column) for column in zip(*cases))
    shares = np.column_stack([first, second, np.full(len(truth), 2)]) / (first + second + 2)[:, None]
    given_ = {"classes": [0, 1, 2], "sample_weight": weight}
    parts = brier_decomposition(truth, shares, bins=bins, strategy=strategy, **given_)
    assert parts.brier == pytest.approx(m.brier(truth, shares, **given_))
    assert min(parts.reliability, parts.resolution, parts.uncertainty, parts.within_variance) >= -1e-12
    if bins is None:
        assert (parts.within_variance, parts.within_covariance) == pytest.approx((0, 0), abs=1e-12)


def test_forecasts_that_mean_what_they_say_have_no_reliability_term():
    said = np.repeat([0.25, 0.75], 4)
    happened = [1, 0, 0, 0, 1, 1, 1, 0]
    parts = brier_decomposition(happened, said)
    assert parts.reliability == pytest.approx(0)
    assert parts.skill == pytest.approx(1 - 0.1875 / 0.25)
    assert "+ variance within bins" in str(brier_decomposition(happened, said, bins=1))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: calibration_curve([0, 1], [0.5, 1.5]), InputError),
        (lambda: calibration_curve([0, 1], [0.5, 0.5], bins=0), ParameterError),
        (lambda: calibration_curve([0, 1], [0.5, 0.5], strategy="depth"), ParameterError),
        (lambda: calibration_curve([0, 1], [0.5, 0.5], positive=7), LabelError),
        (lambda: brier_decomposition([], np.empty((0, 2)), classes=[0, 1]), InputError),
    ],
)
def test_impossible_requests_are_refused(call, error):
    with pytest.raises(error):
        call()
