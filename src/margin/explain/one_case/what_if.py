"""What a model would answer if some cells of a case were others."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from margin.data import Table
from margin.data.schema import Schema
from margin.errors import InputError, ParameterError, closest, listing
from margin.explain.models import answer_of
from margin.explain.one_case.background import background_of
from margin.explain.one_case.place import place_of
from margin.explain.plain import as_plain
from margin.explain.rows.pool import Pool, pool_of
from margin.explain.rows.saying import check_fitted, plain_label
from margin.typing import TableLike

__all__ = ["WhatIf", "what_if"]


@dataclass(frozen=True)
class WhatIf:
    """What a model answers before and after some cells of a case are changed.

    Attributes
    ----------
    changes
        Column, what stood there, and what stands there now.
    before, after
        The answers.
    probabilities_before, probabilities_after
        The probability of each class; empty where the model gives none.
    careful
        A sentence for each new cell that the model has not seen the like of.
    """

    model: str
    changes: tuple[tuple[str, Any, Any], ...]
    before: Any
    after: Any
    probabilities_before: dict[Any, float]
    probabilities_after: dict[Any, float]
    careful: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether the answer is another one."""
        return bool(self.before != self.after)

    def text(self) -> str:
        """Changes and answers, for a terminal."""
        lines = [f"{name}: {_shown(was)} → {_shown(now)}" for name, was, now in self.changes]
        lines.append(f"{self.model}: {self._answer(self.before)} → {self._answer(self.after)}")
        pairs = [(label, share, self.probabilities_after[label]) for label, share in self.probabilities_before.items()]
        width = max((len(str(label)) for label, _, _ in pairs), default=0)
        lines += [f"  {label!s:<{width}}  {was:.1%} → {now:.1%}" for label, was, now in pairs]
        return "\n".join([*lines, *(f"Careful: {sentence}" for sentence in self.careful)])

    def _answer(self, answer: Any) -> str:
        return f"{answer:.6g}" if isinstance(answer, float) else str(answer)

    def html(self) -> str:
        """The same as an HTML fragment."""
        return f"<pre>{html.escape(self.text())}</pre>"

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data, for JSON."""
        changes = [{"column": name, "from": was, "to": now} for name, was, now in self.changes]
        found: dict[str, Any] = as_plain({**vars(self), "changes": changes, "changed": self.changed})
        return found

    def _repr_html_(self) -> str:
        return self.html()

    def __str__(self) -> str:
        return self.text()


def what_if(model: Any, row: TableLike, changes: Mapping[str | int, Any] | None = None, /, **columns: Any) -> WhatIf:
    """What a model would answer if some columns of a row held something else.

    Parameters
    ----------
    model
        Any fitted model.
    row
        One row.
    changes
        New cells by column, where names are no Python names or columns go by number; None is a missing cell.
    **columns
        New cells by column.

    Returns
    -------
    WhatIf
        With ``text()``, ``html()`` and ``to_dict()``.

    Examples
    --------
    >>> from margin import NaiveBayes
    >>> from margin.data import catalog
    >>> from margin.explain import what_if
    >>> X, y = catalog.load("weather_nominal").target("play")
    >>> print(what_if(NaiveBayes().fit(X, y), X.take([0]), humidity="normal"))
    humidity: high → normal
    NaiveBayes: no → yes
      no   68.8% → 33.5%
      yes  31.2% → 66.5%
    """
    who = "what_if"
    check_fitted(model, who)
    given: dict[str | int, Any] = dict(changes or {})
    given.update(columns)
    if not given:
        raise ParameterError("what_if: say what changes, as in what_if(model, row, age=30) or {'column name': 30}.")
    pool = pool_of(model, row, who=who)
    if pool.n_rows != 1:
        raise InputError(f"{who}(row): row must be one row, but has {pool.n_rows}.")
    before = pool.made(pool.own(np.array([0])))
    after, told = before, []
    for column, value in given.items():
        j = pool.place(column, who)
        after = _with_cell(model, after, pool, j, value, who)
        told.append((pool.names[j], pool.value(0, j), pool_of(model, after, who=who).value(0, j)))
    first, shares = _answer(model, before)
    second, other_shares = _answer(model, after)
    names = {name for name, _, _ in told}
    return WhatIf(
        type(model).__name__, tuple(told), first, second, shares, other_shares, _careful(model, after, names)
    )  # fmt: skip


def _answer(model: Any, row: Any) -> tuple[Any, dict[Any, float]]:
    if hasattr(model, "classes_") and not getattr(model, "outputs_2d_", False):
        answer, shares = answer_of(model, row)
        return plain_label(answer), shares
    return plain_label(model.predict(row)[0]), {}


def _shown(value: Any) -> str:
    return "missing" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def _careful(model: Any, row: Any, names: set[str]) -> tuple[str, ...]:
    """New cells beyond what the model remembers of its columns."""
    background = background_of(model, row, None, "what_if")
    strange = () if background is None else place_of(background).strange
    return tuple(sentence for sentence in strange if sentence.split(" = ")[0] in names)


def _with_cell(model: Any, row: Any, pool: Pool, j: int, value: Any, who: str) -> Any:
    name = pool.names[j]
    if isinstance(row, Table):
        return _in_table(model, row, name, value, who)
    if isinstance(row, np.ndarray):
        made = row.copy()
        if made.dtype.kind in "iub" and (value is None or float(value) != int(value)):
            made = made.astype(np.float64)
        try:
            made[0, j] = np.nan if value is None and made.dtype.kind == "f" else value
        except (TypeError, ValueError):
            raise InputError(f"{who}({name}={value!r}): the column holds numbers.") from None
        return made
    return _in_frame(row, name, value)


def _in_table(model: Any, row: Table, name: str, value: Any, who: str) -> Table:
    column, cells = row.schema[name], [row.cells(other) for other in row.names]
    at = row.schema.position(name)
    known = getattr(model, "_columns", None)
    schema = known.described() if known is not None else row.schema
    learnt = schema[name] if name in schema.names else column
    if column.is_numeric:
        try:
            cells[at] = np.array([np.nan if value is None else float(value)])
        except (TypeError, ValueError):
            raise InputError(f"{who}({name}={value!r}): the column holds numbers.") from None
        return Table(row.schema, cells, row.name)
    levels = tuple(dict.fromkeys((*column.levels, *(learnt.levels if not learnt.is_numeric else ()))))
    if value is not None and value not in levels:
        if str(value) in map(str, levels):
            value = next(level for level in levels if str(level) == str(value))
        elif known is not None and learnt.kind in ("nominal", "ordinal") and name not in known.text:
            raise InputError(
                f"{who}({name}={value!r}): the model knows {listing(learnt.levels)}{closest(value, learnt.levels)}."
            )
        else:
            levels = (*levels, value)
    cells[at] = np.array([-1 if value is None else levels.index(value)], dtype=np.int32)
    described = [replace(each, levels=levels) if each.name == name else each for each in row.schema]
    return Table(Schema(described), cells, row.name)


def _in_frame(row: Any, name: str, value: Any) -> Any:
    import narwhals as nw

    frame = nw.from_native(row, eager_only=True)
    return frame.with_columns(nw.lit(value).cast(frame[name].dtype).alias(name)).to_native()
