"""How good a classifier is, how sure that is, and whether it really beats another.

>>> from sklearn.datasets import load_iris
>>> from sklearn.naive_bayes import GaussianNB
>>> result = evaluate(GaussianNB(), *load_iris(return_X_y=True), protocol=HoldOut(test_share=0.4))
>>> result.scores["accuracy"].interval.method
'exact'
"""

from margin.evaluation.answers import Answers
from margin.evaluation.calibration import (
    BrierDecomposition,
    CalibrationCurve,
    brier_decomposition,
    calibration_curve,
)
from margin.evaluation.comparison import Comparison, PairTest, Standing, compare_scores
from margin.evaluation.confusion import ConfusionMatrix, confusion
from margin.evaluation.coverage import RiskCoverage, ThresholdChoice, risk_coverage
from margin.evaluation.curves import (
    GainCurve,
    OperatingPoint,
    PrecisionRecallCurve,
    RocCurve,
    gain_curve,
    precision_recall_curve,
    roc_curve,
)
from margin.evaluation.intervals import (
    Interval,
    Score,
    bootstrap_interval,
    corrected_t_interval,
    proportion_interval,
)
from margin.evaluation.measuring import Measured, measure
from margin.evaluation.metrics import METRICS, Metric, metric
from margin.evaluation.multilabel import MULTILABEL_METRICS, MultilabelMetric
from margin.evaluation.multilabel_measuring import MultilabelMeasured, measure_multilabel
from margin.evaluation.result import Evaluation, FoldDone
from margin.evaluation.rows import take_rows
from margin.evaluation.sealed import Opening, SealedTest
from margin.evaluation.splits import HoldOut, LeaveOneOut, StratifiedFolds, TrainingData
from margin.evaluation.validation import evaluate, evaluate_steps

__all__ = [
    "METRICS",
    "MULTILABEL_METRICS",
    "Answers",
    "BrierDecomposition",
    "CalibrationCurve",
    "Comparison",
    "ConfusionMatrix",
    "Evaluation",
    "FoldDone",
    "GainCurve",
    "HoldOut",
    "Interval",
    "LeaveOneOut",
    "Measured",
    "Metric",
    "MultilabelMeasured",
    "MultilabelMetric",
    "Opening",
    "OperatingPoint",
    "PairTest",
    "PrecisionRecallCurve",
    "RiskCoverage",
    "RocCurve",
    "Score",
    "SealedTest",
    "Standing",
    "StratifiedFolds",
    "ThresholdChoice",
    "TrainingData",
    "bootstrap_interval",
    "brier_decomposition",
    "calibration_curve",
    "compare_scores",
    "confusion",
    "corrected_t_interval",
    "evaluate",
    "evaluate_steps",
    "gain_curve",
    "measure",
    "measure_multilabel",
    "metric",
    "precision_recall_curve",
    "proportion_interval",
    "risk_coverage",
    "roc_curve",
    "take_rows",
]
