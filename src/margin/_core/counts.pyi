from collections.abc import Sequence
from typing import overload

import numpy

from margin.typing import Matrix, Vector

@overload
def add_matrix(
    x: Matrix[numpy.float64],
    first: Vector[numpy.int64],
    log_share: Matrix[numpy.float64],
    scores: Matrix[numpy.float64],
    n_threads: int,
) -> bool: ...
@overload
def add_matrix(
    x: Matrix[numpy.float32],
    first: Vector[numpy.int64],
    log_share: Matrix[numpy.float64],
    scores: Matrix[numpy.float64],
    n_threads: int,
) -> bool: ...
@overload
def add_matrix(
    x: Matrix[numpy.uint8],
    first: Vector[numpy.int64],
    log_share: Matrix[numpy.float64],
    scores: Matrix[numpy.float64],
    n_threads: int,
) -> bool: ...
@overload
def add_matrix(
    x: Matrix[numpy.int32],
    first: Vector[numpy.int64],
    log_share: Matrix[numpy.float64],
    scores: Matrix[numpy.float64],
    n_threads: int,
) -> bool: ...
@overload
def add_matrix(
    x: Matrix[numpy.int64],
    first: Vector[numpy.int64],
    log_share: Matrix[numpy.float64],
    scores: Matrix[numpy.float64],
    n_threads: int,
) -> bool:
    """Add log-shares to the scores; whether any score is minus infinity now."""

def of_columns(
    columns: Sequence[Vector[numpy.int32]],
    first: Vector[numpy.int64],
    y: Vector[numpy.int32],
    w: Vector[numpy.float64] | None,
    classes: int,
    n_threads: int,
) -> Matrix[numpy.float64]:
    """Weight of each level (row) in each class."""

def add_columns(
    columns: Sequence[Vector[numpy.int32]],
    first: Vector[numpy.int64],
    log_share: Matrix[numpy.float64],
    scores: Matrix[numpy.float64],
    n_threads: int,
) -> bool:
    """Add log-shares to the scores; whether any score is minus infinity now."""

@overload
def of_matrix(
    x: Matrix[numpy.float64],
    first: Vector[numpy.int64],
    y: Vector[numpy.int32],
    w: Vector[numpy.float64] | None,
    classes: int,
    n_threads: int,
) -> Matrix[numpy.float64]: ...
@overload
def of_matrix(
    x: Matrix[numpy.float32],
    first: Vector[numpy.int64],
    y: Vector[numpy.int32],
    w: Vector[numpy.float64] | None,
    classes: int,
    n_threads: int,
) -> Matrix[numpy.float64]: ...
@overload
def of_matrix(
    x: Matrix[numpy.uint8],
    first: Vector[numpy.int64],
    y: Vector[numpy.int32],
    w: Vector[numpy.float64] | None,
    classes: int,
    n_threads: int,
) -> Matrix[numpy.float64]: ...
@overload
def of_matrix(
    x: Matrix[numpy.int32],
    first: Vector[numpy.int64],
    y: Vector[numpy.int32],
    w: Vector[numpy.float64] | None,
    classes: int,
    n_threads: int,
) -> Matrix[numpy.float64]: ...
@overload
def of_matrix(
    x: Matrix[numpy.int64],
    first: Vector[numpy.int64],
    y: Vector[numpy.int32],
    w: Vector[numpy.float64] | None,
    classes: int,
    n_threads: int,
) -> Matrix[numpy.float64]: ...
