"""How often intervals of 95 % hold the true value, by simulation with fixed seeds, and what happens at the edges."""

import numpy as np
import pytest
from scipy import stats

import margin.evaluation.metrics.definitions as m
from margin.evaluation import Answers, bootstrap_interval, metric, proportion_interval
from margin.evaluation.curves.thresholds import roc_curve
from margin.evaluation.intervals.interval import acceleration, bca_interval, jackknife_interval
from margin.evaluation.metrics.areas import RocArea, perfect_interval
from margin.evaluation.predictions.from_arrays import answers_of
from margin.evaluation.scoring.of_cases import score_cases

BAND = 0.93, 0.97


def share_that_covers(truth, intervals):
    return float(np.mean([truth in interval for interval in intervals]))


@pytest.mark.golden("H4")
@pytest.mark.parametrize("accuracy", [0.7, 0.85, 0.95])
def test_accuracy_is_covered_by_wilson_as_often_as_it_says_and_by_the_exact_interval_at_least_so(accuracy):
    """Exactly, from the chance of every count, averaged over accuracies nearby so that the steps of counts even out."""
    n = 200
    exact, wilson = ([proportion_interval(k, n, method=how) for k in range(n + 1)] for how in ("exact", "wilson"))
    nearby = np.linspace(accuracy - 0.02, accuracy + 0.02, 41)
    covered = {"exact": [], "wilson": []}
    for share in nearby:
        chance = stats.binom.pmf(np.arange(n + 1), n, share)
        for name, intervals in (("exact", exact), ("wilson", wilson)):
            covered[name].append(sum(p for p, interval in zip(chance, intervals) if share in interval))
    assert BAND[0] <= np.mean(covered["wilson"]) <= BAND[1]
    assert min(covered["exact"]) >= 0.95
    assert BAND[0] <= np.mean(covered["exact"]) <= 0.98  # conservative, and not by much


@pytest.mark.golden("H4")
@pytest.mark.parametrize(
    ("positives", "others", "apart"), [(50, 50, 1.0), (60, 90, 1.5), (30, 150, 2.0), (100, 100, 0.5)]
)
def test_the_area_under_the_roc_curve_is_covered_as_often_as_delongs_interval_says(positives, others, apart):
    random = np.random.default_rng(1)
    truth = np.repeat([1, 0], [positives, others])
    true_area = stats.norm.cdf(apart / np.sqrt(2))
    intervals = []
    for score in random.normal(size=(1000, len(truth))) + apart * truth:
        answers = Answers(np.array([0, 1]), truth, scores=np.column_stack([-score, score]))
        intervals.append(RocArea(answers, None, "macro").interval(0.95))
    assert BAND[0] <= share_that_covers(true_area, intervals) <= BAND[1]


def test_the_area_over_three_classes_is_covered_as_often_as_it_says():
    """Scores of a class are normal and one higher where it is true; every area is that of one apart."""
    random = np.random.default_rng(2)
    truth = np.repeat([0, 1, 2], [40, 50, 60])
    true_area = stats.norm.cdf(1 / np.sqrt(2))
    for multiclass in ("ovr", "ovo"):
        intervals = []
        for noise in random.normal(size=(300, len(truth), 3)):
            answers = Answers(np.arange(3), truth, scores=noise + np.eye(3)[truth])
            intervals.append(RocArea(answers, None, "macro", multiclass).interval(0.95))
        assert BAND[0] <= share_that_covers(true_area, intervals) <= BAND[1]


