"""ID3: a branch for every level, the most informative column first, no pruning."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from margin import parallel
from margin.base.representations.mixed import MixedData
from margin.base.representations.representation import TrainingRows
from margin.errors import InputError, listing
from margin.params import Count, Jobs, Several
from margin.tree.discretizer import interval_settings
from margin.tree.grow import grow
from margin.tree.settings import Missing, missing_settings
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

    def _fit(self, X: MixedData, y: np.ndarray, rows: TrainingRows) -> None:
        if self.numeric == "refuse" and X.numeric.shape[1]:
            names = [column.name for column in self._columns.described() if column.is_numeric]
            raise InputError(f"ID3(numeric='refuse').fit: column {listing(names)} holds numbers; say what they are.")
        cases = Rows(X, y, rows.weights())
        self.n_outputs_ = 1
        self.tree_ = grow(*cases, **self._how(cases), n_threads=parallel.n_threads(self.n_jobs))

    def _how(self, rows: Rows) -> dict[str, Any]:
        settings: dict[str, Any] = {"nominal": "multiway", **missing_settings(self.missing)}
        settings["gain_ratio"] = self.criterion == "gain_ratio"
        if rows.X.numeric.shape[1]:
            cases, threads = Rows(rows.X, rows.y, in_cases(rows.weight)), parallel.n_threads(self.n_jobs)
            settings |= interval_settings(cases, self.numeric, True, int(self.max_intervals), threads)
        if self.max_depth is not None:
            settings["max_depth"] = int(self.max_depth)
        return {"criterion": "entropy", "settings": settings, "n_classes": len(self.classes_)}
