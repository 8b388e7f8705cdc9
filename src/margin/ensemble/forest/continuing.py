"""Going on from the trees of an earlier fit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from margin.ensemble.forest.growing import ForestVotes
from margin.ensemble.forest.trees import Trees
from margin.errors import DataError, ParameterError

__all__ = ["NOTHING", "Earlier"]


@dataclass(frozen=True, eq=False)
class Earlier:
    """What a forest knew before it grows on: its trees, their votes out of bag, and what columns and classes they know.

    ``importances`` are the sum over the trees that asked anything.
    """

    trees: tuple[Trees, ...] = ()
    error: np.ndarray = field(default_factory=lambda: np.empty(0))
    importances: Any = 0.0
    seed: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    votes: np.ndarray | None = None
    counts: np.ndarray | None = None
    schema: Any = None
    classes: Any = None

    @classmethod
    def of(cls, model: Any) -> Earlier:
        """All of it, of a fitted forest."""
        known, trees = vars(model), model.trees_
        n_asked = int((np.diff(trees.start) > 1).sum())
        return cls(
            (trees,),
            known.get("oob_error_", np.empty(0)),
            model.feature_importances_ * n_asked,
            known.get("_seed", np.empty(0, dtype=np.uint64)),
            known.get("_oob_votes"),
            known.get("_oob_counts"),
            model._columns.schema,
            known.get("classes_"),
        )

    @property
    def n_trees(self) -> int:
        """Trees that are there."""
        return sum(trees.n_trees for trees in self.trees)

    def check(self, model: Any, n_rows: int, asked: bool) -> None:
        """Refuse to go on with other rows, columns, classes or settings than before."""
        if not self.trees:
            return
        who = type(model).__name__
        if model.n_estimators != "auto" and int(model.n_estimators) < self.n_trees:
            raise ParameterError(
                f"{who}(n_estimators={model.n_estimators}): n_estimators must not be below the {self.n_trees} trees "
                "that are there (warm_start=False begins anew)."
            )
        same = model._columns.schema == self.schema and model.n_features_in_ == len(np.atleast_1d(self.importances))
        if not same or not _same_classes(vars(model).get("classes_"), self.classes):
            raise DataError(f"{who}: the rows must have the columns and classes that the trees know (fit anew).")
        if asked != (self.counts is not None):
            raise ParameterError(f"{who}(oob_score={asked}): oob_score must be as it was for the trees that are there.")
        if self.counts is not None and len(self.counts) != n_rows:
            before = f"{len(self.counts):,} that the trees grew from"
            raise DataError(f"{who}: the rows must be the {before}, but are {n_rows:,} (fit anew).")

    def add_to(self, votes: ForestVotes, unit: float) -> None:
        """The votes of the trees that are there."""
        if self.votes is not None and self.counts is not None:
            votes.sums += self.votes * unit
            votes.counts += self.counts[:, None]


def _same_classes(now: Any, before: Any) -> bool:
    """Of one output, or of each of several."""
    if not isinstance(now, list) or not isinstance(before, list):
        return type(now) is type(before) and np.array_equal(now, before)
    return len(now) == len(before) and all(map(np.array_equal, now, before))


NOTHING = Earlier()
