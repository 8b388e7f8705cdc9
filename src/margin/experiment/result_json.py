"""Results as text and back: what a run was, for programs and for later."""

from __future__ import annotations

import dataclasses
import html
import json
import math
import types
import typing
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.errors import DataError

__all__ = ["Told", "as_json", "plain", "rebuilt"]


@dataclass(frozen=True)
class Told:
    """An explanation of which only the words were kept."""

    words: str

    def text(self) -> str:
        return self.words

    def html(self) -> str:
        return f"<pre>{html.escape(self.words)}</pre>"


def plain(value: Any) -> Any:
    """Anything of a result as dictionaries, lists, numbers and texts; a number that is none is None.

    >>> plain({"a": (1.0, float("nan")), "n": np.int64(3)})
    {'a': [1.0, None], 'n': 3}
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {part.name: plain(getattr(value, part.name)) for part in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (str, int, bool)) else str(value)


def as_json(value: Any) -> str:
    """The text of it, which any reader of JSON takes."""
    return json.dumps(plain(value), ensure_ascii=False, indent=1, allow_nan=False)


def rebuilt(kind: Any, value: Any) -> Any:
    """A value of :func:`plain` as what it was: data classes, tuples and dictionaries by their annotations."""
    if value is None or kind is Any:
        return value
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return rebuilt(next(each for each in inner if each is not type(None)), value)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _object(kind, value)
    if origin is tuple:
        return tuple(rebuilt(inner[0], item) for item in value)
    if origin is dict:
        return {key: rebuilt(inner[1], item) for key, item in value.items()}
    return value


def _object(kind: type, value: Any) -> Any:
    hints = typing.get_type_hints(kind)
    known = {part.name for part in dataclasses.fields(kind)}
    if not isinstance(value, dict):
        raise DataError(f"{kind.__name__}.from_dict: a dictionary was expected, not {type(value).__name__}.")
    try:
        return kind(**{name: rebuilt(hints[name], item) for name, item in value.items() if name in known})
    except TypeError as error:
        raise DataError(f"{kind.__name__}.from_dict: {error}.") from None
