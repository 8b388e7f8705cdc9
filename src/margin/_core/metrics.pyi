from collections.abc import Sequence
from typing import Any, overload

import numpy

from margin.typing import Matrix, Vector

def rank_totals(
    score: Vector[numpy.float64], positive: Vector[numpy.uint8], weight: Vector[numpy.float64] | None, n_threads: int
) -> tuple[Any, ...]:
    """Area, average precision and variance of the area."""

def rank_curve(
    score: Vector[numpy.float64], positive: Vector[numpy.uint8], weight: Vector[numpy.float64] | None, n_threads: int
) -> tuple[Any, ...]:
    """Thresholds from the strongest on, hits and alarms."""

def placements(
    score: Vector[numpy.float64],
    positive: Vector[numpy.uint8],
    weight: Vector[numpy.float64] | None,
    out: Vector[numpy.float64],
    n_threads: int,
) -> tuple[Any, ...]:
    """Write the placement of each case."""

def bad_rows(p: Matrix[numpy.float64], tolerance: float, n_threads: int) -> tuple[Any, ...]:
    """How many rows are no probabilities, and the first of them."""

def case_losses(
    p: Matrix[numpy.float64],
    truth: Vector[numpy.int64],
    loss: str,
    weight: Vector[numpy.float64] | None,
    least: float,
    out: Vector[numpy.float64] | None,
    n_threads: int,
) -> float: ...
def calibration_bins(
    confidence: Vector[numpy.float64],
    right: Vector[numpy.uint8],
    weight: Vector[numpy.float64] | None,
    edges: Vector[numpy.float64],
    n_threads: int,
) -> tuple[Any, ...]:
    """Weight, confidence and weight of what was right, by bin."""

def top_answers(
    p: Matrix[numpy.float64],
    truth: Vector[numpy.int64],
    confidence: Vector[numpy.float64],
    right: Vector[numpy.uint8],
    n_threads: int,
) -> None: ...
@overload
def deal_folds(
    random: Sequence[int],
    group: Vector[numpy.uint8],
    starts: Vector[numpy.int64],
    folds: int,
    fold_of: Vector[numpy.uint8],
) -> None: ...
@overload
def deal_folds(
    random: Sequence[int],
    group: Vector[numpy.int64],
    starts: Vector[numpy.int64],
    folds: int,
    fold_of: Vector[numpy.int64],
) -> None:
    """Write the fold of each row."""

@overload
def deal_held(
    random: Sequence[int],
    group: Vector[numpy.uint8],
    starts: Vector[numpy.int64],
    held: Vector[numpy.int64],
    is_held: Vector[numpy.uint8],
) -> None: ...
@overload
def deal_held(
    random: Sequence[int],
    group: Vector[numpy.int64],
    starts: Vector[numpy.int64],
    held: Vector[numpy.int64],
    is_held: Vector[numpy.int64],
) -> None:
    """Write whether each row is among the first so many of its group."""

@overload
def separate(
    fold_of: Vector[numpy.uint8], fold: int, train: Vector[numpy.int64], test: Vector[numpy.int64], n_threads: int
) -> None: ...
@overload
def separate(
    fold_of: Vector[numpy.int64], fold: int, train: Vector[numpy.int64], test: Vector[numpy.int64], n_threads: int
) -> None:
    """Write the rows outside and inside a fold."""

def tally(labels: Vector[numpy.generic], most: int, with_first: bool, n_threads: int) -> Any:
    """Least label, counts and first rows by distance from it; None where there are more than `most`."""

def tally_pairs(
    truth: Vector[numpy.generic], said: Vector[numpy.generic], weight: Vector[numpy.float64] | None, n_threads: int
) -> Any:
    """Least labels, counts and weights of pairs; None where the table would be too large."""

@overload
def encode(
    labels: Vector[numpy.generic], low: object, code_at: Vector[numpy.int64], codes: Vector[numpy.int64], n_threads: int
) -> None: ...
@overload
def encode(
    labels: Vector[numpy.generic], low: object, code_at: Vector[numpy.int64], codes: Vector[numpy.uint8], n_threads: int
) -> None:
    """Write the code of each label, -1 outside the table."""

def ascending_rows(value: Vector[numpy.float64], n_threads: int) -> Vector[numpy.int64]:
    """The rows of a vector without NaN in ascending order, equal numbers in the order of rows."""
