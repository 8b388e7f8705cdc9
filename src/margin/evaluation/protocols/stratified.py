"""Protocols: which rows are learnt from and which are asked about.

Every split keeps the classes in proportion as well as whole rows allow, works with classes of a single case, and
depends on the seed and on which rows share a label, not on what the labels are called.
Rows are dealt out like cards: shuffled, class after class, and written down as lists for learning and asking.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

import numpy as np

import margin._core as _core
from margin.data.labels import groups_of, label_array, numbered, refuse_missing
from margin.errors import DataError, LabelError, ParameterError
from margin.evaluation.protocols.label_matrix import dealt_label_sets, is_label_matrix, label_matrix, set_numbers
from margin.parallel import n_threads
from margin.random import generator
from margin.typing import LabelsLike, SeedLike

__all__ = [
    "HoldOut",
    "LeaveOneOut",
    "OneHoldOut",
    "RepeatedFolds",
    "SplitProtocol",
    "Splits",
    "StratifiedFolds",
    "TrainingData",
    "dealt_folds",
    "held_back",
    "separated",
]

Split = tuple[np.ndarray, np.ndarray]
Judged = Literal["cases", "folds", "replicates"]


class SplitProtocol(Protocol):
    """What ``evaluate`` needs of a protocol; anything that has this can be one.

    ``judged_by`` says where the uncertainty of a score comes from: ``"cases"`` where each case is asked about once and
    the metric is computed on all of them together, ``"folds"`` where it is the mean over folds, ``"replicates"`` where
    it is put together from bootstrap replicates. ``caution`` is a sentence that must stand beside the result, or empty.
    ``n_fits`` is ``None`` where it depends on the number of rows.
    """

    @property
    def judged_by(self) -> Judged: ...

    @property
    def caution(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def n_fits(self) -> int | None: ...

    def split(self, y: LabelsLike) -> Iterator[Split]: ...

    def describe(self) -> str: ...


class Splits:
    """What a protocol is unless it says otherwise: judged by its folds, with nothing to be careful about."""

    judged_by: ClassVar[Judged] = "folds"
    caution = ""

    def __eq__(self, other: object) -> bool:
        """Whether both split alike: the same settings, and the same groups or times row by row."""
        return type(other) is type(self) and all(_alike(value, vars(other)[name]) for name, value in vars(self).items())

    def __hash__(self) -> int:
        return hash(type(self))


def _alike(one: object, other: object) -> bool:
    if one is other:
        return True
    return np.array_equal(np.asarray(one, dtype=object), np.asarray(other, dtype=object))


class RepeatedFolds(Splits):
    """What protocols with ``folds``, ``repeats`` and a ``seed`` share; ``kind`` is what sets their folds apart."""

    folds: int
    repeats: int
    seed: int

    def __post_init__(self) -> None:
        who = type(self).__name__
        check_count(who, "folds", self.folds, least=2)
        check_count(who, "repeats", self.repeats)
        check_seed(who, self.seed)

    @property
    def kind(self) -> str:
        return ""

    @property
    def name(self) -> str:
        repeated = f"{self.repeats} × " if self.repeats > 1 else ""
        return f"{repeated}{self.folds}-fold cross-validation{self.kind}"

    @property
    def n_fits(self) -> int:
        return self.folds * self.repeats

    def _describe(self, made: str) -> str:
        times = f", {self.repeats} times over with new folds" if self.repeats > 1 else ""
        return f"Each of {self.folds} folds, {made}, was asked of a model learnt from the others{times}."


class OneHoldOut(Splits):
    """What protocols share that hold a ``test_share`` back, drawn by a ``seed``; ``kind`` is what sets them apart."""

    test_share: float
    seed: int
    judged_by: ClassVar[Judged] = "cases"

    def __post_init__(self) -> None:
        check_share(type(self).__name__, "test_share", self.test_share)
        check_seed(type(self).__name__, self.seed)

    @property
    def kind(self) -> str:
        return ""

    @property
    def name(self) -> str:
        return f"hold-out {100 * self.test_share:g} %{self.kind}"

    @property
    def n_fits(self) -> int:
        return 1


@dataclass(frozen=True)
class TrainingData(Splits):
    """Asks about the very rows that were learnt from: quick, and far too optimistic.

    >>> [(len(train), len(test)) for train, test in TrainingData().split(["a", "b"])]
    [(2, 2)]
    """

    judged_by: ClassVar[Judged] = "cases"
    caution = (
        "The model was asked about the rows it had learnt from: these scores are optimistic and say nothing "
        "about new cases."
    )
    name = "training data"
    n_fits = 1

    def split(self, y: LabelsLike) -> Iterator[Split]:
        rows = np.arange(len(_groups("TrainingData", y, least=1)))
        yield rows, rows

    def describe(self) -> str:
        return "Learnt from all rows and asked about the same rows."


@dataclass(frozen=True)
class HoldOut(OneHoldOut):
    """Holds a share of the rows back, in proportion by class, and asks about those.

    A class with a single case stays in the training part, and no class loses all of its cases to the test part. Of
    several labels a row (an array of 0 and 1, a column a label) both parts get their share of the cases of each.

    >>> [(train.tolist(), test.tolist()) for train, test in HoldOut(0.5).split(["a", "a", "b", "b", "c"])]
    [([1, 3, 4], [0, 2])]
    """

    test_share: float = 0.25
    seed: int = 0

    def split(self, y: LabelsLike) -> Iterator[Split]:
        if is_label_matrix(y):
            matrix = label_matrix(np.asarray(y), "HoldOut", 2)
            part = dealt_label_sets(matrix, [1 - self.test_share, self.test_share], generator(self.seed, "label sets"))
            if not (part == 1).any() or not (part == 0).any():
                raise DataError(f"HoldOut(test_share={self.test_share!r}): {len(part)} rows are too few for it.")
            yield np.flatnonzero(part == 0), np.flatnonzero(part == 1)
            return
        groups, sizes = groups_of(_labels("HoldOut", y, least=2))
        wanted = min(max(round(self.test_share * len(groups)), 1), len(groups) - 1)
        held = _proportional(sizes, wanted)
        if not held.any():
            raise LabelError(
                f"HoldOut: every class has a single case among {len(groups)} rows, so none can be held back "
                "(gather more cases, or merge classes)."
            )
        yield separated(held_back(groups, sizes, held, self.seed), 1, int(held.sum()))

    def describe(self) -> str:
        share = 100 * self.test_share
        return (
            f"Learnt from {100 - share:g} % of the rows, by class in proportion, and asked about the other {share:g} %."
        )


@dataclass(frozen=True)
class StratifiedFolds(RepeatedFolds):
    """Cuts the rows into folds of equal size and class proportions; each fold is asked about once per repeat.

    Folds differ by at most one row in size and by at most one case of any class, classes with fewer cases than folds
    included: their cases lie in different folds. Of several labels a row (an array of 0 and 1, a column a label) every
    fold gets its share of the cases of each label, by iterative stratification (Sechidis et al. 2011).

    >>> protocol = StratifiedFolds(folds=2)
    >>> [test.tolist() for _, test in protocol.split(["a", "a", "a", "a", "b"])]
    [[0, 2, 4], [1, 3]]
    """

    folds: int = 10
    repeats: int = 1
    seed: int = 0

    def split(self, y: LabelsLike) -> Iterator[Split]:
        several = is_label_matrix(y)
        labels = label_matrix(np.asarray(y), "StratifiedFolds", 2) if several else _labels("StratifiedFolds", y, 2)
        n = len(labels)
        if n < self.folds:
            raise DataError(
                f"StratifiedFolds(folds={self.folds}): {n} rows do not fill so many folds (use folds={n} or fewer)."
            )
        if several:
            yield from self._by_label(labels)
            return
        groups, sizes = groups_of(labels)
        for repeat in range(self.repeats):
            fold_of = dealt_folds(groups, sizes, self.folds, self.seed, repeat)
            for fold in range(self.folds):
                yield separated(fold_of, fold, (n - fold - 1) // self.folds + 1)

    def _by_label(self, matrix: np.ndarray) -> Iterator[Split]:
        shares = np.full(self.folds, 1 / self.folds)
        for repeat in range(self.repeats):
            fold_of = dealt_label_sets(matrix, shares.tolist(), generator(self.seed, "label sets", repeat))
            for fold in range(self.folds):
                yield np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)

    def describe(self) -> str:
        return self._describe("of equal class shares")


@dataclass(frozen=True)
class LeaveOneOut(Splits):
    """Asks about each row with a model learnt from all others: as many fits as rows, nothing left to chance.

    >>> [(train.tolist(), test.tolist()) for train, test in LeaveOneOut().split(["a", "b", "a"])]
    [([1, 2], [0]), ([0, 2], [1]), ([0, 1], [2])]
    """

    judged_by: ClassVar[Judged] = "cases"
    name = "leave-one-out"
    #: One fit per row: not known before the rows are.
    n_fits = None

    def split(self, y: LabelsLike) -> Iterator[Split]:
        rows = np.arange(len(_groups("LeaveOneOut", y, least=2)))
        for row in rows:
            yield np.delete(rows, row), rows[row : row + 1]

    def describe(self) -> str:
        return "Each row was asked about by a model learnt from all the others."


def check_seed(who: str, seed: SeedLike) -> None:
    """Refuse a seed that is no whole number from 0 up."""
    if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool) or seed < 0:
        raise ParameterError(f"{who}(seed={seed!r}): the seed must be a whole number, 0 or more.")


def check_count(who: str, what: str, value: object, least: int = 1) -> None:
    """Refuse a count that is no whole number, or too small a one."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
        raise ParameterError(f"{who}({what}={value!r}): {what} must be a whole number, {least} or more.")


