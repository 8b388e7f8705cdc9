"""Models of margin around trees that came from a file."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from margin.base.inputs.columns import Columns
from margin.base.representations.mixed import MixedEncoder
from margin.base.rollback import whole_or_not_at_all
from margin.boosting import BoostedTrees, GradientBoostingClassifier, GradientBoostingRegressor
from margin.data.schema import Column, Schema
from margin.errors import ConversionError
from margin.typing import LabelsLike

__all__ = ["made_of"]


def made_of(
    trees: BoostedTrees, loss: Any, names: Sequence[str] | None, classes: LabelsLike | None, n_classes: int, who: str
) -> Any:
    """A fitted model; ``n_classes`` is 0 for numbers. Labels are 0, 1, … unless others are given."""
    model: Any
    if n_classes:
        labels = np.arange(n_classes) if classes is None else np.asarray(classes)
        if labels.shape != (n_classes,) or len(np.unique(labels)) != n_classes:
            raise ConversionError(
                f"{who}(classes=…): there must be {n_classes} different labels, in the order of the codes."
            )
        model = GradientBoostingClassifier(n_estimators=trees.n_rounds, early_stopping=False)
    else:
        if classes is not None:
            raise ConversionError(f"{who}(classes=…): the model answers numbers and has no classes.")
        model = GradientBoostingRegressor(n_estimators=trees.n_rounds, loss=loss, early_stopping=False)
    columns = Columns(trees.n_columns)
    if names is not None:
        columns = Columns(trees.n_columns, Schema(Column(name, "numeric", (), "a number") for name in names))
    with whole_or_not_at_all(model):
        model._remember(columns)
        model._origin = who
        model._encoder = MixedEncoder(columns, model.representation.largest, model.representation.as_given)
        if n_classes:
            model.classes_ = labels
        model._seed = np.zeros(1, np.uint64)
        model._keep(SimpleNamespace(trees=trees, watched=np.empty(0)), None, 1.0)
    return model
