"""What networks for classes and for numbers share: their layers, how they are trained and how they answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np

import margin._core as _core
from margin import params
from margin.base.representations.representation import TrainingRows
from margin.base.rollback import further_or_not_at_all, whole_or_not_at_all
from margin.data.weights import count_repeats
from margin.deep.mlp.answering import Answering
from margin.deep.mlp.fitted import FittedNetwork
from margin.deep.mlp.rates import Schedule
from margin.deep.mlp.splitting import HeldOut, read_further, read_split
from margin.deep.mlp.training import Divergence, Epoch, Patience, Training, VisitedRows
from margin.deep.mlp.weights import initial, varying_columns
from margin.errors import ConvergenceWarning, InputError, ParameterError, warn
from margin.params import is_whole
from margin.random import seed_for
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["MultilayerPerceptron"]

#: Below so many cells one thread is quicker than asking how many there are.
SMALL = 20_000
#: Whole-number weights are further visits as long as they make at most so many for each row, or so many in all.
VISITS_PER_ROW, FEW_VISITS = 16, 1 << 20
#: Below so many rows "auto" takes all of them as one batch.
AUTO_BATCH = 200


class MultilayerPerceptron(FittedNetwork):
    """A network of layers, each a linear one and a function of its outputs, trained by gradients.

    Parameters
    ----------
    hidden_layer_sizes
        Units of each hidden layer; () for none.
    activation
        The function between layers: "relu", "tanh", "logistic", "identity", "leaky_relu", "elu", "gelu" or "softplus".
    solver
        How gradients move weights: "adam", "adamw", "sgd", "nesterov", "rmsprop", "adagrad", or "lbfgs", which looks at
        all rows at once: good for up to some thousand rows.
    alpha
        How much the squares of the weights count; for "adamw" the share, times the rate, that a step takes off them.
    batch_size
        Rows of a step; "auto" is 200, or all where there are fewer.
    learning_rate
        "constant"; "invscaling" falls with the rows seen to the power ``power_t``; "adaptive" is divided by 5 whenever
        there is no more progress; "step" is divided by 10 after each third of ``max_iter``; "cosine" falls to 0 at
        ``max_iter``; "one_cycle" rises from a 25th to the rate over 30% of ``max_iter`` and falls to nearly 0.
    learning_rate_init
        The rate of the schedule; not used by "lbfgs".
    power_t
        How fast the steps of "invscaling" fall.
    max_iter
        Epochs at most; iterations of "lbfgs".
    shuffle
        Visit the rows in another random order in every epoch. The model then does not depend on the order in which they
        came. Without it batches are cut out of the rows as they stand.
    tol
        Progress by less, for ``n_iter_no_change`` epochs, ends training; for "lbfgs" the largest slope left.
    warm_start
        Whether ``fit`` goes on from the weights of the last one.
    momentum, nesterovs_momentum
        Of "sgd": how much of the last step is made again, and whether the gradient is that of where it leads.
    early_stopping
        Hold rows out of training, judge progress by them, and keep the weights of the best epoch.
    validation_fraction
        The share of rows held out, of each class alike. What fills gaps and scales columns is learnt from the others.
    beta_1, beta_2, epsilon
        How long "adam" and its kin remember gradients and their squares, and what they add to the root of these.
    n_iter_no_change
        Epochs without progress to wait for.
    max_fun
        Values of the objective that "lbfgs" may ask for.
    dropout
        The share of hidden units that is left out of each batch by chance.
    clip
        The largest length of a gradient; longer ones are shortened. None for any.
    init
        What to begin with: "glorot" as scikit-learn, "he" for deep networks of ReLU, or given weights, a pair of lists
        as ``coefs_`` and ``intercepts_``.
    scale
        "standard" or "range" to put numeric columns, and the targets of a regressor, on one scale first, without which
        networks learn badly; None takes them as they are, as scikit-learn does.
    precision
        "double", or "single" for float32 weights and arithmetic: half the memory, and nearly twice as fast.
    random_state
        Seed of weights, orders, dropped units and held-out rows: 0 for the same network each time, None for another.
    n_jobs
        Threads; None for all cores. The network does not depend on it.
    """

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
    clip: float | None
    init: Any
    random_state: Any

    # ---- What a model of classes and one of numbers say of themselves.

    def _targets(self, y: np.ndarray, rows: TrainingRows) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Classes, or numbers for each output, as the core learns them."""
        raise TypeError(f"{type(self).__name__} must say what it learns: def _targets(self, y, rows).")

    def _n_outputs(self, y: np.ndarray) -> int:
        raise TypeError(f"{type(self).__name__} must say how many outputs it has: def _n_outputs(self, y).")

    def _error_layer(self) -> str:
        raise TypeError(f"{type(self).__name__} must say what its outputs cost: def _error_layer(self).")

    def _row_weights(self, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
        return weight

    def _score_of(self, answering: Answering, held: HeldOut) -> float:
        raise TypeError(f"{type(self).__name__} must say how it is judged: def _score_of(self, answering, held).")

    # ---- Training.

    def fit(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> Self:
        """Learn from rows X with targets y; whole-number weights stand for repeated rows."""
        for _ in self.epochs(X, y, sample_weight):
            pass
        return self

    def epochs(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> Iterator[Epoch]:
        """The same as a loop: one :class:`margin.deep.Epoch` a turn.

        Whoever breaks out of the loop has the network as it was then.
        """
        who = f"{type(self).__name__}.fit"
        params.check(self)
        before = self._state_before() if self.warm_start and self.__sklearn_is_fitted__() else None
        with whole_or_not_at_all(self):
            data, targets, rows, held = read_split(self, X, y, sample_weight, who)
            try:
                yield from self._trained(data, targets, rows, held, before)
            except GeneratorExit:  # the run has kept what was learnt; nothing is to be put back
                return

    def _trained(
        self, X: np.ndarray, y: np.ndarray, rows: TrainingRows, held: HeldOut | None, before: Any
    ) -> Iterator[Epoch]:
        width = X.shape[1]
        varying = np.arange(width) if before is not None or not isinstance(self.init, str) else varying_columns(X)
        self.units_ = (len(varying), *self._hidden(), self._n_outputs(y))
        known = self._known(y, self._row_weights(y, rows.weights()), rows, len(varying) == 0)
        if known is not None:
            self._keep_constant(known, width)
            return
        held = held if held is None or len(varying) == width else replace(held, X=held.X[:, varying])
        run = self._run(X if len(varying) == width else X[:, varying], y, rows, held, before)
        by_gradient = self.solver != "lbfgs"
        loop = run.epochs() if by_gradient else run.descent(float(self.tol), int(self.max_fun))
        try:
            yield from loop
        except GeneratorExit:  # the caller has seen enough: what was learnt until now is the network
            run.settled = True
        self._refuse_or_warn(run)
        self._keep(run)
        if len(varying) < width:
            self._widen(varying, width)

    def _hidden(self) -> tuple[int, ...]:
        given = self.hidden_layer_sizes
        return (int(given),) if is_whole(given) else tuple(int(n) for n in given)

    def _known(self, y: np.ndarray, weight: np.ndarray, rows: TrainingRows, no_columns: bool) -> np.ndarray | None:
        """What the outputs are for every row, where that is known: the targets, or all columns, do not vary."""
        raise TypeError(f"{type(self).__name__} must say when nothing is to be learnt: def _known(self, y, …).")

    def _run(
        self, X: np.ndarray, y: np.ndarray, rows: TrainingRows, held: HeldOut | None, before: Any, begin: int = 0
    ) -> Training:
        dtype = np.dtype(np.float64 if self.solver == "lbfgs" else self._precision())
        visited = self._visited(X, y, rows, dtype)
        trainer = self._trainer(visited.X.dtype)
        start, memory = self._begin(before)
        trainer.set(start.astype(visited.X.dtype), *_as_type(memory, visited.X.dtype))
        score = None if held is None else lambda flat: self._score_of(self._answering_of(flat), held)
        schedule = Schedule(
            self.learning_rate, float(self.learning_rate_init), int(self.max_iter), float(self.power_t)
        )  # fmt: skip
        return Training(
            trainer, visited, schedule, Patience(float(self.tol), int(self.n_iter_no_change)),
            self._batch(len(visited.visits), begin > 0), int(self.max_iter), self._n_threads(), score, begin,
        )  # fmt: skip

    def _trainer(self, dtype: np.dtype[Any]) -> Any:
        nesterov = self.solver == "sgd" and self.nesterovs_momentum
        optimizer = "nesterov" if nesterov else "sgd" if self.solver == "lbfgs" else self.solver
        make = _core.deep.SingleTrainer if dtype == np.float32 else _core.deep.Trainer
        return make(
            list(self.units_), self.activation, self._error_layer(), optimizer, float(self.alpha), float(self.momentum),
            float(self.beta_1), float(self.beta_2), float(self.epsilon), float(self.clip or 0.0), float(self.dropout),
            seed_for(self.random_state, "network", "dropout"),
        )  # fmt: skip

    def _begin(self, before: Any) -> tuple[np.ndarray, Any]:
        """The weights to begin with, and what the optimiser remembers."""
        name = type(self).__name__
        if before is not None:
            if before[0] != self.units_:
                raise InputError(
                    f"{name}(warm_start=True): the last fit had layers of {before[0]} units, and these rows need "
                    f"{self.units_} (set warm_start=False)."
                )
            return before[1], before[2]
        return initial(self.init, self.activation, self.units_, self.random_state, name), None

    def _state_before(self) -> Any:
        return self.units_, self._flat, None

    def _visited(self, X: np.ndarray, y: np.ndarray, rows: TrainingRows, dtype: np.dtype[Any]) -> VisitedRows:
        """Rows in an order of their own, each as often as its weight says where that is a whole number."""
        X = np.ascontiguousarray(X, dtype=dtype)
        classes, values = self._targets(y, rows)
        given = rows.weights()
        places = np.arange(len(X))
        if self.shuffle:
            last = np.column_stack([given, np.asarray(y, dtype=np.float64).reshape(len(y), -1)])
            places = _core.deep.row_order(X, np.ascontiguousarray(last), self._n_threads())
        most = max(VISITS_PER_ROW * len(X), FEW_VISITS)
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
        advice = f"learning_rate_init={where.rate / 10:.1g}" + ("" if self.scale else " or scale='standard'")
        told = (
            f"{type(self).__name__}.fit: the loss was not finite any more in epoch {where.epoch}, batch {where.batch}, "
            f"at the rate {where.rate:g}; try {advice}"
        )
        if nothing_learnt:
            raise InputError(f"{told}. No epoch was finished, so that nothing was learnt.")
        warn(f"{told}. The network is as it was after epoch {where.epoch - 1}.", ConvergenceWarning)

    def _part_fitted(self, X: TableLike, y: LabelsLike, classes: Any, sample_weight: WeightsLike | None) -> Self:
        """One pass over further rows, from where the network is."""
        who = f"{type(self).__name__}.partial_fit"
        params.check(self)
        if self.early_stopping:
            raise ParameterError(
                f"{type(self).__name__}(early_stopping=True): partial_fit makes one pass over its rows and does not "
                "hold any out (set early_stopping=False)."
            )
        going_on = self.__sklearn_is_fitted__()
        with further_or_not_at_all(self) if going_on else whole_or_not_at_all(self):
            data, targets, rows = read_further(self, X, y, classes, sample_weight, who)
            before = None
            if going_on:
                before = self.units_, self._flat, (self._first, self._second, self._steps)
            else:
                self.units_ = (data.shape[1], *self._hidden(), self._n_outputs(targets))
            curve, seen = (self.loss_curve_, self.t_) if going_on else (np.zeros(0), 0)
            if len(getattr(self, "classes_", "01")) < 2:
                self._keep_constant(np.zeros(1), data.shape[1])
                return self
            run = self._run(data, targets, rows, None, before, len(curve))
            run.max_iter, run.seen = 1, seen
            for _ in run.epochs():
                pass
            self._refuse_or_warn(run)
            self._keep_further(run)
        return self

    def _keep_further(self, run: Training) -> None:
        before = [getattr(self, n, np.zeros(0)) for n in ("loss_curve_", "learning_rates_", "gradient_norms_")]
        self._keep(run)
        now = self.loss_curve_, self.learning_rates_, self.gradient_norms_
        joined = [np.concatenate(pair) for pair in zip(before, now)]
        self.loss_curve_, self.learning_rates_, self.gradient_norms_ = joined
        self.n_iter_ = len(self.loss_curve_)
        self.best_epoch_ = int(self.loss_curve_.argmin()) + 1 if self.n_iter_ else 0


def _as_type(memory: Any, dtype: np.dtype[Any]) -> tuple[Any, Any, int]:
    if memory is None or memory[0] is None:
        return None, None, 0
    return memory[0].astype(dtype), memory[1].astype(dtype), memory[2]
