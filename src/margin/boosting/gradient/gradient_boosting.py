"""Gradient boosting for classes and for numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np

from margin.base import Classifier, Regressor
from margin.base.representations.mixed import MixedData
from margin.base.representations.representation import TrainingRows
from margin.base.softmax import log_softmax, softmax
from margin.base.targets.class_weight import class_factors
from margin.boosting.gradient.boosted_trees import single_leaves
from margin.boosting.gradient.boosting_model import BoostingModel, counted
from margin.boosting.gradient.exact import boost_exactly, rounds_in_words
from margin.boosting.gradient.losses import first_class_scores, first_value_score, huber_bend
from margin.boosting.gradient.own_loss import OwnLoss
from margin.boosting.gradient.rounds import Grown
from margin.boosting.gradient.settings import Growth, Interactions, LessThanAll, Part, Sampling, SomeBins
from margin.errors import DataError, ParameterError
from margin.params import (
    ClassWeight,
    Count,
    Flag,
    Jobs,
    NonNegative,
    Positive,
    Seed,
    Several,
    Share,
)
from margin.tree.grow import binary_scale
from margin.tree.settings import CasesInLeaf, Monotone
from margin.typing import Encoded, TableLike

__all__ = ["GradientBoostingClassifier", "GradientBoostingRegressor"]

ClassLoss = Literal["log_loss", "exponential", "focal"] | Callable[..., Any]
ValueLoss = Literal["squared_error", "absolute_error", "quantile", "huber", "poisson"] | Callable[..., Any]


class GradientBoostingClassifier(BoostingModel, Classifier):
    r"""Adds up trees, each grown on the derivatives of the loss at what the trees before it say.

    With the score f of a row and its derivatives g and h of the loss by f, a leaf answers :math:`-G/(H + \lambda)`,
    G and H being the sums of its rows, and the split of the largest gain is made next. Two classes have one score, the
    log odds; several have one each, with a tree for each in every round, and answer their softmax. Columns are cut into
    bins once; a node then costs one addition a cell, :math:`O(n\,d)` for a level of a tree.

    Missing cells go to the side on which they gain more, nominal columns are divided by their levels. A learning rate
    that is too large, too many rounds or too many leaves learn the noise: rows held back say when to stop
    (``early_stopping``).

    Parameters
    ----------
    loss
        ``"log_loss"``; for two classes also ``"exponential"``, as AdaBoost has it, and ``"focal"``, under which rows
        that are told apart well count little; or a function of codes and scores that gives the loss and both
        derivatives of each row, of scores that are log odds (two classes) or whose softmax are the probabilities.
    focal_gamma
        How little: the loss is multiplied by the probability of the other class to this power.
    class_weight
        ``"balanced"``, or a factor for the rows of each class.

    References
    ----------
    Friedman (2001), "Greedy function approximation: a gradient boosting machine"; Chen, Guestrin (2016), "XGBoost: a
    scalable tree boosting system"; Ke et al. (2017), "LightGBM: a highly efficient gradient boosting decision tree".

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = GradientBoostingClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95, model.trees_.n_trees
    (True, 60)
    """

    def __init__(
        self,
        *,
        n_estimators: Count | Literal["auto"] = "auto",
        learning_rate: Positive | Literal["auto"] = "auto",
        loss: ClassLoss = "log_loss",
        focal_gamma: NonNegative = 2.0,
        growth: Growth = "auto",
        max_leaf_nodes: Several | Literal["auto"] | None = "auto",
        max_depth: Count | None = None,
        min_samples_leaf: CasesInLeaf | Literal["auto"] = "auto",
        min_child_weight: NonNegative = 1e-3,
        l2: NonNegative | Literal["auto"] = "auto",
        min_gain: NonNegative = 0.0,
        linear_leaves: Flag = False,
        max_bins: SomeBins | Literal["auto"] = "auto",
        nominal_smooth: NonNegative = 10.0,
        nominal_l2: NonNegative = 10.0,
        subsample: Part | Literal["auto"] = "auto",
        sampling: Sampling = "chance",
        top_rate: LessThanAll = 0.0,
        drop_rate: LessThanAll = 0.0,
        max_features: Part | Literal["auto"] = "auto",
        class_weight: ClassWeight = None,
        monotonic_cst: Monotone = None,
        interaction_cst: Interactions = None,
        early_stopping: Flag | Literal["auto", "folds"] = "auto",
        validation_fraction: Share = 0.1,
        n_iter_no_change: Count = 20,
        tol: NonNegative = 1e-4,
        warm_start: Flag = False,
        random_state: Seed = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.loss = loss
        self.focal_gamma = focal_gamma
        self.growth = growth
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.min_child_weight = min_child_weight
        self.l2 = l2
        self.min_gain = min_gain
        self.linear_leaves, self.max_bins = linear_leaves, max_bins
        self.nominal_smooth = nominal_smooth
        self.nominal_l2 = nominal_l2
        self.subsample, self.sampling = subsample, sampling
        self.top_rate, self.drop_rate = top_rate, drop_rate
        self.max_features = max_features
        self.class_weight = class_weight
        self.monotonic_cst, self.interaction_cst = monotonic_cst, interaction_cst
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, X: MixedData, y: np.ndarray, rows: TrainingRows) -> None:
        who, n_classes = type(self).__name__, len(self.classes_)
        if self.loss in ("exponential", "focal") and n_classes > 2:
            raise ParameterError(f"{who}(loss={self.loss!r}): there must be two classes, but there are {n_classes}.")
        if self.monotonic_cst is not None and n_classes > 2:
            raise ParameterError(f"{who}(monotonic_cst=…): only the scores of two classes can rise or fall.")
        weight = counted(rows.weights())
        factors = class_factors(self.class_weight, self.classes_, np.bincount(y, weight, n_classes), who)
        weight = weight * factors[y]
        if n_classes == 1:
            self._keep(Grown(single_leaves(np.zeros(1), self.n_features_in_), np.empty(0), np.empty(0)), None, 1.0)
            self._seed = np.zeros(1, np.uint64)
            return
        base = first_class_scores(self.loss, np.bincount(y, weight, n_classes))
        loss = OwnLoss(self.loss, who) if callable(self.loss) else self.loss
        self._boost(X, y, weight, loss, base, stratum=y, groups=rows.groups, parameter=float(self.focal_gamma))

    # ---- answers

    def _scores(self, X: Encoded) -> np.ndarray:
        return self._class_scores(self._raw(X))

    def _class_scores(self, raw: np.ndarray) -> np.ndarray:
        """A score for each class, whose softmax are the probabilities."""
        if len(self.classes_) == 1:
            return np.zeros_like(raw)
        if raw.shape[1] > 1:
            return raw
        half = raw if self.loss == "exponential" else raw / 2
        return np.hstack([-half, half])

    def _proba(self, scores: np.ndarray) -> np.ndarray:
        return softmax(scores)

    def _log_proba(self, scores: np.ndarray) -> np.ndarray:
        return log_softmax(scores)

    def predict(self, X: TableLike) -> np.ndarray:
        """The most probable class of each row, in the type the labels came in; ties go to the first class."""
        raw = self._of_numbers(X)
        return super().predict(X) if raw is None else self._in_form(self._answers(None, self._class_scores(raw)))

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """The probability of each class (columns as in ``classes_``) for each row."""
        raw = self._of_numbers(X)
        return super().predict_proba(X) if raw is None else softmax(self._class_scores(raw))

    def decision_function(self, X: TableLike) -> np.ndarray:
        """The scores that the trees add up to: one for each class, with two classes the log odds of the second alone.

        Under the exponential loss they are half the log odds.
        """
        raw = self._of_numbers(X)
        raw = self._raw(self._encoded(X, "decision_function")) if raw is None else raw
        return raw[:, 0] if len(self.classes_) <= 2 else raw

    def staged_predict_proba(self, X: TableLike) -> Iterator[np.ndarray]:
        """The probabilities after each round."""
        return (softmax(self._class_scores(raw)) for raw in self._staged(X, "staged_predict_proba"))

    def staged_predict(self, X: TableLike) -> Iterator[np.ndarray]:
        """The answers after each round."""
        scores = (self._class_scores(raw) for raw in self._staged(X, "staged_predict"))
        return (self._in_form(self._answers(None, each)) for each in scores)


class GradientBoostingRegressor(BoostingModel, Regressor):
    r"""Adds up trees, each grown on the derivatives of the loss at what the trees before it say.

    As :class:`GradientBoostingClassifier`, for numbers. Under the squared error the derivatives are the residuals. With
    ``engine="exact"`` it is the algorithm of the textbooks: begin with :math:`\hat f = 0` and residuals :math:`r = y`;
    in each round fit a tree of d splits to the residuals, looking at every threshold, add :math:`\lambda` times its
    answer to :math:`\hat f` and take it from the residuals (d is ``max_leaf_nodes - 1``, :math:`\lambda` is
    ``learning_rate``).

    Parameters
    ----------
    loss
        ``"squared_error"``, ``"absolute_error"`` (medians), ``"quantile"`` (the quantile ``alpha``), ``"huber"``
        (squared up to the quantile ``alpha`` of the distances from the median, a line beyond), ``"poisson"`` (counts
        of mean :math:`e^f`), or a function of targets and scores that gives the loss and both derivatives of each row.
    alpha
        The quantile; and where Huber's loss turns into a line.
    engine
        ``"histogram"``, or ``"exact"``: the squared error, no second derivatives, every threshold; of the settings of
        trees it knows ``max_leaf_nodes``, ``max_depth`` and ``min_samples_leaf``.

    References
    ----------
    Friedman (2001), "Greedy function approximation: a gradient boosting machine"; James, Witten, Hastie, Tibshirani
    (2013), "An introduction to statistical learning", algorithm 8.2.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array([1.0, 1.0, 2.0, 2.0, 5.0, 5.0])
    >>> stumps = dict(engine="exact", max_leaf_nodes=2, min_samples_leaf=1, learning_rate=0.5)
    >>> model = GradientBoostingRegressor(n_estimators=2, **stumps).fit(X, y)
    >>> print(model.rounds())
    round 1: x0 <= 3.5 ? +0.75 : +2.5; mean squared error 2.625
    round 2: x0 <= 3.5 ? +0.375 : +1.25; mean squared error 0.78125
    """

    def __init__(
        self,
        *,
        n_estimators: Count | Literal["auto"] = "auto",
        learning_rate: Positive | Literal["auto"] = "auto",
        loss: ValueLoss = "squared_error",
        alpha: Share = 0.9,
        engine: Literal["histogram", "exact"] = "histogram",
        growth: Growth = "auto",
        max_leaf_nodes: Several | Literal["auto"] | None = "auto",
        max_depth: Count | None = None,
        min_samples_leaf: CasesInLeaf | Literal["auto"] = "auto",
        min_child_weight: NonNegative = 1e-3,
        l2: NonNegative | Literal["auto"] = "auto",
        min_gain: NonNegative = 0.0,
        linear_leaves: Flag = False,
        max_bins: SomeBins | Literal["auto"] = "auto",
        nominal_smooth: NonNegative = 10.0,
        nominal_l2: NonNegative = 10.0,
        subsample: Part | Literal["auto"] = "auto",
        sampling: Sampling = "chance",
        top_rate: LessThanAll = 0.0,
        drop_rate: LessThanAll = 0.0,
        max_features: Part | Literal["auto"] = "auto",
        monotonic_cst: Monotone = None,
        interaction_cst: Interactions = None,
        early_stopping: Flag | Literal["auto", "folds"] = "auto",
        validation_fraction: Share = 0.1,
        n_iter_no_change: Count = 20,
        tol: NonNegative = 1e-4,
        warm_start: Flag = False,
        random_state: Seed = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.loss = loss
        self.alpha = alpha
        self.engine = engine
        self.growth = growth
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.min_child_weight = min_child_weight
        self.l2 = l2
        self.min_gain = min_gain
        self.linear_leaves, self.max_bins = linear_leaves, max_bins
        self.nominal_smooth = nominal_smooth
        self.nominal_l2 = nominal_l2
        self.subsample, self.sampling = subsample, sampling
        self.top_rate, self.drop_rate = top_rate, drop_rate
        self.max_features = max_features
        self.monotonic_cst, self.interaction_cst = monotonic_cst, interaction_cst
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, X: MixedData, y: np.ndarray, rows: TrainingRows) -> None:
        who, weight = type(self).__name__, counted(rows.weights())
        if self.loss == "poisson" and (y.min() < 0 or y.max() == 0):
            raise DataError(f"{who}(loss='poisson'): targets must be counts of at least 0, and not all 0.")
        unit = 1.0 if self.loss == "poisson" or callable(self.loss) else binary_scale(y)
        y = y * unit
        if self.engine == "exact":
            self._refuse_for_exact()
            self._seed = np.zeros(1, np.uint64)
            grown = boost_exactly(self, X, y, weight)
            self._keep(grown, None, unit)
            self.train_loss_ = grown.loss / unit / unit
            return
        alpha = float(self.alpha)
        parameter = huber_bend(y, weight, alpha) if self.loss == "huber" else alpha
        loss: str | OwnLoss
        if callable(self.loss):
            loss = OwnLoss(self.loss, who)
            base = loss.first_score(y, weight)
        else:
            loss, base = self.loss, np.array([first_value_score(self.loss, y, weight, alpha)])
        stratum = np.zeros(len(y), dtype=np.int64)
        self._boost(X, y, weight, loss, base, stratum=stratum, unit=unit, parameter=parameter, groups=rows.groups)

    def _refuse_for_exact(self) -> None:
        others = {
            "loss": ("squared_error",),
            "subsample": (1.0, "auto"),
            "top_rate": (0.0,),
            "drop_rate": (0.0,),
            "max_features": (1.0, "auto"),
            "min_gain": (0.0,),
            "monotonic_cst": (None,),
            "interaction_cst": (None,),
            "linear_leaves": (False,),
            "warm_start": (False,),
        }
        for name, plain in others.items():
            if (value := getattr(self, name)) not in plain:
                raise ParameterError(
                    f"{type(self).__name__}({name}={value!r}): {name} must be {plain[0]!r} where engine='exact'."
                )
        if self.early_stopping not in ("auto", False):
            raise ParameterError(
                f"{type(self).__name__}(early_stopping={self.early_stopping!r}): engine='exact' holds no rows back."
            )

    def rounds(self, n: int | None = None) -> str:
        """The first rounds (all if None) in words: what each tree asks and what it adds.

        With ``engine="exact"`` also the mean squared error of the training rows afterwards.
        """
        return rounds_in_words(self._fitted("rounds"), n)

    # ---- answers

    def _values(self, X: Encoded) -> np.ndarray:
        return self._in_units(self._raw(X)[:, 0])

    def _in_units(self, scores: np.ndarray) -> np.ndarray:
        return np.exp(np.minimum(scores, 700.0)) if self.loss == "poisson" else scores

    def predict(self, X: TableLike) -> np.ndarray:
        """What the trees add up to for each row."""
        raw = self._of_numbers(X)
        return super().predict(X) if raw is None else self._in_units(raw[:, 0])

    def staged_predict(self, X: TableLike) -> Iterator[np.ndarray]:
        """The answers after each round."""
        return (self._in_units(raw[:, 0]) for raw in self._staged(X, "staged_predict"))
