"""Searches that try, score and choose in every way that leaves something else behind, and what they do it with."""

from __future__ import annotations

import numpy as np

from margin import C45, DecisionTreeClassifier, GridSearch, HalvingSearch, LogSearch, RandomSearch
from margin.evaluation import metric
from margin.evaluation.protocols.bootstrap import Bootstrap
from margin.evaluation.protocols.given import Given
from margin.evaluation.protocols.groups import GroupFolds, GroupHoldOut
from margin.evaluation.protocols.stratified import HoldOut, LeaveOneOut, StratifiedFolds, TrainingData
from margin.evaluation.protocols.time_order import TimeHoldOut, TimeOrdered
from margin.evaluation.protocols.unstratified import Folds, RepeatedHoldOut, TrainValidationTest

__all__ = ["DEPTHS", "METRICS_WITH_OPTIONS", "PROTOCOLS", "SEARCHES"]

DEPTHS = {"max_depth": [1, 2, 4]}
SEARCHES = [
    GridSearch(C45(), {"confidence": np.array([0.1, 0.25]), "prune": [True, False]}, cv=2),
    GridSearch(DecisionTreeClassifier(max_depth=2), [DEPTHS, {"criterion": ["gini", "error"]}], cv=3),
    GridSearch(DecisionTreeClassifier(), {"max_depth": range(1, 4)}, cv=2, race=True, random_state=3),
    GridSearch(DecisionTreeClassifier(), DEPTHS, cv=2, refit=False),
    GridSearch(DecisionTreeClassifier(), DEPTHS, cv=StratifiedFolds(2, repeats=2), rule="one_standard_error"),
    GridSearch(DecisionTreeClassifier(), DEPTHS, cv=LeaveOneOut()),
    GridSearch(DecisionTreeClassifier(), DEPTHS, cv=[(np.arange(40), np.arange(40, 60))]),
    GridSearch(DecisionTreeClassifier(), DEPTHS, cv=2, metric=metric("f1", average="macro")),
    GridSearch(DecisionTreeClassifier(), DEPTHS, cv=2, metric="log_loss", simpler={"max_depth": "smaller"}),
    GridSearch(DecisionTreeClassifier(), {"max_depth": [2, -1]}, cv=2),
    GridSearch(GridSearch(DecisionTreeClassifier(), DEPTHS, cv=2), {"metric": ["accuracy", "log_loss"]}, cv=2),
    RandomSearch(DecisionTreeClassifier(), {"max_depth": [1, 2, 3], "min_samples_leaf": [1, 5]}, n=3, cv=2),
    HalvingSearch(DecisionTreeClassifier(), DEPTHS, factor=2, cv=2),
    HalvingSearch(DecisionTreeClassifier(), {"criterion": ["gini", "error"]}, resource="max_depth", most=8, cv=2),
    LogSearch(DecisionTreeClassifier(), {"max_depth": 2, "min_samples_leaf": 1}, cv=2),
]
PROTOCOLS = [
    TrainingData(),
    HoldOut(0.3, seed=2),
    StratifiedFolds(5, repeats=2, seed=1),
    LeaveOneOut(),
    Folds(4, shuffle=False),
    RepeatedHoldOut(0.2, times=3),
    TrainValidationTest(0.3, 0.1, refit=True),
    GroupFolds(["a", "b", "a"], 2),
    GroupFolds(np.array([1, 2, 1]), 2),
    GroupFolds(np.array(["a", "b"], dtype=object), 2),
    GroupHoldOut("patient", 0.5),
    TimeOrdered(np.array([1.0, 2.0, 3.0, 4.0]), 2, gap=0.5),
    TimeOrdered("year"),
    TimeHoldOut("year", test_share=0.3),
    Given([([0, 1], [2]), ([2], [0, 1])]),
    Bootstrap(times=7, estimate=".632"),
]
METRICS_WITH_OPTIONS = [
    metric("f1", positive="bad"),
    metric("cost", costs={("a", "b"): 2}),
    metric("f1", average="macro"),
    metric("precision", positive=2),
]
