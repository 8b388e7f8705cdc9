"""How good a classifier is, how sure that is, and whether it really beats another.

>>> from sklearn.datasets import load_iris
>>> from sklearn.naive_bayes import GaussianNB
>>> result = evaluate(GaussianNB(), *load_iris(return_X_y=True), protocol=HoldOut(test_share=0.4))
>>> result.scores["accuracy"].interval.method
'exact'
"""

from margin.evaluation.answers import Answers
from margin.evaluation.bayesian import Posterior, bayesian_comparison, bayesian_signed_rank
from margin.evaluation.bias_variance import bias_variance, bias_variance_curve
from margin.evaluation.bootstrap import Bootstrap
from margin.evaluation.calibration import BrierDecomposition, CalibrationCurve, brier_decomposition, calibration_curve
from margin.evaluation.compared import Comparison, PairTest, Standing
from margin.evaluation.comparison import compare_scores
from margin.evaluation.confusion import ConfusionMatrix, confusion
from margin.evaluation.corrections import CORRECTIONS, correct
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
from margin.evaluation.datasets_comparison import FriedmanTest, compare_on, friedman
from margin.evaluation.decomposed import BiasVariance, BiasVarianceCurve
from margin.evaluation.delong import delong
from margin.evaluation.discordance import CochranTest, cochran_q, mcnemar
from margin.evaluation.five_by_two import five_by_two_f
from margin.evaluation.given_splits import Given
from margin.evaluation.group_splits import GroupFolds, GroupHoldOut
from margin.evaluation.intervals import Interval, Score, bootstrap_interval, corrected_t_interval, proportion_interval
from margin.evaluation.measuring import Measured, measure
from margin.evaluation.metrics import METRICS, Metric, metric
from margin.evaluation.multilabel import MULTILABEL_METRICS, MultilabelMetric
from margin.evaluation.multilabel_measuring import MultilabelMeasured, measure_multilabel
from margin.evaluation.optimism import Optimism, selection_optimism
from margin.evaluation.protocols import PROTOCOLS
from margin.evaluation.random_splits import Folds, RepeatedHoldOut, TrainValidationTest
from margin.evaluation.result import Evaluation, FoldDone
from margin.evaluation.rows import take_rows
from margin.evaluation.sealed import Opening, SealedTest
from margin.evaluation.signed_ranks import sign_test, wilcoxon
from margin.evaluation.significance import Significance, corrected_t_test, permutation_test
from margin.evaluation.splits import HoldOut, LeaveOneOut, StratifiedFolds, TrainingData
from margin.evaluation.swapping import swap_test
from margin.evaluation.time_splits import TimeOrdered
from margin.evaluation.validation import evaluate, evaluate_steps

__all__ = [
    "CORRECTIONS",
    "METRICS",
    "MULTILABEL_METRICS",
    "PROTOCOLS",
    "Answers",
    "BiasVariance",
    "BiasVarianceCurve",
    "Bootstrap",
    "BrierDecomposition",
    "CalibrationCurve",
    "CochranTest",
    "Comparison",
    "ConfusionMatrix",
    "Evaluation",
    "FoldDone",
    "Folds",
    "FriedmanTest",
    "GainCurve",
    "Given",
    "GroupFolds",
    "GroupHoldOut",
    "HoldOut",
    "Interval",
    "LeaveOneOut",
    "Measured",
    "Metric",
    "MultilabelMeasured",
    "MultilabelMetric",
    "Opening",
    "OperatingPoint",
    "Optimism",
    "PairTest",
    "Posterior",
    "PrecisionRecallCurve",
    "RepeatedHoldOut",
    "RiskCoverage",
    "RocCurve",
    "Score",
    "SealedTest",
    "Significance",
    "Standing",
    "StratifiedFolds",
    "ThresholdChoice",
    "TimeOrdered",
    "TrainValidationTest",
    "TrainingData",
    "bayesian_comparison",
    "bayesian_signed_rank",
    "bias_variance",
    "bias_variance_curve",
    "bootstrap_interval",
    "brier_decomposition",
    "calibration_curve",
    "cochran_q",
    "compare_on",
    "compare_scores",
    "confusion",
    "correct",
    "corrected_t_interval",
    "corrected_t_test",
    "delong",
    "evaluate",
    "evaluate_steps",
    "five_by_two_f",
    "friedman",
    "gain_curve",
    "mcnemar",
    "measure",
    "measure_multilabel",
    "metric",
    "permutation_test",
    "precision_recall_curve",
    "proportion_interval",
    "risk_coverage",
    "roc_curve",
    "selection_optimism",
    "sign_test",
    "swap_test",
    "take_rows",
    "wilcoxon",
]
