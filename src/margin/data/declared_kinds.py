"""What people say about columns, ``kinds={"grade": ("ordinal", ["low", "high"])}``, checked once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from margin.data.schema import KINDS, Kind
from margin.errors import ParameterError, closest, listing

__all__ = ["Told", "told_kinds"]


@dataclass(frozen=True, slots=True)
class Told:
    """The kind a person wants for a column, and the order of its levels if they gave one."""

    kind: Kind
    levels: tuple[Any, ...] | None = None


def told_kinds(who: str, kinds: Mapping[str, Any] | None, names: Iterable[str]) -> dict[str, Told]:
    """Each column a person spoke about, with what they said.

    >>> told_kinds("read('x.csv')", {"size": ("ordinal", ["s", "m", "l"])}, ["size", "price"])
    {'size': Told(kind='ordinal', levels=('s', 'm', 'l'))}
    """
    names = list(names)
    told = {}
    for name, said in (kinds or {}).items():
        if name not in names:
            hint = closest(name, names)
            raise ParameterError(
                f"{who}, kinds: column {name!r} is not in the table; columns are {listing(names)}{hint}."
            )
        told[name] = _told(who, name, said)
    return told


def _told(who: str, name: str, said: object) -> Told:
    kind, levels = said if isinstance(said, tuple | list) and len(said) == 2 else (said, None)
    if not isinstance(kind, str) or kind not in KINDS:
        raise ParameterError(
            f"{who}, kinds={{{name!r}: {said!r}}}: a kind must be one of {', '.join(map(repr, KINDS))}, "
            f'or ("ordinal", [levels, smallest first]){closest(kind, KINDS)}.'
        )
    if levels is None:
        return Told(kind)  # type: ignore[arg-type]
    levels = tuple(levels)
    if kind == "numeric" or len(set(levels)) < len(levels):
        raise ParameterError(f"{who}, kinds={{{name!r}: {said!r}}}: levels must differ, and numeric columns have none.")
    return Told(kind, levels)  # type: ignore[arg-type]
