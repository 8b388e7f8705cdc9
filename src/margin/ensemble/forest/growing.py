"""Growing forests: clean columns in, :class:`margin.ensemble.Trees` out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import margin._core as _core
from margin.base.representations.mixed import MixedData
from margin.data.weights import count_repeats
from margin.ensemble.forest.trees import Trees
from margin.tree.grow import FREE, Columns, binary_scale, codes_of, core_settings, given_weights, numbers_of

__all__ = ["ForestRows", "ForestVotes", "Grown", "choose_bins", "whole_repeats"]

#: Up to so many rows every threshold is looked at: sorting them costs less than bins lose.
EXACT_ROWS = 10_000
#: Rows that weights may stand for before they count as relative: each of them is drawn.
MOST_REPEATS = 2**24


def choose_bins(max_bins: Any, n_rows: int) -> tuple[int | None, str]:
    """How many bins a column has at most, None for one to each number, and why.

    >>> choose_bins("auto", 500)
    (None, 'all thresholds: 500 rows are few')
    >>> choose_bins("auto", 100_000)[0]
    255
    """
    if max_bins is None:
        return None, "all thresholds: as asked for"
    if max_bins != "auto":
        return int(max_bins), f"{int(max_bins)} bins: as asked for"
    if n_rows <= EXACT_ROWS:
        return None, f"all thresholds: {n_rows:,} rows are few"
    return 255, f"255 bins: {n_rows:,} rows are more than {EXACT_ROWS:,}"


def whole_repeats(weight: np.ndarray) -> np.ndarray:
    """Where the rows that each weight stands for end, counted up; nothing where weights are relative or all 1.

    >>> whole_repeats(np.array([2.0, 1.0, 3.0]))
    array([2, 3, 6])
    >>> whole_repeats(np.array([0.5, 1.0]))
    array([], dtype=int64)
    """
    if (weight == 1).all() or not count_repeats(weight) or weight.sum() > MOST_REPEATS:
        return np.empty(0, dtype=np.int64)
    return np.cumsum(weight).astype(np.int64)


@dataclass(eq=False)
class ForestVotes:
    """What trees said of the rows that they did not draw: sums, and how many trees they are of."""

    sums: np.ndarray
    counts: np.ndarray
    weight: np.ndarray

    @classmethod
    def none_yet(cls, n_rows: int, width: int, weight: np.ndarray) -> ForestVotes:
        """Before the first tree; of 0 columns where votes are not wanted."""
        return cls(np.zeros((n_rows, width)), np.zeros((n_rows, 1), dtype=np.int32), given_weights(weight))

    def copy(self) -> ForestVotes:
        """The votes as they are now."""
        return ForestVotes(self.sums.copy(), self.counts.copy(), self.weight)

    def put_back(self, before: ForestVotes) -> None:
        """Forget what was added since."""
        self.sums[:], self.counts[:] = before.sums, before.counts


@dataclass(frozen=True, eq=False)
class Grown:
    """Trees, how much the splits on each column lowered the impurity in each, and the error out of bag after each."""

    trees: Trees
    decrease: np.ndarray
    error: np.ndarray


@dataclass(eq=False)
class ForestRows:
    """Rows to grow from: put into codes once, whatever number of trees is grown in however many calls.

    Numbers stay as they are for ``random_splits``.

    ``weight`` are relative weights, ``ends`` those of :func:`whole_repeats`, and ``n_classes`` those of each output,
    none for numbers. A y of two dimensions has several outputs.
    """

    X: MixedData
    y: np.ndarray
    weight: np.ndarray
    ends: np.ndarray
    n_classes: tuple[int, ...]
    bins: int | None
    n_threads: int
    balanced: bool = False
    random_splits: bool = False
    numbers: np.ndarray = field(init=False)
    table: Any = field(init=False)
    unit: float = field(init=False)

    def __post_init__(self) -> None:
        columns, self.numbers = Columns(self.X), numbers_of(self.X)
        coded = codes_of(self.X), columns.n_levels, columns.nominal
        if self.random_splits:
            self.table = _core.ensemble.keep_numbers(self.numbers, *coded, self.n_threads)
        else:
            self.table = _core.ensemble.code(self.numbers, *coded, self.bins or 0, self.n_threads)
        scale = binary_scale(self.weight)
        self.weight = given_weights(self.weight * scale)
        self.unit = 1.0 if self.n_classes else binary_scale(self.y)
        self.y = (
            np.ascontiguousarray(self.y, dtype=np.int32) if self.n_classes else np.ascontiguousarray(self.y * self.unit)
        )

    @property
    def n_columns(self) -> int:
        """Columns as the core counts them."""
        return int(self.numbers.shape[1]) + len(self.X.codes)

    @property
    def width(self) -> int:
        """What a tree answers to a row: so many shares, or numbers."""
        return sum(self.n_classes) or (1 if self.y.ndim == 1 else int(self.y.shape[1]))

    @property
    def total(self) -> int:
        """Rows that can be drawn."""
        return int(self.ends[-1]) if len(self.ends) else len(self.y)

    def grow(
        self,
        criterion: str,
        settings: Mapping[str, Any],
        *,
        seed: int,
        trees: range,
        n_draws: int,
        votes: ForestVotes,
        monotone: np.ndarray = FREE,
    ) -> Grown:
        """Some trees of the forest of this seed, by their numbers; votes out of bag are added to."""
        plan = _core.ensemble.ForestPlan()
        plan.seed, plan.first_tree, plan.n_trees = seed, trees.start, len(trees)
        plan.n_draws, plan.n_threads = n_draws, self.n_threads
        rows = self.table, self.numbers, self.X.codes, self.y, self.weight
        stated, asked = core_settings(settings), (votes.sums, votes.counts, votes.weight)
        how: Any = (stated, monotone, plan, self.ends, asked, None)
        if self.y.ndim == 2:
            found = self._grow_several(rows, criterion, (stated, plan, self.ends, asked))
        elif self.n_classes:
            found = _core.ensemble.grow_classes(*rows, self.n_classes[0], self.balanced, criterion, *how)
        else:
            found = _core.ensemble.grow_values(*rows, *how)
        arrays = {name: found[name] for name in ("nodes", "start", "words", "shares", "leaf_weight")}
        made = Trees(**arrays, of_classes=len(self.n_classes) > 0, n_columns=found["decrease"].shape[1])
        if self.unit != 1 and made.by_rows:
            made.shares[:] /= self.unit
        elif self.unit != 1:
            made.threshold[made.is_leaf] /= self.unit
        return Grown(made, found["decrease"], found["error"] / self.unit / self.unit)

    def _grow_several(self, rows: Any, criterion: str, how: Any) -> Any:
        if not self.n_classes:
            return _core.ensemble.grow_several_values(*rows, *how)
        given: Any = (*rows, np.array(self.n_classes, dtype=np.int64), criterion, *how)
        return _core.ensemble.grow_several_classes(*given)
