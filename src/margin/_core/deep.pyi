from collections.abc import Sequence
from typing import Any, overload

import numpy

from margin.typing import Matrix, Vector

class Trainer:
    """A network of given units, its weights and what its optimiser remembers."""

    def __init__(
        self,
        units: Sequence[int],
        activation: str,
        error: str,
        optimizer: str,
        alpha: float,
        momentum: float,
        beta_1: float,
        beta_2: float,
        epsilon: float,
        clip: float,
        dropout: float,
        seed: int,
        levels: Sequence[int] = [],
        widths: Sequence[int] = [],
        groups: Sequence[int] = [],
        batch_norm: bool = False,
        smoothing: float = 0.0,
        mixup: float = 0.0,
        average: float = 0.0,
    ) -> None: ...
    def begin(self, weights: Vector[numpy.float64]) -> None:
        """Begin with weights, flat: the vectors of codes, then each layer's weights, a row for each input, and its intercepts. Factors of batch norm are 1."""

    def set(
        self,
        weights: Vector[numpy.float64],
        first: Vector[numpy.float64] | None,
        second: Vector[numpy.float64] | None,
        steps: int,
        average: Vector[numpy.float64] | None = None,
        norms: Vector[numpy.float64] | None = None,
    ) -> None:
        """Go on from weights, what is remembered and running means, as they were asked for."""

    def weights(self) -> Vector[numpy.float64]:
        """The weights, flat, each layer's factors of batch norm behind its intercepts."""

    def memory(self) -> tuple[Any, ...]:
        """What the optimiser remembers of each weight, flat, and the steps it made."""

    def average(self) -> Any:
        """The averaged weights, flat; None where they are not averaged."""

    def norms(self) -> Any:
        """Running means and variances of hidden units; None without batch norm."""

    def answering(self) -> Vector[numpy.float64]:
        """The weights that answer, flat: averaged, and without batch norm."""

    def epoch(
        self,
        x: Matrix[numpy.float64] | None,
        classes: Vector[numpy.int32] | None,
        values: Matrix[numpy.float64] | None,
        weight: Vector[numpy.float64] | None,
        order: Vector[numpy.int64],
        batch: int,
        rates: Vector[numpy.float64],
        n_threads: int,
        cells: Vector[numpy.float64] | None = None,
        columns: Vector[numpy.int32] | None = None,
        starts: Vector[numpy.int64] | None = None,
    ) -> tuple[Any, ...]:
        """Learn from rows in batches: mean loss, mean length of the gradient, and the batch that failed, or -1. Sparse rows come as cells, columns and starts instead of x."""

    def objective(
        self,
        x: Matrix[numpy.float64] | None,
        classes: Vector[numpy.int32] | None,
        values: Matrix[numpy.float64] | None,
        weight: Vector[numpy.float64] | None,
        order: Vector[numpy.int64],
        n_threads: int,
        cells: Vector[numpy.float64] | None = None,
        columns: Vector[numpy.int32] | None = None,
        starts: Vector[numpy.int64] | None = None,
    ) -> tuple[Any, ...]:
        """The mean loss of all rows with its penalty, and the gradient, flat."""

