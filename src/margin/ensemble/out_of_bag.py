"""How good a bag or a forest is by what its members say of rows that they did not draw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from margin.data.weights import check_weights
from margin.errors import InputError, ParameterError, closest
from margin.evaluation.intervals.interval import Interval, Score, bca_interval, mean_interval
from margin.evaluation.measuring import Measured, measure
from margin.evaluation.metrics.metric import Metric
from margin.typing import LabelsLike, WeightsLike

__all__ = ["measure_out_of_bag"]

#: What is measured of numbers: the mean over the cases of a function of how far off the answer is.
LOSSES = {"squared_error": np.square, "absolute_error": np.abs}
#: A function of targets, answers and weights (or none).
OfNumbers = Callable[[np.ndarray, np.ndarray, np.ndarray | None], float]
#: So often are cases drawn anew for the interval of what is no mean over the cases, and in at most so many parts they
#: are left out.
RESAMPLES, PARTS = 1000, 100


def _root(y: np.ndarray, said: np.ndarray, weight: np.ndarray | None) -> float:
    return float(np.sqrt(np.average((y - said) ** 2, weights=weight)))


def _explained(y: np.ndarray, said: np.ndarray, weight: np.ndarray | None) -> float:
    spread = float(np.average((y - np.average(y, weights=weight)) ** 2, weights=weight))
    return 1.0 - float(np.average((y - said) ** 2, weights=weight)) / spread if spread > 0 else float("nan")


#: Those that are no means over the cases.
STATISTICS: dict[str, OfNumbers] = {"root_squared_error": _root, "r2": _explained}


def measure_out_of_bag(
    model: Any,
    y: LabelsLike,
    metrics: Iterable[str | Metric | Callable[..., float]] | str | Metric | Callable[..., float] | None = None,
    *,
    sample_weight: WeightsLike | None = None,
    positive: object = None,
    confidence: float = 0.95,
) -> Mapping[str, Score]:
    """Metrics of what a bag or a forest says out of bag, each with its interval.

    Each training row is answered by the members that did not draw it, as a new row would be, so that no rows have to be
    held back. Rows that all members drew have no answer and are left out, which ``warnings`` of the result say (of
    numbers ``how`` of each score); with fewer members they are more. Intervals are those of as many cases, and know
    nothing of other draws.

    Parameters
    ----------
    model
        A fitted model with ``oob_decision_function_`` or ``oob_prediction_``: a bag or a forest, of margin or of
        scikit-learn.
    y
        The targets that it was fitted to.
    metrics
        As of :func:`margin.measure`, all without it; for numbers ``"squared_error"``, ``"absolute_error"``,
        ``"root_squared_error"``, ``"r2"``, or any function of targets and answers (and ``sample_weight``, where
        weights are given), such as those of scikit-learn: its interval is that of cases drawn anew.
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
    few = "" if asked.all() else f"{(~asked).sum()} of {len(asked)} cases were drawn by all members"
    if said.ndim == 1:
        numbers = _of_numbers(targets[asked].astype(np.float64), said[asked], kept, metrics, confidence)
        return {name: replace(one, how=f"{one.how}; {few}") if few else one for name, one in numbers.items()}
    found = _of_classes(model, targets, asked, said, kept, metrics, positive, confidence)
    if not few:
        return found
    return replace(found, warnings=(*found.warnings, f"{few} and have no answer out of bag."))


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


def _of_numbers(
    y: np.ndarray, said: np.ndarray, weight: np.ndarray | None, metrics: Any, confidence: float
) -> dict[str, Score]:
    known = [*LOSSES, *STATISTICS]
    asked: list[Any] = (
        known if metrics is None else [metrics] if isinstance(metrics, str) or callable(metrics) else list(metrics)
    )
    found = {}
    for metric in asked:
        if metric in LOSSES:
            losses = LOSSES[metric](y - said)
            value = float(np.average(losses, weights=weight))
            interval = mean_interval(losses, weight, confidence).clipped(0.0, np.inf) if len(losses) > 1 else None
        elif callable(metric) or metric in STATISTICS:
            of = STATISTICS[metric] if metric in STATISTICS else _with_weights(metric)
            value = of(y, said, weight)
            interval = _drawn_anew(of, value, y, said, weight, confidence) if len(y) > 1 else None
        else:
            raise ParameterError(
                f"measure_out_of_bag(metrics={metric!r}): metrics of numbers are {', '.join(map(repr, known))} or "
                f"functions of targets and answers{closest(str(metric), known)}."
            )
        how = f"on {len(y)} cases" + ("" if interval is None else f"; {100 * confidence:g} % interval")
        found[metric if isinstance(metric, str) else _name_of(metric)] = Score(value, interval, how)
    return found


def _name_of(metric: Any) -> str:
    return str(getattr(metric, "__name__", type(metric).__name__))


def _with_weights(metric: Callable[..., float]) -> OfNumbers:
    def value(y: np.ndarray, said: np.ndarray, weight: np.ndarray | None) -> float:
        return float(metric(y, said) if weight is None else metric(y, said, sample_weight=weight))

    return value


def _drawn_anew(
    of: OfNumbers, value: float, y: np.ndarray, said: np.ndarray, weight: np.ndarray | None, confidence: float
) -> Interval:
    """The interval of any metric: cases are drawn anew, and left out in parts for its skewness (Efron 1987)."""

    def on(rows: np.ndarray) -> float:
        return of(y[rows], said[rows], None if weight is None else weight[rows])

    n, stream = len(y), np.random.default_rng(0)
    drawn = np.array([on(stream.integers(n, size=n)) for _ in range(RESAMPLES)])
    parts = np.array_split(stream.permutation(n), min(n, PARTS))
    influence = np.array([value - on(np.setdiff1d(np.arange(n), part)) for part in parts])
    return bca_interval(drawn, value, influence[np.isfinite(influence)], confidence=confidence)
