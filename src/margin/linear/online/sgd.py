"""Linear models by stochastic gradient descent: any loss of the family, one row at a time."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np

import margin._core as _core
from margin.base.representations.numeric import Scale
from margin.base.representations.representation import TrainingRows
from margin.errors import ConvergenceWarning, InputError, ParameterError, warn
from margin.linear.losses import link_of
from margin.linear.online.row_order import Visiting, padded, rows_and_weights
from margin.linear.online.sgd_state import Descent, Memory, Settings
from margin.linear.online.streaming import StreamingClassifier
from margin.linear.presolve import NEVER, Reduced, known_ends, reduced
from margin.params import ClassWeight, Count, Flag, NonNegative, Positive, Ratio, Seed, Share, choice
from margin.random import generator
from margin.typing import Encoded

__all__ = ["LinearSGD"]

#: An objective above it is no compromise but a sign of steps that are too long: without weights no loss is above 1.
FAR_FROM_GOOD = 100.0

LossName = Annotated[str, choice(known=lambda: tuple(name for name, _ in _core.linear.losses()))]


class LinearSGD(StreamingClassifier):
    r"""Any loss on one linear layer, learnt one row at a time.

    .. math:: \min_{w, b}\; \frac1n \sum_i s_i\, \ell\bigl(y_i (w \cdot x_i + b)\bigr)
        + \alpha \Bigl(\tfrac{1 - \rho}2 \lVert w\rVert^2 + \rho \lVert w\rVert_1\Bigr)

    Each row moves the weights against the slope of its loss by a step :math:`\eta`. More than two classes are learnt
    one against the rest, all in the same pass. One epoch is :math:`O(n d)`, sparse rows cost their stored cells. Good
    for many rows and for streams (``partial_fit``); where data fit in memory, :class:`margin.LogisticRegression` finds
    the optimum itself. Columns should be of similar magnitude (``scale="standard"``).

    Parameters
    ----------
    loss
        "log_loss" is logistic regression, "hinge" a linear support vector machine, "squared_error" Adaline,
        "perceptron" the perceptron; "squared_hinge" and "modified_huber" lie between;
        "exponential" is that of AdaBoost, which needs short steps.
    alpha
        How much the penalty counts.
    l1_ratio
        Share of the L1 penalty: 0 is L2, 1 is L1 (weights become 0), between them the elastic net.
    learning_rate
        "optimal": 1 / (alpha (t + t0)), with t0 such that steps begin at the size of typical weights. "invscaling":
        eta0 / t^power_t. "constant": eta0. "adaptive": eta0, divided by 5 whenever there is no more progress.
    eta0
        The first step of all schedules but "optimal".
    power_t
        How fast the steps of "invscaling" fall.
    average
        Whether the weights are those of the mean over all rows seen, or from which row on they are.
    max_iter
        Epochs at most.
    tol
        Training ends when the objective has not fallen by so much for ``n_iter_no_change`` epochs; None for all epochs.
    n_iter_no_change
        Epochs without progress to wait for.
    early_stopping
        Judge progress by the accuracy on rows that are held out of training, not by the objective.
    validation_fraction
        Share of each class that is held out.
    shuffle
        Visit the rows in another random order in every epoch. Of more than 16,384 visits, blocks of eight neighbours
        are drawn, and then the rows of 128 such blocks in random order.
    fit_intercept
        Whether there is an intercept; it is not penalised.

    Attributes
    ----------
    coef_, intercept_
        One row for two classes (the score of the second), else one per class.
    loss_curve_
        The mean objective of every epoch, the loss of each row taken before it was learnt.
    n_iter_, t_
        Epochs, and rows learnt from plus one.

    Notes
    -----
    Whole-number sample weights are further visits to a row, other weights and class weights multiply its step, as
    scikit-learn's do. Sparse rows have the same steps for the intercept as dense ones, unlike scikit-learn's.

    References
    ----------
    Bottou (2010), "Large-scale machine learning with stochastic gradient descent"; Tsuruoka, Tsujii, Ananiadou (2009)
    for L1; Xu (2011) for averages.

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = LinearSGD(scale="standard", random_state=0).fit(X, y)
    >>> round(model.score(X, y), 1), model.predict_proba(X[:1]).round(1).tolist()
    (1.0, [[1.0, 0.0, 0.0]])
    """

    loss_curve_: np.ndarray
    n_iter_: int
    t_: float
    _memory: Memory

    def __init__(
        self,
        *,
        loss: LossName = "log_loss",
        alpha: NonNegative = 1e-4,
        l1_ratio: Ratio = 0.0,
        learning_rate: Literal["optimal", "constant", "invscaling", "adaptive"] = "optimal",
        eta0: Positive = 0.01,
        power_t: NonNegative = 0.5,
        average: Flag | Count = False,
        max_iter: Count = 1000,
        tol: NonNegative | None = 1e-3,
        n_iter_no_change: Count = 5,
        early_stopping: Flag = False,
        validation_fraction: Share = 0.1,
        shuffle: Flag = True,
        fit_intercept: Flag = True,
        class_weight: ClassWeight = None,
        scale: Scale | None = None,
        random_state: Seed = 0,
    ) -> None:
        self.loss = loss
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.average = average
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.shuffle = shuffle
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.scale = scale
        self.random_state = random_state

    def _gives_probabilities(self) -> bool:
        return bool(link_of(self.loss))

    def _link(self) -> str:
        return link_of(self.loss) or "one_vs_rest"

    def _settings(self) -> Settings:
        if self.learning_rate == "optimal" and self.alpha == 0:
            raise ParameterError(
                "LinearSGD(alpha=0): the steps of learning_rate='optimal' are 1 / (alpha t); alpha must be above 0 "
                "(or choose learning_rate='invscaling')."
            )
        return Settings(
            loss=self.loss,
            alpha=float(self.alpha),
            l1_ratio=float(self.l1_ratio),
            learning_rate=self.learning_rate,
            eta0=float(self.eta0),
            power_t=float(self.power_t),
            intercept=bool(self.fit_intercept),
            average_from=float(self.average),
            max_iter=int(self.max_iter),
            tol=None if self.tol is None else float(self.tol),
            n_iter_no_change=int(self.n_iter_no_change),
        )

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        settings, weight = self._settings(), rows.weights()
        part = reduced(X, y, len(self.classes_), known_ends(self._encoder, X), settings.intercept, True)
        weighted = self._with_class_weight(y, weight)
        n_scores = 1 if len(part.classes) <= 2 else len(part.classes)
        memory = Memory.empty(n_scores, len(part.columns))
        if len(part.classes) < 2 or (len(part.columns) == 0 and settings.intercept):
            memory.b[:] = self._of_shares(np.bincount(part.y, weighted, len(part.classes)) / weighted.sum(), n_scores)
            self._keep(memory, part, [])
            return
        repeats, step = rows_and_weights(weight)
        if self.class_weight is not None:
            step = np.ascontiguousarray(weighted / weight if step is None else weighted)
        descent = Descent(settings, memory, part.X, part.y, step)
        visiting = Visiting.of(len(part.y), repeats, bool(self.shuffle), self.random_state, "sgd")
        held_out = None
        if self.early_stopping:
            visiting, held_out = self._hold_out(part, visiting)
        finished = descent.run(visiting, held_out)
        self._refuse_divergence(descent)
        if not finished:
            self._warn_of_haste(descent)
        self._keep(descent.memory, part, descent.curve)

    def _hold_out(self, part: Reduced, visiting: Visiting) -> tuple[Visiting, tuple[Any, np.ndarray]]:
        """Some rows of each class for judging, and visits to the others alone."""
        draw = generator(self.random_state, "sgd", "held out").random(len(part.y))
        held = np.zeros(len(part.y), dtype=bool)
        for k in range(len(part.classes)):
            rows = np.flatnonzero(part.y == k)
            held[rows[np.argsort(draw[rows])[: round(len(rows) * self.validation_fraction)]]] = True
        if not held.any():
            raise InputError(
                f"LinearSGD(early_stopping=True, validation_fraction={self.validation_fraction}): not one of "
                f"{len(held)} rows is held out; give more rows or a larger share."
            )
        rows = np.flatnonzero(held)
        return visiting.among(np.flatnonzero(~held)), (part.X[rows], part.y[rows])

    def _refuse_divergence(self, descent: Descent) -> None:
        if not (np.isfinite(descent.curve[-1]) and np.isfinite(descent.memory.w).all()):
            raise InputError(
                f"LinearSGD.fit: the weights grew beyond all bounds in epoch {len(descent.curve)}; "
                f"{self._advice()} keeps them in."
            )
        if descent.curve[-1] > FAR_FROM_GOOD:
            warn(
                f"LinearSGD.fit: the mean objective is {descent.curve[-1]:.3g} in the last epoch, where weights of 0 "
                f"have at most 1, so that steps are too long for these columns; {self._advice()} helps.",
                ConvergenceWarning,
            )

    def _advice(self) -> str:
        smaller = "a larger alpha" if self.learning_rate == "optimal" else "a smaller eta0"
        return smaller if self.scale is not None else f"scale='standard' or {smaller}"

    def _warn_of_haste(self, descent: Descent) -> None:
        by = "" if descent.missed_by is None else f" (by up to {descent.missed_by:.2g} in the last one)"
        warn(
            f"LinearSGD.fit: the objective still fell by more than tol={self.tol:g}{by} after {len(descent.curve)} "
            "epochs; raise max_iter or tol.",
            ConvergenceWarning,
        )

    def _of_shares(self, shares: np.ndarray, n_scores: int) -> np.ndarray:
        """Intercepts that answer with the shares of the classes, where no column says anything."""
        shares = shares[-1:] if n_scores == 1 else shares
        if link_of(self.loss) != "one_vs_rest":
            return 2 * shares - 1
        with np.errstate(divide="ignore"):
            return np.clip(np.log(shares) - np.log1p(-shares), NEVER, -NEVER)

    def _keep(self, memory: Memory, part: Reduced, curve: list[float]) -> None:
        """Weights for all columns and classes, those left out of the rows included."""
        two_of_several = len(part.classes) == 2 < part.n_classes

        def whole(w: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            coef, intercept = part.whole(w[:, : len(part.columns)], b)
            return (
                (2 * coef, np.where(intercept == NEVER, NEVER, 2 * intercept)) if two_of_several else (coef, intercept)
            )

        def widen(w: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            coef, intercept = whole(w, b)
            wide = np.zeros((len(coef), padded(part.n_columns)))
            wide[:, : part.n_columns] = coef
            return wide, np.where(np.abs(intercept) >= -NEVER, 0.0, intercept)

        self.coef_, self.intercept_ = whole(*memory.weights(len(part.columns)))
        nothing_left_out = len(part.columns) == part.n_columns and len(part.classes) == part.n_classes
        self._memory = memory if nothing_left_out else memory.widened(widen, part.n_columns)
        self.loss_curve_, self.n_iter_, self.t_ = np.array(curve), len(curve), memory.t

    def _begin(self, n_columns: int) -> None:
        self._memory = Memory.empty(1 if len(self.classes_) <= 2 else len(self.classes_), n_columns)
        self.loss_curve_, self.n_iter_ = np.zeros(0), 0

    def _go_on(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        weight = rows.weights()
        repeats, step = rows_and_weights(weight)
        if self.class_weight is not None:
            weighted = self._with_class_weight(y, weight)
            step = np.ascontiguousarray(weighted / weight if step is None else weighted)
        y = y if len(self.classes_) > 1 else y + 1
        descent = Descent(self._settings(), self._memory.copy(), X, y, step)
        visiting = Visiting.of(X.shape[0], repeats, bool(self.shuffle), self.random_state, "sgd")
        descent.epoch(visiting.order(self.n_iter_))
        self._refuse_divergence(descent)
        self._memory = descent.memory
        self.coef_, self.intercept_ = descent.memory.weights(X.shape[1])
        self.loss_curve_ = np.append(self.loss_curve_, descent.curve)
        self.n_iter_, self.t_ = self.n_iter_ + 1, descent.memory.t
