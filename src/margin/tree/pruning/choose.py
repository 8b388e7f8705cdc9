"""Trees grown and pruned: which rows a tree is grown from, which it is judged by, and what is cut."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from margin.data.weights import cases_per_weight, count_repeats
from margin.tree import predict as walking
from margin.tree.nodes import Tree
from margin.tree.pruning.cost_complexity import PruningPath, one_standard_error, pruned_at, steps_of, weakest_links
from margin.tree.pruning.reduced_error import PruningTrace, reduced_error
from margin.tree.pruning.subtrees import sums_below
from margin.tree.training_rows import Rows, folds, held_out
from margin.typing import SeedLike

__all__ = [
    "AlphaChoice",
    "Growth",
    "best_alpha",
    "class_losses",
    "losses_on_the_way",
    "pruned_on_held_out",
    "risk",
    "value_losses",
]


class Growth(Protocol):
    """How trees are grown from rows, counted anew and judged: all that pruning knows of a model."""

    def grown(self, rows: Rows) -> Tree:
        """A full tree."""
        ...

    def how(self, rows: Rows) -> dict[str, Any]:
        """Criterion, settings and number of classes that nodes are split with."""
        ...

    def recounted(self, tree: Tree, rows: Rows) -> Tree:
        """The tree with the figures of its nodes counted anew from other rows."""
        ...

    def losses(self, tree: Tree, rows: Rows) -> np.ndarray:
        """For each node what the rows that reach it cost if it answers them, and the sum of the squares of that."""
        ...

    def node_weight(self, tree: Tree) -> np.ndarray:
        """The weight of each node as its impurity counts it."""
        ...

    def strata(self, y: np.ndarray) -> np.ndarray:
        """Which rows are dealt out together."""
        ...


@dataclass(frozen=True, eq=False)
class AlphaChoice:
    """Cost-complexity pruning judged by cross-validation.

    Attributes
    ----------
    alphas, leaves, impurities
        The steps of the full tree: from which alpha on each is taken, the leaves it leaves and their impurity.
    losses, standard_errors
        What each step costs per case on rows not grown from, and how uncertain that is.
    chosen
        The step taken: the smallest tree within one standard error of the best.
    """

    alphas: np.ndarray
    leaves: np.ndarray
    impurities: np.ndarray
    losses: np.ndarray
    standard_errors: np.ndarray
    chosen: int

    @property
    def alpha(self) -> float:
        """The alpha of the chosen step."""
        return float(self.alphas[self.chosen])

    def __str__(self) -> str:
        lines = [f"{len(self.alphas)} steps from {self.leaves[0]:,} leaves to {self.leaves[-1]:,}"]
        for what, step in (
            ("as grown", 0),
            ("smallest loss", int(np.argmin(self.losses))),
            ("smallest tree within one standard error", self.chosen),
        ):
            loss = f"loss {self.losses[step]:.4g} ± {self.standard_errors[step]:.2g}"
            lines.append(f"  {what + ':':41}{self.leaves[step]:,} leaves, alpha {self.alphas[step]:.4g}, {loss}")
        return "\n".join(lines)


def pruned_on_held_out(
    growth: Growth, rows: Rows, share: float, seed: SeedLike, ties: bool, groups: np.ndarray | None = None
) -> tuple[Tree, PruningTrace]:
    """Grown from most of the rows and pruned on the others; the nodes that are left then count all rows."""
    growing, judging = held_out(rows, share, seed, growth.strata(rows.y), groups)
    tree = growth.grown(growing)
    weight = float(judging.weight.sum())
    as_leaf = growth.losses(tree, judging)[:, 0] if weight else np.zeros(tree.n_nodes)
    tree, trace = reduced_error(tree, as_leaf, weight or 1.0, ties and weight > 0)
    return growth.recounted(tree, rows), trace


def best_alpha(
    growth: Growth, rows: Rows, n_folds: int, seed: SeedLike, groups: np.ndarray | None = None
) -> tuple[Tree, AlphaChoice]:
    """The full tree pruned as far as cross-validation allows, by the rule of one standard error.

    A step that is best between two alphas is judged at their geometric mean. Breiman et al. (1984), ch. 3.4.
    """
    tree = growth.grown(rows)
    path = _without_repeats(weakest_links(tree, risk(growth, tree)))
    between = np.append(
        np.sqrt(path.alphas[:-1]) * np.sqrt(path.alphas[1:]), np.inf
    )  # a product may be beyond all doubles
    sums = np.zeros((len(path), 2))
    for growing, judging in folds(rows, n_folds, seed, growth.strata(rows.y), groups):
        grown = growth.grown(growing)
        links = weakest_links(grown, risk(growth, grown))
        sums += steps_of(grown, links, growth.losses(grown, judging), between)
    total, repeats = float(rows.weight.sum()), count_repeats(rows.weight)
    n = total * cases_per_weight(total, float((rows.weight**2).sum()), repeats)
    losses, squares = sums.T / total
    errors = np.sqrt(np.maximum(squares - losses**2, 0.0) / n)
    chosen = one_standard_error(losses, errors)
    choice = AlphaChoice(path.alphas, path.leaves, path.impurities, losses, errors, chosen)
    return pruned_at(tree, path, choice.alpha), choice


def _without_repeats(path: PruningPath) -> PruningPath:
    """Of several steps at one alpha only the last."""
    last = np.append(path.alphas[1:] > path.alphas[:-1] * (1 + 1e-12), True)
    # Node links stay as they are: all lie at or below the alpha of the step that is kept.
    return PruningPath(path.alphas[last], path.leaves[last], path.impurities[last], path.links)


def risk(growth: Growth, tree: Tree) -> np.ndarray:
    """Impurity of each node by its share of the weight."""
    weight = growth.node_weight(tree)
    return weight / weight[0] * tree.impurity


def class_losses(tree: Tree, rows: Rows, costs: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """For each node what the rows that reach it cost if it answers them, and the sum of the squares of that.

    A row that goes down in parts counts in parts. O((rows + nodes) classes) time.
    """
    found = walking.parts(tree, rows.X)
    weight = rows.weight[found.row] * found.part
    label = rows.y[found.row]
    losses = np.zeros((tree.n_nodes, 2))
    for k in range(len(costs)):
        its = label == k
        reached = sums_below(tree, np.bincount(found.leaf[its], weight[its], tree.n_nodes))
        losses += reached[:, None] * np.column_stack([costs[k, answers], costs[k, answers] ** 2])
    return losses


def value_losses(tree: Tree, rows: Rows, absolute: bool) -> np.ndarray:
    """The same for numbers: squared or absolute differences. O(rows depth) time."""

    def loss(y: np.ndarray, node: np.ndarray) -> np.ndarray:
        apart = np.abs(y - tree.value[node, 0])
        return apart if absolute else apart * apart

    return losses_on_the_way(tree, rows, loss)


def losses_on_the_way(tree: Tree, rows: Rows, loss_of: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
    """The same for any loss of targets at nodes, all nodes above the leaf of a row being asked. O(rows depth) time."""
    found = walking.parts(tree, rows.X)
    weight, target, node = rows.weight[found.row] * found.part, rows.y[found.row], found.leaf
    losses = np.zeros((tree.n_nodes, 2))
    while len(node):
        loss = loss_of(target, node)
        losses += np.column_stack(
            [np.bincount(node, weight * loss, tree.n_nodes), np.bincount(node, weight * loss * loss, tree.n_nodes)]
        )
        node = tree.parent[node]
        further = node >= 0
        node, weight, target = node[further], weight[further], target[further]
    return losses
