"""What forests answer: the mean share of each class, or the mean of the numbers, over all trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from margin.base import Classifier, Regressor
from margin.base.representations.mixed import MixedData
from margin.base.representations.representation import TrainingRows
from margin.base.targets.class_weight import class_factors
from margin.base.targets.label_sets import encode_label_sets
from margin.base.targets.numbers import encode_targets
from margin.data.label_sets import sets_of
from margin.ensemble.forest.agreement import Strength, strength_of
from margin.ensemble.forest.forest_model import ForestModel
from margin.ensemble.forest.proximities import outlier_measure, proximities
from margin.ensemble.forest.quantiles import ROOM, leaf_weights, weighted_quantiles
from margin.ensemble.forest.rows_again import rows_again
from margin.ensemble.forest.several import codes_again, one_target, row_factors
from margin.ensemble.left_out import answers_out_of_bag
from margin.errors import LabelError, ParameterError
from margin.tree.costs import cost_matrix, in_few_bits
from margin.tree.several_outputs import per_output
from margin.tree.tree_model import codes_among
from margin.typing import Encoded, LabelsLike, TableLike, WeightsLike

__all__ = ["ForestClassifier", "ForestRegressor"]


class ForestClassifier(ForestModel, Classifier):
    """Trees for classes.

    Parameters
    ----------
    criterion
        What splits lower: ``"gini"``, ``"entropy"`` (or ``"log_loss"``), or ``"error"`` (share of errors).
    class_weight
        ``"balanced"``, ``"balanced_subsample"`` (balanced among the rows that a tree drew), or a factor for the rows of
        each class.
    costs
        What errors cost: a matrix in the order of ``classes_`` (true classes down, answers across), or a mapping from
        (true, answer) to the cost. Trees grow as without it, and probabilities stay; the answer is the class that costs
        least by them. ``oob_error_`` stays the share of rows whose most probable class is another.
    """

    criterion: str
    class_weight: Any
    costs: Any
    _costs: np.ndarray | None = None
    #: Whether y had several columns.
    outputs_2d_ = False

    def _fit(self, X: MixedData, y: np.ndarray, rows: TrainingRows) -> None:
        who, weight, n_classes = type(self).__name__, rows.weights(), len(self.classes_)
        criterion = "entropy" if self.criterion == "log_loss" else self.criterion
        self.__dict__.pop("_costs", None)
        if y.ndim == 2:
            sizes = tuple(len(labels) for labels in self.classes_)
            self._grow(X, y, weight, criterion, n_classes=sizes, factors=row_factors(self, y, weight))
            return
        if self.monotonic_cst is not None and n_classes > 2:
            raise ParameterError(f"{who}(monotonic_cst=…): only the shares of two classes can rise or fall.")
        if self.costs is not None:
            self._costs = cost_matrix(self.costs, self.classes_, who)
        balanced = isinstance(self.class_weight, str) and self.class_weight == "balanced_subsample"
        totals = np.bincount(y, weight, n_classes)
        given: Any = None if balanced else self.class_weight
        factors = in_few_bits(class_factors(given, self.classes_, totals, who))
        self._grow(X, y, weight, criterion, n_classes=(n_classes,), factors=factors[y], balanced=balanced)

    @property
    def n_outputs_(self) -> int:  # type: ignore[override]
        """How many targets there are."""
        return len(self._fitted("n_outputs_").classes_) if self.outputs_2d_ else 1

    def _told_apart(self, shares: np.ndarray) -> Any:
        """Shares among the classes of all outputs as those of each output: a list where there are several."""
        return per_output(shares, [len(labels) for labels in self.classes_]) if self.outputs_2d_ else shares

    def _scores(self, X: Encoded) -> Any:
        return self._told_apart(self._said(X))

    def _answers(self, X: Encoded, scores: Any) -> np.ndarray:
        return super()._answers(X, scores) if self._costs is None else self.classes_.take(self._cheapest(scores))

    def _cheapest(self, shares: np.ndarray) -> np.ndarray:
        """The code of the class that costs least where classes have such shares; without costs the largest share."""
        return shares.argmax(axis=1) if self._costs is None else (shares @ self._costs).argmin(axis=1)

    def _oob_codes(self) -> np.ndarray:
        """The answer out of bag to each row, as a code; of no meaning where all trees drew it."""
        return self._cheapest(np.nan_to_num(self.oob_decision_function_))

    def predict(self, X: TableLike) -> np.ndarray:
        """The class with the largest mean share (with ``costs`` the cheapest), in the type the labels came in.

        Ties go to the first class.
        """
        scores = self._of_numbers(X)
        return super().predict(X) if scores is None else self._in_form(self._answers(None, self._told_apart(scores)))

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """The mean over the trees of the shares of each class (columns as in ``classes_``) at their leaves.

        Of several targets it is a list, with the shares of each.
        """
        scores = self._of_numbers(X)
        return super().predict_proba(X) if scores is None else self._told_apart(scores)

    @property
    def oob_decision_function_(self) -> np.ndarray:
        """The probability of each class for each training row, by the trees that did not draw it; NaN where all did.

        Of several targets it is a list, with the probabilities of each.
        """
        self._fitted("oob_decision_function_")
        with np.errstate(invalid="ignore"):
            found: np.ndarray = self._told_apart(self._oob_votes / self._oob_counts[:, None])
        return found

    @property
    def oob_score_(self) -> float:
        """The accuracy out of bag; of several targets the mean of those of each."""
        return 1.0 - float(self._fitted("oob_score_").oob_error_[-1])

    def out_of_bag_answers(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> Any:
        """What leaving out one row after another comes to, by members that did not draw it; see ``evaluate``."""
        return answers_out_of_bag(self, X, y, sample_weight)

    def _targets_again(self, y: LabelsLike, n_rows: int, who: str) -> np.ndarray:
        if self.outputs_2d_:
            codes = self._several_again(y, n_rows, who)
        else:
            codes = codes_among(y, n_rows, self.classes_, who)
        if (codes < 0).any():
            raise LabelError(f"{who}: y must have the classes of fit, and no other.")
        return codes

    def _several_again(self, y: LabelsLike, n_rows: int, who: str) -> np.ndarray:
        sets = sets_of(y, who) if "labels_" in self.__dict__ else None
        if sets is None:
            return codes_again(y, n_rows, self.classes_, who)
        labels, _, codes = encode_label_sets(sets, n_rows, who)
        if not np.array_equal(labels, self.labels_):
            raise LabelError(f"{who}: y must have the labels of fit, and no other.")
        return codes

    def strength(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> Strength:
        """How sure the trees are of the true class out of bag, and how alike they are: Breiman's s and ρ.

        X and y are the rows of ``fit``. The error of the forest is at most ρ (1 - s²) / s².

        >>> from margin.data import catalog
        >>> from margin import RandomForestClassifier
        >>> X, y = catalog.load("iris").target("class")
        >>> found = RandomForestClassifier(random_state=0).fit(X, y).strength(X, y)
        >>> round(found.strength, 1), found.error_bound < 1
        (0.9, True)
        """
        one_target(self._fitted("strength"), "strength")
        rows = rows_again(self, X, y, sample_weight, "strength")
        votes = self._votes_of(X, "strength").argmax(axis=2)[rows.kept]
        return strength_of(votes, rows.drawn().T == 0, rows.y)

    def outliers(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> np.ndarray:
        """How far each training row lies from its own class, by proximities: above 10 is worth a look.

        Breiman and Cutler's measure; rows of weight 0 have NaN.
        """
        one_target(self._fitted("outliers"), "outliers")
        rows = rows_again(self, X, y, sample_weight, "outliers", out_of_bag=False)
        leaves = self.apply(X)
        found = np.full(len(leaves), np.nan)
        found[rows.kept] = outlier_measure(proximities(leaves[rows.kept], leaves[rows.kept]), rows.y)
        return found


class ForestRegressor(ForestModel, Regressor):
    """Trees for numbers, under the squared error."""

    def _fit(self, X: MixedData, y: np.ndarray, rows: TrainingRows) -> None:
        if y.ndim == 2 and self.monotonic_cst is not None:
            raise ParameterError(
                f"{type(self).__name__}(monotonic_cst=…): monotonic_cst must be None where y has several columns (fit "
                "one forest for each of them)."
            )
        self._grow(X, y, rows.weights(), "squared_error")
        if "_oob_votes" not in self.__dict__:
            return
        targets = y.reshape(len(y), -1).T
        spread = [_variance(each, rows.weights(), self._oob_counts) for each in targets]
        self._variance = spread[0] if y.ndim == 1 else float(np.mean(spread))
        if y.ndim == 2:
            errors = _errors(y - self.oob_prediction_, rows.weights(), self._oob_counts)
            self._oob_r2 = float(np.mean([_explained(e, s) for e, s in zip(errors, spread, strict=True)]))

    @property
    def n_outputs_(self) -> int:  # type: ignore[override]
        """How many targets there are."""
        return int(self._fitted("n_outputs_").trees_.shares.shape[1])

    def _values(self, X: Encoded) -> np.ndarray:
        return self._one_or_several(self._said(X))

    def _one_or_several(self, values: np.ndarray) -> np.ndarray:
        return values if self.n_outputs_ > 1 else values[:, 0]

    def predict(self, X: TableLike) -> np.ndarray:
        """The mean over the trees of the means at their leaves."""
        values = self._of_numbers(X)
        return super().predict(X) if values is None else self._one_or_several(values)

    @property
    def oob_prediction_(self) -> np.ndarray:
        """The answer for each training row, by the trees that did not draw it; NaN where all did."""
        self._fitted("oob_prediction_")
        with np.errstate(invalid="ignore"):
            return self._one_or_several(self._oob_votes / self._oob_counts[:, None])

    @property
    def oob_score_(self) -> float:
        """The coefficient of determination R² out of bag: 1 - mean squared error / variance.

        Of several targets it is the mean of those of each.
        """
        error = float(self._fitted("oob_score_").oob_error_[-1])
        return self._oob_r2 if self.n_outputs_ > 1 else _explained(error, self._variance)

    def _targets_again(self, y: LabelsLike, n_rows: int, who: str) -> np.ndarray:
        return encode_targets(y, n_rows, who, several=self.n_outputs_ > 1)

    def predict_quantiles(
        self,
        X: TableLike,
        quantiles: Sequence[float],
        *,
        trained_on: tuple[TableLike, LabelsLike] | tuple[TableLike, LabelsLike, WeightsLike],
    ) -> np.ndarray:
        """What shares of the targets lie below, for each row: rows x quantiles.

        A forest keeps means, not targets: ``trained_on`` are the X and y (and weights) of ``fit``, or any other rows
        whose targets shall speak. A target weighs as much as the row shares leaves with its own (Meinshausen 2006), so
        that intervals are wide where targets scatter. O(rows · training rows · trees) time.

        >>> import numpy as np
        >>> from margin import RandomForestRegressor
        >>> rng = np.random.default_rng(0)
        >>> X = rng.uniform(size=(400, 1))
        >>> y = X[:, 0] * rng.normal(size=400)
        >>> model = RandomForestRegressor(random_state=0).fit(X, y)
        >>> low, high = model.predict_quantiles([[0.1], [0.9]], [0.1, 0.9], trained_on=(X, y)).T
        >>> bool(high[0] - low[0] < high[1] - low[1])
        True
        """
        shares = np.asarray(quantiles, dtype=np.float64)
        if shares.ndim != 1 or not len(shares) or not ((shares >= 0) & (shares <= 1)).all():
            raise ParameterError(
                f"{type(self).__name__}.predict_quantiles(quantiles={quantiles!r}): quantiles must be numbers from 0 "
                "to 1."
            )
        known, y, weight = trained_on if len(trained_on) == 3 else (*trained_on, None)
        one_target(self._fitted("predict_quantiles"), "predict_quantiles")
        rows = rows_again(self, known, y, weight, "predict_quantiles", same=False)
        trained, leaves = self.apply(known)[rows.kept], self.apply(X)
        at_once = max(1, ROOM // (8 * max(len(trained), 1)))
        parts = [
            weighted_quantiles(rows.y, leaf_weights(leaves[k : k + at_once], trained, rows.weight), shares)
            for k in range(0, len(leaves), at_once)
        ]
        return np.vstack([np.empty((0, len(shares))), *parts])


def _variance(y: np.ndarray, weight: np.ndarray, counts: np.ndarray) -> float:
    """The variance of the targets that were asked out of bag."""
    asked = counts > 0
    if not asked.any():
        return 0.0
    mean = np.average(y[asked], weights=weight[asked])
    return float(np.average((y[asked] - mean) ** 2, weights=weight[asked]))


def _errors(apart: np.ndarray, weight: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The mean squared error of each output, over the rows that were asked out of bag."""
    asked = counts > 0
    if not asked.any():
        return np.full(apart.shape[1], np.nan)
    return np.average(apart[asked] ** 2, axis=0, weights=weight[asked])


def _explained(error: float, variance: float) -> float:
    return 1.0 - error / variance if variance > 0 else float("nan")
