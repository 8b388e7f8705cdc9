"""The rows that a forest grew from, given once more: which tree drew which of them follows from its seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base.representations.mixed import MixedData
from margin.data.weights import check_weights
from margin.ensemble.forest.growing import whole_repeats
from margin.errors import DataError, ParameterError
from margin.tree.training_rows import without_excess

__all__ = ["RowsAgain", "rows_again"]


@dataclass(frozen=True, eq=False)
class RowsAgain:
    """Rows of weight above 0 as the trees see them, with targets as numbers (classes by their codes).

    ``plan`` and ``ends`` say how rows were drawn, for the core.
    """

    X: MixedData
    y: np.ndarray
    weight: np.ndarray
    plan: Any
    ends: np.ndarray
    kept: np.ndarray

    def drawn(self) -> np.ndarray:
        """How often each tree drew each row: trees x rows."""
        found: np.ndarray = _core.ensemble.drawn(self.plan, self.ends, len(self.y))
        return found


def rows_again(
    model: Any, X: Any, y: Any, sample_weight: Any, method: str, *, out_of_bag: bool = True, same: bool = True
) -> RowsAgain:
    """The training rows of a fitted forest; refused where they cannot be those, or where no tree left any out.

    Where other rows do as well (not ``same``), nothing of what was drawn is asked for.
    """
    who = f"{type(model).__name__}.{method}"
    out_of_bag = out_of_bag and same
    if out_of_bag and "_seed" not in vars(model):
        raise DataError(f"{who}: the forest does not know which rows it drew (it is of an older file; fit it anew).")
    if out_of_bag and not model.bootstrap:
        raise ParameterError(f"{who}: bootstrap must be True, or no tree leaves out any row.")
    data = model._encoded(X, method)
    weight = check_weights(sample_weight, len(data), who)
    weight = np.ones(len(data)) if weight is None else weight
    targets = model._targets_again(y, len(data), who)
    kept = np.flatnonzero(weight > 0)
    known = vars(model).get("_oob_counts")
    if same and known is not None and len(known) != len(kept):
        raise DataError(f"{who}: the rows must be the {len(known):,} of fit, but are {len(kept):,}.")
    ends = whole_repeats(without_excess(weight[kept]))
    plan = _core.ensemble.ForestPlan()
    plan.n_trees, plan.n_threads = model.trees_.n_trees, parallel.n_threads(model.n_jobs)
    plan.seed = int(model._seed[0]) if out_of_bag else 0
    plan.n_draws = model._n_draws(int(ends[-1]) if len(ends) else len(kept)) if model.bootstrap else 0
    return RowsAgain(data.take(kept), targets[kept], weight[kept], plan, ends, kept)
