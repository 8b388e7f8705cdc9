"""``audit``: leaks and traps in the data and in how they are split, before any score is believed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from margin.data.label_sets import are_label_sets
from margin.data.labels import codes_of, distinct, label_array, refuse_missing, union
from margin.errors import InputError, ParameterError
from margin.evaluation.cross_validation.sealed import SealedTest
from margin.evaluation.predictions.targets import are_names
from margin.evaluation.protocols.named import as_protocol
from margin.evaluation.protocols.stratified import HoldOut
from margin.selection.auditing.columns import look_at_cells, look_at_classes, naming_columns
from margin.selection.auditing.context import Setting, counted
from margin.selection.auditing.duplicate_rows import look_at_rows, row_keys
from margin.selection.auditing.label_by_label import audit_each_label
from margin.selection.auditing.result import Audit, Finding
from margin.selection.auditing.split_shift import look_at_groups, look_at_sides, look_at_time
from margin.selection.auditing.table_view import Sheet, joined, open_sheet
from margin.selection.auditing.target_leaks import look_at_predictors
from margin.selection.auditing.writing import look_at_last_row, look_at_writing
from margin.typing import LabelsLike, TableLike

__all__ = ["audit"]

#: Of a protocol with more splits than this, the first are looked at.
MOST_SPLITS = 10
#: Of more columns than this, those that part the classes best are looked at one by one.
MOST_COLUMNS = 1000
HELD_BACK = 0.25


def audit(
    X: TableLike,
    y: LabelsLike,
    split: Any = None,
    *,
    test: tuple[Any, Any] | None = None,
    groups: LabelsLike | None = None,
    times: Any = None,
    names: Sequence[str] | None = None,
    seed: int = 0,
) -> Audit:
    """Look for leaks and traps in data and their split: what makes scores look better, or worse, than they are.

    Copies of rows on both sides, columns that give the target away or only name the rows, groups and times that the
    split tears apart, sides that differ, classes too small or too large. How a column and the target go together is
    looked at in training rows alone. Each finding has its evidence and an advice; a finding is a reason to look, not a
    proof. A million rows of 20 columns take a few seconds: columns are judged by samples, copies among all rows.

    Parameters
    ----------
    X, y
        Inputs and labels: a :class:`margin.data.Table`, a data frame, an array or a sparse matrix. Dates, identifiers
        and free text may be among the columns, though no model reads them. Of several labels a row, in any form that
        :func:`margin.evaluation.evaluate` takes, each is looked at on the same splits.
    split
        ``(train_rows, test_rows)``, positions or masks; whatever :func:`margin.evaluation.evaluate` takes for a
        protocol, as ``"10-fold"`` or ``GroupFolds("patient")``, of which the first ten splits are looked at; a
        ``SealedTest``; or None for a stratified hold-out of a quarter.
    test
        Inputs and labels of a second table, ``(X_test, y_test)``, in place of a split; ``y_test`` may be None.
    groups
        Which rows belong together: one value per row, or the name of a column, which is then no input.
    times
        When each row happened: numbers or dates, one per row, or the name of a column, which is then no input.
    names
        Names of the columns of an array.
    seed
        Of the hold-out and of the samples.

    Returns
    -------
    Audit
        The findings, leaks first. ``print`` it, or go through ``.leaks``, ``.traps``, ``.remarks``.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=200)
    >>> X = np.column_stack([rng.normal(size=200), y * 3.0 + rng.normal(size=200) / 5, np.arange(200)])
    >>> found = audit(X, y, names=["noise", "paid_back", "row"])
    >>> [(finding.severity, finding.kind, finding.columns) for finding in found]
    [('leak', 'column_predicts_target', ('paid_back',)), ('trap', 'identifier', ('row',))]
    >>> print(found.leaks[0].says)
    'paid_back' alone is right in 100 % of training rows it had not seen (95 % interval 97.6 to 100.0 %); always \
