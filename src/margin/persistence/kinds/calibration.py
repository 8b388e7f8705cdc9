"""Maps from scores to probabilities, classifiers with such maps, and thresholds for their probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.meta.calibration_maps import MAPS, Isotonic, Sigmoid, Temperature
from margin.bayes.calibrated_classifier import CalibratedClassifier, CalibratedModel
from margin.bayes.threshold_classifier import ThresholdClassifier
from margin.persistence.kinds.base import AS_GIVEN, classifier, n_given
from margin.persistence.objects.arrays import Array, at_least, strictly_ascending
from margin.persistence.objects.fields import Fixed, ListOf, Maybe, Model, Number, Object, Text
from margin.persistence.objects.kind import Kind

__all__ = ["KINDS", "classifier_inside"]


def _isotonic(curves: Isotonic) -> str | None:
    for scores, found in curves.corners:
        if len(scores) != len(found) or not len(scores):
            return "every corner of a curve has a score and a share"
        if not (np.isfinite(scores).all() and (scores[1:] >= scores[:-1]).all()):
            return "the corners of a curve must ascend"
        if not ((found >= 0) & (found <= 1)).all():
            return "a curve gives shares from 0 to 1"
    return None


def _temperature(found: Temperature) -> str | None:
    return None if found.temperature > 0 else "a temperature must be above 0"


def _n_scores(found: Any) -> int | None:
    """How many columns of scores a map takes; None for any."""
    if isinstance(found, Temperature):
        return None
    return len(found.slope) if isinstance(found, Sigmoid) else len(found.corners)


def _calibrated_model(one: CalibratedModel) -> str | None:
    n = len(one.places)
    if one.map is None:
        return None if n == 1 else "a classifier of several classes must have a map"
    if n < 2 or one.model is None:
        return "there is a map without a classifier of several classes"
    if type(one.map) is not MAPS[one.method]:
        return "its map is not the one it speaks of"
    if _n_scores(one.map) not in (None, 1 if n == 2 else n):
        return "its map is for another number of classes"
    known = getattr(one.model, "classes_", None)
    if not isinstance(known, np.ndarray) or len(known) != n:
        return "its classifier knows other classes"
    if not (hasattr(one.model, "predict_proba") or hasattr(one.model, "decision_function")):
        return "its classifier gives no scores"
    return None


def _calibrated(model: CalibratedClassifier) -> str | None:
    parts, n = model.calibrated_, len(model.classes_)
    if not parts or not n:
        return "there must be classes, and a classifier"
    for part in parts:
        if part.places[0] < 0 or part.places[-1] >= n:  # they ascend; in a mapped file nobody else has looked
            return "a classifier knows classes that are not there"
        if part.model is not None and n_given(part.model) != model._columns.n:
            return "a classifier knows other columns"
    return None


def classifier_inside(made: Any) -> str | None:
    """What is wrong with the classifier inside one that passes its probabilities or scores on."""
    inner = made.model_
    answers = getattr(inner, "classes_", None)
    if not isinstance(answers, np.ndarray) or not (
        hasattr(inner, "predict_proba") or hasattr(inner, "decision_function")
    ):
        return "its model must be a classifier with probabilities or scores"
    if not len(answers) or not set(answers.tolist()) <= set(made.classes_.tolist()):
        return "its model answers other classes"
    if n_given(inner) != made._columns.n:
        return "its model has other columns"
    return None


def _threshold(made: ThresholdClassifier) -> str | None:
    if made.positive is not None and made.positive not in made.classes_.tolist():
        return "its threshold is about a class that is not there"
    if made.threshold is not None and not hasattr(made.model_, "predict_proba"):
        return "its model must give probabilities"
    return classifier_inside(made)


KINDS = (
    Kind("sigmoid-map", Sigmoid, {"slope": Array("f8", "s"), "offset": Array("f8", "s")}),
    Kind("isotonic-map", Isotonic, {"corners": ListOf(Fixed(Array("f8", None), Array("f8", None)))}, check=_isotonic),
    Kind("temperature-map", Temperature, {"temperature": Number(0)}, check=_temperature),
    Kind(
        "calibrated-model",
        CalibratedModel,
        {
            "model": Maybe(Model()),
            "places": Array("i8", "p", at_least(0), strictly_ascending),
            "method": Text(known=lambda: MAPS),
            "scores": Text("auto", "log_odds"),
            "map": Maybe(Object("sigmoid-map", "isotonic-map", "temperature-map")),
        },
        check=_calibrated_model,
    ),
    classifier(
        "calibrated-classifier",
        CalibratedClassifier,
        {"calibrated_": ListOf(Object("calibrated-model"))},
        sees=AS_GIVEN,
        check=_calibrated,
    ),
    classifier("threshold-classifier", ThresholdClassifier, {"model_": Model()}, sees=AS_GIVEN, check=_threshold),
)
