"""Files of models of neighbours that someone changed and sealed again: refused, with the reason."""

from __future__ import annotations

import copy
import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from margin.errors import PersistenceError
from margin.neighbors.radius import Outlier
from margin.persistence import from_bytes, to_bytes
from tests.persistence.kinds.neighbor_models import MODELS


@functools.cache
def fitted(name: str) -> tuple[Any, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MODELS[name]()


def put(holder: str, value: Any, *at: Any) -> Callable[[Any], None]:
    """A change: an attribute, found by its path, or a part of it, gets another value."""
    *way, last = holder.split(".")

    def change(model: Any) -> None:
        owner = functools.reduce(getattr, way, model)
        now = getattr(owner, last)
        if at:
            new = now.copy()
            new[at] = value
        else:
            new = value(now) if callable(value) else value
        object.__setattr__(owner, last, new)

    return change


def put_array(number: int, value: Callable[[np.ndarray], np.ndarray]) -> Callable[[Any], None]:
    """A change of one of the arrays of an index of mixed rows."""
    return put("_index.arrays", lambda arrays: (*arrays[:number], value(arrays[number]), *arrays[number + 1 :]))


def without_last(array: np.ndarray) -> np.ndarray:
    return array[:-1].copy()


def chain_of_nodes(tree: Any) -> None:
    """A tree whose nodes hang on each other one by one, forty-one of them."""
    n = 41
    tree.first, tree.size = np.zeros((n, 8), dtype=np.int32), np.zeros((n, 8), dtype=np.int32)
    tree.lowest, tree.boxes = np.zeros((n, 8), dtype=np.int32), np.zeros((n, tree.boxes.shape[1]), dtype=np.float32)
    tree.first[: n - 1, 0], tree.size[: n - 1, 0] = np.arange(1, n), -1
    tree.size[n - 1, 0] = len(tree.place)


NODE = "every node but the first must be the child of one before it"
BLOCK = "every block must belong to one leaf"
CHANGES: list[tuple[str, Callable[[Any], None], str]] = [
    ("kd-tree", put("_index.first", 0, 0, 1), NODE),
    ("kd-tree", put("_index.first", 10**6, 0, 1), NODE),
    ("kd-tree", put("_index.first", lambda first: first[:, ::-1].copy()), "must"),
    ("kd-tree", put("_index.size", 0, 0, 1), NODE),
    ("kd-tree", put("_index.size", -2, -1, 0), "a child must be a node, a leaf or none"),
    ("kd-tree", put("_index.size", 2**31 - 1, -1, 0), BLOCK),
    ("kd-tree", put("_index.first", -1, -1, 0), BLOCK),
    ("kd-tree", put("_index.first", 2**31 - 1, -1, 0), BLOCK),
    ("kd-tree", lambda model: chain_of_nodes(model._index), "no way down may have more than 40 nodes"),
    ("kd-tree", put("_index.place", -2, 0, 0), "every row must stand in one place"),
    ("kd-tree", put("_index.place", 699, slice(None), 0), "every row must stand in one place"),
    ("kd-tree", put("_index.place", 2**31 - 1, 0, 0), "every row must stand in one place"),
    ("kd-tree", put("_index.boxes", lambda boxes: boxes[:, 1:].copy()), "sketches or boxes"),
    ("kd-tree", put("_index.sketch", lambda sketch: sketch[:, 1:].copy()), "sketches or boxes"),
    ("kd-tree", put("_index.sketch", np.nan, 0, 0), "every cell is finite"),
    ("kd-tree", put("_index.cells", without_last), "its rows do not fill its blocks"),
    ("kd-tree", put("_index.lowest", without_last), "lowest: has"),
    ("kd-tree", put("_index.shift", without_last), "shift: has"),
    ("kd-tree", put("_index.metric", "canberra"), "must be one of 'euclidean'"),
    ("kd-tree", put("_index.metric", "chebyshev"), "its index has another metric"),
    ("ball-tree", put("_index._levels", 60), "so many levels cannot stand over so few rows"),
    ("ball-tree", put("_index._levels", 3), "there must be a range of distances for every node"),
    ("ball-tree", put("_index._smallest", without_last), "where m is 254"),
    ("ball-tree", put("_index._place", 200, 5), "every place stands there once"),
    ("ball-tree", put("_index._place", -1, 5), "every place stands there once"),
    ("ball-tree", put("_index._reach", without_last), "reach: has 199"),
    ("ball-tree", put("_index._rows", lambda rows: rows[:, 1:].copy()), "its index has another number of columns"),
    ("ball-tree", put("_index.metric", "haversine"), "its metric takes two columns"),
    ("full-scan", put("_index._place", 90, 5), "every place stands there once"),
    ("sparse", put("_index._start", 10**6, 3), "cells ascend from 0 to e"),
    ("sparse", put("_index._start", -1, 3), "cells ascend from 0 to e"),
    ("sparse", put("_index._start", np.zeros(1, dtype=np.int64)), "cells ascend from 0 to e"),
    ("sparse", put("_index._columns", 30, 0), "every cell is from 0 to below d"),
    ("sparse", put("_index._columns", -1, 0), "every cell is from 0 to below d"),
    ("sparse", put("_index._columns", lambda columns: columns * 0), "the columns of a row must ascend"),
    ("sparse", put("_index._data", 0.0, 3), "no cell is 0"),
    ("sparse", put("_index._data", np.nan, 3), "no cell is NaN"),
    ("sparse", put("_index._data", without_last), "e is"),
    ("sparse", put("_index.n_columns", 2**31 - 1), "its index has another number of columns"),
    ("sparse", put("_space.cosine", True), "only for cosines rows are brought to length 1"),
    ("heom", put_array(2, lambda place: place + 1), "every place stands there once"),
    ("heom", put_array(3, lambda numbers: np.full_like(numbers, np.inf)), "no cell is infinite"),
    ("heom", put_array(4, without_last), "n is"),
    ("heom", put_array(5, without_last), "blocks or boxes have another length than the rows ask for"),
    ("heom", put_array(6, without_last), "blocks or boxes have another length than the rows ask for"),
    ("heom", put_array(7, without_last), "blocks or boxes have another length than the rows ask for"),
    ("heom", put_array(8, without_last), "blocks or boxes have another length than the rows ask for"),
    ("heom", put_array(9, lambda sets: np.tile(sets, 2)), "blocks or boxes have another length than the rows ask for"),
    ("heom", put_array(0, np.zeros_like), "weights, ranges and caps must be above 0"),
    ("heom", put_array(1, np.zeros_like), "a weight must be above 0"),
    ("heom", put("_index.columns.nominal", (0,)), "columns must ascend|there must be a weight"),
    ("heom", put("_index.columns.n_codes", 9), "its index has another number of columns"),
    ("heom", put("_index.columns.numeric", (0, 2**40)), "it compares columns that are not there"),
    ("heom", put("_index.schema", None), "its index is one of other columns"),
    ("brute", put("_index.cells", lambda cells: cells[:, 1:].copy()), "its index has another number of columns"),
    ("brute", put("_index.cells", without_last), "has 89 where n is 90"),
    ("brute-float32", put("_index.cells", np.inf, 0, 0), "no cell is NaN or beyond"),
    ("brute", put("_index.cells", np.nan, 0, 0), "no cell is NaN or beyond"),
    ("brute", put("_index.p", -1.0), "must be a number from"),
    ("brute", put("_targets", 3, 0), "its targets are those of other classes"),
    ("brute", put("_targets", -1, 0), "its targets are those of other classes"),
    ("brute", put("_targets", without_last), "has 89 where n is 90"),
    ("brute", put("outputs_2d_", True), "it has one target and several, both at once"),
    ("brute", put("_order", 90, 0), "every cell is the number of a row that was given"),
    ("brute", put("_encoder.form.largest", 1e308), "too large to compare"),
    ("brute-cosine", put("_space.factors", without_last), "there must be a factor for every column"),
    ("brute-cosine", put("_space.cosine", False), "its index has another number of columns"),
    ("repeats", put("_weight", np.nan, 0), "every cell is above 0"),
    ("several", put("_targets", 2, 0, 1), "its targets are those of other classes"),
    ("several", put("_targets", lambda targets: targets[:, :1].copy()), "its targets are those of other classes"),
    ("words-radius", put("_outliers", (Outlier("nowhere", 1),)), "rows without neighbours would get a label"),
    ("words-radius", put("_outliers", (Outlier(3, -1),)), "the label must be of the type of the classes"),
    ("several-radius", put("_outliers", lambda outliers: outliers[:1]), "one label per target is needed"),
    ("centroid", put("centroids_", lambda centroids: centroids[:, 1:].copy()), "has 3 where d is 4"),
    ("centroid", put("_present", lambda present: ~present), "some class with rows must have a prior above 0"),
    ("rote", put("_known.rows", lambda rows: rows[:, 1:].copy()), "it remembers rows of other columns"),
    ("rote", put("_known.hashes", lambda hashes: hashes[::-1].copy()), "cells ascend, none twice"),
    ("rote", put("_counts", without_last), "has 79 where m is 80"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "change", "why"), CHANGES, ids=[f"{name}-{i}" for i, (name, *_) in enumerate(CHANGES)]
)
def test_what_does_not_fit_together_is_refused_with_the_reason(name, change, why):
    model = copy.deepcopy(fitted(name)[0])
    assert to_bytes(from_bytes(to_bytes(model))) == to_bytes(model)
    change(model)
    with pytest.raises(PersistenceError, match=why):
        from_bytes(to_bytes(model))


def test_a_tree_of_forty_nodes_one_below_the_other_is_still_one():
    model = copy.deepcopy(fitted("kd-tree")[0])
    chain_of_nodes(model._index)
    tree = model._index
    for name in ("first", "size", "lowest", "boxes"):
        setattr(tree, name, getattr(tree, name)[1:])
    tree.first = np.where(tree.size == -1, tree.first - 1, 0).astype(np.int32)
    rows = fitted("kd-tree")[1]
    assert (from_bytes(to_bytes(model)).predict(rows) == fitted("kd-tree")[0].predict(rows)).all()
