"""The decision tree of CART for classes, with scikit-learn's parameters and more."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from margin.base.representations.mixed import MixedData
from margin.base.targets.class_weight import class_factors
from margin.base.targets.labels import encode_labels
from margin.errors import ParameterError
from margin.params import ClassWeight, Count, Flag, Jobs, NonNegative, Seed, Share
from margin.tree.cart import CartTree, with_true_weights
from margin.tree.costs import Costs, altered_priors, cost_matrix, in_few_bits
from margin.tree.criteria import ClassCriterion, criterion_of
from margin.tree.discretizer import interval_settings
from margin.tree.grow import grow_binned_classes, grow_classes
from margin.tree.nodes import Tree
from margin.tree.pruning.choose import class_losses
from margin.tree.pruning.pessimistic import pessimistic
from margin.tree.pruning.recount import recounted_classes
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
    Several,
)
from margin.tree.training_rows import Rows, in_cases
from margin.tree.tree_model import TreeClassifier

__all__ = ["DecisionTreeClassifier"]


class DecisionTreeClassifier(CartTree, TreeClassifier):
    r"""Asks one question after another until it knows the class.

    Every node asks the question that lowers the impurity of the classes most,
    :math:`I(t) - \sum_b \frac{w_b}{w_t} I(t_b)`, by default with the Gini index. Grown to the end a tree knows its
    training rows by heart: limit it (``max_depth``, ``min_samples_leaf``) or prune it (``prune``). Nominal columns and
    missing cells are taken as they are. Growing costs :math:`O(d\,n \log n)`. One target only.

    Of equally good splits the first column wins, then the smallest threshold; on numbers the trees are otherwise those
    of scikit-learn. Whole-number weights count as repeated rows.

    Parameters
    ----------
    criterion
        What splits lower: ``"gini"``, ``"entropy"`` (or ``"log_loss"``), ``"error"`` (share of errors), or
        ``"gain_ratio"``, the entropy gained for each bit of the split's own entropy.
    max_depth
        Most questions on a path; None for no limit.
    min_samples_split
        Cases a node must have to be split; a share is one of all cases.
    min_samples_leaf
        Cases that each branch must have; a share is one of all cases.
    min_weight_fraction_leaf
        Share of all weight that each branch must have.
    max_features
        Columns that a node looks at, drawn anew in each: a count, a share, ``"sqrt"``, ``"log2"``; None for all.
    random_state
        Decides which columns are drawn, and which rows are kept for pruning.
    max_leaf_nodes
        Most leaves; the tree is then grown best split first.
    min_impurity_decrease
        A split must lower the impurity by this much, counted by the node's share of all weight.
    class_weight
        ``"balanced"``, or a factor for the rows of each class.
    ccp_alpha
        Links that lower the impurity by at most this much for each leaf are cut.
    monotonic_cst
        1 where the share of the second class must not fall as a column rises, -1 where it must not rise, 0 where it is
        free: for all columns in order, or by name. For two classes.
    nominal
        What becomes of words: ``"subset"`` (two branches, the best division of the levels), ``"multiway"`` (a branch
        for each level), ``"one_vs_rest"``.
    numeric
        What becomes of numbers: ``"threshold"`` (two branches), or several intervals, of ``"equal_width"``,
        ``"equal_count"`` or as many as ``"mdl"`` finds worth describing (Fayyad, Irani 1993).
    discretize
        Intervals are found once for all nodes (``"static"``) or in each node anew (``"dynamic"``).
    max_intervals
        How many intervals of equal width or count there are at most.
    charge_levels
        Whether a division of levels must gain more than the best of so many divisions would by chance, about a bit per
        level and case. Of columns with many levels only some then deserve a question; False is plain CART.
    missing
        Where missing cells go: ``"direction"``, the way that gains more; ``"fractional"``, down all branches in parts
        (C4.5); ``"surrogate"``, where other columns say (CART).
    max_p
        No split whose branches are as unequal by chance with a higher probability (chi-squared test); None for no test.
    max_bins
        Numbers are grouped into so many bins before, which is quicker on many rows; None looks at all of them.
    costs
        What errors cost: a matrix in the order of ``classes_`` (true classes down, answers across), or a mapping from
        (true, answer) to the cost. The tree is grown with altered priors, answers cost least, probabilities stay.
    prune
        ``"reduced_error"`` (on rows kept for that), ``"pessimistic"`` (C4.5), ``"cost_complexity"`` (alpha chosen by
        cross-validation, the smallest tree within one standard error), or None.
    validation_fraction
        Share of the rows that reduced-error pruning keeps; the leaves that are left then count all rows.
    prune_ties
        Whether it also removes subtrees that make no difference.
    confidence
        How sure pessimistic pruning is of what it sees; less prunes more.
    n_folds
        Parts for the cross-validation of cost-complexity pruning.
    n_jobs
        Threads; None uses all cores. The tree does not depend on it.

    Attributes
    ----------
    tree_
        The nodes as plain arrays, a :class:`margin.tree.Tree`.
    feature_importances_
        How much each column lowered the impurity, as shares.
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
        max_depth: Count | None = None,
        min_samples_split: CasesToSplit = 2,
        min_samples_leaf: CasesInLeaf = 1,
        min_weight_fraction_leaf: LeafShare = 0.0,
        max_features: ColumnsLookedAt | Literal["sqrt", "log2"] | None = None,
        random_state: Seed = None,
        max_leaf_nodes: Several | None = None,
        min_impurity_decrease: NonNegative = 0.0,
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
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
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
        self.n_folds = n_folds
        self.n_jobs = n_jobs

    def _fit(self, X: MixedData, y: np.ndarray, weight: np.ndarray) -> None:
        who, n_classes = type(self).__name__, len(self.classes_)
        totals = np.bincount(y, weight, n_classes)
        self._costs = cost_matrix(self.costs, self.classes_, who)
        self._class_factors = in_few_bits(class_factors(self.class_weight, self.classes_, totals, who))
        self._priors = in_few_bits(altered_priors(self._costs, totals * self._class_factors))
        if self.monotonic_cst is not None and n_classes > 2:
            raise ParameterError(f"{who}(monotonic_cst=…): only the shares of two classes can rise or fall.")
        self._fit_tree(Rows(X, y, weight))

    def _kinds(self) -> dict[str, Any]:
        found = super()._kinds() | {"gain_ratio": self.criterion == "gain_ratio"}
        if self.max_p is not None:
            found["largest_p"] = float(self.max_p)
        return found

    def _growth_rows(self, rows: Rows) -> Rows:
        # Chance, description lengths and pessimism are about numbers of cases.
        counts = self.max_p is not None or self.numeric == "mdl" or self.prune == "pessimistic"
        weight = in_cases(rows.weight) if counts else rows.weight
        factors = self._class_factors * self._priors
        return rows if (factors == 1).all() and not counts else Rows(rows.X, rows.y, weight * factors[rows.y])

    def _grown_with(self, rows: Rows, settings: Any) -> Tree:
        threads, criterion, static = self._core_threads(), self._impurity(), self.discretize == "static"
        settings = settings | interval_settings(rows, self.numeric, static, int(self.max_intervals), threads)
        n_classes, monotone = len(self.classes_), self._monotone()
        if self.max_bins is None:
            return grow_classes(*rows, n_classes, criterion, settings, monotone, threads)
        self._check_bins(criterion, settings, rows.X)
        return grow_binned_classes(*rows, n_classes, criterion, settings, monotone, int(self.max_bins), threads)

    def _impurity(self) -> str:
        return criterion_of(self.criterion).name

    def _grown(self, rows: Rows) -> Tree:
        tree, growing = super()._grown(rows), self._growth_rows(rows)
        if self.prune == "pessimistic":
            tree = pessimistic(tree, growing, self.confidence, criterion=self._impurity())
        return tree if self._costs is None else with_true_weights(tree, self._priors)

    def _recounted(self, tree: Tree, rows: Rows) -> Tree:
        tree = recounted_classes(tree, self._growth_rows(rows), self._impurity())
        return tree if self._costs is None else with_true_weights(tree, self._priors)

    def _growth_weight(self, tree: Tree) -> np.ndarray:
        return tree.weight if self._costs is None else np.where(tree.weight > 0, tree.value @ self._priors, 0.0)

    def _known_targets(self, rows: Rows, who: str) -> Rows:
        classes, codes = encode_labels(rows.y, len(rows.X), who)
        place = {label: k for k, label in enumerate(self.classes_.tolist())}
        code = np.array([place.get(label, -1) for label in classes.tolist()], dtype=np.int32)[codes]
        kept = np.flatnonzero(code >= 0)  # a class that the tree does not know is wrong however it is pruned
        return Rows(rows.X.take(kept), code[kept], rows.weight[kept])

    def _strata(self, y: np.ndarray) -> np.ndarray:
        return y

    def _losses(self, tree: Tree, rows: Rows) -> np.ndarray:
        n_classes = len(self.classes_)
        weighted = Rows(rows.X, rows.y, rows.weight * self._class_factors[rows.y])
        if self._costs is None:
            return class_losses(tree, weighted, 1 - np.eye(n_classes), tree.value.argmax(axis=1))
        return class_losses(tree, weighted, self._costs, (tree.value @ self._costs).argmin(axis=1))

    def _answers(self, X: Any, scores: np.ndarray) -> np.ndarray:
        if self._costs is None:
            return super()._answers(X, scores)
        return self.classes_.take((scores @ self._costs).argmin(axis=1))
