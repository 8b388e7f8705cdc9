"""Protocols beside the splitters of scikit-learn: the same where determined, as balanced where not."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import KFold, StratifiedGroupKFold, TimeSeriesSplit, cross_val_score
from sklearn.naive_bayes import GaussianNB

from margin.evaluation import Folds, GroupFolds, StratifiedFolds, TimeOrdered, evaluate


def listed(splits):
    return [(train.tolist(), test.tolist()) for train, test in splits]


@pytest.mark.parametrize(("n", "folds"), [(20, 4), (23, 5), (7, 7)])
def test_folds_in_order_are_those_of_scikit_learn(n, folds):
    assert listed(Folds(folds, shuffle=False).split(np.zeros(n))) == listed(KFold(folds).split(np.zeros((n, 1))))


@pytest.mark.parametrize(("gap", "window"), [(0, None), (2, None), (1, 6)])
def test_stretches_of_time_are_those_of_scikit_learn_where_rows_divide_evenly(gap, window):
    theirs = TimeSeriesSplit(4, gap=gap, max_train_size=window).split(np.zeros((30, 1)))
    assert listed(TimeOrdered(folds=4, gap=gap, window=window).split(np.zeros(30))) == listed(theirs)


def test_folds_by_group_are_at_least_as_balanced_as_scikit_learns():
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(80), random.integers(1, 30, size=80))
    y = (random.random(len(groups)) < 0.1 + 0.6 * (groups % 3 == 0)).astype(int)

    def unevenness(splits):
        counts = np.array([np.bincount(y[test], minlength=2) for _, test in splits])
        return np.ptp(counts.sum(axis=1)), np.ptp(counts[:, 1])

    ours = unevenness(GroupFolds(groups, 5).split(y))
    theirs = unevenness(StratifiedGroupKFold(5).split(np.zeros((len(y), 1)), y, groups))
    assert ours[0] <= theirs[0]
    assert ours[1] <= theirs[1] + 2


def test_scores_are_those_of_cross_val_score_on_the_same_folds():
    X, y = load_iris(return_X_y=True)
    protocol = StratifiedFolds(10, repeats=2)
    theirs = cross_val_score(GaussianNB(), X, y, cv=list(protocol.split(y)))
    np.testing.assert_allclose(evaluate(GaussianNB(), X, y, protocol).fold_scores["accuracy"], theirs)
