"""What people say about columns, ``kinds={"grade": ("ordinal", ["low", "high"])}``, checked once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from margin.data.schema import KINDS, Kind, is_kind
from margin.errors import ParameterError, closest, listing

__all__ = ["DeclaredKind", "declared_kinds"]


@dataclass(frozen=True, slots=True)
class DeclaredKind:
    """The kind a person wants for a column, and the order of its levels if they gave one."""

    kind: Kind
    levels: tuple[Any, ...] | None = None


def declared_kinds(who: str, kinds: Mapping[str, Any] | None, names: Iterable[str]) -> dict[str, DeclaredKind]:
    """Each column a person spoke about, with what they said.

    >>> declared_kinds("read('x.csv')", {"size": ("ordinal", ["s", "m", "l"])}, ["size", "price"])
    {'size': DeclaredKind(kind='ordinal', levels=('s', 'm', 'l'))}
    """
    names = list(names)
    declared = {}
    for name, said in (kinds or {}).items():
        if name not in names:
            hint = closest(name, names)
            raise ParameterError(
                f"{who}, kinds: column {name!r} is not in the table; columns are {listing(names)}{hint}."
            )
        declared[name] = _declared(who, name, said)
    return declared


def _declared(who: str, name: str, said: object) -> DeclaredKind:
    kind, levels = said if isinstance(said, tuple | list) and len(said) == 2 else (said, None)
    if not is_kind(kind):
        raise ParameterError(
            f"{who}, kinds={{{name!r}: {said!r}}}: a kind must be one of {', '.join(map(repr, KINDS))}, "
            f'or ("ordinal", [levels, smallest first]){closest(kind, KINDS)}.'
        )
    if levels is None:
        return DeclaredKind(kind)
    levels = tuple(levels)
    if kind == "numeric" or len(set(levels)) < len(levels):
        raise ParameterError(f"{who}, kinds={{{name!r}: {said!r}}}: levels must differ, and numeric columns have none.")
    return DeclaredKind(kind, levels)
