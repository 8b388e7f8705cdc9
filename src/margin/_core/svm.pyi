from typing import Any, overload

import numpy

from margin.typing import Matrix, Vector

def solve_all(
    source: KernelSource,
    rows: Vector[numpy.uint32],
    target: Vector[numpy.float64],
    lower: Vector[numpy.float64],
    upper: Vector[numpy.float64],
    start: Vector[numpy.float64],
    bounds: Vector[numpy.int64],
    tube: float,
    sum: str,
    unit: float,
    tol: float,
    gap_tol: float,
    max_steps: int,
    cache_bytes: int,
    n_threads: int,
) -> tuple[Any, ...]:
    """b and residuals of all problems, one after another; two biases, objective, violation, primal, gap, steps and whether it has no end, a row for each problem."""

@overload
def hinge_losses(
    x: Matrix[numpy.float64],
    y: Vector[numpy.int32],
    share: Vector[numpy.float64],
    coef: Matrix[numpy.float64],
    scalars: Matrix[numpy.float64],
    n_threads: int,
) -> Vector[numpy.float64]: ...
@overload
def hinge_losses(
    x: Matrix[numpy.float32],
    y: Vector[numpy.int32],
    share: Vector[numpy.float64],
    coef: Matrix[numpy.float64],
    scalars: Matrix[numpy.float64],
    n_threads: int,
) -> Vector[numpy.float64]: ...
@overload
def hinge_losses(
    data: Vector[numpy.float64],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    y: Vector[numpy.int32],
    share: Vector[numpy.float64],
    coef: Matrix[numpy.float64],
    scalars: Matrix[numpy.float64],
    n_threads: int,
) -> Vector[numpy.float64]: ...
@overload
def hinge_losses(
    data: Vector[numpy.float32],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    y: Vector[numpy.int32],
    share: Vector[numpy.float64],
    coef: Matrix[numpy.float64],
    scalars: Matrix[numpy.float64],
    n_threads: int,
) -> Vector[numpy.float64]: ...
@overload
def weighted_sums(
    x: Matrix[numpy.float64], weights: Matrix[numpy.float64], sums: Matrix[numpy.float64], n_threads: int
) -> None: ...
@overload
def weighted_sums(
    x: Matrix[numpy.float32], weights: Matrix[numpy.float64], sums: Matrix[numpy.float64], n_threads: int
) -> None: ...
@overload
def weighted_sums(
    data: Vector[numpy.float64],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    weights: Matrix[numpy.float64],
    sums: Matrix[numpy.float64],
    n_threads: int,
) -> None: ...
@overload
def weighted_sums(
    data: Vector[numpy.float32],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    weights: Matrix[numpy.float64],
    sums: Matrix[numpy.float64],
    n_threads: int,
) -> None: ...

class KeptKernelRows:
    def __init__(self, source: KernelSource, bytes: int) -> None: ...

def kernel_pass(
    rows: KeptKernelRows,
    settings: PegasosSettings,
    y: Vector[numpy.int32],
    weight: Vector[numpy.float64] | None,
    squares: Vector[numpy.float64] | None,
    visits: Vector[numpy.uint32] | None,
    scalars: Matrix[numpy.float64],
    u: Matrix[numpy.float64],
    sums: Matrix[numpy.float64] | None,
    beta: Matrix[numpy.float64],
    beta_sums: Matrix[numpy.float64] | None,
    t: float,
    n_threads: int,
) -> float: ...

class PegasosSettings:
    def __init__(
        self, lambda_: float, eta: float, batch: int, intercept: bool, average_from: float, rising: bool
    ) -> None: ...

