from typing import overload

import numpy

from margin.typing import Matrix, Vector

@overload
def add_normal(
    x: Matrix[numpy.float64],
    mean: Matrix[numpy.float64],
    steep: Matrix[numpy.float64],
    off: Matrix[numpy.float64],
    peak: Vector[numpy.float64],
    scores: Matrix[numpy.float64],
    n_threads: int,
) -> bool: ...
@overload
def add_normal(
    x: Matrix[numpy.float32],
    mean: Matrix[numpy.float64],
    steep: Matrix[numpy.float64],
    off: Matrix[numpy.float64],
    peak: Vector[numpy.float64],
    scores: Matrix[numpy.float64],
    n_threads: int,
) -> bool: ...
