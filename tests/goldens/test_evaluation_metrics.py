"""The figures every evaluation rests on, worked by hand: ratios of a confusion matrix, F1, losses, ROC."""

import numpy as np
import pytest

import margin
import margin.evaluation.metrics.definitions as m
from margin.evaluation import Answers, proportion_interval
from margin.evaluation.metrics.areas import RocArea

# 100 patients, 40 ill. 30 of the ill are found; 15 of the 60 healthy are alarmed.
TRUTH = ["ill"] * 40 + ["well"] * 60
SAID = ["ill"] * 30 + ["well"] * 10 + ["ill"] * 15 + ["well"] * 45
TP, FN, FP, TN = 30, 10, 15, 45


@pytest.mark.golden("H1")
def test_every_ratio_of_a_confusion_matrix():
    matrix = margin.confusion(TRUTH, SAID)
    assert matrix.counts.tolist() == [[TP, FN], [FP, TN]]
    ratios = {
        m.accuracy: 75 / 100,
        m.error: 25 / 100,
        m.balanced_accuracy: (3 / 4 + 3 / 4) / 2,
        m.precision.with_options(positive="ill"): 30 / 45,
        m.recall.with_options(positive="ill"): 30 / 40,
        m.specificity.with_options(positive="ill"): 45 / 60,
        m.fpr.with_options(positive="ill"): 15 / 60,
        m.f1.with_options(positive="ill"): 60 / 85,
        m.jaccard.with_options(positive="ill"): 30 / 55,
        # chance agreement: (40·45 + 60·55) / 100² = 0.51
        m.kappa: (0.75 - 0.51) / (1 - 0.51),
        m.matthews: (TP * TN - FP * FN) / np.sqrt(45 * 40 * 60 * 55),
        # a patient sent home ill costs 10, a false alarm 1
        m.cost.with_options(costs={("ill", "well"): 10, ("well", "ill"): 1}): (10 * 10 + 15) / 100,
    }
    for which, expected in ratios.items():
        assert which(TRUTH, SAID) == pytest.approx(expected), which
    assert matrix.of("ill")["fpr"] == pytest.approx(15 / 60)
    assert matrix.tpr[0] == pytest.approx(30 / 40)


@pytest.mark.golden("H1")
def test_f1_is_the_harmonic_mean_the_dice_overlap_and_twice_the_hits_over_both():
    precision, recall = m.precision(TRUTH, SAID, positive="ill"), m.recall(TRUTH, SAID, positive="ill")
    ill, alarmed = ({at for at, label in enumerate(labels) if label == "ill"} for labels in (TRUTH, SAID))
    f1 = m.f1(TRUTH, SAID, positive="ill")
    assert f1 == pytest.approx(2 * TP / (2 * TP + FP + FN))
    assert f1 == pytest.approx(2 / (1 / precision + 1 / recall))
    assert f1 == pytest.approx(2 * len(ill & alarmed) / (len(ill) + len(alarmed)))
    jaccard = m.jaccard(TRUTH, SAID, positive="ill")
    assert jaccard == pytest.approx(f1 / (2 - f1))


@pytest.mark.golden("H1")
def test_f_beta_goes_from_precision_to_recall():
    precision, recall = m.precision(TRUTH, SAID, positive="ill"), m.recall(TRUTH, SAID, positive="ill")
    assert m.fbeta(TRUTH, SAID, positive="ill", beta=1) == pytest.approx(m.f1(TRUTH, SAID, positive="ill"))
    assert m.fbeta(TRUTH, SAID, positive="ill", beta=1e-6) == pytest.approx(precision)
    assert m.fbeta(TRUTH, SAID, positive="ill", beta=1e6) == pytest.approx(recall)
    assert m.fbeta(TRUTH, SAID, positive="ill", beta=2) == pytest.approx(5 * TP / (5 * TP + 4 * FN + FP))


@pytest.mark.golden("H1")
def test_with_one_label_a_case_micro_averages_are_the_accuracy():
    random = np.random.default_rng(0)
    truth, said = random.integers(4, size=(2, 200))
    accuracy = m.accuracy(truth, said)
    for which in (m.precision, m.recall, m.f1):
        assert which(truth, said, average="micro") == pytest.approx(accuracy)


