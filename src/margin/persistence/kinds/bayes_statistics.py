"""What models of Bayes count: sums over rows, class by class, from which everything else of them follows.

Letters: ``k`` classes, ``d`` columns; ``v`` levels or values of all columns one after another.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from margin.bayes.discriminant.diagonal import ColumnSums
from margin.bayes.discriminant.scatter import Scatter
from margin.bayes.joint_counts import Combinations
from margin.bayes.sufficient_statistics import (
    ClassMoments,
    ColumnGrids,
    LevelCounts,
    NumberCounts,
    RowStatistics,
    SortedCells,
    Sums,
    WordSums,
)
from margin.persistence.container.limits import Malformed
from margin.persistence.objects.arrays import Array, at_least, finite, positive, starts
from margin.persistence.objects.fields import Absent, Field, Flag, Maybe, Object, Packer, TupleOf, Unpacker, Whole
from margin.persistence.objects.kind import Kind
from margin.persistence.objects.values import Texts

__all__ = ["KINDS", "MOMENTS", "NumbersOfColumns", "n_classes", "n_columns"]

#: Moments of ``d`` columns in ``k`` classes.
MOMENTS = Object("moments", where={"k": lambda found: len(found.weight), "d": lambda found: found.weight.shape[1]})


class NumbersOfColumns:
    """The different numbers of each of several columns, ascending: in files one after another, with their beginnings.

    ``size`` names the number of columns, ``total`` how many numbers all of them have.
    """

    def __init__(self, size: str, total: str = "") -> None:
        self.size, self.total = size, total

    def pack(self, value: object, to: Packer) -> dict[str, int]:
        if not isinstance(value, tuple) or not all(isinstance(each, np.ndarray) and each.ndim == 1 for each in value):
            raise Malformed("must be a tuple of arrays")
        start = np.concatenate([[0], np.cumsum([len(each) for each in value])]).astype(np.int64)
        numbers = np.concatenate([np.empty(0), *value])
        return {"numbers": to.add_array(numbers), "start": to.add_array(start)}

    def unpack(self, node: Any, of: Unpacker) -> tuple[np.ndarray, ...]:
        if not isinstance(node, dict) or node.keys() != {"numbers", "start"}:
            raise Malformed("must be numbers, and where those of each column begin")
        numbers, start = of.array(node["numbers"]), of.array(node["start"])
        if numbers.dtype != np.float64 or start.dtype != np.int64 or numbers.ndim != 1 or start.ndim != 1:
            raise Malformed("must be numbers, and where those of each column begin")
        if not len(start) or start[0] != 0 or start[-1] != len(numbers) or (start[1:] < start[:-1]).any():
            raise Malformed("the numbers of a column do not begin where they should")
        if not np.isfinite(numbers).all() or not ascends_within(numbers, start):
            raise Malformed("the numbers of a column must be finite and ascend, none twice")
        of.sizes.state(self.size, len(start) - 1)
        if self.total:
            of.sizes.state(self.total, len(numbers))
        places = start.tolist()
        return tuple(numbers[a:b] for a, b in pairwise(places))


class Words:
    """The words of a vocabulary as a tuple, sorted, none twice; ``size`` names their number."""

    def __init__(self, size: str) -> None:
        self.size = size

    def pack(self, value: object, to: Packer) -> Any:
        return Texts().pack(value, to)

    def unpack(self, node: Any, of: Unpacker) -> tuple[str, ...]:
        words = tuple(Texts().unpack(node, of))
        if any(a >= b for a, b in pairwise(words)):
            raise Malformed("words must be sorted, none twice")
        of.sizes.state(self.size, len(words))
        return words


def ascends_within(values: np.ndarray, start: np.ndarray) -> bool:
    """Whether values ascend, none twice, from each beginning to the next."""
    down = np.flatnonzero(~(values[1:] > values[:-1])) + 1
    return bool(np.isin(down, start).all())


def n_columns(part: Any) -> int:
    """Of how many columns some statistics are; of a text, of how many words."""
    return _shape(part)[0]


def n_classes(part: Any) -> int:
    """Of how many classes some statistics are."""
    return _shape(part)[1]


def _shape(part: Any) -> tuple[int, int]:
    if isinstance(part, (LevelCounts, NumberCounts)):
        return len(part.first) - 1, part.counts.shape[1]
    if isinstance(part, WordSums):
        return _shape(part.sums)
    tables = {Sums: "sums", SortedCells: "weight2"}
    table = part.moments.weight if isinstance(part, ClassMoments) else getattr(part, tables[type(part)])
    return table.shape[1], table.shape[0]


def _sums(sums: Sums) -> str | None:
    width = sums.sums.shape[1]
    return (
        None if sums.cells.shape[1] in (1, width) else "cells were counted in other columns than they were added up in"
    )


def _class_moments(found: ClassMoments) -> str | None:
    if found.unweighted is not None and len(found.unweighted.weight) != 1:
        return "unweighted moments must be those of all classes together"
    return None


def _sorted_cells(found: SortedCells) -> str | None:
    if len(found.start) - 1 != found.weight2.size:
        return "there must be values of every column in every class"
    if not ascends_within(found.values, found.start):
        return "the values of a column in a class must ascend, none twice"
    return None


def _row_statistics(found: RowStatistics) -> str | None:
    if any(n_classes(part) != len(found.totals) for part in found.parts):
        return "parts are of other classes than the whole"
    return None


def _combinations(found: Combinations) -> str | None:
    sizes = np.array(found.sizes)
    if found.cells.shape[1] != len(sizes):
        return "combinations are of another number of columns than there are"
    if len(found.cells) and ((found.cells < -1) | (found.cells >= sizes)).any():
        return "a combination holds a code that stands for nothing"
    return None


def _scatter(found: Scatter) -> str | None:
    if len(found.within) != (1 if found.pooled else len(found.weight)):
        return "there must be one scatter for each class, or one for all"
    if (found.third is None) != (found.fourth is None) or (found.pooled and found.fourth is not None):
        return "third and fourth powers come together, class by class"
    return None


_POWERS: dict[str, Field] = {
    name: Maybe(Array("f8", "k", "d", "d", order="A")) for name in ("third", "fourth")
}  # sums of third and fourth powers

KINDS = (
    Kind(
        "level-counts",
        LevelCounts,
        {
            "counts": Array("f8", "v", "k", at_least(0)),
            "first": Array("i8", "d+1", starts("v")),
            "at": TupleOf(Whole(0), size="d"),
        },
    ),
    Kind(
        "number-counts",
        NumberCounts,
        {"values": NumbersOfColumns("d", "v"), "counts": Array("f8", "v", "k", at_least(0))},
    ),
    Kind(
        "class-sums",
        Sums,
        {
            "sums": Array("f8", "k", "d", at_least(0), order="A"),
            "cells": Array("f8", "k", None, at_least(0), order="A"),
        },
        check=_sums,
    ),
    Kind(
        "word-sums",
        WordSums,
        {"words": Words("d"), "sums": Object("class-sums", where={"d": lambda found: found.sums.shape[1]})},
    ),
    Kind(
        "column-grids",
        ColumnGrids,
        {"numbers": NumbersOfColumns("d"), "low": Array("f8", "d"), "high": Array("f8", "d")},
    ),
    Kind(
        "class-moments",
        ClassMoments,
        {
            "moments": MOMENTS,
            "unweighted": Maybe(Object("moments", where={"d": lambda found: found.weight.shape[1]})),
            "grids": Absent(
                Maybe(Object("column-grids", where={"d": lambda found: len(found.numbers)})), default=lambda: None
            ),
        },
        check=_class_moments,
    ),
    Kind(
        "sorted-cells",
        SortedCells,
        {
            "values": Array("f8", "v", finite),
            "weights": Array("f8", "v", at_least(0)),
            "start": Array("i8", None, starts("v")),
            "weight2": Array("f8", "k", "d", at_least(0), order="A"),
        },
        check=_sorted_cells,
    ),
    Kind(
        "row-statistics",
        RowStatistics,
        {
            "totals": Array("f8", "k", at_least(0)),
            "repeats": Flag(),
            "parts": TupleOf(
                Object("level-counts", "number-counts", "class-sums", "word-sums", "class-moments", "sorted-cells")
            ),
        },
        check=_row_statistics,
    ),
    Kind(
        "combinations",
        Combinations,
        {
            "numbers": NumbersOfColumns("n"),
            "n_levels": TupleOf(Whole(0, 2**31 - 1)),
            "cells": Array("i4", "c", None, order="A"),
            "counts": Array("f8", "c", "k", at_least(0), order="A"),
            "weight": Array("f8", "k", at_least(0)),
            "weight2": Array("f8", "k", at_least(0)),
            "repeats": Flag(),
        },
        check=_combinations,
    ),
    Kind(
        "column-sums",
        ColumnSums,
        {
            "weight": Array("f8", "k", at_least(0)),
            "weight2": Array("f8", "k", at_least(0)),
            "moments": MOMENTS,
            "repeats": Flag(),
        },
    ),
    Kind(
        "scatter",
        Scatter,
        {
            "weight": Array("f8", "k", at_least(0)),
            "weight2": Array("f8", "k", at_least(0)),
            "mean": Array("f8", "k", "d", order="A"),
            "rest": Array("f8", "k", "d", order="A"),
            "within": Array("f8", "g", "d", "d", order="A"),
            **_POWERS,
            "low": Array("f8", "d"),
            "high": Array("f8", "d"),
            "unit": Array("f8", "d", positive, finite),
            "repeats": Flag(),
            "pooled": Flag(),
        },
        check=_scatter,
    ),
)
