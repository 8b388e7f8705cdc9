"""Rounds of boosting: clean columns and targets in, trees out, as many as the rows held back ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import margin._core as _core
from margin.base.representations.mixed import MixedData
from margin.boosting.gradient.boosted_trees import BoostedTrees, joined
from margin.tree.grow import Columns, codes_of, given_weights, numbers_of

__all__ = ["BoostedRows", "Grown", "core_settings", "run_rounds"]

#: Rounds between two looks at the loss of the rows held back.
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
    """Trees, and the loss after each round: of the training rows if asked for, of rows held back if there are any."""

    trees: BoostedTrees
    loss: np.ndarray
    watched: np.ndarray


def core_settings(settings: Mapping[str, Any]) -> Any:
    """Settings as the core takes them (``native/include/margin/boosting/gradient/settings.hpp``)."""
    found = _core.gradient.Settings()
    for name, value in settings.items():
        setattr(found, name, value)
    return found


def run_rounds(
    rows: BoostedRows,
    watched: BoostedRows | None,
    loss: str,
    settings: Mapping[str, Any],
    *,
    base: np.ndarray,
    first: int,
    n_rounds: int,
    max_bins: int,
    patience: int,
    tol: float,
    with_loss: bool = False,
) -> Grown:
    """Rounds ``first`` … ``first + n_rounds - 1``, or fewer where rows are watched and their loss falls no more.

    The rounds up to the smallest loss of the watched rows are kept.
    """
    given: Any = (*rows.cells(), max_bins, *rows.targets(), loss, core_settings(settings))
    core = _core.gradient.boost(*given)
    if watched is not None:
        core.watch(*watched.cells(), *watched.targets())
    at_once = n_rounds if watched is None else AT_ONCE
    n_columns = rows.columns.n_numbers + len(rows.columns.n_levels)
    parts: list[Grown] = []
    done = 0
    while done < n_rounds and not (watched is not None and _is_over(parts, patience, tol)):
        found = core.run(first + done, min(at_once, n_rounds - done), with_loss, None)
        arrays = {name: found[name] for name in ("nodes", "start", "words", "gain", "cover")}
        trees = BoostedTrees(**arrays, base=base, n_columns=n_columns)
        parts.append(Grown(trees, found["loss"], found["watched"]))
        done += trees.n_rounds
    whole = Grown(
        joined([part.trees for part in parts]),
        np.concatenate([part.loss for part in parts]),
        np.concatenate([part.watched for part in parts]),
    )
    if watched is None:
        return whole
    best = int(whole.watched.argmin()) + 1
    return Grown(whole.trees.of_rounds(best), whole.loss, whole.watched)


def _is_over(parts: list[Grown], patience: int, tol: float) -> bool:
    """Whether no round of the last ``patience`` ones was better by ``tol`` than the best before."""
    curve = np.concatenate([np.empty(0), *(part.watched for part in parts)])
    if len(curve) <= patience:
        return False
    before = curve[:-patience].min()
    return bool(curve[-patience:].min() >= before - tol * abs(before))
