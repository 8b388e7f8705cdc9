"""A table on disk audited: opened, parted into inputs and labels, and looked through."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.data import Table
from margin.experiment.problem import check_column, frame, open_table, resolve_target
from margin.selection import Audit, audit
from margin.selection.auditing.writing import unlabelled

__all__ = ["audit_table", "with_unlabelled"]


def audit_table(
    data: Any,
    target: str | int | None = None,
    *,
    test: Any = None,
    group: str | None = None,
    time: str | None = None,
    seed: int = 0,
    reading: dict[str, Any] | None = None,
) -> tuple[Audit, str, str]:
    """What is wrong with a table, and the names of the table and of its target.

    ``data`` and ``test`` are tables, paths of files or names of the catalog; ``group`` and ``time`` name columns.

    >>> found, table, column = audit_table("credit")
    >>> table, column, found.leaks
    ('credit', 'risk', ())
    """
    table, known = open_table(data, reading)
    column = resolve_target(table, known if target is None else target)
    for flag, name in (("group", group), ("time", time)):
        check_column(table, name, column, flag)
    problem = frame(table, column, {"all models": True})
    asked = None if test is None else _second(open_table(test, reading)[0], column)
    found = audit(problem.inputs, problem.labels, test=asked, groups=group, times=time, seed=seed)
    found = with_unlabelled(found, table.n_rows - len(problem.labels), table.n_rows, column)
    return found, table.name or "a table", column


def with_unlabelled(found: Audit, n_without: int, n_rows: int, target: str) -> Audit:
    """The audit with a word on rows that were left out for want of a label."""
    return found.with_findings([*found, unlabelled(n_without, n_rows, target)]) if n_without else found


def _second(table: Table, target: str) -> tuple[Table, np.ndarray | None]:
    """Inputs and labels of the table to test on; rows without a label are left out, no labels at all are none."""
    if target not in table.names:
        return table, None
    missing = table.missing(target)
    if missing.all():
        return table.drop(target), None
    inputs, labels = table.take(~missing).target(target)
    return inputs, labels.astype(np.int64) if labels.dtype.kind == "f" and (
        labels == np.round(labels)
    ).all() else labels
