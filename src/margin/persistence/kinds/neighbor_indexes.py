"""Indexes of training rows, which compiled code follows: trees, blocks and lists are checked link by link.

Letters: ``n`` rows of an index, ``d`` columns that it compares. Cells that are no numbers are refused where a file is
read whole; in a mapped one a search that comes out with too few rows says so.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

import margin._core as _core
from margin.neighbors.distances import MIXED, traits_of
from margin.neighbors.indexes.ball_tree import BALL_METRICS, BallTree
from margin.neighbors.indexes.brute_force import BruteForce
from margin.neighbors.indexes.choose import IndexChoice
from margin.neighbors.indexes.given import GivenDistances
from margin.neighbors.indexes.kd_tree import KDTree
from margin.neighbors.indexes.mixed import ComparedColumns, MixedRows
from margin.neighbors.indexes.row_transform import Space
from margin.neighbors.indexes.sparse import SPARSE_METRICS, SparseRows
from margin.persistence.objects.arrays import (
    Array,
    Rule,
    Sizes,
    all_within,
    at_least,
    below,
    finite,
    known,
    permutation,
    positive,
    starts,
)
from margin.persistence.objects.fields import Absent, Fixed, Flag, Maybe, Number, Object, Text, TupleOf, Whole
from margin.persistence.objects.kind import Kind

__all__ = ["KINDS"]

POSITIVE = Number(math.ulp(0.0))
#: Differences of such cells, and of those of new rows, do not overflow: every distance is a number.
comparable = Rule("no cell is NaN or beyond 1e300", lambda a, _: all_within(a, 1e300))
not_zero = Rule("no cell is 0", lambda a, _: a.all())
not_infinite = Rule("no cell is infinite", lambda a, _: not np.isinf(a).any())

# Of kd_tree.hpp: rows of a block, children of a node, what stands for a node among sizes, nodes on the longest way.
BLOCK_ROWS, FAN, IS_NODE, DEEPEST = 16, 8, -1, 40
# Of mixed_index.hpp: rows of a block, blocks of a group.
LANES = 32


def _has_cells(index: BruteForce | GivenDistances) -> str | None:
    return None if index.cells.size else "there are no rows, or no columns"


def _kd_tree_fits(tree: KDTree) -> str | None:
    d, n_blocks = len(tree.shift), len(tree.place)
    if not d or not n_blocks or not len(tree.first):
        return "there are no rows, or no columns"
    if tree.sketch.shape[1] != BLOCK_ROWS * d or tree.boxes.shape[1] != 2 * FAN * d:
        return "sketches or boxes have another number of columns than rows"
    if len(tree.cells) not in (0, BLOCK_ROWS * n_blocks):
        return "its rows do not fill its blocks"
    if not _are_places(tree.place):
        return "every row must stand in one place"
    return _unlinked(tree.first.ravel(), tree.size.ravel(), n_blocks)


def _are_places(place: np.ndarray) -> bool:
    return place.min() >= -1 and place.max() >= 0 and permutation.holds(place[place >= 0], Sizes())


def _unlinked(first: np.ndarray, size: np.ndarray, n_blocks: int) -> str | None:
    """What is wrong with the children of all nodes: each node and each block must be met once on the ways down."""
    n_nodes, is_node, is_leaf = len(first) // FAN, size == IS_NODE, size > 0
    if size.min() < IS_NODE:
        return "a child must be a node, a leaf or none"
    child, parent = first[is_node], np.flatnonzero(is_node) // FAN
    if len(child) != n_nodes - 1 or (child <= parent).any() or not permutation.holds(child - 1, Sizes()):
        return "every node but the first must be the child of one before it"
    above = np.zeros(n_nodes, dtype=np.intp)
    above[child] = parent
    at = above
    for _ in range(DEEPEST - 2):
        if not at.any():
            break
        at = above[at]
    if at.any():
        return f"no way down may have more than {DEEPEST} nodes"
    order = np.argsort(first[is_leaf], kind="stable")
    begin, length = first[is_leaf][order].astype(np.int64), size[is_leaf][order].astype(np.int64)
    end = np.cumsum(length)
    if not len(end) or end[-1] != n_blocks or (begin != end - length).any():
        return "every block must belong to one leaf"
    return None


def _count_rows(tree: KDTree) -> None:
    tree.n_rows = int(np.count_nonzero(tree.place >= 0))


def _ball_tree_fits(tree: BallTree) -> str | None:
    n, d = tree._rows.shape
    if not n or not d:
        return "there are no rows, or no columns"
    if tree._levels > 0 and (n < 2**tree._levels or tree.name != BallTree.name):
        return "so many levels cannot stand over so few rows"
    if len(tree._smallest) != 2 ** (tree._levels + 1) - 1:
        return "there must be a range of distances for every node"
    traits = traits_of(tree.metric, tree.p)
    if traits is not None and traits.n_columns not in (None, d):
        return f"its metric takes {traits.columns.partition(',')[0]}"
    return None


def _sparse_rows_fit(rows: SparseRows) -> str | None:
    columns, start = rows._columns, rows._start
    if not 1 <= rows.n_rows < 2**31:
        return "there are no rows, or too many"
    is_first = np.zeros(len(columns) + 1, dtype=bool)
    is_first[start] = True
    if not ((columns[1:] > columns[:-1]) | is_first[1:-1]).all():
        return "the columns of a row must ascend"
    return None


def _columns_fit(columns: ComparedColumns) -> str | None:
    coded = sorted(columns.ordinal + columns.nominal)
    for at in (columns.numeric, columns.ordinal, columns.nominal, coded):
        if any(a >= b for a, b in itertools.pairwise(at)):
            return "columns must ascend, none twice"
    if max(columns.numeric, default=-1) >= columns.n_numeric or max(coded, default=-1) >= columns.n_codes:
        return "it compares columns that are not there"
    if len(columns.weights) != len(columns.numeric) + len(coded):
        return "there must be a weight for every column"
    return None


def _mixed_rows_fit(rows: MixedRows) -> str | None:
    numeric, nominal, place, _, _, cells, *boxes = rows.arrays
    n, p, c = len(place), len(numeric), len(nominal)
    if not n:
        return "there are no rows"
    if p != len(rows.columns.numeric) + len(rows.columns.ordinal) or c != len(rows.columns.nominal):
        return "it compares other columns than it holds"
    n_blocks = -(-n // LANES)
    n_groups = -(-n_blocks // LANES)
    widths = [3 * p * LANES, c * LANES]
    lengths = [-(-many // LANES) * width for many in (n_blocks, n_groups) for width in widths]
    if len(cells) != n_blocks * LANES * (p + c) or [len(part) for part in boxes] != lengths:
        return "blocks or boxes have another length than the rows ask for"
    return _numbers_unfit(numeric) or ("a weight must be above 0" if not (nominal[:, 0] > 0).all() else None)


def _numbers_unfit(numeric: np.ndarray) -> str | None:
    weight, shift, span, cap, low, steps, reach, _ = numeric.T
    if not ((weight > 0) & (span > 0) & (cap > 0)).all():
        return "weights, ranges and caps must be above 0"
    if not ((steps >= 0) & (reach >= 0) & np.isfinite(weight + low + steps + reach)).all():
        return "steps must be finite"
    if not ((np.abs(shift) <= 2048) & (shift == np.floor(shift))).all():
        return "shifts must be whole numbers"
    return None


#: Columns of numbers and of categories; places, numbers, codes of rows; coarse cells; boxes of blocks and groups.
_MIXED_ARRAYS = Fixed(
    Array("f8", "p", 8),
    Array("f8", "c", 2, finite),
    Array("i8", "n", permutation),
    Array("f8", "n", "p", not_infinite),
    Array("i4", "n", "c"),
    Array("u1", None),
    Array("u1", None),
    Array("u2", None),
    Array("u1", None),
    Array("u2", None),
)

KINDS = (
    Kind(
        "brute-force",
        BruteForce,
        {"cells": Array("f8 f4", "n", "d", comparable), "metric": Text(known=_core.neighbors.metrics), "p": POSITIVE},
        check=_has_cells,
    ),
    Kind(
        "kd-tree",
        KDTree,
        {
            "metric": Text(known=_core.neighbors.metrics),
            "p": POSITIVE,
            "sketch": Array("f4", "b", None, finite),
            "cells": Array("f8 f4", None, "d", comparable),
            "place": Array("i4", "b", BLOCK_ROWS),
            "boxes": Array("f4", "m", None, known),
            "first": Array("i4", "m", FAN),
            "size": Array("i4", "m", FAN),
            "lowest": Array("i4", "m", FAN),
            "shift": Array("f8", "d", finite),
            "scale": POSITIVE,
        },
        derived=frozenset({"n_rows"}),
        finish=_count_rows,
        check=_kd_tree_fits,
    ),
    Kind(
        "ball-tree",
        BallTree,
        {
            "metric": Text(*BALL_METRICS),
            "p": POSITIVE,
            "name": Text(BallTree.name, "full scan"),
            "_levels": Whole(0, 62),
            "_place": Array("i8", "n", permutation),
            "_reach": Array("f8", "n", at_least(0)),
            "_smallest": Array("f8", "m", known),
            "_largest": Array("f8", "m", known),
            "_rows": Array("f8 f4", "n", "d", comparable),
            "_largest_cell": Number(0),
        },
        check=_ball_tree_fits,
    ),
    Kind(
        "sparse-rows",
        SparseRows,
        {
            "n_columns": Whole(0, 2**31 - 1, size="d"),
            "_data": Array("f8 f4", "e", comparable, not_zero),
            "_columns": Array("i4", "e", below("d")),
            "_start": Array("i8", None, starts("e")),
            "metric": Text(*SPARSE_METRICS),
            "p": POSITIVE,
        },
        derived=frozenset({"_postings"}),
        check=_sparse_rows_fit,
    ),
    Kind(
        "compared-columns",
        ComparedColumns,
        {
            "numeric": TupleOf(Whole(0)),
            "ordinal": TupleOf(Whole(0)),
            "nominal": TupleOf(Whole(0)),
            "n_numeric": Whole(0),
            "n_codes": Whole(0),
            "weights": Array("f8", None, positive, finite),
        },
        check=_columns_fit,
    ),
    Kind(
        "mixed-rows",
        MixedRows,
        {
            "metric": Text(*MIXED),
            "columns": Object("compared-columns"),
            "schema": Maybe(Object("schema")),
            "unit": POSITIVE,
            "arrays": _MIXED_ARRAYS,
        },
        check=_mixed_rows_fit,
    ),
    Kind("index-choice", IndexChoice, {"name": Text(), "reason": Text()}),
    Kind(
        "space",
        Space,
        {
            "factors": Maybe(Array("f8", None, at_least(0), finite)),
            "unit": POSITIVE,
            "cosine": Flag(),
            "directions": Absent(Flag(), lambda: False),  # version 1 and format 1 know of none
        },
        version=2,
        steps={1: lambda state: state},
    ),
    Kind("given-distances", GivenDistances, {"cells": Array("f8", "n", "n", at_least(0), finite)}, check=_has_cells),
)
