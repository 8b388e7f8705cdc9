"""SHA-256 of the spans of a file: two at a time where the machine has instructions for it, which takes half as long."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import margin._core as _core

__all__ = ["AT_ONCE", "digests"]

#: Spans that one task digests side by side.
AT_ONCE = 2
_IN_HARDWARE: bool = _core.files.has_sha256()
#: Below so many bytes a call of the core costs more than it saves.
_FEW = 2**14


def digests(pieces: Sequence[Any]) -> Sequence[bytes]:
    """The digests of some pieces of memory.

    >>> [each.hex()[:8] for each in digests([b"abc", b""])]
    ['ba7816bf', 'e3b0c442']
    """
    if _IN_HARDWARE and len(pieces) == AT_ONCE and min(map(len, pieces)) >= _FEW:
        found: tuple[bytes, bytes] = _core.files.sha256_of_two(*pieces)
        return found
    return [hashlib.sha256(piece).digest() for piece in pieces]
