"""What networks for classes and for numbers share: their parameters, and training as a loop."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np

from margin import params
from margin.base.representations.representation import TrainingRows
from margin.base.rollback import further_or_not_at_all, whole_or_not_at_all
from margin.deep.mlp.inputs import varying_columns
from margin.deep.mlp.learning import LearningNetwork
from margin.deep.mlp.splitting import HeldOut, read_further, read_split
from margin.deep.mlp.training import Epoch, Training
from margin.errors import ParameterError
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["MultilayerPerceptron"]


class MultilayerPerceptron(LearningNetwork):
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
        ``max_iter``; "one_cycle" rises from a 25th to the rate over 30% of ``max_iter`` and falls to nearly 0;
        "warm_up" rises evenly over a tenth of ``max_iter`` and falls as a cosine; "auto" keeps the rate that
        :func:`margin.deep.find_learning_rate` finds on at most 100 batches.
    learning_rate_init
        The rate of the schedule; not used by "lbfgs" and "auto".
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
    batch_norm
        Put the sums of each hidden unit on one scale over the batch, then learn a factor and a shift (before the
        activation). For answers this is taken into ``coefs_`` and ``intercepts_``.
    mixup
        The α of mixup: a batch is mixed with itself in another order, by a share drawn from Beta(α, α); 0 for none.
    ema
        How much of the averaged weights a step leaves, 0.999 say: the network then answers by these; 0 for none.
    clip
        The largest length of a gradient; longer ones are shortened. None for any.
    init
        What to begin with: "glorot" as scikit-learn, "he" for deep networks of ReLU, or given weights, a pair of lists
        as ``coefs_`` and ``intercepts_``.
    scale
        "standard" or "range" to put numeric columns, and the targets of a regressor, on one scale first, without which
        networks learn badly; None takes them as they are, as scikit-learn does.
    nominal
        What becomes of nominal columns: "one_hot", or "embedding", a vector for each level that is learnt along: for
        columns of very many levels.
    checkpoint
        A folder in which the state of training is written after every epoch, whole or not at all.
    resume
        Whether ``fit`` goes on from the checkpoint there; the network is then that of a run that was never stopped.
    precision
        "double", "single" for float32 weights and arithmetic (half the memory, and nearly twice as fast), or "auto",
        that of the rows: single for arrays of float32.
    random_state
        Seed of weights, orders, dropped units and held-out rows: 0 for the same network each time, None for another.
    n_jobs
        Threads; None for all cores. The network does not depend on it.
    """

    def fit(
        self, X: TableLike, y: Any = None, sample_weight: WeightsLike | None = None, *, validation: Any = None
    ) -> Self:
        """Learn from rows X with targets y; whole-number weights stand for repeated rows.

        ``validation``, a pair of further rows and their targets, judges progress: the weights of the best epoch are
        kept, as with ``early_stopping``, and no rows are held out. Ctrl-C is passed on; a network that has finished an
        epoch keeps what it has learnt until then (``stopped_``).
        """
        for _ in self.epochs(X, y, sample_weight, validation=validation):
            pass
        return self

    def epochs(
        self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None, *, validation: Any = None
    ) -> Iterator[Epoch]:
        """The same as a loop: one :class:`margin.deep.Epoch` a turn.

        Whoever breaks out of the loop has the network as it was then.
        """
        who = f"{type(self).__name__}.fit"
        params.check(self)
        self._check_together()
        before = self._before(with_memory=False) if self.warm_start and self.__sklearn_is_fitted__() else None
        stopped = None
        with whole_or_not_at_all(self):
            data, targets, rows, held = read_split(self, X, y, sample_weight, who, validation)
            try:
                stopped = yield from self._trained(data, targets, rows, held, before)
            except GeneratorExit:  # the run has kept what was learnt; nothing is to be put back
                return
        if stopped is not None:
            raise stopped

    def _before(self, with_memory: bool) -> Any:
        """Where to go on from."""
        return self.units_, self._state(with_memory), self._flat

    def _trained(
        self, X: Any, y: np.ndarray, rows: TrainingRows, held: HeldOut | None, before: Any
    ) -> Generator[Epoch, None, KeyboardInterrupt | None]:
        """Learn; what is returned is the Ctrl-C to pass on, if there was one after an epoch was finished."""
        width = X.shape[1]
        all_columns = before is not None or not isinstance(self.init, str)
        varying = self._lay_out(width, np.arange(width) if all_columns else varying_columns(X), y)
        known = self._known(y, self._row_weights(y, rows.weights()), rows, self.units_[0] == 0)
        if known is not None:
            self._keep_constant(known, width)
            return None
        narrow = len(varying) < width
        held = replace(held, X=held.X[:, varying]) if held is not None and narrow else held
        run = self._run(X[:, varying] if narrow else X, y, rows, held, before)
        stopped, left = None, False
        try:
            yield from run.descent(float(self.tol), int(self.max_fun)) if self.solver == "lbfgs" else run.epochs()
        except GeneratorExit:  # the caller has seen enough: what was learnt until now is the network
            left = True
        except KeyboardInterrupt as interrupt:
            if not run.curve:
                raise
            stopped = interrupt
            run.go_back()
        if not left and stopped is None:
            self._refuse_or_warn(run)
        self._keep(run, self._precision(rows.source))
        self.stopped_ = left or stopped is not None
        if narrow:
            self._widen(varying, width)
        return stopped

    def _known(self, y: np.ndarray, weight: np.ndarray, rows: TrainingRows, no_columns: bool) -> np.ndarray | None:
        """What the outputs are for every row, where that is known: the targets, or all columns, do not vary."""
        raise TypeError(f"{type(self).__name__} must say when nothing is to be learnt: def _known(self, y, …).")

    def _part_fitted(self, X: TableLike, y: LabelsLike, classes: Any, sample_weight: WeightsLike | None) -> Self:
        """One pass over further rows, from where the network is."""
        who = f"{type(self).__name__}.partial_fit"
        params.check(self)
        self._check_together()
        self._check_partial()
        going_on = self.__sklearn_is_fitted__()
        with further_or_not_at_all(self) if going_on else whole_or_not_at_all(self):
            data, targets, rows = read_further(self, X, y, classes, sample_weight, who)
            before = self._before(with_memory=True) if going_on else None
            if not going_on:
                self._lay_out(data.shape[1], np.arange(data.shape[1]), targets)
            curve, seen = (self.loss_curve_, self.t_) if going_on else (np.zeros(0), 0)
            if len(getattr(self, "classes_", "01")) < 2:
                self._keep_constant(np.zeros(1), data.shape[1])
                return self
            run = self._run(data, targets, rows, None, before, len(curve))
            run.max_iter, run.seen = 1, seen
            for _ in run.epochs():
                pass
            self._refuse_or_warn(run)
            self._keep_further(run, self._flat.dtype if going_on else self._precision(rows.source))
        return self

    def _check_partial(self) -> None:
        name = type(self).__name__
        reasons = {
            "early_stopping": "makes one pass over its rows and does not hold any out (set early_stopping=False)",
            "checkpoint": "makes one pass, which is nothing to go on with (margin.persistence.save keeps models)",
        }
        for parameter, reason in reasons.items():
            if getattr(self, parameter):
                raise ParameterError(f"{name}({parameter}={getattr(self, parameter)!r}): partial_fit {reason}.")
        if self.learning_rate == "auto":
            raise ParameterError(
                f"{name}(learning_rate='auto'): partial_fit has no run to find a rate for "
                "(margin.deep.find_learning_rate finds one beforehand)."
            )

    def _keep_further(self, run: Training, dtype: np.dtype[Any]) -> None:
        before = [getattr(self, n, np.zeros(0)) for n in ("loss_curve_", "learning_rates_", "gradient_norms_")]
        self._keep(run, dtype)
        now = self.loss_curve_, self.learning_rates_, self.gradient_norms_
        joined = [np.concatenate(pair) for pair in zip(before, now)]
        self.loss_curve_, self.learning_rates_, self.gradient_norms_ = joined
        self.n_iter_ = len(self.loss_curve_)
        self.best_epoch_ = int(self.loss_curve_.argmin()) + 1 if self.n_iter_ else 0
