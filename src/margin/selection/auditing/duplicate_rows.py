"""Rows that stand in a table more than once, and how likely that is by chance.

A row becomes one number of 64 bits, made of all its cells but names of rows and dates; equal numbers are equal rows.
Among a million rows two different ones get the same number in one of thirty million tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from margin.selection.auditing.context import Setting, counted, percent
from margin.selection.auditing.result import Finding, Severity
from margin.selection.auditing.table_view import Cells, Sheet

__all__ = ["BEYOND_CHANCE", "RowKeys", "expected_twins", "look_at_rows", "row_keys", "with_twins"]

#: More twins than chance gives with this probability were copied.
BEYOND_CHANCE = 1e-3
#: Copies are as grave as what they can change: by so much accuracy a leak, by so much a trap.
LOUD, AUDIBLE = 0.02, 0.005
#: Of how many rows the rareness is judged, and against how many others.
JUDGED, JUDGED_AGAINST = 200, 2000
#: Numbers that agree in so many parts of a standard deviation, in so many columns, make rows near.
NEAR, NEAR_COLUMNS = 1000.0, 4


@dataclass(frozen=True, eq=False)
class RowKeys:
    """For each row the number of its set of equal rows, exact and to three digits; None where no two rows are equal.

    ``columns`` are those that were compared.
    """

    exact: np.ndarray | None
    near: np.ndarray | None
    columns: tuple[Cells, ...]


def row_keys(sheet: Sheet, left_out: Iterable[str]) -> RowKeys:
    """The keys of all rows by the columns that are neither left out nor dates."""
    names = set(left_out)
    columns = tuple(
        column for column in sheet.columns if column.name not in names and column.kind not in ("identifier", "time")
    )
    if sheet.sparse is not None:
        return RowKeys(_sets(_sparse_keys(sheet.sparse)), None, columns)
    if not columns:
        return RowKeys(None, None, columns)
    steady = [column for column in columns if _is_continuous(column)]
    near = None
    if len(steady) >= NEAR_COLUMNS:
        near = _sets(_keys(_rounded(column) if _is_continuous(column) else _bits(column) for column in columns))
    return RowKeys(_sets(_keys(map(_bits, columns))), near, columns)


def _is_continuous(column: Cells) -> bool:
    """Whether hardly any two cells are equal, by the first thousand."""
    first = column.stored[:1000]
    return column.is_number and len(first) > 1 and len(np.unique(first)) > 0.9 * len(first)


def _bits(column: Cells) -> np.ndarray:
    """The cells as whole numbers of 64 bits: equal cells are equal numbers, missing cells are all the same."""
    if not column.is_number:
        return column.stored.astype(np.int64).view(np.uint64)
    cells = column.stored + 0.0  # -0.0 is 0.0
    cells[column.missing] = np.nan
    return cells.view(np.uint64)


def _rounded(column: Cells) -> np.ndarray:
    with np.errstate(all="ignore"):
        finite = column.stored[np.isfinite(column.stored)]
        spread = float(finite.std()) if len(finite) else 0.0
        step = spread / NEAR if 0 < spread < np.inf else 1.0
        cells = np.round(column.stored / step) + 0.0
    cells[column.missing] = np.nan
    return cells.view(np.uint64)


def _keys(columns: Iterable[np.ndarray]) -> np.ndarray:
    key: Any = None
    for place, bits in enumerate(columns, 1):
        salted = bits + np.uint64((place * 0x9E3779B97F4A7C15) % 2**64)
        key = _mixed(salted if key is None else salted ^ key)
    return key


def _mixed(key: np.ndarray) -> np.ndarray:
    """Every bit of the input changes half of the output's: the finisher of splitmix64 (Steele, Lea, Flood 2014)."""
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


