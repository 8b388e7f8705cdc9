from typing import Any, overload

import numpy

from margin.typing import Matrix, Vector

@overload
def dense(
    x: Matrix[numpy.float64], y: Vector[numpy.int32], w: Vector[numpy.float64] | None, classes: int, n_threads: int
) -> tuple[Any, ...]: ...
@overload
def dense(
    x: Matrix[numpy.float32], y: Vector[numpy.int32], w: Vector[numpy.float64] | None, classes: int, n_threads: int
) -> tuple[Any, ...]: ...
@overload
def dense(
    x: Matrix[numpy.uint8], y: Vector[numpy.int32], w: Vector[numpy.float64] | None, classes: int, n_threads: int
) -> tuple[Any, ...]: ...
@overload
def dense(
    x: Matrix[numpy.int32], y: Vector[numpy.int32], w: Vector[numpy.float64] | None, classes: int, n_threads: int
) -> tuple[Any, ...]: ...
@overload
def dense(
    x: Matrix[numpy.int64], y: Vector[numpy.int32], w: Vector[numpy.float64] | None, classes: int, n_threads: int
) -> tuple[Any, ...]:
    """Sum of w x, and of w over the cells that are there, by class."""

@overload
def dense_above(
    x: Matrix[numpy.float64],
    threshold: float,
    y: Vector[numpy.int32],
    w: Vector[numpy.float64] | None,
    classes: int,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def dense_above(
    x: Matrix[numpy.float32],
    threshold: float,
    y: Vector[numpy.int32],
    w: Vector[numpy.float64] | None,
    classes: int,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def dense_above(
    x: Matrix[numpy.uint8],
    threshold: float,
    y: Vector[numpy.int32],
    w: Vector[numpy.float64] | None,
    classes: int,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def dense_above(
    x: Matrix[numpy.int32],
    threshold: float,
    y: Vector[numpy.int32],
    w: Vector[numpy.float64] | None,
    classes: int,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def dense_above(
    x: Matrix[numpy.int64],
    threshold: float,
    y: Vector[numpy.int32],
    w: Vector[numpy.float64] | None,
    classes: int,
    n_threads: int,
) -> tuple[Any, ...]:
    """The same with 1 above the threshold, 0 else."""

@overload
def add_dense(
    x: Matrix[numpy.float64], table: Matrix[numpy.float64], scores: Matrix[numpy.float64], n_threads: int
) -> None: ...
@overload
def add_dense(
    x: Matrix[numpy.float32], table: Matrix[numpy.float64], scores: Matrix[numpy.float64], n_threads: int
) -> None: ...
@overload
def add_dense(
    x: Matrix[numpy.uint8], table: Matrix[numpy.float64], scores: Matrix[numpy.float64], n_threads: int
) -> None: ...
@overload
def add_dense(
    x: Matrix[numpy.int32], table: Matrix[numpy.float64], scores: Matrix[numpy.float64], n_threads: int
) -> None: ...
@overload
def add_dense(
    x: Matrix[numpy.int64], table: Matrix[numpy.float64], scores: Matrix[numpy.float64], n_threads: int
) -> None:
    """scores += x @ table, missing cells as 0."""

@overload
def add_dense_above(
    x: Matrix[numpy.float64],
    threshold: float,
    present: Matrix[numpy.float64],
    absent: Matrix[numpy.float64],
    scores: Matrix[numpy.float64],
    n_threads: int,
) -> None: ...
@overload
def add_dense_above(
    x: Matrix[numpy.float32],
    threshold: float,
    present: Matrix[numpy.float64],
    absent: Matrix[numpy.float64],
    scores: Matrix[numpy.float64],
    n_threads: int,
) -> None: ...
@overload
def add_dense_above(
    x: Matrix[numpy.uint8],
    threshold: float,
    present: Matrix[numpy.float64],
    absent: Matrix[numpy.float64],
    scores: Matrix[numpy.float64],
    n_threads: int,
) -> None: ...
@overload
def add_dense_above(
    x: Matrix[numpy.int32],
    threshold: float,
    present: Matrix[numpy.float64],
    absent: Matrix[numpy.float64],
    scores: Matrix[numpy.float64],
    n_threads: int,
) -> None: ...
@overload
def add_dense_above(
    x: Matrix[numpy.int64],
    threshold: float,
    present: Matrix[numpy.float64],
    absent: Matrix[numpy.float64],
    scores: Matrix[numpy.float64],
    n_threads: int,
) -> None: ...
@overload
def csr(
    data: Vector[numpy.float64],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    y: Vector[numpy.int32],
    w: Vector[numpy.float64] | None,
    classes: int,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def csr(
    data: Vector[numpy.float32],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    y: Vector[numpy.int32],
    w: Vector[numpy.float64] | None,
    classes: int,
    n_threads: int,
) -> tuple[Any, ...]:
    """Sums by class; weight of missing cells or None."""

@overload
def csr_above(
    data: Vector[numpy.float64],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    threshold: float,
    y: Vector[numpy.int32],
    w: Vector[numpy.float64] | None,
    classes: int,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def csr_above(
    data: Vector[numpy.float32],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    threshold: float,
    y: Vector[numpy.int32],
    w: Vector[numpy.float64] | None,
    classes: int,
    n_threads: int,
) -> tuple[Any, ...]:
    """Weight of cells above, likewise."""

@overload
def add_csr(
    data: Vector[numpy.float64],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    table: Matrix[numpy.float64],
    scores: Matrix[numpy.float64],
    n_threads: int,
) -> None: ...
@overload
def add_csr(
    data: Vector[numpy.float32],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    table: Matrix[numpy.float64],
    scores: Matrix[numpy.float64],
    n_threads: int,
) -> None:
    """scores += x @ table, missing cells as 0."""

@overload
def add_csr_above(
    data: Vector[numpy.float64],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    threshold: float,
    table: Matrix[numpy.float64],
    missing_table: Matrix[numpy.float64] | None,
    scores: Matrix[numpy.float64],
    n_threads: int,
) -> None: ...
@overload
def add_csr_above(
    data: Vector[numpy.float32],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    threshold: float,
    table: Matrix[numpy.float64],
    missing_table: Matrix[numpy.float64] | None,
    scores: Matrix[numpy.float64],
    n_threads: int,
) -> None: ...
def log_counts(
    counts: Matrix[numpy.float64], alpha: float, shift: Vector[numpy.float64], n_threads: int
) -> Matrix[numpy.float64]:
    """log(counts + alpha) - shift of the class, one row per column."""