@overload
def pegasos_pass(
    x: Matrix[numpy.float64],
    settings: PegasosSettings,
    y: Vector[numpy.int32],
    weight: Vector[numpy.float64] | None,
    squares: Vector[numpy.float64] | None,
    visits: Vector[numpy.uint32] | None,
    scalars: Matrix[numpy.float64],
    v: Matrix[numpy.float64],
    sums: Matrix[numpy.float64] | None,
    beta: Matrix[numpy.float64] | None,
    beta_sums: Matrix[numpy.float64] | None,
    t: float,
) -> float: ...
@overload
def pegasos_pass(
    x: Matrix[numpy.float32],
    settings: PegasosSettings,
    y: Vector[numpy.int32],
    weight: Vector[numpy.float64] | None,
    squares: Vector[numpy.float64] | None,
    visits: Vector[numpy.uint32] | None,
    scalars: Matrix[numpy.float64],
    v: Matrix[numpy.float64],
    sums: Matrix[numpy.float64] | None,
    beta: Matrix[numpy.float64] | None,
    beta_sums: Matrix[numpy.float64] | None,
    t: float,
) -> float: ...
@overload
def pegasos_pass(
    data: Vector[numpy.float64],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    settings: PegasosSettings,
    y: Vector[numpy.int32],
    weight: Vector[numpy.float64] | None,
    squares: Vector[numpy.float64] | None,
    visits: Vector[numpy.uint32] | None,
    scalars: Matrix[numpy.float64],
    v: Matrix[numpy.float64],
    sums: Matrix[numpy.float64] | None,
    beta: Matrix[numpy.float64] | None,
    beta_sums: Matrix[numpy.float64] | None,
    t: float,
) -> float: ...
@overload
def pegasos_pass(
    data: Vector[numpy.float32],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    settings: PegasosSettings,
    y: Vector[numpy.int32],
    weight: Vector[numpy.float64] | None,
    squares: Vector[numpy.float64] | None,
    visits: Vector[numpy.uint32] | None,
    scalars: Matrix[numpy.float64],
    v: Matrix[numpy.float64],
    sums: Matrix[numpy.float64] | None,
    beta: Matrix[numpy.float64] | None,
    beta_sums: Matrix[numpy.float64] | None,
    t: float,
) -> float: ...
@overload
def margin_pass(
    x: Matrix[numpy.float64],
    y: Vector[numpy.int32],
    bound: Vector[numpy.float64] | None,
    bound_of_all: float,
    target: Vector[numpy.int32],
    coef: Matrix[numpy.float64],
    intercept: Vector[numpy.float64],
    origin: Vector[numpy.float64] | None,
    width: Vector[numpy.float64] | None,
    before: Matrix[numpy.float64] | None,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def margin_pass(
    x: Matrix[numpy.float32],
    y: Vector[numpy.int32],
    bound: Vector[numpy.float64] | None,
    bound_of_all: float,
    target: Vector[numpy.int32],
    coef: Matrix[numpy.float64],
    intercept: Vector[numpy.float64],
    origin: Vector[numpy.float64] | None,
    width: Vector[numpy.float64] | None,
    before: Matrix[numpy.float64] | None,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def tube_pass(
    x: Matrix[numpy.float64],
    y: Vector[numpy.float64],
    bound: Vector[numpy.float64] | None,
    bound_of_all: float,
    tube: float,
    coef: Matrix[numpy.float64],
    intercept: Vector[numpy.float64],
    origin: Vector[numpy.float64] | None,
    width: Vector[numpy.float64] | None,
    before: Matrix[numpy.float64] | None,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def tube_pass(
    x: Matrix[numpy.float32],
    y: Vector[numpy.float64],
    bound: Vector[numpy.float64] | None,
    bound_of_all: float,
    tube: float,
    coef: Matrix[numpy.float64],
    intercept: Vector[numpy.float64],
    origin: Vector[numpy.float64] | None,
    width: Vector[numpy.float64] | None,
    before: Matrix[numpy.float64] | None,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def linear_dual_csr(
    data: Vector[numpy.float64],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    y: Vector[numpy.int32],
    bound: Vector[numpy.float64],
    target: Vector[numpy.int32],
    squared: bool,
    intercept: bool,
    tol: float,
    max_passes: int,
    seed: int,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def linear_dual_csr(
    data: Vector[numpy.float32],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    y: Vector[numpy.int32],
    bound: Vector[numpy.float64],
    target: Vector[numpy.int32],
    squared: bool,
    intercept: bool,
    tol: float,
    max_passes: int,
    seed: int,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def tube_dual_csr(
    data: Vector[numpy.float64],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    y: Vector[numpy.float64],
    bound: Vector[numpy.float64],
    tube: float,
    squared: bool,
    intercept: bool,
    tol: float,
    max_passes: int,
    seed: int,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def tube_dual_csr(
    data: Vector[numpy.float32],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    y: Vector[numpy.float64],
    bound: Vector[numpy.float64],
    tube: float,
    squared: bool,
    intercept: bool,
    tol: float,
    max_passes: int,
    seed: int,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def linear_dual(
    x: Matrix[numpy.float64],
    y: Vector[numpy.int32],
    bound: Vector[numpy.float64],
    target: Vector[numpy.int32],
    squared: bool,
    intercept: bool,
    tol: float,
    max_passes: int,
    seed: int,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def linear_dual(
    x: Matrix[numpy.float32],
    y: Vector[numpy.int32],
    bound: Vector[numpy.float64],
    target: Vector[numpy.int32],
    squared: bool,
    intercept: bool,
    tol: float,
    max_passes: int,
    seed: int,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def tube_dual(
    x: Matrix[numpy.float64],
    y: Vector[numpy.float64],
    bound: Vector[numpy.float64],
    tube: float,
    squared: bool,
    intercept: bool,
    tol: float,
    max_passes: int,
    seed: int,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def tube_dual(
    x: Matrix[numpy.float32],
    y: Vector[numpy.float64],
    bound: Vector[numpy.float64],
    tube: float,
    squared: bool,
    intercept: bool,
    tol: float,
    max_passes: int,
    seed: int,
    n_threads: int,
) -> tuple[Any, ...]: ...
@overload
def crammer_singer_csr(
    data: Vector[numpy.float64],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    y: Vector[numpy.int32],
    bound: Vector[numpy.float64],
    classes: int,
    intercept: bool,
    tol: float,
    max_passes: int,
    seed: int,
) -> tuple[Any, ...]: ...
@overload
def crammer_singer_csr(
    data: Vector[numpy.float32],
    indices: Vector[numpy.int32] | Vector[numpy.int64],
    indptr: Vector[numpy.int32] | Vector[numpy.int64],
    n_columns: int,
    y: Vector[numpy.int32],
    bound: Vector[numpy.float64],
    classes: int,
    intercept: bool,
    tol: float,
    max_passes: int,
    seed: int,
) -> tuple[Any, ...]: ...
@overload
def crammer_singer(
    x: Matrix[numpy.float64],
    y: Vector[numpy.int32],
    bound: Vector[numpy.float64],
    classes: int,
    intercept: bool,
    tol: float,
    max_passes: int,
    seed: int,
) -> tuple[Any, ...]: ...
@overload
def crammer_singer(
    x: Matrix[numpy.float32],
    y: Vector[numpy.int32],
    bound: Vector[numpy.float64],
    classes: int,
    intercept: bool,
    tol: float,
    max_passes: int,
    seed: int,
) -> tuple[Any, ...]: ...
def pair_decisions(
    sums: Vector[numpy.float64], intercept: Vector[numpy.float64], n_classes: int, n_threads: int
) -> Matrix[numpy.float64]:
    """Rows × pairs."""

def pair_winners(decisions: Matrix[numpy.float64], n_classes: int, n_threads: int) -> Vector[numpy.int64]:
    """Most votes."""

def pair_scores(decisions: Matrix[numpy.float64], n_classes: int, n_threads: int) -> Matrix[numpy.float64]:
    """Votes, and how clear they were: rows × classes."""

def couple_pairs(shares: Matrix[numpy.float64], n_classes: int, n_threads: int) -> Matrix[numpy.float64]:
    """Probabilities out of those of the first class of each pair: rows × classes."""

@overload
def matrix_source(values: Matrix[numpy.float64]) -> KernelSource:
    """The values of a square matrix, which is not copied."""

@overload
def matrix_source(values: Matrix[numpy.float32]) -> KernelSource: ...
@overload
def csr_source(
    values: Vector[numpy.float64],
    columns: Vector[numpy.int32] | Vector[numpy.int64],
    start: Vector[numpy.int32] | Vector[numpy.int64],
    width: int,
    kernel: Kernel,
    single_up_to: float,
) -> KernelSource: ...
@overload
def csr_source(
    values: Vector[numpy.float32],
    columns: Vector[numpy.int32] | Vector[numpy.int64],
    start: Vector[numpy.int32] | Vector[numpy.int64],
    width: int,
    kernel: Kernel,
    single_up_to: float,
) -> KernelSource:
    """Kernel values among rows in canonical CSR, of which a copy is kept."""

class KernelSource:
    def block(self, rows: Vector[numpy.uint32], columns: Vector[numpy.uint32], n_threads: int) -> Matrix[numpy.float64]:
        """Kernel values of some rows against others."""

    def diagonal(self) -> Vector[numpy.float64]:
        """The kernel of every row with itself."""

    @property
    def is_single(self) -> bool: ...

@overload
def dense_source(x: Matrix[numpy.float64], kernel: Kernel, single_up_to: float) -> KernelSource:
    """Kernel values among the rows of x, of which a copy is kept."""

@overload
def dense_source(x: Matrix[numpy.float32], kernel: Kernel, single_up_to: float) -> KernelSource: ...

class Kernel:
    """A kernel with its parameters."""

def kernel(name: str, gamma: float, coef0: float, degree: float) -> Kernel:
    """The kernel of a name."""

def kernels() -> tuple[Any, ...]:
    """Of each kernel its name, formula and parameters, whether it is of distances and positive definite, and up to which squared length float32 values are as good as exact."""

def kernel_values(
    x: Matrix[numpy.float64], z: Matrix[numpy.float64], mean: Vector[numpy.float64], kernel: Kernel, n_threads: int
) -> Matrix[numpy.float64]:
    """The kernel of every row of x with every row of z."""

def matrix_sums(
    values: Matrix[numpy.float64], coef: Matrix[numpy.float64], bounds: Vector[numpy.int64], n_threads: int
) -> Vector[numpy.float64]:
    """Sums over the columns of kernel values: rows, parts, sums."""

@overload
def store_single(
    values: Vector[numpy.float64],
    columns: Vector[numpy.int32] | Vector[numpy.int64],
    start: Vector[numpy.int32] | Vector[numpy.int64],
    width: int,
    kernel: Kernel,
) -> tuple[Any, ...]: ...
@overload
def store_single(
    values: Vector[numpy.float32],
    columns: Vector[numpy.int32] | Vector[numpy.int64],
    start: Vector[numpy.int32] | Vector[numpy.int64],
    width: int,
    kernel: Kernel,
) -> tuple[Any, ...]:
    """Values, columns, starts and squared lengths."""

@overload
def store_full(
    values: Vector[numpy.float64],
    columns: Vector[numpy.int32] | Vector[numpy.int64],
    start: Vector[numpy.int32] | Vector[numpy.int64],
    width: int,
    kernel: Kernel,
) -> tuple[Any, ...]: ...
@overload
def store_full(
    values: Vector[numpy.float32],
    columns: Vector[numpy.int32] | Vector[numpy.int64],
    start: Vector[numpy.int32] | Vector[numpy.int64],
    width: int,
    kernel: Kernel,
) -> tuple[Any, ...]:
    """Values, columns, starts and squared lengths."""

@overload
def csr_sums(
    x: tuple[Vector[numpy.float32], Vector[numpy.uint32], Vector[numpy.uint64], Vector[numpy.float32]],
    vectors: tuple[Vector[numpy.float32], Vector[numpy.uint32], Vector[numpy.uint64], Vector[numpy.float32]],
    width: int,
    coef: Matrix[numpy.float32],
    bounds: Vector[numpy.int64],
    kernel: Kernel,
    n_threads: int,
) -> Vector[numpy.float64]: ...
@overload
def csr_sums(
    x: tuple[Vector[numpy.float64], Vector[numpy.uint32], Vector[numpy.uint64], Vector[numpy.float64]],
    vectors: tuple[Vector[numpy.float64], Vector[numpy.uint32], Vector[numpy.uint64], Vector[numpy.float64]],
    width: int,
    coef: Matrix[numpy.float64],
    bounds: Vector[numpy.int64],
    kernel: Kernel,
    n_threads: int,
) -> Vector[numpy.float64]:
    """Sums of kernels: rows, parts, sums."""

def pack_single(
    x: Matrix[numpy.float64], bounds: Vector[numpy.int64], mean: Vector[numpy.float64], kernel: Kernel
) -> tuple[Any, ...]:
    """Panels, squared lengths, bounds in panels."""

@overload
def sums(
    x: Matrix[numpy.float64],
    panels: Vector[numpy.float32],
    squares: Vector[numpy.float32],
    coef: Matrix[numpy.float32],
    bounds: Vector[numpy.int64],
    mean: Vector[numpy.float64],
    kernel: Kernel,
    n_threads: int,
) -> Vector[numpy.float64]: ...
@overload
def sums(
    x: Matrix[numpy.float32],
    panels: Vector[numpy.float32],
    squares: Vector[numpy.float32],
    coef: Matrix[numpy.float32],
    bounds: Vector[numpy.int64],
    mean: Vector[numpy.float64],
    kernel: Kernel,
    n_threads: int,
) -> Vector[numpy.float64]: ...
@overload
def sums(
    x: Matrix[numpy.float64],
    panels: Vector[numpy.float64],
    squares: Vector[numpy.float64],
    coef: Matrix[numpy.float64],
    bounds: Vector[numpy.int64],
    mean: Vector[numpy.float64],
    kernel: Kernel,
    n_threads: int,
) -> Vector[numpy.float64]: ...
@overload
def sums(
    x: Matrix[numpy.float32],
    panels: Vector[numpy.float64],
    squares: Vector[numpy.float64],
    coef: Matrix[numpy.float64],
    bounds: Vector[numpy.int64],
    mean: Vector[numpy.float64],
    kernel: Kernel,
    n_threads: int,
) -> Vector[numpy.float64]:
    """Sums of kernels: rows, parts, sums."""

def pack_full(
    x: Matrix[numpy.float64], bounds: Vector[numpy.int64], mean: Vector[numpy.float64], kernel: Kernel
) -> tuple[Any, ...]:
    """Panels, squared lengths, bounds in panels."""
