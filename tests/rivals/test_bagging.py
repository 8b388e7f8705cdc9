"""margin's bags beside scikit-learn's: as good out of bag, within what seeds make of it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import BaggingClassifier as TheirBagging
from sklearn.ensemble import BaggingRegressor as TheirRegressor
from sklearn.tree import DecisionTreeClassifier as TheirTree
from sklearn.tree import DecisionTreeRegressor as TheirValueTree

import margin
from margin import BaggingClassifier, BaggingRegressor
from tests.ensemble.test_bagging import rings
from tests.shared_data import shared_data


@pytest.mark.parametrize("name", ["glass", "ionosphere"])
def test_error_out_of_bag_is_that_of_scikit_learn_within_its_seeds(name):
    table = margin.read(shared_data(f"{name}.arff.gz"))
    X, y = table.target(table.names[-1])
    X = np.column_stack([X.cells(each) for each in X.names if len(np.unique(X.cells(each))) > 1])
    theirs = [
        TheirBagging(TheirTree(), 50, oob_score=True, random_state=s, n_jobs=1).fit(X, y).oob_score_ for s in range(4)
    ]
    ours = [
        BaggingClassifier(margin.DecisionTreeClassifier(), n_estimators=50, random_state=s).fit(X, y).oob_score_
        for s in range(4)
    ]
    spread = np.hypot(np.std(theirs, ddof=1), np.std(ours, ddof=1)) + 2e-3
    assert abs(np.mean(ours) - np.mean(theirs)) < 3 * spread


def test_values_out_of_bag_are_those_of_scikit_learn_within_its_seeds():
    X, _ = rings(400)
    y = X[:, 0] ** 2 + X[:, 1] + 0.2 * np.random.default_rng(1).normal(size=400)
    theirs = [
        TheirRegressor(TheirValueTree(), 50, oob_score=True, random_state=s).fit(X, y).oob_score_ for s in range(3)
    ]
    ours = [BaggingRegressor(random_state=s).fit(X, y).oob_score_ for s in range(3)]
    assert abs(np.mean(ours) - np.mean(theirs)) < 3 * np.hypot(np.std(theirs, ddof=1), np.std(ours, ddof=1)) + 5e-3


def test_members_of_scikit_learn_take_tables_through_an_encoder():
    frame = pd.DataFrame({"colour": ["red", "blue", "red", "blue"] * 6, "size": np.arange(24.0)})
    y = np.array(["x", "y"] * 12)
    assert BaggingClassifier(TheirTree(), n_estimators=5, random_state=0).fit(frame, y).score(frame, y) == 1.0
