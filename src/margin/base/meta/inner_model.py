"""Classifiers inside classifiers: which may be given, how they get tables and weights, and which are fitted already."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from margin.base import Classifier, TableEncoder
from margin.base.representations.representation import TrainingRows
from margin.data.labels import codes_of, label_array
from margin.data.weights import weight_arguments
from margin.errors import LabelError, ParameterError, listing
from margin.params import Rule, no_text

__all__ = ["Estimator", "Folds", "first_step", "frozen", "last_step", "on_tables", "take_over", "weights_for"]


def _gives_scores(value: object) -> bool:
    return hasattr(value, "predict_proba") or hasattr(value, "decision_function")


def _is_classifier(value: object) -> bool:
    return value is None or (not isinstance(value, type) and hasattr(value, "fit") and _gives_scores(value))


def _is_cv(value: object) -> bool:
    if isinstance(value, (bool, str, type)):
        return isinstance(value, str) and value == "prefit"
    if isinstance(value, (int, np.integer)):
        return int(value) >= 2
    return isinstance(value, (list, tuple)) or hasattr(value, "split")


Estimator = Annotated[
    Any, Rule("None or a classifier with fit and predict_proba or decision_function", _is_classifier, no_text)
]
Folds = Annotated[
    Any,
    Rule(
        "a whole number of at least 2, 'prefit', a splitter or a list of (training rows, test rows)",
        _is_cv,
        lambda text: text if text == "prefit" else int(text),
    ),
]


def frozen(model: Any, cv: Any, who: str, name: str) -> Any:
    """The classifier, if it is fitted already and to be taken as it is; ``name`` is the parameter it was given as."""
    from sklearn.exceptions import NotFittedError
    from sklearn.frozen import FrozenEstimator
    from sklearn.utils.validation import check_is_fitted

    is_frozen = isinstance(model, FrozenEstimator)
    if not is_frozen and not (isinstance(cv, str) and cv == "prefit"):
        return None
    model = model.estimator if is_frozen else model
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise ParameterError(
            f"{who}({name}={model!r}, cv='prefit'): {name} must be fitted already (or give cv a number of folds)."
        ) from None
    return model


def take_over(wrapper: Classifier, model: Any, y: np.ndarray, rows: TrainingRows) -> np.ndarray:
    """Let classes and columns be those that the fitted classifier knows; the labels as codes of those classes."""
    who = f"{type(wrapper).__name__}.fit"
    known = label_array(model.classes_, who)
    codes = codes_of(wrapper.classes_, known)
    if (codes < 0).any():
        raise LabelError(
            f"{who}: labels must be classes that the fitted classifier knows, {listing(known.tolist())}, but "
            f"{listing(wrapper.classes_[codes < 0].tolist())} is none of them."
        )
    wrapper.classes_ = known
    columns = getattr(first_step(model), "_columns", None)
    if columns is not None and columns.n == wrapper._columns.n:
        # Levels that only the classifier has seen are levels all the same.
        wrapper._remember(columns)
        wrapper._encoder = wrapper.representation.learn(columns, rows, who).encoder
    return codes[y]


def on_tables(model: Any) -> Any:
    """A classifier that takes tables: itself, or behind an encoder; one that takes cases of its own is left alone."""
    first = first_step(model)
    if getattr(first, "accepts_tables", False) or getattr(first, "takes_cases", False):
        return model
    from sklearn.pipeline import make_pipeline

    return make_pipeline(TableEncoder(), model)


def first_step(model: Any) -> Any:
    return model.steps[0][1] if getattr(model, "steps", None) else model


def last_step(model: Any) -> Any:
    return model.steps[-1][1] if getattr(model, "steps", None) else model


def weights_for(model: Any, weight: np.ndarray, who: str, refusal: str) -> dict[str, np.ndarray]:
    """The weights as arguments of ``fit``; in a pipeline, of every step that takes them."""
    arguments = weight_arguments(model, weight)
    if arguments is None:
        last = type(last_step(model)).__name__
        raise ParameterError(f"{who}.fit(sample_weight=…): {last}.fit takes no weights, {refusal}.")
    return arguments
