"""Models around models, and the model that looks at nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from margin.base.meta.calibration_maps import CalibrationMap, Isotonic, Sigmoid, Temperature
from margin.base.representations.representation import AsGivenEncoder
from margin.base.sklearn_classes import clone
from margin.baseline import MajorityClassifier
from margin.bayes import CalibratedClassifier
from margin.bayes.calibrated_classifier import CalibratedModel
from margin.errors import ConversionError
from margin.interop.features import Preparation
from margin.interop.making import filled, mixed, single_output, who_is

__all__ = ["calibrated", "majority"]


def majority(fitted: Any, seen: Preparation) -> MajorityClassifier:
    single_output(fitted)
    shares = np.array(fitted.class_prior_, dtype=np.float64)
    if fitted.strategy != "prior" and not (fitted.strategy == "most_frequent" and shares.max() == 1):
        raise ConversionError(
            f"{who_is(fitted)}: strategy must be 'prior', but is {fitted.strategy!r}, whose probabilities are not the "
            "shares of the classes (fit with strategy='prior', which answers the most frequent class too)."
        )
    with mixed(MajorityClassifier(), fitted, seen) as made:
        made.priors_ = shares
    return made


def calibrated(fitted: Any, seen: Preparation, convert: Callable[[Any, Preparation], Any]) -> CalibratedClassifier:
    parts = fitted.calibrated_classifiers_
    inner = [convert(part.estimator, seen) for part in parts]
    if getattr(inner[0], "decisions_are_densities", False):
        raise ConversionError(
            f"{who_is(fitted)}: discriminants inside cannot be taken, for margin calibrates their log-odds and not "
            "their densities (fit margin's CalibratedClassifier)."
        )
    folds = fitted.cv if isinstance(fitted.cv, int) and fitted.cv >= 2 else 5
    model = CalibratedClassifier(clone(inner[0]), method=fitted.method, cv=folds, ensemble=len(parts) > 1)
    with filled(model, fitted, inner[0]._columns) as made:
        made._encoder = AsGivenEncoder(inner[0]._columns)
        made.calibrated_ = [_part(part, each, made, fitted) for part, each in zip(parts, inner, strict=True)]
    return made


def _part(part: Any, model: Any, made: CalibratedClassifier, fitted: Any) -> CalibratedModel:
    known = {label: k for k, label in enumerate(made.classes_.tolist())}
    places = np.array([known[label] for label in model.classes_.tolist()], dtype=np.intp)
    if len(places) < min(len(known), 3):
        raise ConversionError(f"{who_is(fitted)}: a model inside knows fewer than two classes, or one of two.")
    found = CalibratedModel(model, places, made.method, made.scores)
    binary_margin = len(known) == 2 and hasattr(model, "decision_function")
    found.map = MAPS[fitted.method](part.calibrators, binary_margin)
    return found


def _sigmoid(given: Any, _: bool) -> CalibrationMap:
    found = Sigmoid()
    found.slope = np.array([-each.a_ for each in given], dtype=np.float64)
    found.offset = np.array([-each.b_ for each in given], dtype=np.float64)
    return found


def _isotonic(given: Any, _: bool) -> CalibrationMap:
    found = Isotonic()
    found.corners = [
        (np.array(each.X_thresholds_, dtype=np.float64), np.clip(np.array(each.y_thresholds_, dtype=np.float64), 0, 1))
        for each in given
    ]
    return found


def _temperature(given: Any, binary_margin: bool) -> CalibrationMap:
    """scikit-learn sets a decision x of two classes as (-x, x), margin as (0, x): twice the temperature."""
    found = Temperature()
    found.temperature = 1 / float(given[0].beta_) / (2.0 if binary_margin else 1.0)
    return found


MAPS: dict[str, Callable[[Any, bool], CalibrationMap]] = {
    "sigmoid": _sigmoid,
    "isotonic": _isotonic,
    "temperature": _temperature,
}
