"""The declarations at the head of an ARFF file."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from margin.data.readers.source import Source
from margin.errors import listing

__all__ = ["Attribute", "Header", "parse_header", "unescape"]

QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s{{]+)\s*(.*)", re.IGNORECASE | re.DOTALL)
_RELATION = re.compile(rf"@relation\s+({QUOTED}|.*)", re.IGNORECASE)
_LEVEL = re.compile(rf"\s*({QUOTED}|[^,}}]*?)\s*([,}}])", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_TYPES = {
    "numeric": "numeric", "real": "numeric", "integer": "numeric", "double": "numeric", "float": "numeric",
    "string": "string", "date": "date",
}  # fmt: skip


@dataclass(frozen=True)
class Attribute:
    """A declared column: its name, its type, and the levels of a nominal one in the order declared."""

    name: str
    type: str
    levels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Header:
    attributes: list[Attribute]
    relation: str
    n_lines: int


def unescape(word: str) -> str:
    r"""The word that a quoted one stands for.

    >>> unescape(r"'don\'t'")
    "don't"
    """
    if word[:1] not in ("'", '"'):
        return word
    inner = word[1:-1]
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), inner, flags=re.DOTALL) if "\\" in inner else inner


def parse_header(source: Source, lines: list[str]) -> Header:
    """The declarations up to and with ``@data``; ``n_lines`` says how many lines they take."""
    attributes: list[Attribute] = []
    relation = ""
    at = 0
    while at < len(lines):
        line = lines[at].strip()
        at += 1
        word = line.split(None, 1)[0].lower() if line else ""
        if word == "@data":
            return _checked(source, Header(attributes, relation, at))
        if word == "@relation":
            found = _RELATION.match(line)
            relation = unescape(found[1].strip()) if found else ""
        elif word == "@attribute":
            line, at = _whole_declaration(lines, line, at)
            attributes.append(_attribute(source, line, at))
        elif word and not word.startswith("%"):
            raise source.refusal(f"line {at}: {line[:40]!r} is neither @relation, @attribute, @data nor a % comment.")
    raise source.refusal("there is no @data line, so no rows (is this an ARFF file?).")


def _whole_declaration(lines: list[str], line: str, at: int) -> tuple[str, int]:
    """A list of levels may run over several lines, until its brace closes."""
    bare = re.sub(QUOTED, "", line)
    if "{" in bare.partition("%")[0] and "}" not in bare:
        line = line.partition("%")[0] if "%" not in re.sub(QUOTED, "", line).partition("{")[0] else line
        while at < len(lines) and "}" not in re.sub(QUOTED, "", line):
            line += " " + lines[at].strip()
            at += 1
    return line, at


def _attribute(source: Source, line: str, number: int) -> Attribute:
    found = _ATTRIBUTE.match(line)
    if found is None or not found[2]:
        raise source.refusal(f"line {number}: {line[:60]!r} must read '@attribute name type'.")
    name, kind = unescape(found[1]), found[2].strip()
    if kind.startswith("{"):
        return Attribute(name, "nominal", _levels(source, kind[1:], number))
    word = re.split(r"[\s\[%]", kind, maxsplit=1)[0].lower()
    if word == "relational":
        raise source.refusal(
            f"line {number}: column {name!r} is relational (a table in each cell), which is not readable."
        )
    if word not in _TYPES:
        known = "numeric, real, integer, string, date or {levels}"
        raise source.refusal(f"line {number}: column {name!r} has the unknown type {kind[:30]!r}; known are {known}.")
    return Attribute(name, _TYPES[word])


def _levels(source: Source, text: str, number: int) -> tuple[str, ...]:
    levels: list[str] = []
    at = 0
    while True:
        found = _LEVEL.match(text, at)
        if found is None:
            raise source.refusal(f"line {number}: the list of levels is not closed; write {{a, b, 'c d'}}.")
        if found[1]:
            levels.append(unescape(found[1]))
        if found[2] == "}":
            return tuple(dict.fromkeys(levels))
        at = found.end()


def _checked(source: Source, header: Header) -> Header:
    if not header.attributes:
        raise source.refusal("no @attribute is declared before @data.")
    twice = [name for name, times in Counter(a.name for a in header.attributes).items() if times > 1]
    if twice:
        raise source.refusal(f"column names must differ, but {listing(twice)} stand there more than once.")
    return header
