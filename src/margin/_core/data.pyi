from collections.abc import Sequence
from typing import Any, overload

import numpy

from margin.typing import Matrix, Vector

@overload
def survey(x: Matrix[numpy.float64], largest: float, n_threads: int) -> tuple[Any, ...]: ...
@overload
def survey(x: Matrix[numpy.float32], largest: float, n_threads: int) -> tuple[Any, ...]: ...
@overload
def survey(x: Matrix[numpy.uint8], largest: float, n_threads: int) -> tuple[Any, ...]: ...
@overload
def survey(x: Matrix[numpy.int32], largest: float, n_threads: int) -> tuple[Any, ...]: ...
@overload
def survey(x: Matrix[numpy.int64], largest: float, n_threads: int) -> tuple[Any, ...]:
    """Smallest and largest number and missing cells of each column; position of the first unusable cell."""

@overload
def survey_moments(
    x: Matrix[numpy.float64],
    y: Vector[numpy.int32],
    w: Vector[numpy.float64] | None,
    classes: int,
    largest: float,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def survey_moments(
    x: Matrix[numpy.float32],
    y: Vector[numpy.int32],
    w: Vector[numpy.float64] | None,
    classes: int,
    largest: float,
    n_threads: int,
) -> tuple[Any, ...]:
    """Weight, squared weight, mean, its rest and squared deviations by class, and the survey."""

class RowReader:
    """Reads single rows of learnt columns."""

    def __init__(
        self, names: tuple[Any, ...], codes: tuple[Any, ...], left_out: object, number_types: object
    ) -> None: ...
    def cells(self, x: object | None, largest: float) -> Any:
        """A float or a code for each column; None where the row is to be read as a table."""

    def split(
        self, x: object | None, largest: float, numbers: Matrix[numpy.float64], codes: Matrix[numpy.int32]
    ) -> bool:
        """Write numbers and codes; False where the row is to be read as a table."""

    def one_hot(
        self,
        x: object | None,
        largest: float,
        place: Vector[numpy.int32],
        learnt: Matrix[numpy.float64],
        out: Matrix[numpy.float64],
    ) -> bool:
        """Write the row of a matrix; False where the row is to be read as a table."""

@overload
def distinct(x: Matrix[numpy.float64], most: int, n_threads: int) -> list[Any]: ...
@overload
def distinct(x: Matrix[numpy.float32], most: int, n_threads: int) -> list[Any]:
    """The different numbers of each column, ascending; none where there are more than `most`."""

@overload
def inspect(x: Matrix[numpy.float64], largest: float, n_threads: int = 1) -> int:
    """Flat position of the first unusable cell; -1 if all are fine, -2 if some are missing."""

@overload
def inspect(x: Matrix[numpy.float32], largest: float, n_threads: int = 1) -> int: ...
def winners(scores: Matrix[numpy.float64], n_threads: int) -> Vector[numpy.int64]:
    """The column of each row's largest number."""

def level_counts(codes: Vector[numpy.int32], n_levels: int, n_threads: int) -> Vector[numpy.int64]:
    """How often each level occurs; -1 is left out."""

def side_by_side(columns: Sequence[Vector[numpy.float64]], n_threads: int) -> Matrix[numpy.float64]:
    """Columns as one row-major matrix."""

@overload
def csr_survey(
    data: Vector[numpy.float64],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    largest: float,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def csr_survey(
    data: Vector[numpy.float32],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    largest: float,
    n_threads: int,
) -> tuple[Any, ...]:
    """0 canonical, 1 not in order, 2 damaged (row), 3 unusable (cell); where; missing cells; negative ones."""
