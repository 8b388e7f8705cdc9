"""How a network learns: what its parameters mean for the core, and what it begins with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import margin._core as _core
from margin.base.representations.representation import TrainingRows
from margin.base.representations.tiny_columns import TINY
from margin.data.weights import count_repeats
from margin.deep.mlp.answering import Answering
from margin.deep.mlp.checkpoints import Checkpoint
from margin.deep.mlp.fitted import FittedNetwork
from margin.deep.mlp.inputs import VisitedRows, as_cells, row_order, vector_width
from margin.deep.mlp.rate_finder import RateCurve, try_rates
from margin.deep.mlp.rates import Schedule
from margin.deep.mlp.splitting import HeldOut
from margin.deep.mlp.training import Divergence, Patience, Training
from margin.deep.mlp.weights import initial, initial_vectors
from margin.errors import ConvergenceWarning, InputError, ParameterError, TrainingError, warn
from margin.params import is_whole
from margin.random import seed_for

__all__ = ["LearningNetwork"]

#: Whole-number weights are further visits as long as they make at most so many for each row, or so many in all.
VISITS_PER_ROW, FEW_VISITS = 16, 1 << 20
#: Below so many rows "auto" takes all of them as one batch.
AUTO_BATCH = 200


class LearningNetwork(FittedNetwork):
    """The parameters of a network, and the runs that are made of them."""

    hidden_layer_sizes: Any
    alpha: float
    batch_size: Any
    learning_rate: str
    learning_rate_init: float
    power_t: float
    max_iter: int
    shuffle: bool
    tol: float
    warm_start: bool
    momentum: float
    nesterovs_momentum: bool
    early_stopping: bool
    validation_fraction: float
    beta_1: float
    beta_2: float
    epsilon: float
    n_iter_no_change: int
    max_fun: int
    dropout: float
    batch_norm: bool
    mixup: float
    ema: float
    clip: float | None
    init: Any
    checkpoint: Any
    resume: bool
    random_state: Any

    # ---- What a model of classes and one of numbers say of themselves.

    def _targets(self, y: np.ndarray, rows: TrainingRows) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Classes, or numbers for each output, as the core learns them."""
        raise TypeError(f"{type(self).__name__} must say what it learns: def _targets(self, y, rows).")

    def _n_outputs(self, y: np.ndarray) -> int:
        raise TypeError(f"{type(self).__name__} must say how many outputs it has: def _n_outputs(self, y).")

    def _error_layer(self) -> str:
        raise TypeError(f"{type(self).__name__} must say what its outputs cost: def _error_layer(self).")

    def _groups(self) -> list[int]:
        """Outputs of each target, where there are several targets of classes."""
        return []

    def _smoothing(self) -> float:
        return 0.0

    def _row_weights(self, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
        return weight

    def _score_of(self, answering: Answering, held: HeldOut) -> float:
        raise TypeError(f"{type(self).__name__} must say how it is judged: def _score_of(self, answering, held).")

    def _unheard_below(self) -> float:
        """Steps have the unit of the columns, unless these are put on one scale."""
        return 0.0 if self.scale is not None else TINY

    # ---- A run.

    def _check_together(self) -> None:
        """Parameters that exclude each other."""
        name = type(self).__name__
        batchwise = {
            "dropout": self.dropout, "batch_norm": self.batch_norm, "mixup": self.mixup, "ema": self.ema,
            "clip": self.clip, "checkpoint": self.checkpoint, "nominal": self.nominal == "embedding",
            "label_smoothing": self._smoothing(),
        }  # fmt: skip
        given = [each for each, value in batchwise.items() if value]
        if self.solver == "lbfgs" and given:
            value = getattr(self, given[0])
            raise ParameterError(
                f"{name}(solver='lbfgs', {given[0]}={value!r}): 'lbfgs' looks at all rows at once, and {given[0]} is "
                "for solvers that take steps of batches (try solver='adam')."
            )
        if self.resume and self.checkpoint is None:
            raise ParameterError(f"{name}(resume=True): resume goes on from a checkpoint (give checkpoint=folder).")
        if self.resume and not is_whole(self.random_state):
            raise ParameterError(
                f"{name}(resume=True, random_state={self.random_state!r}): a run can only be gone on with where a "
                "whole number says what it drew (try random_state=0)."
            )

    def _hidden(self) -> tuple[int, ...]:
        given = self.hidden_layer_sizes
        return (int(given),) if is_whole(given) else tuple(int(n) for n in given)

    def _lay_out(self, n_columns: int, varying: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The units of every layer, for rows of columns of which some vary; the columns to learn from.

        Codes stand behind the numbers. Those that do not vary stay, and are vectors of no numbers.
        """
        if self.nominal != "embedding":
            self.units_ = (len(varying), *self._hidden(), self._n_outputs(y))
            return varying
        coded = self._encoder.one_hot
        first = n_columns - len(coded)
        self._vector_widths = tuple(
            vector_width(len(column.levels)) if first + j in varying else 0 for j, column in enumerate(coded)
        )
        numbers = varying[varying < first]
        self.units_ = (len(numbers) + sum(self._vector_widths), *self._hidden(), self._n_outputs(y))
        return np.concatenate([numbers, np.arange(first, n_columns)])

    def _run(
        self, X: Any, y: np.ndarray, rows: TrainingRows, held: HeldOut | None, before: Any, begin: int = 0
    ) -> Training:
        dtype = np.dtype(np.float64) if self.solver == "lbfgs" else self._precision(rows.source)
        visited = self._visited(X, y, rows, dtype)
        trainer = self._trainer(dtype)
        self._begin(trainer, before, dtype)
        score = None if held is None else lambda flat: self._score_of(self._answering_of(flat), held)
        run = Training(
            trainer, visited, self._schedule(), Patience(float(self.tol), int(self.n_iter_no_change)),
            self._batch(len(visited.visits), begin > 0), int(self.max_iter), self._n_threads(), score, begin,
        )  # fmt: skip
        if self.learning_rate == "auto":
            run.schedule.first = self._tried(run, before, dtype).suggestion
        if self.checkpoint is not None and self.solver != "lbfgs":
            run.keeper = Checkpoint.of(self, run, self.checkpoint)
            if self.resume:
                run.keeper.read_into(run)
        return run

    def _tried(self, run: Training, before: Any, dtype: np.dtype[Any]) -> RateCurve:
        """Rates tried from where the run begins, by a trainer of their own."""
        trainer = self._trainer(dtype)
        self._begin(trainer, before, dtype)
        return try_rates(replace(run, trainer=trainer))

    def _schedule(self) -> Schedule:
        name = "constant" if self.learning_rate == "auto" else self.learning_rate
        return Schedule(name, float(self.learning_rate_init), int(self.max_iter), float(self.power_t))

    def _trainer(self, dtype: np.dtype[Any]) -> Any:
        nesterov = self.solver == "sgd" and self.nesterovs_momentum
        optimizer = "nesterov" if nesterov else "sgd" if self.solver == "lbfgs" else self.solver
        make = _core.deep.SingleTrainer if dtype == np.float32 else _core.deep.Trainer
        levels, widths = ([shape[i] for shape in self._vectors] for i in (0, 1))
        return make(
            list(self.units_), self.activation, self._error_layer(), optimizer, float(self.alpha), float(self.momentum),
            float(self.beta_1), float(self.beta_2), float(self.epsilon), float(self.clip or 0.0), float(self.dropout),
            seed_for(self.random_state, "network", "dropout", bits=63), levels, widths, self._groups(),
            bool(self.batch_norm), self._smoothing(), float(self.mixup), float(self.ema),
        )  # fmt: skip

    def _begin(self, trainer: Any, before: Any, dtype: np.dtype[Any]) -> None:
        """Give a trainer the weights to begin with, or where to go on from: units, state and answering weights."""
        name = type(self).__name__
        if before is None:
            drawn = initial(self.init, self.activation, self.units_, self.random_state, name)
            vectors = initial_vectors(self._vectors, self.random_state)
            trainer.begin(np.concatenate([vectors, drawn]).astype(dtype))
            return
        units, state, flat = before
        if units != self.units_:
            raise InputError(
                f"{name}(warm_start=True): the last fit had layers of {units} units, and these rows need "
                f"{self.units_} (set warm_start=False)."
            )
        if (state.norms is not None) == self.batch_norm:
            state.give(trainer, dtype)
        else:  # batch norm was switched on or off
            trainer.begin(flat.astype(dtype))

    def _visited(self, X: Any, y: np.ndarray, rows: TrainingRows, dtype: np.dtype[Any]) -> VisitedRows:
        """Rows in an order of their own, each as often as its weight says where that is a whole number."""
        X = as_cells(X, dtype)
        n = X.shape[0]
        classes, values = self._targets(y, rows)
        given = rows.weights()
        places = np.arange(n)
        if self.shuffle:
            last = np.column_stack([given, np.asarray(y, dtype=np.float64).reshape(n, -1)])
            places = row_order(X, last, self._n_threads())
        most = max(VISITS_PER_ROW * n, FEW_VISITS)
        repeated = count_repeats(given) and given.sum() <= most
        if repeated and (given != 1).any():
            places = np.repeat(places, given[places].astype(np.intp))
        weight = self._row_weights(y, given)
        weight = weight / given if repeated else weight
        alike = bool((weight == weight[0]).all())
        relative = None if alike else np.ascontiguousarray(weight / weight[places].mean(), dtype=dtype)
        values = None if values is None else np.ascontiguousarray(values, dtype=dtype)
        seed = seed_for(self.random_state, "network", "order of rows") if self.shuffle else None
        return VisitedRows(X, classes, values, relative, places, seed)

    def _batch(self, n: int, is_part: bool) -> int:
        if isinstance(self.batch_size, str):
            return min(AUTO_BATCH, n)
        if self.batch_size > n and not is_part:
            raise ParameterError(
                f"{type(self).__name__}(batch_size={self.batch_size}): batch_size must be at most the number of rows "
                f"to learn from, which is {n} ('auto' takes 200, or all there are)."
            )
        return min(int(self.batch_size), n)

    # ---- What is said at the end.

    def _refuse_or_warn(self, run: Training) -> None:
        name = type(self).__name__
        if run.diverged is not None:
            self._tell_of(run.diverged, not run.curve and run.first_epoch == 0)
        elif not run.settled and run.first_epoch == 0:
            warn(
                f"{name}.fit: the loss still fell after {len(run.curve)} epochs; raise max_iter, or tol={self.tol:g}.",
                ConvergenceWarning,
            )

    def _tell_of(self, where: Divergence, nothing_learnt: bool) -> None:
        advice = f"learning_rate_init={min(where.rate / 10, 0.1):.1g}" + ("" if self.scale else " or scale='standard'")
        told = (
            f"{type(self).__name__}.fit: the loss was not finite any more in epoch {where.epoch}, batch {where.batch}, "
            f"at the rate {where.rate:g}; try {advice}"
        )
        if nothing_learnt:
            raise TrainingError(f"{told}. No epoch was finished, so that nothing was learnt.")
        warn(f"{told}. The network is as it was after epoch {where.epoch - 1}.", ConvergenceWarning)
