"""SHAP values by their definition: all subsets of columns, each answered by walking down the tree."""

from __future__ import annotations

from itertools import combinations
from math import factorial

import numpy as np

from margin.tree.nodes import Ask


def answer(tree, node_answers, row, known, node=0):
    """What a tree says of a row of which only the columns in ``known`` are known."""
    if tree.is_leaf[node]:
        return node_answers[node]
    children, column = tree.children(node), int(tree.column[node])
    cell, branch = row[column], -1
    if column in known:
        branch = int(tree.missing[node]) if np.isnan(cell) else known_branch(tree, node, cell)
        for s in range(int(tree.surrogate_start[node]), int(tree.surrogate_start[node + 1])) if np.isnan(cell) else ():
            other = row[tree.surrogate_column[s]]
            if not np.isnan(other):
                codes = tree.surrogate_detail[tree.surrogate_detail_start[s] : tree.surrogate_detail_start[s + 1]]
                low = other in codes if len(codes) else other <= tree.surrogate_threshold[s]
                branch = int(tree.surrogate_low[s]) if low else 1 - int(tree.surrogate_low[s])
                break
    if branch >= 0:
        return answer(tree, node_answers, row, known, int(children[branch]))
    weight = tree.weight[children]
    if weight.sum() == 0:
        return node_answers[node]
    parts = [answer(tree, node_answers, row, known, int(child)) for child in children]
    return sum(share * part for share, part in zip(weight / weight.sum(), parts))


def known_branch(tree, node, cell):
    detail = tree.details(node)
    match tree.ask[node]:
        case Ask.THRESHOLD:
            return 0 if cell <= tree.threshold[node] else 1
        case Ask.SUBSET:
            return 0 if cell in detail else 1
        case Ask.INTERVAL:
            return int((detail < cell).sum())
        case _:
            return int(cell)


def forest_answer(trees, weight, row, known, t):
    """The same of tree t of a forest, whose nodes weigh ``weight``."""
    start, leaf, column, first = trees.start[t], trees.is_leaf, trees.column, trees.first

    def walk(node):
        at = start + node
        if leaf[at]:
            return trees.answers(np.array([at]))[0]
        low = int(first[at])
        if int(column[at]) in known:
            cell = row[column[at]]
            if np.isnan(cell):
                return walk(low + int(trees.missing[at]))
            if not trees.is_subset[at]:
                return walk(low + int(cell > trees.threshold[at]))
            begin, n = int(trees.nodes[at, 0]) & 0xFFFFFFFF, int(trees.nodes[at, 0]) >> 32
            word = int(trees.words[begin + int(cell) // 64]) if int(cell) // 64 < n else 0
            return walk(low + 1 - (word >> int(cell) % 64 & 1))
        w0, w1 = weight[start + low], weight[start + low + 1]
        return (w0 * walk(low) + w1 * walk(low + 1)) / (w0 + w1)

    return walk(0)


def node_weights(trees):
    """The weight of each node of a forest."""
    weight = np.zeros(len(trees.nodes))
    weight[trees.is_leaf] = trees.leaf_weight
    for t in range(trees.n_trees):
        for node in range(int(trees.start[t + 1]) - 1, int(trees.start[t]) - 1, -1):
            if not trees.is_leaf[node]:
                child = trees.start[t] + trees.first[node]
                weight[node] = weight[child] + weight[child + 1]
    return weight


def shapley(game, d):
    """Values and interactions of a game of d players, by all subsets."""
    worth = {known: game(frozenset(known)) for size in range(d + 1) for known in combinations(range(d), size)}
    of = lambda known: worth[tuple(sorted(known))]  # noqa: E731
    values = [0.0] * d
    pairs = np.zeros((d, d, *np.shape(worth[()])))
    for i in range(d):
        for known in worth:
            if i in known:
                continue
            share = factorial(len(known)) * factorial(d - len(known) - 1) / factorial(d)
            values[i] = values[i] + share * (of({*known, i}) - of(known))
            for j in range(d):
                if j == i or j in known:
                    continue
                share = factorial(len(known)) * factorial(d - len(known) - 2) / (2 * factorial(d - 1))
                pairs[i, j] += share * (of({*known, i, j}) - of({*known, i}) - of({*known, j}) + of(known))
    values = np.array(values)
    for i in range(d):
        pairs[i, i] = values[i] - pairs[i].sum(axis=0)
    return values, pairs
