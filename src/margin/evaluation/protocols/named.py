"""One list of protocols by name, and whatever else can stand for a protocol."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from margin.data.rows import without_column
from margin.errors import ParameterError, closest
from margin.evaluation.protocols.bootstrap import Bootstrap
from margin.evaluation.protocols.given import FromSplitter, Given
from margin.evaluation.protocols.groups import GroupFolds, GroupHoldOut
from margin.evaluation.protocols.stratified import HoldOut, LeaveOneOut, SplitProtocol, StratifiedFolds, TrainingData
from margin.evaluation.protocols.time_order import TimeHoldOut, TimeOrdered
from margin.evaluation.protocols.unstratified import Folds, RepeatedHoldOut, TrainValidationTest
from margin.typing import LabelsLike, TableLike

__all__ = ["PROTOCOLS", "as_protocol", "bound_protocol"]

_PROTOCOLS: dict[str, Callable[[], SplitProtocol]] = {
    "training": TrainingData,
    "hold-out": HoldOut,
    "train-validation-test": TrainValidationTest,
    "folds": Folds,
    "5-fold": lambda: StratifiedFolds(5),
    "10-fold": StratifiedFolds,
    "10x10": lambda: StratifiedFolds(10, repeats=10),
    "5x2": lambda: StratifiedFolds(2, repeats=5),
    "leave-one-out": LeaveOneOut,
    "loo": LeaveOneOut,
    "repeated-hold-out": RepeatedHoldOut,
    "bootstrap": Bootstrap,
    ".632+": Bootstrap,
    ".632": lambda: Bootstrap(estimate=".632"),
    "out-of-bag": lambda: Bootstrap(estimate="out-of-bag"),
    "groups": GroupFolds,
    "group-hold-out": GroupHoldOut,
    "time": TimeOrdered,
    "time-hold-out": TimeHoldOut,
}
#: Protocols by name, with their usual settings. ``"7-fold"`` and ``"3x5"`` (repeats × folds) work for any numbers.
PROTOCOLS: Mapping[str, Callable[[], SplitProtocol]] = MappingProxyType(_PROTOCOLS)

_DEFAULT_FOLDS = 10


def as_protocol(given: object, n_rows: int, groups: LabelsLike | None = None, who: str = "evaluate") -> SplitProtocol:
    """What stands for a protocol as one: a name, a number of folds, a splitter of scikit-learn, splits, or a protocol.

    Without any it is ten stratified folds, or folds by group where ``groups`` are given, and fewer folds where there
    are fewer rows or groups.

    >>> as_protocol("10x10", 150)
    StratifiedFolds(folds=10, repeats=10, seed=0)
    >>> as_protocol(5, 150)
    StratifiedFolds(folds=5, repeats=1, seed=0)
    >>> from sklearn.model_selection import KFold
    >>> as_protocol(KFold(3), 150).name
    'splits by KFold'
    """
    if given is None or (isinstance(given, (int, np.integer)) and not isinstance(given, bool)):
        return _folds(None if given is None else int(given), n_rows, groups)
    if isinstance(given, str):
        given = _named(given, who)
    if isinstance(given, type):
        raise ParameterError(f"{who}(protocol={given.__name__}): give an instance: {given.__name__}().")
    if hasattr(given, "judged_by") and hasattr(given, "split"):
        return _with_groups(given, groups, who)
    if hasattr(given, "split") and hasattr(given, "get_n_splits"):
        if type(given).__name__ == "LeaveOneOut":  # ours knows models that answer it in one go
            return LeaveOneOut()
        return FromSplitter(given, groups, n_rows)
    if isinstance(given, (list, tuple, Iterator)):
        return _with_groups(Given(given), groups, who)
    raise ParameterError(
        f"{who}(protocol={given!r}): the protocol must be one of margin's, as HoldOut(), its name, a number of folds, "
        "a splitter of scikit-learn, or pairs of (training rows, test rows)."
    )


def _folds(folds: int | None, n_rows: int, groups: LabelsLike | None) -> SplitProtocol:
    if groups is None:
        return StratifiedFolds(max(2, min(_DEFAULT_FOLDS, n_rows)) if folds is None else int(folds))
    if folds is None:
        folds = max(2, min(_DEFAULT_FOLDS, len(set(np.asarray(groups).tolist()))))
    return GroupFolds(groups, int(folds))


def _named(name: str, who: str) -> SplitProtocol:
    wanted = name.strip().lower().replace("×", "x").replace(" ", "-").replace("_", "-")
    if wanted in PROTOCOLS:
        return PROTOCOLS[wanted]()
    if numbers := re.fullmatch(r"(\d+)-?fold", wanted):
        return StratifiedFolds(int(numbers[1]))
    if numbers := re.fullmatch(r"(\d+)-?x-?(\d+)", wanted):
        return StratifiedFolds(int(numbers[2]), repeats=int(numbers[1]))
    known = ", ".join(map(repr, PROTOCOLS))
    raise ParameterError(f"{who}(protocol={name!r}): protocol must be one of {known}{closest(name, PROTOCOLS)}.")


def _with_groups(protocol: Any, groups: LabelsLike | None, who: str) -> SplitProtocol:
    if groups is None:
        return protocol
    if not isinstance(protocol, (GroupFolds, GroupHoldOut)):
        raise ParameterError(
            f"{who}(groups=…): {type(protocol).__name__} splits without groups (use GroupFolds or GroupHoldOut, or "
            "leave the groups out)."
        )
    if protocol.groups is not None:
        raise ParameterError(f"{who}(groups=…): {type(protocol).__name__} has its groups already; give them once.")
    return replace(protocol, groups=groups)


def bound_protocol(
    given: object, X: TableLike, n_rows: int, groups: LabelsLike | None = None, who: str = "evaluate"
) -> tuple[Any, Any]:
    """The protocol with groups or times read from ``X`` where they are columns of it, and ``X`` without those."""
    if isinstance(groups, str):
        groups, X = without_column(X, groups, f"{who}(groups=…)")
    protocol = as_protocol(given, n_rows, groups, who)
    return protocol.bound(X) if hasattr(protocol, "bound") else (protocol, X)
