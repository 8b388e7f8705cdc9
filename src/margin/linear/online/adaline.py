"""Adaline: a linear unit that learns by descending its squared error."""

from __future__ import annotations

from typing import Literal

import numpy as np

import margin._core as _core
from margin.base.representations.numeric import Scale
from margin.base.representations.representation import TrainingRows
from margin.errors import ConvergenceWarning, warn
from margin.linear.online.row_order import Visiting, over_rows, padded, rows_and_weights
from margin.linear.online.squared_error import SquaredErrors, batch_pass, cells_in, lengths_squared, squared_errors
from margin.linear.online.streaming import StreamingClassifier
from margin.linear.presolve import known_ends, reduced
from margin.params import ClassWeight, Count, Flag, NonNegative, Positive, Seed
from margin.typing import Encoded

__all__ = ["Adaline"]

# A loss that grows by more than this is no rounding: the step is too long.
GROWTH, ROUNDING = 1e-6, 1e-9
# A loss of which so little is left, of 1/2 with all weights 0, is rounding in a few epochs more.
NOTHING = 1e-10
# The loss of rows one by one goes up and down; above so many times what it is with all weights 0, it is lost.
LOST = 10.0
# One row at a time must not follow each to the end: this share of the way keeps the noise small.
CAREFUL = 0.02
# Epochs unless told otherwise: so many, but not many more products than so many in all, and a few epochs in any case.
EPOCHS, FEW_EPOCHS, PRODUCTS = 5000, 100, 5e9


