"""How good a classifier is, how sure that is, and whether it really beats another.

>>> from sklearn.datasets import load_iris
>>> from sklearn.naive_bayes import GaussianNB
>>> result = evaluate(GaussianNB(), *load_iris(return_X_y=True), protocol=HoldOut(test_share=0.4))
>>> result.scores["accuracy"].interval.method
'exact'
"""

from margin.data.rows import take_rows
from margin.evaluation.comparing.bayesian import Posterior, bayesian_comparison, bayesian_signed_rank
from margin.evaluation.comparing.compare_scores import compare_scores
from margin.evaluation.comparing.comparison_result import Comparison, PairTest, Standing
from margin.evaluation.comparing.delong import delong
from margin.evaluation.comparing.five_by_two import five_by_two_f
from margin.evaluation.comparing.many_datasets import FriedmanTest, compare_on, friedman
from margin.evaluation.comparing.mcnemar import CochranTest, cochran_q, mcnemar
from margin.evaluation.comparing.multiple_testing import CORRECTIONS, correct
from margin.evaluation.comparing.permutation import swap_test
from margin.evaluation.comparing.selection_optimism import Optimism, selection_optimism
from margin.evaluation.comparing.significance import Significance, corrected_t_test, permutation_test
from margin.evaluation.comparing.uniform_bound import UniformBound, uniform_bound
from margin.evaluation.comparing.wilcoxon import sign_test, wilcoxon
from margin.evaluation.cross_validation.evaluate import evaluate, evaluate_steps
from margin.evaluation.cross_validation.label_result import MultilabelEvaluation
from margin.evaluation.cross_validation.result import Evaluation, FoldDone
from margin.evaluation.cross_validation.sealed import Opening, SealedTest
from margin.evaluation.curves.calibration import (
    BrierDecomposition,
    CalibrationCurve,
    brier_decomposition,
    calibration_curve,
)
from margin.evaluation.curves.risk_coverage import RiskCoverage, ThresholdChoice, risk_coverage
from margin.evaluation.curves.thresholds import (
    GainCurve,
    OperatingPoint,
    PrecisionRecallCurve,
    RocCurve,
    gain_curve,
    precision_recall_curve,
    roc_curve,
)
from margin.evaluation.decomposition.bias_variance import bias_variance, bias_variance_curve
from margin.evaluation.decomposition.result import BiasVariance, BiasVarianceCurve
from margin.evaluation.intervals.interval import (
    Interval,
    Score,
    bootstrap_interval,
    corrected_t_interval,
    proportion_interval,
)
from margin.evaluation.measuring import Measured, measure
from margin.evaluation.metrics.definitions import METRICS, Metric, metric
from margin.evaluation.metrics.multilabel import MULTILABEL_METRICS, MultilabelMetric
from margin.evaluation.multilabel_measuring import MultilabelMeasured, measure_multilabel
from margin.evaluation.predictions.answers import Answers
from margin.evaluation.predictions.confusion import ConfusionMatrix, confusion
from margin.evaluation.protocols.bootstrap import Bootstrap
from margin.evaluation.protocols.given import Given, OwnTest
from margin.evaluation.protocols.groups import GroupFolds, GroupHoldOut
from margin.evaluation.protocols.named import PROTOCOLS
from margin.evaluation.protocols.stratified import HoldOut, LeaveOneOut, StratifiedFolds, TrainingData
from margin.evaluation.protocols.time_order import TimeHoldOut, TimeOrdered
from margin.evaluation.protocols.unstratified import Folds, RepeatedHoldOut, TrainValidationTest

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
    "MultilabelEvaluation",
    "MultilabelMeasured",
    "MultilabelMetric",
    "Opening",
    "OperatingPoint",
    "Optimism",
    "OwnTest",
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
    "TimeHoldOut",
    "TimeOrdered",
    "TrainValidationTest",
    "TrainingData",
    "UniformBound",
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
    "uniform_bound",
    "wilcoxon",
]
