"""How a kd-tree cuts space: the cuts of the index itself, or those of the textbook, one level after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from margin.base.inputs.arrays import matrix_of, open_input
from margin.data.table import Table
from margin.errors import InputError, ParameterError, closest
from margin.neighbors.indexes.kd_tree import KDTree
from margin.params import Count, rule_of
from margin.typing import TableLike

__all__ = ["Cut", "KDCuts", "kd_cuts"]

Rule = Literal["index", "widest", "cycling"]
# Rows of a block, and children of a node, in the index.
LANES, FAN = 16, 8


@dataclass(frozen=True)
class Cut:
    """A box of space cut in two at ``value`` of a column; the box is that of the cuts above it."""

    level: int
    column: int
    value: float
    low: np.ndarray
    high: np.ndarray
    n_rows: int


@dataclass(frozen=True)
class KDCuts:
    """The cuts of a kd-tree, level by level, and what is left of the rows at their ends.

    Attributes
    ----------
    rule
        ``"index"``, ``"widest"`` or ``"cycling"``.
    names
        The columns.
    points
        The rows.
    cuts
        Every :class:`Cut`, those of a level after those of the level above.
    leaves
        How many rows stand in each leaf.
    depth
        The number of cuts on the longest way down.
    """

    rule: str
    names: tuple[str, ...]
    points: np.ndarray
    cuts: tuple[Cut, ...]
    leaves: tuple[int, ...]
    depth: int

    def __str__(self) -> str:
        smallest, largest = min(self.leaves), max(self.leaves)
        rows = f"{smallest}" if smallest == largest else f"{smallest} to {largest}"
        lines = [
            f"kd-tree ({self.rule}) over {len(self.points):,} rows: {len(self.cuts):,} cuts, depth {self.depth}, "
            f"{len(self.leaves):,} leaves of {rows} rows"
        ]
        for level in range(self.depth):
            here = [cut for cut in self.cuts if cut.level == level]
            columns = {self.names[cut.column]: None for cut in here}
            cuts = "1 cut" if len(here) == 1 else f"{len(here):,} cuts"
            lines.append(f"  level {level + 1}: {cuts}, on {', '.join(columns)}")
        return "\n".join(lines)


def kd_cuts(X: TableLike, *, rule: Rule = "index", leaf_size: int = 16) -> KDCuts:
    """The cuts of a kd-tree over rows of numbers, to be looked at (:func:`margin.plot_kd_tree`).

    Parameters
    ----------
    X
        Rows of numbers without gaps.
    rule
        ``"index"`` are the cuts of the tree that models search: at the median of the widest column, in whole blocks of
        16 rows. The textbook's halves differ by at most one row: ``"widest"`` takes the column that reaches farthest,
        ``"cycling"`` one column after the other.
    leaf_size
        How many rows are not cut any more; the index cuts none below 16.

    Examples
    --------
    >>> rows = [[float(i), float(i % 3)] for i in range(8)]
    >>> print(kd_cuts(rows, rule="cycling", leaf_size=2))
    kd-tree (cycling) over 8 rows: 3 cuts, depth 2, 4 leaves of 2 rows
      level 1: 1 cut, on x0
      level 2: 2 cuts, on x1
    """
    if rule not in get_args(Rule):
        raise ParameterError(
            f"kd_cuts(rule={rule!r}): rule must be one of {get_args(Rule)}{closest(rule, get_args(Rule))}."
        )
    if not rule_of(Count).accepts(leaf_size):
        raise ParameterError(f"kd_cuts(leaf_size={leaf_size!r}): leaf_size must be {rule_of(Count).words}.")
    points, names = _points_of(X)
    walk = _Walk(points)
    low, high = points.min(axis=0), points.max(axis=0)
    if rule == "index":
        tree = KDTree.build(points, "euclidean", 2.0, leaf_size, 1)
        walk.node(_Boxes(tree), 0, low, high, 0)
    else:
        walk.halves(np.arange(len(points)), low, high, 0, rule, leaf_size)
    depth = 1 + max((cut.level for cut in walk.cuts), default=-1)
    cuts = tuple(sorted(walk.cuts, key=lambda cut: cut.level))
    return KDCuts(rule, names, points, cuts, tuple(walk.leaves), depth)


class _Boxes:
    """The boxes of a tree in the units of its rows, and how many rows are below each child."""

    def __init__(self, tree: KDTree) -> None:
        d = len(tree.shift)
        cells = tree.boxes.reshape(-1, d, 2, FAN).astype(np.float64) / tree.scale + tree.shift[:, None, None]
        self.low, self.high = cells[:, :, 0, :].transpose(0, 2, 1), cells[:, :, 1, :].transpose(0, 2, 1)
        self.first, self.size = tree.first, tree.size
        self._in_block = np.count_nonzero(tree.place >= 0, axis=1)

    def children(self, node: int) -> list[int]:
        return [lane for lane in range(FAN) if self.size[node, lane] != 0]

    def n_rows(self, node: int, lane: int) -> int:
        first, size = int(self.first[node, lane]), int(self.size[node, lane])
        if size > 0:
            return int(self._in_block[first : first + size].sum())
        return sum(self.n_rows(first, below) for below in self.children(first))


class _Walk:
    """Goes down a tree and writes down its cuts and leaves."""

    def __init__(self, points: np.ndarray) -> None:
        self.points = points
        self.cuts: list[Cut] = []
        self.leaves: list[int] = []

    def node(self, boxes: _Boxes, node: int, low: np.ndarray, high: np.ndarray, level: int) -> None:
        self._lanes(boxes, node, boxes.children(node), low, high, level)

    def _lanes(self, boxes: _Boxes, node: int, lanes: list[int], low: np.ndarray, high: np.ndarray, level: int) -> None:
        """A node has up to eight children, which are the ends of up to seven cuts."""
        if len(lanes) == 1:
            if boxes.size[node, lanes[0]] > 0:
                self.leaves.append(boxes.n_rows(node, lanes[0]))
            else:
                self.node(boxes, int(boxes.first[node, lanes[0]]), low, high, level)
            return
        at, column, value = _cut_between(boxes, node, lanes)
        n_rows = sum(boxes.n_rows(node, lane) for lane in lanes)
        below, above = self._cut(level, column, value, low, high, n_rows)
        self._lanes(boxes, node, lanes[:at], low, below, level + 1)
        self._lanes(boxes, node, lanes[at:], above, high, level + 1)

    def halves(
        self, rows: np.ndarray, low: np.ndarray, high: np.ndarray, level: int, rule: str, leaf_size: int
    ) -> None:
        """Cut rows at the median, until few are left or all are equal."""
        reach = np.ptp(self.points[rows], axis=0)
        if len(rows) <= leaf_size or not reach.any():
            self.leaves.append(len(rows))
            return
        turn = np.roll(np.arange(len(reach)), -(level % len(reach)))
        column = int(reach.argmax()) if rule == "widest" else int(turn[(reach[turn] > 0).argmax()])
        rows = rows[self.points[rows, column].argsort(kind="stable")]
        cells, half = self.points[rows, column], len(rows) // 2
        value = float((cells[half - 1] + cells[half]) / 2)
        below, above = self._cut(level, column, value, low, high, len(rows))
        self.halves(rows[:half], low, below, level + 1, rule, leaf_size)
        self.halves(rows[half:], above, high, level + 1, rule, leaf_size)

    def _cut(
        self, level: int, column: int, value: float, low: np.ndarray, high: np.ndarray, n_rows: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Write a cut down; the upper end of what is below it, and the lower end of what is above."""
        self.cuts.append(Cut(level, column, value, low, high, n_rows))
        below, above = high.copy(), low.copy()
        below[column] = above[column] = value
        return below, above


