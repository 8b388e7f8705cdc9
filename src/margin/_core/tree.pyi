import enum
from collections.abc import Sequence
from typing import Any, overload

import numpy

from margin.typing import Matrix, Vector

@overload
def grow_several_classes(
    numbers: Matrix[numpy.float64],
    codes: Matrix[numpy.int32],
    n_levels: Vector[numpy.int64],
    nominal: Vector[numpy.uint8],
    y: Matrix[numpy.int32],
    weight: Vector[numpy.float64],
    n_classes: Vector[numpy.int64],
    criterion: str,
    settings: Settings,
    n_threads: int,
) -> dict[str, Any]: ...
@overload
def grow_several_classes(
    numbers: Matrix[numpy.float32],
    codes: Matrix[numpy.int32],
    n_levels: Vector[numpy.int64],
    nominal: Vector[numpy.uint8],
    y: Matrix[numpy.int32],
    weight: Vector[numpy.float64],
    n_classes: Vector[numpy.int64],
    criterion: str,
    settings: Settings,
    n_threads: int,
) -> dict[str, Any]:
    """The arrays of a tree for the classes of several outputs, the columns of y."""

@overload
def grow_several_values(
    numbers: Matrix[numpy.float64],
    codes: Matrix[numpy.int32],
    n_levels: Vector[numpy.int64],
    nominal: Vector[numpy.uint8],
    y: Matrix[numpy.float64],
    weight: Vector[numpy.float64],
    criterion: str,
    settings: Settings,
    n_threads: int,
) -> dict[str, Any]: ...
@overload
def grow_several_values(
    numbers: Matrix[numpy.float32],
    codes: Matrix[numpy.int32],
    n_levels: Vector[numpy.int64],
    nominal: Vector[numpy.uint8],
    y: Matrix[numpy.float64],
    weight: Vector[numpy.float64],
    criterion: str,
    settings: Settings,
    n_threads: int,
) -> dict[str, Any]:
    """The arrays of a tree for several numbers, the columns of y."""

@overload
def grow_classes(
    numbers: Matrix[numpy.float64],
    codes: Matrix[numpy.int32],
    n_levels: Vector[numpy.int64],
    nominal: Vector[numpy.uint8],
    y: Vector[numpy.int32],
    weight: Vector[numpy.float64],
    n_classes: int,
    criterion: str,
    settings: Settings,
    monotone: Vector[numpy.int8],
    n_threads: int,
) -> dict[str, Any]: ...
@overload
def grow_classes(
    numbers: Matrix[numpy.float32],
    codes: Matrix[numpy.int32],
    n_levels: Vector[numpy.int64],
    nominal: Vector[numpy.uint8],
    y: Vector[numpy.int32],
    weight: Vector[numpy.float64],
    n_classes: int,
    criterion: str,
    settings: Settings,
    monotone: Vector[numpy.int8],
    n_threads: int,
) -> dict[str, Any]:
    """The arrays of a tree for classes; no weights are weights of 1."""

@overload
def grow_values(
    numbers: Matrix[numpy.float64],
    codes: Matrix[numpy.int32],
    n_levels: Vector[numpy.int64],
    nominal: Vector[numpy.uint8],
    y: Vector[numpy.float64],
    weight: Vector[numpy.float64],
    criterion: str,
    settings: Settings,
    monotone: Vector[numpy.int8],
    n_threads: int,
) -> dict[str, Any]: ...
@overload
def grow_values(
    numbers: Matrix[numpy.float32],
    codes: Matrix[numpy.int32],
    n_levels: Vector[numpy.int64],
    nominal: Vector[numpy.uint8],
    y: Vector[numpy.float64],
    weight: Vector[numpy.float64],
    criterion: str,
    settings: Settings,
    monotone: Vector[numpy.int8],
    n_threads: int,
) -> dict[str, Any]:
    """The arrays of a tree for numbers; no weights are weights of 1."""

@overload
def grow_binned_classes(
    numbers: Matrix[numpy.float64],
    codes: Matrix[numpy.int32],
    n_levels: Vector[numpy.int64],
    nominal: Vector[numpy.uint8],
    y: Vector[numpy.int32],
    weight: Vector[numpy.float64],
    n_classes: int,
    criterion: str,
    settings: Settings,
    monotone: Vector[numpy.int8],
    max_bins: int,
    n_threads: int,
) -> dict[str, Any]: ...
@overload
def grow_binned_classes(
    numbers: Matrix[numpy.float32],
    codes: Matrix[numpy.int32],
    n_levels: Vector[numpy.int64],
    nominal: Vector[numpy.uint8],
    y: Vector[numpy.int32],
    weight: Vector[numpy.float64],
    n_classes: int,
    criterion: str,
    settings: Settings,
    monotone: Vector[numpy.int8],
    max_bins: int,
    n_threads: int,
) -> dict[str, Any]:
    """The arrays of a tree for classes, grown on bins; no weights are weights of 1."""

