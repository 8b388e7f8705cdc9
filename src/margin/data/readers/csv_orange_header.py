"""Orange's three header lines of a ``.tab`` file: names, types and roles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from margin.data.declared_kinds import DeclaredKind
from margin.data.schema import Kind

__all__ = ["OrangeHeader", "orange_header"]

_TYPES: dict[str, Kind | Literal["words"]] = {
    "c": "numeric", "continuous": "numeric", "numeric": "numeric", "n": "numeric",
    "d": "nominal", "discrete": "nominal", "categorical": "nominal",
    "s": "words", "string": "words", "text": "words", "t": "words", "time": "words",
}  # fmt: skip
_ROLES = {"", "class", "c", "meta", "m", "ignore", "i", "weight", "w", "multiclass"}
_LEFT_OUT = {"ignore", "i"}


@dataclass(frozen=True)
class OrangeHeader:
    """What the header says: kinds as told, the columns to leave out, and the class."""

    kinds: dict[str, DeclaredKind]
    left_out: frozenset[str]
    target: str | None


def orange_header(names: Sequence[str], types: Sequence[str], roles: Sequence[str]) -> OrangeHeader | None:
    """The header that three rows make, or nothing if they are not one.

    >>> orange_header(["y", "x"], ["no yes", "continuous"], ["class", ""]).kinds["y"]
    DeclaredKind(kind='nominal', levels=('no', 'yes'))
    """
    types, roles = [t.strip() for t in types], [r.strip() for r in roles]
    known_types = all(t.lower() in _TYPES or len(t.split()) > 1 for t in types)
    if not known_types or not set(roles) <= _ROLES or not any(roles):
        return None
    kinds = {name: declared for name, t in zip(names, types) if (declared := _declared(t)) is not None}
    left_out = frozenset(name for name, role in zip(names, roles) if role in _LEFT_OUT)
    target = next((name for name, role in zip(names, roles) if role in ("class", "c")), None)
    return OrangeHeader(kinds, left_out, target)


def _declared(type_: str) -> DeclaredKind | None:
    kind = _TYPES.get(type_.lower())
    if kind is None:
        return DeclaredKind("nominal", tuple(type_.split()))
    return None if kind == "words" else DeclaredKind(kind)
