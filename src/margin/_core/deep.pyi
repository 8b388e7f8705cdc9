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
    ) -> None: ...
    def set(
        self,
        weights: Vector[numpy.float64],
        first: Vector[numpy.float64] | None,
        second: Vector[numpy.float64] | None,
        steps: int,
    ) -> None:
        """Weights and memory, flat: each layer's weights, a row for each input, then its intercepts."""

    def weights(self) -> Vector[numpy.float64]:
        """The weights, flat."""

    def memory(self) -> tuple[Any, ...]:
        """What the optimiser remembers of each weight, flat, and the steps it made."""

    def epoch(
        self,
        x: Matrix[numpy.float64],
        classes: Vector[numpy.int32] | None,
        values: Matrix[numpy.float64] | None,
        weight: Vector[numpy.float64] | None,
        order: Vector[numpy.int64],
        batch: int,
        rates: Vector[numpy.float64],
        n_threads: int,
    ) -> tuple[Any, ...]:
        """Learn from rows in batches: mean loss, mean length of the gradient, and the batch that failed, or -1."""

    def objective(
        self,
        x: Matrix[numpy.float64],
        classes: Vector[numpy.int32] | None,
        values: Matrix[numpy.float64] | None,
        weight: Vector[numpy.float64] | None,
        order: Vector[numpy.int64],
        n_threads: int,
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
    ) -> None: ...
    def set(
        self,
        weights: Vector[numpy.float32],
        first: Vector[numpy.float32] | None,
        second: Vector[numpy.float32] | None,
        steps: int,
    ) -> None:
        """Weights and memory, flat: each layer's weights, a row for each input, then its intercepts."""

    def weights(self) -> Vector[numpy.float32]:
        """The weights, flat."""

    def memory(self) -> tuple[Any, ...]:
        """What the optimiser remembers of each weight, flat, and the steps it made."""

    def epoch(
        self,
        x: Matrix[numpy.float32],
        classes: Vector[numpy.int32] | None,
        values: Matrix[numpy.float32] | None,
        weight: Vector[numpy.float32] | None,
        order: Vector[numpy.int64],
        batch: int,
        rates: Vector[numpy.float64],
        n_threads: int,
    ) -> tuple[Any, ...]:
        """Learn from rows in batches: mean loss, mean length of the gradient, and the batch that failed, or -1."""

    def objective(
        self,
        x: Matrix[numpy.float32],
        classes: Vector[numpy.int32] | None,
        values: Matrix[numpy.float32] | None,
        weight: Vector[numpy.float32] | None,
        order: Vector[numpy.int64],
        n_threads: int,
    ) -> tuple[Any, ...]:
        """The mean loss of all rows with its penalty, and the gradient, flat."""

@overload
def row_order(x: Matrix[numpy.float64], last: Matrix[numpy.float64], n_threads: int) -> Vector[numpy.int64]: ...
@overload
def row_order(x: Matrix[numpy.float32], last: Matrix[numpy.float64], n_threads: int) -> Vector[numpy.int64]:
    """Places of rows in an order that depends on what stands in them alone."""

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
    ) -> None: ...
    def answer(self, x: object, scaled: bool, largest: float, what: str, out: object, n_threads: int) -> bool:
        """Scores, winners or probabilities into `out`; False if a row cannot be answered as it stands."""

class SingleNetwork:
    """A network laid out for answering."""

    def __init__(
        self,
        units: Sequence[int],
        activation: str,
        weights: Vector[numpy.float64],
        center: Sequence[float],
        spread: Sequence[float],
    ) -> None: ...
    def answer(self, x: object, scaled: bool, largest: float, what: str, out: object, n_threads: int) -> bool:
        """Scores, winners or probabilities into `out`; False if a row cannot be answered as it stands."""
