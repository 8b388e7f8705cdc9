"""Decision trees: the nodes taken over, every question asked of the table's own columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.targets.class_weight import class_factors
from margin.errors import ConversionError
from margin.interop.features import Feature, Preparation
from margin.interop.making import mixed, of_same_name, seed_of, single_output, who_is
from margin.interop.thresholds import last_that, rounded
from margin.tree import DecisionTreeClassifier, DecisionTreeRegressor
from margin.tree.costs import in_few_bits
from margin.tree.nodes import Ask, Tree

__all__ = ["classifier", "regressor"]

SHARED = (
    "max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf", "max_features",
    "max_leaf_nodes", "min_impurity_decrease", "ccp_alpha",
)  # fmt: skip


def _settings(fitted: Any, seen: Preparation) -> dict[str, Any]:
    if fitted.n_outputs_ != 1:
        raise ConversionError(f"{who_is(fitted)}: must have one target, but has {fitted.n_outputs_}.")
    signs = fitted.monotonic_cst
    if isinstance(signs, np.ndarray):
        signs = signs.tolist()
    if not seen.is_plain:
        signs = None  # they were said of features, not of columns
    return of_same_name(fitted, *SHARED) | {"random_state": seed_of(fitted), "monotonic_cst": signs}


def classifier(fitted: Any, seen: Preparation) -> DecisionTreeClassifier:
    settings = _settings(fitted, seen)
    single_output(fitted)
    model = DecisionTreeClassifier(**of_same_name(fitted, "criterion", "class_weight"), **settings)
    with mixed(model, fitted, seen) as made:
        n = len(fitted.classes_)
        made.n_outputs_, made.outputs_2d_, made.max_features_ = 1, False, int(fitted.max_features_)
        made.tree_ = _tree(fitted.tree_, seen, made, _counts(fitted.tree_))
        made._costs, made._priors = None, np.ones(n)
        if not isinstance(made.class_weight, str):  # balance cannot be told from balanced weights
            factors = class_factors(made.class_weight, made.classes_, np.ones(n), type(made).__name__)
            made._class_factors = in_few_bits(factors)
    return made


def regressor(fitted: Any, seen: Preparation) -> DecisionTreeRegressor:
    # Leaves of the other criteria hold means too; only how good a split was, they measure in another way.
    criterion: Any = "absolute_error" if fitted.criterion == "absolute_error" else "squared_error"
    with mixed(DecisionTreeRegressor(criterion=criterion, **_settings(fitted, seen)), fitted, seen) as made:
        made.n_outputs_, made.max_features_ = 1, int(fitted.max_features_)
        made.tree_ = _tree(fitted.tree_, seen, made, np.array(fitted.tree_.value[:, 0, :], dtype=np.float64))
    return made


def _counts(tree: Any) -> np.ndarray:
    """Weights of the classes: scikit-learn has their shares; whole numbers come back whole."""
    weights = tree.value[:, 0, :] * tree.weighted_n_node_samples[:, None]
    whole = np.rint(weights)
    return whole if (np.abs(weights - whole) <= 1e-9 * np.maximum(whole, 1.0)).all() else weights


def _tree(given: Any, seen: Preparation, made: Any, value: np.ndarray) -> Tree:
    """The nodes in preorder, as margin counts columns and branches."""
    ask = _Questions(given, seen, np.argsort(made._places()))
    order = _preorder(ask)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    inner = ask.kind[order] != Ask.NOTHING
    pairs = place[ask.branches[order][inner]].reshape(-1)
    details = np.array([[level] if level >= 0 else [] for level in ask.level[order]], dtype=object)
    none = np.zeros(len(order) + 1, dtype=np.int64)
    return Tree(
        ask=ask.kind[order].astype(np.uint8),
        column=ask.column[order].astype(np.int32),
        threshold=ask.threshold[order],
        missing=ask.missing[order].astype(np.int32),
        value=np.ascontiguousarray(value[order]),
        cases=np.asarray(given.n_node_samples, dtype=np.int64)[order],
        weight=np.asarray(given.weighted_n_node_samples, dtype=np.float64)[order],
        impurity=np.asarray(given.impurity, dtype=np.float64)[order],
        gain=_gains(given)[order],
        child_start=_starts(2 * inner),
        child=pairs.astype(np.int32),
        detail_start=_starts([len(levels) for levels in details]),
        detail=np.concatenate([*details, []]).astype(np.float64),
        surrogate_start=none,
        surrogate_column=np.zeros(0, dtype=np.int32),
        surrogate_threshold=np.zeros(0),
        surrogate_low=np.zeros(0, dtype=np.int32),
        surrogate_detail_start=np.zeros(1, dtype=np.int64),
        surrogate_detail=np.zeros(0),
    )


def _starts(lengths: Any) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _gains(tree: Any) -> np.ndarray:
    """How much each split lowered the impurity."""
    inner = tree.children_left >= 0
    weight, impurity, found = tree.weighted_n_node_samples, tree.impurity, np.zeros(tree.node_count)
    left, right = tree.children_left[inner], tree.children_right[inner]
    after = (weight[left] * impurity[left] + weight[right] * impurity[right]) / weight[inner]
    found[inner] = impurity[inner] - after
    return found


class _Questions:
    """What each node asks, in margin's terms, nodes still in scikit-learn's order.

    ``place`` says where each column of the table stands for the tree: numbers first, then coded columns.
    """

    def __init__(self, given: Any, seen: Preparation, place: np.ndarray) -> None:
        n = given.node_count
        self.kind = np.full(n, int(Ask.NOTHING))
        self.column = np.full(n, -1)
        self.level = np.full(n, -1)
        self.threshold = np.zeros(n)
        self.missing = np.zeros(n, dtype=np.int64)
        self.branches = np.column_stack([given.children_left, given.children_right])
        to_left = np.asarray(given.missing_go_to_left, dtype=bool)
        for at in np.unique(given.feature[given.children_left >= 0]):
            nodes = np.flatnonzero((given.feature == at) & (given.children_left >= 0))
            feature = seen.features[at]
            self.column[nodes] = place[feature.column]
            limits = given.threshold[nodes]
            if feature.level is None:
                self._ask_numbers(nodes, feature, limits, to_left[nodes])
            else:
                self._ask_level(nodes, feature, limits)

    def _ask_numbers(self, nodes: np.ndarray, feature: Feature, limits: np.ndarray, to_left: np.ndarray) -> None:
        def goes_left(x: np.ndarray) -> np.ndarray:
            with np.errstate(over="ignore", invalid="ignore"):
                return rounded(feature.scaled(x)) <= limits

        self.kind[nodes] = Ask.THRESHOLD
        self.threshold[nodes] = last_that(goes_left, len(nodes))
        if not np.isnan(feature.fill):
            to_left = goes_left(np.full(len(nodes), feature.fill))
        self.missing[nodes] = ~to_left

    def _ask_level(self, nodes: np.ndarray, feature: Feature, limits: np.ndarray) -> None:
        """Branch 0 holds the level, branch 1 all others, missing and unseen ones too."""
        absent, present = (rounded(np.full(1, feature.scaled(x))) <= limits for x in (0.0, 1.0))
        self.kind[nodes] = Ask.SUBSET
        self.level[nodes] = feature.level
        self.missing[nodes] = 1
        self.branches[nodes[absent & ~present]] = self.branches[nodes[absent & ~present], ::-1]
        if (absent == present).any():
            raise ConversionError("from_sklearn: a node of the tree does not tell a level from the others.")


def _preorder(ask: _Questions) -> np.ndarray:
    """The nodes, each before its branches and branch 0 before branch 1."""
    order, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        if ask.kind[node] != Ask.NOTHING:
            waiting += [int(ask.branches[node, 1]), int(ask.branches[node, 0])]
    return np.array(order, dtype=np.int64)
