from collections.abc import Sequence
from typing import Any, overload

import numpy

import margin._core.core
import margin._core.tree
from margin.typing import Matrix, Vector

@overload
def grow_values(
    table: CodedTable,
    numbers: Matrix[numpy.float64],
    codes: Sequence[Vector[numpy.int32]],
    y: Vector[numpy.float64],
    weight: Vector[numpy.float64],
    settings: margin._core.tree.Settings,
    monotone: Vector[numpy.int8],
    plan: ForestPlan,
    ends: Vector[numpy.int64],
    votes: tuple[Matrix[numpy.float64], Matrix[numpy.int32], Vector[numpy.float64]],
    monitor: margin._core.core.Monitor | None,
) -> dict[str, Any]: ...
@overload
def grow_values(
    table: CodedTable,
    numbers: Matrix[numpy.float32],
    codes: Sequence[Vector[numpy.int32]],
    y: Vector[numpy.float64],
    weight: Vector[numpy.float64],
    settings: margin._core.tree.Settings,
    monotone: Vector[numpy.int8],
    plan: ForestPlan,
    ends: Vector[numpy.int64],
    votes: tuple[Matrix[numpy.float64], Matrix[numpy.int32], Vector[numpy.float64]],
    monitor: margin._core.core.Monitor | None,
) -> dict[str, Any]:
    """The arrays of trees for numbers under the squared error."""

@overload
def grow_several_classes(
    table: CodedTable,
    numbers: Matrix[numpy.float64],
    codes: Sequence[Vector[numpy.int32]],
    y: Matrix[numpy.int32],
    weight: Vector[numpy.float64],
    n_classes: Vector[numpy.int64],
    criterion: str,
    settings: margin._core.tree.Settings,
    plan: ForestPlan,
    ends: Vector[numpy.int64],
    votes: tuple[Matrix[numpy.float64], Matrix[numpy.int32], Vector[numpy.float64]],
) -> dict[str, Any]: ...
@overload
def grow_several_classes(
    table: CodedTable,
    numbers: Matrix[numpy.float32],
    codes: Sequence[Vector[numpy.int32]],
    y: Matrix[numpy.int32],
    weight: Vector[numpy.float64],
    n_classes: Vector[numpy.int64],
    criterion: str,
    settings: margin._core.tree.Settings,
    plan: ForestPlan,
    ends: Vector[numpy.int64],
    votes: tuple[Matrix[numpy.float64], Matrix[numpy.int32], Vector[numpy.float64]],
) -> dict[str, Any]:
    """The arrays of trees for classes of several outputs."""

@overload
def grow_several_values(
    table: CodedTable,
    numbers: Matrix[numpy.float64],
    codes: Sequence[Vector[numpy.int32]],
    y: Matrix[numpy.float64],
    weight: Vector[numpy.float64],
    settings: margin._core.tree.Settings,
    plan: ForestPlan,
    ends: Vector[numpy.int64],
    votes: tuple[Matrix[numpy.float64], Matrix[numpy.int32], Vector[numpy.float64]],
) -> dict[str, Any]: ...
@overload
def grow_several_values(
    table: CodedTable,
    numbers: Matrix[numpy.float32],
    codes: Sequence[Vector[numpy.int32]],
    y: Matrix[numpy.float64],
    weight: Vector[numpy.float64],
    settings: margin._core.tree.Settings,
    plan: ForestPlan,
    ends: Vector[numpy.int64],
    votes: tuple[Matrix[numpy.float64], Matrix[numpy.int32], Vector[numpy.float64]],
) -> dict[str, Any]:
    """The arrays of trees for several numbers under the squared error."""

@overload
def grow_classes(
    table: CodedTable,
    numbers: Matrix[numpy.float64],
    codes: Sequence[Vector[numpy.int32]],
    y: Vector[numpy.int32],
    weight: Vector[numpy.float64],
    n_classes: int,
    balanced: bool,
    criterion: str,
    settings: margin._core.tree.Settings,
    monotone: Vector[numpy.int8],
    plan: ForestPlan,
    ends: Vector[numpy.int64],
    votes: tuple[Matrix[numpy.float64], Matrix[numpy.int32], Vector[numpy.float64]],
    monitor: margin._core.core.Monitor | None,
) -> dict[str, Any]: ...
@overload
def grow_classes(
    table: CodedTable,
    numbers: Matrix[numpy.float32],
    codes: Sequence[Vector[numpy.int32]],
    y: Vector[numpy.int32],
    weight: Vector[numpy.float64],
    n_classes: int,
    balanced: bool,
    criterion: str,
    settings: margin._core.tree.Settings,
    monotone: Vector[numpy.int8],
    plan: ForestPlan,
    ends: Vector[numpy.int64],
    votes: tuple[Matrix[numpy.float64], Matrix[numpy.int32], Vector[numpy.float64]],
    monitor: margin._core.core.Monitor | None,
) -> dict[str, Any]:
    """The arrays of trees for classes; votes out of bag are added to."""

