"""Random forests beside scikit-learn's on real sets: out of bag, no further apart than seeds make either.

A row drawn twice counts as two cases here, and levels are divided into sets where there their codes are thresholds, so
that trees differ; accuracies do not. ``examples/forests_on_real_sets.py`` prints ten sets.
"""

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier as SklearnTrees
from sklearn.ensemble import RandomForestClassifier as SklearnForest

from margin import ExtraTreesClassifier, RandomForestClassifier, read
from tests.shared_data import shared_data

SEEDS = range(4)


def numbers_of(name):
    table = read(shared_data(f"{name}.arff.gz"))
    X, y = table.target(table.schema.names[-1])
    return np.column_stack([X.values(column) for column in X.schema.names]).astype(float), np.asarray(y)


@pytest.mark.parametrize("name", ["glass", "heart-statlog", "diabetes"])
@pytest.mark.parametrize("random_splits", [False, True])
def test_accuracy_out_of_bag_is_that_of_scikit_learn_within_the_spread_of_seeds(name, random_splits):
    X, y = numbers_of(name)
    ours, theirs = (ExtraTreesClassifier, SklearnTrees) if random_splits else (RandomForestClassifier, SklearnForest)
    given = {"bootstrap": True, "oob_score": True}
    mine = [ours(random_state=s, **given).fit(X, y).oob_score_ for s in SEEDS]
    other = [theirs(n_estimators=100, random_state=s, **given).fit(X, y).oob_score_ for s in SEEDS]
    spread = np.hypot(np.std(mine, ddof=1), np.std(other, ddof=1))
    assert abs(np.mean(mine) - np.mean(other)) < 3 * spread + 0.005
