"""A test part that is split off first, stays sealed, and opens once, at the end."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar

import numpy as np

from margin.data import Table
from margin.data.labels import codes_of, distinct, label_array, position_of, refuse_missing
from margin.data.rows import count_rows, ready_for, take_rows
from margin.errors import InputError, ParameterError, SealBrokenError
from margin.evaluation.cross_validation.evaluate import DEFAULT_METRICS
from margin.evaluation.cross_validation.result import Evaluation, FoldDone
from margin.evaluation.metrics.definitions import Metric
from margin.evaluation.predictions.answers import Answers
from margin.evaluation.predictions.from_model import answers_beside, classes_of, model_name, predict_all
from margin.evaluation.predictions.positive_class import positive_code
from margin.evaluation.protocols.named import bound_protocol
from margin.evaluation.protocols.stratified import HoldOut, Judged, Split, SplitProtocol
from margin.evaluation.protocols.time_order import TimeOrdered
from margin.evaluation.scoring.of_cases import check_metrics, score_cases, usable_metrics
from margin.typing import ClassifierLike, LabelsLike, TableLike

__all__ = ["Opening", "SealedTest"]


@dataclass(frozen=True)
class Opening:
    """One opening of a sealed test part: when, for which model, and a short hash of what it answered."""

    when: datetime
    model: str
    answers: str = ""

    def __str__(self) -> str:
        return f"opened {self.when:%Y-%m-%d %H:%M:%S} UTC for {self.model}"


@dataclass(frozen=True)
class _Sealed:
    """The protocol that stands in the evaluation of an opened test part."""

    n_train: int
    n_test: int
    opening: int
    digest: str = ""
    openings: tuple[Opening, ...] = ()
    split_off: str = ""

    judged_by: ClassVar[Judged] = "cases"
    name: ClassVar[str] = "sealed test part"
    n_fits: ClassVar[int | None] = 0

    @property
    def caution(self) -> str:
        if self.opening == 1:
            return ""
        return (
            f"The test part was opened {self.opening} times: a model chosen after looking at it is judged too kindly."
        )

    def split(self, y: LabelsLike) -> Any:
        raise InputError("SealedTest: a sealed test part is not split again.")

    def describe(self) -> str:
        times = "opened once" if self.opening == 1 else f"now opened {self.opening} times"
        how = f" ({self.split_off})" if self.split_off else ""
        return f"Asked about {self.n_test} rows that were split off{how} before anything was learnt; {times}."


class SealedTest:
    """Splits a test part off, in proportion by class, and gives it out only as scores, once.

    Copies are no way round the seal: whatever ``copy`` or ``pickle`` makes of it in the same process shares the record
    of openings, and so does a test part that is split off anew and has the same ``digest``; a pickle carries its record
    elsewhere. Only an analysis that is run again from the start, and whose model gives the very same answers, may look
    again: it learns nothing new. What is done in different processes nobody can know of; equal digests tell that it was
    the same test part.

    Parameters
    ----------
    X, y
        Inputs and labels, all of them.
    share
        Of the rows that are sealed.
    seed
        Of the split.
    protocol
        How rows are split off, in place of share and seed: a protocol of one split, as ``GroupHoldOut("patient")``, or
        ``TimeOrdered(when, folds=4)``, of which the last stretch is sealed. A column named there is no input.

    Attributes
    ----------
    digest
        Short hash of the sealed rows, their cells and labels: equal digests are the same test part.
    openings
        When the seal was opened and for which model; empty until then.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> sealed = SealedTest(*load_iris(return_X_y=True))
    >>> X, y = sealed.train
    >>> len(y)
    120
    >>> result = sealed.open(GaussianNB().fit(X, y))
    >>> print(result.scores["accuracy"])
    0.900 [0.735, 0.979]
    >>> sealed.open(GaussianNB().fit(X, y))
    Traceback (most recent call last):
    margin.errors.SealBrokenError: SealedTest.open: the test part was already opened (GaussianNB); \
