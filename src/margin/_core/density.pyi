import numpy

from margin.typing import Matrix, Vector

def add_kernels(
    x: Matrix[numpy.float64],
    values: Vector[numpy.float64],
    log_weight: Vector[numpy.float64],
    start: Vector[numpy.int64],
    steep: Vector[numpy.float64],
    off: Vector[numpy.float64],
    scores: Matrix[numpy.float64],
    n_threads: int,
) -> bool:
    """Add log-densities to the scores; whether any score is minus infinity now."""
