"""Models that cut folds of their own, and keep rows that belong together on one side of each.

A model that has seen some rows of a patient knows the patient: what is chosen, pruned or calibrated by others of the
same patient is chosen for how well it remembers. So ``fit`` takes ``groups``, protocols by group hand them over, and
``rows.groups`` has them wherever rows are dealt out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

from margin.base.estimator import SupervisedEstimator
from margin.base.inputs.columns import Columns
from margin.base.representations.representation import TrainingRows
from margin.data.splits import group_codes
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["KeepsGroups"]


class KeepsGroups(SupervisedEstimator):
    """A model that may cut folds of its own, or holds models that may."""

    def fit(
        self,
        X: TableLike,
        y: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        groups: LabelsLike | None = None,
    ) -> Self:
        """Learn from rows X with targets y; whole-number weights stand for repeated rows.

        Rows of one of the ``groups`` stand on one side of every fold that is cut on the way.
        """
        self._groups = groups
        try:
            return super().fit(X, y, sample_weight)
        finally:
            self.__dict__.pop("_groups", None)

    def _open_rows(
        self, X: TableLike, sample_weight: WeightsLike | None, who: str, like: Columns | None = None
    ) -> TrainingRows:
        rows = super()._open_rows(X, sample_weight, who, like)
        groups: Any = self.__dict__.get("_groups")
        return rows if groups is None else replace(rows, groups=rows.of(group_codes(groups, rows.n_given, who)))
