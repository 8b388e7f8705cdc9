"""What a family declares: workloads, the sides that do them, and how a repeat is measured."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["Arrays", "Column", "Measure", "Side", "UnknownName", "Workload", "accuracy", "find_families", "load_family"]

#: The arrays of a workload by name: ``X``, ``y``, ``X_test``, ``y_test`` for models, anything for other measures.
Arrays = dict[str, Any]


class UnknownName(ValueError):
    """A family, workload or side that nobody declared."""

    def __init__(self, kind: str, name: str, known: Sequence[str]) -> None:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        super().__init__(f"{kind} {name!r} is not known; there are {', '.join(known) or 'none'}{hint}.")


@dataclass(frozen=True)
class Column:
    """One figure of a repeat, and how the repeats are put together.

    ``unit`` is ``"seconds"``, ``"bytes"``, ``"score"`` or ``"objective"`` (a score of more digits); only seconds are
    compared by ratio. Of the repeats the least seconds stand (noise only adds), the most bytes and the last score,
    unless ``keep`` says otherwise.
    """

    key: str
    title: str
    unit: str = "seconds"
    keep: str = ""

    def combine(self, values: Sequence[float]) -> float:
        keep = self.keep or {"seconds": "least", "bytes": "most", "score": "last", "objective": "last"}[self.unit]
        return values[-1] if keep == "last" else min(values) if keep == "least" else max(values)


@dataclass(frozen=True)
class Measure:
    """A way of measuring: ``start`` warms a side up and gives the function that does one repeat."""

    columns: tuple[Column, ...]
    start: Callable[[Side, Workload, Arrays], Callable[[], dict[str, float]]]


@dataclass(frozen=True)
class Side:
    """One library's way of doing a workload.

    Parameters
    ----------
    name
        What the table calls it.
    library
        The module it needs; where it is absent the side is shown as not installed.
    make
        Gives a fresh model with ``fit`` and ``predict`` (or the function to call, for the measure ``call``).
        Imports of the library belong inside it, so that declaring a side costs nothing.
    prepare
        Puts the arrays into the form this library likes best; not timed.
    """

    name: str
    library: str
    make: Callable[[], Any]
    prepare: Callable[[Arrays], Arrays] | None = None

    @property
    def is_margin(self) -> bool:
        return self.library.split(".")[0] == "margin"


def accuracy(truth: Any, answers: Any) -> float:
    """The share of right answers.

    >>> accuracy([1, 2, 3, 4], [1, 2, 3, 0])
    0.75
    """
    return float(np.mean(np.asarray(truth) == np.asarray(answers)))


@dataclass(frozen=True)
class Workload:
    """The same work for every side.

    ``make_data`` is called with ``size``, or with ``quick`` on top of it for a quick try, and gives the arrays;
    its seeds are fixed. ``quality`` scores the answers on the test part.
    """

    name: str
    make_data: Callable[..., Arrays]
    sides: tuple[Side, ...]
    measure: Measure
    size: Mapping[str, Any] = field(default_factory=dict)
    quick: Mapping[str, Any] = field(default_factory=dict)
    quality: Callable[[Any, Any], float] = accuracy

    def sizes(self, quick: bool) -> dict[str, Any]:
        return {**self.size, **(self.quick if quick else {})}

    def side(self, name: str) -> Side:
        for side in self.sides:
            if side.name == name:
                return side
        raise UnknownName("side", name, [side.name for side in self.sides])


def find_families() -> list[str]:
    """Every family there is: the files beside the harness."""
    package = importlib.import_module("benchmarks")
    return sorted(
        found.name
        for found in pkgutil.iter_modules(package.__path__)
        if not found.ispkg and not found.name.startswith("_")
    )


def load_family(name: str) -> dict[str, Workload]:
    """The workloads of a family by name; ``name`` may also be the dotted name of a module elsewhere."""
    if "." not in name and name not in find_families():
        raise UnknownName("family", name, find_families())
    module = importlib.import_module(name if "." in name else f"benchmarks.{name}")
    return {workload.name: workload for workload in module.WORKLOADS}
