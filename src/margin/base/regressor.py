"""The contract of regressors: a model is its ``_fit`` and its ``_values``."""

from __future__ import annotations

import numpy as np

from margin.base.estimator import SupervisedEstimator
from margin.base.sklearn_classes import RegressorMixin
from margin.base.targets.numbers import encode_targets
from margin.typing import Encoded, LabelsLike, TableLike

__all__ = ["Regressor"]


class Regressor(RegressorMixin, SupervisedEstimator):
    """A model that learns a quantity from a table.

    A subclass states its ``representation`` and writes

    - ``_fit(X, y, rows)``: X in that representation, y and ``rows.weights()`` as float64; learn.
    - ``_values(X)``: the answer for each row.

    Parameters are checked, columns learnt, zero-weight rows left out and constant columns warned about before
    ``_fit`` runs. If anything fails, the model is as it was before the call. A model that says ``several_outputs``
    also gets y of several columns, and gives as many for each row.
    """

    def _read_targets(self, y: LabelsLike, n_rows: int, who: str) -> np.ndarray:
        return encode_targets(y, n_rows, who, self.several_outputs)

    def _values(self, X: Encoded) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must say what it answers: def _values(self, X).")

    def predict(self, X: TableLike) -> np.ndarray:
        """The quantity expected of each row."""
        return self._values(self._encoded(X, "predict"))
