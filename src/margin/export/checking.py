"""Whether a graph answers as its model does."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np

from margin.base.meta.calibration_maps import Isotonic
from margin.base.meta.delegating import PassesOn
from margin.bayes.calibrated_classifier import CalibratedClassifier
from margin.bayes.threshold_classifier import ThresholdClassifier
from margin.data.rows import count_rows
from margin.errors import ExportError
from margin.export.running import onnx_inputs, run_onnx
from margin.multiclass import OneVsOne
from margin.multiclass.strategy import Strategy
from margin.svm.kernel_machine.kernel_estimator import KernelEstimator
from margin.svm.kernel_machine.model import KernelModel
from margin.svm.pegasos.classifier import PegasosClassifier
from margin.typing import TableLike

__all__ = ["TOLERANCE", "check_answers", "in_double", "tolerance_of"]

#: How far probabilities, scores and values may be from the model's own, in parts of the largest of a row.
TOLERANCE = 1e-9


def check_answers(model: Any, graph: Any, X: TableLike) -> None:
    """Refuse a graph that answers other than its model to any of the rows X.

    Where two classes are level in all but the last digits, either may be answered.
    """
    who = f"to_onnx({type(model).__name__})"
    found = run_onnx(graph, onnx_inputs(model, X))
    by_name = {name.rstrip("_"): values for name, values in found.items()}
    for name in ("matrix", "codes"):
        if name in by_name:
            _compare(by_name[name], np.asarray(model.transform(X)), name, who, TOLERANCE)
            return
    model, within = in_double(model), tolerance_of(model)
    said = model.predict(X)
    if "value" in by_name:
        _compare(by_name["value"], said, "values", who, within)
        return
    level = level_pairs(model, X)
    kind = "probabilities" if "probabilities" in by_name else "scores"
    own = model.predict_proba(X) if kind == "probabilities" else model.decision_function(X)
    own = np.asarray(own, dtype=np.float64).reshape(len(said), -1)
    rounded = (by_name[kind] != own).any(axis=1)  # the same numbers must give the same answers
    _compare_labels(by_name, said, level | (rounded & level_classes(own, within)), who)
    _compare(by_name[kind][~level], own[~level], kind, who, within)


def _compare_labels(found: dict[str, np.ndarray], said: np.ndarray, level: np.ndarray, who: str) -> None:
    passed = np.array([label is None for label in said], dtype=bool)
    if (found.get("abstained", np.zeros_like(passed)) != passed)[~level].any():
        raise ExportError(f"{who}: the graph abstains on other rows than the model.")
    other = ~passed & ~level & (found["label"] != said)
    if other.any():
        row = int(other.argmax())
        raise ExportError(
            f"{who}: {int(other.sum())} of {len(said)} labels are not the model's own, first in row {row}: "
            f"{found['label'][row]!r} for {said[row]!r}."
        )


def level_classes(own: np.ndarray, within: float) -> np.ndarray:
    """Whether the two best classes of a row differ by no more than rounding."""
    size = np.abs(own).max(initial=1e-300)
    if own.shape[1] == 1:
        return np.abs(own[:, 0]) <= within * size
    two = np.partition(own, -2, axis=1)[:, -2:]
    with np.errstate(invalid="ignore"):
        return two[:, 1] - two[:, 0] <= within * size


def level_pairs(model: Any, X: TableLike) -> np.ndarray:
    """Whether a pair of classes is level in a machine that lets pairs vote: its vote is a matter of rounding."""
    if isinstance(model, ThresholdClassifier) and model.threshold is not None:
        near = np.abs(model.predict_proba(X)[:, model.place_of_positive()] - model.threshold) <= tolerance_of(model)
        return near | level_pairs(model.model_, X)
    if isinstance(model, PassesOn) and "model_" in model.__dict__:
        return level_pairs(model.model_, X)
    if isinstance(model, CalibratedClassifier):
        return np.any([level_pairs(each.model, X) for each in model.calibrated_], axis=0)
    if isinstance(model, KernelModel) and model._machine is not None and model._machine.layout.in_pairs:
        decisions = np.abs(model._decisions(model._encoded(X, "predict")))
        return (decisions <= TOLERANCE * decisions.max(axis=1, keepdims=True, initial=1e-300)).any(axis=1)
    if isinstance(model, OneVsOne):
        encoded = model._encoded(X, "predict")
        said = model._scores(encoded) - (0.5 if model._kind() == "probability" else 0.0)
        level = (np.abs(said) <= TOLERANCE * np.abs(said).max(axis=1, keepdims=True, initial=1e-300)).any(axis=1)
        return level | np.any([level_pairs(each, X) for each in model._models()], axis=0)
    if isinstance(model, Strategy) and model._models():
        return np.any([level_pairs(each, X) for each in model._models()], axis=0)
    return np.zeros(count_rows(X), dtype=bool)


def _compare(found: np.ndarray, said: np.ndarray, what: str, who: str, within: float) -> None:
    if not said.size:
        return
    size = np.abs(said).max(axis=-1, keepdims=True) if said.ndim == 2 else np.abs(said)
    with np.errstate(invalid="ignore"):
        near = np.abs(found - said) <= within * np.maximum(size, 1e-300)
    off = ~(near | (found == said) | (np.isnan(found) & np.isnan(said)))
    if off.any():
        row = int(off.reshape(len(said), -1).any(axis=1).argmax())
        raise ExportError(
            f"{who}: {what} of the graph are not the model's own, first in row {row}: {found[row]} for {said[row]}."
        )


def in_double(model: Any) -> Any:
    """The model with all its sums in double precision.

    Machines of many support vectors sum kernel values as float32, with errors of about a millionth; graphs do not.
    """
    if isinstance(model, KernelEstimator) and model._machine is not None:
        return _changed(model, _machine=model._machine.exactly())
    if isinstance(model, PegasosClassifier) and model._expansion is not None:
        return _changed(model, _expansion=replace(model._expansion, single=False))
    if isinstance(model, PassesOn) and "model_" in model.__dict__:
        return _changed(model, model_=in_double(model.model_))
    if isinstance(model, CalibratedClassifier):
        return _changed(model, calibrated_=[_changed(m, model=in_double(m.model)) for m in model.calibrated_])
    if isinstance(model, Strategy):
        return model.with_models(in_double)
    return model


def _changed(thing: object, **attributes: Any) -> Any:
    found = copy.copy(thing)
    found.__dict__.update(attributes)
    return found


def tolerance_of(model: Any) -> float:
    """How far answers may be off: an isotonic curve may rise so steeply that the last digit of a score shows."""
    if isinstance(model, PassesOn) and "model_" in model.__dict__:
        return tolerance_of(model.model_)
    if isinstance(model, KernelModel):
        return max(TOLERANCE, _last_digits(getattr(model, "_map", None)))
    if isinstance(model, CalibratedClassifier):
        return max([TOLERANCE, *(max(_last_digits(m.map), tolerance_of(m.model)) for m in model.calibrated_)])
    if isinstance(model, Strategy):
        return max([TOLERANCE, *map(tolerance_of, model._models())])
    return TOLERANCE


def _last_digits(curve: Any) -> float:
    """What a relative change of 64 units in the last place of a score can do to its share."""
    if not isinstance(curve, Isotonic):
        return 0.0
    steepest = [
        np.max(np.diff(y) / np.diff(x) * np.maximum(np.abs(x[1:]), np.abs(x[:-1])), initial=0.0)
        for x, y in curve.corners
    ]
    return float(min(64 * np.finfo(np.float64).eps * max(steepest), 1.0))
