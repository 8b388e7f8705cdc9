"""One way to call a picture: with what is drawn, or with a fitted model and the rows that it is to be seen on."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from margin.data.rows import ready_for
from margin.errors import InputError, InputTypeError
from margin.evaluation import measure, risk_coverage
from margin.evaluation.curves.thresholds import precision_recall_curve, roc_curve

__all__ = ["confidence_of", "curves_of", "measured", "or_of_model"]

Draw = TypeVar("Draw", bound=Callable[..., Any])

#: Classes that have a curve of their own where there are more than two.
MOST_CURVES = 6


def or_of_model(read: Callable[[Any, Any, Any], Any]) -> Callable[[Draw], Draw]:
    """Lets a picture of a result be called ``plot(model, X, y)`` too: ``read`` makes the result of these."""

    def wrapped(draw: Draw) -> Draw:
        @functools.wraps(draw)
        def either(given: Any, X: Any = None, y: Any = None, ax: Any = None, **settings: Any) -> Any:
            if hasattr(X, "transAxes"):  # the axes, where rows would stand
                X, ax = None, X
            if X is not None:
                if not hasattr(given, "predict"):
                    raise InputTypeError(
                        f"{draw.__name__}({type(given).__name__}, X): rows are for a fitted model; what is measured "
                        "already is drawn without them."
                    )
                if y is None:
                    raise InputError(f"{draw.__name__}(X, y=None): y must be the labels of the rows.")
                given = read(given, X, y)
            elif hasattr(given, "predict"):
                raise InputError(f"{draw.__name__}({type(given).__name__}): give the rows too, as in (model, X, y).")
            return draw(given, ax=ax, **settings)

        if either.__doc__:
            either.__doc__ = either.__doc__.replace(
                "\n    Parameters\n",
                "\n    Of a fitted model and rows, which it should not have learnt from, what is drawn is found first: "
                f"\n    ``{draw.__name__}(model, X, y)``.\n\n    Parameters\n",
                1,
            )
        return either  # type: ignore[return-value]

    return wrapped


def measured(model: Any, X: Any, y: Any) -> Any:
    """The answers of a model to rows, measured; its probabilities where it has some, else its scores."""
    X = ready_for(model, X)
    told: dict[str, Any] = {"classes": np.asarray(model.classes_)}
    if hasattr(model, "predict_proba"):
        told["probabilities"] = model.predict_proba(X)
    elif hasattr(model, "decision_function"):
        told["scores"] = model.decision_function(X)
    return measure(y, model.predict(X), **told)


def curves_of(kind: str) -> Callable[[Any, Any, Any], Any]:
    """Reads the ``"roc"`` or ``"precision_recall"`` curve of a model: of many classes those of the commonest."""
    make = {"roc": roc_curve, "precision_recall": precision_recall_curve}[kind]

    def read(model: Any, X: Any, y: Any) -> Any:
        classes = np.asarray(model.classes_)
        if len(classes) == 2:
            return measured(model, X, y)
        X, truth = ready_for(model, X), np.asarray(y)
        told = model.predict_proba(X) if hasattr(model, "predict_proba") else model.decision_function(X)
        counts = [int((truth == label).sum()) for label in classes]
        there = [k for k in np.argsort(-np.array(counts), kind="stable").tolist() if 0 < counts[k] < len(truth)]
        return {str(classes[k]): make(truth == classes[k], told[:, k]) for k in there[:MOST_CURVES]}

    return read


def confidence_of(model: Any, X: Any, y: Any) -> Any:
    """The risk–coverage curve of a model by the probability of its answers."""
    X = ready_for(model, X)
    if not hasattr(model, "predict_proba"):
        raise InputTypeError(f"plot_risk_coverage(model={type(model).__name__}): the model must have probabilities.")
    return risk_coverage(y, model.predict(X), np.asarray(model.predict_proba(X)).max(axis=1))
