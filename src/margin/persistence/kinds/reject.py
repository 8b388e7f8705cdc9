"""The reject option around any classifier, and the curve by which its threshold was chosen."""

from __future__ import annotations

import math

import numpy as np

from margin.evaluation.curves.risk_coverage import RiskCoverage, ThresholdChoice
from margin.persistence.kinds.base import AS_GIVEN, classifier, n_given
from margin.persistence.objects.arrays import Array, known
from margin.persistence.objects.fields import Maybe, Model, Number, Object, Text
from margin.persistence.objects.kind import Kind
from margin.svm.reject import Reject

__all__ = ["KINDS"]


def _curve(curve: RiskCoverage) -> str | None:
    return "it is sure of something, but answers nothing" if not len(curve.risk) and curve.surest > -math.inf else None


def _reject(made: Reject) -> str | None:
    inner = made.model_
    answers = getattr(inner, "classes_", None)
    if not isinstance(answers, np.ndarray) or not _is_sure(inner):
        return "its model must be a classifier with probabilities or scores"
    if not len(answers) or not set(answers.tolist()) <= set(made.classes_.tolist()):
        return "its model answers other classes"
    if n_given(inner) != made._columns.n:
        return "its model has other columns"
    return None


def _is_sure(inner: object) -> bool:
    return hasattr(inner, "predict_proba") or hasattr(inner, "decision_function")


KINDS: tuple[Kind, ...] = (
    Kind(
        "threshold-choice",
        ThresholdChoice,
        {
            "threshold": Number(finite=False),
            "coverage": Number(),
            "risk": Number(),
            "reason": Text(),
            "bound": Maybe(Number()),
            "level": Maybe(Number(0, 1)),
        },
    ),
    Kind(
        "risk-coverage",
        RiskCoverage,
        {
            "threshold": Array("f8", "n", known),
            "coverage": Array("f8", "n", known),
            "risk": Array("f8", "n"),
            "surest": Number(finite=False),
            "n_cases": Number(),
            "level": Number(0, 1),
        },
        derived=frozenset({"band"}),
        check=_curve,
    ),
    classifier(
        "reject",
        Reject,
        {
            "model_": Model(),
            "threshold_": Number(finite=False),
            "choice_": Maybe(Object("threshold-choice")),
            "curve_": Maybe(Object("risk-coverage")),
        },
        sees=AS_GIVEN,
        check=_reject,
    ),
)
