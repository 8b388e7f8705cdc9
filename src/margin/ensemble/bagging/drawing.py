"""What each member of a bag draws: rows, with or without replacement, and columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from margin.data.schema import Schema
from margin.data.table import Table
from margin.random import generator, seed_for
from margin.typing import Encoded

__all__ = ["Drawing", "Stratum", "drawn_names", "of_columns"]


@dataclass(frozen=True, eq=False)
class Stratum:
    """Rows to draw so many from; ``ends`` is where the copies of each row end, counted up, empty where it has one."""

    rows: np.ndarray
    ends: np.ndarray
    n_draws: int

    @property
    def total(self) -> int:
        """Rows that can be drawn, copies counted."""
        return int(self.ends[-1]) if len(self.ends) else len(self.rows)

    def draw(self, stream: np.random.Generator, replace: bool) -> np.ndarray:
        """The rows drawn, each as often as it was."""
        if replace:
            drawn = stream.integers(self.total, size=self.n_draws)
        else:
            drawn = stream.permutation(self.total)[: self.n_draws]
        return self.rows[np.searchsorted(self.ends, drawn, side="right") if len(self.ends) else drawn]


@dataclass(frozen=True, eq=False)
class Drawing:
    """How the members of a bag draw. What member t draws depends on the seed and on t alone.

    ``there`` are the columns that can be drawn; none where members see all of them.
    """

    seed: int
    n_rows: int
    strata: Sequence[Stratum]
    replace: bool
    there: np.ndarray
    n_chosen: int
    replace_columns: bool

    @property
    def leaves_rows_out(self) -> bool:
        """Whether members leave out rows at all."""
        return self.replace or any(each.n_draws < each.total for each in self.strata)

    def rows(self, member: int) -> np.ndarray:
        """How often a member draws each row."""
        if not self.leaves_rows_out:
            (all_rows,) = self.strata
            return np.diff(all_rows.ends, prepend=0) if len(all_rows.ends) else np.ones(self.n_rows, dtype=np.int64)
        stream = generator(self.seed, "member", member, "rows")
        drawn = [each.draw(stream, self.replace) for each in self.strata]
        return np.bincount(np.concatenate(drawn), minlength=self.n_rows)

    def columns(self, member: int) -> np.ndarray | None:
        """The columns that a member sees, in ascending order; None is all."""
        n = len(self.there)
        if not n:
            return None
        stream = generator(self.seed, "member", member, "columns")
        drawn = stream.integers(n, size=self.n_chosen) if self.replace_columns else stream.permutation(n)
        return self.there[np.sort(drawn[: self.n_chosen])]

    def seed_of(self, member: int) -> int:
        """The seed of a member that draws something itself."""
        return seed_for(self.seed, "member", member, "model", bits=32)


def of_columns(X: Encoded, places: np.ndarray | None) -> Encoded:
    """Some columns of a table, an array or CSR; in a table one that was drawn again gets a name of its own.

    >>> of_columns(np.array([[1.0, 2.0, 3.0]]), np.array([0, 2])).tolist()
    [[1.0, 3.0]]
    >>> of_columns(Table.from_columns({"a": [1.0], "b": [2.0]}), np.array([1, 1])).names
    ('b', 'b (2)')
    """
    if places is None:
        return X
    if not isinstance(X, Table):
        return np.ascontiguousarray(X[:, places]) if isinstance(X, np.ndarray) else X[:, places].tocsr()
    named = drawn_names(X.names, places)
    schema = Schema(replace(X.schema[name], name=called) for called, name in named.items())
    return Table(schema, [X.cells(name) for name in named.values()], n_rows=len(X))


def drawn_names(names: Sequence[str], places: np.ndarray) -> dict[str, str]:
    """The columns drawn, in order: how each is called, and which of ``names`` it is.

    >>> drawn_names(["a", "b"], np.array([1, 1]))
    {'b': 'b', 'b (2)': 'b'}
    """
    found: dict[str, str] = {}
    for place in places.tolist():
        name, again = names[place], 1
        while name in found:
            again += 1
            name = f"{names[place]} ({again})"
        found[name] = names[place]
    return found