class Adaline(StreamingClassifier):
    r"""A linear unit, trained by gradient descent on its squared error; the sign is the answer.

    .. math:: E(w, b) = \tfrac12 \operatorname{mean} (y_i - w \cdot x_i - b)^2, \qquad y_i = \pm 1

    Batches take :math:`w \leftarrow w - \eta\, \nabla E` over all rows and come to the least-squares solution as long
    as :math:`\eta < 2/\lambda`, with :math:`\lambda` the largest eigenvalue of the mean of :math:`x x^\top` (constant
    included); the loss then falls in every epoch. Stochastic descent takes a step for each row (or small batch of
    rows) and stays in the neighbourhood of that solution. Columns of very different size make the way long, which is
    why they are put on one scale unless told otherwise. More than two classes have a unit each, against the rest. An
    epoch is :math:`O(n d)`; batches with up to 512 columns look at the rows once, and then need :math:`O(d^2)`.

    Parameters
    ----------
    method
        ``"batch"`` takes one step an epoch, ``"stochastic"`` one for each row or batch of rows.
    eta0
        The step η. ``"auto"`` takes half of the longest stable one for batches; for single rows a fiftieth of what
        would correct the error of a row of mean length, and never more than would that of the longest.
    max_iter
        Epochs at most. ``"auto"`` is 5000, and fewer where an epoch is long: as many as take some seconds, but
        100 at least. With many columns, or many classes, descent is slow: look at the warning.
    tol
        Training ends when an epoch lowers the loss by no more than this share of it (in stochastic descent: when
        ``n_iter_no_change`` epochs in a row have not gone below the lowest loss by as much).
    batch_size
        Rows of a stochastic step, which takes the mean of their gradients.
    shuffle
        Whether stochastic descent visits the rows in another random order in every epoch.
    n_iter_no_change
        Epochs without progress to wait for in stochastic descent.
    fit_intercept
        Whether there is a constant b.
    class_weight
        Factors for the errors of each class; ``"balanced"`` lets all classes count the same.
    random_state
        Seed of the random orders.

    Attributes
    ----------
    coef_, intercept_
        Weights, one row for two classes, else one per class.
    loss_curve_
        E after each epoch, the mean over the classes where there are more than two. In stochastic descent the mean
        error of the rows as they came, before they were learnt from. ``partial_fit`` adds one entry a call.
    eta_
        The step that was taken.
    n_iter_
        Epochs.

    Notes
    -----
    A step that is too long makes the loss grow. Training then stops with a warning that names the longest stable step,
    and the weights of the lowest loss are kept. ``partial_fit`` takes one epoch over its rows; ``"auto"`` chooses the
    step at the first call.

    References
    ----------
    Widrow, Hoff (1960), "Adaptive switching circuits".

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], ["low", "low", "high", "high"]
    >>> model = Adaline(tol=1e-9, scale=None).fit(X, y)
    >>> model.coef_.round(3).tolist(), model.intercept_.round(3).tolist()
    ([[-0.6]], [1.2])
    >>> bool((np.diff(model.loss_curve_) < 0).all()), model.predict([[1.9], [2.1]]).tolist()
    (True, ['low', 'high'])
    """

    loss_curve_: np.ndarray

    def __init__(
        self,
        *,
        method: Literal["batch", "stochastic"] = "batch",
        eta0: Positive | Literal["auto"] = "auto",
        max_iter: Count | Literal["auto"] = "auto",
        tol: NonNegative = 1e-6,
        batch_size: Count = 1,
        shuffle: Flag = True,
        n_iter_no_change: Count = 5,
        fit_intercept: Flag = True,
        class_weight: ClassWeight = None,
        scale: Scale | None = "standard",
        random_state: Seed = None,
    ) -> None:
        self.method = method
        self.eta0 = eta0
        self.max_iter = max_iter
        self.tol = tol
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.n_iter_no_change = n_iter_no_change
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.scale = scale
        self.random_state = random_state

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        intercept = bool(self.fit_intercept)
        weight = self._with_class_weight(y, rows.weights())
        part = reduced(X, np.zeros_like(y), 1, known_ends(self._encoder, X), intercept, True)  # all classes stay
        width = len(part.columns)
        self._begin(width)
        V = np.zeros((len(self.coef_), width + intercept))
        if V.shape[1] > 0 and len(self.classes_) > 1:
            V = (self._descend if self.method == "batch" else self._descend_by_rows)(part.X, y, weight, V)
        self.coef_, self.intercept_ = part.whole(V[:, :width], V[:, -1] if intercept else self.intercept_)

    def _descend(self, X: Encoded, y: np.ndarray, weight: np.ndarray, V: np.ndarray) -> np.ndarray:
        """Steps over all rows, until they no longer lower the loss."""
        errors = squared_errors(X, y, _shares(weight), len(V), bool(self.fit_intercept))
        curvature = errors.largest_curvature()
        self.eta_ = self._step(1 / max(curvature, 1e-300))
        loss, slope = errors.at(V)
        curve = []
        for _ in range(self._most_epochs(errors.cells_of_epoch())):
            with np.errstate(over="ignore", invalid="ignore"):
                trial = V - self.eta_ * slope
                new_loss, new_slope = errors.at(trial)
            curve.append(float(new_loss.mean()))
            if not curve[-1] <= loss.mean() * (1 + GROWTH) + ROUNDING:
                self._note(curve)
                self._warn_of_growth(2 / curvature, float(loss.mean()))
                return V
            fall = float(loss.mean()) - curve[-1]
            V, loss, slope = trial, new_loss, new_slope
            if fall <= self.tol * curve[-1] or curve[-1] <= NOTHING:
                break
        else:
            self._warn_of_no_end(len(curve), fall)
        self._note(curve)
        return V

    def _descend_by_rows(self, X: Encoded, y: np.ndarray, weight: np.ndarray, V: np.ndarray) -> np.ndarray:
        """Steps for rows or small batches, until epochs no longer lower the loss."""
        repeats, step = rows_and_weights(weight)
        if step is not None:
            step = step / step.max() / (step / step.max()).mean()
        visiting = Visiting.of(X.shape[0], repeats, bool(self.shuffle), self.random_state, "adaline")
        self._choose_step_for_rows(X, weight, step)
        curve: list[float] = []
        best, lowest, waited = V, 0.5, 0
        for number in range(self._most_epochs(cells_in(X) * len(V))):
            before, V = V, V.copy()
            curve.append(self._epoch(X, y, step, visiting, number, V))
            if not self._is_sound(curve[-1], V):
                self._note(curve)
                self._warn_of_growth(self._longest_step_for_rows(X, step), lowest)
                return best if len(curve) > 1 else np.zeros_like(V)
            waited = 0 if curve[-1] < lowest * (1 - self.tol) else waited + 1
            if curve[-1] <= lowest:
                best, lowest = before, curve[-1]
            if waited >= self.n_iter_no_change:
                break
        else:
            self._warn_of_no_end(len(curve), curve[-2] - curve[-1] if len(curve) > 1 else 0.5 - curve[-1])
        self._note(curve)
        return V

    def _epoch(
        self, X: Encoded, y: np.ndarray, step: np.ndarray | None, visiting: Visiting, number: int, V: np.ndarray
    ) -> float:
        """One epoch that changes V; the mean loss of the rows as they came."""
        order = visiting.order(number)
        intercept = bool(self.fit_intercept)
        with np.errstate(over="ignore", invalid="ignore"):
            if self.batch_size > 1:
                order = np.arange(X.shape[0]) if order is None else order
                return float(batch_pass(X, y, step, order, V, self.eta_, self.batch_size).mean() / visiting.n)
            d, n_scores = X.shape[1], len(V)
            w, b = np.zeros((n_scores, padded(d))), V[:, d].copy() if intercept else np.zeros(n_scores)
            w[:, :d] = V[:, :d]
            losses, _ = over_rows(
                _core.linear.sgd_epoch, X, "squared_error", y, step, order, 0, np.full(n_scores, self.eta_), 0.5,
                0.0, 0.0, 0.0, intercept, 0.0, w, b, None, None, None, None, None, np.ones(n_scores, dtype=bool), 1.0,
            )  # fmt: skip
            V[:, :d] = w[:, :d]
            if intercept:
                V[:, d] = b
            return float(losses.mean() / visiting.n)

    def _is_sound(self, loss: float, V: np.ndarray) -> bool:
        return bool(loss <= LOST * 0.5 and np.isfinite(V).all() and np.abs(V).max(initial=0.0) < 1e200)

    def _most_epochs(self, cells: int) -> int:
        """Epochs at most if each takes so many products."""
        if not isinstance(self.max_iter, str):
            return int(self.max_iter)
        return int(min(EPOCHS, max(FEW_EPOCHS, PRODUCTS // max(cells, 1))))

    def _step(self, auto: float) -> float:
        return auto if isinstance(self.eta0, str) else float(self.eta0)

    def _choose_step_for_rows(self, X: Encoded, weight: np.ndarray, step: np.ndarray | None) -> None:
        lengths = lengths_squared(X, bool(self.fit_intercept))
        mean, most = float(_shares(weight) @ lengths), float((lengths * (1.0 if step is None else step)).max())
        self.eta_ = self._step(min(CAREFUL / mean, 1 / most) if most > 0 else 1.0)

    def _longest_step_for_rows(self, X: Encoded, step: np.ndarray | None) -> float:
        """Beyond it a step for the longest row overshoots by more than the error it corrects."""
        lengths = lengths_squared(X, bool(self.fit_intercept)) * (1.0 if step is None else step)
        return 2 / float(lengths.max())

    def _note(self, curve: list[float]) -> None:
        self.loss_curve_, self.n_iter_ = np.array(curve), len(curve)

    def _warn_of_growth(self, longest: float, lowest: float) -> None:
        warn(
            f"Adaline(eta0={self.eta0!r}): the loss grew from {lowest:.3g} to {self.loss_curve_[-1]:.3g} in epoch "
            f"{self.n_iter_}, because the step is too long; the longest stable one is about {longest:.3g} here. The "
            f"weights of the lowest loss are kept (try {self._other_scale('for longer steps')}eta0='auto').",
            ConvergenceWarning,
        )

    def _warn_of_no_end(self, epochs: int, fall: float) -> None:
        warn(
            f"Adaline.fit: the last of {epochs} epochs still lowered the loss by {fall:.2g}, more than "
            f"tol={self.tol:g} of it (try {self._other_scale('which shortens the way')}max_iter={4 * epochs}, "
            "or a larger tol).",
            ConvergenceWarning,
        )

    def _other_scale(self, what_for: str) -> str:
        """The advice to scale columns, unless they are scaled."""
        return "" if self.scale == "standard" else f"scale='standard', {what_for}, "

    def _begin(self, n_columns: int) -> None:
        n_scores = 1 if len(self.classes_) <= 2 else len(self.classes_)
        self.coef_, self.intercept_ = np.zeros((n_scores, n_columns)), np.zeros(n_scores)
        self.eta_, self.loss_curve_, self.n_iter_ = 0.0, np.zeros(0), 0

    def _go_on(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        weight, intercept = self._with_class_weight(y, rows.weights()), bool(self.fit_intercept)
        V = np.column_stack([self.coef_, self.intercept_]) if intercept else self.coef_.copy()
        loss, V = (self._one_step if self.method == "batch" else self._one_epoch)(X, y, weight, V)
        if not self._is_sound(loss, V):
            self._warn_of_growth_in_parts(loss)
        elif len(self.classes_) > 1:
            self.coef_ = np.ascontiguousarray(V[:, : X.shape[1]])
            self.intercept_ = V[:, -1].copy() if intercept else self.intercept_
        self.loss_curve_ = np.append(self.loss_curve_, loss)
        self.n_iter_ += 1

    def _one_step(self, X: Encoded, y: np.ndarray, weight: np.ndarray, V: np.ndarray) -> tuple[float, np.ndarray]:
        errors: SquaredErrors = squared_errors(X, y, _shares(weight), len(V), bool(self.fit_intercept))
        if self.eta_ == 0:
            self.eta_ = self._step(1 / max(errors.largest_curvature(), 1e-300))
        V = V - self.eta_ * errors.at(V)[1]
        return float(errors.at(V)[0].mean()), V

    def _one_epoch(self, X: Encoded, y: np.ndarray, weight: np.ndarray, V: np.ndarray) -> tuple[float, np.ndarray]:
        repeats, step = rows_and_weights(weight)
        if self.eta_ == 0:
            self._choose_step_for_rows(X, weight, step)
        visiting = Visiting.of(X.shape[0], repeats, False, None, "adaline")
        return self._epoch(X, y, step, visiting, 0, V), V

    def _warn_of_growth_in_parts(self, loss: float) -> None:
        warn(
            f"Adaline.partial_fit: the loss grew to {loss:.3g} with the step {self.eta_:.3g}, which is too long for "
            "these rows; what they taught was thrown away (give a smaller eta0).",
            ConvergenceWarning,
        )


def _shares(weight: np.ndarray) -> np.ndarray:
    """Weights that add up to 1, however large or small they were."""
    share = weight / weight.max()
    return share / share.sum()