@pytest.mark.golden("H4")
@pytest.mark.parametrize(
    ("cells", "options"),
    [
        ([[0.5, 0.1], [0.1, 0.3]], {"positive": 1}),
        ([[0.7, 0.05], [0.1, 0.15]], {}),
        ([[0.3, 0.05, 0.05], [0.05, 0.2, 0.05], [0.05, 0.05, 0.2]], {}),
    ],
)
def test_f1_is_covered_as_often_as_the_bootstrap_says(cells, options):
    random = np.random.default_rng(3)
    cells, f1 = np.array(cells), metric("f1", **options)
    classes = np.arange(len(cells))
    truth = float(f1.of_tables(np.column_stack([cells, 0 * classes]), classes))
    intervals = []
    for trial, counts in enumerate(random.multinomial(150, cells.ravel(), size=500)):
        cell = np.repeat(np.arange(cells.size), counts)
        answers = Answers(classes, cell // len(cells), cell % len(cells))
        intervals.append(bootstrap_interval(f1, answers, resamples=500, seed=trial))
    assert BAND[0] <= share_that_covers(truth, intervals) <= BAND[1]


def test_average_precision_is_covered_about_as_often_as_it_says():
    random = np.random.default_rng(4)
    # The truth: the average precision of very many cases of the same kind.
    many = np.repeat([1, 0], [60_000, 140_000])
    true_value = m.average_precision(many, random.normal(size=len(many)) + 1.5 * many)
    truth = np.repeat([1, 0], [45, 105])
    by_bootstrap, by_jackknife = [], []
    for score in random.normal(size=(200, 150)) + 1.5 * truth:
        answers = Answers(np.array([0, 1]), truth, scores=np.column_stack([-score, score]))
        by_bootstrap.append(bootstrap_interval(m.average_precision, answers, resamples=300))
        value, influence = m.average_precision.value(answers), m.average_precision.influence(answers)
        by_jackknife.append(jackknife_interval(value, *influence, 0.95, (0.0, 1.0)))
    assert 0.91 <= share_that_covers(true_value, by_bootstrap) <= 0.98
    assert 0.91 <= share_that_covers(true_value, by_jackknife) <= 0.98


def test_calibration_error_is_covered_though_chance_opens_gaps():
    """Forecasts p come true with p^0.8 / (p^0.8 + (1-p)^0.8); the true error is that of very many of them."""
    random = np.random.default_rng(6)

    def cases(n):
        said = random.beta(2, 2, size=n)
        odds = (said / (1 - said)) ** 0.8
        truth = (random.random(n) < odds / (1 + odds)).astype(int)
        return Answers(np.array([0, 1]), truth, probabilities=np.column_stack([1 - said, said]))

    true_error = m.calibration_error.value(cases(400_000))
    samples = [cases(300) for _ in range(200)]
    intervals = [bootstrap_interval(m.calibration_error, sample, resamples=200) for sample in samples]
    assert intervals[0].method == "bootstrap basic"
    assert share_that_covers(true_error, [interval.clipped(0, 1) for interval in intervals]) >= 0.9
    # What is seen is too large on average, which the interval knows.
    assert np.mean([m.calibration_error.value(sample) for sample in samples]) > 1.3 * true_error


def test_the_band_of_a_roc_curve_holds_the_whole_true_curve_at_least_as_often_as_it_says():
    random = np.random.default_rng(5)
    truth, grid = np.repeat([1, 0], 80), np.linspace(0, 1, 41)
    true_curve = stats.norm.sf(stats.norm.isf(grid) - 1)
    held = []
    for score in random.normal(size=(300, 160)) + truth:
        _, low, high = roc_curve(truth, score).band(grid)
        held.append(((low <= true_curve + 1e-12) & (true_curve <= high + 1e-12)).all())
    assert np.mean(held) >= 0.95
    assert (high - low).mean() < 0.6  # and it still says something


# ---- Edges.


def test_a_perfect_ranking_of_few_cases_may_yet_be_imperfect():
    score = m.roc_auc.score([0, 0, 0, 1, 1, 1, 1], [1, 2, 3, 4, 5, 6, 7])
    assert score.value == 1.0
    # three separate pairs in order: a³ = 0.025
    assert score.interval.low == pytest.approx(0.025 ** (1 / 3))
    assert score.interval.high == 1.0
    worst = m.roc_auc.score([1, 1, 0, 0], [1, 2, 3, 4])
    assert (worst.value, worst.interval.low, worst.interval.high) == pytest.approx((0.0, 0.0, 1 - 0.025**0.5))
    assert perfect_interval(1.0, 1000, 0.95).low > 0.996


def test_no_mistake_does_not_mean_none_to_come():
    score = m.f1.score(["a", "b"] * 10, ["a", "b"] * 10)
    assert score.value == 1.0
    assert score.interval.method == "mistakes unseen"
    # 20 cases without a mistake: up to 1 - 0.025^(1/20) of them may be wrong, in both classes alike
    assert score.interval.low == pytest.approx(0.025 ** (1 / 20), abs=1e-9)
    assert m.matthews.score(["a", "b"] * 10, ["a", "b"] * 10).interval.low < 0.7
    assert m.average_precision.score([0, 0, 1, 1], [1, 2, 3, 4]).interval.low < 0.2


def test_shares_of_one_class_are_exact_given_their_denominator():
    truth, said = ["y"] * 10 + ["n"] * 30, ["y"] * 7 + ["n"] * 3 + ["y"] * 2 + ["n"] * 28
    for which, part, whole in ((m.recall, 7, 10), (m.precision, 7, 9), (m.specificity, 28, 30), (m.jaccard, 7, 12)):
        score = which.score(truth, said, positive="y")
        expected = proportion_interval(part, whole)
        assert (score.interval.low, score.interval.high) == (expected.low, expected.high)
        assert f"given the {whole} cases" in score.how
    wilson = score_cases(m.accuracy, Answers.of(truth, said), proportions="wilson")
    assert wilson.interval == proportion_interval(35, 40, method="wilson")
    assert m.recall.score(truth, said, average="macro").interval.method == "bootstrap BCa"


def test_resamples_on_one_side_of_the_value_give_plain_percentiles_and_say_so():
    interval = bca_interval(np.linspace(1, 2, 101), 0.5, np.ones(3), confidence=0.9)
    assert interval.method == "bootstrap percentile"
    assert (interval.low, interval.high) == pytest.approx((1.05, 1.95))
    with_gaps = np.append(np.linspace(1, 2, 101), [np.nan] * 50)
    assert bca_interval(with_gaps, 0.5, np.ones(3), confidence=0.9) == interval


def test_without_bias_and_skewness_bca_is_the_percentile_interval():
    values = np.linspace(-1, 1, 2001)
    interval = bca_interval(values, 0.0, np.array([-1.0, 1.0]), confidence=0.9)
    assert interval.method == "bootstrap BCa"
    assert (interval.low, interval.high) == pytest.approx((-0.9, 0.9), abs=1e-3)
    assert acceleration(np.array([-1.0, 2.0]), np.array([2.0, 1.0])) == pytest.approx((8 - 2) / (6 * 6**1.5))


def test_very_many_cases_are_not_resampled_and_give_the_same_interval():
    random = np.random.default_rng(8)
    truth = random.integers(2, size=12_000)
    shares = np.clip(0.5 + 0.2 * (truth - 0.5) + 0.25 * random.normal(size=12_000), 0.01, 0.99)
    answers = answers_of(truth, (shares > 0.5).astype(int), probabilities=shares)
    weighted = answers_of(truth, (shares > 0.5).astype(int), probabilities=shares, sample_weight=np.ones(12_000))
    for which, given in ((m.average_precision, answers), (m.f1, weighted)):
        quick = score_cases(which, given).interval
        assert quick.method == "jackknife"
        drawn = bootstrap_interval(which, given, resamples=200)
        assert quick.half_width == pytest.approx(drawn.half_width, rel=0.25)
    assert score_cases(m.f1, answers).interval.method == "bootstrap BCa"
    assert score_cases(m.brier, answers).interval.method == "normal"
    assert score_cases(m.calibration_error, answers).interval.method == "jackknife"


def test_the_quick_interval_of_very_many_gaps_is_that_of_the_jackknife():
    random = np.random.default_rng(9)
    shares = random.random(120_000)
    answers = answers_of((random.random(120_000) < shares**2).astype(int), probabilities=shares)
    quick = score_cases(m.calibration_error, answers)
    slow = jackknife_interval(quick.value, *m.calibration_error.influence(answers), 0.95, (0.0, 1.0))
    assert (quick.interval.low, quick.interval.high) == pytest.approx((slow.low, slow.high), rel=1e-6)
    slow = jackknife_interval(
        m.average_precision.value(answers),
        m.average_precision.statistic(answers).by_case,
        None,
        0.95,
        (0.0, 1.0),
    )
    quick = score_cases(m.average_precision, answers).interval
    assert (quick.low, quick.high) == pytest.approx((slow.low, slow.high), rel=1e-4)
