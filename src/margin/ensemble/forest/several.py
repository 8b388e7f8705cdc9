"""Forests for several targets: every tree answers all of them, and its splits lower the mean of their losses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from margin.base.targets.multi_output import output_columns
from margin.errors import LabelError, ParameterError
from margin.tree.several_outputs import output_factors
from margin.tree.tree_model import codes_among
from margin.typing import LabelsLike

__all__ = ["class_losses", "codes_again", "one_target", "row_factors"]

#: What is about one target, with the settings that do not ask for it.
_POSSIBLE: dict[str, tuple[Any, ...]] = {
    "monotonic_cst": (None,),
    "costs": (None,),
    "class_weight": (None, "balanced"),
    "criterion": ("gini", "entropy", "log_loss"),
}


def _check_settings(model: Any) -> None:
    for name, possible in _POSSIBLE.items():
        value = getattr(model, name, possible[0])
        if not any(value is each or (isinstance(each, str) and value == each) for each in possible):
            known = " or ".join(map(repr, possible))
            raise ParameterError(
                f"{type(model).__name__}({name}={value!r}): {name} must be {known} where y has several columns "
                "(fit one forest for each of them)."
            )


def row_factors(model: Any, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """By what the weight of each row is multiplied: the product over its classes in all outputs."""
    _check_settings(model)
    factors = output_factors(model.class_weight, model.classes_, y, weight, type(model).__name__)
    first = np.concatenate([[0], np.cumsum([len(labels) for labels in model.classes_])[:-1]])
    found: np.ndarray = factors[first + y].prod(axis=1)
    return found


def codes_again(y: LabelsLike, n_rows: int, classes: Sequence[np.ndarray], who: str) -> np.ndarray:
    """The classes of each output by their places, -1 for those not known; sets of labels are read elsewhere."""
    columns = output_columns(y, who) or [y]
    if len(columns) != len(classes):
        raise LabelError(f"{who}: y must have {len(classes)} columns, as at fit, but has {len(columns)}.")
    return np.column_stack([codes_among(each, n_rows, labels, who) for each, labels in zip(columns, classes)])


def class_losses(sums: np.ndarray, y: np.ndarray, n_classes: Sequence[int]) -> np.ndarray:
    """The share of outputs whose class with most votes is another than that of the row.

    >>> class_losses(np.array([[2.0, 1.0, 0.0, 3.0]]), np.array([[0, 0]]), (2, 2)).tolist()
    [0.5]
    """
    outputs = np.split(sums, np.cumsum(n_classes)[:-1], axis=1)
    winners = np.column_stack([output.argmax(axis=1) for output in outputs])
    return (winners != y.reshape(len(winners), -1)).mean(axis=1)


def one_target(model: Any, method: str) -> None:
    """Refuse what is about one target."""
    if model.n_outputs_ > 1 or getattr(model, "outputs_2d_", False):
        raise ParameterError(
            f"{type(model).__name__}.{method}: the forest must have one target, but has {model.n_outputs_} "
            "(fit one forest for each of them)."
        )