@pytest.mark.golden("H1")
def test_log_loss_and_brier_score_by_hand():
    probabilities = [0.9, 0.6, 0.2]
    truth = ["yes", "no", "no"]
    assert m.log_loss(truth, probabilities) == pytest.approx(-np.log([0.9, 0.4, 0.8]).mean())
    assert m.brier(truth, probabilities) == pytest.approx((0.01 + 0.36 + 0.04) / 3)
    parts = margin.brier_decomposition(truth, probabilities)
    # Each probability is a bin of its own: nothing is averaged, so reliability is the score itself, and all the
    # uncertainty 1/3·2/3 is resolved.
    assert parts.reliability == pytest.approx((0.01 + 0.36 + 0.04) / 3)
    assert parts.uncertainty == pytest.approx(2 / 9)
    assert parts.resolution == pytest.approx(2 / 9)


@pytest.mark.golden("H1")
def test_murphys_parts_of_the_brier_score():
    # Said 0.2 ten times, it rained 3 times; said 0.8 ten times, it rained 7 times.
    said = [0.2] * 10 + [0.8] * 10
    rained = [1] * 3 + [0] * 7 + [1] * 7 + [0] * 3
    parts = margin.brier_decomposition(rained, said)
    assert parts.reliability == pytest.approx(0.1**2)
    assert parts.resolution == pytest.approx(0.2**2)
    assert parts.uncertainty == pytest.approx(0.25)
    assert parts.brier == pytest.approx(0.22) == m.brier(rained, said)
    curve = margin.calibration_curve(rained, said, bins=5)
    assert curve.observed[curve.filled].tolist() == pytest.approx([0.3, 0.7])
    assert curve.error == pytest.approx(0.1)


@pytest.mark.golden("H1")
def test_the_area_under_the_roc_curve_is_the_mann_whitney_statistic():
    scores = {"well": [1.0, 2.0, 3.0, 4.0], "ill": [3.0, 4.5, 6.0]}
    pairs = [(ill > well) + (ill == well) / 2 for ill in scores["ill"] for well in scores["well"]]
    truth = ["well"] * 4 + ["ill"] * 3
    given = scores["well"] + scores["ill"]
    assert m.roc_auc(truth, given, positive="ill") == pytest.approx(np.mean(pairs)) == pytest.approx(10.5 / 12)
    curve = margin.roc_curve(truth, given, positive="ill")
    assert np.trapezoid(curve.tpr, curve.fpr) == pytest.approx(10.5 / 12)


@pytest.mark.golden("H1")
def test_precision_and_recall_over_all_thresholds_by_hand():
    curve = margin.precision_recall_curve([1, 0, 1, 0, 0], [5, 4, 3, 2, 1])
    assert curve.recall.tolist() == [0, 0.5, 0.5, 1, 1, 1]
    assert curve.precision.tolist() == pytest.approx([1, 1, 1 / 2, 2 / 3, 2 / 4, 2 / 5])
    assert curve.average_precision.value == pytest.approx((1 + 2 / 3) / 2)


@pytest.mark.golden("H4")
def test_delongs_variance_by_hand():
    # Positives beat 1 and 1/2 of the others (3 over {2, 0}, 1 over {0}); the others are beaten by 1 and 1/2.
    answers = Answers(np.array([0, 1]), np.array([1, 1, 0, 0]), scores=np.array([[-3.0, 3], [-1, 1], [-2, 2], [0, 0]]))
    area = RocArea(answers, None, "macro")
    assert area.value == 0.75
    # placements 1, 0.5 on either side: sample variance 0.125 each, over 2 cases each
    assert area.variance == pytest.approx(0.125 / 2 + 0.125 / 2)


@pytest.mark.golden("H4")
def test_no_mistake_in_thirty_cases_still_leaves_a_tenth():
    # The rule of three: (1 - p)^30 = 0.025 at p = 0.116.
    assert proportion_interval(0, 30).high == pytest.approx(1 - 0.025 ** (1 / 30)) == pytest.approx(0.1157, abs=1e-4)
