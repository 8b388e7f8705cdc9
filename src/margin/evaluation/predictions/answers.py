"""What a classifier answered on some cases, beside what was right: all that a metric needs to know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from types import MappingProxyType
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
from margin.evaluation.predictions.positive_class import positive_code
from margin.evaluation.predictions.ranking import Ranking
from margin.parallel import n_threads
from margin.typing import WeightsLike

__all__ = ["Answers", "aligned_probabilities", "predicted_codes"]

#: How far from 1 the probabilities of a case may add up, for models that count in single precision.
_SUM_TOLERANCE = 1e-4


@dataclass(frozen=True)
class Answers:
    """Truth and answers of some cases, coded into ``classes``.

    ``predicted`` holds the code of each answer, with ``len(classes)`` for an abstention. ``probabilities`` has one
    column per class. ``scores`` are strengths of any scale with one column per class, of a model that gives no
    probabilities. ``weight`` is ``None`` where every case counts once. ``single`` says that one number per case was
    given in place of columns: for the last of two classes, which is then the positive one.

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
    single: bool = False

    @classmethod
    def of(
        cls,
        y_true: Any,
        y_pred: Any = None,
        *,
        probabilities: Any = None,
        classes: Any = None,
        sample_weight: WeightsLike | None = None,
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
        late = {} if tally is None or guesses is None else {"truth": truth, "predicted": guesses}
        made: dict[str, Any] = {} if tally is None else {"counts": tally.table(known)}
        if probabilities is not None:
            probabilities = _shares(probabilities, columns, known, who)
            _same_length(who, truth, "rows of probabilities", probabilities)
            (late if probabilities.ndim == 1 else made)["probabilities"] = probabilities
        if tally is None:
            made["truth"] = codes_of(truth, known)
            made["predicted"] = None if guesses is None else predicted_codes(guesses, known, who)
        return _LateAnswers.of_parts(late, classes=known, weight=weight, **made)

    def with_score(self, score: np.ndarray) -> Answers:
        """These answers with one number per case, of any scale: how strongly the second of two classes was answered.

        >>> Answers.of([0, 1]).with_score(np.array([-2.0, 3.0])).strength.tolist()
        [[2.0, -2.0], [-3.0, 3.0]]
        """
        names = [each.name for each in fields(self) if each.name not in ("scores", "single")] + ["counts"]
        made = {name: vars(self)[name] for name in names if name in vars(self)}
        return _LateAnswers.of_parts({**vars(self).get("_late", {}), "scores": score}, **made)

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
            self.single,
        )

    @cached_property
    def positive(self) -> int | None:
        """The place of the positive of two classes (``positive_code``); of one number per case the class it is of."""
        if len(self.classes) != 2:
            return None
        if self.single:
            return 1
        counted = "counts" in vars(self)
        cases = self.counts.sum(axis=1) if counted else np.bincount(self.truth, self.weight, len(self.classes))
        return positive_code(self.classes, cases)

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
            self._rankings[code] = Ranking(self._strength_of(code), self.truth == code, self.weight)
        return self._rankings[code]

    def _strength_of(self, code: int) -> np.ndarray:
        return self.strength[:, code]

    @property
    def shares(self) -> np.ndarray | None:
        """The probabilities; a single column where only those of the second of two classes were given.

        One class alone gets its opposite beside it.
        """
        given = self.probabilities
        if given is None or given.shape[1] != 1:
            return given
        return np.column_stack([given, 1 - given])

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


class _LateAnswers(Answers):
    """Answers some of whose parts are made when somebody asks for them.

    Labels that were counted need no codes for most metrics, and one number per case no second column for any.
    """

    _late: Mapping[str, np.ndarray] = MappingProxyType({})  # where all parts were given, as by dataclasses.replace

    @classmethod
    def of_parts(cls, late: dict[str, np.ndarray], **made: Any) -> Answers:
        """Answers of the parts that are there; ``late`` holds labels as they are, and one number per case."""
        answers = cls.__new__(cls)
        absent = {each.name: None for each in fields(cls) if each.name not in late}
        single = "probabilities" in late or "scores" in late
        vars(answers).update({**absent, "single": single, **made}, _late=late)
        return answers

    def __len__(self) -> int:
        return len(self.truth if "truth" in vars(self) else self._late["truth"])

    @cached_property
    def truth(self) -> np.ndarray:
        return self._codes("truth")

    @cached_property
    def predicted(self) -> np.ndarray:
        return self._codes("predicted")

    @cached_property
    def probabilities(self) -> np.ndarray:
        return np.column_stack([1 - self._late["probabilities"], self._late["probabilities"]])

    @cached_property
    def scores(self) -> np.ndarray:
        return np.column_stack([-self._late["scores"], self._late["scores"]])

    @property
    def shares(self) -> np.ndarray | None:
        return self._late["probabilities"][:, None] if "probabilities" in self._late else super().shares

    def _codes(self, which: str) -> np.ndarray:
        return codes_of(self._late[which].astype(self.classes.dtype, copy=False), self.classes)

    def _strength_of(self, code: int) -> np.ndarray:
        if "probabilities" in self._late:
            single = self._late["probabilities"]
            return single if code == 1 else 1 - single
        if vars(self).get("probabilities") is None and "scores" in self._late:
            return self._late["scores"] if code == 1 else -self._late["scores"]
        return self.strength[:, code]


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
        table = np.zeros(
            (len(classes), len(classes) + 1), dtype=np.intp if self.counts.dtype.kind == "i" else np.float64
        )
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


def _shares(probabilities: np.ndarray, columns: np.ndarray, classes: np.ndarray, who: str) -> np.ndarray:
    """Probabilities with a column for each class, or those of the second of two classes as they were given."""
    single = np.asarray(probabilities)
    if single.ndim != 1 or len(columns) != 2 or columns.tolist() != classes.tolist():
        return aligned_probabilities(probabilities, columns, classes, who)
    single = np.ascontiguousarray(single, dtype=np.float64)
    _refuse_others(single, who)
    return single


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
    given = np.require(probabilities, np.float64, ["C", "A"])
    if given.ndim == 1 and n_columns == 2:
        given = np.column_stack([1 - given, given])
    if given.ndim != 2 or given.shape[1] != n_columns:
        raise InputError(
            f"{who}: probabilities must have one column for each of {n_columns} classes, not the shape {given.shape} "
            "(give classes=model.classes_ where a class is missing from the truth)."
        )
    _refuse_others(given, who)
    return given


def _refuse_others(given: np.ndarray, who: str) -> None:
    """Raise where numbers are no probabilities. In one dimension they are those of the second of two classes."""
    shares = given[:, None] if given.ndim == 1 else given
    if given.ndim == 2 and given.shape[1] == 1:
        shares = np.column_stack([given, np.zeros(len(given))])
    bad, row = _core.metrics.bad_rows(shares, _SUM_TOLERANCE, n_threads())
    if bad:
        cells = np.array([1 - given[row], given[row]]) if given.ndim == 1 else given[row]
        raise InputError(
            f"{who}: probabilities must lie between 0 and 1 and add up to 1, but {bad} rows do not, "
            f"first row {row}: {np.round(cells, 6).tolist()}."
        )