def check_share(who: str, what: str, value: object) -> None:
    """Refuse a share of the rows that would leave one side empty."""
    if not isinstance(value, (int, float, np.number)) or isinstance(value, bool) or not 0 < value < 1:
        raise ParameterError(f"{who}({what}={value!r}): the share must lie between 0 and 1, as 0.25.")


def _groups(who: str, y: LabelsLike, least: int) -> np.ndarray:
    """Which rows share a label, as numbers in order of first appearance: the same for any names of the labels.

    Of several labels a row: which rows share all of them.
    """
    if is_label_matrix(y):
        return set_numbers(label_matrix(np.asarray(y), who, least))
    return numbered(_labels(who, y, least))


def _labels(who: str, y: LabelsLike, least: int) -> np.ndarray:
    labels = label_array(y, who)
    refuse_missing(labels, who)
    if len(labels) < least:
        rows = "1 row is" if len(labels) == 1 else f"{len(labels)} rows are"
        raise DataError(f"{who}: {rows} too few to split; at least {least} are needed.")
    return labels


def _proportional(sizes: np.ndarray, wanted: int) -> np.ndarray:
    """``wanted`` rows shared out over groups in proportion, with whole numbers and at least one row left in each.

    Largest remainders first; where every group is down to one row, fewer than wanted are given.
    """
    exact = wanted * sizes / sizes.sum()
    given = np.minimum(np.floor(exact).astype(np.intp), sizes - 1)
    while given.sum() < wanted and (open_ := given < sizes - 1).any():
        short = np.where(open_, exact - given, -np.inf)
        most = np.argsort(-short, kind="stable")[: min(wanted - given.sum(), open_.sum())]
        given[most] += 1
    return given


