"""The reject option around any classifier, and the curve by which its threshold was chosen."""

from __future__ import annotations

import math

from margin.evaluation.curves.risk_coverage import RiskCoverage, ThresholdChoice
from margin.persistence.kinds.base import AS_GIVEN, classifier
from margin.persistence.kinds.calibration import classifier_inside
from margin.persistence.objects.arrays import Array, known
from margin.persistence.objects.fields import Maybe, Model, Number, Object, Text
from margin.persistence.objects.kind import Kind
from margin.svm.reject import Reject

__all__ = ["KINDS"]


def _curve(curve: RiskCoverage) -> str | None:
    return "it is sure of something, but answers nothing" if not len(curve.risk) and curve.surest > -math.inf else None


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
        check=classifier_inside,
    ),
)
