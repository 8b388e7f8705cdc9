"""The two sides of a split held against each other: groups, time, classes, levels, missing cells, and all at once."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import special

from margin.evaluation.protocols.stratified import StratifiedFolds
from margin.neighbors import KNeighborsClassifier
from margin.random import generator
from margin.selection.auditing.context import Setting, counted, fitted, percent, quoted
from margin.selection.auditing.result import Finding, Severity
from margin.selection.auditing.table_view import Cells
from margin.tree import DecisionTreeClassifier

__all__ = ["look_at_groups", "look_at_sides", "look_at_time"]

BEYOND_CHANCE = 1e-3
#: Rows of each side that columns are compared by, and that a classifier is to tell apart.
MOST_ROWS, MOST_TOLD_APART = 20_000, 3000
#: Columns that the classifier sees: more would only take longer.
MOST_COLUMNS = 200
#: A side is told apart where this area under the curve is beyond doubt; columns differ from this distance on.
TOLD_APART, FAR = 0.55, 0.1
FOLDS = 5


def look_at_groups(setting: Setting, groups: np.ndarray) -> Iterator[Finding]:
    """Groups of which some rows are learnt from and others asked about. ``groups`` are codes, -1 where unknown."""
    learnt = np.unique(groups[setting.train])
    learnt = learnt[learnt >= 0]
    inside = np.isin(groups[setting.test], learnt)
    if not inside.any():
        return
    rows = setting.test[inside]
    n, share = len(np.unique(groups[rows])), float(inside.mean())
    whose = "A plain random split puts" if setting.ours else "The split has"
    yield Finding(
        "groups_across",
        "trap" if setting.ours else "leak",
        f"{whose} {counted(n, 'group')} on both sides: {percent(share)} of the test rows belong to a group that was "
        "learnt from.",
        "Split by groups (--group), so that each stands on one side: what counts is how well it does on new ones.",
        rows=setting.numbered(rows),
        evidence={"groups": n, "share_of_test": share},
    )


def look_at_time(setting: Setting, times: np.ndarray, name: str, told: bool) -> Iterator[Finding]:
    """Test rows that are older than the latest training row; ``told`` says that the caller gave the times."""
    learnt, asked = times[setting.train], times[setting.test]
    learnt = learnt[~np.isnan(learnt)]
    if not len(learnt) or np.isnan(asked).all():
        return
    early = asked < learnt.max()
    if not early.any():
        return
    later = float((learnt > np.nanmin(asked)).mean())
    severity: Severity = "note" if setting.ours and not told else "trap" if setting.ours or not told else "leak"
    by = f"By {quoted((name,))}, " if name else ""
    said = f"{percent(float(early.mean()))} of the test rows are older than the latest training row, and "
    said += f"{percent(later)} of the training rows are younger than the oldest test row."
    said = f"{by}{said}" if by else said[0].upper() + said[1:]
    if setting.ours:
        said += " A random split always does that."
    advice = "If the model is to answer for the future, learn from what came first and ask about what came last"
    advice += f" (--time {shlex.quote(name)})." if name else "."
    yield Finding(
        "time_order",
        severity,
        said,
        advice,
        columns=(name,) if name else (),
        rows=setting.numbered(setting.test[early]),
        evidence={"share_of_test": float(early.mean()), "share_of_train": later},
    )


def look_at_sides(setting: Setting, named: frozenset[str]) -> Iterator[Finding]:
    """Classes, levels and missing cells that differ from side to side, and whether the sides can be told apart."""
    if not len(setting.test) or not len(setting.train):
        return
    yield from _classes(setting)
    columns = [c for c in setting.sheet.columns if c.name not in named and c.kind not in ("time", "identifier")]
    for column in columns:
        yield from _levels(setting, column)
        yield from _missing(setting, column, len(columns))
    if not len(setting.overlap):
        yield from _shift(setting, [column for column in columns if column.kind != "text"])


def _classes(setting: Setting) -> Iterator[Finding]:
    learnt, asked = set(setting.train_codes.tolist()) - {-1}, set(setting.codes[setting.test].tolist()) - {-1}
    if not asked:
        return
    sides: tuple[tuple[list[int], Severity, str, str], ...] = (
        (sorted(asked - learnt), "trap", "only in the test part", "No model can answer them: split by class."),
        (sorted(learnt - asked), "note", "only in the training part", "The test says nothing about them."),
    )
    for codes, severity, where, advice in sides:
        if codes:
            names = tuple(str(setting.classes[code]) for code in codes)
            n = int(np.isin(setting.codes[setting.test if severity == "trap" else setting.train], codes).sum())
            yield Finding(
                "unseen_classes",
                severity,
                f"{counted(len(names), 'class', 'classes')} {'is' if len(names) == 1 else 'are'} {where}: "
                f"{quoted(names)} ({counted(n, 'row')}).",
                advice,
                evidence={"classes": len(names), "rows": n},
            )


def _levels(setting: Setting, column: Cells) -> Iterator[Finding]:
    if column.is_number or column.kind == "text":
        return
    seen = np.zeros(len(column.levels) + 1, dtype=bool)
    seen[column.stored[setting.train]] = True
    seen[-1] = True  # a missing cell is no new value
    new = ~seen[column.stored[setting.test]]
    if not new.any():
        return
    share, codes = float(new.mean()), np.unique(column.stored[setting.test][new])
    names = tuple(str(column.levels[code]) for code in codes)
    yield Finding(
        "unseen_levels",
        "trap" if share > 0.05 else "note",
        f"{quoted((column.name,))} has {counted(len(names), 'value')} in {counted(int(new.sum()), 'test row')} "
        f"({percent(share)}) that training never saw: {quoted(names, 3)}.",
        "Join rare values, or make sure that the model has an answer for unknown ones.",
        columns=(column.name,),
        rows=setting.numbered(setting.test[new]),
        evidence={"levels": len(names), "share_of_test": share},
    )


def _missing(setting: Setting, column: Cells, n_columns: int) -> Iterator[Finding]:
    if not column.missing.any():
        return
    sides = [column.missing[setting.train], column.missing[setting.test]]
    rates = [float(side.mean()) for side in sides]
    if abs(rates[0] - rates[1]) < 0.05:
        return
    hits, totals = np.array([side.sum() for side in sides]), np.array([len(side) for side in sides])
    p = _chi2(np.vstack([hits, totals - hits]))
    if p * n_columns >= BEYOND_CHANCE:
        return
    yield Finding(
        "missing_shift",
        "trap",
        f"{quoted((column.name,))} is missing in {percent(rates[0])} of the training rows and in {percent(rates[1])} "
        f"of the test rows (p = {p:.1g}).",
        "Find out what changed: a model that has learnt from what is missing will be misled.",
        columns=(column.name,),
        evidence={"train": rates[0], "test": rates[1], "p": p},
    )


# ---- Can the sides be told apart?


def _shift(setting: Setting, columns: list[Cells]) -> Iterator[Finding]:
    """The classifier two-sample test (Lopez-Paz, Oquab 2017), and the columns that give the sides away."""
    train = setting.sampled(setting.train, MOST_ROWS, "shift", "train")
    test = setting.sampled(setting.test, MOST_ROWS, "shift", "test")
    if not columns or min(len(train), len(test)) < 20:
        return
    apart = sorted(
        (
            (distance, column.name)
            for column in columns
            for distance, p in [_distance(column.stored[train], column.stored[test], len(column.levels))]
            if distance >= FAR and p * len(columns) < BEYOND_CHANCE
        ),
        reverse=True,
    )
    area, low, high, p = _told_apart(setting, columns, train, test)
    if not (p < BEYOND_CHANCE and low > TOLD_APART) and not apart:
        return
    names = tuple(name for _, name in apart)
    said = f"A classifier that sees a row guesses its side with an area under the curve of {area:.2f} (95 % interval "
    said += f"{low:.2f} to {high:.2f}, p = {p:.1g}; 0.50 is chance)."
    if names:
        n_far = counted(len(names), "column")
        said += f" {n_far[0].upper()}{n_far[1:]} {'differs' if len(names) == 1 else 'differ'} between the sides, the "
        said += f"farthest first: {quoted(names)} (largest distance of shares {apart[0][0]:.2f})."
    yield Finding(
        "shift",
        "trap",
        said,
        "The test part is not drawn as the training part was: scores hold for one of them only. Find out what changed.",
        columns=names,
        evidence={"area": area, "low": low, "high": high, "p": p, "distance": {name: far for far, name in apart[:20]}},
    )


def _told_apart(
    setting: Setting, columns: list[Cells], train: np.ndarray, test: np.ndarray
) -> tuple[float, float, float, float]:
    """Area under the curve of the better of two cross-validated classifiers that are to tell the sides apart.

    A tree sees columns that moved, neighbours see columns that changed together. The p-value is for two tries.
    """
    if len(columns) > MOST_COLUMNS:
        random = generator(setting.seed, "two samples")
        columns = [columns[place] for place in random.choice(len(columns), MOST_COLUMNS, replace=False)]
    sides = [setting.sampled(rows, MOST_TOLD_APART, "told apart") for rows in (train, test)]
    X = np.column_stack([np.concatenate([_finite(column.stored[rows]) for rows in sides]) for column in columns])
    side = np.repeat([0, 1], [len(rows) for rows in sides])
    placed = _scaled_ranks(X)
    by_tree, by_neighbours = np.empty(len(side)), np.empty(len(side))
    leaf, near = max(5, len(side) // 100), max(5, len(side) // 100)
    for learn, ask in StratifiedFolds(FOLDS, seed=setting.seed).split(side):
        tree = fitted(DecisionTreeClassifier(max_depth=5, min_samples_leaf=leaf), X[learn], side[learn])
        by_tree[ask] = tree.predict_proba(X[ask])[:, 1]
        voters = fitted(KNeighborsClassifier(n_neighbors=min(near, len(learn))), placed[learn], side[learn])
        by_neighbours[ask] = voters.predict_proba(placed[ask])[:, 1]
    best = max((_area(scores, side == 1) for scores in (by_tree, by_neighbours)), key=lambda found: found[0])
    return (*best[:3], min(1.0, 2 * best[3]))


def _scaled_ranks(X: np.ndarray) -> np.ndarray:
    """Columns as the shares of cells below each cell: one unit for all of them, whatever their shape."""
    made = np.empty_like(X)
    for place, cells in enumerate(X.T):
        there = ~np.isnan(cells)
        made[:, place] = 0.5
        if there.any():
            made[there, place] = _placements(cells[there], np.sort(cells[there]))
    return made


def _finite(cells: np.ndarray) -> np.ndarray:
    numbers = cells.astype(np.float64)
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _area(score: np.ndarray, positive: np.ndarray) -> tuple[float, float, float, float]:
    """Area under the curve with DeLong's interval, and how often chance would reach it.

    Answers from folds whose training rows overlap vary more than independent ones would: both standard deviations are
    widened as Nadeau and Bengio (2003) do, by the root of 1 + folds · n_test / n_train.
    """
    widened = float(np.sqrt(1 + FOLDS / (FOLDS - 1)))
    others, own = np.sort(score[~positive]), np.sort(score[positive])
    n1, n0 = len(own), len(others)
    placed = [_placements(score[positive], others), 1 - _placements(score[~positive], own)]
    area = float(placed[0].mean())
    spread = widened * float(np.sqrt(placed[0].var(ddof=1) / n1 + placed[1].var(ddof=1) / n0))
    _, ties = np.unique(score, return_counts=True)
    n = n1 + n0
    null = np.sqrt((n + 1 - (ties.astype(float) ** 3 - ties).sum() / (n * (n - 1))) / (12 * n1 * n0))
    p = float(special.ndtr(-(area - 0.5) / (widened * null))) if null > 0 else 1.0
    return area, max(0.0, area - 1.96 * spread), min(1.0, area + 1.96 * spread), p


def _placements(scores: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The share of the others below each score, ties half."""
    return (np.searchsorted(others, scores, "left") + np.searchsorted(others, scores, "right")) / (2 * len(others))


