"""Second-order boosting by its definition: every split of every node is tried on the rows themselves."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

__all__ = ["SlowTree", "derivatives", "slow_boosting", "slow_tree"]


def derivatives(loss, f, y, delta=1.0):
    if loss == "squared_error":
        return f - y, np.ones_like(f)
    if loss == "huber":
        return np.clip(f - y, -delta, delta), np.ones_like(f)
    if loss == "poisson":
        return np.exp(f) - y, np.exp(f + 0.7)
    if loss == "exponential":
        side = 1 - 2 * y
        return side * np.exp(side * f), np.exp(side * f)
    p = 1 / (1 + np.exp(-f))
    return p - y, p * (1 - p)


@dataclass(eq=False)
class SlowTree:
    """A node: rows, and what it asks (column, which values go to branch 0, where missing cells go)."""

    rows: np.ndarray
    depth: int = 0
    gain: float = 0.0
    column: int = -1
    low: np.ndarray | None = None
    branches: list = field(default_factory=list)


def slow_tree(X, g, h, *, leaves=31, l2=1.0, min_cases=1, by_depth=False, max_depth=99, nominal=()):
    """The tree of greedy second-order splits, best first or level by level; X holds few values, NaN for missing."""
    root = SlowTree(np.arange(len(g)))
    open_ = [_with_split(root, X, g, h, l2, min_cases, nominal)]
    n = 1
    while n < leaves:
        open_ = [node for node in open_ if node.gain > 1e-12 and node.depth < max_depth]
        if not open_:
            break
        node = min(open_, key=lambda k: k.depth) if by_depth else max(open_, key=lambda k: k.gain)
        open_.remove(node)
        for side in (True, False):
            child = SlowTree(node.rows[node.low == side], node.depth + 1)
            node.branches.append(_with_split(child, X, g, h, l2, min_cases, nominal))
        open_ += node.branches
        n += 1
    return root


def _with_split(node, X, g, h, l2, min_cases, nominal):
    rows = node.rows
    G, H = g[rows].sum(), h[rows].sum()
    per_case = len(rows) / H if H > 0 else 0

    def worth(s):
        return g[rows[s]].sum() ** 2 / (h[rows[s]].sum() + l2)

    best = 0.0
    for j in range(X.shape[1]):
        for low in _sides(X[rows, j], j in nominal):
            enough = [h[rows[s]].sum() * per_case >= min_cases * (1 - 1e-9) and s.any() for s in (low, ~low)]
            if not all(enough):
                continue
            gain = 0.5 * (worth(low) + worth(~low) - G**2 / (H + l2))
            if gain > best + 1e-9:
                best, node.gain, node.column, node.low = gain, gain, j, low
    return node


def _sides(x, nominal):
    known = np.unique(x[~np.isnan(x)])
    holes = np.isnan(x)
    if nominal:  # every level against the others
        levels = [x == v for v in known] + ([holes] if holes.any() else [])
        return levels if len(levels) > 1 else []
    sides = [x <= v for v in known[: None if holes.any() else -1]]
    return sides + ([(x <= v) | holes for v in known[:-1]] if holes.any() else [])


def slow_boosting(X, y, loss, f0, rounds, rate, **how):
    """Scores of the training rows after each round."""
    f = np.full(len(y), f0)
    l2 = how.get("l2", 1.0)
    for _ in range(rounds):
        g, h = derivatives(loss, f, y)
        tree = slow_tree(X, g, h, **how)
        for leaf in _leaves(tree):
            f[leaf.rows] -= rate * g[leaf.rows].sum() / (h[leaf.rows].sum() + l2)
        yield f.copy()


def _leaves(node):
    if not node.branches:
        return [node]
    return [leaf for branch in node.branches for leaf in _leaves(branch)]
