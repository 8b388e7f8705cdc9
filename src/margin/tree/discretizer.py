"""Numbers as intervals: equally wide, equally full, or as many as are worth describing."""

from __future__ import annotations

from typing import Any, Literal, Self, cast

import numpy as np

from margin import parallel, params
from margin.base import Mixed
from margin.base.estimator import TableEstimator
from margin.base.inputs.arrays import row_count
from margin.base.representations.mixed import MixedData
from margin.base.rollback import whole_or_not_at_all
from margin.base.sklearn_classes import TransformerMixin
from margin.base.targets.labels import encode_labels
from margin.errors import LabelError
from margin.params import Jobs, Several
from margin.tree.grow import grow, numbers_of
from margin.tree.training_rows import Rows
from margin.typing import TableLike, WeightsLike

__all__ = ["Discretizer", "cuts_of_columns", "interval_settings"]

Method = Literal["equal_width", "equal_count", "mdl"]


class Discretizer(TransformerMixin, TableEstimator):
    r"""Turns numbers into the numbers of intervals, 0, 1, 2, …; what is learnt are the cuts between them.

    A number belongs below a cut c if :math:`x \le c`. Intervals of equal count hold equal weights as far as equal
    numbers allow. ``"mdl"`` cuts where the classes are told apart best, and goes on on both sides as long as naming
    the cut and the classes beyond it takes fewer bits than before. Nominal columns become the numbers of their levels,
    missing cells -1.

    Parameters
    ----------
    method
        ``"equal_width"``, ``"equal_count"``, or ``"mdl"``, which needs classes.
    max_intervals
        How many intervals of equal width or count there are; fewer where some would be empty.
    n_jobs
        Threads; None uses all cores. The cuts do not depend on it.

    Attributes
    ----------
    cuts_
        The cuts of each column, ascending; none for nominal columns.

    References
    ----------
    Fayyad, Irani (1993), Multi-interval discretization of continuous-valued attributes for classification learning.

    Examples
    --------
    >>> model = Discretizer(method="equal_width", max_intervals=2).fit([[1.0], [2.0], [9.0]])
    >>> model.cuts_, model.transform([[0.0], [5.0], [6.0]]).tolist()
    ([array([5.])], [[0], [0], [1]])
    """

    representation = Mixed(as_given=True)

    def __init__(self, *, method: Method = "equal_count", max_intervals: Several = 8, n_jobs: Jobs = None) -> None:
        self.method = method
        self.max_intervals = max_intervals
        self.n_jobs = n_jobs

    def fit(self, X: TableLike, y: Any = None, sample_weight: WeightsLike | None = None) -> Self:
        """Learn the cuts; only ``"mdl"`` looks at the classes y."""
        with whole_or_not_at_all(self):
            params.check(self)
            who = "Discretizer.fit"
            rows = self._open_rows(X, sample_weight, who)
            learnt = self._learn_input(rows, who)
            labels = np.zeros(row_count(rows.source), dtype=np.int32)
            if self.method == "mdl":
                if y is None:
                    raise LabelError(f"{who}: requires y to be passed, but the target y is None (method='mdl').")
                labels = rows.of(encode_labels(y, rows.n_given, who)[1]).astype(np.int32)
            found = cuts_of_columns(
                learnt.data,
                labels,
                rows.weights(),
                self.method,
                int(self.max_intervals),
                parallel.n_threads(self.n_jobs),
            )
            numbers = iter(found)
            self.cuts_ = [next(numbers) if c.is_numeric else np.empty(0) for c in self._columns.described()]
        return self

    def transform(self, X: TableLike) -> np.ndarray:
        """The number of the interval, or level, of each cell; -1 where it is missing, or a level not seen at fit."""
        data = self._encoded(X, "transform")
        numbers, codes = numbers_of(data), iter(data.codes)
        columns, at = [], 0
        for column, cuts in zip(self._columns.described(), self.cuts_, strict=True):
            if column.is_numeric:
                cells = numbers[:, at]
                columns.append(np.where(np.isnan(cells), -1, np.searchsorted(cuts, cells, "left")))
                at += 1
            else:
                columns.append(next(codes))
        return np.column_stack(columns).astype(np.int64)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns, as they were."""
        described = self._fitted("get_feature_names_out")._columns.described()
        return np.array([column.name for column in described], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        tags.target_tags.required = self.method == "mdl"
        return tags


def cuts_of_columns(
    X: MixedData, y: np.ndarray, weight: np.ndarray, method: Method, max_intervals: int, n_threads: int
) -> list[np.ndarray]:
    """The cuts of each column of numbers: those at the root of a tree that has this column alone.

    Only ``"mdl"`` looks at the classes y.
    """
    settings = {"numeric": method, "max_depth": 1, "max_intervals": max_intervals}
    n_classes, found = (int(y.max()) + 1 if method == "mdl" else 2), []
    for column in numbers_of(X).T:
        known = np.flatnonzero(~np.isnan(column))
        if len(known) < 2:
            found.append(np.empty(0))
            continue
        alone = MixedData(np.ascontiguousarray(column[known, None]))
        # Else any two classes: a root of one class would not be split.
        labels = y[known] if method == "mdl" else np.arange(len(known), dtype=np.int32) % 2
        tree = grow(alone, labels, weight[known], "entropy", settings, n_classes=n_classes, n_threads=n_threads)
        found.append(np.array(tree.details(0)))
    return found


def interval_settings(rows: Rows, method: str, static: bool, max_intervals: int, n_threads: int) -> dict[str, Any]:
    """How the core is told about intervals: cuts for the whole tree if ``static``, else how each node cuts."""
    if method == "threshold":
        return {}
    found: dict[str, Any] = {"max_intervals": max_intervals}
    if not static:
        return found | {"numeric": method}
    cuts = cuts_of_columns(*rows, cast(Method, method), max_intervals, n_threads)
    return found | {"numeric": "fixed", "cuts": [column.tolist() for column in cuts]}
