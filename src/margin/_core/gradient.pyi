from collections.abc import Sequence
from typing import Any, overload

import numpy

import margin._core.core
from margin.typing import Matrix, Vector

@overload
def shapley(
    trees: Trees,
    cover: Vector[numpy.float64],
    numbers: Matrix[numpy.float64],
    codes: Sequence[Vector[numpy.int32]],
    into: Matrix[numpy.float64],
    n_threads: int,
) -> None: ...
@overload
def shapley(
    trees: Trees,
    cover: Vector[numpy.float64],
    numbers: Matrix[numpy.float32],
    codes: Sequence[Vector[numpy.int32]],
    into: Matrix[numpy.float64],
    n_threads: int,
) -> None:
    """Add Shapley values of the columns: rows x (scores x columns)."""

class Trees:
    """Trees to walk; keeps the arrays it was given."""

    def __init__(
        self,
        nodes: Matrix[numpy.uint64],
        start: Vector[numpy.int64],
        words: Vector[numpy.uint64],
        shares: Matrix[numpy.float64],
        base: Vector[numpy.float64],
        n_columns: int,
        term_nodes: Vector[numpy.int64],
        term_columns: Vector[numpy.uint32],
        term_numbers: Matrix[numpy.float64],
    ) -> None: ...
    @overload
    def sums(
        self,
        numbers: Matrix[numpy.float64],
        codes: Sequence[Vector[numpy.int32]],
        into: Matrix[numpy.float64],
        n_rounds: int,
        n_threads: int,
    ) -> None: ...
    @overload
    def sums(
        self,
        numbers: Matrix[numpy.float32],
        codes: Sequence[Vector[numpy.int32]],
        into: Matrix[numpy.float64],
        n_rounds: int,
        n_threads: int,
    ) -> None:
        """The scores of each row after so many rounds."""

    @overload
    def of_numbers(
        self, numbers: Matrix[numpy.float64], largest: float, into: Matrix[numpy.float64], n_rounds: int, n_threads: int
    ) -> bool: ...
    @overload
    def of_numbers(
        self, numbers: Matrix[numpy.float32], largest: float, into: Matrix[numpy.float64], n_rounds: int, n_threads: int
    ) -> bool:
        """Scores of rows of numbers; False if a cell cannot be used."""

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
def boost_csr(
    values: Vector[numpy.float64],
    columns: Vector[numpy.int32] | Vector[numpy.int64],
    start: Vector[numpy.int32] | Vector[numpy.int64],
    width: int,
    max_bins: int,
    y: Vector[numpy.float64],
    weight: Vector[numpy.float64],
    scores: Vector[numpy.float64],
    loss: str,
    settings: Settings,
) -> Boosting: ...
@overload
def boost_csr(
    values: Vector[numpy.float32],
    columns: Vector[numpy.int32] | Vector[numpy.int64],
    start: Vector[numpy.int32] | Vector[numpy.int64],
    width: int,
    max_bins: int,
    y: Vector[numpy.float64],
    weight: Vector[numpy.float64],
    scores: Vector[numpy.float64],
    loss: str,
    settings: Settings,
) -> Boosting:
    """Sparse rows of numbers to be boosted from their scores on, class after class."""

@overload
def watch_csr(
    boosting: Boosting,
    values: Vector[numpy.float64],
    columns: Vector[numpy.int32] | Vector[numpy.int64],
    start: Vector[numpy.int32] | Vector[numpy.int64],
    y: Vector[numpy.float64],
    weight: Vector[numpy.float64],
    scores: Vector[numpy.float64],
) -> None: ...
@overload
def watch_csr(
    boosting: Boosting,
    values: Vector[numpy.float32],
    columns: Vector[numpy.int32] | Vector[numpy.int64],
    start: Vector[numpy.int32] | Vector[numpy.int64],
    y: Vector[numpy.float64],
    weight: Vector[numpy.float64],
    scores: Vector[numpy.float64],
) -> None:
    """Other sparse rows, whose loss is told after each round."""

