"""Messages between a caller and its workers: objects of Python in frames, their length in front."""

from __future__ import annotations

import importlib
import pickle
from typing import IO, Any

__all__ = ["packed", "receive", "send"]

_LENGTH = 8


def packed(value: Any) -> bytes:
    """An object as bytes; functions that no module holds are written out."""
    try:
        pickling: Any = importlib.import_module("cloudpickle")  # it comes with joblib
    except ModuleNotFoundError:
        pickling = pickle
    written: bytes = pickling.dumps(value, protocol=5)
    return written


def send(to: IO[bytes], message: Any) -> int:
    """Write one message; how many bytes it took."""
    body = packed(message)
    to.write(len(body).to_bytes(_LENGTH, "little") + body)
    to.flush()
    return len(body) + _LENGTH


def receive(source: IO[bytes]) -> tuple[Any, int] | None:
    """The next message and its bytes; None where the other side is gone."""
    head = source.read(_LENGTH)
    if len(head) < _LENGTH:
        return None
    length = int.from_bytes(head, "little")
    body = source.read(length)
    return None if len(body) < length else (pickle.loads(body), length + _LENGTH)
