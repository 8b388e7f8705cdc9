r"""How alike the trees of a forest are, and what that makes of its variance.

The mean of B answers of variance :math:`\sigma^2`, each two of them correlated by :math:`\rho`, has the variance
:math:`\rho\sigma^2 + (1 - \rho)\sigma^2/B`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.base.sklearn_classes import clone
from margin.data.rows import take_rows
from margin.errors import ParameterError
from margin.random import generator, seed_for
from margin.typing import LabelsLike, TableLike

__all__ = ["ForestVariance", "Strength", "forest_variance", "strength_of"]


@dataclass(frozen=True)
class Strength:
    """Breiman's two figures of a forest for classes, out of bag.

    Attributes
    ----------
    strength
        The mean margin: the share of the votes for the true class less the largest share for another.
    correlation
        The mean correlation between the raw margins of two trees.
    error_bound
        What the error of the forest cannot exceed as it grows: correlation (1 - strength²) / strength²; 1 at most.
    """

    strength: float
    correlation: float

    @property
    def error_bound(self) -> float:
        if self.strength <= 0:
            return 1.0
        return min(1.0, self.correlation * (1 - self.strength**2) / self.strength**2)


def strength_of(votes: np.ndarray, out: np.ndarray, y: np.ndarray) -> Strength:
    """Of the classes that trees vote for (rows x trees), counted where ``out`` says so; Breiman (2001), appendix 2.

    A tree's raw margin is 1, -1 or 0: its vote is for the true class, for the other that most trees vote for, or for
    neither. Its variance follows from how often each happens among the rows that the tree did not draw.
    """
    asked = out.any(axis=1)
    votes, out, y = votes[asked], out[asked], y[asked]
    n_classes = int(max(votes.max(initial=0), y.max(initial=0))) + 1
    counts = np.zeros((len(y), n_classes))
    for k in range(n_classes):
        counts[:, k] = ((votes == k) & out).sum(axis=1)
    shares = counts / out.sum(axis=1, keepdims=True)
    rows = np.arange(len(y))
    right = shares[rows, y].copy()
    shares[rows, y] = -1.0
    other = shares.argmax(axis=1)
    margin = right - np.maximum(shares[rows, other], 0.0)
    is_right = ((votes == y[:, None]) & out).sum(axis=0)
    is_other = ((votes == other[:, None]) & out).sum(axis=0)
    n = np.maximum(out.sum(axis=0), 1)
    p, q = is_right / n, is_other / n
    spread = np.sqrt(np.maximum(p + q - (p - q) ** 2, 0.0)).mean()
    variance = float(margin.var())
    return Strength(float(margin.mean()), float(variance / spread**2) if spread > 0 else 0.0)


@dataclass(frozen=True, eq=False)
class ForestVariance:
    """What is known of the variance of a forest at some rows, over training sets.

    Attributes
    ----------
    n_trees
        Numbers of trees.
    simulated
        The variance of forests of so many trees, the mean over the rows.
    predicted
        What the formula makes of ``correlation`` and ``variance`` for so many.
    correlation, variance
        ρ between two trees from the same training rows, and σ² of a single tree, over training sets and draws.
    """

    n_trees: np.ndarray
    simulated: np.ndarray
    predicted: np.ndarray
    correlation: float
    variance: float


def forest_variance(
    model: Any,
    X: TableLike,
    y: LabelsLike,
    X_test: TableLike,
    *,
    n_trees: Sequence[int] = (1, 2, 5, 10, 20, 50, 100),
    n_repeats: int = 20,
    share: float = 0.5,
    random_state: Any = None,
) -> ForestVariance:
    r"""How the variance of a forest falls with its trees: simulated, and by ρσ² + (1 - ρ)σ²/B.

    Each repeat takes a share of the rows without replacement, fits the forest on it and asks its trees one by one: for
    numbers, or for the share of the last class. ρ and σ² come from pairs of neighbouring trees alone; forests of other
    sizes say whether the formula holds.

    >>> import numpy as np
    >>> from margin import RandomForestRegressor
    >>> X = np.random.default_rng(0).normal(size=(300, 3))
    >>> forest = RandomForestRegressor()
    >>> found = forest_variance(forest, X, X[:, 0], X[:20], n_trees=(1, 10), n_repeats=10, random_state=0)
    >>> bool(found.simulated[1] < found.simulated[0]), 0 < found.correlation < 1
    (True, True)
    """
    if n_repeats < 2 or not 0 < share <= 1:
        raise ParameterError(
            f"forest_variance(n_repeats={n_repeats}, share={share}): n_repeats must be at least 2, and share a number "
            "above 0 and up to 1."
        )
    most, y = max(max(n_trees), 2), np.asarray(y)
    seed = seed_for(random_state, "variance")
    said = []
    for repeat in range(n_repeats):
        rows = np.sort(generator(seed, "rows", repeat).permutation(len(y))[: max(2, round(share * len(y)))])
        grown = clone(model).set_params(n_estimators=most, random_state=seed_for(seed, "trees", repeat, bits=32))
        said.append(grown.fit(take_rows(X, rows), y[rows])._votes_of(X_test, "predict")[:, :, -1])
    votes = np.stack(said)  # repeats x rows x trees
    sizes = np.array(sorted(n_trees))
    means = np.cumsum(votes, axis=2)[:, :, sizes - 1] / sizes
    variance = float(votes.var(axis=0, ddof=1).mean())
    pairs = votes - votes.mean(axis=0)
    shared = float((pairs[:, :, 1:] * pairs[:, :, :-1]).sum(axis=0).mean() / (n_repeats - 1))
    rho = shared / variance if variance > 0 else 0.0
    return ForestVariance(
        sizes, means.var(axis=0, ddof=1).mean(axis=0), rho * variance + (1 - rho) * variance / sizes, rho, variance
    )
