"""Rounds of boosting: clean columns and targets in, trees out, as many as rows that were not learnt from ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import margin._core as _core
from margin.base.representations.mixed import MixedData
from margin.boosting.gradient.boosted_trees import BoostedTrees, joined
from margin.boosting.gradient.dropping import kept_shares
from margin.boosting.gradient.own_loss import OwnLoss
from margin.boosting.gradient.plan import Plan
from margin.boosting.gradient.progress import BoostingProgress, Told
from margin.boosting.gradient.settings import core_settings
from margin.boosting.gradient.sparse_rows import csr_of, is_wide_and_sparse
from margin.boosting.patience import Patience
from margin.tree.grow import Columns, codes_of, given_weights, numbers_of
from margin.tree.training_rows import Rows

__all__ = ["BoostedRows", "Grown", "Run", "chosen"]

#: What the core gives of trees.
ARRAYS = ("nodes", "start", "words", "gain", "cover", "term_nodes", "term_columns", "term_numbers")
#: So many parts of the rows are enough to see that a plan is so many times worse than another.
TRIED_FIRST, FAR_BEHIND = 2, 1.05
#: Rounds between two looks at the loss of the watched rows.
AT_ONCE = 5


@dataclass(frozen=True, eq=False)
class BoostedRows:
    """Rows, targets (codes or numbers), weights, and the scores they begin with: scores x rows."""

    X: MixedData
    y: np.ndarray
    weight: np.ndarray
    scores: np.ndarray
    columns: Columns = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", Columns(self.X))

    def cells(self) -> tuple[Any, ...]:
        """Columns as the core takes them."""
        return numbers_of(self.X), codes_of(self.X), self.columns.n_levels, self.columns.nominal

    def targets(self) -> tuple[Any, ...]:
        """Targets, weights and scores as the core takes them."""
        y = np.ascontiguousarray(self.y, dtype=np.float64)
        return y, given_weights(self.weight), np.ascontiguousarray(self.scores.ravel())


@dataclass(frozen=True, eq=False)
class Grown:
    """Trees, and the loss after each round: of the training rows if asked for, of watched rows if there are any."""

    trees: BoostedTrees
    loss: np.ndarray
    watched: np.ndarray


class Run:
    """Rounds over some rows, as many at a time as are asked for; ``base`` are the scores that trees add to."""

    def __init__(
        self,
        rows: BoostedRows,
        watched: BoostedRows | None,
        loss: str | OwnLoss,
        settings: Mapping[str, Any],
        *,
        base: np.ndarray,
        max_bins: int,
        first: int = 0,
    ) -> None:
        self.rows, self.watched, self.base, self.first = rows, watched, base, first
        self.own = loss if isinstance(loss, OwnLoss) else None
        name = loss if isinstance(loss, str) else "given"
        how: Any = (max_bins, *rows.targets(), name, core_settings(settings))
        if is_wide_and_sparse(rows.X):
            self.core = _core.gradient.boost_csr(*csr_of(rows.X), rows.columns.n_numbers, *how)
            if watched is not None:
                _core.gradient.watch_csr(self.core, *csr_of(watched.X), *watched.targets())
        else:
            self.cells = [each.cells() for each in (rows, watched) if each is not None]  # linear leaves read them again
            self.core = _core.gradient.boost(*self.cells[0], *how)
            if watched is not None:
                self.core.watch(*self.cells[1], *watched.targets())
        self.settings = settings
        self.n_columns = rows.columns.n_numbers + len(rows.columns.n_levels)
        self.parts: list[Grown] = []
        self.dropped: list[np.ndarray] = []
        self.done = 0

    def go_on(self, n_rounds: int) -> None:
        """So many rounds more."""
        if n_rounds == 0:
            return
        if self.own is None:
            self._keep(self.core.run(self.first + self.done, n_rounds, False, None))
            return
        for _ in range(n_rounds):
            self.core.leave_out()
            scores = self.core.scores().reshape(len(self.base), -1)
            _, g, h = self.own.of(self.rows.y, scores)
            self.core.give_slopes(g.ravel(), h.ravel())
            found = self.core.run(self.first + self.done, 1, False, None)
            if self.watched is not None:
                after = self.core.watched_scores().reshape(len(self.base), -1)
                found["watched"] = np.array([self.own.mean(self.watched.y, self.watched.weight, after)])
            self._keep(found)

    def _keep(self, found: dict[str, Any]) -> None:
        arrays = {name: found[name] for name in ARRAYS}
        trees = BoostedTrees(**arrays, base=self.base, n_columns=self.n_columns)
        self.parts.append(Grown(trees, found["loss"], found["watched"]))
        self.dropped += np.split(found["dropped"], np.cumsum(found["n_dropped"]))[:-1]
        self.done += trees.n_rounds

    @property
    def curve(self) -> np.ndarray:
        """The loss of the watched rows after each round."""
        return np.concatenate([np.empty(0), *(part.watched for part in self.parts)])

    def until(self, n_rounds: int, patience: Patience, told: Told | None = None) -> Grown:
        """At most so many rounds; where rows are watched the rounds up to their smallest loss are kept."""
        if self.watched is None and told is None:
            self.go_on(n_rounds)
            return self.grown()
        while self.done < n_rounds and not (self.watched is not None and patience.is_over(self.curve)):
            before = self.done
            self.go_on(min(AT_ONCE, n_rounds - before))
            tell(told, self.curve, range(before, self.done), n_rounds)
        return self.grown(None if self.watched is None else int(self.curve.argmin()) + 1)

    def grown(self, n_rounds: int | None = None) -> Grown:
        """The trees of the first rounds, of all if None."""
        trees = joined([part.trees for part in self.parts])
        loss = np.concatenate([part.loss for part in self.parts])
        if n_rounds is not None:
            trees = trees.of_rounds(n_rounds)
        if self.dropped:
            share = kept_shares(self.dropped[: trees.n_rounds], self.settings["learning_rate"])
            trees = trees.times(np.repeat(share, len(self.base)))
        return Grown(trees, loss, self.curve)


def tell(told: Told | None, curve: np.ndarray, rounds: range, of: int, *, choosing: bool = False) -> None:
    """Say what some rounds gave."""
    if told is None:
        return
    for k in rounds:
        done = BoostingProgress(k + 1, of, choosing=choosing)
        if len(curve):
            best = int(curve[: k + 1].argmin())
            done = replace(done, loss=float(curve[k]), best_loss=float(curve[best]), best_round=best + 1)
        told(done)


def best_rounds(
    runs: Sequence[Run], n_rounds: int, patience: Patience, told: Told | None = None
) -> tuple[int, np.ndarray]:
    """How many rounds give the smallest loss over all watched rows, and the curve: runs go on side by side.

    Runs that have gone further before are waited for.
    """
    weight = np.array([run.watched.weight.sum() for run in runs if run.watched is not None])
    curve = np.empty(0)
    while len(curve) < n_rounds and not patience.is_over(curve):
        before, after = len(curve), min(len(curve) + AT_ONCE, n_rounds)
        for run in runs:
            run.go_on(max(after - run.done, 0))
        curve = np.average([run.curve[:after] for run in runs], axis=0, weights=weight)
        tell(told, curve, range(before, after), n_rounds, choosing=True)
    return int(curve.argmin()) + 1, curve


def chosen(
    plans: Sequence[Plan],
    parts: Sequence[tuple[Rows, Rows]],
    run: Callable[[Plan, Rows, Rows], Run],
    patience: Patience,
    told: Told | None = None,
) -> tuple[Plan, np.ndarray | None]:
    """The plan of the smallest loss of rows left out, with as many rounds as these ask for, and the losses.

    All plans are tried on the first two parts; those that are far behind the best there are not tried on the others.
    """
    if not parts:
        return plans[0], None
    begun = [[run(plan, *part) for part in parts[:TRIED_FIRST]] for plan in plans]
    if len(plans) > 1 and len(parts) > TRIED_FIRST:
        loss = [
            best_rounds(runs, plan.n_estimators, patience, told)[1].min()
            for plan, runs in zip(plans, begun, strict=True)
        ]
        stays = [each <= FAR_BEHIND * min(loss) for each in loss]
    else:
        stays = [True] * len(plans)
    best: tuple[Plan, np.ndarray | None] = (plans[0], None)
    smallest = np.inf
    for plan, runs, stay in zip(plans, begun, stays, strict=True):
        if not stay:
            continue
        runs += [run(plan, *part) for part in parts[TRIED_FIRST:]]
        n_rounds, curve = best_rounds(runs, plan.n_estimators, patience, told)
        runs.clear()
        if curve.min() < smallest:
            best, smallest = (replace(plan, n_estimators=n_rounds), curve), float(curve.min())
    return best
