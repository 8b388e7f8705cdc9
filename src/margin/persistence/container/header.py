"""The header of a file: JSON of one canonical form, looked over before it is parsed.

Canonical is: UTF-8, keys sorted, no spaces, numbers as Python writes them, nothing that is not a number. What a parser
made of the text is written again and must give the same bytes, so that no key stands there twice and two readers
cannot take one file for two things.
"""

from __future__ import annotations

import json
from typing import Any

from margin.persistence.container.limits import DEEPEST, MOST_HEADER, MOST_VALUES, Malformed

__all__ = ["canonical", "look_over", "parsed"]

#: Bytes that are looked over at a time.
STEP = 2**18
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_DEPTH = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


def canonical(document: Any) -> bytes:
    """A document as the bytes that stand for it.

    >>> canonical({"b": [1, 0.5], "a": "ü"}).decode()
    '{"a":"ü","b":[1,0.5]}'
    """
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode()


def parsed(raw: bytes) -> dict[str, Any]:
    """The document that canonical bytes stand for; anything else is refused before it takes memory."""
    if len(raw) > MOST_HEADER:
        raise Malformed(f"the header has {len(raw):,} bytes, more than {MOST_HEADER:,}")
    look_over(raw)
    try:
        document = json.loads(raw.decode())
        again = canonical(document)
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError and UnicodeEncodeError among them
        raise Malformed(f"the header is not JSON ({error})") from None
    if again != raw:
        raise Malformed("the header is not in canonical form (sorted keys, none twice, no spaces)")
    if not isinstance(document, dict):
        raise Malformed("the header is not an object")
    return document


def look_over(raw: bytes, deepest: int = DEEPEST) -> None:
    """Depth and number of values, counted without making any, in hardly more memory than the text takes."""
    bare = raw.replace(rb"\\", b"").replace(rb"\"", b"")  # every quote that is left begins or ends a text
    values = depth = 0
    in_text = False
    for first in range(0, len(bare), STEP):
        pieces = bare[first : first + STEP].split(b'"')
        outside = b"".join(pieces[in_text::2])
        in_text ^= len(pieces) % 2 == 0
        values += sum(map(outside.count, (b"[", b"{", b",", b":")))
        if values > MOST_VALUES:
            raise Malformed(f"the header holds more than {MOST_VALUES:,} values")
        for bracket in outside.translate(None, _NO_BRACKETS):
            depth += _DEPTH[bracket]
            if depth > deepest:
                raise Malformed(f"the header is nested more than {deepest} levels deep")
