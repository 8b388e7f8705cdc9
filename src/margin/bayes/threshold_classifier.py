"""One class answered from a probability on, for any classifier."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from margin import params
from margin.base import AsGiven
from margin.base.meta.delegating import PassesOn
from margin.base.meta.inner_model import Estimator, on_tables, weights_for
from margin.base.representations.representation import TrainingRows
from margin.base.sklearn_classes import clone
from margin.bayes.naive import NaiveBayes
from margin.data.rows import ready_for
from margin.data.table import Table
from margin.errors import LabelError, ParameterError, listing
from margin.params import Ratio, Rule
from margin.typing import Encoded, TableLike

__all__ = ["ThresholdClassifier"]

Label = Annotated[
    Any,
    Rule("None or a label", lambda v: v is None or np.ndim(v) == 0, lambda text: None if text == "None" else text),
]


class ThresholdClassifier(PassesOn):
    r"""Any classifier, with one class answered from a probability on.

    A missed fraud may cost more than a false alarm, and a rare class is seldom the most probable one. Here the positive
    class is answered where its probability is at least :math:`t`, and elsewhere the most probable of the others; the
    probabilities stay as they are. If a miss costs :math:`c` false alarms and the probabilities can be taken at their
    word, :math:`t = 1 / (1 + c)` costs least; ``margin compare --cost`` finds :math:`t` in the folds instead.

    Parameters
    ----------
    model
        The classifier, of margin or of scikit-learn; None is ``NaiveBayes()``. One that takes no tables gets them
        through ``TableEncoder``. It must have ``predict_proba`` (``CalibratedClassifier`` gives it one).
    positive
        The class that the threshold is about; None is the last of ``classes_``.
    threshold
        The probability from which on it is answered; None leaves the answers to the classifier.

    Attributes
    ----------
    model_
        The fitted classifier.

    Examples
    --------
    >>> from margin import LogisticRegression
    >>> X, y = [[-3.0], [-2.0], [-0.1], [0.1], [2.0], [3.0]], ["ok", "ok", "fraud", "ok", "fraud", "fraud"]
    >>> careful = ThresholdClassifier(LogisticRegression(), positive="fraud", threshold=0.2).fit(X, y)
    >>> careful.predict([[-2.5], [-1.0], [0.5]]), careful.model_.predict([[-2.5], [-1.0], [0.5]])
    (array(['ok', 'fraud', 'fraud'], dtype='<U5'), array(['ok', 'ok', 'fraud'], dtype='<U5'))
    """

    representation = AsGiven()

    def __init__(self, model: Estimator = None, *, positive: Label = None, threshold: Ratio | None = None) -> None:
        self.model = model
        self.positive = positive
        self.threshold = threshold

    def _model(self) -> Any:
        return NaiveBayes() if self.model is None else self.model

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        model = clone(on_tables(self._model()) if isinstance(X, Table) else self._model())
        self.place_of_positive()
        settings = {}
        if rows.weight is not None:
            settings = weights_for(model, rows.weight, "ThresholdClassifier", "so it cannot be wrapped for such rows")
        self.model_ = model.fit(X, self.classes_[y], **settings)
        if self.threshold is not None and not hasattr(self.model_, "predict_proba"):
            raise ParameterError(
                f"ThresholdClassifier(model={self._model()!r}): model must have predict_proba "
                "(CalibratedClassifier gives it one)."
            )

    def place_of_positive(self) -> int:
        """Where the positive class stands in ``classes_``."""
        known = self.classes_.tolist()
        if self.positive is None:
            return len(known) - 1
        if self.positive not in known:
            raise LabelError(
                f"ThresholdClassifier(positive={self.positive!r}): must be one of the classes, {listing(known)}."
            )
        return known.index(self.positive)

    def predict(self, X: TableLike) -> np.ndarray:
        """The positive class where it is probable enough, else the most probable of the others."""
        encoded = self._encoded(X, "predict")
        params.check(self)  # what is asked of a fitted model may have been changed since
        if self.threshold is None:
            if encoded.shape[0] == 0:
                return self.classes_[:0]
            return np.asarray(self.model_.predict(ready_for(self.model_, encoded))).astype(self.classes_.dtype)
        return self.classes_.take(self._answered(self._passed_on(X, "predict_proba", 0.0)))

    def _answered(self, probabilities: np.ndarray) -> np.ndarray:
        """The places of the answers; ties go to the first class."""
        place = self.place_of_positive()
        others = np.delete(np.arange(len(self.classes_)), place)
        if not len(others):
            return np.zeros(len(probabilities), dtype=np.intp)
        best = others[probabilities[:, others].argmax(axis=1)] if len(probabilities) else others[:0]
        return np.where(probabilities[:, place] >= self.threshold, place, best)