class SingleTrainer:
    """A network of given units, its weights and what its optimiser remembers."""

    def __init__(
        self,
        units: Sequence[int],
        activation: str,
        error: str,
        optimizer: str,
        alpha: float,
        momentum: float,
        beta_1: float,
        beta_2: float,
        epsilon: float,
        clip: float,
        dropout: float,
        seed: int,
        levels: Sequence[int] = [],
        widths: Sequence[int] = [],
        groups: Sequence[int] = [],
        batch_norm: bool = False,
        smoothing: float = 0.0,
        mixup: float = 0.0,
        average: float = 0.0,
    ) -> None: ...
    def begin(self, weights: Vector[numpy.float32]) -> None:
        """Begin with weights, flat: the vectors of codes, then each layer's weights, a row for each input, and its intercepts. Factors of batch norm are 1."""

    def set(
        self,
        weights: Vector[numpy.float32],
        first: Vector[numpy.float32] | None,
        second: Vector[numpy.float32] | None,
        steps: int,
        average: Vector[numpy.float32] | None = None,
        norms: Vector[numpy.float32] | None = None,
    ) -> None:
        """Go on from weights, what is remembered and running means, as they were asked for."""

    def weights(self) -> Vector[numpy.float32]:
        """The weights, flat, each layer's factors of batch norm behind its intercepts."""

    def memory(self) -> tuple[Any, ...]:
        """What the optimiser remembers of each weight, flat, and the steps it made."""

    def average(self) -> Any:
        """The averaged weights, flat; None where they are not averaged."""

    def norms(self) -> Any:
        """Running means and variances of hidden units; None without batch norm."""

    def answering(self) -> Vector[numpy.float32]:
        """The weights that answer, flat: averaged, and without batch norm."""

    def epoch(
        self,
        x: Matrix[numpy.float32] | None,
        classes: Vector[numpy.int32] | None,
        values: Matrix[numpy.float32] | None,
        weight: Vector[numpy.float32] | None,
        order: Vector[numpy.int64],
        batch: int,
        rates: Vector[numpy.float64],
        n_threads: int,
        cells: Vector[numpy.float32] | None = None,
        columns: Vector[numpy.int32] | None = None,
        starts: Vector[numpy.int64] | None = None,
    ) -> tuple[Any, ...]:
        """Learn from rows in batches: mean loss, mean length of the gradient, and the batch that failed, or -1. Sparse rows come as cells, columns and starts instead of x."""

    def objective(
        self,
        x: Matrix[numpy.float32] | None,
        classes: Vector[numpy.int32] | None,
        values: Matrix[numpy.float32] | None,
        weight: Vector[numpy.float32] | None,
        order: Vector[numpy.int64],
        n_threads: int,
        cells: Vector[numpy.float32] | None = None,
        columns: Vector[numpy.int32] | None = None,
        starts: Vector[numpy.int64] | None = None,
    ) -> tuple[Any, ...]:
        """The mean loss of all rows with its penalty, and the gradient, flat."""

@overload
def row_order(x: Matrix[numpy.float64], last: Matrix[numpy.float64], n_threads: int) -> Vector[numpy.int64]: ...
@overload
def row_order(x: Matrix[numpy.float32], last: Matrix[numpy.float64], n_threads: int) -> Vector[numpy.int64]:
    """Places of rows in an order that depends on what stands in them alone."""

@overload
def sparse_order(
    cells: Vector[numpy.float64],
    columns: Vector[numpy.int32],
    starts: Vector[numpy.int64],
    width: int,
    last: Matrix[numpy.float64],
    n_threads: int,
) -> Vector[numpy.int64]: ...
@overload
def sparse_order(
    cells: Vector[numpy.float32],
    columns: Vector[numpy.int32],
    starts: Vector[numpy.int64],
    width: int,
    last: Matrix[numpy.float64],
    n_threads: int,
) -> Vector[numpy.int64]:
    """The same order for the same rows kept sparse."""

def shuffled(order: Vector[numpy.int64], seed: int, epoch: int) -> Vector[numpy.int64]:
    """The same places as an epoch visits them."""

def activations() -> list[str]:
    """The names of the functions between layers."""

def optimizers() -> list[str]:
    """The names of the ways to make a step."""

class Network:
    """A network laid out for answering."""

    def __init__(
        self,
        units: Sequence[int],
        activation: str,
        weights: Vector[numpy.float64],
        center: Sequence[float],
        spread: Sequence[float],
        levels: Sequence[int] = [],
        widths: Sequence[int] = [],
    ) -> None: ...
    def answer(self, x: object, scaled: bool, largest: float, what: str, out: object, n_threads: int) -> bool:
        """Scores, winners or probabilities into `out`; False if a row cannot be answered as it stands."""

    def answer_sparse(
        self,
        cells: Vector[numpy.float64],
        columns: Vector[numpy.int32],
        starts: Vector[numpy.int64],
        what: str,
        out: object,
        n_threads: int,
    ) -> bool:
        """The same for sparse rows that are on the network's scale."""

class SingleNetwork:
    """A network laid out for answering."""

    def __init__(
        self,
        units: Sequence[int],
        activation: str,
        weights: Vector[numpy.float64],
        center: Sequence[float],
        spread: Sequence[float],
        levels: Sequence[int] = [],
        widths: Sequence[int] = [],
    ) -> None: ...
    def answer(self, x: object, scaled: bool, largest: float, what: str, out: object, n_threads: int) -> bool:
        """Scores, winners or probabilities into `out`; False if a row cannot be answered as it stands."""

    def answer_sparse(
        self,
        cells: Vector[numpy.float32],
        columns: Vector[numpy.int32],
        starts: Vector[numpy.int64],
        what: str,
        out: object,
        n_threads: int,
    ) -> bool:
        """The same for sparse rows that are on the network's scale."""
