"""Numbers as people write them: with a unit, with thousands set apart, with a decimal comma, with a printed minus.

One way of writing for the whole column: a column that mixes ``$5`` and ``€5``, or ``1.5`` and ``1,5``, is left alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["in_plain_digits"]

_MONEY = ("EUR", "USD", "GBP", "CHF")
#: Words that are units beyond doubt; those of one letter stand apart from the number, for "12b" is no quantity.
_UNITS = (*_MONEY, "kg", "mg", "km/h", "km", "cm", "mm", "mph", "ml", "min", "ms", "°C", "°F", "hp", "kW", "GB", "MB",
          "KB", "TB", "lbs", "lb", "ft", "years", "days", "hours")  # fmt: skip
_LETTERS = ("g", "t", "m", "l", "h", "s", "V", "W", "A", "K")
_WORD = "|".join(map(re.escape, _UNITS))
_BEHIND = rf"\s*(?:{_WORD})|\s+(?:{'|'.join(_LETTERS)})"
_UNIT = re.compile(rf"^[+-]?\s*([$€£¥₹])|([$€£¥₹%])$|^({'|'.join(_MONEY)})\s*[+-]?\d|[\d.]({_BEHIND})$")
_BLANKS = " \u00a0\u202f\u2009"
#: What sets thousands apart, what begins the decimals, and what the first is called.
_STYLES = (
    (",", ".", "','"),
    (".", ",", "'.'"),
    (_BLANKS, ".", "blanks"),
    (_BLANKS, ",", "blanks"),
    ("'’", ".", '"\'"'),
)
_PRICES = frozenset(f"in {each}" for each in ("€", "$", "£", "¥", "₹", *_MONEY))
#: The minus of typography, and what a machine writes for it.
_PRINTED_MINUS = "\u2212"
#: The first cells tell whether a longer look is worth it.
_GLANCE = 20


def in_plain_digits(words: pl.Series, decimal_comma: bool = False) -> tuple[pl.Series, str]:
    """The words as a machine writes numbers, and in which way they were written; other words come back as they are.

    >>> import polars as pl
    >>> in_plain_digits(pl.Series(["$1,250.50", "$99", None]))[0].to_list()
    ['1250.50', '99', None]
    >>> in_plain_digits(pl.Series(["12.5 %", "7 %"]))[1]
    'in %'
    >>> in_plain_digits(pl.Series(["69.7 kg", "80 kg"]))[0].to_list()
    ['69.7', '80']
    >>> in_plain_digits(pl.Series(["\u22123.5", "4"]))[0].to_list()
    ['-3.5', '4']
    """
    present = words.drop_nulls()
    if not len(present) or not _worth_a_look(present.head(_GLANCE).to_list()):
        return words, ""
    printed = bool(present.str.contains(_PRINTED_MINUS, literal=True).any())
    if printed:
        words, present = (each.str.replace(_PRINTED_MINUS, "-", literal=True) for each in (words, present))
    bare, unit = _without_unit(present)
    for group, decimal, name in _STYLES:
        if _is_grouped(bare, group, decimal, decimal_comma, unit in _PRICES):
            plain = _without_unit(words)[0].str.replace_all(f"[{group}]", "").str.replace(decimal, ".", literal=True)
            return plain, ", ".join(filter(None, [unit, f"{name} between thousands"]))
    if not (unit or printed):
        return words, ""
    plain = _without_unit(words)[0]
    return (plain.str.replace(",", ".", literal=True) if decimal_comma else plain), unit or "with a printed minus"


def _worth_a_look(words: list[str]) -> bool:
    plain = rf"[-{_PRINTED_MINUS}+$€£¥₹%\d.,'’\s]*\d[-+$€£¥₹%\d.,'’\s]*"
    return all(re.fullmatch(rf"(({'|'.join(_MONEY)})\s*)?{plain}({_BEHIND})?", word) for word in words)


def _without_unit(words: pl.Series) -> tuple[pl.Series, str]:
    """The words without the sign of a currency or ``%`` that stands at all of them, and what it was."""
    match = _UNIT.search(words.drop_nulls()[0])
    if match is None:
        return words, ""
    unit = next(group for group in match.groups() if group).strip()
    sign = re.escape(unit)
    at_all = words.str.contains(rf"^[+-]?\s*{sign}[^A-Za-z$€£¥₹%]*$|^[^A-Za-z$€£¥₹%]*{sign}$").all()
    if not at_all:
        return words, ""
    return words.str.replace(unit, "", literal=True).str.replace_all(r"^([+-]?)\s+|\s+$", "$1"), f"in {unit}"


def _grouped_beside_small(words: pl.Series) -> bool:
    """Prices such as ``38.019`` beside ``950``: three digits behind every point, and none behind small numbers."""
    pointed = words.str.contains(".", literal=True)
    return bool(
        pointed.any() and not pointed.all()
        and words.filter(pointed).str.contains(r"^[+-]?[1-9]\d{0,2}(\.\d{3})+$").all()
        and words.filter(~pointed).str.contains(r"^[+-]?\d{1,3}$").all()
    )  # fmt: skip


def _is_grouped(words: pl.Series, group: str, decimal: str, decimal_comma: bool, of_money: bool) -> bool:
    """Whether every word is a number in this style, and one of them shows it beyond doubt."""
    group, point = f"[{group}]", re.escape(decimal)
    if not words.str.contains(rf"^[+-]?(\d{{1,3}}({group}\d{{3}})+|\d+)({point}\d*)?$").all():
        return False
    doubtful = group == "[.]" or (group == "[,]" and decimal_comma)  # one mark alone may stand for decimals
    if group == "[.]" and of_money and _grouped_beside_small(words):
        return True
    return bool(words.str.contains(rf"\d{group}\d{{3}}" + (rf"({group}|{point})" if doubtful else "")).any())
