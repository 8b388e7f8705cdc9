"""What each column of a table is: numeric, nominal, ordinal or a date, and why margin thinks so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeGuard, get_args

from margin.errors import DataError, closest, listing

__all__ = ["INPUT_KINDS", "KINDS", "Column", "Kind", "Schema", "is_kind"]

Kind = Literal["numeric", "nominal", "ordinal", "date", "identifier", "text"]
KINDS: tuple[str, ...] = get_args(Kind)
#: The kinds that all models learn from, dates by what they tell (``base/inputs/date_parts.py``). Identifiers are kept
#: in the table and left out of models; free text is read by some.
INPUT_KINDS = frozenset({"numeric", "nominal", "ordinal", "date"})


def is_kind(value: object) -> TypeGuard[Kind]:
    """Whether a value is the name of a kind.

    >>> is_kind("ordinal"), is_kind("number")
    (True, False)
    """
    return isinstance(value, str) and value in KINDS


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, its kind, the values it may take, and the reason for the kind.

    ``levels`` are the distinct values of a column that is not numeric; a cell with code ``i`` holds
    ``levels[i]``. For an ordinal column their order is the order of the scale.
    """

    name: str
    kind: Kind
    levels: tuple[Any, ...] = ()
    reason: str = field(default="", compare=False)

    @property
    def is_numeric(self) -> bool:
        return self.kind == "numeric"

    @property
    def is_input(self) -> bool:
        return self.kind in INPUT_KINDS


class Schema(Sequence[Column]):
    """The columns of a table, in order, found by position or by name.

    >>> schema = Schema([Column("age", "numeric"), Column("sex", "nominal", ("f", "m"))])
    >>> schema["sex"].levels
    ('f', 'm')
    """

    __slots__ = ("_columns", "_positions")

    def __init__(self, columns: Iterable[Column]) -> None:
        self._columns = tuple(columns)
        self._positions = {column.name: i for i, column in enumerate(self._columns)}
        if len(self._positions) < len(self._columns):
            names = [column.name for column in self._columns]
            twice = sorted({name for name in names if names.count(name) > 1})
            raise DataError(f"Schema: column names must differ, but {listing(twice)} stand there more than once.")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._positions)

    def position(self, name: str) -> int:
        """Where a column stands, from 0; an unknown name is an error that names the nearest known one."""
        try:
            return self._positions[name]
        except KeyError:
            raise DataError(
                f"column {name!r} is not in the table; columns are {listing(self.names)}{closest(name, self.names)}."
            ) from None

    def replace(self, name: str, **changes: Any) -> Schema:
        """The same schema with one column changed."""
        at = self.position(name)
        columns = list(self._columns)
        columns[at] = replace(columns[at], **changes)
        return Schema(columns)

    def __getitem__(self, key: Any) -> Any:
        return self._columns[self.position(key) if isinstance(key, str) else key]

    def __len__(self) -> int:
        return len(self._columns)

    def __iter__(self) -> Iterator[Column]:
        return iter(self._columns)

    def __contains__(self, name: object) -> bool:
        return name in self._positions

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self._columns == other._columns

    def __hash__(self) -> int:
        return hash(self._columns)

    def __getstate__(self) -> tuple[Column, ...]:
        return self._columns

    def __setstate__(self, columns: tuple[Column, ...]) -> None:
        Schema.__init__(self, columns)

    def __repr__(self) -> str:
        return "Schema(" + ", ".join(f"{c.name}: {c.kind}" for c in self) + ")"
