"""Discriminants: classes that are normally distributed over one numeric matrix.

What decompositions gave is saved, for they differ in their last digits from machine to machine. Letters: ``k`` classes,
``d`` columns of the matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from margin.bayes.discriminant.diagonal import DiagonalLinearDiscriminantAnalysis
from margin.bayes.discriminant.linear import LinearDiscriminantAnalysis
from margin.bayes.discriminant.normal_classes import in_panels
from margin.bayes.discriminant.quadratic import QuadraticDiscriminantAnalysis, triangle_size
from margin.persistence.kinds.base import NUMERIC
from margin.persistence.kinds.bayes import generative
from margin.persistence.objects.arrays import Array, at_least, finite, positive
from margin.persistence.objects.fields import Absent, Field, Maybe, Object, Renamed, Whole
from margin.persistence.objects.kind import Kind

__all__ = ["KINDS"]

_SIZES = {"k": lambda found: len(found.weight)}
SCATTER = Object("scatter", where={**_SIZES, "d": lambda found: len(found.unit)})
COLUMN_SUMS = Object("column-sums", where={**_SIZES, "d": lambda found: len(found.moments.unit)})

_NORMAL: dict[str, Field] = {"_unit": Array("f8", "d", positive, finite), "means_": Array("f8", "k", "d", order="A")}
_LINEAR: dict[str, Field] = {
    **_NORMAL,
    "_center": Array("f8", 1, "d"),
    "_coef": Renamed("weights", Array("f8", "k", "d", order="A")),
    "_base": Array("f8", "k"),
}


def _lay_out(model: Any) -> None:
    model._set_unit(model._unit)
    if hasattr(model, "_coef"):
        model._panels = in_panels(model._coef)


def _linear(model: LinearDiscriminantAnalysis) -> str | None:
    state, lines = vars(model), 1 if len(model.classes_) == 2 else len(model.classes_)
    if len(model.coef_) != lines:
        return "there must be a line of weights for each class, or one for two classes"
    if not {"scalings_", "explained_variance_ratio_"} <= state.keys() and model._axes is not None:
        return "its axes are not described"
    return None


def _quadratic(model: QuadraticDiscriminantAnalysis) -> str | None:
    if model._panels.shape[1] != triangle_size(model._means.shape[1]):
        return "its triangles are of another size than its columns ask for"
    return None


def _scaled_means(model: QuadraticDiscriminantAnalysis) -> None:
    _lay_out(model)
    with np.errstate(over="ignore", under="ignore"):
        model.means_ = model._means * model._unit


def _of_planes(name: str, cls: type, fields: dict[str, Field], check: Callable[[Any], str | None]) -> Kind:
    """A discriminant whose scores are linear."""
    derived = frozenset({"_plain", "_panels"})
    return generative(name, cls, fields, sees=NUMERIC, check=check, finish=_lay_out, derived=derived)


KINDS = (
    _of_planes(
        "diagonal-lda",
        DiagonalLinearDiscriminantAnalysis,
        {"_statistics": COLUMN_SUMS, **_LINEAR, "var_": Array("f8", "d")},
        check=lambda _: None,
    ),
    _of_planes(
        "lda",
        LinearDiscriminantAnalysis,
        {
            "_statistics": Absent(SCATTER),
            **_LINEAR,
            "_axes": Maybe(Array("f8", "d", None, order="A")),
            "_common": Maybe(Array("f8", "d")),
            "_n_out": Whole(0, 2**31 - 1),
            "covariance_": Absent(Array("f8", "d", "d", order="A")),
            "coef_": Array("f8", "l", "d", order="A"),
            "intercept_": Array("f8", "l"),
            "scalings_": Absent(Array("f8", "d", None, order="A")),
            "xbar_": Absent(Array("f8", "d")),
            "explained_variance_ratio_": Absent(Array("f8", None)),
        },
        check=_linear,
    ),
    generative(
        "qda",
        QuadraticDiscriminantAnalysis,
        {
            "_statistics": Absent(SCATTER),
            "_unit": _NORMAL["_unit"],
            "_means": Array("f8", "k", "d"),
            "_panels": Array("f8", "k", None),
            "_base": Array("f8", "k"),
            "covariance_": Array("f8", "k", "d", "d", order="A"),
            "pooled_share_": Absent(Array("f8", "k", at_least(0), finite)),
        },
        sees=NUMERIC,
        check=_quadratic,
        finish=_scaled_means,
        derived=frozenset({"_plain", "means_"}),
    ),
)
