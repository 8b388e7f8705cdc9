"""Free text as words: lower case, split at everything that is no letter, digit or underscore."""

from __future__ import annotations

import re

__all__ = ["words_of"]

_WORD = re.compile(r"\w+")


def words_of(text: object) -> list[str]:
    """The words of a text in the order they come.

    >>> words_of("FREE entry: don't miss it, free!")
    ['free', 'entry', 'don', 't', 'miss', 'it', 'free']
    """
    return _WORD.findall(str(text).lower())
