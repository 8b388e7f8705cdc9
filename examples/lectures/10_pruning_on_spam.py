"""Reduced-error pruning on the spam set: 50 % to grow, 25 % to prune, 25 % to test, over 30 seeds.

    python examples/lectures/10_pruning_on_spam.py spambase.arff.gz [seeds]

Prints the size of the tree and its errors, full and pruned, as means with 95 % intervals over the seeds.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.stats import t

from margin import DecisionTreeClassifier, read

#: Draws of the three parts.
SEEDS = 30


def one_split(X, y, seed):
    """Leaves, and errors on the validation and test part, of the full and the pruned tree."""
    growing, judging, test = np.split(np.random.default_rng(seed).permutation(len(y)), [len(y) // 2, 3 * len(y) // 4])
    full = DecisionTreeClassifier().fit(X.take(growing), y[growing])
    pruned = full.prune_on(X.take(judging), y[judging])
    return [
        (model.get_n_leaves(), *(1 - model.score(X.take(part), y[part]) for part in (judging, test)))
        for model in (full, pruned)
    ]


def interval(values):
    """Mean and half the width of its 95 % interval."""
    values = np.asarray(values, dtype=float)
    return values.mean(), t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))


def main(path: str, seeds: int = SEEDS) -> int:
    """Print both trees, and what pruning changes."""
    X, y = read(path).target("class")
    found = np.array([one_split(X, y, seed) for seed in range(seeds)])
    print(f"{'tree':8s}{'leaves':>16s}{'validation error':>22s}{'test error':>22s}")
    for i, name in enumerate(["full", "pruned"]):
        leaves, validation, test = (interval(found[:, i, k]) for k in range(3))
        print(
            f"{name:8s}{leaves[0]:9.1f} ± {leaves[1]:4.1f}"
            f"{validation[0]:14.4f} ± {validation[1]:.4f}{test[0]:14.4f} ± {test[1]:.4f}"
        )
    change = interval(found[:, 1, 2] - found[:, 0, 2])
    print(f"pruning changes the test error by {change[0]:+.4f} ± {change[1]:.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:3])))
