"""The decision tree of CART for classes, with scikit-learn's parameters and more."""

from __future__ import annotations

from typing import Literal

import numpy as np

from margin.base.representations.mixed import MixedData
from margin.base.representations.representation import TrainingRows
from margin.base.targets.class_weight import class_factors
from margin.base.targets.multi_output import output_columns
from margin.errors import LabelError, ParameterError
from margin.params import ClassWeight, Count, Flag, Jobs, NonNegative, Seed, Several, Share
from margin.tree.cart import CartTree, ClassGrowth, weight_as_grown
from margin.tree.costs import Costs, altered_priors, cost_matrix, in_few_bits
from margin.tree.criteria import ClassCriterion
from margin.tree.nodes import Tree
from margin.tree.settings import (
    Bins,
    CasesInLeaf,
    CasesToSplit,
    ColumnsLookedAt,
    Discretize,
    LeafShare,
    Missing,
    Monotone,
    Nominal,
    NumericColumns,
    Splitter,
)
from margin.tree.several_outputs import SeveralClassesGrowth, check_one_tree, output_factors
from margin.tree.training_rows import Rows
from margin.tree.tree_model import TreeClassifier, codes_among
from margin.typing import Encoded

__all__ = ["DecisionTreeClassifier"]


class DecisionTreeClassifier(CartTree, TreeClassifier):
    r"""Asks one question after another until it knows the class.

    Every node asks the question that lowers the impurity of the classes most,
    :math:`I(t) - \sum_b \frac{w_b}{w_t} I(t_b)`, by default with the Gini index. Grown to the end a tree knows its
    training rows by heart: limit it (``max_depth``, ``min_samples_leaf``) or prune it (``prune``). Nominal columns and
    missing cells are taken as they are. Growing costs :math:`O(d\,n \log n)`. A y of several columns is answered by one
    tree, whose splits lower the mean of the impurities of all of them.

    Of equally good splits the first column wins, then the smallest threshold; on numbers the trees are otherwise those
    of scikit-learn. Whole-number weights count as repeated rows.

    Parameters
    ----------
    criterion
        What splits lower: ``"gini"``, ``"entropy"`` (or ``"log_loss"``), ``"error"`` (share of errors), or
        ``"gain_ratio"``, the entropy gained for each bit of the split's own entropy.
    class_weight
        ``"balanced"``, or a factor for the rows of each class.
    monotonic_cst
        1 where the share of the second class must not fall as a column rises, -1 where it must not rise, 0 where it is
        free: for all columns in order, or by name. For two classes.
    numeric
        What becomes of numbers: ``"threshold"`` (two branches), or several intervals, of ``"equal_width"``,
        ``"equal_count"`` or as many as ``"mdl"`` finds worth describing (Fayyad, Irani 1993).
    discretize
        Intervals are found once for all nodes (``"static"``) or in each node anew (``"dynamic"``).
    max_intervals
        How many intervals of equal width or count there are at most.
    missing
        Where missing cells go: ``"direction"``, the way that gains more; ``"fractional"``, down all branches in parts
        (C4.5); ``"surrogate"``, where other columns say (CART), judged by the cases whose cell they know; or
        ``"surrogate_all"``, where a cell that they do not know counts against them (rpart's surrogate style 0).
    max_p
        No split whose branches are as unequal by chance with a higher probability; None for no test. Branches for all
        levels or for intervals are tested by chi-squared. A threshold, or two sets of levels, are the best of many:
        their p-value is multiplied by how many there were, as CHAID does, so that a column that says nothing is split
        in at most this share of the cases. It is not multiplied by the number of columns.
    costs
        What errors cost: a matrix in the order of ``classes_`` (true classes down, answers across), or a mapping from
        (true, answer) to the cost. The tree is grown with altered priors, answers cost least, probabilities stay.
    prune
        ``"reduced_error"`` (on rows kept for that), ``"pessimistic"`` (C4.5), ``"cost_complexity"`` (alpha chosen by
        cross-validation, the smallest tree within one standard error), or None.
    confidence
        How sure pessimistic pruning is of what it sees; less prunes more.

    Attributes
    ----------
    pruning_trace_
        The steps of reduced-error pruning: leaves and error on the validation part.
    pruning_path_
        The steps of cost-complexity pruning with their cross-validated losses.

    References
    ----------
    Breiman, Friedman, Olshen, Stone (1984).

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> model.get_n_leaves(), round(model.score(X, y), 2)
    (3, 0.96)
    """

    def __init__(
        self,
        *,
        criterion: ClassCriterion = "gini",
        splitter: Splitter = "best",
        max_depth: Count | None = None,
        min_samples_split: CasesToSplit = 2,
        min_samples_leaf: CasesInLeaf = 1,
        min_weight_fraction_leaf: LeafShare = 0.0,
        max_features: ColumnsLookedAt | Literal["sqrt", "log2"] | None = None,
        random_state: Seed = None,
        max_leaf_nodes: Several | None = None,
        min_impurity_decrease: NonNegative = 0.0,
        min_impurity_split: NonNegative | None = None,
        class_weight: ClassWeight = None,
        ccp_alpha: NonNegative = 0.0,
        monotonic_cst: Monotone = None,
        nominal: Nominal = "subset",
        numeric: NumericColumns = "threshold",
        discretize: Discretize = "static",
        max_intervals: Several = 8,
        charge_levels: Flag = False,
        missing: Missing = "direction",
        max_p: Share | None = None,
        max_bins: Bins | None = None,
        costs: Costs = None,
        prune: Literal["reduced_error", "pessimistic", "cost_complexity"] | None = None,
        validation_fraction: Share = 0.25,
        prune_ties: Flag = False,
        confidence: Share = 0.25,
        n_folds: Several = 10,
        n_jobs: Jobs = None,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease, self.min_impurity_split = min_impurity_decrease, min_impurity_split
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.nominal = nominal
        self.numeric = numeric
        self.discretize = discretize
        self.max_intervals = max_intervals
        self.charge_levels = charge_levels
        self.missing = missing
        self.max_p = max_p
        self.max_bins = max_bins
        self.costs = costs
        self.prune = prune
        self.validation_fraction = validation_fraction
        self.prune_ties = prune_ties
        self.confidence = confidence
        self.n_folds, self.n_jobs = n_folds, n_jobs

    several_outputs = True

    def _fit(self, X: MixedData, y: np.ndarray, rows: TrainingRows) -> None:
        who, n_classes, weight = type(self).__name__, len(self.classes_), rows.weights()
        if y.ndim == 2:
            check_one_tree(self, of_classes=True)
            self._costs = None
            self._class_factors = output_factors(self.class_weight, self.classes_, y, weight, who)
            self._priors = np.ones(len(self._class_factors))
            self._fit_tree(X, y, rows)
            return
        totals = np.bincount(y, weight, n_classes)
        self._costs = cost_matrix(self.costs, self.classes_, who)
        self._class_factors = in_few_bits(class_factors(self.class_weight, self.classes_, totals, who))
        self._priors = in_few_bits(altered_priors(self._costs, totals * self._class_factors))
        if self.monotonic_cst is not None and n_classes > 2:
            raise ParameterError(f"{who}(monotonic_cst=…): only the shares of two classes can rise or fall.")
        self._fit_tree(X, y, rows)

    def _growth(self) -> ClassGrowth | SeveralClassesGrowth:
        if self.outputs_2d_:
            sizes = tuple(len(labels) for labels in self.classes_)
            return SeveralClassesGrowth(self, self._columns, sizes, self._class_factors)
        return ClassGrowth(self, self._columns, self._costs, self._class_factors, self._priors)

    def _growth_weight(self, tree: Tree) -> np.ndarray:
        return weight_as_grown(tree, self._costs, self._priors)

    def _known_targets(self, rows: Rows, who: str) -> Rows:
        if self.outputs_2d_:
            columns = output_columns(rows.y, who) or [rows.y]
            if len(columns) != len(self.classes_):
                raise LabelError(f"{who}: y must have {len(self.classes_)} columns, but has {len(columns)}.")
            several = [
                codes_among(y, len(rows.X), labels, who) for y, labels in zip(columns, self.classes_, strict=True)
            ]
            return Rows(rows.X, np.column_stack(several), rows.weight)
        return super()._known_targets(rows, who)

    def _answers(self, X: Encoded, scores: np.ndarray) -> np.ndarray:
        if self._costs is None:
            return super()._answers(X, scores)
        return self.classes_.take((scores @ self._costs).argmin(axis=1))