answering the commonest class, 55.3 %.
    """
    # A protocol that has its groups or times, or their column, need not be told twice.
    groups = getattr(split, "groups", None) if groups is None else groups
    times = getattr(split, "times", None) if times is None else times
    if are_label_sets(y) or are_names(X, y):
        told = {"test": test, "groups": groups, "times": times, "names": names, "seed": seed}
        return audit_each_label(audit, X, y, split, MOST_SPLITS, **told)
    given = _given(X, y, test, groups, times, names)
    settings = _settings(given, split, test is not None, seed)
    findings, first = _looked_at(given, settings)
    return Audit.of(
        findings,
        n_train=len(first.train),
        n_test=len(first.test),
        split=_told_split(given, split, settings),
        notes=tuple(given.notes),
    )


@dataclass(frozen=True, eq=False)
class _Given:
    """What the caller gave, read: the columns that are inputs, labels, and which rows belong together or came first."""

    sheet: Sheet
    codes: np.ndarray
    classes: tuple[Any, ...]
    labels: np.ndarray
    n_first: int
    groups: np.ndarray | None
    times: np.ndarray | None
    time_name: str
    notes: list[str]


def _given(
    X: TableLike, y: LabelsLike, test: Any, groups: LabelsLike | None, times: Any, names: Sequence[str] | None
) -> _Given:
    labels = _labels(y, "audit(y=…)")
    classes = distinct(labels, "audit(y=…)")
    if test is None:
        codes = codes_of(labels, classes)
        sheet = open_sheet(X, "audit(X=…)", names, codes)
        n_first = sheet.n_rows
    else:
        X_test, y_test = _second(test)
        first = open_sheet(X, "audit(X=…)", names)
        second = open_sheet(X_test, "audit(test=…)", names)
        n_first = first.n_rows
        asked = None if y_test is None else _labels(y_test, "audit(test=…)")
        if asked is not None:
            classes = union(classes, distinct(asked, "audit(test=…)"), "audit(test=…)")
        unknown = np.full(second.n_rows, -1, dtype=np.intp)
        known = unknown if asked is None else codes_of(asked, classes)
        codes = np.concatenate([codes_of(labels, classes), known])
        _check_length(known, second.n_rows, "the labels of the test table")
        sheet = joined(first, second, "audit(test=…)", codes)
    _check_length(labels, n_first, "y")
    by, group_name = _beside(sheet, groups, "groups")
    when, time_name = _beside(sheet, times, "times")
    inputs = sheet.without(group_name, time_name)
    notes: list[str] = []
    inputs = _narrowed(inputs, codes, notes)
    return _Given(inputs, codes, tuple(classes.tolist()), labels, n_first, by, when, time_name or "", notes)


def _labels(y: LabelsLike, who: str) -> np.ndarray:
    labels = label_array(y, who)
    refuse_missing(labels, who)
    return labels


def _second(test: Any) -> tuple[Any, Any]:
    if not isinstance(test, (tuple, list)) or len(test) != 2:
        raise ParameterError("audit(test=…): must be (X_test, y_test), with None for labels that are not known.")
    return test[0], test[1]


def _check_length(values: Any, n_rows: int, what: str) -> None:
    if len(values) != n_rows:
        raise InputError(f"audit: {what} must have one value for each of the {n_rows:,} rows, not {len(values):,}.")


def _beside(sheet: Sheet, given: object, what: str) -> tuple[np.ndarray | None, str | None]:
    """Groups or times as an array, and the name of the column they stood in, if they did."""
    if given is None:
        return None, None
    who = f"audit({what}={given!r})" if isinstance(given, str) else f"audit({what}=…)"
    if isinstance(given, str):
        column, name = sheet.column(given, who), given
    else:
        values = given.to_list() if hasattr(given, "to_list") else np.asarray(given).tolist()
        if np.asarray(given).dtype.kind == "M":
            values = list(np.asarray(given))
        cells = np.fromiter(((value,) for value in values), dtype=object, count=len(values))
        column = open_sheet(np.array([list(cell) for cell in cells], dtype=object), who).columns[0]
        name = None
    _check_length(column.stored, sheet.n_rows, what)
    if what == "times":
        if not column.is_number:
            raise InputError(f"{who}: times must be numbers or dates, not words such as {column.levels[0]!r}.")
        return column.stored, name
    if not column.is_number:
        return column.stored, name
    return np.where(column.missing, -1, np.unique(column.stored, return_inverse=True)[1].reshape(-1)), name


def _narrowed(sheet: Sheet, codes: np.ndarray, notes: list[str]) -> Sheet:
    """The columns that are looked at one by one: all, or those whose means differ most from class to class."""
    if sheet.sparse is not None and len(sheet.columns) < sheet.sparse.shape[1]:
        looked = f"{len(sheet.columns):,} of {sheet.sparse.shape[1]:,} columns were looked at one by one"
        notes.append(f"{looked}: the fullest and the most telling ones.")
    if len(sheet.columns) <= MOST_COLUMNS:
        return sheet
    rows = np.flatnonzero(codes >= 0)[:: max(1, (codes >= 0).sum() // 2000)]
    worth = np.array([_spread_of_means(column.stored[rows], codes[rows]) for column in sheet.columns])
    chosen = np.sort(np.argsort(-worth, kind="stable")[:MOST_COLUMNS])
    looked = f"{MOST_COLUMNS:,} of {len(sheet.columns):,} columns were looked at one by one"
    notes.append(f"{looked}: those that part the classes best.")
    return replace(sheet, columns=tuple(sheet.columns[place] for place in chosen))


def _spread_of_means(cells: np.ndarray, codes: np.ndarray) -> float:
    """How much of a column's variance lies between the classes; columns of words come first, they are few."""
    if cells.dtype.kind != "f":
        return np.inf
    there = np.isfinite(cells)
    cells, codes = cells[there], codes[there]
    with np.errstate(all="ignore"):
        counts = np.bincount(codes)
        means = np.bincount(codes, weights=cells) / counts
        between = float(np.nansum(counts * (means - cells.mean()) ** 2)) if len(cells) else 0.0
        within = float(((cells - means[codes]) ** 2).sum())
        worth = between / (within + between) if within + between > 0 else 0.0
    return worth if np.isfinite(worth) else 0.0


