"""Choosing k: the error of every number of neighbours, from a single search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

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
    """

    k: np.ndarray
    error: np.ndarray
    standard_error: np.ndarray
    right: np.ndarray | None
    n_cases: float
    how: str

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
    def knee(self) -> int:
        """Where more neighbours stop paying: the point farthest below the chord of the falling part of the curve.

        The curve is the smallest error so far, from k = 1 to where it is smallest, both axes brought to 0 … 1;
        of points equally far the smallest k (Satopää, Albrecht, Irwin, Raghavan 2011).
        """
        from margin.evaluation.curves.knee import knee_of_falling  # only here: it loads the evaluation

        return int(self.k[knee_of_falling(self.error)])

    def __str__(self) -> str:
        lines = [f"k = 1 … {len(self.k)}, {self.how}, {self.n_cases:,.6g} cases"]
        for what, k in (
            ("smallest error", self.best),
            ("largest k within one standard error", self.within_one_standard_error),
            ("knee", self.knee),
        ):
            lines.append(f"  {what + ':':37}k = {k}, {self._error_in_words(k)}")
        return "\n".join(lines)

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
    What is learnt of the columns, such as their scale, is learnt from all rows. A row of weight w is left out with
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
      knee:                                k = 5, error 3.33% ± 1.47% (145 right)
    >>> model = KNeighborsClassifier(choice.within_one_standard_error).fit(X, y)
    """
    _check(k_max, loss)
    kind = KNeighborsClassifier if loss == "error" else KNeighborsRegressor
    model = kind(
        weights=weights,
        metric=metric,
        p=p,
        algorithm=algorithm,
        leaf_size=leaf_size,
        scale=scale,
        feature_weights=feature_weights,
        n_jobs=n_jobs,
    ).fit(X, y, sample_weight)
    if model._targets.ndim > 1:
        raise LabelError("choose_k: y must be one target; choose k for each of several targets by itself.")
    ranked = left_out(model, k_max) if validation is None else of_validation(model, k_max, validation)
    losses = losses_of(model, ranked)
    error = losses.mean()
    return KChoice(
        k=np.arange(1, len(error) + 1),
        error=error,
        standard_error=losses.standard_error(),
        right=losses.total - losses.sums if loss == "error" else None,
        n_cases=losses.total,
        how="leave-one-out" if validation is None else "validation",
    )


def _check(k_max: Any, loss: Any) -> None:
    if not rule_of(Count).accepts(k_max):
        raise ParameterError(f"choose_k(k_max={k_max!r}): k_max must be {rule_of(Count).words}.")
    if loss not in LOSSES:
        raise ParameterError(f"choose_k(loss={loss!r}): loss must be one of {LOSSES}{closest(loss, LOSSES)}.")
