"""Learning from rows and their targets: ``fit`` is written once, here."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin import params
from margin.base.columns import Columns
from margin.base.estimator import TableEstimator
from margin.base.fitting import whole_or_not_at_all
from margin.base.inputs import row_count
from margin.base.representation import TrainingRows
from margin.errors import ConstantColumnWarning, listing, warn

__all__ = ["SupervisedEstimator"]


class SupervisedEstimator(TableEstimator):
    """An estimator that learns a target from a table: what classifiers and regressors share.

    Parameters are checked, columns and targets learnt, zero-weight rows left out and constant columns
    warned about before ``_fit`` runs. If anything fails, the model is as it was before the call.
    """

    #: Whether y may have several columns.
    several_outputs = False
    #: What constant columns say nothing about.
    _target = "target"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learn from rows X with targets y; whole-number weights stand for repeated rows."""
        with whole_or_not_at_all(self):
            params.check(self)
            self._fit_rows(X, y, sample_weight, f"{type(self).__name__}.fit")
        return self

    def _fit_rows(
        self, X: Any, y: Any, sample_weight: Any, who: str, like: Columns | None = None
    ) -> tuple[Any, np.ndarray, TrainingRows]:
        """Learn; the rows that were learnt from as the model saw them, their targets, and which they are."""
        rows = self._open_rows(X, sample_weight, who, like)
        y = rows.of(self._read_targets(y, rows.n_given, who))
        rows = self._with_targets(rows, y)
        learnt = self._learn_input(rows, who)
        if like is None:
            self._warn_of_constant_columns(learnt.constant_columns(self._columns), row_count(rows.source), who)
        self._learn(learnt.data, y, rows)
        return learnt.data, y, rows

    def _read_targets(self, y: Any, n_rows: int, who: str) -> np.ndarray:
        """The targets as numbers that can be learnt from, one row per given row."""
        raise TypeError(f"{type(self).__name__} must be a Classifier or a Regressor.")

    def _with_targets(self, rows: TrainingRows, y: np.ndarray) -> TrainingRows:
        """The rows with what the representation may know of their targets."""
        return rows

    def _learn(self, X: Any, y: np.ndarray, rows: TrainingRows) -> None:
        self._fit(X, y, rows.weights())

    def _fit(self, X: Any, y: np.ndarray, weight: np.ndarray) -> None:
        raise TypeError(f"{type(self).__name__} must say how it learns: def _fit(self, X, y, weight).")

    def _warn_of_constant_columns(self, constant: list[str], n_rows: int, who: str) -> None:
        if constant and n_rows > 1:
            plural = len(constant) > 1
            warn(
                f"{who}: column{'s' if plural else ''} {listing(constant)} "
                f"{'hold' if plural else 'holds'} one value or none in the training rows and "
                f"{'say' if plural else 'says'} nothing about the {self._target}.",
                ConstantColumnWarning,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self.several_outputs
        return tags
