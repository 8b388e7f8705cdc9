"""margin.evaluation.predictions.ranking:
worked by hand, against slow definitions over all pairs of cases, and as properties.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.errors import InputError
from margin.evaluation.predictions.ranking import Ranking, area_covariance
from margin.parallel import threads

#: Few different scores, so that there are ties; both infinities and both zeros among them.
SCORES = st.sampled_from([-np.inf, -2.5, -1e-310, -0.0, 0.0, 0.25, 1.0, 1e300, np.inf])
CASES = st.lists(st.tuples(SCORES, st.booleans(), st.integers(1, 8)), min_size=1, max_size=30)


def columns(cases, weighted):
    score, positive, weight = (np.array(column) for column in zip(*cases))
    return score.astype(float), positive, weight / 4 if weighted else None


def placements_by_definition(score, positive, weight):
    """Each case against all cases of the other side: O(n²)."""
    w = np.ones(len(score)) if weight is None else weight
    beats = (score[:, None] > score[None, :]) + 0.5 * (score[:, None] == score[None, :])
    below = beats @ (w * ~positive) / (w * ~positive).sum()
    above = (w * positive) @ beats / (w * positive).sum()
    return np.where(positive, below, above)


def test_an_area_worked_by_hand():
    # Positives 0.9 and 0.6, others 0.7, 0.6 and 0.1: 0.9 beats 3, 0.6 beats 1 and ties with 1.
    ranking = Ranking(np.array([0.9, 0.7, 0.6, 0.6, 0.1]), np.array([True, False, True, False, False]))
    assert ranking.area == 4.5 / 6
    assert ranking.average_precision == pytest.approx((1 / 1 + 2 / 4) / 2)
    assert ranking.placements().tolist() == pytest.approx([1, 1 / 2, 1 / 2, 3 / 4, 1])
    # Sample variances of (1, 1/2) over 2 and of (1/2, 3/4, 1) over 3.
    assert ranking.area_variance == pytest.approx(0.125 / 2 + 0.0625 / 3)
    assert ranking.thresholds.tolist() == [0.9, 0.7, 0.6, 0.1]
    assert ranking.true_positives.tolist() == [1, 1, 2, 2]
    assert ranking.false_positives.tolist() == [0, 1, 2, 3]


@settings(deadline=None, max_examples=150)
@given(CASES, st.booleans())
def test_areas_placements_and_variance_agree_with_their_definitions(cases, weighted):
    score, positive, weight = columns(cases, weighted)
    ranking = Ranking(score, positive, weight)
    if positive.all() or not positive.any():
        assert np.isnan(ranking.area)
        assert np.isnan(ranking.area_variance)
        return
    placed = placements_by_definition(score, positive, weight)
    w = np.ones(len(score)) if weight is None else weight
    area = np.average(placed[positive], weights=w[positive])
    assert ranking.area == pytest.approx(area, abs=1e-12)
    assert ranking.area == pytest.approx(np.average(placed[~positive], weights=w[~positive]), abs=1e-12)
    assert ranking.placements() == pytest.approx(placed, abs=1e-12)
    variance = 0.0
    for side in (positive, ~positive):
        n = side.sum()
        variance += np.sum((w[side] / w[side].sum() * (placed[side] - area)) ** 2) * n / max(n - 1, 1)
    assert ranking.area_variance == pytest.approx(variance, abs=1e-12)
    if not weighted and min(positive.sum(), (~positive).sum()) > 1:
        of_means = [np.var(placed[side], ddof=1) / side.sum() for side in (positive, ~positive)]
        assert ranking.area_variance == pytest.approx(sum(of_means), abs=1e-12)


@settings(deadline=None, max_examples=150)
@given(CASES, st.booleans())
def test_the_curve_and_average_precision_agree_with_their_definitions(cases, weighted):
    score, positive, weight = columns(cases, weighted)
    ranking = Ranking(score, positive, weight)
    w = np.ones(len(score)) if weight is None else weight
    levels = sorted(set(score.tolist()), reverse=True)
    assert ranking.thresholds.tolist() == levels
    assert ranking.true_positives.tolist() == [w[positive & (score >= level)].sum() for level in levels]
    assert ranking.false_positives.tolist() == [w[~positive & (score >= level)].sum() for level in levels]
    if not positive.any():
        assert np.isnan(ranking.average_precision)
        return
    hits, alarms = ranking.true_positives, ranking.false_positives
    added = np.diff(hits, prepend=0.0)
    assert ranking.average_precision == pytest.approx(added @ (hits / (hits + alarms)) / hits[-1], abs=1e-12)


@settings(deadline=None, max_examples=50)
@given(CASES)
def test_whole_number_weights_are_repeated_cases(cases):
    score, positive, times = (np.array(column) for column in zip(*cases))
    weighted = Ranking(score, positive, times.astype(float))
    repeated = Ranking(np.repeat(score, times), np.repeat(positive, times))
    assert weighted.area == pytest.approx(repeated.area, nan_ok=True)
    assert weighted.average_precision == pytest.approx(repeated.average_precision, nan_ok=True)
    assert weighted.true_positives.tolist() == repeated.true_positives.tolist()


@settings(deadline=None, max_examples=50)
@given(CASES.filter(lambda cases: 0 < sum(positive for _, positive, _ in cases) < len(cases)), st.booleans())
def test_the_covariance_of_two_areas_makes_up_the_variance_of_their_placements(cases, weighted):
    score, positive, weight = columns(cases, weighted)
    one, other = Ranking(score, positive, weight), Ranking(np.roll(score, 1), positive, weight)
    assert area_covariance(one, one) == pytest.approx(one.area_variance, abs=1e-12)
    assert area_covariance(one, other) == pytest.approx(area_covariance(other, one), abs=1e-12)
    # |cov| is no larger than the geometric mean of the variances.
    assert area_covariance(one, other) ** 2 <= one.area_variance * other.area_variance + 1e-12


@pytest.mark.parametrize("n", [0, 1, 2047, 2048, 2049, 200_001])
@pytest.mark.parametrize("distinct", [3, 10**9])
def test_any_number_of_threads_and_any_layout_give_the_same_bits(n, distinct):
    random = np.random.default_rng(n)
    score = random.integers(distinct, size=n) / 7 - distinct / 20
    positive, weight = random.random(n) < 0.3, random.random(n)
    seen = set()
    matrix = np.column_stack([np.zeros(n), score])
    for count, given_ in ((1, score), (2, matrix[:, 1]), (5, score[::-1].copy()[::-1])):
        with threads(count):
            bits = []
            for w in (None, weight):
                ranking = Ranking(given_, positive, w)
                bits += [np.float64(ranking.area).tobytes(), np.float64(ranking.average_precision).tobytes()]
                bits += [np.float64(ranking.area_variance).tobytes(), ranking.placements().tobytes()]
                bits += [part.tobytes() for part in (ranking.thresholds, ranking.true_positives)]
            seen.add(b"".join(bits))
    assert len(seen) == 1


def test_many_cases_agree_with_sorting_by_numpy():
    random = np.random.default_rng(5)
    n = 300_000
    positive = random.random(n) < 0.4
    score = np.where(random.random(n) < 0.5, random.normal(size=n) + positive, np.round(random.normal(size=n), 2))
    weight = random.random(n)
    order = np.argsort(-score, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(score[order]) < 0, True))
    ranking = Ranking(score, positive, weight)
    hits, alarms = np.cumsum((weight * positive)[order])[ends], np.cumsum((weight * ~positive)[order])[ends]
    assert np.array_equal(ranking.thresholds, score[order][ends])
    assert np.allclose(ranking.true_positives, hits, rtol=1e-12, atol=0)
    area = np.trapezoid(np.append(0, hits), np.append(0, alarms)) / (hits[-1] * alarms[-1])
    assert ranking.area == pytest.approx(area, rel=1e-12)
    plain = Ranking(score, positive)
    placed = plain.placements()
    assert plain.area == pytest.approx(placed[positive].mean(), rel=1e-12)
    variance = sum(np.var(placed[side], ddof=1) / side.sum() for side in (positive, ~positive))
    assert plain.area_variance == pytest.approx(variance, rel=1e-10)


def test_scores_that_are_no_numbers_or_too_few_are_refused():
    positive = np.array([True, False, True])
    for ask in (lambda ranking: ranking.area, lambda ranking: ranking.thresholds, Ranking.placements):
        with pytest.raises(InputError, match="1 are NaN, first in row 2"):
            ask(Ranking(np.array([1.0, 2.0, np.nan]), positive))
        with pytest.raises(InputError, match="one score"):
            ask(Ranking(np.array([1.0, 2.0]), positive))
    one, other = (Ranking(np.array([1.0, 2.0, 3.0]), side) for side in (positive, ~positive))
    with pytest.raises(InputError, match="same cases"):
        area_covariance(one, other)


def test_scores_of_other_number_types_are_ranked_too():
    positive = np.array([True, False, True, False])
    for type_ in ("f4", "i8", "u1", ">f8", "f2"):
        ranking = Ranking(np.array([3, 1, 2, 2]).astype(type_), positive)
        assert ranking.area == 3.5 / 4
        assert ranking.thresholds.tolist() == [3, 2, 1]
