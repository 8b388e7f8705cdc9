"""Columns that are the target, predict it nearly alone, or do so by being missing. Only training rows are looked at."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import special

from margin.evaluation.intervals.interval import Interval, proportion_interval
from margin.evaluation.protocols.stratified import StratifiedFolds
from margin.selection.auditing.context import Setting, fitted, percent, quoted
from margin.selection.auditing.result import Finding, Severity
from margin.selection.auditing.table_view import Cells
from margin.tree import DecisionTreeClassifier

__all__ = ["look_at_predictors"]

#: A column that takes away this share of the majority's errors gives the target away; this one is worth a look.
GIVES_AWAY, WORTH_A_LOOK = 0.98, 0.8
#: What chance would do more rarely than this, over all columns, was not chance.
BEYOND_CHANCE = 1e-3
#: Rows that columns are judged by.
MOST_ROWS = 20_000
MOST_BINS = 256
FOLDS = 5


def look_at_predictors(setting: Setting) -> Iterator[Finding]:
    """Columns that are the target, predict it nearly alone, or do so by being missing."""
    rows = setting.sampled(setting.train, MOST_ROWS, "predictors")
    target = setting.codes[rows]
    counts = np.bincount(target, minlength=len(setting.classes))
    if len(setting.classes) < 2 or (counts > 0).sum() < 2 or len(rows) < 2 * FOLDS:
        return
    judge = _Judge(target, len(setting.classes), float(counts.max() / counts.sum()), len(setting.sheet.columns))
    for column in setting.sheet.columns:
        cells = column.take(rows)
        finding = _equal(setting, judge, column, cells) or _by_missing(judge, cells) or _by_value(judge, cells)
        if finding is not None:
            yield finding


@dataclass(frozen=True, eq=False)
class _Judge:
    """The target that columns are held against, and what always answering its commonest class achieves."""

    target: np.ndarray
    n_classes: int
    majority: float
    n_columns: int

    def table(self, codes: np.ndarray, n_codes: int) -> np.ndarray:
        """How often each code meets each class."""
        pairs = codes.astype(np.intp) * self.n_classes + self.target
        return np.bincount(pairs, minlength=n_codes * self.n_classes).reshape(n_codes, self.n_classes)

    def saved(self, accuracy: float) -> float:
        """The share of the majority's errors that are not made."""
        return 1 - (1 - accuracy) / (1 - self.majority)

    def by_chance(self, hits: int, trials: int) -> float:
        """How often some column would hit so often if none were better than the majority."""
        return min(1.0, self.n_columns * float(special.bdtrc(hits - 1, trials, self.majority)))


def _equal(setting: Setting, judge: _Judge, column: Cells, cells: Cells) -> Finding | None:
    """The column is the target one to one, in all training rows."""
    codes, n_codes, exact = _coded(cells)
    if not exact or not _one_to_one(judge.table(codes, n_codes)):
        return None
    if judge.by_chance(len(codes), len(codes)) > BEYOND_CHANCE:
        return None
    codes, n_codes, exact = _coded(column.take(setting.train))
    whole = _Judge(setting.train_codes, judge.n_classes, judge.majority, judge.n_columns)
    if not exact or not _one_to_one(whole.table(codes, n_codes)):
        return None
    n = len(setting.train)
    return Finding(
        "equals_target",
        "leak",
        f"{quoted((column.name,))} is the target under another name: in all {n:,} training rows each of its values "
        "belongs to one class, and each class to one value.",
        f"Leave it out (--drop {shlex.quote(column.name)}), unless it will be known before the answer is needed.",
        columns=(column.name,),
        evidence={"rows": n, "accuracy": 1.0, "majority": judge.majority},
    )


def _one_to_one(table: np.ndarray) -> bool:
    there = table > 0
    rows = there.sum(axis=1)
    return bool((rows <= 1).all() and (there.sum(axis=0) <= 1).all() and rows.sum() > 1)


def _by_missing(judge: _Judge, cells: Cells) -> Finding | None:
    missing = cells.missing
    n_missing = int(missing.sum())
    if not 0 < n_missing < len(missing):
        return None
    table = judge.table(missing, 2)
    hits = int(table.max(axis=1).sum())
    accuracy = hits / len(missing)
    if judge.saved(accuracy) < WORTH_A_LOOK or judge.by_chance(hits, len(missing)) > BEYOND_CHANCE:
        return None
    return Finding(
        "missingness_predicts_target",
        "leak" if judge.saved(accuracy) >= GIVES_AWAY else "trap",
        f"Whether {quoted((cells.name,))} is missing ({percent(n_missing / len(missing))} of the training rows) tells "
        f"the class in {percent(accuracy)} of them; always answering the commonest class, {percent(judge.majority)}.",
        "Find out why it is missing: where it is filled in only after the outcome is known, leave the column out "
        f"(--drop {shlex.quote(cells.name)}).",
        columns=(cells.name,),
        evidence={"accuracy": accuracy, "majority": judge.majority, "missing": n_missing / len(missing)},
    )


