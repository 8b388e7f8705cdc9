"""Protocols that draw rows at random: plain folds, hold-outs over and over, three parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from margin.errors import DataError, ParameterError
from margin.evaluation.protocols.label_matrix import is_label_matrix
from margin.evaluation.protocols.stratified import (
    HoldOut,
    Judged,
    OneHoldOut,
    RepeatedFolds,
    Split,
    Splits,
    _groups,
    check_count,
    check_seed,
    check_share,
)
from margin.random import generator, seed_for
from margin.typing import LabelsLike

__all__ = ["Folds", "RepeatedHoldOut", "TrainValidationTest"]


@dataclass(frozen=True)
class Folds(RepeatedFolds):
    """Cuts the rows into folds of equal size without a look at the classes, at random or in the order they stand in.

    Each fold is asked about once per repeat. :class:`StratifiedFolds` vary less, since every fold has all classes in
    proportion; this is the textbook's k-fold cross-validation.

    >>> [test.tolist() for _, test in Folds(2, shuffle=False).split(["a", "a", "b", "b", "b"])]
    [[0, 1, 2], [3, 4]]
    """

    folds: int = 10
    repeats: int = 1
    shuffle: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.repeats > 1 and not self.shuffle:
            raise ParameterError(
                f"Folds(repeats={self.repeats}, shuffle=False): in the order of the rows every repeat would be the "
                "same (leave shuffle=True, or repeats=1)."
            )

    @property
    def kind(self) -> str:
        return ", unstratified" if self.shuffle else ", in order"

    def split(self, y: LabelsLike) -> Iterator[Split]:
        n = len(_groups("Folds", y, least=2))
        if n < self.folds:
            raise DataError(f"Folds(folds={self.folds}): {n} rows do not fill so many folds (use folds={n} or fewer).")
        sizes = np.full(self.folds, n // self.folds) + (np.arange(self.folds) < n % self.folds)
        for repeat in range(self.repeats):
            order = generator(self.seed, "folds", repeat).permutation(n) if self.shuffle else np.arange(n)
            fold_of = np.empty(n, dtype=np.intp)
            fold_of[order] = np.repeat(np.arange(self.folds), sizes)
            for fold in range(self.folds):
                yield np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)

    def describe(self) -> str:
        return self._describe("drawn at random" if self.shuffle else "cut in the order of the rows")


@dataclass(frozen=True)
class RepeatedHoldOut(OneHoldOut):
    """Holds a share of the rows back, in proportion by class, again and again with new draws (Monte Carlo).

    >>> protocol = RepeatedHoldOut(0.25, times=3)
    >>> [test.tolist() for _, test in protocol.split(["a", "a", "a", "a", "b", "b", "b", "b"])]
    [[3, 7], [0, 4], [1, 7]]
    """

    test_share: float = 0.25
    times: int = 30
    seed: int = 0

    judged_by: ClassVar[Judged] = "folds"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("RepeatedHoldOut", "times", self.times)

    @property
    def name(self) -> str:
        return f"{self.times} × {super().name}"

    @property
    def n_fits(self) -> int:
        return self.times

    def split(self, y: LabelsLike) -> Iterator[Split]:
        groups = np.asarray(y) if is_label_matrix(y) else _groups("RepeatedHoldOut", y, least=2)
        for time in range(self.times):
            yield from HoldOut(self.test_share, seed_for(self.seed, "hold-out", time, bits=63)).split(groups)

    def describe(self) -> str:
        share = 100 * self.test_share
        return (
            f"{self.times} times {share:g} % of the rows, drawn by class in proportion, were asked of a model learnt "
            f"from the other {100 - share:g} %."
        )


@dataclass(frozen=True)
class TrainValidationTest(Splits):
    """Three parts, each with the classes in proportion: to learn from, to choose by, and to report.

    ``evaluate`` gives the scores of the test part as ``scores`` and those of the validation part beside them, as
    ``validation_scores``: choose settings by the latter, then read the former once. Both come from one model, learnt
    from the training part; with ``refit=True`` the test part is asked of a second model that learns from training and
    validation part together, as one does after choosing.

    A class with too few cases for all parts stays in the training part.

    >>> protocol = TrainValidationTest(validation_share=0.25, test_share=0.25)
    >>> [part.tolist() for part in protocol.parts(["a", "a", "a", "a", "b", "b", "b", "b"])]
    [[1, 3, 4, 6], [0, 5], [2, 7]]
    """

    validation_share: float = 0.2
    test_share: float = 0.2
    refit: bool = False
    seed: int = 0

    judged_by: ClassVar[Judged] = "cases"
    caution = (
        "The validation part is for choosing: the scores of whatever was chosen by it are optimistic there, "
        "and those of the test part count only as long as nothing was chosen by them."
    )

    def __post_init__(self) -> None:
        check_share("TrainValidationTest", "validation_share", self.validation_share)
        check_share("TrainValidationTest", "test_share", self.test_share)
        check_seed("TrainValidationTest", self.seed)
        if self.validation_share + self.test_share >= 1:
            raise ParameterError(
                f"TrainValidationTest(validation_share={self.validation_share!r}, test_share={self.test_share!r}): "
                "the two shares must leave rows to learn from (as 0.2 and 0.2 do)."
            )

    @property
    def n_fits(self) -> int:
        return 1 + self.refit

    @property
    def name(self) -> str:
        shares = (1 - self.validation_share - self.test_share, self.validation_share, self.test_share)
        return f"train/validation/test {' / '.join(f'{100 * share:g}' for share in shares)} %"

    def parts(self, y: LabelsLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows of the training, the validation and the test part, each ascending."""
        groups = np.asarray(y) if is_label_matrix(y) else _groups("TrainValidationTest", y, least=3)
        ((rest, test),) = HoldOut(self.test_share, seed_for(self.seed, "test", bits=63)).split(groups)
        share = self.validation_share / (1 - self.test_share)
        ((train, validation),) = HoldOut(share, seed_for(self.seed, "validation", bits=63)).split(groups[rest])
        return rest[train], rest[validation], test

    def split(self, y: LabelsLike) -> Iterator[Split]:
        """What the test part is asked of: the training part, with ``refit`` together with the validation part."""
        train, validation, test = self.parts(y)
        yield np.sort(np.concatenate([train, validation])) if self.refit else train, test

    def describe(self) -> str:
        learnt, chosen, tested = (
            f"{100 * share:g} %"
            for share in (1 - self.validation_share - self.test_share, self.validation_share, self.test_share)
        )
        again = " of a model learnt anew from training and validation part" if self.refit else ""
        return (
            f"Learnt from {learnt} of the rows, {chosen} kept for choosing, and asked about the other {tested}{again}."
        )
