from typing import Any, overload

import numpy

from margin.typing import Matrix, Vector

@overload
def linear_scores(
    x: Matrix[numpy.float64],
    points: Matrix[numpy.float64],
    panels: Matrix[numpy.float64],
    base: Vector[numpy.float64],
    scores: Matrix[numpy.float64],
    n_threads: int,
) -> None: ...
@overload
def linear_scores(
    x: Matrix[numpy.float32],
    points: Matrix[numpy.float64],
    panels: Matrix[numpy.float64],
    base: Vector[numpy.float64],
    scores: Matrix[numpy.float64],
    n_threads: int,
) -> None: ...
@overload
def linear_winners(
    x: Matrix[numpy.float64],
    points: Matrix[numpy.float64],
    panels: Matrix[numpy.float64],
    base: Vector[numpy.float64],
    largest: float,
    n_threads: int,
) -> Any: ...
@overload
def linear_winners(
    x: Matrix[numpy.float32],
    points: Matrix[numpy.float64],
    panels: Matrix[numpy.float64],
    base: Vector[numpy.float64],
    largest: float,
    n_threads: int,
) -> Any: ...
@overload
def quadratic_scores(
    x: Matrix[numpy.float64],
    points: Matrix[numpy.float64],
    panels: Matrix[numpy.float64],
    base: Vector[numpy.float64],
    scores: Matrix[numpy.float64],
    n_threads: int,
) -> None: ...
@overload
def quadratic_scores(
    x: Matrix[numpy.float32],
    points: Matrix[numpy.float64],
    panels: Matrix[numpy.float64],
    base: Vector[numpy.float64],
    scores: Matrix[numpy.float64],
    n_threads: int,
) -> None: ...