def dealt_folds(groups: np.ndarray, sizes: np.ndarray, folds: int, *seeds: int) -> np.ndarray:
    """The fold of each row. Dealt out group after group, so that folds differ by one row of a group at most.

    >>> dealt_folds(np.array([0, 0, 1, 1]), np.array([2, 2]), 2, 0).tolist()
    [0, 1, 0, 1]
    """
    groups = groups.astype(_narrow(max(folds, len(sizes))), copy=False)
    fold_of = np.empty_like(groups)
    _core.metrics.deal_folds(_random(seeds), groups, np.cumsum(sizes) - sizes, folds, fold_of)
    return fold_of


def held_back(groups: np.ndarray, sizes: np.ndarray, held: np.ndarray, *seeds: int) -> np.ndarray:
    """1 for so many rows of each group, drawn at random, and 0 for all others.

    >>> held_back(np.array([0, 0, 1, 1]), np.array([2, 2]), np.array([1, 0]), 0).tolist()
    [1, 0, 0, 0]
    """
    groups = groups.astype(_narrow(len(sizes)), copy=False)
    is_held = np.empty_like(groups)
    _core.metrics.deal_held(_random(seeds), groups, np.cumsum(sizes) - sizes, held, is_held)
    return is_held


def separated(fold_of: np.ndarray, fold: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows outside a fold of known size and those inside, ascending.

    >>> separated(np.array([0, 1, 0]), 1, 1)
    (array([0, 2]), array([1]))
    """
    train, test = np.empty(len(fold_of) - size, dtype=np.int64), np.empty(size, dtype=np.int64)
    _core.metrics.separate(fold_of, fold, train, test, n_threads())
    return train, test


def _random(seeds: tuple[int, ...]) -> list[int]:
    """State and increment of NumPy's generator of these seeds, in words: the core shuffles as NumPy does."""
    state = np.random.PCG64(np.random.SeedSequence(seeds)).state["state"]
    return [word for number in (state["state"], state["inc"]) for word in divmod(number, 2**64)]


def _narrow(most: int) -> type[np.integer]:
    """Single bytes where they have room for so many numbers: they stay in the cache while rows are looked up."""
    return np.uint8 if most <= 256 else np.int64
