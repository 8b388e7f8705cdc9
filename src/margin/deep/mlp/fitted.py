"""A network that has learnt: its weights, how its training went, and how it answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin import parallel
from margin.base import Numeric
from margin.base.estimator import SupervisedEstimator
from margin.base.representations.numeric import Scale
from margin.deep.mlp.answering import Answering
from margin.deep.mlp.inputs import embedded
from margin.deep.mlp.summary import NetworkSummary, summarise
from margin.deep.mlp.training import State, Training
from margin.deep.mlp.weights import n_weights, parts_of, tables_of, widened
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
    stopped_
        Whether training was stopped from outside, by Ctrl-C or by whoever left the loop, before it came to its end.
    embeddings_
        With ``nominal="embedding"``: by column, the vectors of its levels, the first one that of none of them.
    n_iter_, t_
        Epochs, and rows visited.
    units_, n_layers_, n_outputs_, out_activation_
        Units of every layer from inputs to outputs, how many layers these are, outputs, and what is made of them.
    """

    activation: str
    solver: str
    scale: Scale | None
    precision: str
    nominal: str
    n_jobs: int | None

    units_: tuple[int, ...]
    loss_curve_: np.ndarray
    out_activation_: str
    _flat: np.ndarray
    _first: np.ndarray | None
    _second: np.ndarray | None
    _steps: int
    _raw: np.ndarray
    _average: np.ndarray | None
    _norms: np.ndarray | None
    _vector_widths: tuple[int, ...]
    _network: Answering

    @property
    def representation(self) -> Numeric:
        coded = self.nominal == "embedding"
        # Sparse rows that are put on one scale would not be sparse any more.
        return Numeric(self.scale, self.scale is None and not coded, keep_float32=True, largest=1e100, codes=coded)

    def _precision(self, source: Any = None) -> np.dtype[Any]:
        """Of the weights: that of the rows, unless one is asked for."""
        single = self.precision == "single" or (
            self.precision == "auto" and getattr(source, "dtype", None) == np.float32
        )
        return np.dtype(np.float32 if single else np.float64)

    @property
    def _vectors(self) -> list[tuple[int, int]]:
        """Of each column of codes: its levels, and how many numbers stand for one."""
        widths = self.__dict__.get("_vector_widths", ())
        return [(len(column.levels), width) for column, width in zip(self._encoder.one_hot, widths)]

    def _answering_of(self, flat: np.ndarray) -> Answering:
        """The network of some weights, ready to answer."""
        scaled = self.scale is not None and self._columns.schema is None
        encoder = self._encoder
        center, spread = (encoder.center, encoder.spread) if scaled else (None, None)
        return Answering(flat, self.units_, self.activation, center, spread, self._vectors)

    def _first_inputs(self, X: Any, method: str) -> np.ndarray:
        """Rows as the first layer sees them: filled, scaled, one-hot or with a vector for each level."""
        rows = self._encoded(X, method)
        rows = rows if isinstance(rows, np.ndarray) else rows.toarray()
        return embedded(rows.astype(np.float64), self.embeddings_.values())

    def _note(self, run: Training) -> None:
        curve = run.curve
        self.loss_curve_ = np.array([epoch.loss for epoch in curve])
        self.learning_rates_ = np.array([epoch.rate for epoch in curve])
        self.gradient_norms_ = np.array([epoch.gradient_norm for epoch in curve])
        scored = run.score is not None
        self.validation_scores_ = np.array([epoch.validation_score for epoch in curve], float) if scored else None
        self.best_epoch_, self.n_iter_, self.t_ = run.patience.best_epoch, len(curve), run.seen
        self.stopped_ = False

    def _widen(self, varying: np.ndarray, width: int) -> None:
        """Weights for all columns: those that did not vary, and were left out, have none."""
        shapes = self._vectors
        n_vectors, n_inputs = sum((levels + 1) * each for levels, each in shapes), sum(each for _, each in shapes)
        first = width - len(shapes)  # numbers, behind which the inputs of vectors stand
        places = np.concatenate([varying[varying < first], np.arange(first, first + n_inputs)])
        narrow, self.units_ = self.units_, (first + n_inputs, *self.units_[1:])
        for name in ("_flat", "_first", "_second", "_raw", "_average"):
            kept = self.__dict__.get(name)
            if kept is not None:
                layers = widened(kept[n_vectors:], narrow, places, first + n_inputs)
                setattr(self, name, np.concatenate([kept[:n_vectors], layers]))
        self._network = self._answering_of(self._flat)

    def _keep_constant(self, outputs: np.ndarray, width: int) -> None:
        """A network that gives the same outputs to every row."""
        if self.nominal == "embedding":
            self._vector_widths = tuple(1 for _ in self._encoder.one_hot)
        self.units_ = (width, *self.units_[1:])
        n = n_weights(self.units_) + sum((levels + 1) * each for levels, each in self._vectors)
        self._flat = np.zeros(n)
        self._flat[-len(outputs) :] = outputs
        self._first, self._second, self._steps = None, None, 0
        self._network = self._answering_of(self._flat)
        self.loss_curve_ = self.learning_rates_ = self.gradient_norms_ = np.zeros(0)
        self.validation_scores_, self.best_epoch_, self.n_iter_, self.t_ = None, 0, 0, 0
        self.stopped_ = False

    def _keep(self, run: Training, dtype: np.dtype[Any]) -> None:
        """What is left of a run: the weights, what the optimiser remembers, and the curves."""
        found = run.trainer.answering() if run.best_weights is None else run.best_weights
        self._flat = found.astype(dtype)
        self._first, self._second, self._steps = None, None, 0
        if self.solver != "lbfgs":
            state = State.of(run.trainer)
            self._first, self._second, self._steps = state.first, state.second, state.steps
            if state.average is not None or state.norms is not None:  # else the weights that answer are all there is
                self._raw, self._average, self._norms = state.weights, state.average, state.norms
        self._network = self._answering_of(self._flat)
        self._note(run)

    def _state(self, with_memory: bool) -> State:
        """Where to go on from: what was learnt, with or without what the optimiser remembers of it."""
        memory = (self._first, self._second, self._steps) if with_memory else (None, None, 0)
        if "_raw" not in self.__dict__:
            return State(self._flat, *memory)
        return State(self._raw, *memory, self._average, self._norms)

    @property
    def embeddings_(self) -> dict[str, np.ndarray]:
        tables = tables_of(self._fitted("embeddings_")._flat, self._vectors)[0]
        return {column.name: table for column, table in zip(self._encoder.one_hot, tables)}

    def summary(self) -> NetworkSummary:
        """The layers of the fitted network, with shapes and numbers of weights; ``print`` shows it as a table."""
        fitted = self._fitted("summary")
        return summarise(fitted.units_, fitted.activation, fitted.embeddings_, self)

    @property
    def coefs_(self) -> list[np.ndarray]:
        return parts_of(self._layer_weights("coefs_"), self.units_)[0]

    @property
    def intercepts_(self) -> list[np.ndarray]:
        return parts_of(self._layer_weights("intercepts_"), self.units_)[1]

    def _layer_weights(self, method: str) -> np.ndarray:
        fitted = self._fitted(method)
        return tables_of(fitted._flat, fitted._vectors)[1]

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

    def _answer_encoded(self, X: Any, what: str, width: int) -> np.ndarray:
        found = np.empty(X.shape[0], np.int64) if what == "winners" else np.empty((X.shape[0], width))
        rows = np.ascontiguousarray(X) if isinstance(X, np.ndarray) else X
        if not self._network.answer(rows, True, np.inf, what, found, self._n_threads()):
            raise InputError(f"{type(self).__name__}: the rows are not those that the network was learnt from.")
        return found
