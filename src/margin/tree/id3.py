"""ID3: a branch for every level, the most informative column first, no pruning."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from margin import parallel
from margin.base.representations.mixed import MixedData
from margin.errors import InputError, listing
from margin.params import Count, Jobs
from margin.tree.discretizer import interval_settings
from margin.tree.grow import grow_classes
from margin.tree.settings import Missing, Several
from margin.tree.training_rows import Rows, in_cases
from margin.tree.tree_model import TreeClassifier

__all__ = ["ID3"]


class ID3(TreeClassifier):
    """Splits by the most informative column into all its levels, until a node is pure or no column is left.

    A branch for a level that no case of the node has becomes a leaf with the majority of its parent. There is no
    pruning: on noisy data :class:`margin.C45` is the better choice. A column with many levels gains much and says
    little; the gain ratio makes up for that.

    Parameters
    ----------
    criterion
        Columns are ranked by their information gain, ``"entropy"``, or by ``"gain_ratio"``, the gain for each bit of
        their own entropy.
    numeric
        ID3 knows no numbers: they become intervals, as many as ``"mdl"`` finds worth describing (Fayyad, Irani 1993),
        or of ``"equal_width"`` or ``"equal_count"``; or ``"refuse"`` them.
    max_intervals
        How many intervals of equal width or count there are.
    missing
        Where missing cells go: ``"direction"``, the branch that gains most, or ``"fractional"``, all in parts.
    max_depth
        Most questions on a path; None for no limit.
    n_jobs
        Threads; None uses all cores. The tree does not depend on it.

    Attributes
    ----------
    tree_
        The nodes as plain arrays, a :class:`margin.tree.Tree`.

    References
    ----------
    Quinlan (1986), Induction of decision trees.

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("weather_nominal").target("play")
    >>> model = ID3().fit(X, y)
    >>> model.tree_.n_leaves, model.score(X, y)
    (5, 1.0)
    """

    def __init__(
        self,
        *,
        criterion: Literal["entropy", "gain_ratio"] = "entropy",
        numeric: Literal["mdl", "equal_width", "equal_count", "refuse"] = "mdl",
        max_intervals: Several = 8,
        missing: Missing = "direction",
        max_depth: Count | None = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.criterion = criterion
        self.numeric = numeric
        self.max_intervals = max_intervals
        self.missing = missing
        self.max_depth = max_depth
        self.n_jobs = n_jobs

    def _fit(self, X: MixedData, y: np.ndarray, weight: np.ndarray) -> None:
        if self.numeric == "refuse" and X.numeric.shape[1]:
            names = [column.name for column in self._columns.described() if column.is_numeric]
            raise InputError(f"ID3(numeric='refuse').fit: column {listing(names)} holds numbers; say what they are.")
        threads, static = parallel.n_threads(self.n_jobs), True
        settings: dict[str, Any] = {"nominal": "multiway", "missing": self.missing}
        settings["gain_ratio"] = self.criterion == "gain_ratio"
        if X.numeric.shape[1]:
            rows = Rows(X, y, in_cases(weight))
            settings |= interval_settings(rows, self.numeric, static, int(self.max_intervals), threads)
        if self.max_depth is not None:
            settings["max_depth"] = int(self.max_depth)
        self.n_outputs_ = 1
        self.tree_ = grow_classes(X, y, weight, len(self.classes_), "entropy", settings, np.empty(0, np.int8), threads)