def _distance(first: np.ndarray, second: np.ndarray, n_levels: int) -> tuple[float, float]:
    """How far the values of two samples are apart, from 0 to 1, and how often chance would part them so far."""
    if first.dtype.kind != "f":
        tables = np.vstack([np.bincount(side + 1, minlength=n_levels + 1) for side in (first, second)])
        shares = tables / tables.sum(axis=1, keepdims=True)
        return float(np.abs(shares[0] - shares[1]).sum() / 2), _chi2(tables)
    first, second = np.sort(first[~np.isnan(first)]), np.sort(second[~np.isnan(second)])
    if not len(first) or not len(second):
        return 0.0, 1.0
    values = np.concatenate([first, second])
    heights = [np.searchsorted(side, values, "right") / len(side) for side in (first, second)]
    distance = float(np.abs(heights[0] - heights[1]).max())
    n = len(first) * len(second) / (len(first) + len(second))
    return distance, float(special.kolmogorov(np.sqrt(n) * distance))


def _chi2(table: Any) -> float:
    """Pearson's test that the rows of a table have the same shares; rare columns are taken together."""
    table = np.asarray(table, dtype=np.float64)
    if table.shape[0] == 2 and table.shape[1] > 2:
        rare = table.sum(axis=0) * table.sum(axis=1).min() / table.sum() < 5
        table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    return float(special.chdtrc(freedom, ((table - expected) ** 2 / expected).sum())) if freedom else 1.0