# ---- Which rows stand where.


def _settings(given: _Given, split: Any, two_tables: bool, seed: int) -> list[Setting]:
    n = given.sheet.n_rows

    def make(train: np.ndarray, test: np.ndarray, **more: Any) -> Setting:
        return Setting(given.sheet, given.codes, given.classes, train, test, seed=seed, **more)

    if two_tables:
        if split is not None:
            raise ParameterError("audit(split=…, test=…): give a split or a second table, not both.")
        return [make(np.arange(given.n_first), np.arange(given.n_first, n), offset=given.n_first)]
    if split is None:
        return [make(*_hold_out(given.labels, seed), ours=True)]
    if isinstance(split, SealedTest):
        if split.n_train + split.n_test != n:
            raise InputError(f"audit(split=…): the seal was put on {split.n_train + split.n_test:,} rows, not {n:,}.")
        return [make(split.train_rows, np.setdiff1d(np.arange(n), split.train_rows))]
    if isinstance(split, (tuple, list)) and len(split) == 2 and all(map(_is_rows, split)):
        return [make(*(_positions(side, n, where) for side, where in zip(split, ("training", "test"))))]
    return [make(*pair) for pair in _splits(_protocol(split, given), given)]


def _is_rows(side: object) -> bool:
    """Whether something lists rows, rather than being a pair of such lists."""
    return not (isinstance(side, (tuple, list)) and len(side) and np.ndim(side[0]) > 0)


def _protocol(split: Any, given: _Given) -> Any:
    """What stands for a protocol as one, with the groups or times that were given."""
    protocol: Any = as_protocol(split, given.sheet.n_rows, who="audit")
    told = {"groups": given.groups, "times": given.times}
    return replace(protocol, **{name: value for name, value in told.items() if hasattr(protocol, name)})


