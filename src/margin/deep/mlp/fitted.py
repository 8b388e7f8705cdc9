"""A network that has learnt: its weights, how its training went, and how it answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin import parallel
from margin.base import Numeric
from margin.base.estimator import SupervisedEstimator
from margin.base.representations.numeric import Scale
from margin.deep.mlp.answering import Answering
from margin.deep.mlp.training import Training
from margin.deep.mlp.weights import n_weights, parts_of, widened
from margin.errors import InputError

__all__ = ["FittedNetwork"]

#: Below so many cells one thread is quicker than asking how many there are.
SMALL = 20_000


class FittedNetwork(SupervisedEstimator):
    """Weights of all layers as one array, and what the optimiser remembers of them.

    Attributes
    ----------
    coefs_, intercepts_
        Weights and intercepts of each layer; a row for each of its inputs.
    loss_curve_, loss_, best_loss_
        The mean loss of every epoch, with the penalty, each row taken before it was learnt; the last and the smallest.
    learning_rates_, gradient_norms_
        Of every epoch: the rate of its last batch, and the mean length of its gradients.
    validation_scores_, best_validation_score_
        With early stopping: accuracy or R² of every epoch on the rows held out, and the best; None without.
    best_epoch_
        The epoch of the smallest loss, or of the best score; counted from 1.
    n_iter_, t_
        Epochs, and rows visited.
    units_, n_layers_, n_outputs_, out_activation_
        Units of every layer from inputs to outputs, how many layers these are, outputs, and what is made of them.
    """

    activation: str
    solver: str
    scale: Scale | None
    precision: str
    n_jobs: int | None

    units_: tuple[int, ...]
    loss_curve_: np.ndarray
    out_activation_: str
    _flat: np.ndarray
    _first: np.ndarray | None
    _second: np.ndarray | None
    _steps: int
    _network: Answering

    @property
    def representation(self) -> Numeric:
        return Numeric(scale=self.scale, keep_float32=True, largest=1e100)

    def _precision(self) -> np.dtype[Any]:
        return np.dtype(np.float32 if self.precision == "single" else np.float64)

    def _answering_of(self, flat: np.ndarray) -> Answering:
        """The network of some weights, ready to answer."""
        scaled = self.scale is not None and self._columns.schema is None
        encoder = self._encoder
        return Answering(
            flat, self.units_, self.activation, encoder.center if scaled else None, encoder.spread if scaled else None
        )

    def _note(self, run: Training) -> None:
        curve = run.curve
        self.loss_curve_ = np.array([epoch.loss for epoch in curve])
        self.learning_rates_ = np.array([epoch.rate for epoch in curve])
        self.gradient_norms_ = np.array([epoch.gradient_norm for epoch in curve])
        scored = run.score is not None
        self.validation_scores_ = np.array([epoch.validation_score for epoch in curve], float) if scored else None
        self.best_epoch_, self.n_iter_, self.t_ = run.patience.best_epoch, len(curve), run.seen

    def _widen(self, varying: np.ndarray, width: int) -> None:
        """Weights for all columns: those that did not vary, and were left out, have none."""
        narrow, self.units_ = self.units_, (width, *self.units_[1:])
        self._flat = widened(self._flat, narrow, varying, width)
        if self._first is not None and self._second is not None:
            self._first = widened(self._first, narrow, varying, width)
            self._second = widened(self._second, narrow, varying, width)
        self._network = self._answering_of(self._flat)

    def _keep_constant(self, outputs: np.ndarray, width: int) -> None:
        """A network that gives the same outputs to every row."""
        self.units_ = (width, *self.units_[1:])
        self._flat = np.zeros(n_weights(self.units_), self._precision())
        self._flat[-len(outputs) :] = outputs
        self._first, self._second, self._steps = None, None, 0
        self._network = self._answering_of(self._flat)
        self.loss_curve_ = self.learning_rates_ = self.gradient_norms_ = np.zeros(0)
        self.validation_scores_, self.best_epoch_, self.n_iter_, self.t_ = None, 0, 0, 0

    def _keep(self, run: Training) -> None:
        """What is left of a run: the weights, what the optimiser remembers, and the curves."""
        found = run.trainer.weights() if run.best_weights is None else run.best_weights
        self._flat = found.astype(self._precision())
        self._first, self._second, self._steps = (None, None, 0) if self.solver == "lbfgs" else run.trainer.memory()
        self._network = self._answering_of(self._flat)
        self._note(run)

    @property
    def coefs_(self) -> list[np.ndarray]:
        return parts_of(self._fitted("coefs_")._flat, self.units_)[0]

    @property
    def intercepts_(self) -> list[np.ndarray]:
        return parts_of(self._fitted("intercepts_")._flat, self.units_)[1]

    @property
    def loss_(self) -> float:
        return float(self._fitted("loss_").loss_curve_[-1]) if self.n_iter_ else 0.0

    @property
    def best_loss_(self) -> float | None:
        fitted = self._fitted("best_loss_")
        return None if fitted.validation_scores_ is not None else float(fitted.loss_curve_.min(initial=np.inf))

    @property
    def best_validation_score_(self) -> float | None:
        scores = self._fitted("best_validation_score_").validation_scores_
        return None if scores is None else float(scores.max(initial=-np.inf))

    @property
    def n_layers_(self) -> int:
        return len(self._fitted("n_layers_").units_)

    @property
    def n_outputs_(self) -> int:
        return self._fitted("n_outputs_").units_[-1]

    def _n_threads(self) -> int:
        return parallel.n_threads(self.n_jobs)

    def _answer(self, X: Any, what: str, width: int, method: str) -> np.ndarray:
        """What is asked of the outputs for X; rows that can be read as they are go straight through the core."""
        encoder = self._fitted(method)._encoder
        if type(X) is np.ndarray and X.ndim == 2 and self._columns.schema is None:
            found = np.empty(len(X), np.int64) if what == "winners" else np.empty((len(X), width))
            threads = 1 if X.size < SMALL else self._n_threads()
            if self._network.answer(X, False, encoder.largest, what, found, threads):
                return found
        return self._answer_encoded(self._encoded(X, method), what, width)

    def _answer_encoded(self, X: np.ndarray, what: str, width: int) -> np.ndarray:
        found = np.empty(len(X), np.int64) if what == "winners" else np.empty((len(X), width))
        rows = np.ascontiguousarray(X)
        if not self._network.answer(rows, True, np.inf, what, found, self._n_threads()):
            raise InputError(f"{type(self).__name__}: the rows are not those that the network was learnt from.")
        return found
