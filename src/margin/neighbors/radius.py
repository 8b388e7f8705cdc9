"""All neighbours within a radius: the majority of their classes or the mean of their targets, and what becomes of a row
without any.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from margin.base import Classifier, MixedData, Regressor
from margin.base.representations.representation import TrainingRows
from margin.base.targets.multi_output import side_by_side
from margin.errors import InputError, LonelyRowWarning, ParameterError, listing, warn
from margin.neighbors.distances import FeatureWeights, Metric, RowScale
from margin.neighbors.indexes.choose import Algorithm
from margin.neighbors.search import take_rows
from margin.neighbors.voters import RadiusVoters
from margin.neighbors.votes import Votes, class_sums
from margin.neighbors.voting.elections import SAME, Election, Elections, elected
from margin.neighbors.voting.neighborhoods import Asked
from margin.params import Count, Jobs, NonNegative, Positive, Rule
from margin.typing import Encoded, LabelsLike, TableLike, WeightsLike

__all__ = ["Outlier", "OutlierLabel", "RadiusNeighborsClassifier", "RadiusNeighborsRegressor", "outliers_of"]


class RadiusNeighborsClassifier(RadiusVoters, Classifier):
    r"""Asks all training rows within a radius and takes the majority of their classes.

    Where rows are dense many vote, where they are sparse few do, and some new rows may find nobody near enough
    (``outlier_label``). The votes do not depend on the order of the training rows; equal ones are decided as by
    :class:`KNeighborsClassifier`. A row of whole-number weight w votes w times; other weights multiply votes.
    Columns must be on comparable scales (``scale``), and the radius is in the units of the scaled columns.

    Parameters
    ----------
    outlier_label
        What a row without neighbours gets: ``"most_frequent"``, the most frequent class (of several that are
        equally frequent the one that has the nearest row), or a label (with several targets one for all or a list);
        None refuses such rows and says which radius would reach them, as scikit-learn's model does by itself. A
        label that is a class has probability 1; one that is none leaves all classes at 0, with a warning.

    Attributes
    ----------
    outlier_label_
        The label that rows without neighbours get, a list of them if there are several targets; the first of several
        that are equally frequent.

    Examples
    --------
    >>> model = RadiusNeighborsClassifier(1.0, outlier_label="nowhere").fit([[0.0], [0.5], [3.0]], ["a", "a", "b"])
    >>> model.predict([[0.2], [2.5], [9.0]])
    array(['a', 'b', 'nowhere'], dtype='<U7')
    """

    def __init__(
        self,
        radius: NonNegative = 1.0,
        *,
        weights: Votes = "uniform",
        metric: Metric = "minkowski",
        p: Positive = 2.0,
        algorithm: Algorithm = "auto",
        leaf_size: Count | None = None,
        scale: RowScale | None = None,
        feature_weights: FeatureWeights = None,
        outlier_label: OutlierLabel = "most_frequent",
        n_jobs: Jobs = None,
    ) -> None:
        super().__init__(
            radius,
            weights=weights,
            metric=metric,
            p=p,
            algorithm=algorithm,
            leaf_size=leaf_size,
            scale=scale,
            feature_weights=feature_weights,
            n_jobs=n_jobs,
        )
        self.outlier_label = outlier_label

    def left_out_answers(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> Any:
        """Labels, probabilities and scores of each row as if fitted to all others; None where that takes new fits."""
        from margin.neighbors.leave_one_out import within_left_out  # only here: it loads the evaluation

        return within_left_out(self, X, y, sample_weight)

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        super()._fit(X, y, rows)
        who = type(self).__name__
        self._outliers = outliers_of(self.outlier_label, self._class_lists(), self._targets, self._weight, who)

    @property
    def outlier_label_(self) -> Any:
        """The label that rows without neighbours get, a list of them if there are several targets."""
        labels = [outlier.label for outlier in self._fitted("outlier_label_")._outliers] or None
        return labels if labels is None or self.outputs_2d_ else labels[0]

    def _class_lists(self) -> list[np.ndarray]:
        return self.classes_ if self.outputs_2d_ else [self.classes_]

    def _scores(self, X: Encoded) -> Any:
        columns, classes = self._targets.reshape(len(self._targets), -1).T, self._class_lists()
        found = [Elections(self, codes, len(labels)) for codes, labels in zip(columns, classes)]
        lonely: list[np.ndarray] = []
        n = 0
        for ballot in self._ballots(X):
            for elections in found:
                elections.add(Asked(n + np.arange(ballot.n_cases), slice(None), ballot, None))
            lonely.append(ballot.lonely())
            n += ballot.n_cases
        joined = [elections.joined() for elections in found]
        alone = np.flatnonzero(np.concatenate(lonely))
        if alone.size and not self._outliers:
            raise InputError(self._too_far(X, alone) + ", or give an outlier_label.")
        if alone.size:
            for each, codes, outlier in zip(joined, columns, self._outliers):
                self._answer_lonely(each, codes, outlier, X, alone)
        return joined if self.outputs_2d_ else joined[0]

    def _answer_lonely(self, found: Election, codes: np.ndarray, outlier: Outlier, X: Any, alone: np.ndarray) -> None:
        """What rows without neighbours get."""
        n_classes = found.shares.shape[1]
        found.codes[alone] = max(outlier.code, 0)
        found.shares[alone] = outlier.shares(n_classes)
        most = self._most_frequent(codes, n_classes)
        if len(most) > 1:
            found.codes[alone] = self._nearest_class(take_rows(self._as_queries(X), alone), codes, most)
            found.shares[alone] = np.eye(n_classes)[found.codes[alone]]

    def _most_frequent(self, codes: np.ndarray, n_classes: int) -> np.ndarray:
        """The classes that rows without neighbours may get if the most frequent one is asked for, none otherwise."""
        if not (isinstance(self.outlier_label, str) and self.outlier_label == "most_frequent"):
            return np.zeros(0, dtype=np.intp)
        totals = self._totals(codes, n_classes)
        return np.flatnonzero(totals >= totals.max() * (1 - SAME))

    def _nearest_class(
        self, queries: Any, codes: np.ndarray, classes: np.ndarray, own: np.ndarray | None = None
    ) -> np.ndarray:
        """Which of some classes has the nearest row to each query; of equally near ones the one with most of them.

        ``own`` are the places of queries that are training rows and do not count themselves.
        """
        wanted = np.isin(codes, classes)
        n = len(queries) if isinstance(queries, MixedData) else queries.shape[0]
        own = np.full(n, -1) if own is None else own
        reach, left, k = np.empty(n), np.arange(n), 2
        while left.size:
            distance, place = self._search_places(take_rows(queries, left), min(k, self._index.n_rows), 1)
            there = wanted[place] & (place != own[left, None])
            found = there.any(axis=1)
            reach[left[found]] = distance[found, there[found].argmax(axis=1)]
            left, k = left[~found], 4 * k
        start, _, place = self._index.within(queries, reach, self._threads())
        case = np.repeat(np.arange(n), np.diff(start))
        there = wanted[place] & (place != own[case])
        case, place = case[there], place[there]
        return class_sums(case, codes[place], self._weight[place], n, int(codes.max()) + 1).argmax(axis=1)

    def _answers(self, X: Encoded, scores: Any) -> np.ndarray:
        if all(outlier.code >= 0 for outlier in self._outliers):
            return elected(self.classes_, scores)
        columns = [
            outlier.in_place_of(classes.take(found.codes), _is_empty(found.shares))
            for outlier, classes, found in zip(self._outliers, self._class_lists(), _as_list(scores))
        ]
        return side_by_side(columns) if self.outputs_2d_ else columns[0]

    def _proba(self, scores: Any) -> Any:
        scores = [each.shares for each in scores] if isinstance(scores, list) else scores.shares
        for outlier, found in zip(self._outliers, _as_list(scores)):
            alone = np.flatnonzero(_is_empty(found))
            if alone.size and outlier.code < 0:
                warn(
                    f"RadiusNeighborsClassifier(outlier_label={outlier.label!r}): rows {listing(alone.tolist())} of X "
                    "have no neighbours, and the label is none of the classes, whose probabilities are all 0 there.",
                    LonelyRowWarning,
                )
        return scores


class RadiusNeighborsRegressor(RadiusVoters, Regressor):
    r"""Asks all training rows within a radius and takes the mean of their targets.

    A row without neighbours gets NaN, with a warning that says which radius would reach it. A row of whole-number
    weight w counts as w rows; other weights multiply votes. A y of several columns is answered column by column.

    Parameters
    ----------
    radius
        How far away a training row may be to be asked, itself included.

    Examples
    --------
    >>> model = RadiusNeighborsRegressor(1.0).fit([[0.0], [0.5], [3.0]], [10.0, 20.0, 90.0])
    >>> model.predict([[0.2], [2.5]])
    array([15., 90.])
    """

    def _values(self, X: Encoded) -> np.ndarray:
        columns = self._targets.reshape(len(self._targets), -1).T
        parts = [np.column_stack([ballot.means(column) for column in columns]) for ballot in self._ballots(X)]
        values = np.concatenate(parts)
        alone = np.flatnonzero(np.isnan(values[:, 0]))
        if alone.size:
            warn(self._too_far(X, alone) + "; the answers are NaN there.", LonelyRowWarning)
        return values if self._targets.ndim == 2 else values[:, 0]


def _is_empty(shares: np.ndarray) -> np.ndarray:
    """Whether a row has no share in any class."""
    return shares.max(axis=1) == 0


def _as_list(scores: Any) -> list[Any]:
    return scores if isinstance(scores, list) else [scores]


LABELS = (str, bytes, bool, np.bool_, numbers.Real)
KINDS = {"U": "words", "O": "words", "S": "bytes", "b": "booleans", "i": "numbers", "u": "numbers", "f": "numbers"}


def _is_outlier_label(value: object) -> bool:
    if isinstance(value, (list, tuple, np.ndarray)):
        return np.ndim(value) == 1 and len(value) > 0 and all(isinstance(label, LABELS) for label in value)
    return value is None or isinstance(value, LABELS)


def _parse_label(text: str) -> Any:
    if text.lower() == "none":
        return None
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


OutlierLabel = Annotated[
    Any, Rule("None, 'most_frequent', a label or a list of one label per target", _is_outlier_label, _parse_label)
]


@dataclass(frozen=True)
class Outlier:
    """The label of rows without neighbours for one target, and its code among the classes, -1 if it is none."""

    label: Any
    code: int

    def shares(self, n_classes: int) -> np.ndarray:
        """1 for the class; nothing at all if the label is none of them."""
        shares = np.zeros(n_classes)
        if self.code >= 0:
            shares[self.code] = 1.0
        return shares

    def in_place_of(self, answers: np.ndarray, alone: np.ndarray) -> np.ndarray:
        """The answers with this label where a row is alone, in a type that holds all labels."""
        if self.code >= 0:
            return answers
        label = np.array([self.label], dtype=object if answers.dtype == object else None)
        return np.where(alone, label, answers)


def outliers_of(
    given: object, classes: list[np.ndarray], codes: np.ndarray, weight: np.ndarray, who: str
) -> tuple[Outlier, ...]:
    """One outlier per target, none at all where rows without neighbours are refused."""
    if given is None:
        return ()
    columns = codes.reshape(len(codes), -1).T
    if isinstance(given, str) and given == "most_frequent":
        most = [int(np.bincount(column, weight, len(labels)).argmax()) for column, labels in zip(columns, classes)]
        return tuple(Outlier(labels.tolist()[code], code) for code, labels in zip(most, classes))
    wanted = list(given) if isinstance(given, (list, tuple, np.ndarray)) else [given] * len(classes)
    if len(wanted) != len(classes):
        raise ParameterError(
            f"{who}(outlier_label={given!r}): one label per target is needed ({len(classes)}), not {len(wanted)}."
        )
    return tuple(_outlier(label, labels, who) for label, labels in zip(wanted, classes))


def _outlier(label: object, classes: np.ndarray, who: str) -> Outlier:
    known = classes.tolist()
    kind, theirs = (KINDS[np.array([each]).dtype.kind] for each in (label, known[0]))
    if kind != theirs:
        raise ParameterError(
            f"{who}(outlier_label={label!r}): the label must be of the type of the classes, "
            f"which are {theirs} ({listing(known, 3)})."
        )
    return Outlier(label, known.index(label) if label in known else -1)
