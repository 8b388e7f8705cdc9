"""What an audit found: each finding with its evidence and with what to do about it."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

__all__ = ["KINDS", "Audit", "Finding", "Severity"]

Severity = Literal["leak", "trap", "note"]
_ORDER: tuple[Severity, ...] = ("leak", "trap", "note")

#: Everything an audit looks for, by the name a program reads, and as people say it.
KINDS: dict[str, str] = {
    "equals_target": "a column is the target under another name",
    "column_predicts_target": "one column predicts the target almost alone",
    "missingness_predicts_target": "whether a cell is missing predicts the target",
    "duplicates_across": "the same rows on both sides of the split",
    "near_duplicates_across": "almost the same rows on both sides of the split",
    "rows_on_both_sides": "test rows that are training rows",
    "groups_across": "groups on both sides of the split",
    "time_order": "test rows from before the end of training",
    "identifier": "a column that names the rows",
    "possible_groups": "a column that may name groups of rows",
    "shift": "training and test rows can be told apart",
    "missing_shift": "cells are missing more often on one side",
    "unseen_levels": "values that training never saw",
    "unseen_classes": "classes that one side does not have",
    "imbalance": "one class has nearly all rows",
    "small_classes": "classes of few cases",
    "quantity_target": "a target that is hardly a class",
    "missing_by_class": "cells are missing more often in one class",
    "similar_labels": "labels that differ by capitals or spaces only",
    "total_row": "a last row that sums the others up",
    "unlabelled_rows": "rows without a label",
    "contradictions": "equal rows with different labels",
    "duplicates_within": "the same rows several times",
    "constant": "columns of a single value",
    "all_missing": "columns without a value",
}


@dataclass(frozen=True, eq=False)
class Finding:
    """One thing that was found.

    Attributes
    ----------
    kind
        Its name, one of ``KINDS``.
    severity
        ``"leak"``: scores on this split are not to be believed before it is mended; ``"trap"``: look at it before
        believing them; ``"note"``: worth knowing.
    says
        What was found, with its numbers, in a sentence.
    advice
        What to do about it.
    columns, rows
        Which columns and which rows are concerned (of the test part where both sides are); either may be empty.
    evidence
        The numbers by name.
    """

    kind: str
    severity: Severity
    says: str
    advice: str
    columns: tuple[str, ...] = ()
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    evidence: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The kind as people say it."""
        return KINDS[self.kind]

    def to_dict(self) -> dict[str, Any]:
        """The finding as plain values; of its rows the first 20."""
        return {
            "kind": self.kind, "severity": self.severity, "title": self.title, "says": self.says,
            "advice": self.advice, "columns": list(self.columns), "rows": self.rows[:20].tolist(),
            "evidence": dict(self.evidence),
        }  # fmt: skip

    def __str__(self) -> str:
        return f"{self.severity}: {self.says} {self.advice}"


@dataclass(frozen=True, eq=False)
class Audit:
    """All findings of an audit, the gravest first.

    Attributes
    ----------
    findings
        Each a :class:`Finding`.
    n_train, n_test
        Rows on either side (of the first split where there were several).
    split
        How the rows were split, in a sentence.
    notes
        What was looked at only in part, and why.
    """

    findings: tuple[Finding, ...]
    n_train: int
    n_test: int
    split: str
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, findings: list[Finding], **about: Any) -> Audit:
        """An audit of findings in whatever order."""
        kinds = list(KINDS)
        return cls(tuple(sorted(findings, key=lambda f: (_ORDER.index(f.severity), kinds.index(f.kind)))), **about)

    def with_findings(self, findings: list[Finding]) -> Audit:
        """The same audit with other findings."""
        return Audit.of(findings, n_train=self.n_train, n_test=self.n_test, split=self.split, notes=self.notes)

    @property
    def leaks(self) -> tuple[Finding, ...]:
        return self._of_severity("leak")

    @property
    def traps(self) -> tuple[Finding, ...]:
        return self._of_severity("trap")

    @property
    def remarks(self) -> tuple[Finding, ...]:
        """The findings that are only worth knowing."""
        return self._of_severity("note")

    def _of_severity(self, severity: Severity) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity == severity)

    def __getitem__(self, kind: str) -> tuple[Finding, ...]:
        """The findings of a kind; none is an empty tuple."""
        if kind not in KINDS:
            from margin.errors import ParameterError, closest

            raise ParameterError(f"Audit[{kind!r}]: there is no such kind of finding{closest(kind, KINDS)}.")
        return tuple(finding for finding in self.findings if finding.kind == kind)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    @property
    def verdict(self) -> str:
        """The outcome in a sentence."""
        counts = [(len(self._of_severity(severity)), severity) for severity in _ORDER]
        told = [f"{n} {severity}{'s' if n > 1 else ''}" for n, severity in counts if n]
        if not told:
            return f"Nothing found among {len(KINDS)} kinds of leaks and traps."
        joined = told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"
        return f"{joined[0].upper()}{joined[1:]}."

    def to_dict(self) -> dict[str, Any]:
        """The audit as dictionaries, lists, numbers and texts."""
        return {
            "verdict": self.verdict, "split": self.split, "n_train": self.n_train, "n_test": self.n_test,
            "findings": [finding.to_dict() for finding in self.findings], "notes": list(self.notes),
        }  # fmt: skip

    def __str__(self) -> str:
        lines = [f"{self.verdict} {self.split}"]
        for finding in self.findings:
            lines += ["", f"{finding.severity.upper()}: {finding.title}"]
            for text in (finding.says, finding.advice):
                lines += textwrap.wrap(text, 96, initial_indent="  ", subsequent_indent="  ")
        return "\n".join([*lines, *([""] if self.notes else []), *self.notes])

    def __repr__(self) -> str:
        kinds = ", ".join(f"{finding.severity} {finding.kind}" for finding in self.findings[:6])
        more = ", …" if len(self.findings) > 6 else ""
        return f"<Audit of {self.n_train:,} training and {self.n_test:,} test rows: {kinds or 'nothing found'}{more}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{finding.severity}</th><td><b>{html.escape(finding.title)}</b><br>{html.escape(finding.says)} "
            f"<i>{html.escape(finding.advice)}</i></td></tr>"
            for finding in self.findings
        )
        notes = "".join(f"<p><small>{html.escape(note)}</small></p>" for note in self.notes)
        return f"<p><b>{self.verdict}</b> {html.escape(self.split)}</p><table>{rows}</table>{notes}"
