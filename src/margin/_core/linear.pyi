from typing import Any, overload

import numpy
from numpy.typing import NDArray

from margin.typing import Matrix, Vector

@overload
def sgd_epoch(
    data: Vector[numpy.float64],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    loss: str,
    y: Vector[numpy.int32],
    weight: Vector[numpy.float64] | None,
    visits: Vector[numpy.uint32] | None,
    schedule: int,
    eta: Vector[numpy.float64],
    power_t: float,
    optimal_start: float,
    alpha: float,
    l1_ratio: float,
    intercept: bool,
    average_from: float,
    w: Matrix[numpy.float64],
    b: Vector[numpy.float64],
    sum_w: Matrix[numpy.float64] | None,
    sum_b: Vector[numpy.float64] | None,
    averaged: Vector[numpy.float64] | None,
    paid: Matrix[numpy.float64] | None,
    owed: Vector[numpy.float64] | None,
    active: Vector[numpy.bool_],
    t: float,
) -> tuple[Any, ...]: ...
@overload
def sgd_epoch(
    data: Vector[numpy.float32],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    loss: str,
    y: Vector[numpy.int32],
    weight: Vector[numpy.float64] | None,
    visits: Vector[numpy.uint32] | None,
    schedule: int,
    eta: Vector[numpy.float64],
    power_t: float,
    optimal_start: float,
    alpha: float,
    l1_ratio: float,
    intercept: bool,
    average_from: float,
    w: Matrix[numpy.float64],
    b: Vector[numpy.float64],
    sum_w: Matrix[numpy.float64] | None,
    sum_b: Vector[numpy.float64] | None,
    averaged: Vector[numpy.float64] | None,
    paid: Matrix[numpy.float64] | None,
    owed: Vector[numpy.float64] | None,
    active: Vector[numpy.bool_],
    t: float,
) -> tuple[Any, ...]: ...
@overload
def sgd_epoch(
    x: Matrix[numpy.float64],
    loss: str,
    y: Vector[numpy.int32],
    weight: Vector[numpy.float64] | None,
    visits: Vector[numpy.uint32] | None,
    schedule: int,
    eta: Vector[numpy.float64],
    power_t: float,
    optimal_start: float,
    alpha: float,
    l1_ratio: float,
    intercept: bool,
    average_from: float,
    w: Matrix[numpy.float64],
    b: Vector[numpy.float64],
    sum_w: Matrix[numpy.float64] | None,
    sum_b: Vector[numpy.float64] | None,
    averaged: Vector[numpy.float64] | None,
    paid: Matrix[numpy.float64] | None,
    owed: Vector[numpy.float64] | None,
    active: Vector[numpy.bool_],
    t: float,
) -> tuple[Any, ...]: ...
@overload
def sgd_epoch(
    x: Matrix[numpy.float32],
    loss: str,
    y: Vector[numpy.int32],
    weight: Vector[numpy.float64] | None,
    visits: Vector[numpy.uint32] | None,
    schedule: int,
    eta: Vector[numpy.float64],
    power_t: float,
    optimal_start: float,
    alpha: float,
    l1_ratio: float,
    intercept: bool,
    average_from: float,
    w: Matrix[numpy.float64],
    b: Vector[numpy.float64],
    sum_w: Matrix[numpy.float64] | None,
    sum_b: Vector[numpy.float64] | None,
    averaged: Vector[numpy.float64] | None,
    paid: Matrix[numpy.float64] | None,
    owed: Vector[numpy.float64] | None,
    active: Vector[numpy.bool_],
    t: float,
) -> tuple[Any, ...]: ...
@overload
def perceptron_pass(
    x: Matrix[numpy.float64],
    y: Vector[numpy.int32],
    step: Vector[numpy.float64] | None,
    visits: Vector[numpy.uint32] | None,
    eta: float,
    intercept: bool,
    log_room: int,
    w: Matrix[numpy.float64],
    b: Vector[numpy.float64],
    late_w: Matrix[numpy.float64] | None,
    late_b: Vector[numpy.float64] | None,
    age: float,
    voters: Matrix[numpy.float64] | None,
    survived: Vector[numpy.float64] | None,
    made: int,
) -> tuple[Any, ...]: ...
@overload
def perceptron_pass(
    x: Matrix[numpy.float32],
    y: Vector[numpy.int32],
    step: Vector[numpy.float64] | None,
    visits: Vector[numpy.uint32] | None,
    eta: float,
    intercept: bool,
    log_room: int,
    w: Matrix[numpy.float64],
    b: Vector[numpy.float64],
    late_w: Matrix[numpy.float64] | None,
    late_b: Vector[numpy.float64] | None,
    age: float,
    voters: Matrix[numpy.float64] | None,
    survived: Vector[numpy.float64] | None,
    made: int,
) -> tuple[Any, ...]: ...
@overload
def perceptron_pass(
    data: Vector[numpy.float64],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    y: Vector[numpy.int32],
    step: Vector[numpy.float64] | None,
    visits: Vector[numpy.uint32] | None,
    eta: float,
    intercept: bool,
    log_room: int,
    w: Matrix[numpy.float64],
    b: Vector[numpy.float64],
    late_w: Matrix[numpy.float64] | None,
    late_b: Vector[numpy.float64] | None,
    age: float,
    voters: Matrix[numpy.float64] | None,
    survived: Vector[numpy.float64] | None,
    made: int,
) -> tuple[Any, ...]: ...
@overload
def perceptron_pass(
    data: Vector[numpy.float32],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    y: Vector[numpy.int32],
    step: Vector[numpy.float64] | None,
    visits: Vector[numpy.uint32] | None,
    eta: float,
    intercept: bool,
    log_room: int,
    w: Matrix[numpy.float64],
    b: Vector[numpy.float64],
    late_w: Matrix[numpy.float64] | None,
    late_b: Vector[numpy.float64] | None,
    age: float,
    voters: Matrix[numpy.float64] | None,
    survived: Vector[numpy.float64] | None,
    made: int,
) -> tuple[Any, ...]: ...
def visits(n: int, seed: int, pass_number: int) -> Vector[numpy.uint32]: ...
@overload
def active_stream(
    x: Matrix[numpy.float64],
    y: Vector[numpy.int32],
    visits: Vector[numpy.uint32] | None,
    asked: Vector[numpy.uint8],
    intercept: bool,
    volunteered: bool,
    patience: int,
    first_threshold: float,
    most_labels: int,
    begin: int,
    enough: int,
    v: Matrix[numpy.float64],
    constant: Vector[numpy.float64],
    threshold: Vector[numpy.float64],
    streak: Vector[numpy.int64],
    labels: int,
) -> tuple[Any, ...]: ...
@overload
def active_stream(
    x: Matrix[numpy.float32],
    y: Vector[numpy.int32],
    visits: Vector[numpy.uint32] | None,
    asked: Vector[numpy.uint8],
    intercept: bool,
    volunteered: bool,
    patience: int,
    first_threshold: float,
    most_labels: int,
    begin: int,
    enough: int,
    v: Matrix[numpy.float64],
    constant: Vector[numpy.float64],
    threshold: Vector[numpy.float64],
    streak: Vector[numpy.int64],
    labels: int,
) -> tuple[Any, ...]: ...
@overload
def active_stream(
    data: Vector[numpy.float64],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    y: Vector[numpy.int32],
    visits: Vector[numpy.uint32] | None,
    asked: Vector[numpy.uint8],
    intercept: bool,
    volunteered: bool,
    patience: int,
    first_threshold: float,
    most_labels: int,
    begin: int,
    enough: int,
    v: Matrix[numpy.float64],
    constant: Vector[numpy.float64],
    threshold: Vector[numpy.float64],
    streak: Vector[numpy.int64],
    labels: int,
) -> tuple[Any, ...]: ...
@overload
def active_stream(
    data: Vector[numpy.float32],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    y: Vector[numpy.int32],
    visits: Vector[numpy.uint32] | None,
    asked: Vector[numpy.uint8],
    intercept: bool,
    volunteered: bool,
    patience: int,
    first_threshold: float,
    most_labels: int,
    begin: int,
    enough: int,
    v: Matrix[numpy.float64],
    constant: Vector[numpy.float64],
    threshold: Vector[numpy.float64],
    streak: Vector[numpy.int64],
    labels: int,
) -> tuple[Any, ...]: ...
@overload
def sparse_loss(
    data: Vector[numpy.float64],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    y: Vector[numpy.int32],
    weight: Vector[numpy.float64] | None,
    unit: float,
    table: Matrix[numpy.float64],
    classes: int,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def sparse_loss(
    data: Vector[numpy.float32],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    y: Vector[numpy.int32],
    weight: Vector[numpy.float64] | None,
    unit: float,
    table: Matrix[numpy.float64],
    classes: int,
    n_threads: int,
) -> tuple[Any, ...]:
    """Loss, gradient and the state that the second derivatives need."""

@overload
def sparse_product(
    data: Vector[numpy.float64],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    weight: Vector[numpy.float64] | None,
    unit: float,
    state: Matrix[numpy.float64],
    direction: Matrix[numpy.float64],
    n_threads: int,
) -> Matrix[numpy.float64]: ...
@overload
def sparse_product(
    data: Vector[numpy.float32],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    weight: Vector[numpy.float64] | None,
    unit: float,
    state: Matrix[numpy.float64],
    direction: Matrix[numpy.float64],
    n_threads: int,
) -> Matrix[numpy.float64]: ...
@overload
def sparse_diagonal(
    data: Vector[numpy.float64],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    weight: Vector[numpy.float64] | None,
    unit: float,
    state: Matrix[numpy.float64],
    n_threads: int,
) -> Matrix[numpy.float64]: ...
@overload
def sparse_diagonal(
    data: Vector[numpy.float32],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    weight: Vector[numpy.float64] | None,
    unit: float,
    state: Matrix[numpy.float64],
    n_threads: int,
) -> Matrix[numpy.float64]: ...
@overload
def answer_csr(
    values: Vector[numpy.float64],
    columns: Vector[numpy.int32] | Vector[numpy.int64],
    start: Vector[numpy.int32] | Vector[numpy.int64],
    coef: Matrix[numpy.float64],
    intercept: Vector[numpy.float64],
    largest: float,
    what: str,
    out: NDArray[numpy.float64],
    n_threads: int,
) -> bool: ...
@overload
def answer_csr(
    values: Vector[numpy.float32],
    columns: Vector[numpy.int32] | Vector[numpy.int64],
    start: Vector[numpy.int32] | Vector[numpy.int64],
    coef: Matrix[numpy.float64],
    intercept: Vector[numpy.float64],
    largest: float,
    what: str,
    out: NDArray[numpy.float64],
    n_threads: int,
) -> bool: ...
@overload
def answer_csr(
    values: Vector[numpy.float64],
    columns: Vector[numpy.int32] | Vector[numpy.int64],
    start: Vector[numpy.int32] | Vector[numpy.int64],
    coef: Matrix[numpy.float64],
    intercept: Vector[numpy.float64],
    largest: float,
    what: str,
    out: NDArray[numpy.int64],
    n_threads: int,
) -> bool: ...
@overload
def answer_csr(
    values: Vector[numpy.float32],
    columns: Vector[numpy.int32] | Vector[numpy.int64],
    start: Vector[numpy.int32] | Vector[numpy.int64],
    coef: Matrix[numpy.float64],
    intercept: Vector[numpy.float64],
    largest: float,
    what: str,
    out: NDArray[numpy.int64],
    n_threads: int,
) -> bool: ...
def answer(
    x: object,
    coef: object,
    intercept: object,
    center: object | None,
    spread: object | None,
    n_classes: int,
    largest: float,
    what: str,
    out: object,
    n_threads: int,
) -> bool: ...
def losses() -> list[tuple[str, str]]: ...
def loss_at(name: str, margins: Vector[numpy.float64]) -> tuple[Any, ...]: ...
@overload
def answer_scores(scores: Matrix[numpy.float64], what: str, out: NDArray[numpy.float64]) -> None: ...
@overload
def answer_scores(scores: Matrix[numpy.float64], what: str, out: NDArray[numpy.int64]) -> None: ...
@overload
def dense_gram_single(
    x: Matrix[numpy.float64],
    at: Vector[numpy.int64],
    w: Vector[numpy.float64] | None,
    shift: Vector[numpy.float64],
    scale: Vector[numpy.float64],
    n_threads: int,
) -> Matrix[numpy.float32]: ...
@overload
def dense_gram_single(
    x: Matrix[numpy.float32],
    at: Vector[numpy.int64],
    w: Vector[numpy.float64] | None,
    shift: Vector[numpy.float64],
    scale: Vector[numpy.float64],
    n_threads: int,
) -> Matrix[numpy.float32]: ...
@overload
def dense_pass(
    x: Matrix[numpy.float64],
    y: Vector[numpy.int32],
    w: Vector[numpy.float64] | None,
    coef: Matrix[numpy.float64],
    intercept: Vector[numpy.float64],
    keep: bool,
    n_threads: int,
    origin: Vector[numpy.float64] | None = None,
) -> tuple[Any, ...]: ...
@overload
def dense_pass(
    x: Matrix[numpy.float32],
    y: Vector[numpy.int32],
    w: Vector[numpy.float64] | None,
    coef: Matrix[numpy.float64],
    intercept: Vector[numpy.float64],
    keep: bool,
    n_threads: int,
    origin: Vector[numpy.float64] | None = None,
) -> tuple[Any, ...]: ...
@overload
def dense_gram(
    x: Matrix[numpy.float64],
    w: Vector[numpy.float64] | None,
    shift: Vector[numpy.float64],
    scale: Vector[numpy.float64],
    n_threads: int,
) -> Matrix[numpy.float64]: ...
@overload
def dense_gram(
    x: Matrix[numpy.float32],
    w: Vector[numpy.float64] | None,
    shift: Vector[numpy.float64],
    scale: Vector[numpy.float64],
    n_threads: int,
) -> Matrix[numpy.float64]: ...
def gram_descend(
    h: Matrix[numpy.float64], g: Vector[numpy.float64], w: Vector[numpy.float64], l1: float, enough: float, passes: int
) -> tuple[Any, ...]:
    """A step, and the passes it took."""

@overload
def sparse_columns(
    data: Vector[numpy.float64],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    values: Vector[numpy.float64],
    rows: Vector[numpy.int32],
    n_threads: int,
) -> Vector[numpy.int64]: ...
@overload
def sparse_columns(
    data: Vector[numpy.float32],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    values: Vector[numpy.float32],
    rows: Vector[numpy.int32],
    n_threads: int,
) -> Vector[numpy.int64]:
    """Fills values and rows; where each column begins."""

@overload
def sparse_descend(
    values: Vector[numpy.float64],
    rows: Vector[numpy.int32],
    start: Vector[numpy.int64],
    working: Vector[numpy.int32],
    table: Matrix[numpy.float64],
    gradient: Matrix[numpy.float64],
    state: Matrix[numpy.float64],
    weight: Vector[numpy.float64] | None,
    unit: float,
    l1: float,
    l2: float,
    intercept: bool,
    enough: float,
    passes: int,
) -> tuple[Any, ...]: ...
@overload
def sparse_descend(
    values: Vector[numpy.float32],
    rows: Vector[numpy.int32],
    start: Vector[numpy.int64],
    working: Vector[numpy.int32],
    table: Matrix[numpy.float64],
    gradient: Matrix[numpy.float64],
    state: Matrix[numpy.float64],
    weight: Vector[numpy.float64] | None,
    unit: float,
    l1: float,
    l2: float,
    intercept: bool,
    enough: float,
    passes: int,
) -> tuple[Any, ...]:
    """A step of the working set, and the passes it took."""