@overload
def grow_binned_values(
    numbers: Matrix[numpy.float64],
    codes: Matrix[numpy.int32],
    n_levels: Vector[numpy.int64],
    nominal: Vector[numpy.uint8],
    y: Vector[numpy.float64],
    weight: Vector[numpy.float64],
    settings: Settings,
    monotone: Vector[numpy.int8],
    max_bins: int,
    n_threads: int,
) -> dict[str, Any]: ...
@overload
def grow_binned_values(
    numbers: Matrix[numpy.float32],
    codes: Matrix[numpy.int32],
    n_levels: Vector[numpy.int64],
    nominal: Vector[numpy.uint8],
    y: Vector[numpy.float64],
    weight: Vector[numpy.float64],
    settings: Settings,
    monotone: Vector[numpy.int8],
    max_bins: int,
    n_threads: int,
) -> dict[str, Any]:
    """The arrays of a tree for numbers under the squared error, grown on bins."""

@overload
def shap_values(
    walker: Walker,
    numbers: Matrix[numpy.float64],
    codes: Sequence[Vector[numpy.int32]],
    answers: Matrix[numpy.float64],
    interactions: bool,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def shap_values(
    walker: Walker,
    numbers: Matrix[numpy.float32],
    codes: Sequence[Vector[numpy.int32]],
    answers: Matrix[numpy.float64],
    interactions: bool,
    n_threads: int,
) -> tuple[Any, ...]:
    """SHAP values of rows in a tree whose nodes answer so, and the answer to a row of which nothing is known: rows by columns x answers, rows by pairs of columns x answers or nothing, answers."""

class Walker:
    """A tree laid out for walking; keeps the arrays it was given."""

    def __init__(self, arrays: dict[str, Any]) -> None: ...
    @overload
    def leaves(
        self, numbers: Matrix[numpy.float64], codes: Sequence[Vector[numpy.int32]], n_threads: int
    ) -> Vector[numpy.int32]: ...
    @overload
    def leaves(
        self, numbers: Matrix[numpy.float32], codes: Sequence[Vector[numpy.int32]], n_threads: int
    ) -> Vector[numpy.int32]:
        """The leaf of each row."""

    @overload
    def values(
        self,
        numbers: Matrix[numpy.float64],
        codes: Sequence[Vector[numpy.int32]],
        shares: bool,
        into: Matrix[numpy.float64],
        n_threads: int,
    ) -> None: ...
    @overload
    def values(
        self,
        numbers: Matrix[numpy.float32],
        codes: Sequence[Vector[numpy.int32]],
        shares: bool,
        into: Matrix[numpy.float64],
        n_threads: int,
    ) -> None:
        """What the leaves of each row say; with `shares` each value is divided by its sum first."""

    @overload
    def numbers(
        self, numbers: Matrix[numpy.float64], largest: float, shares: bool, into: Matrix[numpy.float64], n_threads: int
    ) -> bool: ...
    @overload
    def numbers(
        self, numbers: Matrix[numpy.float32], largest: float, shares: bool, into: Matrix[numpy.float64], n_threads: int
    ) -> bool:
        """Values of rows of numbers; False if a cell cannot be used."""

    @overload
    def parts(
        self, numbers: Matrix[numpy.float64], codes: Sequence[Vector[numpy.int32]], n_threads: int
    ) -> tuple[Any, ...]: ...
    @overload
    def parts(
        self, numbers: Matrix[numpy.float32], codes: Sequence[Vector[numpy.int32]], n_threads: int
    ) -> tuple[Any, ...]:
        """Where the leaves of each row begin, the leaves, and the part of the row that reaches each."""

def arrays() -> list[Any]:
    """Name, type, and what there is an entry for, of each array of a tree."""

def what_is_unsound(arrays: dict[str, Any]) -> str:
    """What does not fit together in the arrays of a tree; empty if nothing."""

class NominalSplit(enum.Enum):
    multiway = 0

    subset = 1

    one_vs_rest = 2

class NumericSplit(enum.Enum):
    threshold = 0

    fixed = 1

    equal_width = 2

    equal_count = 3

    mdl = 4

class MissingSplit(enum.Enum):
    direction = 0

    fractional = 1

    surrogate = 2

class Settings:
    """How a tree is grown; see settings.hpp."""

    def __init__(self) -> None: ...
    @property
    def nominal(self) -> NominalSplit: ...
    @nominal.setter
    def nominal(self, arg: NominalSplit, /) -> None: ...
    @property
    def numeric(self) -> NumericSplit: ...
    @numeric.setter
    def numeric(self, arg: NumericSplit, /) -> None: ...
    @property
    def missing(self) -> MissingSplit: ...
    @missing.setter
    def missing(self, arg: MissingSplit, /) -> None: ...
    @property
    def gain_ratio(self) -> bool: ...
    @gain_ratio.setter
    def gain_ratio(self, arg: bool, /) -> None: ...
    @property
    def average_gain(self) -> bool: ...
    @average_gain.setter
    def average_gain(self, arg: bool, /) -> None: ...
    @property
    def charge_cuts(self) -> bool: ...
    @charge_cuts.setter
    def charge_cuts(self, arg: bool, /) -> None: ...
    @property
    def charge_levels(self) -> bool: ...
    @charge_levels.setter
    def charge_levels(self, arg: bool, /) -> None: ...
    @property
    def cuts_from_data(self) -> bool: ...
    @cuts_from_data.setter
    def cuts_from_data(self, arg: bool, /) -> None: ...
    @property
    def two_branches(self) -> bool: ...
    @two_branches.setter
    def two_branches(self, arg: bool, /) -> None: ...
    @property
    def tenth_per_class(self) -> bool: ...
    @tenth_per_class.setter
    def tenth_per_class(self, arg: bool, /) -> None: ...
    @property
    def no_useless_splits(self) -> bool: ...
    @no_useless_splits.setter
    def no_useless_splits(self, arg: bool, /) -> None: ...
    @property
    def max_depth(self) -> int: ...
    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...
    @property
    def max_leaves(self) -> int: ...
    @max_leaves.setter
    def max_leaves(self, arg: int, /) -> None: ...
    @property
    def min_split(self) -> int: ...
    @min_split.setter
    def min_split(self, arg: int, /) -> None: ...
    @property
    def min_leaf(self) -> int: ...
    @min_leaf.setter
    def min_leaf(self, arg: int, /) -> None: ...
    @property
    def min_leaf_weight(self) -> float: ...
    @min_leaf_weight.setter
    def min_leaf_weight(self, arg: float, /) -> None: ...
    @property
    def min_decrease(self) -> float: ...
    @min_decrease.setter
    def min_decrease(self, arg: float, /) -> None: ...
    @property
    def min_impurity(self) -> float: ...
    @min_impurity.setter
    def min_impurity(self, arg: float, /) -> None: ...
    @property
    def largest_p(self) -> float: ...
    @largest_p.setter
    def largest_p(self, arg: float, /) -> None: ...
    @property
    def max_intervals(self) -> int: ...
    @max_intervals.setter
    def max_intervals(self, arg: int, /) -> None: ...
    @property
    def exact_levels(self) -> int: ...
    @exact_levels.setter
    def exact_levels(self, arg: int, /) -> None: ...
    @property
    def cuts(self) -> list[list[float]]: ...
    @cuts.setter
    def cuts(self, arg: Sequence[Sequence[float]], /) -> None: ...
    @property
    def max_surrogates(self) -> int: ...
    @max_surrogates.setter
    def max_surrogates(self, arg: int, /) -> None: ...
    @property
    def missing_disagree(self) -> bool: ...
    @missing_disagree.setter
    def missing_disagree(self, arg: bool, /) -> None: ...
    @property
    def max_features(self) -> int: ...
    @max_features.setter
    def max_features(self, arg: int, /) -> None: ...
    @property
    def random_splits(self) -> bool: ...
    @random_splits.setter
    def random_splits(self, arg: bool, /) -> None: ...
    @property
    def seed(self) -> int: ...
    @seed.setter
    def seed(self, arg: int, /) -> None: ...

@overload
def mark_rows(numbers: Matrix[numpy.float64], mark: Vector[numpy.uint64], n_threads: int) -> Vector[numpy.uint64]: ...
@overload
def mark_rows(numbers: Matrix[numpy.float32], mark: Vector[numpy.uint64], n_threads: int) -> Vector[numpy.uint64]:
    """The marks of rows with the ranks of their cells mixed in, column after column."""

@overload
def mark_sparse_rows(
    values: Vector[numpy.float64],
    rows: Vector[numpy.int32] | Vector[numpy.int64],
    start: Vector[numpy.int32] | Vector[numpy.int64],
    mark: Vector[numpy.uint64],
    n_threads: int,
) -> Vector[numpy.uint64]: ...
@overload
def mark_sparse_rows(
    values: Vector[numpy.float32],
    rows: Vector[numpy.int32] | Vector[numpy.int64],
    start: Vector[numpy.int32] | Vector[numpy.int64],
    mark: Vector[numpy.uint64],
    n_threads: int,
) -> Vector[numpy.uint64]:
    """The same of a sparse matrix that is given column after column."""

def pessimistic(
    walker: Walker,
    numbers: Matrix[numpy.float64],
    codes: Sequence[Vector[numpy.int32]],
    y: Vector[numpy.int32],
    weight: Vector[numpy.float64],
    confidence: float,
    z: float,
    raise_branches: bool,
) -> dict[str, Any]:
    """The nodes that pessimistic pruning leaves, with the cases they have then."""

def extra_errors(n: float, e: float, confidence: float, z: float) -> float:
    """What the upper confidence limit adds to e errors among n cases."""

def mdl_cuts(
    value: Vector[numpy.float64], y: Vector[numpy.int32], weight: Vector[numpy.float64], n_classes: int
) -> Vector[numpy.float64]:
    """Where ascending numbers with classes and weights are worth cutting (Fayyad, Irani 1993)."""

def criteria() -> list[Any]:
    """Name, target, whether a loss is about medians, and the power of the target's unit in it, of each."""

def impurities(criterion: str, shares: Matrix[numpy.float64]) -> Vector[numpy.float64]:
    """How mixed classes with these shares are, row by row."""
