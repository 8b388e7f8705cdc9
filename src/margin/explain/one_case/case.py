"""Everything there is to say of one answer: the method's own reasons, the columns, what would change it, its place."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from margin.errors import InputError, MarginError
from margin.explain.explanation import Explanation, Reason
from margin.explain.models import explain
from margin.explain.one_case.background import background_of
from margin.explain.one_case.changes import Change, smallest_change
from margin.explain.one_case.occlusion import ColumnReason, column_reasons
from margin.explain.one_case.place import Place, place_of
from margin.explain.plain import as_plain
from margin.explain.rows.pool import pool_of
from margin.explain.rows.saying import check_fitted, saying_of
from margin.explain.shap import ShapValues, has_shap_values, shap_values
from margin.typing import TableLike

__all__ = ["Case", "case"]

#: Columns that have a line of their own.
MOST_COLUMNS = 12


@dataclass(frozen=True)
class Case:
    """Why a model answers one case as it does.

    Attributes
    ----------
    explanation
        The reasons of the model's own method.
    columns
        What each column does to the answer beside an average case, the strongest first; empty where none is known.
    change
        The smallest change found that gives another answer, or None.
    place
        How far the case lies from the training rows, or None.
    shap
        Exact SHAP values of trees and sums of trees, of this row; None for other models.
    notes
        What could not be told, and why.
    """

    explanation: Explanation
    columns: tuple[ColumnReason, ...]
    change: Change | None
    place: Place | None
    shap: ShapValues | None
    notes: tuple[str, ...] = ()
    what: str = ""
    basis: str = ""
    said: float = float("nan")
    shares: bool = field(default=False, repr=False)

    @property
    def answer(self) -> Any:
        """What the model answers."""
        return self.explanation.answer

    def text(self, most: int = MOST_COLUMNS) -> str:
        """All of it for a terminal."""
        parts = [self.explanation.text()]
        if self.columns:
            parts.append("\n".join([self._columns_head(), *self._column_lines(most)]))
        if self.shap is not None:
            parts.append("Exact SHAP values:\n" + _indented(self.shap.text()))
        if self.change is not None:
            parts.append(self._change_text())
        if self.place is not None:
            parts.append("How far it lies from the training rows:\n" + _indented(self.place.text()))
        return "\n\n".join([*parts, *self.notes])

    def _columns_head(self) -> str:
        return f"With one cell as in {self.basis}, {self.what}, {self._shown(self.said)}, becomes:"

    def _column_lines(self, most: int) -> list[str]:
        shown = self.columns[:most]
        width = max(len(f"{each.column} = {each.value}") for each in shown)
        lines = [f"  {f'{each.column} = {each.value}':<{width}}  {self._column_says(each)}" for each in shown]
        rest = len(self.columns) - len(shown)
        return lines + ([f"  … and {rest:,} columns that do less"] if rest else [])

    def _column_says(self, each: ColumnReason) -> str:
        if each.value == each.typical:
            return "as in the average case"
        if each.pull == 0:
            return f"{each.typical}: changes nothing"
        turn = f", and the answer {each.answer}" if each.answer is not None and each.answer != self.answer else ""
        return f"{each.typical}: {self._shown(each.without)}{turn if self.shares or turn else ''}"

    def _shown(self, number: float) -> str:
        return f"{number:.1%}" if self.shares else f"{number:.4g}"

    def _change_text(self) -> str:
        assert self.change is not None
        steps = [f"  {name}: {_cell(was)} → {_cell(other)}" for name, was, other in self.change.columns]
        sure = f" ({self.change.said:.1%})" if self.shares else ""
        return "\n".join([f"The smallest change found that makes it {self.change.answer}{sure}:", *steps])

    def html(self) -> str:
        """All of it as an HTML fragment."""
        parts = [self.explanation.html()]
        if self.columns:
            parts.append(f"<h4>Column by column</h4>{self._columns_as_explanation().reasons_html()}")
        if self.shap is not None:
            parts.append(f"<h4>Exact SHAP values</h4><pre>{html.escape(self.shap.text())}</pre>")
        if self.change is not None:
            cells = "".join(
                f"<tr><td>{html.escape(name)}</td><td>{html.escape(_cell(was))}</td><td>→</td>"
                f"<td>{html.escape(_cell(other))}</td></tr>"
                for name, was, other in self.change.columns
            )
            head = html.escape(self._change_text().splitlines()[0])
            parts.append(f"<h4>Another answer</h4><p>{head}</p><table>{cells}</table>")
        if self.place is not None:
            lines = "<br>".join(html.escape(line) for line in self.place.text().splitlines())
            parts.append(f"<h4>How far it lies from the training rows</h4><p>{lines}</p>")
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        return f'<div class="case">{"".join(parts)}{notes}</div>'

    def _columns_as_explanation(self) -> Explanation:
        reasons = tuple(
            Reason(f"{each.column} = {each.value}", self._column_says(each), each.pull) for each in self.columns
        )
        return Explanation(self.explanation.model, self.answer, {}, self._columns_head(), reasons)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data, for JSON."""
        shap = None
        if self.shap is not None:
            one = self.shap.of_class(self._shap_label())
            shap = {"base": float(one.base), "values": dict(zip(one.names, one.values[0].tolist()))}
        return as_plain(
            {
                **self.explanation.to_dict(),
                "columns": [vars(each) for each in self.columns],
                "basis": self.basis,
                "what": self.what,
                "said": self.said,
                "change": None if self.change is None else _change_dict(self.change),
                "place": None if self.place is None else vars(self.place),
                "shap": shap,
                "notes": self.notes,
            }
        )

    def _shap_label(self) -> Any:
        assert self.shap is not None
        classes = self.shap.classes
        return self.answer if classes is not None and self.answer in classes else None

    def _repr_html_(self) -> str:
        return self.html()

    def __str__(self) -> str:
        return self.text()


