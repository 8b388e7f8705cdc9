"""The engine of trees as the tests call it: plain arrays in, a tree out, settings by name."""

from typing import Any

import numpy as np

from margin.base.representations.mixed import MixedData
from margin.data import Column, Schema, catalog
from margin.tree.grow import grow_classes, grow_values
from margin.tree.nodes import Ask, Tree


def columns(numbers: Any = None, codes: Any = None, levels: Any = None, ordinal: Any = ()) -> MixedData:
    """Numbers and codes as models hand them on; ``levels`` are the numbers of levels, ``ordinal`` the ordered ones."""
    codes = [] if codes is None else [np.asarray(column, dtype=np.int32) for column in codes]
    rows = len(codes[0]) if numbers is None else len(numbers)
    numbers = np.empty((rows, 0)) if numbers is None else np.asarray(numbers, dtype=float).reshape(rows, -1)
    levels = [int(column.max(initial=0)) + 1 for column in codes] if levels is None else levels
    schema = [Column(f"x{j}", "numeric") for j in range(numbers.shape[1])]
    for j, n in enumerate(levels):
        kind: Any = "ordinal" if j in ordinal else "nominal"
        schema.append(Column(f"c{j}", kind, tuple(f"l{code}" for code in range(n))))
    return MixedData(numbers, tuple(codes), Schema(schema))


def grow(
    X: MixedData, y: Any, *, weight: Any = (), criterion: str = "entropy", threads: int = 1, **settings: Any
) -> Tree:
    """A tree for classes."""
    y = np.ascontiguousarray(y, dtype=np.int32)
    return grow_classes(
        X,
        y,
        np.ascontiguousarray(weight, dtype=float),
        int(y.max()) + 1,
        criterion,
        settings,
        np.empty(0, np.int8),
        threads,
    )


def grow_numbers(
    X: MixedData, y: Any, *, weight: Any = None, criterion: str = "squared_error", threads: int = 1, **settings: Any
) -> Tree:
    """A tree for numbers."""
    y = np.ascontiguousarray(y, dtype=float)
    weight = np.ones(len(y)) if weight is None else np.ascontiguousarray(weight, dtype=float)
    return grow_values(X, y, weight, criterion, settings, np.empty(0, np.int8), threads)


def bundled(name: str, target: str) -> tuple[MixedData, np.ndarray, list[str]]:
    """A bundled table: its columns, its classes, and the names of its columns as the engine counts them."""
    table = catalog.load(name)
    inputs = [column for column in table.schema if column.name != target]
    numeric = [column.name for column in inputs if column.is_numeric]
    coded = [column for column in inputs if not column.is_numeric]
    numbers = np.column_stack([table.cells(c) for c in numeric]) if numeric else np.empty((table.n_rows, 0))
    schema = Schema([*(table.schema[c] for c in numeric), *coded])
    X = MixedData(numbers, tuple(np.asarray(table.cells(c.name), dtype=np.int32) for c in coded), schema)
    return X, np.asarray(table.cells(target), dtype=np.int32), [*numeric, *(c.name for c in coded)]


def only(X: MixedData, j: int) -> MixedData:
    """Coded column j alone."""
    assert X.schema is not None
    coded = [column for column in X.schema if not column.is_numeric]
    return MixedData(np.empty((len(X), 0)), (X.codes[j],), Schema([coded[j]]))


def leaf_of(tree: Tree, numbers: Any = (), codes: Any = ()) -> int:
    """Where a complete row ends, by the definition."""
    node, cells = 0, [*numbers, *codes]
    while tree.ask[node] != Ask.NOTHING:
        cell, detail = cells[tree.column[node]], tree.details(node)
        branch = {
            Ask.THRESHOLD: lambda c=cell, n=node: int(not c <= tree.threshold[n]),
            Ask.SUBSET: lambda c=cell, d=detail: int(c not in d),
            Ask.LEVEL: lambda c=cell: int(c),
            Ask.INTERVAL: lambda c=cell, d=detail: int((d < c).sum()),
        }[Ask(tree.ask[node])]()
        node = int(tree.children(node)[branch])
    return node
