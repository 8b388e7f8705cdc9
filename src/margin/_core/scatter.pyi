from typing import Any, overload

import numpy

from margin.typing import Matrix, Vector

@overload
def scatter(
    x: Matrix[numpy.float64],
    y: Vector[numpy.int32],
    w: Vector[numpy.float64] | None,
    classes: int,
    pooled: bool,
    squares: bool,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def scatter(
    x: Matrix[numpy.float32],
    y: Vector[numpy.int32],
    w: Vector[numpy.float64] | None,
    classes: int,
    pooled: bool,
    squares: bool,
    n_threads: int,
) -> tuple[Any, ...]: ...
