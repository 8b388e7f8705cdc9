"""The contract of classifiers: a model is its ``_fit`` and its ``_scores``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base.estimator import SupervisedEstimator
from margin.base.representations.representation import TrainingRows
from margin.base.sklearn_classes import ClassifierMixin
from margin.base.targets.labels import encode_labels
from margin.base.targets.multi_output import answers_of, encode_outputs, output_columns
from margin.typing import Encoded, LabelsLike, TableLike

__all__ = ["Classifier"]

# From so many scores on the core finds the largest sooner than NumPy.
MANY = 10_000


class Classifier(ClassifierMixin, SupervisedEstimator):
    """A model that learns classes from a table.

    A subclass states its ``representation`` and writes

    - ``_fit(X, y, rows)``: X in that representation, y as codes 0 … K-1, ``rows.weights()`` as float64; learn.
    - ``_scores(X)``: one row per case, one column per class; the largest wins.
    - ``_proba(scores)``: probabilities from scores, where the scores are not probabilities already.

    Parameters are checked, columns and labels learnt, zero-weight rows left out and constant columns
    warned about before ``_fit`` runs. If anything fails, the model is as it was before the call.

    A model that says ``several_outputs`` also gets y of several columns of labels, as codes of as many columns;
    ``classes_`` is then a list of arrays, and ``_scores`` gives such a list, one array per column.
    """

    _target = "class"
    classes_: Any

    def _read_targets(self, y: LabelsLike, n_rows: int, who: str) -> np.ndarray:
        columns = output_columns(y, who) if self.several_outputs else None
        if self.several_outputs:
            self.outputs_2d_ = columns is not None
        if columns is None:
            self.classes_, codes = encode_labels(y, n_rows, who)
        else:
            self.classes_, codes = encode_outputs(columns, n_rows, who)
        return np.ascontiguousarray(codes, dtype=np.int32)

    def _with_targets(self, rows: TrainingRows, y: np.ndarray) -> TrainingRows:
        return replace(rows, y=y, n_classes=len(self.classes_)) if y.ndim == 1 else rows

    def _scores(self, X: Encoded) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must say how it scores: def _scores(self, X).")

    def _proba(self, scores: np.ndarray) -> np.ndarray:
        return scores

    def _log_proba(self, scores: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            found = self._proba(scores)
            return [np.log(each) for each in found] if isinstance(found, list) else np.log(found)

    def _answers(self, X: Encoded, scores: np.ndarray) -> np.ndarray:
        """The label of each row; a model that may abstain gives ``None`` here."""
        if isinstance(scores, list):
            return answers_of(self.classes_, scores)
        if scores.size < MANY or scores.dtype != np.float64 or not scores.flags.c_contiguous:
            return self.classes_.take(scores.argmax(axis=1))
        return self.classes_.take(_core.data.winners(scores, parallel.n_threads()))

    def predict(self, X: TableLike) -> np.ndarray:
        """The most probable class of each row, in the type the labels came in; ties go to the first class."""
        encoded = self._encoded(X, "predict")
        return self._answers(encoded, self._scores(encoded))

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """The probability of each class (columns as in ``classes_``) for each row."""
        return self._proba(self._scores(self._encoded(X, "predict_proba")))

    def predict_with_proba(self, X: TableLike) -> tuple[np.ndarray, np.ndarray]:
        """Both at once, for the price of one."""
        encoded = self._encoded(X, "predict_with_proba")
        scores = self._scores(encoded)
        return self._answers(encoded, scores), self._proba(scores)

    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """Logarithms of the probabilities."""
        return self._log_proba(self._scores(self._encoded(X, "predict_log_proba")))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = self.several_outputs
        return tags