def _hold_out(labels: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A quarter of the rows held back; nothing where classes are too small for that."""
    counts = np.unique(labels.astype(str) if labels.dtype == object else labels, return_counts=True)[1]
    if len(labels) < 2 or counts.max() < 2:
        return np.arange(len(labels)), np.empty(0, dtype=np.intp)
    return next(iter(HoldOut(HELD_BACK, seed).split(labels)))


def _splits(protocol: Any, given: _Given) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    pairs = protocol.split(given.labels)
    for number, (train, test) in enumerate(pairs):
        if number == MOST_SPLITS:
            given.notes.append(f"Of the splits the first {MOST_SPLITS} were looked at.")
            return
        yield np.asarray(train), np.asarray(test)


def _positions(side: Any, n: int, where: str) -> np.ndarray:
    rows = np.asarray(side)
    if rows.dtype.kind == "b" and rows.shape == (n,):
        return np.flatnonzero(rows)
    if rows.ndim != 1 or not rows.size or rows.dtype.kind not in "iu":
        raise ParameterError(f"audit(split=…): the {where} rows must be positions or a mask of {n:,} truth values.")
    if rows.min() < 0 or rows.max() >= n:
        raise ParameterError(f"audit(split=…): the {where} rows must lie between 0 and {n - 1:,}.")
    return np.unique(rows)


def _told_split(given: _Given, split: Any, settings: list[Setting]) -> str:
    first = settings[0]
    sizes = f"{counted(len(first.train), 'training row')}, {counted(len(first.test), 'test row')}"
    if first.offset:
        return f"Two tables: {sizes}."
    if split is None:
        return f"No split was given, so that a quarter of the rows, by class in proportion, was held back: {sizes}."
    if hasattr(split, "describe"):
        return f"{split.describe()} {sizes[0].upper()}{sizes[1:]} in the first split."
    return f"The split as given: {sizes}."


# ---- Every look at every split.


def _looked_at(given: _Given, settings: list[Setting]) -> tuple[list[Finding], Setting]:
    """The findings: those about columns from the first split, those about the sides gathered from all."""
    first = settings[0]
    naming = list(naming_columns(first))
    named = frozenset(name for finding in naming for name in finding.columns)
    keys = row_keys(given.sheet, named)
    about_columns = [*naming, *look_at_cells(first, named), *look_at_classes(first), *look_at_predictors(first)]
    about_columns += [*look_at_writing(first), *look_at_last_row(first)]
    gathered: dict[tuple[str, tuple[str, ...]], list[Finding]] = {}
    for number, setting in enumerate(settings):
        about_sides = [*look_at_rows(setting, keys, column_checks=not number), *look_at_sides(setting, named)]
        if given.groups is not None:
            about_sides += look_at_groups(setting, given.groups)
        if given.times is not None:
            about_sides += look_at_time(setting, given.times, given.time_name, told=True)
        else:
            for column in given.sheet.columns:
                if column.kind == "time":
                    about_sides += look_at_time(setting, column.stored, column.name, told=False)
        for finding in about_sides:
            # Twins may be copies in one split and chance in another; a class that is new is not one that is gone.
            which = finding.severity if finding.kind == "unseen_classes" else ""
            columns = () if finding.kind == "shift" else finding.columns
            gathered.setdefault((finding.kind + which, columns), []).append(finding)
    return [*about_columns, *(_worst(found, len(settings)) for found in gathered.values())], first


def _worst(findings: list[Finding], n_splits: int) -> Finding:
    """One finding for all splits that have it: the gravest, with their number."""
    severities = ("leak", "trap", "note")
    worst = min(findings, key=lambda finding: severities.index(finding.severity))
    if n_splits == 1 or worst.kind in ("duplicates_within", "contradictions"):
        return worst
    said = f"In {len(findings)} of {n_splits} splits, here the first of them: {worst.says}"
    return replace(worst, says=said, evidence={**worst.evidence, "splits": len(findings), "of_splits": n_splits})
