"""How alike the trees of a forest are, for other numbers of columns that nodes look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.base.sklearn_classes import clone
from margin.ensemble.forest.agreement import forest_variance
from margin.typing import LabelsLike, TableLike

__all__ = ["CorrelationCurve", "correlation_curve"]


@dataclass(frozen=True, eq=False)
class CorrelationCurve:
    """ρ, σ² and what follows from them, for each number of columns.

    Attributes
    ----------
    max_features
        Columns that a node looks at.
    correlation, variance
        ρ between two trees from the same rows, and σ² of one tree, over training sets and draws.
    forest_variance
        The variance of forests of ``n_trees``, simulated.
    n_trees
        Trees of these forests.
    """

    max_features: np.ndarray
    correlation: np.ndarray
    variance: np.ndarray
    forest_variance: np.ndarray
    n_trees: int


def correlation_curve(
    model: Any,
    X: TableLike,
    y: LabelsLike,
    X_test: TableLike,
    *,
    max_features: Sequence[int] | None = None,
    n_trees: int = 50,
    n_repeats: int = 20,
    share: float = 0.5,
    random_state: Any = None,
) -> CorrelationCurve:
    """How ρ between trees and σ² of one of them change with the columns that nodes look at.

    Parameters
    ----------
    model
        A forest.
    X, y, X_test
        Rows to draw training sets from, and rows that forests are asked about.
    max_features
        Numbers of columns; None for 1, 2, 4, … and all.
    n_trees
        Trees of each forest.
    n_repeats, share, random_state
        As of :func:`margin.ensemble.forest_variance`, which is asked for each number of columns.

    Examples
    --------
    >>> import numpy as np
    >>> from margin import RandomForestRegressor
    >>> X = np.random.default_rng(0).normal(size=(200, 4))
    >>> forest = RandomForestRegressor()
    >>> found = correlation_curve(forest, X, X[:, 0], X[:20], n_trees=20, n_repeats=8, random_state=0)
    >>> found.max_features.tolist(), bool(found.correlation[0] < found.correlation[-1])
    ([1, 2, 4], True)
    """
    sizes = _doubled(model, X, y) if max_features is None else sorted(max_features)
    found = [
        forest_variance(
            clone(model).set_params(max_features=int(m)),
            X,
            y,
            X_test,
            n_trees=(1, n_trees),
            n_repeats=n_repeats,
            share=share,
            random_state=random_state,
        )
        for m in sizes
    ]
    return CorrelationCurve(
        np.array(sizes),
        np.array([each.correlation for each in found]),
        np.array([each.variance for each in found]),
        np.array([each.simulated[-1] for each in found]),
        int(n_trees),
    )


def _doubled(model: Any, X: TableLike, y: LabelsLike) -> list[int]:
    """1, 2, 4, … and all columns, as a tree counts them."""
    d = int(clone(model).set_params(n_estimators=1).fit(X, y).n_features_in_)
    return [*(2**k for k in range(d.bit_length()) if 2**k < d), d]