def _by_value(judge: _Judge, cells: Cells) -> Finding | None:
    codes, n_codes, exact = _coded(cells)
    screened = judge.table(codes, n_codes).max(axis=1).sum() / len(codes)
    # Bins lose a little at every border, so that the first look asks for less than the second.
    if n_codes < 2 or n_codes > len(codes) / 2 or judge.saved(screened) < WORTH_A_LOOK - 0.2:
        return None
    hits = _hits_of_lookup(judge, codes, n_codes) if exact else _hits_of_tree(judge, cells.stored)
    n = len(codes)
    saved = judge.saved(hits / n)
    if saved < WORTH_A_LOOK or judge.by_chance(hits, n) > BEYOND_CHANCE:
        return None
    reach = proportion_interval(hits, n)
    said = f"{quoted((cells.name,))} alone is right in {percent(hits / n)} of training rows it had not seen "
    said += f"({_range(reach)}); always answering the commonest class, {percent(judge.majority)}."
    severity: Severity = "trap"
    advice = "Make sure that it is known before the answer is; strong predictors are often just that."
    if hits == n or judge.saved(reach.low) >= GIVES_AWAY:
        severity = "leak"
        advice = f"Hardly any honest column is that good: leave it out (--drop {shlex.quote(cells.name)}) unless it is "
        advice += "known before the outcome."
    return Finding(
        "column_predicts_target",
        severity,
        said,
        advice,
        columns=(cells.name,),
        evidence={"accuracy": hits / n, "low": reach.low, "high": reach.high, "majority": judge.majority, "rows": n},
    )


def _range(interval: Interval) -> str:
    return f"95 % interval {100 * interval.low:.1f} to {100 * interval.high:.1f} %"


def _coded(cells: Cells) -> tuple[np.ndarray, int, bool]:
    """Each cell as the number of its value or bin, 0 for missing; how many there are; whether values are kept apart."""
    if not cells.is_number:
        return cells.stored + 1, len(cells.levels) + 1, True
    present = cells.stored[~cells.missing]
    values = np.unique(present)
    exact = len(values) <= 64 and len(values) <= max(2, len(present) / 10)
    if not exact:
        bins = int(min(MOST_BINS, max(4, len(present) // 20)))
        places = (np.arange(1, bins) * len(present)) // bins
        values = np.unique(np.sort(present)[places]) if len(present) else values
        codes = np.searchsorted(values, cells.stored, "right") + 1
    else:
        codes = np.searchsorted(values, cells.stored) + 1
    return np.where(cells.missing, 0, codes), len(values) + 2, exact


def _hits_of_lookup(judge: _Judge, codes: np.ndarray, n_codes: int) -> int:
    """How often the commonest class of a value in the other folds is right; the commonest of all where it is new."""
    fold_of = _fold_of(judge.target)
    by_fold = [_fold_table(judge, codes, n_codes, fold_of == fold) for fold in range(FOLDS)]
    whole = np.sum(by_fold, axis=0)
    hits = 0
    for inside in by_fold:
        others = whole - inside
        fallback = others.sum(axis=0).argmax()
        answer = np.where(others.sum(axis=1) > 0, others.argmax(axis=1), fallback)
        hits += int(inside[np.arange(n_codes), answer].sum())
    return hits


def _fold_table(judge: _Judge, codes: np.ndarray, n_codes: int, inside: np.ndarray) -> np.ndarray:
    pairs = codes[inside].astype(np.intp) * judge.n_classes + judge.target[inside]
    return np.bincount(pairs, minlength=n_codes * judge.n_classes).reshape(n_codes, judge.n_classes)


def _hits_of_tree(judge: _Judge, cells: np.ndarray) -> int:
    """How often a small tree on the column alone is right about the folds it had not seen."""
    column = np.where(np.isfinite(cells), cells, np.nan).reshape(-1, 1)
    fold_of, hits = _fold_of(judge.target), 0
    for fold in range(FOLDS):
        inside = fold_of == fold
        leaves = min(4 * judge.n_classes, 64)
        tree = fitted(DecisionTreeClassifier(max_leaf_nodes=leaves), column[~inside], judge.target[~inside])
        hits += int((tree.predict(column[inside]) == judge.target[inside]).sum())
    return hits


def _fold_of(target: np.ndarray) -> np.ndarray:
    fold_of = np.empty(len(target), dtype=np.intp)
    for fold, (_, test) in enumerate(StratifiedFolds(FOLDS).split(target)):
        fold_of[test] = fold
    return fold_of