def _sparse_keys(matrix: Any) -> np.ndarray:
    """Keys of the rows of a CSR matrix: the sum over stored cells, which no order and no stored zero changes."""
    cells = matrix.data.astype(np.float64) + 0.0
    salt = (matrix.indices.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    each = np.where(cells == 0, np.uint64(0), _mixed(cells.view(np.uint64) ^ _mixed(salt)))
    total = np.append(np.uint64(0), np.cumsum(each, dtype=np.uint64))
    return total[matrix.indptr[1:]] - total[matrix.indptr[:-1]]


def _sets(keys: np.ndarray) -> np.ndarray | None:
    """Which keys are equal, as numbers from 0; None where all differ, as they do in most tables."""
    ordered = np.sort(keys)
    if not (ordered[1:] == ordered[:-1]).any():
        return None
    return np.unique(keys, return_inverse=True)[1].reshape(-1)


# ---- What the keys say about a split.


def look_at_rows(setting: Setting, keys: RowKeys, column_checks: bool) -> Iterator[Finding]:
    """Rows on both sides, copies across the split, copies within training, copies that contradict each other."""
    if len(setting.overlap):
        yield _on_both_sides(setting)
    test = np.setdiff1d(setting.test, setting.overlap) if len(setting.overlap) else setting.test
    twins = np.empty(0, dtype=np.intp)
    if keys.exact is not None:
        twins = with_twins(keys.exact, setting.train, test)
        if len(twins):
            yield _across(setting, keys, twins, test)
        if column_checks:
            yield from _within(setting, keys.exact)
            yield from _contradictions(setting, keys.exact)
    if keys.near is not None:
        near = np.setdiff1d(with_twins(keys.near, setting.train, test), twins)
        if len(near):
            yield _near(setting, near, test)


def _on_both_sides(setting: Setting) -> Finding:
    n, share = len(setting.overlap), len(setting.overlap) / len(setting.test)
    return Finding(
        "rows_on_both_sides",
        "leak",
        f"{counted(n, 'test row')} ({percent(share)}) {'is' if n == 1 else 'are'} learnt from as well.",
        "Ask only about rows that were not learnt from.",
        rows=setting.numbered(setting.overlap),
        evidence={"rows": n, "share_of_test": share},
    )


def with_twins(sets: np.ndarray, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """The test rows that have an equal row in training."""
    learnt = np.zeros(int(sets.max()) + 1, dtype=bool)
    learnt[sets[train]] = True
    return test[learnt[sets[test]]]


def _across(setting: Setting, keys: RowKeys, twins: np.ndarray, test: np.ndarray) -> Finding:
    assert keys.exact is not None
    n, share = len(twins), len(twins) / len(test)
    by_chance = expected_twins(setting, keys, test)
    others = _with_other_labels(setting, keys.exact, twins)
    told = f"{counted(n, 'test row')} ({percent(share)}) {'stands' if n == 1 else 'stand'} in the training part too, "
    told += f"cell by cell{f', {others:,} of them with another label' if others else ''}; "
    told += _told_chance(n, by_chance)
    copied = float(special.pdtrc(n - 1, by_chance)) < BEYOND_CHANCE
    lift = _lift(setting, twins, others, test)
    advice = "Nothing to mend, if the rows are different cases; if they are copies of one case, remove them."
    severity: Severity = "note"
    if copied:
        told += f" A model that knows them by heart gains {percent(lift)} by them at most."
        severity = "leak" if lift >= LOUD else "trap" if lift >= AUDIBLE else "note"
        advice = "Remove the copies, or keep all copies of a row on one side of the split, as margin compare does."
    evidence = {"rows": n, "share_of_test": share, "contradicting": others, "expected_by_chance": by_chance}
    evidence["lift"] = lift
    return Finding("duplicates_across", severity, told, advice, rows=setting.numbered(twins), evidence=evidence)


def _lift(setting: Setting, twins: np.ndarray, others: int, test: np.ndarray) -> float:
    """By how much accuracy grows at most if the twins are answered by heart instead of as the commonest class."""
    counts = np.bincount(setting.train_codes[setting.train_codes >= 0], minlength=1)
    majority = counts.max() / max(counts.sum(), 1)
    return float(max(0.0, len(twins) - others - majority * len(twins)) / len(test))


def _told_chance(n: int, by_chance: float) -> str:
    if by_chance >= n:
        return "chance alone explains that many."
    return f"chance would explain {'hardly one' if by_chance < 0.1 else f'about {by_chance:.2g}'}."


def _with_other_labels(setting: Setting, sets: np.ndarray, twins: np.ndarray) -> int:
    """How many twins have no training row of their own label."""
    known = twins[setting.codes[twins] >= 0]
    width = len(setting.classes) + 1
    learnt = np.unique(sets[setting.train] * width + setting.train_codes)
    return int((~np.isin(sets[known] * width + setting.codes[known], learnt)).sum())


def expected_twins(setting: Setting, keys: RowKeys, test: np.ndarray) -> float:
    """How many test rows chance alone would give a twin in training, at most.

    Were the columns independent, a row would be as rare as the product of its cells' shares. They are not, so that only
    the rarest cell counts in full and the others half their bits.
    """
    judged = setting.sampled(test, JUDGED, "judged")
    bits = _bits_of_rows(setting, keys, judged) if setting.sheet.sparse is None else _bits_of_filled(setting, judged)
    rarest = bits.max(axis=0, initial=0.0)
    expected = len(setting.train) * 2.0 ** -(rarest + (bits.sum(axis=0) - rarest) / 2)
    return float(len(test) * np.minimum(expected, 1.0).mean())


def _bits_of_rows(setting: Setting, keys: RowKeys, judged: np.ndarray) -> np.ndarray:
    """How rare each cell of some rows is in its column, in bits: columns × rows."""
    against = setting.sampled(setting.train, JUDGED_AGAINST, "judged against")
    bits = np.zeros((len(keys.columns), len(judged)))
    for place, column in enumerate(keys.columns):
        cells, others = _bits(column.take(judged)), np.sort(_bits(column.take(against)))
        same = np.searchsorted(others, cells, "right") - np.searchsorted(others, cells, "left")
        bits[place] = -np.log2((same + 1) / (len(against) + 1))
        bits[place] += _bits_beyond(column.stored[against], len(keys.columns))
    return bits


def _bits_of_filled(setting: Setting, judged: np.ndarray) -> np.ndarray:
    """The same for sparse rows: how rare it is that a column is filled at all; empty cells are no rarity."""
    matrix = setting.sheet.sparse
    filled = np.bincount(matrix.indices, minlength=matrix.shape[1])
    rare = -np.log2((filled + 1) / (matrix.shape[0] + 1))
    rows = [rare[matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]] for row in judged.tolist()]
    bits = np.zeros((max(map(len, rows), default=0), len(rows)))
    for place, row in enumerate(rows):
        bits[: len(row), place] = row
    return bits


def _bits_beyond(cells: np.ndarray, n_columns: int) -> float:
    """Bits of a number that no sample can show: two equal numbers of many digits are no chance."""
    if cells.dtype.kind != "f" or len(np.unique(cells)) <= 0.9 * len(cells):
        return 0.0
    with np.errstate(all="ignore"):
        unit = 10.0 ** (np.floor(np.log10(np.abs(cells))) - 5)
        many_digits = np.abs(cells / unit - np.round(cells / unit)) > 1e-6
    return 20.0 if many_digits.mean() > 0.5 else 5.0 if n_columns > 1 else 0.0


def _near(setting: Setting, near: np.ndarray, test: np.ndarray) -> Finding:
    share = len(near) / len(test)
    verb = "agrees" if len(near) == 1 else "agree"
    return Finding(
        "near_duplicates_across",
        "trap",
        f"{counted(len(near), 'test row')} ({percent(share)}) {verb} with a training row in every column to a "
        "thousandth of the standard deviation, though not in every digit.",
        "Look at some of them: if they are copies of one case, keep them on one side of the split.",
        rows=setting.numbered(near),
        evidence={"rows": len(near), "share_of_test": share},
    )


def _within(setting: Setting, sets: np.ndarray) -> Iterator[Finding]:
    of_train = sets[setting.train]
    first = np.unique(of_train, return_index=True)[1]
    extra = len(of_train) - len(first)
    if not extra:
        return
    again = np.delete(setting.train, first)
    share = extra / len(of_train)
    yield Finding(
        "duplicates_within",
        "note",
        f"{counted(extra, 'training row')} ({percent(share)}) {'repeats' if extra == 1 else 'repeat'} an earlier one.",
        "If the copies are no cases of their own, remove them: they make intervals too short.",
        rows=np.sort(again),
        evidence={"rows": extra, "share_of_train": share},
    )


def _contradictions(setting: Setting, sets: np.ndarray) -> Iterator[Finding]:
    known = setting.train[setting.train_codes >= 0]
    width = len(setting.classes)
    pairs, counts = np.unique(sets[known] * width + setting.codes[known], return_counts=True)
    owners, starts = np.unique(pairs // width, return_index=True)
    if not len(owners) or len(owners) == len(pairs):
        return
    most = np.maximum.reduceat(counts, starts)
    lost = int(counts.sum() - most.sum())
    several = owners[np.diff(np.append(starts, len(pairs))) > 1]
    rows = known[np.isin(sets[known], several)]
    ceiling = 1 - lost / len(known)
    yield Finding(
        "contradictions",
        "note",
        f"{counted(len(rows), 'training row')} ({percent(len(rows) / len(known))}) have equal cells and different "
        f"labels: on the training part no model of these columns can be right in more than {100 * ceiling:.4g} %.",
        "Look for a missing column or wrong labels; otherwise take it as the noise of the problem.",
        rows=np.sort(rows),
        evidence={"rows": len(rows), "share_of_train": len(rows) / len(known), "best_accuracy": ceiling},
    )
