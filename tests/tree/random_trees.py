"""Trees with questions of every kind, and rows to send down them."""

import numpy as np

from margin.base.representations.mixed import MixedData
from margin.tree.nodes import Ask, Tree

__all__ = ["Builder", "random_rows", "random_tree"]


class Builder:
    """Nodes in preorder, one after another."""

    def __init__(self, width):
        self.width = width
        self.nodes = []

    def add(self, value, weight, **asked):
        self.nodes.append({"ask": 0, "column": -1, "threshold": 0.0, "missing": 0, "children": [], "detail": [],
                           "surrogates": [], "value": value, "weight": weight, **asked})  # fmt: skip
        return len(self.nodes) - 1

    def tree(self):
        def column(name, dtype):
            return np.array([node[name] for node in self.nodes], dtype=dtype)

        def lists(name, dtype):
            parts = [node[name] for node in self.nodes]
            return _start(parts), np.array([x for part in parts for x in part], dtype=dtype)

        surrogates = [s for node in self.nodes for s in node["surrogates"]]
        child_start, child = lists("children", np.int32)
        detail_start, detail = lists("detail", np.float64)
        n = len(self.nodes)
        return Tree(
            ask=column("ask", np.uint8),
            column=column("column", np.int32),
            threshold=column("threshold", np.float64),
            missing=column("missing", np.int32),
            value=np.array([node["value"] for node in self.nodes], dtype=np.float64).reshape(n, self.width),
            cases=column("weight", np.int64),
            weight=column("weight", np.float64),
            impurity=np.zeros(n),
            gain=np.zeros(n),
            child_start=child_start,
            child=child,
            detail_start=detail_start,
            detail=detail,
            surrogate_start=_start([node["surrogates"] for node in self.nodes]),
            surrogate_column=np.array([s[0] for s in surrogates], dtype=np.int32),
            surrogate_threshold=np.array([s[1] for s in surrogates], dtype=np.float64),
            surrogate_low=np.array([s[2] for s in surrogates], dtype=np.int32),
            surrogate_detail_start=_start([s[3] for s in surrogates]),
            surrogate_detail=np.array([x for s in surrogates for x in s[3]], dtype=np.float64),
        )


def _start(parts):
    return np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)


def random_tree(rng, n_numbers, levels, depth, width=2, plain=False):
    """A tree over so many numbers and columns of so many levels each; ``plain`` asks for thresholds alone."""
    builder = Builder(width)

    def grow(left):
        node = builder.add(rng.integers(1, 9, width), int(rng.integers(1, 20)))
        if left == 0 or (left < depth and rng.random() < 0.25):
            return node
        asked = _question(rng, n_numbers, levels, plain)
        n_branches = asked.pop("n_branches")
        builder.nodes[node] |= asked
        builder.nodes[node]["children"] = [grow(left - 1) for _ in range(n_branches)]
        return node

    grow(depth)
    return builder.tree()


def _question(rng, n_numbers, levels, plain):
    column = int(rng.integers(n_numbers if plain else n_numbers + len(levels)))
    if plain:
        return {"ask": Ask.THRESHOLD, "column": column, "threshold": round(rng.normal(), 1), "n_branches": 2,
                "missing": int(rng.integers(2))}  # fmt: skip
    if column < n_numbers:
        asked = _number_question(rng)
    else:
        asked = _code_question(rng, levels[column - n_numbers])
    missing = int(rng.integers(-1, asked["n_branches"]))
    surrogates = []
    if asked["n_branches"] == 2 and rng.random() < 0.5:
        surrogates = [_surrogate(rng, n_numbers, levels) for _ in range(rng.integers(1, 3))]
    return {**asked, "column": column, "missing": missing, "surrogates": surrogates}


def _number_question(rng):
    if rng.random() < 0.5:
        return {"ask": Ask.THRESHOLD, "threshold": round(rng.normal(), 1), "n_branches": 2}
    cuts = np.unique(rng.normal(size=rng.integers(1, 4)).round(1)).tolist()
    return {"ask": Ask.INTERVAL, "detail": cuts, "n_branches": len(cuts) + 1}


def _code_question(rng, n_levels):
    kind = rng.integers(3)
    if kind == 0:
        return {"ask": Ask.THRESHOLD, "threshold": float(rng.integers(n_levels)), "n_branches": 2}
    if kind == 1 and n_levels < 6:
        return {"ask": Ask.LEVEL, "n_branches": n_levels}
    codes = np.flatnonzero(rng.random(n_levels) < 0.5).astype(float).tolist()
    return {"ask": Ask.SUBSET, "detail": codes, "n_branches": 2}


def _surrogate(rng, n_numbers, levels):
    column = int(rng.integers(n_numbers + len(levels)))
    if column < n_numbers:
        return column, round(rng.normal(), 1), int(rng.integers(2)), []
    codes = np.flatnonzero(rng.random(levels[column - n_numbers]) < 0.5).astype(float).tolist()
    return column, 0.0, int(rng.integers(2)), codes


def random_rows(rng, n, n_numbers, levels, gone=0.2, dtype=np.float64):
    """Rounded numbers, so that some lie on a threshold, and codes; a share of the cells missing."""
    numbers = rng.normal(size=(n, n_numbers)).round(1).astype(dtype)
    numbers[rng.random(numbers.shape) < gone] = np.nan
    codes = []
    for n_levels in levels:
        column = rng.integers(n_levels, size=n).astype(np.int32)
        column[rng.random(n) < gone] = -1
        codes.append(column)
    return MixedData(numbers, tuple(codes))
