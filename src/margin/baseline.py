"""The answer anyone can give: the most frequent class."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base import Classifier, Mixed
from margin.base.leave_one_out import learn_from_all, near_ties
from margin.base.representations.representation import TrainingRows
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["MajorityClassifier"]


class MajorityClassifier(Classifier):
    """Always answers the class that is most frequent in the training rows, whatever the columns say.

    Its probabilities are the shares of the classes. Any model worth its name does better; one that does not
    has learnt nothing from the columns. Learning is :math:`O(n)`.

    Attributes
    ----------
    priors_
        Share of each class in the training rows.

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("weather_nominal").target("play")
    >>> MajorityClassifier().fit(X, y).predict(X)[:1].tolist()
    ['yes']
    """

    representation = Mixed()
    #: Any column will do, so that it is there to be beaten where text is all there is.
    free_kinds = frozenset({"text"})

    def __init__(self) -> None:
        """Nothing can be set."""

    def _fit(self, X: TableLike, y: np.ndarray, rows: TrainingRows) -> None:
        counts = np.bincount(y, rows.weights(), len(self.classes_))
        self.priors_ = counts / counts.sum()

    def _scores(self, X: Any) -> np.ndarray:
        return np.tile(self.priors_, (len(X), 1))

    def left_out_answers(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> Any:
        """Labels, probabilities and scores of each row as if fitted to all others; None where that takes new fits."""
        from margin.evaluation.predictions.leave_one_out import refitted_predictions

        rows = learn_from_all(self, X, y, sample_weight)
        if rows is None:
            return None
        others = rows.totals_of_others()
        shares = others / others.sum(axis=1, keepdims=True)
        if not rows.repeats:
            rows.refit |= near_ties(shares)
        return rows.answers(shares.argmax(axis=1), shares, refitted_predictions)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # it does not look at the columns, and cannot score well
        return tags
