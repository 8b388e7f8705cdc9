"""How good a bag or a forest is by what its members say of rows that they did not draw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from margin.data.weights import check_weights
from margin.errors import InputError, ParameterError, closest
from margin.evaluation.intervals.interval import Score, mean_interval
from margin.evaluation.measuring import Measured, measure
from margin.evaluation.metrics.metric import Metric
from margin.typing import LabelsLike, WeightsLike

__all__ = ["measure_out_of_bag"]

#: What is measured of numbers: the mean over the cases of a function of how far off the answer is.
LOSSES = {"squared_error": np.square, "absolute_error": np.abs}


def measure_out_of_bag(
    model: Any,
    y: LabelsLike,
    metrics: Iterable[str | Metric] | str | Metric | None = None,
    *,
    sample_weight: WeightsLike | None = None,
    positive: object = None,
    confidence: float = 0.95,
) -> Mapping[str, Score]:
    """Metrics of what a bag or a forest says out of bag, each with its interval.

    Each training row is answered by the members that did not draw it, as a new row would be, so that no rows have to be
    held back. Rows that all members drew have no answer and are left out, which ``warnings`` of the result say; with
    fewer members they are more. Intervals are those of as many cases, and know nothing of other draws.

    Parameters
    ----------
    model
        A fitted model with ``oob_decision_function_`` or ``oob_prediction_``: a bag or a forest, of margin or of
        scikit-learn.
    y
        The targets that it was fitted to.
    metrics
        As of :func:`margin.measure`, all without it; for numbers ``"squared_error"`` and ``"absolute_error"``.
    sample_weight
        The weights that it was fitted with; cases then count as much.
    positive, confidence
        As of :func:`margin.measure`.

    Returns
    -------
    margin.evaluation.Measured or dict
        Scores by name; of classes all that ``Measured`` has: the confusion matrix, curves, warnings.

    Examples
    --------
    >>> from margin import BaggingClassifier
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> found = measure_out_of_bag(BaggingClassifier(random_state=0).fit(X, y), y, ["accuracy", "log_loss"])
    >>> found["accuracy"].interval.method
    'exact'
    """
    who = f"measure_out_of_bag({type(model).__name__}, …)"
    if getattr(model, "n_outputs_", 1) != 1:
        raise ParameterError(
            f"{who}: the model must have one target (measure each column of what it says out of bag with "
            "margin.evaluation.measure)."
        )
    said = _said(model, who)
    weight = check_weights(sample_weight, len(np.asarray(y)), who)
    targets = np.asarray(y) if weight is None else np.asarray(y)[weight > 0]
    weight = None if weight is None else weight[weight > 0]
    if len(targets) != len(said):
        raise InputError(
            f"{who}: y must be the {len(said)} targets that it was fitted to, with their weights, not {len(targets)}."
        )
    asked = ~np.isnan(said if said.ndim == 1 else said[:, 0])
    if not asked.any():
        raise InputError(f"{who}: none of {len(said)} cases has an answer out of bag (more members are needed).")
    kept = None if weight is None else weight[asked]
    if said.ndim == 1:
        return _of_numbers(targets[asked].astype(np.float64) - said[asked], kept, metrics, confidence)
    found = _of_classes(model, targets, asked, said, kept, metrics, positive, confidence)
    if asked.all():
        return found
    silent = f"{(~asked).sum()} of {len(asked)} cases were drawn by all members and have no answer out of bag."
    return replace(found, warnings=(*found.warnings, silent))


def _said(model: Any, who: str) -> np.ndarray:
    for name in ("oob_decision_function_", "oob_prediction_"):
        if hasattr(type(model), name) or name in vars(model):
            return np.asarray(getattr(model, name), dtype=np.float64)
    raise ParameterError(
        f"{who}: the model must have oob_decision_function_ or oob_prediction_ (a bag or a forest that was fitted with "
        "oob_score=True)."
    )


def _of_classes(
    model: Any,
    targets: np.ndarray,
    asked: np.ndarray,
    said: np.ndarray,
    weight: np.ndarray | None,
    metrics: Any,
    positive: object,
    confidence: float,
) -> Measured:
    codes = model._oob_codes() if hasattr(model, "_oob_codes") else np.nan_to_num(said).argmax(axis=1)
    kind = "probabilities" if hasattr(model, "predict_proba") else "scores"
    return measure(
        targets[asked],
        model.classes_[codes[asked]],
        classes=model.classes_,
        metrics=metrics,
        sample_weight=weight,
        positive=positive,
        confidence=confidence,
        **{kind: said[asked]},
    )


def _of_numbers(apart: np.ndarray, weight: np.ndarray | None, metrics: Any, confidence: float) -> dict[str, Score]:
    names = list(LOSSES) if metrics is None else [metrics] if isinstance(metrics, str) else list(metrics)
    unknown = [name for name in names if name not in LOSSES]
    if unknown:
        raise ParameterError(
            f"measure_out_of_bag(metrics={unknown[0]!r}): metrics of numbers are {', '.join(map(repr, LOSSES))}"
            f"{closest(str(unknown[0]), LOSSES)}."
        )
    found = {}
    for name in names:
        losses = LOSSES[name](apart)
        interval = mean_interval(losses, weight, confidence) if len(losses) > 1 else None
        value = float(np.average(losses, weights=weight))
        how = f"on {len(losses)} cases" + ("" if interval is None else f"; {100 * confidence:g} % interval")
        found[name] = Score(value, None if interval is None else interval.clipped(0.0, np.inf), how)
    return found
