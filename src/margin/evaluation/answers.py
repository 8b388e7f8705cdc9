"""What a classifier answered on some cases, beside what was right: all that a metric needs to know."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import margin._core as _core
from margin.data.labels import (
    codes_of,
    distinct,
    label_array,
    places_as_labels,
    refuse_missing,
    union,
    whole_numbers,
)
from margin.data.weights import check_weights
from margin.errors import InputError, LabelError, listing
from margin.evaluation.ranking import Ranking
from margin.parallel import n_threads

__all__ = ["Answers", "aligned_probabilities", "predicted_codes"]

#: How far from 1 the probabilities of a case may add up, for models that count in single precision.
_SUM_TOLERANCE = 1e-4


@dataclass(frozen=True)
class Answers:
    """Truth and answers of some cases, coded into ``classes``.

    ``predicted`` holds the code of each answer, with ``len(classes)`` for an abstention. ``probabilities`` has one
    column per class. ``scores`` are strengths of any scale with one column per class, of a model that gives no
    probabilities. ``weight`` is ``None`` where every case counts once.

    >>> answers = Answers.of(["no", "yes", "yes"], ["no", "no", None])
    >>> answers.counts.tolist()  # rows are the truth, columns the answers; the last column are abstentions
    [[1, 0, 0], [1, 0, 1]]
    """

    classes: np.ndarray
    truth: np.ndarray
    predicted: np.ndarray | None = None
    probabilities: np.ndarray | None = None
    weight: np.ndarray | None = None
    scores: np.ndarray | None = None

    @classmethod
    def of(
        cls,
        y_true: Any,
        y_pred: Any = None,
        *,
        probabilities: Any = None,
        classes: Any = None,
        sample_weight: Any = None,
        who: str = "Answers",
    ) -> Answers:
        """Answers from labels and, where there are some, probabilities with the classes of their columns.

        Labels that stand only in the truth, only in the answers or only among ``classes`` all become classes.
        """
        truth = label_array(y_true, who)
        refuse_missing(truth, who)
        guesses = None if y_pred is None else label_array(y_pred, who)
        if guesses is not None:
            _same_length(who, truth, "predictions", guesses)
        weight = check_weights(sample_weight, len(truth), who)
        tally = None if guesses is None else _Tally.of(truth, guesses, weight)
        known = distinct(truth, who) if tally is None else tally.truth
        columns = known if classes is None else label_array(classes, who)
        known = union(known, np.sort(columns), who)
        if guesses is not None:
            known = union(known, distinct(guesses, who) if tally is None else tally.said, who)
        if probabilities is not None:
            probabilities = aligned_probabilities(probabilities, columns, known, who)
            _same_length(who, truth, "rows of probabilities", probabilities)
        if tally is not None and guesses is not None:
            labels, counts = (truth, guesses), tally.table(known)
            return _CountedAnswers.counted(known, labels, counts, probabilities=probabilities, weight=weight)
        predicted = None if guesses is None else predicted_codes(guesses, known, who)
        return cls(known, codes_of(truth, known), predicted, probabilities, weight)

    def __len__(self) -> int:
        return len(self.truth)

    def take(self, rows: np.ndarray) -> Answers:
        """The answers on some of the cases; a case may be taken more than once."""
        return Answers(
            self.classes,
            self.truth[rows],
            None if self.predicted is None else self.predicted[rows],
            None if self.probabilities is None else self.probabilities[rows],
            None if self.weight is None else self.weight[rows],
            None if self.scores is None else self.scores[rows],
        )

    @property
    def strength(self) -> np.ndarray:
        """How strongly each class was answered, one column per class: probabilities, or scores of any scale."""
        given = self.scores if self.probabilities is None else self.probabilities
        if given is None:
            raise InputError("Answers: probabilities or scores are needed to rank, but only labels were given.")
        return given

    @cached_property
    def _rankings(self) -> dict[int, Ranking]:
        return {}

    def ranking(self, code: int) -> Ranking:
        """The cases ranked by how strongly one class was answered, sorted once however often it is asked for."""
        if code not in self._rankings:
            self._rankings[code] = Ranking(self.strength[:, code], self.truth == code, self.weight)
        return self._rankings[code]

    @cached_property
    def cells(self) -> np.ndarray:
        """The cell of the confusion table each case falls in, counted row by row."""
        if self.predicted is None:
            raise InputError("Answers: predicted labels are needed to count, but only probabilities were given.")
        return self.truth * (len(self.classes) + 1) + self.predicted

    def table(self, cells: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        """Cases counted (or their weights added) by cell: one row a class, one column a class, one for abstentions."""
        n = len(self.classes)
        return np.bincount(cells, weights=weight, minlength=n * (n + 1)).reshape(n, n + 1)

    @cached_property
    def counts(self) -> np.ndarray:
        """The confusion table with abstentions as its last column."""
        return self.table(self.cells, self.weight)


class _CountedAnswers(Answers):
    """Answers whose labels were counted as they are; most metrics need no codes, so these are made when asked for."""

    _labels: tuple[np.ndarray, np.ndarray]

    @classmethod
    def counted(
        cls, classes: np.ndarray, labels: tuple[np.ndarray, np.ndarray], counts: np.ndarray, **others: np.ndarray | None
    ) -> Answers:
        answers = cls.__new__(cls)
        vars(answers).update(classes=classes, counts=counts, scores=None, _labels=labels, **others)
        return answers

    def __len__(self) -> int:
        return len(self.truth) if "truth" in vars(self) else len(self._labels[0])

    @cached_property
    def truth(self) -> np.ndarray:
        return codes_of(self._labels[0].astype(self.classes.dtype, copy=False), self.classes)

    @cached_property
    def predicted(self) -> np.ndarray:
        return codes_of(self._labels[1].astype(self.classes.dtype, copy=False), self.classes)


@dataclass(frozen=True)
class _Tally:
    """How often each true label met each answer, for labels that are whole numbers of a modest range."""

    truth: np.ndarray
    said: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, truth: np.ndarray, said: np.ndarray, weight: np.ndarray | None) -> _Tally | None:
        rows, columns = whole_numbers(truth), whole_numbers(said)
        if rows is None or columns is None or not len(rows):
            return None
        found = _core.metrics.tally_pairs(rows, columns, weight, n_threads())
        if found is None:
            return None
        low, low_said, counts, weights = found
        filled, filled_said = np.flatnonzero(counts.any(axis=1)), np.flatnonzero(counts.any(axis=0))
        return cls(
            places_as_labels(low, filled, truth.dtype),
            places_as_labels(low_said, filled_said, said.dtype),
            (counts if weights is None else weights)[np.ix_(filled, filled_said)],
        )

    def table(self, classes: np.ndarray) -> np.ndarray:
        """The confusion table over ``classes``, with a last column for abstentions, of which there are none."""
        place = {label: code for code, label in enumerate(classes.tolist())}
        rows, columns = ([place[label] for label in labels.tolist()] for labels in (self.truth, self.said))
        table = np.zeros((len(classes), len(classes) + 1), dtype=self.counts.dtype)
        table[np.ix_(rows, columns)] = self.counts
        return table


def _same_length(who: str, truth: np.ndarray, what: str, given: np.ndarray) -> None:
    if len(given) != len(truth):
        raise InputError(
            f"{who}: there must be as many {what} as true labels, but {len(given)} stand beside {len(truth)}."
        )


def predicted_codes(predictions: np.ndarray, classes: np.ndarray, who: str) -> np.ndarray:
    """Predicted labels coded into ``classes``; ``None`` is an abstention and gets the code ``len(classes)``."""
    codes = codes_of(predictions, classes)
    outside = codes < 0
    if outside.any():
        foreign = {label for label in predictions[outside].tolist() if label is not None}
        if foreign:
            raise LabelError(
                f"{who}: every prediction must be one of the classes {listing(classes.tolist())} or None, "
                f"but {listing(sorted(foreign, key=str))} was predicted."
            )
        codes[outside] = len(classes)
    return codes


def aligned_probabilities(probabilities: Any, columns: np.ndarray, classes: np.ndarray, who: str) -> np.ndarray:
    """Probabilities with one column for each of ``classes``; a class that ``columns`` lacks has probability 0.

    A model that never saw a class in its training part gives no column for it: to that model the class is impossible.
    """
    given = _checked_probabilities(probabilities, len(columns), who)
    if len(columns) == len(classes) and columns.tolist() == classes.tolist():
        return given
    at = codes_of(columns, classes)
    if (at < 0).any():
        raise LabelError(
            f"{who}: columns {listing(columns[at < 0].tolist())} of the probabilities are none of the classes."
        )
    aligned = np.zeros((len(given), len(classes)))
    aligned[:, at] = given
    return aligned


def _checked_probabilities(probabilities: Any, n_columns: int, who: str) -> np.ndarray:
    given = np.asarray(probabilities, dtype=np.float64)
    if given.ndim == 1 and n_columns == 2:
        given = np.column_stack([1 - given, given])
    if given.ndim != 2 or given.shape[1] != n_columns:
        raise InputError(
            f"{who}: probabilities must have one column for each of {n_columns} classes, not the shape {given.shape} "
            "(give classes=model.classes_ where a class is missing from the truth)."
        )
    wrong = ~((given >= 0) & (given <= 1)).all(axis=1) | (np.abs(given.sum(axis=1) - 1) > _SUM_TOLERANCE)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"{who}: probabilities must lie between 0 and 1 and add up to 1, but {int(wrong.sum())} rows do not, "
            f"first row {row}: {np.round(given[row], 6).tolist()}."
        )
    return given