@overload
def shap_values(
    forest: Forest,
    numbers: Matrix[numpy.float64],
    codes: Sequence[Vector[numpy.int32]],
    leaf_weight: Vector[numpy.float32],
    interactions: bool,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def shap_values(
    forest: Forest,
    numbers: Matrix[numpy.float32],
    codes: Sequence[Vector[numpy.int32]],
    leaf_weight: Vector[numpy.float32],
    interactions: bool,
    n_threads: int,
) -> tuple[Any, ...]:
    """SHAP values of rows in the mean of all trees (of two classes those of the second), as of a tree."""

class CodedTable:
    """Columns in codes, for all trees of a forest."""

    @property
    def n_varying(self) -> int: ...

@overload
def code(
    numbers: Matrix[numpy.float64],
    codes: Matrix[numpy.int32],
    n_levels: Vector[numpy.int64],
    nominal: Vector[numpy.uint8],
    max_bins: int,
    n_threads: int,
) -> CodedTable: ...
@overload
def code(
    numbers: Matrix[numpy.float32],
    codes: Matrix[numpy.int32],
    n_levels: Vector[numpy.int64],
    nominal: Vector[numpy.uint8],
    max_bins: int,
    n_threads: int,
) -> CodedTable:
    """A table in codes: a code for every different number (max_bins=0), or for every bin of them."""

@overload
def keep_numbers(
    numbers: Matrix[numpy.float64],
    codes: Matrix[numpy.int32],
    n_levels: Vector[numpy.int64],
    nominal: Vector[numpy.uint8],
    n_threads: int,
) -> CodedTable: ...
@overload
def keep_numbers(
    numbers: Matrix[numpy.float32],
    codes: Matrix[numpy.int32],
    n_levels: Vector[numpy.int64],
    nominal: Vector[numpy.uint8],
    n_threads: int,
) -> CodedTable:
    """A table for random splits: levels in codes, numbers as they are."""

class ForestPlan:
    """Which trees are grown; see grow_forest.hpp."""

    def __init__(self) -> None: ...
    @property
    def seed(self) -> int: ...
    @seed.setter
    def seed(self, arg: int, /) -> None: ...
    @property
    def first_tree(self) -> int: ...
    @first_tree.setter
    def first_tree(self, arg: int, /) -> None: ...
    @property
    def n_trees(self) -> int: ...
    @n_trees.setter
    def n_trees(self, arg: int, /) -> None: ...
    @property
    def n_draws(self) -> int: ...
    @n_draws.setter
    def n_draws(self, arg: int, /) -> None: ...
    @property
    def n_threads(self) -> int: ...
    @n_threads.setter
    def n_threads(self, arg: int, /) -> None: ...

class Forest:
    """Trees to walk; keeps the arrays it was given."""

    def __init__(
        self,
        nodes: Matrix[numpy.uint64],
        start: Vector[numpy.int64],
        words: Vector[numpy.uint64],
        shares: Matrix[numpy.float64],
        of_classes: bool,
        n_columns: int,
    ) -> None: ...
    @overload
    def means(
        self,
        numbers: Matrix[numpy.float64],
        codes: Sequence[Vector[numpy.int32]],
        into: Matrix[numpy.float64],
        n_threads: int,
    ) -> None: ...
    @overload
    def means(
        self,
        numbers: Matrix[numpy.float32],
        codes: Sequence[Vector[numpy.int32]],
        into: Matrix[numpy.float64],
        n_threads: int,
    ) -> None:
        """The mean of what the trees say of each row."""

    @overload
    def of_numbers(
        self, numbers: Matrix[numpy.float64], largest: float, into: Matrix[numpy.float64], n_threads: int
    ) -> bool: ...
    @overload
    def of_numbers(
        self, numbers: Matrix[numpy.float32], largest: float, into: Matrix[numpy.float64], n_threads: int
    ) -> bool:
        """Means of rows of numbers; False if a cell cannot be used."""

    @overload
    def leaves(
        self, numbers: Matrix[numpy.float64], codes: Sequence[Vector[numpy.int32]], n_threads: int
    ) -> Matrix[numpy.int32]: ...
    @overload
    def leaves(
        self, numbers: Matrix[numpy.float32], codes: Sequence[Vector[numpy.int32]], n_threads: int
    ) -> Matrix[numpy.int32]:
        """The leaf of each row in each tree."""

@overload
def permuted(
    forest: Forest,
    numbers: Matrix[numpy.float64],
    codes: Sequence[Vector[numpy.int32]],
    y: Vector[numpy.float64],
    weight: Vector[numpy.float64],
    plan: ForestPlan,
    ends: Vector[numpy.int64],
    seed: int,
    beside: Matrix[numpy.uint8],
) -> Matrix[numpy.float64]: ...
@overload
def permuted(
    forest: Forest,
    numbers: Matrix[numpy.float32],
    codes: Sequence[Vector[numpy.int32]],
    y: Vector[numpy.float64],
    weight: Vector[numpy.float64],
    plan: ForestPlan,
    ends: Vector[numpy.int64],
    seed: int,
    beside: Matrix[numpy.uint8],
) -> Matrix[numpy.float64]:
    """What each column costs each tree when it is permuted out of bag."""

def drawn(plan: ForestPlan, ends: Vector[numpy.int64], n_rows: int) -> Matrix[numpy.int32]:
    """How often each tree drew each row."""
