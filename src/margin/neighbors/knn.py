"""k nearest neighbours: the majority of their classes, or the mean of their targets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from margin import params
from margin.base import Classifier, Regressor
from margin.base.parameter_path import PathFunction
from margin.base.targets.multi_output import side_by_side
from margin.neighbors.voters import NearestVoters
from margin.neighbors.voting.counting import elections_of, means_of
from margin.neighbors.voting.elections import elected
from margin.typing import Encoded, LabelsLike, TableLike, WeightsLike

__all__ = ["KNeighborsClassifier", "KNeighborsRegressor"]


class KNeighborsClassifier(NearestVoters, Classifier):
    r"""Asks the nearest training rows and takes the majority of their classes.

    Learning puts the rows into an index (``index_`` says which and why). It needs columns on comparable scales
    (``scale``), and fails in many dimensions, where all rows are about equally far away (:func:`~margin.curse`).

    Rows that are as far away as the last neighbour vote as well, and share the votes that nearer ones leave: answers
    depend neither on the order of the training rows nor on how classes are called. Equal votes go to the class whose
    voters are nearer in sum, then to the one with more weight in training, then to the first. A row of whole-number
    weight w counts as w neighbours; other weights multiply votes.
    A y of several columns (such as an indicator matrix of labels) is answered column by column, by the same
    neighbours; ``classes_`` and ``predict_proba`` are then lists, one entry per column.

    References
    ----------
    Fix, Hodges (1951); Cover, Hart (1967).

    Examples
    --------
    >>> model = KNeighborsClassifier(n_neighbors=1).fit([[0.0], [1.0]], ["left", "right"])
    >>> model.predict([[0.2], [0.9]])
    array(['left', 'right'], dtype='<U5')
    """

    parameters_along = ("n_neighbors",)

    def left_out_answers(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> Any:
        """Labels, probabilities and scores of each row as if fitted to all others; None where that takes new fits."""
        from margin.neighbors.leave_one_out import nearest_left_out  # only here: it loads the evaluation

        return nearest_left_out(self, X, y, sample_weight)

    def _targets_at(self, place: np.ndarray) -> np.ndarray:
        codes = self._targets[place]
        if not self.outputs_2d_:
            return self.classes_[codes]
        return side_by_side([classes[codes[:, j]] for j, classes in enumerate(self.classes_)])

    def _paths(self) -> Mapping[str, PathFunction]:
        from margin.neighbors.parameter_path import answers_along_k

        return {"n_neighbors": answers_along_k}

    def _scores(self, X: Encoded) -> Any:
        params.check(self)  # what is asked of a fitted model may have been changed since
        classes = self.classes_ if self.outputs_2d_ else [self.classes_]
        found = elections_of(self, self._as_queries(X), self.n_neighbors, [len(labels) for labels in classes])
        return found if self.outputs_2d_ else found[0]

    def _answers(self, X: Encoded, scores: Any) -> np.ndarray:
        return elected(self.classes_, scores)

    def _proba(self, scores: Any) -> Any:
        return [each.shares for each in scores] if isinstance(scores, list) else scores.shares


class KNeighborsRegressor(NearestVoters, Regressor):
    r"""Asks the nearest training rows and takes the mean of their targets.

    Each neighbour counts by its distance (``weights``). Learning puts the rows into an index (``index_`` says which
    and why). Like :class:`KNeighborsClassifier` it needs columns on comparable scales, and it never answers beyond the
    largest and smallest target it has seen: it does not extrapolate.

    Rows that are as far away as the last neighbour count as well, and share the places that nearer ones leave, so that
    answers do not depend on the order of the training rows. A row of whole-number weight w counts as w neighbours;
    other weights multiply votes.
    A y of several columns is answered column by column, by the same neighbours.

    Parameters
    ----------
    n_neighbors
        How many neighbours are asked; at most the number of training rows.

    Examples
    --------
    >>> model = KNeighborsRegressor(n_neighbors=2).fit([[0.0], [1.0], [5.0]], [10.0, 20.0, 90.0])
    >>> model.predict([[0.2], [4.0]])
    array([15., 55.])
    """

    def _values(self, X: Encoded) -> np.ndarray:
        params.check(self)  # what is asked of a fitted model may have been changed since
        values = means_of(self, self._as_queries(X), self.n_neighbors)
        return values if self._targets.ndim == 2 else values[:, 0]
