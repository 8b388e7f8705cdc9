"""Terminals that know ASCII alone: signs are written with what they have, and nothing is lost or broken off."""

from __future__ import annotations

import codecs
import io
import sys
import unicodedata
from typing import Any

__all__ = ["speak_plainly"]

#: One sign for one sign, so that columns stay in line.
_SIGNS = str.maketrans("–—−…●·├┤─│“”„‘’×±≤≥→✓", '---.*.||-|"""\'\'x~<>>+')
_HANDLER = "margin.plain"


def speak_plainly() -> None:
    """From now on, standard output and error write what their encoding lacks with signs that it has."""
    codecs.register_error(_HANDLER, _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict" and not _knows(stream.encoding):
            stream.reconfigure(errors=_HANDLER)


def _knows(encoding: str) -> bool:
    try:
        "–●…├".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _plain(error: Any) -> tuple[str, int]:
    """What stands for signs that cannot be written: a like one, the letter without its accent, else a question mark."""
    lost = error.object[error.start : error.end]
    return "".join(map(_sign, lost)), error.end


def _sign(sign: str) -> str:
    like = sign.translate(_SIGNS)
    if not like.isascii():
        like = "".join(part for part in unicodedata.normalize("NFKD", sign) if part.isascii())
    return like or "?"