def case(
    model: Any,
    x: TableLike,
    rows: TableLike | None = None,
    *,
    wanted: Any = None,
    keep: Iterable[str | int] = (),
    most_changes: int = 3,
    ids: Sequence[Any] | None = None,
) -> Case:
    """Everything there is to say of a model's answer to one case.

    The reasons of its own method (likelihood terms, the way through a tree, neighbours and their votes, contributions
    to a score, votes of members); what each column does beside an average case; exact SHAP values of trees and sums of
    trees; the smallest change that gives another answer; how far the case lies from the training rows.

    Parameters
    ----------
    model
        Any fitted model, of margin or of scikit-learn.
    x
        One row.
    rows
        The training rows, or others like them: for the average case, for what is plausible, for the nearest row.
        Without them margin's own models fall back on the means, ranges and levels that they remember.
    wanted
        The answer to look for in place of the one given: a class, or (low, high) for a regression. None is any other
        class.
    keep
        Columns that cannot change.
    most_changes
        Columns that may change together at most; 0 looks for no change.
    ids
        What the training rows are called, in their order.

    Returns
    -------
    Case
        With ``text()``, ``html()`` and ``to_dict()``.

    Examples
    --------
    >>> from margin import NaiveBayes
    >>> from margin.data import catalog
    >>> import margin.explain
    >>> X, y = catalog.load("weather_nominal").target("play")
    >>> print(margin.explain.case(NaiveBayes().fit(X, y), X.take([0]), X))
    NaiveBayes: no (68.8%), then yes (31.2%)
    Each line multiplies the odds of no against yes.
      outlook = sunny        × 2
      humidity = high        × 1.96
      temperature = hot      × 1.5
      windy = FALSE          × 0.673
      shares of the classes  35.7% against 64.3%, × 0.556
    <BLANKLINE>
    With one cell as in the average case of the rows, the probability of no, 68.8%, becomes:
      temperature = hot  mild: 57.0%
      outlook = sunny    as in the average case
      humidity = high    as in the average case
      windy = FALSE      as in the average case
    <BLANKLINE>
    The smallest change found that makes it yes (66.5%):
      humidity: high → normal
    <BLANKLINE>
    How far it lies from the training rows:
      Row 0 is equal to it.
    """
    who = "case"
    check_fitted(model, who)
    alone = pool_of(model, x, who=who)
    if alone.n_rows != 1:
        raise InputError(f"{who}(x): x must be one row, but has {alone.n_rows}.")
    explanation, notes = explain(model, x), []
    background = background_of(model, x, rows, who)
    one = alone.made(alone.own(np.array([0])))
    saying = saying_of(model, one, who)
    columns: tuple[ColumnReason, ...] = ()
    change, place, basis = None, None, ""
    if background is None:
        notes.append(
            "What the columns do, what would change the answer and how far the case lies from others can be told with "
            "rows to compare it with: case(model, x, rows=X_train)."
        )
    else:
        columns, place, basis = column_reasons(background, saying), place_of(background), background.words
        if most_changes and (saying.kind != "value" or wanted is not None):
            change = smallest_change(background, saying, wanted, keep, most_changes, who)
            if change is None:
                notes.append(f"No plausible change of {most_changes} columns or fewer gives {_aim(wanted)}.")
    found = Case(
        explanation, columns, change, place, _shap(model, x), tuple(notes), saying.what, basis,
        float(saying(one)[0]), saying.kind in ("probability", "agreement"),
    )  # fmt: skip
    return found if ids is None else _with_names(found, np.asarray(ids, dtype=object))


def _aim(wanted: Any) -> str:
    return "another answer" if wanted is None else f"{wanted}"


def _shap(model: Any, x: Any) -> ShapValues | None:
    if not has_shap_values(model):
        return None
    try:
        return shap_values(model, x)
    except MarginError:  # of several targets, or of a file that does not know its leaves
        return None


def _with_names(found: Case, ids: np.ndarray) -> Case:
    """Training rows by what they are called."""
    reasons = []
    for reason in found.explanation.reasons:
        row = reason.row
        named = row is not None and 0 <= row < len(ids)
        reasons.append(replace(reason, what=f"{reason.what} ({ids[row]})") if named else reason)
    notes = found.notes
    if found.place is not None and found.place.nearest is not None and found.place.nearest < len(ids):
        notes = (*notes, f"Row {found.place.nearest} is {ids[found.place.nearest]}.")
    return replace(found, explanation=replace(found.explanation, reasons=tuple(reasons)), notes=notes)


def _cell(value: Any) -> str:
    return "missing" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def _change_dict(change: Change) -> dict[str, Any]:
    columns = [{"column": name, "from": was, "to": other} for name, was, other in change.columns]
    return {**vars(change), "columns": columns}


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
