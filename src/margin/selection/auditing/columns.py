"""Columns that name rows or say nothing, and classes too large or too small; only labels of training rows count."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import special

from margin.selection.auditing.context import Setting, counted, percent, quoted
from margin.selection.auditing.result import Finding, Severity
from margin.selection.auditing.table_view import Cells

__all__ = ["look_at_cells", "look_at_classes", "naming_columns"]

#: What chance would do more rarely than this, over all columns, was not chance.
BEYOND_CHANCE = 1e-3

_NAMES_ROWS = re.compile(
    r"^(id|idx|index|nr|no|num|number|row|rownames?|key|uuid|guid|unnamed.*|.*[ _.-](id|no|nr|key|uuid|number))$", re.I
)
_CAMEL = re.compile(r"^.+I[dD]$")
_FEWEST_ROWS = 20


def naming_columns(setting: Setting) -> Iterator[Finding]:
    """Columns that name the rows, by what they hold and what they are called."""
    for column in setting.sheet.columns:
        reason, severity = _names_rows(column)
        if reason:
            leave = f"leave it out (--drop {shlex.quote(column.name)})"
            advice = "It is kept out of the models." if column.kind == "identifier" else f"L{leave[1:]}."
            if severity == "note" and column.kind != "identifier":
                advice = f"If it only counts the rows or the time, {leave}; otherwise shuffle the rows."
            yield Finding(
                "identifier",
                severity,
                f"{quoted((column.name,))} names the rows: {reason}.",
                advice,
                columns=(column.name,),
                evidence={"rows": len(column.stored), "reason": reason},
            )


def _names_rows(column: Cells) -> tuple[str, Severity]:
    """Why a column names the rows, and how grave that is; empty where it does not."""
    present = column.stored[~column.missing]
    n = len(present)
    if n < _FEWEST_ROWS or column.kind in ("time", "text"):
        return "", "note"
    if column.kind == "identifier":
        return "it was read as an identifier", "note"
    # A few hundred cells say of most columns that they name nothing.
    some = present[:: max(1, n // 500)]
    if len(np.unique(some)) < 0.95 * len(some):
        return "", "note"
    if column.is_number and not _all_whole(present):
        grows = _grows(present)
        return ("it grows or falls from row to row without exception", "note") if grows else ("", "note")
    distinct = len(np.unique(present))
    if distinct < 0.99 * n:
        return "", "note"
    if not column.is_number:
        return f"{distinct:,} different words in {n:,} cells", "trap"
    width = float(present.max() - present.min()) + 1
    if width <= 1.05 * n:
        return f"it counts them, {present.min():.0f} to {present.max():.0f}, each once", "trap"
    if _grows(present):
        return "whole numbers that grow or fall from row to row without exception", "trap"
    if _NAMES_ROWS.match(column.name) or _CAMEL.match(column.name):
        return f"{distinct:,} different whole numbers in {n:,} cells, under that name", "trap"
    return "", "note"


def _all_whole(numbers: np.ndarray) -> bool:
    return bool((numbers[:100] == np.floor(numbers[:100])).all() and (numbers == np.floor(numbers)).all())


def _grows(numbers: np.ndarray) -> bool:
    """Whether every number is above the one before, or every one below."""
    first = numbers[1:100] > numbers[:99][: len(numbers) - 1]
    if first.any() and not first.all():
        return False
    return bool((numbers[1:] > numbers[:-1]).all() or (numbers[1:] < numbers[:-1]).all())


def look_at_cells(setting: Setting, named: frozenset[str]) -> Iterator[Finding]:
    """Columns without a value or with a single one, columns that may name groups, cells missing by class."""
    empty, single = [], []
    for column in setting.sheet.columns:
        cells = column.stored[setting.train]
        missing = column.missing[setting.train]
        if missing.all():
            empty.append(column.name)
        elif not missing.any() and (cells == cells[0]).all():
            single.append(column.name)
        elif column.name not in named:
            yield from _possible_groups(setting, column)
    for kind, names, what in (("all_missing", empty, "no value at all"), ("constant", single, "a single value")):
        if names:
            yield Finding(
                kind,
                "note",
                f"{counted(len(names), 'column')} {'has' if len(names) == 1 else 'have'} {what} in the training part: "
                f"{quoted(tuple(names))}.",
                "Leave them out: nothing can be learnt from them.",
                columns=tuple(names),
                evidence={"columns": len(names)},
            )
    yield from _missing_by_class(setting)


def _possible_groups(setting: Setting, column: Cells) -> Iterator[Finding]:
    """A column called like an identifier whose values come back: patients, customers, machines."""
    if not (_NAMES_ROWS.match(column.name) or _CAMEL.match(column.name)) or column.kind in ("time", "text"):
        return
    learnt, asked = np.unique(column.stored[setting.train]), column.stored[setting.test]
    share = float(np.isin(asked, learnt).mean()) if len(asked) else 0.0
    if len(learnt) < 10 or len(learnt) > 0.95 * len(setting.train) or not share:
        return
    yield Finding(
        "possible_groups",
        "trap",
        f"{quoted((column.name,))} may name groups of rows ({counted(len(learnt), 'value')} in training), and "
        f"{percent(share)} of the test rows have a value that training has seen.",
        f"If rows of one {column.name} belong together, split by it: --group {shlex.quote(column.name)} "
        f"(in Python groups={column.name!r}).",
        columns=(column.name,),
        evidence={"values": len(learnt), "share_of_test": share},
    )


def _missing_by_class(setting: Setting) -> Iterator[Finding]:
    counts = np.bincount(setting.train_codes[setting.train_codes >= 0], minlength=len(setting.classes))
    large = counts >= 10
    if large.sum() < 2:
        return
    for column in setting.sheet.columns:
        missing = column.missing[setting.train]
        if not missing.any() or missing.all():
            continue
        by_class = np.bincount(setting.train_codes[missing], minlength=len(counts))[large]
        rates = by_class / counts[large]
        if rates.max() - rates.min() >= 0.1 and _chi2_p(by_class, counts[large]) * _n(setting) < BEYOND_CHANCE:
            names = [setting.classes[place] for place in np.flatnonzero(large)]
            most, least = names[int(rates.argmax())], names[int(rates.argmin())]
            settled = _settled(setting, missing, counts)
            yield Finding(
                "missing_by_class",
                "note",
                f"{quoted((column.name,))} is missing in {percent(rates.max())} of the rows of class {most!s} and in "
                f"{percent(rates.min())} of class {least!s}.{settled}",
                "Find out why: what is missing may be known only after the outcome.",
                columns=(column.name,),
                evidence={
                    "highest": float(rates.max()),
                    "lowest": float(rates.min()),
                    "majority": float(counts.max() / counts.sum()),
                    "settles": bool(settled),
                },
            )


def _settled(setting: Setting, missing: np.ndarray, counts: np.ndarray) -> str:
    """Said where all rows with a cell, or all without one, have the same class, by more than chance."""
    for which, where in ((~missing, "a cell"), (missing, "none")):
        met = np.bincount(setting.train_codes[which & (setting.train_codes >= 0)], minlength=len(counts))
        top, n = int(met.argmax()), int(met.sum())
        if n and met[top] == n and _n(setting) * float(counts[top] / counts.sum()) ** n < BEYOND_CHANCE:
            return f" All {n:,} training rows with {where} there are of class {setting.classes[top]!s}."
    return ""


def _n(setting: Setting) -> int:
    return len(setting.sheet.columns)


def _chi2_p(hits: Any, totals: Any) -> float:
    """How often shares would differ so much if all were the same (Pearson's test)."""
    share = hits.sum() / totals.sum()
    statistic = ((hits - totals * share) ** 2 / (totals * share * (1 - share))).sum()
    return float(special.chdtrc(len(totals) - 1, statistic))


# ---- The classes themselves.


def look_at_classes(setting: Setting, folds: int = 10) -> Iterator[Finding]:
    """One class with nearly all rows, classes of few cases, targets that are hardly classes."""
    counts = np.bincount(setting.train_codes[setting.train_codes >= 0], minlength=len(setting.classes))
    n, there = int(counts.sum()), counts[counts > 0]
    if not n:
        return
    if len(there) > max(20, n / 4):
        yield Finding(
            "quantity_target",
            "trap",
            f"The target has {len(there):,} different values in {n:,} training rows.",
            "If it is a quantity, bin it before classifying; if it names the rows, choose another column.",
            evidence={"classes": len(there), "rows": n},
        )
        return
    top = int(counts.argmax())
    share = float(counts[top] / n)
    if share >= 0.9:
        only = len(there) == 1
        yield Finding(
            "imbalance",
            "trap",
            f"Class {setting.classes[top]!s} has {percent(share)} of the training rows: always answering it is right "
            "that often.",
            "There is nothing to learn from one class." if only else
            "Judge by balanced accuracy, F1 of the rare class or the precision-recall curve, not by accuracy.",
            evidence={"majority": share, "smallest": int(there.min())},
        )  # fmt: skip
    few = np.flatnonzero((counts > 0) & (counts < folds))
    if len(few):
        names = tuple(str(setting.classes[place]) for place in few)
        yield Finding(
            "small_classes",
            "note",
            f"{counted(len(few), 'class', 'classes')} {'has' if len(few) == 1 else 'have'} fewer than {folds} training "
            f"rows: {quoted(names)} (the smallest {counted(int(counts[few].min()), 'row')}).",
            f"Some of {folds} folds will not meet them; gather more cases, merge classes or use fewer folds.",
            evidence={"classes": len(few), "smallest": int(counts[few].min())},
        )
