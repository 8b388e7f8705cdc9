"""How good a classifier is, how sure that is, and whether it really beats another.

>>> from sklearn.datasets import load_iris
>>> from sklearn.naive_bayes import GaussianNB
>>> result = evaluate(GaussianNB(), *load_iris(return_X_y=True), protocol=HoldOut(test_share=0.4))
>>> result.scores["accuracy"].interval.method
'exact'
"""

from margin.evaluation.answers import Answers
from margin.evaluation.bootstrap import Bootstrap
from margin.evaluation.comparison import Comparison, PairTest, Standing, compare_scores
from margin.evaluation.confusion import ConfusionMatrix, confusion
from margin.evaluation.coverage import RiskCoverage, ThresholdChoice, risk_coverage
from margin.evaluation.given_splits import Given
from margin.evaluation.group_splits import GroupFolds, GroupHoldOut
from margin.evaluation.intervals import (
    Interval,
    Score,
    bootstrap_interval,
    corrected_t_interval,
    proportion_interval,
)
from margin.evaluation.metrics import METRICS, Metric, metric
from margin.evaluation.protocols import PROTOCOLS
from margin.evaluation.random_splits import Folds, RepeatedHoldOut, TrainValidationTest
from margin.evaluation.result import Evaluation, FoldDone
from margin.evaluation.rows import take_rows
from margin.evaluation.sealed import Opening, SealedTest
from margin.evaluation.splits import HoldOut, LeaveOneOut, StratifiedFolds, TrainingData
from margin.evaluation.time_splits import TimeOrdered
from margin.evaluation.validation import evaluate, evaluate_steps

__all__ = [
    "METRICS",
    "PROTOCOLS",
    "Answers",
    "Bootstrap",
    "Comparison",
    "ConfusionMatrix",
    "Evaluation",
    "FoldDone",
    "Folds",
    "Given",
    "GroupFolds",
    "GroupHoldOut",
    "HoldOut",
    "Interval",
    "LeaveOneOut",
    "Metric",
    "Opening",
    "PairTest",
    "RepeatedHoldOut",
    "RiskCoverage",
    "Score",
    "SealedTest",
    "Standing",
    "StratifiedFolds",
    "ThresholdChoice",
    "TimeOrdered",
    "TrainValidationTest",
    "TrainingData",
    "bootstrap_interval",
    "compare_scores",
    "confusion",
    "corrected_t_interval",
    "evaluate",
    "evaluate_steps",
    "metric",
    "proportion_interval",
    "risk_coverage",
    "take_rows",
]
