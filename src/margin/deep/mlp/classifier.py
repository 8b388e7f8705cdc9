"""A network for classes."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from margin.base.estimator import Classifier
from margin.base.representations.numeric import Scale
from margin.base.representations.representation import TrainingRows
from margin.base.sklearn_classes import available_if
from margin.base.targets.class_weight import class_factors
from margin.deep.mlp.answering import Answering
from margin.deep.mlp.network import MultilayerPerceptron
from margin.deep.mlp.parameters import ActivationName, Below1, HiddenLayers, Initial, RateName, SolverName
from margin.deep.mlp.splitting import HeldOut
from margin.errors import ParameterError
from margin.params import ClassWeight, Count, Flag, Jobs, NonNegative, Positive, Ratio, Seed, Share
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["MLPClassifier"]


class MLPClassifier(MultilayerPerceptron, Classifier):
    r"""Layers of units that learn what tells classes apart.

    Each layer is :math:`a_{l} = f(W_l^\top a_{l-1} + b_l)`; the last one has no f, and its outputs become probabilities
    by softmax (by the sigmoid of one output for two classes). Learnt are the weights of least cross-entropy,

    .. math:: \frac1n \sum_i -\log p(y_i \mid x_i) + \frac{\alpha}{2n} \sum_l \lVert W_l\rVert^2,

    by gradients of batches of rows, found backwards through the layers. There are many minima, and the one that is
    reached depends on the weights to begin with. One epoch is :math:`O(n\,w)` for w weights.

    Parameters
    ----------
    class_weight
        Factors for the rows of each class; "balanced" lets all classes count the same.

    Notes
    -----
    With the same weights to begin with and the rows in order, losses are those of scikit-learn's class of that name.
    Weights of rows are relative to their mean over all rows, not over a batch. Nominal columns are one-hot, and sparse
    rows become dense.

    References
    ----------
    Rumelhart, Hinton, Williams (1986); Glorot, Bengio (2010); Kingma, Ba (2015).

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = MLPClassifier(hidden_layer_sizes=(16,), solver="lbfgs", max_iter=100).fit(X, y)
    >>> model.predict(X[:1]).tolist(), bool(model.score(X, y) > 0.95)
    (['Iris-setosa'], True)
    """

    def __init__(
        self,
        *,
        hidden_layer_sizes: HiddenLayers = (100,),
        activation: ActivationName = "relu",
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
        clip: Positive | None = None,
        init: Initial = "glorot",
        class_weight: ClassWeight = None,
        scale: Scale | None = "standard",
        precision: Literal["double", "single"] = "double",
        random_state: Seed = 0,
        n_jobs: Jobs = None,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate, self.learning_rate_init, self.power_t = learning_rate, learning_rate_init, power_t
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.tol = tol
        self.warm_start = warm_start
        self.momentum, self.nesterovs_momentum = momentum, nesterovs_momentum
        self.early_stopping, self.validation_fraction = early_stopping, validation_fraction
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun
        self.dropout = dropout
        self.clip = clip
        self.init = init
        self.class_weight = class_weight
        self.scale = scale
        self.precision = precision
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _targets(self, y: np.ndarray, rows: TrainingRows) -> tuple[np.ndarray | None, np.ndarray | None]:
        if len(self.classes_) > 2:
            return np.ascontiguousarray(y, dtype=np.int32), None
        return None, y.reshape(-1, 1)

    def _n_outputs(self, y: np.ndarray) -> int:
        return len(self.classes_) if len(self.classes_) > 2 else 1

    def _error_layer(self) -> str:
        return "softmax" if len(self.classes_) > 2 else "logistic"

    @property
    def out_activation_(self) -> str:  # type: ignore[override]
        return self._fitted("out_activation_")._error_layer()

    def _known(self, y: np.ndarray, weight: np.ndarray, rows: TrainingRows, no_columns: bool) -> np.ndarray | None:
        if len(self.classes_) > 1 and not no_columns:
            return None
        totals = np.bincount(y, weight, len(self.classes_))
        if len(totals) == 1:
            return np.zeros(1)
        logs = np.log(np.maximum(totals, 1e-300) / totals.sum())
        return logs if len(totals) > 2 else logs[1:] - logs[:1]

    def _row_weights(self, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
        if self.class_weight is None:
            return weight
        totals = np.bincount(y, weight, len(self.classes_))
        return weight * class_factors(self.class_weight, self.classes_, totals, type(self).__name__)[y]

    def _score_of(self, answering: Answering, held: HeldOut) -> float:
        winners = np.empty(len(held.y), np.int64)
        answering.answer(np.ascontiguousarray(held.X), True, np.inf, "winners", winners, self._n_threads())
        return float(np.average(winners == held.y, weights=held.weight))

    @available_if(lambda self: self.solver != "lbfgs")
    def partial_fit(
        self, X: TableLike, y: LabelsLike, classes: Any = None, sample_weight: WeightsLike | None = None
    ) -> Self:
        """Learn from further rows by one pass over them.

        ``classes`` names all labels at the first call; without it the labels of that call are all there are. Columns,
        what fills gaps and the scale are those of the first call.
        """
        if isinstance(self.class_weight, str):
            raise ParameterError(
                f"{type(self).__name__}(class_weight='balanced'): partial_fit must know how much each class counts "
                "before it sees all rows (give a mapping from labels to numbers)."
            )
        return self._part_fitted(X, y, classes, sample_weight)

    def predict(self, X: TableLike) -> np.ndarray:
        """The most probable class of each row, in the type the labels came in; ties go to the first class."""
        winners = self._answer(X, "winners", 1, "predict")
        return self.classes_[winners]

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """The probability of each class (columns as in ``classes_``) for each row."""
        width = max(2, self._fitted("predict_proba").n_outputs_)
        found = self._answer(X, "softmax", width, "predict_proba")
        return found if len(self.classes_) > 1 else np.ones((len(found), 1))

    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """Logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict_with_proba(self, X: TableLike) -> tuple[np.ndarray, np.ndarray]:
        """Both at once, for the price of one."""
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)], shares

    def _scores(self, X: Any) -> np.ndarray:
        if len(self.classes_) == 1:
            return np.ones((len(X), 1))
        return self._answer_encoded(X, "softmax", len(self.classes_))
