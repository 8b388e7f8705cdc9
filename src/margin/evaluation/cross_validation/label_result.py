"""What an evaluation found where a row may have several labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from margin.errors import InputError
from margin.evaluation.cross_validation.result import Evaluation
from margin.evaluation.predictions.label_sets import ABSTAINED, LabelSets

__all__ = ["MultilabelEvaluation"]


@dataclass(frozen=True, eq=False, repr=False)
class MultilabelEvaluation(Evaluation):
    """An evaluation of answers with several labels a row.

    As an :class:`Evaluation`, but ``answers`` are label sets, ``classes`` the labels, and ``truth`` and ``predictions``
    arrays with a column for each of them. ``by_label`` tells how each label fared, ``measured`` has all metrics of all
    answers together.

    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from margin import evaluate
    >>> X, Y = make_multilabel_classification(60, random_state=0, n_classes=3)
    >>> result = evaluate(DecisionTreeClassifier(random_state=0), X, Y, 3)
    >>> list(result.scores)
    ['subset_accuracy', 'hamming_loss', 'f1_micro', 'f1_macro']
    >>> result.predictions.shape
    (60, 3)
    """

    @property
    def sets(self) -> LabelSets:
        """Truth and answers."""
        return self.answers  # type: ignore[return-value]

    @property
    def classes(self) -> np.ndarray:
        """The labels, in the order of the columns."""
        return self.sets.labels

    @property
    def truth(self) -> np.ndarray:
        """1 where a row has a label, and 0 where not."""
        return self.sets.truth.astype(np.int64)

    @cached_property
    def predictions(self) -> np.ndarray:
        """1 where a label was answered, 0 where not, and NaN where nothing was said."""
        said = self.sets.predicted
        assert said is not None
        return np.where(said == ABSTAINED, np.nan, said) if (said == ABSTAINED).any() else said.astype(np.int64)

    @property
    def probabilities(self) -> np.ndarray | None:
        """How strongly each label was answered: its probability, or a score where the model gives none."""
        return self.sets.strength

    @cached_property
    def measured(self) -> Any:
        """All metrics of all answers together (:class:`MultilabelMeasured`), and a confusion matrix of each label."""
        from margin.evaluation.multilabel_measuring import measure_sets

        return measure_sets(self.sets, None, self.confidence)

    @property
    def by_label(self) -> Any:
        """Cases, precision, recall and F1 of each label."""
        from margin.evaluation.multilabel_measuring import MultilabelMeasured

        return MultilabelMeasured({}, self.sets).by_label

    @property
    def confusion(self) -> Any:
        raise InputError("Evaluation.confusion: there is one for each label: evaluation.measured.confusion(label).")

    def roc(self, positive: object = None) -> Any:
        raise InputError("Evaluation.roc: curves are of one label each: roc_curve(truth[:, i], probabilities[:, i]).")

    precision_recall = calibration = risk_coverage = roc  # type: ignore[assignment]

    def _breakdown(self) -> str:
        return str(self.by_label)

    def _breakdown_html(self) -> str:
        import html

        return f"<pre>{html.escape(str(self.by_label))}</pre>"

    def _what(self) -> str:
        return f"{len(self.rows)} cases, {len(self.classes)} labels, {self.sets.truth.sum(axis=1).mean():.3g} a case"
