"""A network for classes."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from margin.base.estimator import Classifier
from margin.base.representations.numeric import Scale
from margin.base.representations.representation import TrainingRows
from margin.base.sklearn_classes import available_if
from margin.base.targets.class_weight import class_factors
from margin.base.targets.multi_output import output_columns
from margin.data.label_sets import sets_of
from margin.deep.mlp.answering import Answering
from margin.deep.mlp.network import MultilayerPerceptron
from margin.deep.mlp.parameters import ActivationName, Below1, Folder, HiddenLayers, Initial, RateName, SolverName
from margin.deep.mlp.several_targets import group_widths, one_hot_targets, shares_of_groups
from margin.deep.mlp.splitting import HeldOut
from margin.errors import LabelError, ParameterError
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
    label_smoothing
        The share of each row that is spread evenly over all classes, so that the network is never quite sure.

    Notes
    -----
    With the same weights to begin with and the rows in order, losses are those of scikit-learn's class of that name.
    Weights of rows are relative to their mean over all rows, not over a batch. Sparse rows go into the first layer as
    they are where ``scale=None``, and become dense elsewhere. Several targets, or sets of labels, are learnt side by
    side: each has outputs of its own.

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
        label_smoothing: Below1 = 0.0,
        mixup: Ratio = 0.0,
        ema: Below1 = 0.0,
        clip: Positive | None = None,
        init: Initial = "glorot",
        class_weight: ClassWeight = None,
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
        self.label_smoothing = label_smoothing
        self.mixup, self.ema = mixup, ema
        self.clip = clip
        self.init = init
        self.class_weight = class_weight
        self.scale = scale
        self.nominal = nominal
        self.checkpoint, self.resume = checkpoint, resume
        self.precision, self.random_state, self.n_jobs = precision, random_state, n_jobs

    several_outputs = True

    def _targets(self, y: np.ndarray, rows: TrainingRows) -> tuple[np.ndarray | None, np.ndarray | None]:
        if y.ndim > 1:
            return None, self._smoothed(one_hot_targets(y, self.classes_))
        if len(self.classes_) > 2:
            return np.ascontiguousarray(y, dtype=np.int32), None
        return None, self._smoothed(y.reshape(-1, 1).astype(np.float64))

    def _smoothed(self, values: np.ndarray) -> np.ndarray:
        """Outputs of 0 and 1 that are not quite sure; the core does the same to more classes."""
        if not self.label_smoothing:
            return values
        groups = self._groups() or [1]
        even = np.repeat([0.5 if width == 1 else 1.0 / width for width in groups], groups)
        return values + self.label_smoothing * (even - values)

    def _smoothing(self) -> float:
        return float(self.label_smoothing)

    def _groups(self) -> list[int]:
        classes = self.__dict__.get("classes_")
        return group_widths(classes) if isinstance(classes, list) else []

    def _n_outputs(self, y: np.ndarray) -> int:
        if y.ndim > 1:
            return sum(self._groups())
        return len(self.classes_) if len(self.classes_) > 2 else 1

    def _error_layer(self) -> str:
        if isinstance(self.classes_, list):
            return "several"
        return "softmax" if len(self.classes_) > 2 else "logistic"

    @property
    def out_activation_(self) -> str:  # type: ignore[override]
        layer = self._fitted("out_activation_")._error_layer()
        return layer if layer != "several" else "logistic" if set(self._groups()) == {1} else "softmax"

    def _known(self, y: np.ndarray, weight: np.ndarray, rows: TrainingRows, no_columns: bool) -> np.ndarray | None:
        if y.ndim > 1:
            known = [self._log_shares(y[:, j], weight, len(each)) for j, each in enumerate(self.classes_)]
            varies = any(len(each) > 1 for each in self.classes_) and bool((y != y[:1]).any())
            return None if varies and not no_columns else np.concatenate(known)
        if len(self.classes_) > 1 and not no_columns:
            return None
        return self._log_shares(y, weight, len(self.classes_))

    @staticmethod
    def _log_shares(y: np.ndarray, weight: np.ndarray, n_classes: int) -> np.ndarray:
        """Outputs that give every row the shares of the classes."""
        totals = np.bincount(y, weight, n_classes)
        if n_classes == 1:
            return np.zeros(1)
        logs = np.log(np.maximum(totals, 1e-300) / totals.sum())
        return logs if n_classes > 2 else logs[1:] - logs[:1]

    def _row_weights(self, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
        if self.class_weight is None:
            return weight
        if y.ndim > 1:
            raise ParameterError(
                f"{type(self).__name__}(class_weight={self.class_weight!r}): with several targets a row has a class of "
                "each, and no weight of its own (give sample_weight instead)."
            )
        totals = np.bincount(y, weight, len(self.classes_))
        return weight * class_factors(self.class_weight, self.classes_, totals, type(self).__name__)[y]

    def _score_of(self, answering: Answering, held: HeldOut) -> float:
        """Accuracy; of several targets the share of rows with all of them right."""
        X, n = held.X, len(held.y)
        X = np.ascontiguousarray(X) if isinstance(X, np.ndarray) else X
        if held.y.ndim == 1:
            winners = np.empty(n, np.int64)
            answering.answer(X, True, np.inf, "winners", winners, self._n_threads())
            return float(np.average(winners == held.y, weights=held.weight))
        scores = np.empty((n, self.units_[-1]))
        answering.answer(X, True, np.inf, "scores", scores, self._n_threads())
        found = np.column_stack([each.argmax(axis=1) for each in shares_of_groups(scores, self.classes_)])
        return float(np.average((found == held.y).all(axis=1), weights=held.weight))

    @available_if(lambda self: self.solver != "lbfgs")
    def partial_fit(
        self, X: TableLike, y: LabelsLike, classes: Any = None, sample_weight: WeightsLike | None = None
    ) -> Self:
        """Learn from further rows by one pass over them.

        ``classes`` names all labels at the first call; without it the labels of that call are all there are. Columns,
        what fills gaps and the scale are those of the first call.
        """
        if isinstance(self.__dict__.get("classes_"), list) or sets_of(y, "fit") or output_columns(y, "fit"):
            raise LabelError(
                f"{type(self).__name__}.partial_fit: several targets are learnt by fit alone, for a part need not hold "
                "all labels of each."
            )
        if isinstance(self.class_weight, str):
            raise ParameterError(
                f"{type(self).__name__}(class_weight='balanced'): partial_fit must know how much each class counts "
                "before it sees all rows (give a mapping from labels to numbers)."
            )
        return self._part_fitted(X, y, classes, sample_weight)

    def predict(self, X: TableLike) -> np.ndarray:
        """The most probable class of each row, in the type the labels came in; ties go to the first class."""
        if isinstance(self._fitted("predict").classes_, list):
            return super().predict(X)
        winners = self._answer(X, "winners", 1, "predict")
        return self.classes_[winners]

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """The probability of each class (columns as in ``classes_``) for each row; a list for several targets."""
        if isinstance(self._fitted("predict_proba").classes_, list):
            return super().predict_proba(X)
        found = self._answer(X, "softmax", max(2, self.n_outputs_), "predict_proba")
        return found if len(self.classes_) > 1 else np.ones((len(found), 1))

    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """Logarithms of the probabilities."""
        return self._log_proba(self.predict_proba(X))

    def predict_with_proba(self, X: TableLike) -> tuple[np.ndarray, np.ndarray]:
        """Both at once, for the price of one."""
        shares = self.predict_proba(X)
        if isinstance(shares, list):
            return self._in_form(self._answers(X, shares)), shares
        return self.classes_[shares.argmax(axis=1)], shares

    def _scores(self, X: Any) -> Any:
        if isinstance(self.classes_, list):
            return shares_of_groups(self._answer_encoded(X, "scores", self.n_outputs_), self.classes_)
        if len(self.classes_) == 1:
            return np.ones((X.shape[0], 1))
        return self._answer_encoded(X, "softmax", len(self.classes_))
