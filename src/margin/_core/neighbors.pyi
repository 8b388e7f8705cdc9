from typing import Any, overload

import numpy

from margin.typing import Matrix, Vector

@overload
def sparse_postings(
    rows: tuple[Vector[numpy.float64], Vector[numpy.int32], Vector[numpy.int64], int], metric: str, p: float
) -> tuple[Any, ...]: ...
@overload
def sparse_postings(
    rows: tuple[Vector[numpy.float32], Vector[numpy.int32], Vector[numpy.int64], int], metric: str, p: float
) -> tuple[Any, ...]: ...
@overload
def sparse_nearest(
    rows: tuple[Vector[numpy.float64], Vector[numpy.int32], Vector[numpy.int64], int],
    postings: tuple[
        Vector[numpy.float64],
        Vector[numpy.float64],
        Vector[numpy.int64],
        Vector[numpy.int32],
        Vector[numpy.float32],
        Vector[numpy.int32],
        Vector[numpy.float32],
        int,
        int,
        float,
    ],
    queries: tuple[Vector[numpy.float64], Vector[numpy.int64], Vector[numpy.int64]],
    k: int,
    metric: str,
    p: float,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def sparse_nearest(
    rows: tuple[Vector[numpy.float32], Vector[numpy.int32], Vector[numpy.int64], int],
    postings: tuple[
        Vector[numpy.float64],
        Vector[numpy.float64],
        Vector[numpy.int64],
        Vector[numpy.int32],
        Vector[numpy.float32],
        Vector[numpy.int32],
        Vector[numpy.float32],
        int,
        int,
        float,
    ],
    queries: tuple[Vector[numpy.float64], Vector[numpy.int64], Vector[numpy.int64]],
    k: int,
    metric: str,
    p: float,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def sparse_within(
    rows: tuple[Vector[numpy.float64], Vector[numpy.int32], Vector[numpy.int64], int],
    postings: tuple[
        Vector[numpy.float64],
        Vector[numpy.float64],
        Vector[numpy.int64],
        Vector[numpy.int32],
        Vector[numpy.float32],
        Vector[numpy.int32],
        Vector[numpy.float32],
        int,
        int,
        float,
    ],
    queries: tuple[Vector[numpy.float64], Vector[numpy.int64], Vector[numpy.int64]],
    radius: Vector[numpy.float64],
    metric: str,
    p: float,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def sparse_within(
    rows: tuple[Vector[numpy.float32], Vector[numpy.int32], Vector[numpy.int64], int],
    postings: tuple[
        Vector[numpy.float64],
        Vector[numpy.float64],
        Vector[numpy.int64],
        Vector[numpy.int32],
        Vector[numpy.float32],
        Vector[numpy.int32],
        Vector[numpy.float32],
        int,
        int,
        float,
    ],
    queries: tuple[Vector[numpy.float64], Vector[numpy.int64], Vector[numpy.int64]],
    radius: Vector[numpy.float64],
    metric: str,
    p: float,
    n_threads: int,
) -> tuple[Any, ...]: ...
def index_mixed(
    numbers: Matrix[numpy.float64],
    codes: Matrix[numpy.int32],
    weights: Vector[numpy.float64],
    metric: str,
    n_threads: int = 0,
) -> tuple[Any, ...]:
    """The arrays of an index over numbers and codes side by side."""

def nearest_mixed(
    index: tuple[Any, ...],
    numbers: Matrix[numpy.float64],
    codes: Matrix[numpy.int32],
    k: int,
    metric: str,
    n_threads: int = 0,
) -> tuple[Any, ...]:
    """Distances and places of the k nearest rows, nearest first."""

def within_mixed(
    index: tuple[Any, ...],
    numbers: Matrix[numpy.float64],
    codes: Matrix[numpy.int32],
    radius: Vector[numpy.float64],
    metric: str,
    n_threads: int = 0,
) -> tuple[Any, ...]:
    """Start, distances and places of all rows within the radius."""

@overload
def brute_nearest(
    rows: Matrix[numpy.float32], queries: Matrix[numpy.float64], k: int, metric: str, p: float, n_threads: int
) -> tuple[Any, ...]: ...
@overload
def brute_nearest(
    rows: Matrix[numpy.float64], queries: Matrix[numpy.float64], k: int, metric: str, p: float, n_threads: int
) -> tuple[Any, ...]:
    """Distances and places of the k nearest rows of each query, nearest first."""

@overload
def brute_within(
    rows: Matrix[numpy.float32],
    queries: Matrix[numpy.float64],
    radius: Vector[numpy.float64],
    metric: str,
    p: float,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def brute_within(
    rows: Matrix[numpy.float64],
    queries: Matrix[numpy.float64],
    radius: Vector[numpy.float64],
    metric: str,
    p: float,
    n_threads: int,
) -> tuple[Any, ...]:
    """All rows within a radius of each query: where each begins, distances, places."""

@overload
def kd_within(
    tree: tuple[
        Matrix[numpy.float32],
        Matrix[numpy.float64],
        Matrix[numpy.int32],
        Matrix[numpy.float32],
        Matrix[numpy.int32],
        Matrix[numpy.int32],
        Matrix[numpy.int32],
        Vector[numpy.float64],
        float,
    ],
    queries: Matrix[numpy.float64],
    radius: Vector[numpy.float64],
    metric: str,
    p: float,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def kd_within(
    tree: tuple[
        Matrix[numpy.float32],
        Matrix[numpy.float32],
        Matrix[numpy.int32],
        Matrix[numpy.float32],
        Matrix[numpy.int32],
        Matrix[numpy.int32],
        Matrix[numpy.int32],
        Vector[numpy.float64],
        float,
    ],
    queries: Matrix[numpy.float64],
    radius: Vector[numpy.float64],
    metric: str,
    p: float,
    n_threads: int,
) -> tuple[Any, ...]:
    """Where the neighbours of each query begin, and their distances and places."""

@overload
def kd_nearest(
    tree: tuple[
        Matrix[numpy.float32],
        Matrix[numpy.float64],
        Matrix[numpy.int32],
        Matrix[numpy.float32],
        Matrix[numpy.int32],
        Matrix[numpy.int32],
        Matrix[numpy.int32],
        Vector[numpy.float64],
        float,
    ],
    queries: Matrix[numpy.float64],
    k: int,
    metric: str,
    p: float,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def kd_nearest(
    tree: tuple[
        Matrix[numpy.float32],
        Matrix[numpy.float32],
        Matrix[numpy.int32],
        Matrix[numpy.float32],
        Matrix[numpy.int32],
        Matrix[numpy.int32],
        Matrix[numpy.int32],
        Vector[numpy.float64],
        float,
    ],
    queries: Matrix[numpy.float64],
    k: int,
    metric: str,
    p: float,
    n_threads: int,
) -> tuple[Any, ...]:
    """Distances and places of the k nearest rows of each query, and the share of rows looked at."""

@overload
def kd_tree(x: Matrix[numpy.float64], leaf_size: int, n_threads: int) -> dict[str, Any]:
    """The arrays of a kd-tree over the rows of x."""

@overload
def kd_tree(x: Matrix[numpy.float32], leaf_size: int, n_threads: int) -> dict[str, Any]: ...
def metrics() -> tuple[Any, ...]:
    """Sums (or largest) of terms of differences: any index of numbers."""

def ball_metrics() -> tuple[Any, ...]:
    """All metrics of rows of numbers: ball trees."""

def sparse_metrics() -> tuple[Any, ...]:
    """Metrics of sparse rows."""

def mixed_metrics() -> tuple[Any, ...]:
    """Metrics of numbers and categories, cells missing."""

class MetricTraits:
    @property
    def of_differences(self) -> bool: ...
    @property
    def is_metric(self) -> bool: ...
    @property
    def bounded_by_boxes(self) -> bool: ...
    @property
    def power(self) -> float | None: ...
    @property
    def order(self) -> float | None: ...
    @property
    def n_columns(self) -> int | None: ...
    @property
    def columns(self) -> str: ...
    @property
    def same_as(self) -> str: ...

def metric_traits(metric: str, p: float) -> MetricTraits:
    """What a metric of rows of numbers states of itself."""

def mixed_times_for_weights(metric: str, root: float) -> float:
    """What distances are multiplied by if all weights are by the square of root."""

def given_nearest(cells: Matrix[numpy.float64], k: int, n_threads: int) -> tuple[Any, ...]:
    """The k smallest cells of each row and their columns, smallest first."""

def given_within(cells: Matrix[numpy.float64], radius: Vector[numpy.float64], n_threads: int) -> tuple[Any, ...]:
    """All cells of each row up to a radius: where each begins, cells, columns."""

def count_votes(
    distance: Matrix[numpy.float64],
    place: Matrix[numpy.int64],
    k: int,
    labels: Vector[numpy.int32],
    n_classes: int,
    weights: str,
    n_threads: int,
) -> tuple[Any, ...]:
    """Votes on each case by class, the winners (below 0 where there is none) and the smallest of these."""

def mean_targets(
    distance: Matrix[numpy.float64],
    place: Matrix[numpy.int64],
    k: int,
    targets: Matrix[numpy.float64],
    weights: str,
    n_threads: int,
) -> tuple[Any, ...]:
    """The mean of the neighbours' targets for each case, 0 or below where there is none, the smallest of these."""

@overload
def ball_tree(
    rows: Matrix[numpy.float64], metric: str, p: float, leaf_size: int, n_threads: int
) -> tuple[Any, ...]: ...
@overload
def ball_tree(
    rows: Matrix[numpy.float32], metric: str, p: float, leaf_size: int, n_threads: int
) -> tuple[Any, ...]: ...
@overload
def ball_nearest(
    tree: tuple[int, Vector[numpy.int64], Vector[numpy.float64], Vector[numpy.float64], Vector[numpy.float64]],
    rows: Matrix[numpy.float64],
    largest: float,
    queries: Matrix[numpy.float64],
    k: int,
    metric: str,
    p: float,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def ball_nearest(
    tree: tuple[int, Vector[numpy.int64], Vector[numpy.float64], Vector[numpy.float64], Vector[numpy.float64]],
    rows: Matrix[numpy.float32],
    largest: float,
    queries: Matrix[numpy.float64],
    k: int,
    metric: str,
    p: float,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def ball_within(
    tree: tuple[int, Vector[numpy.int64], Vector[numpy.float64], Vector[numpy.float64], Vector[numpy.float64]],
    rows: Matrix[numpy.float64],
    largest: float,
    queries: Matrix[numpy.float64],
    radius: Vector[numpy.float64],
    metric: str,
    p: float,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def ball_within(
    tree: tuple[int, Vector[numpy.int64], Vector[numpy.float64], Vector[numpy.float64], Vector[numpy.float64]],
    rows: Matrix[numpy.float32],
    largest: float,
    queries: Matrix[numpy.float64],
    radius: Vector[numpy.float64],
    metric: str,
    p: float,
    n_threads: int,
) -> tuple[Any, ...]: ...
def ball_tree_of(rows: list[Any], function: object, leaf_size: int) -> tuple[Any, ...]: ...
def ball_nearest_of(
    tree: tuple[int, Vector[numpy.int64], Vector[numpy.float64], Vector[numpy.float64], Vector[numpy.float64]],
    rows: list[Any],
    queries: list[Any],
    k: int,
    function: object,
) -> tuple[Any, ...]: ...
def ball_within_of(
    tree: tuple[int, Vector[numpy.int64], Vector[numpy.float64], Vector[numpy.float64], Vector[numpy.float64]],
    rows: list[Any],
    queries: list[Any],
    radius: Vector[numpy.float64],
    function: object,
) -> tuple[Any, ...]: ...
