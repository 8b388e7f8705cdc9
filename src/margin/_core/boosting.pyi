from collections.abc import Sequence
from typing import Any, overload

import numpy

from margin.typing import Matrix, Vector

def logit_step(
    sums: Matrix[numpy.float64], y: Vector[numpy.int32], weight: Vector[numpy.float64], z_max: float, n_threads: int
) -> tuple[Any, ...]:
    """Weights and working responses of the next trees of LogitBoost, a row for each sum; and the mean log loss and the share of errors of the sums so far."""

class RankedTable:
    """Columns ranked once, for all rounds."""

    @property
    def n_rows(self) -> int: ...
    @property
    def n_columns(self) -> int: ...
    @property
    def n_varying(self) -> int: ...

@overload
def rank(
    numbers: Matrix[numpy.float64],
    codes: Matrix[numpy.int32],
    n_levels: Vector[numpy.int64],
    nominal: Vector[numpy.uint8],
    max_bins: int,
    n_threads: int,
) -> RankedTable: ...
@overload
def rank(
    numbers: Matrix[numpy.float32],
    codes: Matrix[numpy.int32],
    n_levels: Vector[numpy.int64],
    nominal: Vector[numpy.uint8],
    max_bins: int,
    n_threads: int,
) -> RankedTable:
    """The columns ranked: a code for every different number (max_bins=0), or for every bin of them."""

class TreeSum:
    """Trees whose values are added up; keeps the arrays it was given."""

    def __init__(
        self,
        nodes: Matrix[numpy.uint64],
        start: Vector[numpy.int64],
        words: Vector[numpy.uint64],
        values: Matrix[numpy.float64],
        n_columns: int,
    ) -> None: ...
    @overload
    def add(
        self,
        numbers: Matrix[numpy.float64],
        codes: Sequence[Vector[numpy.int32]],
        largest: float,
        into: Matrix[numpy.float64],
        begin: int,
        end: int,
        n_threads: int,
    ) -> bool: ...
    @overload
    def add(
        self,
        numbers: Matrix[numpy.float32],
        codes: Sequence[Vector[numpy.int32]],
        largest: float,
        into: Matrix[numpy.float64],
        begin: int,
        end: int,
        n_threads: int,
    ) -> bool:
        """Add what trees begin … end - 1 say of each row; False if a cell is larger than `largest` (0: looked at)."""

class ClassRounds:
    """Weights and votes of the training rows, round after round."""

    def __init__(
        self,
        table: RankedTable,
        y: Vector[numpy.int32],
        weight: Vector[numpy.float64],
        n_classes: int,
        times: Vector[numpy.int64] | None = None,
    ) -> None: ...
    @property
    def weight(self) -> Vector[numpy.float64]: ...
    @property
    def leaf(self) -> Vector[numpy.uint8]: ...
    def resume(self, weight: Vector[numpy.float64], votes: Matrix[numpy.float64]) -> None:
        """Go on from weights and votes."""

    def grow(self, criterion: str, max_depth: int, n_threads: int) -> dict[str, Any]:
        """The tree of a round, and its sums by leaf."""

    def advance(
        self, factor: Matrix[numpy.float64], vote: Matrix[numpy.float64], scale: float, n_threads: int
    ) -> tuple[Any, ...]:
        """Reweigh and vote; the share of rows that are wrong, the least margin and the distribution of margins."""

def grow_values(
    table: RankedTable, weight: Vector[numpy.float64], z: Vector[numpy.float64], max_depth: int, n_threads: int
) -> dict[str, Any]:
    """A tree by least squares with weights above 0: its arrays, the sums of w and w z of each leaf, and the leaf of each row."""

def grow_labels(
    table: RankedTable, shares: Matrix[numpy.float64], criterion: str, max_depth: int, n_threads: int
) -> dict[str, Any]:
    """A tree that answers labels, shares being what each row gains by each: its arrays, the sums of each leaf and the leaf of each row."""
