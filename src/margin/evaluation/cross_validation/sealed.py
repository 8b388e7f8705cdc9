"""A test part that is split off first, stays sealed, and opens once, at the end."""

from __future__ import annotations

import hashlib
import secrets
import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar

import numpy as np

from margin.data import Table
from margin.data.labels import codes_of, distinct, label_array, refuse_missing
from margin.data.rows import count_rows, ready_for, take_rows
from margin.errors import InputError, ParameterError, SealBrokenError
from margin.evaluation.cross_validation.evaluate import DEFAULT_METRICS
from margin.evaluation.cross_validation.result import Evaluation, FoldDone
from margin.evaluation.metrics.definitions import Metric
from margin.evaluation.predictions.answers import Answers
from margin.evaluation.predictions.from_model import answers_beside, classes_of, model_name, predict_all
from margin.evaluation.protocols.named import bound_protocol
from margin.evaluation.protocols.stratified import HoldOut, Judged, Split, SplitProtocol
from margin.evaluation.protocols.time_order import TimeOrdered
from margin.evaluation.scoring.of_cases import check_metrics, score_cases, usable_metrics

__all__ = ["Opening", "SealedTest"]


@dataclass(frozen=True)
class Opening:
    """One opening of a sealed test part: when, and for which model."""

    when: datetime
    model: str

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

    def split(self, y: Any) -> Any:
        raise InputError("SealedTest: a sealed test part is not split again.")

    def describe(self) -> str:
        times = "opened once" if self.opening == 1 else f"now opened {self.opening} times"
        how = f" ({self.split_off})" if self.split_off else ""
        return f"Asked about {self.n_test} rows that were split off{how} before anything was learnt; {times}."


class SealedTest:
    """Splits a test part off, in proportion by class, and gives it out only as scores, once.

    Copies are no way round the seal: whatever ``copy`` or ``pickle`` makes of it in the same process shares the record
    of openings, and a pickle carries its record elsewhere. What is loaded twice in different processes, or split off
    anew with the same seed, nobody can know of; ``digest`` tells that it was the same test part.

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

    def __init__(self, X: Any, y: Any, share: float = 0.2, seed: int = 0, *, protocol: Any = None) -> None:
        labels = label_array(y, "SealedTest(y=…)")
        refuse_missing(labels, "SealedTest(y=…)")
        if count_rows(X) != len(labels):
            raise InputError(f"SealedTest: X has {count_rows(X)} rows, but y has {len(labels)} labels.")
        self.share, self.seed = share, seed
        self._record = _record(secrets.token_hex(16))
        chosen, X = bound_protocol(HoldOut(share, seed) if protocol is None else protocol, X, len(labels))
        self._how = "" if protocol is None else chosen.name
        self._X, self._labels = X, labels
        self._split: Split = _one_split(chosen, labels)
        self.digest = _digest(self._split[1], take_rows(X, self._split[1]), labels[self._split[1]])

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
        model: Any,
        *,
        metrics: Iterable[str | Metric] = DEFAULT_METRICS,
        confidence: float = 0.95,
        again: bool = False,
        name: str | None = None,
    ) -> Evaluation:
        """Ask a fitted model about the sealed rows; scores come with exact intervals (bootstrap where there is none).

        A second opening raises ``SealBrokenError`` unless ``again`` is true. Every opening is written down in
        ``openings``. ``name`` is what the record calls the model, its type without it.
        """
        if self.openings and not again:
            before = ", ".join(opening.model for opening in self.openings)
            raise SealBrokenError(
                f"SealedTest.open: the test part was already opened ({before}); a model chosen after looking at it is "
                "judged too kindly (again=True opens it all the same, and the report will say so)."
            )
        chosen = check_metrics(metrics, "SealedTest.open")
        name = name or model_name(model)
        answers, seconds = self._answers(model)
        self.openings.append(Opening(datetime.now(UTC), name))
        record = tuple(self.openings)
        protocol = _Sealed(self.n_train, self.n_test, len(record), self.digest, record, self._how)
        usable, cautions = usable_metrics(chosen, answers, name)
        if protocol.caution:
            cautions.insert(0, protocol.caution)
        scores = {each.name: score_cases(each, answers, confidence) for each in usable}
        values = {each: score.value for each, score in scores.items()}
        fold = FoldDone(1, 1, self.n_train, self.n_test, values, predict_seconds=seconds)
        rows = self._split[1]
        return Evaluation(name, protocol, tuple(usable), scores, (fold,), rows, answers, confidence, tuple(cautions))

    def _answers(self, model: Any) -> tuple[Answers, float]:
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

    def __reduce__(self) -> tuple[Any, ...]:
        return _record, (self.key, tuple(self.openings))


_RECORDS: weakref.WeakValueDictionary[str, _Record] = weakref.WeakValueDictionary()


def _record(key: str, openings: tuple[Opening, ...] = ()) -> _Record:
    """The record of that key, with openings that were not known here yet."""
    record = _RECORDS.get(key)
    if record is None:
        record = _RECORDS[key] = _Record(key)
    record.openings += [opening for opening in openings if opening not in record.openings]
    return record


def _one_split(protocol: SplitProtocol, labels: np.ndarray) -> Split:
    *others, last = protocol.split(labels)
    if others and not isinstance(protocol, TimeOrdered):
        raise ParameterError(
            f"SealedTest(protocol={protocol!r}): there must be one split, not {len(others) + 1} (as HoldOut, "
            "GroupHoldOut, or TimeOrdered, of which the last stretch is sealed)."
        )
    return last


def _digest(rows: np.ndarray, X: Any, labels: np.ndarray) -> str:
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