class Boosting:
    """Rows in bins, their scores, and the rounds over them."""

    def run(self, first: int, n: int, with_loss: bool, monitor: margin._core.core.Monitor | None) -> dict[str, Any]:
        """Some rounds: the arrays of their trees."""

    def give_slopes(self, g: Vector[numpy.float64], h: Vector[numpy.float64]) -> None:
        """The derivatives of the next round under the loss "given": scores x rows."""

    def leave_out(self) -> None:
        """Take away the scores of rounds that the next one leaves out."""

    def scores(self) -> Vector[numpy.float64]:
        """The scores of the rows, class after class."""

    def phases(self) -> dict[str, Any]:
        """Of each phase the seconds so far, and how much was done."""

    def n_groups(self) -> int:
        """Columns of histograms: exclusive ones are bundled."""

    def watched_scores(self) -> Vector[numpy.float64]:
        """Those of the watched rows."""

    @overload
    def watch(
        self,
        numbers: Matrix[numpy.float64],
        codes: Matrix[numpy.int32],
        n_levels: Vector[numpy.int64],
        nominal: Vector[numpy.uint8],
        y: Vector[numpy.float64],
        weight: Vector[numpy.float64],
        scores: Vector[numpy.float64],
    ) -> None: ...
    @overload
    def watch(
        self,
        numbers: Matrix[numpy.float32],
        codes: Matrix[numpy.int32],
        n_levels: Vector[numpy.int64],
        nominal: Vector[numpy.uint8],
        y: Vector[numpy.float64],
        weight: Vector[numpy.float64],
        scores: Vector[numpy.float64],
    ) -> None:
        """Other rows, whose loss is told after each round."""

@overload
def boost(
    numbers: Matrix[numpy.float64],
    codes: Matrix[numpy.int32],
    n_levels: Vector[numpy.int64],
    nominal: Vector[numpy.uint8],
    max_bins: int,
    y: Vector[numpy.float64],
    weight: Vector[numpy.float64],
    scores: Vector[numpy.float64],
    loss: str,
    settings: Settings,
) -> Boosting: ...
@overload
def boost(
    numbers: Matrix[numpy.float32],
    codes: Matrix[numpy.int32],
    n_levels: Vector[numpy.int64],
    nominal: Vector[numpy.uint8],
    max_bins: int,
    y: Vector[numpy.float64],
    weight: Vector[numpy.float64],
    scores: Vector[numpy.float64],
    loss: str,
    settings: Settings,
) -> Boosting:
    """Rows to be boosted from their scores on, class after class."""

class Settings:
    """How trees are boosted; see settings.hpp."""

    def __init__(self) -> None: ...
    @property
    def max_leaves(self) -> int: ...
    @max_leaves.setter
    def max_leaves(self, arg: int, /) -> None: ...
    @property
    def max_depth(self) -> int: ...
    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...
    @property
    def by_depth(self) -> bool: ...
    @by_depth.setter
    def by_depth(self, arg: bool, /) -> None: ...
    @property
    def symmetric(self) -> bool: ...
    @symmetric.setter
    def symmetric(self, arg: bool, /) -> None: ...
    @property
    def learning_rate(self) -> float: ...
    @learning_rate.setter
    def learning_rate(self, arg: float, /) -> None: ...
    @property
    def l2(self) -> float: ...
    @l2.setter
    def l2(self, arg: float, /) -> None: ...
    @property
    def min_gain(self) -> float: ...
    @min_gain.setter
    def min_gain(self, arg: float, /) -> None: ...
    @property
    def min_weight(self) -> float: ...
    @min_weight.setter
    def min_weight(self, arg: float, /) -> None: ...
    @property
    def min_cases(self) -> float: ...
    @min_cases.setter
    def min_cases(self, arg: float, /) -> None: ...
    @property
    def nominal_l2(self) -> float: ...
    @nominal_l2.setter
    def nominal_l2(self, arg: float, /) -> None: ...
    @property
    def nominal_smooth(self) -> float: ...
    @nominal_smooth.setter
    def nominal_smooth(self, arg: float, /) -> None: ...
    @property
    def row_share(self) -> float: ...
    @row_share.setter
    def row_share(self, arg: float, /) -> None: ...
    @property
    def column_share(self) -> float: ...
    @column_share.setter
    def column_share(self, arg: float, /) -> None: ...
    @property
    def top_share(self) -> float: ...
    @top_share.setter
    def top_share(self, arg: float, /) -> None: ...
    @property
    def drop_share(self) -> float: ...
    @drop_share.setter
    def drop_share(self, arg: float, /) -> None: ...
    @property
    def by_size(self) -> bool: ...
    @by_size.setter
    def by_size(self, arg: bool, /) -> None: ...
    @property
    def linear(self) -> bool: ...
    @linear.setter
    def linear(self, arg: bool, /) -> None: ...
    @property
    def alpha(self) -> float: ...
    @alpha.setter
    def alpha(self, arg: float, /) -> None: ...
    @property
    def monotone(self) -> list[int]: ...
    @monotone.setter
    def monotone(self, arg: Sequence[int], /) -> None: ...
    @property
    def interactions(self) -> list[list[int]]: ...
    @interactions.setter
    def interactions(self, arg: Sequence[Sequence[int]], /) -> None: ...
    @property
    def seed(self) -> int: ...
    @seed.setter
    def seed(self, arg: int, /) -> None: ...
    @property
    def n_threads(self) -> int: ...
    @n_threads.setter
    def n_threads(self, arg: int, /) -> None: ...

def losses() -> tuple[Any, ...]:
    """The losses of one score, by name."""
