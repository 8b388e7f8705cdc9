"""Importances of columns, with intervals."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.explain.plain import as_plain

__all__ = ["Importance"]


@dataclass(frozen=True, eq=False)
class Importance:
    """What columns, or groups of them, are worth to a model.

    Attributes
    ----------
    kind
        ``"permutation"``, ``"conditional"`` or ``"drop_column"``.
    metric
        What the answers were judged by.
    score
        The metric on the rows as they are.
    names
        The columns, or the names of the groups.
    members
        The columns of each group.
    mean
        By how much the metric is worse without the column: above 0 it is worth something.
    low, high
        The ends of an interval for what other rows of the same kind would give.
    repeats
        Groups x repeats: the same for each permutation.
    confidence
        Of the intervals.
    n_rows
        Held-out rows that were judged.
    """

    kind: str
    metric: str
    score: float
    names: tuple[str, ...]
    members: tuple[tuple[str, ...], ...]
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    repeats: np.ndarray
    confidence: float
    n_rows: int

    def ranked(self) -> list[tuple[str, float]]:
        """Names and importances, the largest first."""
        return [(self.names[j], float(self.mean[j])) for j in self.order]

    @property
    def order(self) -> np.ndarray:
        """The places of the groups, the largest importance first."""
        return np.argsort(-self.mean, kind="stable")

    @property
    def how(self) -> str:
        """What was done, in a sentence."""
        n = self.repeats.shape[1]
        what = {
            "permutation": f"its cells are shuffled ({n} times)",
            "conditional": f"its cells are shuffled among rows that are alike in the columns it goes with ({n} times)",
            "drop_column": "the model is fitted without it",
        }[self.kind]
        return (
            f"How much worse {self.metric.replace('_', ' ')} is ({self.score:.4g} on {self.n_rows:,} rows) "
            f"when {what}; "
            f"{100 * self.confidence:g} % intervals over the rows."
        )

    def text(self, most: int | None = None) -> str:
        """A line for each column, the largest first."""
        width = max(map(len, self.names), default=0)
        order = self.order if most is None else self.order[:most]
        lines = [
            f"{self.names[j]:<{width}}  {self.mean[j]:+.4f}  [{self.low[j]:+.4f}, {self.high[j]:+.4f}]"
            + (f"  {', '.join(self.members[j])}" if len(self.members[j]) > 1 else "")
            for j in order
        ]
        return "\n".join([self.how, *lines])

    def html(self) -> str:
        """The same as an HTML fragment, with a bar for each column."""
        longest = float(np.abs(self.mean).max(initial=0.0)) or 1.0
        rows = "".join(
            f"<tr><td>{html.escape(self.names[j])}</td><td>{_bar(float(self.mean[j]) / longest)}</td>"
            f"<td>{self.mean[j]:+.4f}</td><td>[{self.low[j]:+.4f}, {self.high[j]:+.4f}]</td></tr>"
            for j in self.order
        )
        return f'<div class="importance"><p>{html.escape(self.how)}</p><table>{rows}</table></div>'

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data, for JSON."""
        columns = [
            {"name": self.names[j], "columns": self.members[j], "importance": self.mean[j], "low": self.low[j],
             "high": self.high[j]}
            for j in self.order
        ]  # fmt: skip
        told = {name: getattr(self, name) for name in ("kind", "metric", "score", "confidence", "n_rows", "how")}
        plain: dict[str, Any] = as_plain({**told, "importances": columns})
        return plain

    def _repr_html_(self) -> str:
        return self.html()

    def __str__(self) -> str:
        return self.text()


def _bar(share: float) -> str:
    colour, side = ("#26688b", "worth") if share >= 0 else ("#a83c32", "harmful")
    return (
        f'<svg width="100" height="12" viewBox="0 0 100 12" role="img" aria-label="{side}">'
        f'<rect fill="{colour}" x="0" y="2" width="{100 * abs(share):.1f}" height="8" rx="1.5"/></svg>'
    )
