"""Random forests: trees of drawn rows that look at drawn columns."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from margin.base import Classifier, Regressor
from margin.base.representations.mixed import MixedData
from margin.base.representations.representation import TrainingRows
from margin.base.targets.class_weight import class_factors
from margin.ensemble.forest.forest_model import ForestModel
from margin.errors import ParameterError
from margin.params import ClassWeight, Count, Flag, Jobs, NonNegative, Seed
from margin.tree.costs import in_few_bits
from margin.tree.settings import Bins, CasesInLeaf, CasesToSplit, ColumnsLookedAt, LeafShare, Monotone
from margin.typing import Encoded, TableLike

__all__ = ["RandomForestClassifier", "RandomForestRegressor"]


class RandomForestClassifier(ForestModel, Classifier):
    r"""Asks many trees, each grown from other rows and other columns, and answers the mean of what they say.

    Each tree learns from as many rows as there are, drawn with replacement, and each of its nodes looks at
    :math:`m = \sqrt{d}` columns drawn anew. Trees that differ err differently: with correlation :math:`\rho` between
    trees of variance :math:`\sigma^2` the mean of B of them varies by :math:`\rho\sigma^2 + (1-\rho)\sigma^2/B`. More
    trees never hurt but in time; fewer columns make trees more different, and each of them worse. A row is left out by
    a tree with probability :math:`(1 - 1/n)^n \approx .368`, and those trees say how wrong the forest is
    (``oob_error_``), without rows held back. Growing costs :math:`O(B\,m\,n \log n)`.

    Nominal columns, ordered ones and missing cells are taken as they are. Whole-number weights stand for repeated rows,
    other weights multiply those of the draws. Where few of very many columns say anything, most nodes see none of them:
    of 103 columns, 3 of which matter, 10 drawn ones hold one of these with probability .266.

    Parameters
    ----------
    criterion
        What splits lower: ``"gini"``, ``"entropy"`` (or ``"log_loss"``), or ``"error"`` (share of errors).
    class_weight
        ``"balanced"``, ``"balanced_subsample"`` (balanced among the rows that a tree drew), or a factor for the rows of
        each class.

    References
    ----------
    Breiman (2001), "Random forests".

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = RandomForestClassifier(random_state=0).fit(X, y)
    >>> model.oob_error_[-1] < 0.07, model.trees_.n_trees
    (np.True_, 100)
    """

    def __init__(
        self,
        *,
        n_estimators: Count | Literal["auto"] = 100,
        criterion: Literal["gini", "entropy", "log_loss", "error"] = "gini",
        max_depth: Count | None = None,
        min_samples_split: CasesToSplit = 2,
        min_samples_leaf: CasesInLeaf = 1,
        min_weight_fraction_leaf: LeafShare = 0.0,
        max_features: ColumnsLookedAt | Literal["sqrt", "log2"] | None = "sqrt",
        min_impurity_decrease: NonNegative = 0.0,
        bootstrap: Flag = True,
        oob_score: Flag = True,
        max_samples: ColumnsLookedAt | None = None,
        class_weight: ClassWeight | Literal["balanced_subsample"] = None,
        monotonic_cst: Monotone = None,
        nominal: Literal["subset", "one_vs_rest"] = "subset",
        max_bins: Bins | Literal["auto"] | None = "auto",
        random_state: Seed = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.max_samples = max_samples
        self.class_weight = class_weight
        self.monotonic_cst = monotonic_cst
        self.nominal = nominal
        self.max_bins = max_bins
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, X: MixedData, y: np.ndarray, rows: TrainingRows) -> None:
        who, weight, n_classes = type(self).__name__, rows.weights(), len(self.classes_)
        if self.monotonic_cst is not None and n_classes > 2:
            raise ParameterError(f"{who}(monotonic_cst=…): only the shares of two classes can rise or fall.")
        balanced = isinstance(self.class_weight, str) and self.class_weight == "balanced_subsample"
        totals = np.bincount(y, weight, n_classes)
        given: Any = None if balanced else self.class_weight
        factors = in_few_bits(class_factors(given, self.classes_, totals, who))
        criterion = "entropy" if self.criterion == "log_loss" else self.criterion
        self._grow(X, y, weight, criterion, factors=factors, balanced=balanced)

    def _scores(self, X: Encoded) -> np.ndarray:
        return self._said(X)

    def predict(self, X: TableLike) -> np.ndarray:
        """The class with the largest mean share, in the type the labels came in; ties go to the first class."""
        scores = self._of_numbers(X)
        return super().predict(X) if scores is None else self._in_form(self._answers(None, scores))

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """The mean over the trees of the shares of each class (columns as in ``classes_``) at their leaves."""
        scores = self._of_numbers(X)
        return super().predict_proba(X) if scores is None else scores

    @property
    def oob_decision_function_(self) -> np.ndarray:
        """The probability of each class for each training row, by the trees that did not draw it; NaN where all did."""
        self._fitted("oob_decision_function_")
        with np.errstate(invalid="ignore"):
            found: np.ndarray = self._oob_votes / self._oob_counts[:, None]
        return found

    @property
    def oob_score_(self) -> float:
        """The accuracy out of bag."""
        return 1.0 - float(self._fitted("oob_score_").oob_error_[-1])


class RandomForestRegressor(ForestModel, Regressor):
    r"""Asks many trees, each grown from other rows and other columns, and answers the mean of what they say.

    As :class:`RandomForestClassifier`, with the squared error for a criterion; nodes look at a third of the columns,
    and leaves hold 5 cases at least. The answer never leaves the range of the targets seen.

    References
    ----------
    Breiman (2001), "Random forests".

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(40.0).reshape(-1, 1)
    >>> model = RandomForestRegressor(random_state=0).fit(X, np.sqrt(X[:, 0]))
    >>> bool(abs(model.predict([[16.0]])[0] - 4) < 0.2)
    True
    """

    def __init__(
        self,
        *,
        n_estimators: Count | Literal["auto"] = 100,
        max_depth: Count | None = None,
        min_samples_split: CasesToSplit = 2,
        min_samples_leaf: CasesInLeaf = 5,
        min_weight_fraction_leaf: LeafShare = 0.0,
        max_features: ColumnsLookedAt | Literal["sqrt", "log2"] | None = 1 / 3,
        min_impurity_decrease: NonNegative = 0.0,
        bootstrap: Flag = True,
        oob_score: Flag = True,
        max_samples: ColumnsLookedAt | None = None,
        monotonic_cst: Monotone = None,
        nominal: Literal["subset", "one_vs_rest"] = "subset",
        max_bins: Bins | Literal["auto"] | None = "auto",
        random_state: Seed = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.nominal = nominal
        self.max_bins = max_bins
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, X: MixedData, y: np.ndarray, rows: TrainingRows) -> None:
        self._grow(X, y, rows.weights(), "squared_error")
        if "_oob_votes" in self.__dict__:
            self._variance = _variance(y, rows.weights(), self._oob_counts)

    def _values(self, X: Encoded) -> np.ndarray:
        return self._said(X)[:, 0]

    def predict(self, X: TableLike) -> np.ndarray:
        """The mean over the trees of the means at their leaves."""
        values = self._of_numbers(X)
        return super().predict(X) if values is None else values[:, 0]

    @property
    def oob_prediction_(self) -> np.ndarray:
        """The answer for each training row, by the trees that did not draw it; NaN where all did."""
        self._fitted("oob_prediction_")
        with np.errstate(invalid="ignore"):
            found: np.ndarray = self._oob_votes[:, 0] / self._oob_counts
        return found

    @property
    def oob_score_(self) -> float:
        """The coefficient of determination R² out of bag: 1 - mean squared error / variance."""
        error = float(self._fitted("oob_score_").oob_error_[-1])
        return 1.0 - error / self._variance if self._variance > 0 else float("nan")


def _variance(y: np.ndarray, weight: np.ndarray, counts: np.ndarray) -> float:
    """The variance of the targets that were asked out of bag."""
    asked = counts > 0
    if not asked.any():
        return 0.0
    mean = np.average(y[asked], weights=weight[asked])
    return float(np.average((y[asked] - mean) ** 2, weights=weight[asked]))