a model chosen after looking at it is judged too kindly (again=True opens it all the same, and the report will say so).
    """

    def __init__(self, X: TableLike, y: LabelsLike, share: float = 0.2, seed: int = 0, *, protocol: Any = None) -> None:
        labels = label_array(y, "SealedTest(y=…)")
        refuse_missing(labels, "SealedTest(y=…)")
        if count_rows(X) != len(labels):
            raise InputError(f"SealedTest: X has {count_rows(X)} rows, but y has {len(labels)} labels.")
        self.share, self.seed = share, seed
        chosen, X = bound_protocol(HoldOut(share, seed) if protocol is None else protocol, X, len(labels))
        self._how = "" if protocol is None else chosen.name
        self._X, self._labels = X, labels
        self._split: Split = _one_split(chosen, labels)
        self.digest = _digest(self._split[1], take_rows(X, self._split[1]), labels[self._split[1]])
        self._record = _record(self.digest)
        self._made = secrets.token_hex(16)  # copies have it too; what is split off anew has its own

    @property
    def openings(self) -> list[Opening]:
        return self._record.openings

    @property
    def train(self) -> tuple[Any, np.ndarray]:
        """Inputs and labels of the training part."""
        rows = self._split[0]
        return take_rows(self._X, rows), self._labels[rows]

    @property
    def train_rows(self) -> np.ndarray:
        """Which rows the training part is made of."""
        return self._split[0]

    @property
    def n_train(self) -> int:
        return len(self._split[0])

    @property
    def n_test(self) -> int:
        return len(self._split[1])

    @property
    def opened(self) -> bool:
        return bool(self.openings)

    def open(
        self,
        model: ClassifierLike,
        *,
        metrics: Iterable[str | Metric] = DEFAULT_METRICS,
        confidence: float = 0.95,
        again: bool = False,
        name: str | None = None,
        positive: Any = None,
    ) -> Evaluation:
        """Ask a fitted model about the sealed rows; scores come with exact intervals (bootstrap where there is none).

        A second opening raises ``SealBrokenError`` unless ``again`` is true, also of a test part that was split off
        anew in this process; but the same analysis run again, with the same answers, is no second look. Every opening
        is written down in ``openings``. ``name`` is what the record calls the model, its type without it. ``positive``
        is the class that precision, recall and F1 are about, as in ``evaluate``.
        """
        chosen, record, name = check_metrics(metrics, "SealedTest.open"), self._record, name or model_name(model)
        if self._made in record.askers and not again:
            self._refuse()
        answers, seconds = self._answers(model)
        told = _told(answers)
        repeated = self._made not in record.askers and any(opening.answers == told for opening in self.openings)
        if self.openings and not (again or repeated):
            self._refuse()
        record.askers.add(self._made)
        if not repeated:
            self.openings.append(Opening(datetime.now(UTC), name, told))
        openings = tuple(self.openings)
        protocol = _Sealed(self.n_train, self.n_test, len(openings), self.digest, openings, self._how)
        classes = answers.classes
        if positive is None:
            code = positive_code(classes, np.bincount(codes_of(self._labels, classes)))
        else:
            code = position_of(positive, classes, "SealedTest.open(positive=…)")
        chosen = tuple(each.bound(classes, code) for each in chosen)
        usable, cautions = usable_metrics(chosen, answers, name)
        if protocol.caution:
            cautions.insert(0, protocol.caution)
        scores = {each.name: score_cases(each, answers, confidence) for each in usable}
        values = {each: score.value for each, score in scores.items()}
        fold = FoldDone(1, 1, self.n_train, self.n_test, values, predict_seconds=seconds)
        rows = self._split[1]
        return Evaluation(
            name,
            protocol,
            tuple(usable),
            scores,
            (fold,),
            rows,
            answers,
            confidence,
            tuple(cautions),
            positive=None if code is None else classes.tolist()[code],
        )

    def _refuse(self) -> None:
        before = ", ".join(opening.model for opening in self.openings)
        raise SealBrokenError(
            f"SealedTest.open: the test part was already opened ({before}); a model chosen after looking at it is "
            "judged too kindly (again=True opens it all the same, and the report will say so)."
        )

    def _answers(self, model: ClassifierLike) -> tuple[Answers, float]:
        train, test = self._split
        classes = distinct(self._labels)
        given = predict_all(model, take_rows(ready_for(model, self._X), test))
        columns, truth = classes_of(model, self._labels[train]), codes_of(self._labels[test], classes)
        return answers_beside(given, columns, classes, truth, who=type(model).__name__), given.seconds

    def __repr__(self) -> str:
        state = "; ".join(map(str, self.openings)) or "unopened"
        how = f" by {self._how}" if self._how else ""
        return f"<SealedTest {self.digest}: {self.n_test} of {len(self._labels)} rows{how}, {state}>"


class _Record:
    """The openings of one sealed test part, the same object for all its copies in this process."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.openings: list[Opening] = []
        self.askers: set[str] = set()

    def __reduce__(self) -> tuple[Any, ...]:
        return _record, (self.key, tuple(self.openings), frozenset(self.askers))


#: The records of this process by the digest of the test part; they outlive the objects, else making one anew would be a
#: way round the seal.
_RECORDS: dict[str, _Record] = {}


def _record(key: str, openings: tuple[Opening, ...] = (), askers: frozenset[str] = frozenset()) -> _Record:
    """The record of a digest, with openings that were not known here yet."""
    record = _RECORDS.get(key)
    if record is None:
        record = _RECORDS[key] = _Record(key)
    record.openings += [opening for opening in openings if opening not in record.openings]
    record.askers |= askers
    return record


def _told(answers: Answers) -> str:
    """What a model answered, in short: equal texts are the same answers."""
    digest = hashlib.sha256()
    for part in (answers.predicted, answers.probabilities, answers.scores):
        digest.update(b"" if part is None else np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()[:12]


def _one_split(protocol: SplitProtocol, labels: np.ndarray) -> Split:
    *others, last = protocol.split(labels)
    if others and not isinstance(protocol, TimeOrdered):
        raise ParameterError(
            f"SealedTest(protocol={protocol!r}): there must be one split, not {len(others) + 1} (as HoldOut, "
            "GroupHoldOut, or TimeOrdered, of which the last stretch is sealed)."
        )
    return last


def _digest(rows: np.ndarray, X: TableLike, labels: np.ndarray) -> str:
    """Twelve hexadecimal digits that change with any row, cell or label of the part."""
    digest = hashlib.sha256(rows.astype("<i8").tobytes())
    digest.update(repr(labels.tolist()).encode())
    for piece in _cells(X):
        digest.update(piece)
    return digest.hexdigest()[:12]


def _cells(X: Any) -> Iterable[bytes]:
    if isinstance(X, Table):
        for column in X.schema:
            yield repr((column.name, column.levels)).encode()
            yield X.cells(column.name).tobytes()
    elif hasattr(X, "tocsr"):
        matrix = X.tocsr().sorted_indices()
        yield from (part.tobytes() for part in (matrix.indptr, matrix.indices, matrix.data))
    elif isinstance(X, np.ndarray) and X.dtype != object:
        yield np.ascontiguousarray(X).tobytes()
    elif isinstance(X, (np.ndarray, list)):
        yield repr(list(X)).encode()
    else:
        import narwhals as nw

        for column in nw.from_native(X, eager_only=True).iter_columns():
            yield repr((column.name, column.to_list())).encode()
