"""A network for numbers."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from margin.base.estimator import Regressor
from margin.base.representations.numeric import Scale
from margin.base.representations.representation import TrainingRows
from margin.base.sklearn_classes import available_if
from margin.deep.mlp.answering import Answering
from margin.deep.mlp.network import MultilayerPerceptron
from margin.deep.mlp.parameters import ActivationName, Below1, Folder, HiddenLayers, Initial, RateName, SolverName
from margin.deep.mlp.splitting import HeldOut
from margin.params import Count, Flag, Jobs, NonNegative, Positive, Ratio, Seed, Share
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["MLPRegressor"]


class MLPRegressor(MultilayerPerceptron, Regressor):
    r"""Layers of units that learn a quantity, or several at once.

    Each layer is :math:`a_{l} = f(W_l^\top a_{l-1} + b_l)`; the last one has no f. Learnt are the weights of least
    squared error,

    .. math:: \frac1{2n} \sum_i \lVert y_i - f(x_i)\rVert^2 + \frac{\alpha}{2n} \sum_l \lVert W_l\rVert^2,

    by gradients of batches of rows. With ``scale`` the quantities are learnt in units of their spread, from their mean
    on; ``coefs_`` and losses are in these units.

    References
    ----------
    Rumelhart, Hinton, Williams (1986); Kingma, Ba (2015).

    Examples
    --------
    >>> X = np.linspace(-3, 3, 100).reshape(-1, 1)
    >>> model = MLPRegressor(hidden_layer_sizes=(16,), activation="tanh", solver="lbfgs", max_iter=500)
    >>> bool(model.fit(X, np.sin(X[:, 0])).score(X, np.sin(X[:, 0])) > 0.999)
    True
    """

    several_outputs = True
    out_activation_ = "identity"

    def __init__(
        self,
        hidden_layer_sizes: HiddenLayers = (100,),
        activation: ActivationName = "relu",
        *,
        solver: SolverName = "adam",
        alpha: NonNegative = 1e-4,
        batch_size: Count | Literal["auto"] = "auto",
        learning_rate: RateName = "constant",
        learning_rate_init: Positive = 0.001,
        power_t: NonNegative = 0.5,
        max_iter: Count = 200,
        shuffle: Flag = True,
        tol: NonNegative = 1e-4,
        warm_start: Flag = False,
        momentum: Ratio = 0.9,
        nesterovs_momentum: Flag = True,
        early_stopping: Flag = False,
        validation_fraction: Share = 0.1,
        beta_1: Below1 = 0.9,
        beta_2: Below1 = 0.999,
        epsilon: Positive = 1e-8,
        n_iter_no_change: Count = 10,
        max_fun: Count = 15000,
        dropout: Below1 = 0.0,
        batch_norm: Flag = False,
        mixup: Ratio = 0.0,
        ema: Below1 = 0.0,
        clip: Positive | None = None,
        init: Initial = "glorot",
        scale: Scale | None = "standard",
        nominal: Literal["one_hot", "embedding"] = "one_hot",
        checkpoint: Folder = None,
        resume: Flag = False,
        precision: Literal["auto", "double", "single"] = "auto",
        random_state: Seed = 0,
        n_jobs: Jobs = None,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver, self.alpha, self.batch_size = solver, alpha, batch_size
        self.learning_rate, self.learning_rate_init, self.power_t = learning_rate, learning_rate_init, power_t
        self.max_iter, self.shuffle, self.tol, self.warm_start = max_iter, shuffle, tol, warm_start
        self.momentum, self.nesterovs_momentum = momentum, nesterovs_momentum
        self.early_stopping, self.validation_fraction = early_stopping, validation_fraction
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon
        self.n_iter_no_change, self.max_fun = n_iter_no_change, max_fun
        self.dropout, self.batch_norm = dropout, batch_norm
        self.mixup, self.ema = mixup, ema
        self.clip = clip
        self.init = init
        self.scale = scale
        self.nominal = nominal
        self.checkpoint, self.resume = checkpoint, resume
        self.precision, self.random_state, self.n_jobs = precision, random_state, n_jobs

    def _targets(self, y: np.ndarray, rows: TrainingRows) -> tuple[np.ndarray | None, np.ndarray | None]:
        values = y.reshape(len(y), -1)
        if "_target_center" not in self.__dict__:
            self._several = y.ndim > 1
            self._target_center, self._target_spread = self._unit_of(values, rows.weights())
        return None, (values - self._target_center) / self._target_spread

    def _unit_of(self, values: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where the quantities are counted from, and in which unit."""
        width = values.shape[1]
        if self.scale is None:
            return np.zeros(width), np.ones(width)
        center = np.average(values, axis=0, weights=weight)
        spread = np.sqrt(np.average((values - center) ** 2, axis=0, weights=weight))
        return center, np.where(spread > 0, spread, 1.0)

    def _known(self, y: np.ndarray, weight: np.ndarray, rows: TrainingRows, no_columns: bool) -> np.ndarray | None:
        if not no_columns and (y != y[:1]).any():
            return None
        values = self._targets(y, rows)[1]
        assert values is not None
        return np.average(values, axis=0, weights=weight)

    def _n_outputs(self, y: np.ndarray) -> int:
        return 1 if y.ndim == 1 else y.shape[1]

    def _error_layer(self) -> str:
        return "squared_error"

    def _score_of(self, answering: Answering, held: HeldOut) -> float:
        y = held.y.reshape(len(held.y), -1)
        found = np.empty(y.shape)
        X = np.ascontiguousarray(held.X) if isinstance(held.X, np.ndarray) else held.X
        answering.answer(X, True, np.inf, "scores", found, self._n_threads())
        away = (y - self._target_center) / self._target_spread
        middle = np.average(away, axis=0, weights=held.weight)
        lost = np.average((away - found) ** 2, axis=0, weights=held.weight)
        spread = np.average((away - middle) ** 2, axis=0, weights=held.weight)
        return float(np.mean(1.0 - lost / np.where(spread > 0, spread, 1.0)))

    @available_if(lambda self: self.solver != "lbfgs")
    def partial_fit(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> Self:
        """Learn from further rows by one pass over them; columns, scale and unit are those of the first call."""
        return self._part_fitted(X, y, None, sample_weight)

    def predict(self, X: TableLike) -> np.ndarray:
        """The quantity expected of each row."""
        found = self._answer(X, "scores", self._fitted("predict").n_outputs_, "predict")
        return self._in_units(found)

    def _values(self, X: Any) -> np.ndarray:
        return self._in_units(self._answer_encoded(X, "scores", self.n_outputs_))

    def _in_units(self, found: np.ndarray) -> np.ndarray:
        found = found * self._target_spread + self._target_center
        return found if self._several else found[:, 0]
