"""Choosing k: the error of every number of neighbours, from a single search."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from sklearn.base import clone

from margin.data.labels import label_array
from margin.data.weights import check_weights
from margin.errors import LabelError, ParameterError, closest
from margin.neighbors.distances import FeatureWeights, Metric, RowScale
from margin.neighbors.indexes.choose import Algorithm
from margin.neighbors.knn import KNeighborsClassifier, KNeighborsRegressor
from margin.neighbors.losses_by_k import left_out, losses_of, of_validation
from margin.neighbors.votes import Votes
from margin.params import Count, rule_of
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["KChoice", "choose_k"]

LOSSES = ("error", "squared_error")
#: Up to so many rows are left out by fitting anew, to tell what the scale knows of them.
MOST_REFITTED = 500


@dataclass(frozen=True)
class KChoice:
    """The error of k nearest neighbours for every k, and which k to take.

    Attributes
    ----------
    k
        The numbers of neighbours, 1 … K.
    error
        The error of each: the share of wrong answers, or the mean squared error.
    standard_error
        How far each error may be off by chance: binomial for shares, of the mean for squares.
    right
        How many answers of each are right, by weight; None where the target is a quantity.
    n_cases
        How many cases were answered, by weight.
    how
        Where the cases came from: ``"leave-one-out"`` or ``"validation"``.
    rescaled_error
        Where columns are scaled and rows left out: the error of ``best`` with the scale learnt without each row too.
        The errors of all k are with the scale of all rows; how far the two differ is how much that matters. None where
        nothing is scaled, or where it would take too many fits.
    """

    k: np.ndarray
    error: np.ndarray
    standard_error: np.ndarray
    right: np.ndarray | None
    n_cases: float
    how: str
    rescaled_error: float | None = None
    scaled: bool = False

    @property
    def best(self) -> int:
        """The k of the smallest error; of several the largest, whose answers are the smoothest."""
        return int(self.k[np.flatnonzero(self.error == self.error.min())[-1]])

    @property
    def within_one_standard_error(self) -> int:
        """The largest k whose error is at most one standard error above the smallest.

        The smoothest model that chance alone could have made worse (Breiman, Friedman, Olshen, Stone 1984).
        """
        at = self.best - 1
        return int(self.k[np.flatnonzero(self.error <= self.error[at] + self.standard_error[at])[-1]])

    @property
    def knee(self) -> int | None:
        """The k of the smallest error before it rises again; of several the smallest.

        None where the error only falls, so that k should go on, or only rises.
        """
        from margin.evaluation.curves.knee import knee_of  # only here: it loads the evaluation

        at = knee_of(self.error)
        return None if at is None else int(self.k[at])

    def __str__(self) -> str:
        lines = [f"k = 1 … {len(self.k)}, {self.how}, {self.n_cases:,.6g} cases"]
        for what, k in (
            ("smallest error", self.best),
            ("largest k within one standard error", self.within_one_standard_error),
            ("knee", self.knee),
        ):
            told = (
                "none, the error does not fall and rise again" if k is None else f"k = {k}, {self._error_in_words(k)}"
            )
            lines.append(f"  {what + ':':37}{told}")
        if self.scaled:
            lines.append(f"  The scale is that of all rows; {self._rescaled_in_words()}.")
        return "\n".join(lines)

    def _rescaled_in_words(self) -> str:
        if self.rescaled_error is None:
            return "how much it matters that it knows the row left out was not measured"
        at = self.error[self.best - 1]
        shown = "{:.4g} in place of {:.4g}" if self.right is None else "{:.2%} in place of {:.2%}"
        return f"learnt without each row left out, k = {self.best} errs by {shown.format(self.rescaled_error, at)}"

    def _error_in_words(self, k: int) -> str:
        error, chance = self.error[k - 1], self.standard_error[k - 1]
        if self.right is None:
            return f"mean squared error {error:.4g} ± {chance:.2g}"
        return f"error {error:.2%} ± {chance:.2%} ({self.right[k - 1]:,.6g} right)"


def choose_k(
    X: TableLike,
    y: LabelsLike,
    k_max: int = 200,
    *,
    weights: Votes = "uniform",
    metric: Metric = "minkowski",
    p: float = 2.0,
    algorithm: Algorithm = "auto",
    leaf_size: int | None = None,
    scale: RowScale | None = None,
    feature_weights: FeatureWeights = None,
    loss: Literal["error", "squared_error"] = "error",
    validation: tuple[Any, Any] | None = None,
    sample_weight: WeightsLike | None = None,
    n_jobs: int | None = None,
) -> KChoice:
    """The error of k nearest neighbours for k = 1 … ``k_max``, from a single search instead of as many fits.

    Each training row is answered by its nearest others, as :class:`KNeighborsClassifier` (``loss="error"``) or
    :class:`KNeighborsRegressor` (``loss="squared_error"``) would answer it if it had been left out; ties included.
    What is learnt of the columns, such as their scale, is learnt from all rows, the one left out included; by how much
    that changes the error of the best k is measured and told (``rescaled_error``). A row of weight w is left out with
    all its weight, and its answer counts w times. With ``validation=(X, y)`` those rows are answered instead.

    At most as many neighbours are asked as there are. O(n k_max) votes after the search, in memory that does not
    grow with n. Other parameters are those of :class:`KNeighborsClassifier`.

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> choice = choose_k(X, y, 50)
    >>> choice.right[[0, 2, 4, 6]].astype(int).tolist()
    [144, 144, 145, 145]
    >>> print(choice)
    k = 1 … 50, leave-one-out, 150 cases
      smallest error:                      k = 21, error 2.00% ± 1.14% (147 right)
      largest k within one standard error: k = 22, error 2.67% ± 1.32% (146 right)
      knee:                                k = 19, error 2.00% ± 1.14% (147 right)
    >>> model = KNeighborsClassifier(choice.within_one_standard_error).fit(X, y)
    """
    _check(k_max, loss)
    kind = KNeighborsClassifier if loss == "error" else KNeighborsRegressor
    fresh = kind(
        weights=weights,
        metric=metric,
        p=p,
        algorithm=algorithm,
        leaf_size=leaf_size,
        scale=scale,
        feature_weights=feature_weights,
        n_jobs=n_jobs,
    )
    model = clone(fresh).fit(X, y, sample_weight)
    if model._targets.ndim > 1:
        raise LabelError("choose_k: y must be one target; choose k for each of several targets by itself.")
    ranked = left_out(model, k_max) if validation is None else of_validation(model, k_max, validation)
    losses = losses_of(model, ranked)
    error = losses.mean()
    found = KChoice(
        k=np.arange(1, len(error) + 1),
        error=error,
        standard_error=losses.standard_error(),
        right=losses.total - losses.sums if loss == "error" else None,
        n_cases=losses.total,
        how="leave-one-out" if validation is None else "validation",
        scaled=scale is not None and validation is None,
    )
    if not found.scaled:
        return found
    return replace(found, rescaled_error=_rescaled_error(fresh.set_params(n_neighbors=found.best), X, y, sample_weight))


def _rescaled_error(model: Any, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None) -> float | None:
    """The error by leave-one-out with nothing known of the row left out, its part in the scale included."""
    from margin.evaluation.predictions.leave_one_out import refitted_predictions  # only here: it loads the evaluation

    truth = np.asarray(label_array(y, "choose_k"))
    weight = check_weights(sample_weight, len(truth), "choose_k")
    said = model.left_out_answers(X, y, sample_weight) if hasattr(model, "left_out_answers") else None
    if said is None:
        if len(truth) > MOST_REFITTED:
            return None
        said = refitted_predictions(model, X, truth, weight, np.arange(len(truth)))
    if hasattr(model, "predict_proba"):
        losses = (np.asarray(said.labels, dtype=object) != truth.astype(object)).astype(np.float64)
    else:
        losses = (np.asarray(said.labels, dtype=np.float64) - truth.astype(np.float64)) ** 2
    return float(np.average(losses, weights=weight))


def _check(k_max: Any, loss: Any) -> None:
    if not rule_of(Count).accepts(k_max):
        raise ParameterError(f"choose_k(k_max={k_max!r}): k_max must be {rule_of(Count).words}.")
    if loss not in LOSSES:
        raise ParameterError(f"choose_k(loss={loss!r}): loss must be one of {LOSSES}{closest(loss, LOSSES)}.")
