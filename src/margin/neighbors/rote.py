"""The rote learner: it knows what it has seen, and nothing else."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from margin import params
from margin.base import Classifier, Mixed, MixedData

__all__ = ["RoteClassifier"]


class RoteClassifier(Classifier):
    """Remembers every training row and answers only for an exact match.

    Rows match where every cell is equal; a missing cell matches a missing cell. Equal rows with different
    labels answer with the class of the larger weight. It cannot generalise: a new row gets no answer, or the
    most frequent class. Learning and answering are :math:`O(n)`.

    Parameters
    ----------
    unmatched
        What a row without a match gets: ``"majority"``, the most frequent class, or ``"abstain"``, ``None``
        in place of a label. Its probabilities are the shares of the classes either way.

    Attributes
    ----------
    priors_
        Share of each class in the training rows.

    Examples
    --------
    >>> model = RoteClassifier(unmatched="abstain").fit([[0, 0], [1, 1]], ["no", "yes"])
    >>> model.predict([[1, 1], [7, 7]])
    array(['yes', None], dtype=object)
    """

    representation = Mixed()

    def __init__(self, *, unmatched: Literal["majority", "abstain"] = "majority") -> None:
        self.unmatched = unmatched

    def _fit(self, X: MixedData, y: np.ndarray, weight: np.ndarray) -> None:
        n_classes = len(self.classes_)
        counts = np.bincount(y, weight, n_classes)
        self.priors_ = counts / counts.sum()
        places: dict[bytes, int] = {}
        place_of_row = np.array([places.setdefault(key, len(places)) for key in _keys(X)])
        self._places = places
        self._counts = np.zeros((len(places), n_classes))
        np.add.at(self._counts, (place_of_row, y), weight)

    def matched(self, X: Any) -> np.ndarray:
        """Whether each row stands among the training rows."""
        return self._find(self._encoded(X, "matched")) >= 0

    def _answers(self, X: MixedData, scores: np.ndarray) -> np.ndarray:
        params.check(self)  # what is asked of a fitted model may have been changed since
        answers = super()._answers(X, scores)
        if self.unmatched == "majority":
            return answers
        answers = answers.astype(object)
        answers[self._find(X) < 0] = None
        return answers

    def _scores(self, X: MixedData) -> np.ndarray:
        place = self._find(X)
        known = place >= 0
        shares = np.empty((len(place), len(self.classes_)))
        shares[~known] = self.priors_
        counts = self._counts[place[known]]
        shares[known] = counts / counts.sum(axis=1, keepdims=True)
        return shares

    def _find(self, X: MixedData) -> np.ndarray:
        places = self._places
        return np.array([places.get(key, -1) for key in _keys(X)], dtype=np.intp)


def _keys(X: MixedData) -> list[bytes]:
    """Each row as bytes, so that equal rows have equal keys: one zero and one NaN for all."""
    numbers = X.numeric + 0.0
    numbers[np.isnan(numbers)] = np.nan
    codes = np.stack(X.codes, axis=1) if X.codes else np.empty((len(numbers), 0), dtype=np.int32)
    parts = [np.ascontiguousarray(part).view(np.uint8) for part in (numbers, codes) if part.shape[1]]
    packed = np.hstack(parts)
    width, whole = packed.shape[1], packed.tobytes()
    return [whole[i : i + width] for i in range(0, len(whole), width)]
