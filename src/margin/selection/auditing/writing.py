"""Slips of the pen in a table: labels written in two ways, and a last row that is no case but a sum."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from margin.selection.auditing.context import Setting, counted, quoted
from margin.selection.auditing.result import Finding
from margin.selection.auditing.table_view import Cells

__all__ = ["look_at_last_row", "look_at_writing", "unlabelled"]

#: Fewer rows above a sum could be summed up by chance.
FEWEST_ROWS = 5
_SUMS_UP = re.compile(r"^\W*(grand |sub)?(totals?|sum|overall|average|mean|gesamt|summe|mittelwert)\W*$", re.I)


def look_at_writing(setting: Setting) -> Iterator[Finding]:
    """Classes that are one but for capitals, spaces around or between words."""
    alike: dict[str, list[int]] = {}
    for place, label in enumerate(setting.classes):
        if isinstance(label, str):
            alike.setdefault(" ".join(label.casefold().split()), []).append(place)
    several = [places for places in alike.values() if len(places) > 1]
    if not several:
        return
    counts = np.bincount(setting.codes[setting.codes >= 0], minlength=len(setting.classes))
    told = "; ".join(
        " and ".join(f"{setting.classes[place]!r} ({counted(int(counts[place]), 'row')})" for place in places)
        for places in several[:3]
    )
    more = f" and {len(several) - 3} more" if len(several) > 3 else ""
    yield Finding(
        "similar_labels",
        "trap",
        f"Classes that differ by capitals or spaces only are kept apart: {told}{more}.",
        "If they are one class, write them alike in the file: as it is, each half is taken for a class of its own.",
        evidence={"classes": sum(map(len, several))},
    )


def look_at_last_row(setting: Setting) -> Iterator[Finding]:
    """The last row of the (first) table holds the sums of the rows above, or says that it does."""
    last = (setting.offset or setting.sheet.n_rows) - 1
    if last < FEWEST_ROWS:
        return
    summed = tuple(column.name for column in setting.sheet.columns if _is_sum(column, last))
    named = tuple(
        column.name
        for column in setting.sheet.columns
        if not column.is_number and column.stored[last] >= 0 and _SUMS_UP.match(str(column.levels[column.stored[last]]))
    )
    if not summed and not named:
        return
    how = f"says so in {quoted(named)}" if named else ""
    sums = f"holds the sum of all others in {quoted(summed)}" if summed else ""
    yield Finding(
        "total_row",
        "trap",
        f"The last row is no case but a total: it {' and '.join(filter(None, (how, sums)))}.",
        "Delete the last row from the file.",
        columns=summed or named,
        rows=np.array([last]),
        evidence={"row": last},
    )


def _is_sum(column: Cells, last: int) -> bool:
    if not column.is_number or column.kind == "time" or not np.isfinite(column.stored[last]):
        return False
    above = column.stored[:last][np.isfinite(column.stored[:last])]
    # Columns of 0 and 1 are summed up by small numbers, which a case may hold; two rows alone may add up to a third.
    if len(above) < FEWEST_ROWS or np.count_nonzero(above) < FEWEST_ROWS or len(np.unique(above)) < 3:
        return False
    total = float(above.sum())
    return abs(total) > 2 * float(np.abs(above).max()) and bool(np.isclose(column.stored[last], total, rtol=1e-9))


def unlabelled(n_without: int, n_rows: int, target: str) -> Finding:
    """Rows that have no label, and so are in neither part."""
    return Finding(
        "unlabelled_rows",
        "note" if n_without < 0.05 * n_rows else "trap",
        f"{counted(n_without, 'row')} of {n_rows:,} {'has' if n_without == 1 else 'have'} no value for {target!r}, and "
        f"{'is' if n_without == 1 else 'are'} learnt from by no model.",
        "Find out why: where some kinds of cases lack labels more often than others, scores hold for the rest only.",
        evidence={"rows": n_without, "share": n_without / n_rows},
    )
