"""The rote learner: it knows what it has seen, and nothing else."""

from __future__ import annotations

import numbers
from typing import Annotated, Any, Literal

import numpy as np

from margin import params
from margin.base import Classifier, Mixed, MixedData
from margin.base.representations.representation import TrainingRows
from margin.data.frames.object_cells import codes_of_values
from margin.errors import ParameterError, closest, listing
from margin.neighbors.equal_rows import EqualRows, words_of
from margin.params import Rule
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["RoteClassifier"]

Label = Annotated[
    Any,
    Rule("None or a label", lambda v: v is None or isinstance(v, str | bytes | bool | np.bool_ | numbers.Real), str),
]


# So many rows are counted at once.
COUNTED_ROWS = 2**17


class RoteClassifier(Classifier):
    """Remembers every training row and answers only for an exact match.

    Rows match where every cell is equal; a missing cell matches a missing cell. Equal rows with different
    labels answer with the class of the larger weight. It cannot generalise: a new row gets no answer, or a
    default class. Learning is :math:`O(n \\log n)`, an answer :math:`O(\\log n)`.

    Parameters
    ----------
    unmatched
        What a row without a match gets: ``"majority"``, the most frequent class, or ``"abstain"``, ``None``
        in place of a label. Its probabilities are the shares of the classes either way.
    default
        The label that a row without a match gets in place of the most frequent one; None for that one. It must be one
        of the classes, and is refused together with ``unmatched="abstain"``.

    Attributes
    ----------
    priors_
        Share of each class in the training rows: the probabilities of a row without a match.

    Examples
    --------
    >>> model = RoteClassifier(unmatched="abstain").fit([[0, 0], [1, 1]], ["no", "yes"])
    >>> model.predict([[1, 1], [7, 7]])
    array(['yes', None], dtype=object)
    >>> RoteClassifier(default="yes").fit([[0, 0], [1, 1]], ["no", "yes"]).predict([[7, 7]])
    array(['yes'], dtype='<U3')
    """

    representation = Mixed()

    def __init__(self, *, unmatched: Literal["majority", "abstain"] = "majority", default: Label = None) -> None:
        self.unmatched = unmatched
        self.default = default

    def _fit(self, X: MixedData, y: np.ndarray, rows: TrainingRows) -> None:
        n_classes, weight = len(self.classes_), rows.weights()
        counts = np.bincount(y, weight, n_classes)
        self.priors_ = counts / counts.sum()
        self._default_code()
        self._known = EqualRows()
        number = self._known.learn(words_of(X))
        n_known = len(self._known.rows)
        self._counts = np.zeros((n_known, n_classes))
        for first in range(0, len(y), COUNTED_ROWS):  # a signal is heard in between
            some = slice(first, first + COUNTED_ROWS)
            np.add.at(self._counts, (number[some], y[some]), weight[some])

    def _default_code(self) -> int:
        """The class that rows without a match get."""
        if self.default is None:
            return int(self.priors_.argmax())
        labels = self.classes_.tolist()
        code = int(codes_of_values(labels, [self.default])[0])
        if self.unmatched == "abstain":
            raise ParameterError(
                f"RoteClassifier(unmatched='abstain', default={self.default!r}): a row without a match gets either no "
                "answer or a default class; leave one of the two out."
            )
        if code < 0:
            raise ParameterError(
                f"RoteClassifier(default={self.default!r}): default must be one of the classes, which are "
                f"{listing(labels)}{closest(self.default, labels)}."
            )
        return code

    def left_out_answers(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> Any:
        """Labels, probabilities and scores of each row as if fitted to all others; None where that takes new fits."""
        from margin.neighbors.leave_one_out import matches_left_out  # only here: it loads the evaluation

        return matches_left_out(self, X, y, sample_weight)

    def matched(self, X: TableLike) -> np.ndarray:
        """Whether each row stands among the training rows."""
        return self._find(self._encoded(X, "matched")) >= 0

    def _answers(self, X: MixedData, scores: np.ndarray) -> np.ndarray:
        params.check(self)  # what is asked of a fitted model may have been changed since
        answers = super()._answers(X, scores)
        default = self._default_code()
        if self.unmatched == "majority" and self.default is None:
            return answers
        unknown = self._find(X) < 0
        if self.unmatched == "abstain":
            answers = answers.astype(object)
            answers[unknown] = None
        else:
            answers[unknown] = self.classes_[default]
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
        return self._known.find(words_of(X))