def _cut_between(boxes: _Boxes, node: int, lanes: list[int]) -> tuple[int, int, float]:
    """How many children stand on the lower side of the first cut, its column, and its value.

    A tree keeps boxes and no cuts: the cut is where all boxes before end and all after begin, in the middle of the
    children if there are several such places, and there in the column that reaches farthest.
    """
    low, high = boxes.low[node, lanes], boxes.high[node, lanes]
    reach = high.max(axis=0) - low.min(axis=0)
    for at in sorted(range(1, len(lanes)), key=lambda at: abs(2 * at - len(lanes))):
        end, begin = high[:at].max(axis=0), low[at:].min(axis=0)
        apart = np.flatnonzero(end <= begin)
        if len(apart):
            column = int(apart[reach[apart].argmax()])
            return at, column, float((end[column] + begin[column]) / 2)
    raise AssertionError("children of a node can be told apart")


def _points_of(X: Any) -> tuple[np.ndarray, tuple[str, ...]]:
    source = open_input(X, "kd_cuts")
    if isinstance(source, Table) and all(column.is_numeric for column in source.schema):
        names = tuple(source.schema.names)
        source = matrix_of(source)
    else:
        names = tuple(f"x{j}" for j in range(source.shape[1])) if isinstance(source, np.ndarray) else ()
    if not isinstance(source, np.ndarray) or source.size == 0 or not np.isfinite(source).all():
        raise InputError("kd_cuts: X must have rows of finite numbers.")
    return np.ascontiguousarray(source, dtype=np.float64), names
