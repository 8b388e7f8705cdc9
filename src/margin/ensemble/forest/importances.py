"""What columns are worth to a forest: by the impurity they lower, or by what their permutation costs out of bag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import special, stats

import margin._core as _core
from margin.ensemble.forest.rows_again import RowsAgain
from margin.random import seed_for
from margin.tree.grow import Columns, given_weights, numbers_of

__all__ = ["ImportanceKind", "Importances", "associations", "permutation_importances"]

ImportanceKind = Literal["impurity", "permutation", "conditional"]


@dataclass(frozen=True, eq=False)
class Importances:
    """An importance for each column, in the order of the table.

    Attributes
    ----------
    kind
        ``"impurity"``, ``"permutation"`` or ``"conditional"``.
    names
        The columns.
    mean
        The mean over the trees. Of permutations: by how much the error of a tree out of bag grows (share of errors, or
        mean squared error) when the column is permuted.
    low, high
        The ends of an interval for what infinitely many trees would give. It says nothing of other training rows.
        Impurities have none (NaN).
    confidence
        Of the intervals.
    """

    kind: str
    names: tuple[str, ...]
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    confidence: float

    def ranked(self) -> list[tuple[str, float]]:
        """Columns and their importances, the largest first."""
        order = np.argsort(-self.mean, kind="stable")
        return [(self.names[j], float(self.mean[j])) for j in order]

    def text(self) -> str:
        """A line for each column, the largest first."""
        width = max(map(len, self.names))
        lines = []
        for j in np.argsort(-self.mean, kind="stable"):
            span = "" if np.isnan(self.low[j]) else f"  [{self.low[j]:.4f}, {self.high[j]:.4f}]"
            lines.append(f"{self.names[j]:<{width}}  {self.mean[j]:.4f}{span}")
        return "\n".join(lines)


def permutation_importances(
    model: Any, rows: RowsAgain, kind: str, confidence: float, above: float, names: Sequence[str], order: np.ndarray
) -> Importances:
    """What permuting each column among the rows out of bag costs the trees; ``order`` are the places of columns."""
    beside = np.empty((0, 0), dtype=np.uint8)
    if kind == "conditional":
        beside = (associations(rows.X) > above).astype(np.uint8)
        np.fill_diagonal(beside, 0)
    more = _core.ensemble.permuted(
        model.trees_.walker,
        numbers_of(rows.X),
        rows.X.codes,
        rows.y.astype(np.float64),
        given_weights(rows.weight),
        rows.plan,
        rows.ends,
        seed_for(int(model._seed[0] >> np.uint64(1)), "permutation"),
        np.ascontiguousarray(beside),
    )
    more = more[~np.isnan(more).any(axis=1)]
    n_trees, d = more.shape
    mean = more.mean(axis=0) if n_trees else np.full(d, np.nan)
    spread = more.std(axis=0, ddof=1) / np.sqrt(n_trees) if n_trees > 1 else np.full(d, np.nan)
    wide = float(special.stdtrit(max(n_trees - 1, 1), 0.5 + confidence / 2)) * spread
    found = np.empty((3, d))
    found[:, order] = mean, mean - wide, mean + wide
    return Importances(kind, tuple(names), found[0], found[1], found[2], confidence)


def associations(X: Any) -> np.ndarray:
    """How strongly each two columns go together, from 0 to 1, numbers first.

    Numbers and ordered levels by the rank correlation, levels and numbers by the correlation ratio of ranks, two
    columns of levels by Cramér's V; over the rows that have both cells.
    """
    columns = Columns(X)
    cells = [numbers_of(X)[:, j].astype(np.float64) for j in range(columns.n_numbers)]
    cells += [np.where(codes < 0, np.nan, codes).astype(np.float64) for codes in X.codes]
    nominal = [False] * columns.n_numbers + [bool(n) for n in columns.nominal]
    found = np.eye(len(cells))
    whole = [j for j, column in enumerate(cells) if not nominal[j] and not np.isnan(column).any()]
    if len(whole) > 1:  # all of these at once
        ranks = np.array([stats.rankdata(cells[j]) for j in whole])
        with np.errstate(invalid="ignore"):
            found[np.ix_(whole, whole)] = np.nan_to_num(np.abs(np.corrcoef(ranks)))
    done = set(whole)
    for a in range(len(cells)):
        for b in range(a):
            if a in done and b in done:
                continue
            both = ~(np.isnan(cells[a]) | np.isnan(cells[b]))
            found[a, b] = found[b, a] = _association(cells[a][both], cells[b][both], nominal[a], nominal[b])
    return found


def _association(a: np.ndarray, b: np.ndarray, a_nominal: bool, b_nominal: bool) -> float:
    if len(a) < 3 or (a == a[0]).all() or (b == b[0]).all():
        return 0.0
    if a_nominal and b_nominal:
        table = stats.contingency.crosstab(a, b).count
        return float(stats.contingency.association(table, method="cramer"))
    if b_nominal:
        a, b, a_nominal = b, a, True
    ranks = stats.rankdata(b)
    if not a_nominal:
        return float(abs(np.corrcoef(stats.rankdata(a), ranks)[0, 1]))
    level = np.unique(a, return_inverse=True)[1]
    n = np.bincount(level)
    means = np.bincount(level, ranks) / n
    between = float((n * (means - ranks.mean()) ** 2).sum())
    return float(np.sqrt(between / ((ranks - ranks.mean()) ** 2).sum()))
