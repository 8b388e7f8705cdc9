"""Rankings, losses and folds of many cases beside scikit-learn's: ties, weights, single and double precision."""

import numpy as np
import pytest
from sklearn import metrics as rival
from sklearn.model_selection import StratifiedKFold

import margin.evaluation.metrics.definitions as m
from margin.evaluation import StratifiedFolds, confusion
from margin.evaluation.predictions.ranking import Ranking

N = 20_000


@pytest.fixture(scope="module")
def cases():
    random = np.random.default_rng(11)
    truth = random.integers(2, size=N)
    return truth, 1 / (1 + np.exp(-(random.normal(size=N) + truth))), random.random(N)


@pytest.mark.parametrize("digits", [1, 2, None])
@pytest.mark.parametrize("weighted", [False, True])
def test_areas_equal_those_of_scikit_learn(cases, digits, weighted):
    truth, score, weight = cases
    score = score if digits is None else np.round(score, digits)
    w = weight if weighted else None
    ranking = Ranking(score, truth == 1, w)
    assert ranking.area == pytest.approx(rival.roc_auc_score(truth, score, sample_weight=w), rel=1e-11)
    theirs = rival.average_precision_score(truth, score, sample_weight=w)
    assert ranking.average_precision == pytest.approx(theirs, rel=1e-11)
    fpr, tpr, thresholds = rival.roc_curve(truth, score, sample_weight=w, drop_intermediate=False)
    assert np.array_equal(ranking.thresholds, thresholds[1:])
    assert np.allclose(ranking.true_positives / ranking.true_positives[-1], tpr[1:], rtol=1e-11)
    assert np.allclose(ranking.false_positives / ranking.false_positives[-1], fpr[1:], rtol=1e-11)


def test_single_precision_scores_rank_as_scikit_learn_ranks_them(cases):
    truth, score, _ = cases
    single = score.astype(np.float32)
    assert Ranking(single, truth == 1).area == pytest.approx(rival.roc_auc_score(truth, single), rel=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_losses_of_one_probability_per_case_equal_those_of_scikit_learn(cases, weighted):
    truth, share, weight = cases
    w = weight if weighted else None
    ours = m.log_loss(truth, share, sample_weight=w)
    assert ours == pytest.approx(rival.log_loss(truth, share, sample_weight=w), rel=1e-12)
    ours = m.brier(truth, share, sample_weight=w)
    assert ours == pytest.approx(rival.brier_score_loss(truth, share, sample_weight=w), rel=1e-12)


@pytest.mark.parametrize("type_", [np.int8, np.uint16, np.int64, bool])
def test_counts_equal_those_of_scikit_learn(type_):
    random = np.random.default_rng(12)
    truth, said = (random.integers(2 if type_ is bool else 7, size=N).astype(type_) for _ in range(2))
    assert np.array_equal(confusion(truth, said).counts, rival.confusion_matrix(truth, said))


def test_folds_hold_as_many_cases_of_each_class_as_those_of_scikit_learn():
    y = np.random.default_rng(13).choice(5, size=N, p=[0.5, 0.3, 0.15, 0.04, 0.01])
    theirs = [np.bincount(y[test]) for _, test in StratifiedKFold(10, shuffle=True, random_state=0).split(y, y)]
    ours = [np.bincount(y[test]) for _, test in StratifiedFolds(10).split(y)]
    assert np.abs(np.sort(ours, axis=0) - np.sort(theirs, axis=0)).max() <= 1
