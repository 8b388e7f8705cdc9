"""ARFF files: declared columns, then rows, plain or sparse.

Rows without quotes, comments and braces are split all at once; only the others are read word by word.
An unquoted ``?`` is a missing cell, a quoted one a value. Levels keep the order of their declaration.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from margin.data.kind_inference import Written, infer_words
from margin.data.level_codes import codes_among, names_of_rows
from margin.data.readers.file import Request, Source
from margin.data.schema import Column, Schema
from margin.data.table import Table
from margin.data.written.date_columns import dated_column
from margin.errors import closest, listing

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Attribute", "Header", "parse_header", "read_arff", "unescape"]

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
            match = _RELATION.match(line)
            relation = unescape(match[1].strip()) if match else ""
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
    match = _ATTRIBUTE.match(line)
    if match is None or not match[2]:
        raise source.refusal(f"line {number}: {line[:60]!r} must read '@attribute name type'.")
    name, kind = unescape(match[1]), match[2].strip()
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
        match = _LEVEL.match(text, at)
        if match is None:
            raise source.refusal(f"line {number}: the list of levels is not closed; write {{a, b, 'c d'}}.")
        if match[1]:
            levels.append(unescape(match[1]))
        if match[2] == "}":
            return tuple(dict.fromkeys(levels))
        at = match.end()


def _checked(source: Source, header: Header) -> Header:
    if not header.attributes:
        raise source.refusal("no @attribute is declared before @data.")
    twice = [name for name, times in Counter(a.name for a in header.attributes).items() if times > 1]
    if twice:
        raise source.refusal(f"column names must differ, but {listing(twice)} stand there more than once.")
    return header


_SPECIAL = re.compile(r"['\"{%\\]")
_CELL = {
    ",": re.compile(rf"\s*({QUOTED}|[^,%]*?)\s*(,|%.*$|$)"),
    " ": re.compile(rf"[\s,]*({QUOTED}|[^\s,%]+)(\s*,\s*|\s+|%.*$|$)"),
}
_SPARSE_CELL = re.compile(rf"\s*(\d+)\s+({QUOTED}|[^,}}]*?)\s*([,}}])")


def read_arff(source: Source, request: Request) -> Table:
    """The table of an ARFF file, its levels in declared order even where no row has them."""
    lines = source.text().decode().split("\n")
    header = parse_header(source, lines)
    rows, numbers = _rows(source, lines, header.n_lines, header.attributes)
    if not len(numbers):
        raise source.refusal("no row follows @data.")
    columns = [
        _column(source, attribute, cells.alias(attribute.name), numbers, attribute.name == request.target)
        for attribute, cells in zip(header.attributes, rows.iter_columns())
    ]
    return Table(Schema(column for column, _ in columns), [stored for _, stored in columns])


def _rows(source: Source, lines: list[str], first: int, attributes: list[Attribute]) -> tuple[pl.DataFrame, np.ndarray]:
    """All cells as words, null where missing, and the line number of each row."""
    import polars as pl

    plain: list[str] = []
    plain_at: list[int] = []
    special: list[list[str | None]] = []
    special_at: list[int] = []
    separator = ""
    for number, line in enumerate(lines[first:], first + 1):
        line = line.strip()
        if not line or line[0] == "%":
            continue
        separator = separator or ("," if "," in line or len(attributes) == 1 or line[0] == "{" else " ")
        if _SPECIAL.search(line):
            special.append(_cells(source, line, number, attributes, separator))
            special_at.append(number)
        else:
            plain.append(line if separator == "," else ",".join(re.split(r"\s*,\s*|\s+", line)))
            plain_at.append(number)
    frame = _split_plain(source, plain, plain_at, len(attributes))
    if not special:
        return frame, np.array(plain_at)
    others = pl.DataFrame(special, schema=frame.schema, orient="row")
    numbers = np.array(plain_at + special_at)
    order = np.argsort(numbers)
    return pl.concat([frame, others])[order], numbers[order]


def _split_plain(source: Source, plain: list[str], numbers: list[int], width: int) -> pl.DataFrame:
    import polars as pl

    schema = {f"column{i + 1}": pl.String for i in range(width)}
    for line, number in zip(plain, numbers):
        if line.count(",") != width - 1:
            raise _ragged(source, number, line.count(",") + 1, width)
    if not plain:
        return pl.DataFrame(schema=schema)
    text = "\n".join(plain).encode()
    frame = pl.read_csv(text, has_header=False, schema=schema, quote_char=None).select(pl.all().str.strip_chars())
    return frame.select(pl.when(~pl.all().is_in(["?", ""])).then(pl.all()))


def _ragged(source: Source, number: int, n_cells: int, width: int) -> Exception:
    return source.refusal(f"line {number} has {n_cells} cells, but {width} were expected (one for each @attribute).")


def _cells(source: Source, line: str, number: int, attributes: list[Attribute], separator: str) -> list[str | None]:
    """The cells of a row with quotes, a comment or braces."""
    if line.startswith("{"):
        return _sparse_cells(source, line, number, attributes)
    cells: list[str | None] = []
    at = 0
    while True:
        match = _CELL[separator].match(line, at)
        if match is None or (match[1][:1] in ("'", '"') and match[1][:1] != match[1][-1:]) or match[1] in ("'", '"'):
            raise source.refusal(f"line {number}: a quote is opened and not closed, near {line[at : at + 30]!r}.")
        cells.append(_value(match[1]))
        at = match.end()
        if at >= len(line) and match[2].strip() != ",":
            break
    if len(cells) != len(attributes):
        raise _ragged(source, number, len(cells), len(attributes))
    return cells


def _sparse_cells(source: Source, line: str, number: int, attributes: list[Attribute]) -> list[str | None]:
    """A row ``{index value, …}``; what it leaves out is 0, or the first level of a nominal column."""
    cells = [_left_out(attribute) for attribute in attributes]
    at = 1
    if re.match(r"\{\s*\}", line):
        return cells
    while True:
        match = _SPARSE_CELL.match(line, at)
        if match is None:
            raise source.refusal(
                f"line {number}: a sparse row must read '{{index value, …}}', near {line[at : at + 30]!r}."
            )
        index = int(match[1])
        if index >= len(attributes):
            raise source.refusal(
                f"line {number}: index {index} is too large; there are {len(attributes)} columns from 0."
            )
        cells[index] = _value(match[2])
        at = match.end()
        if match[3] == "}":
            return cells


def _left_out(attribute: Attribute) -> str | None:
    if attribute.type == "numeric":
        return "0"
    return attribute.levels[0] if attribute.levels else None


def _value(word: str) -> str | None:
    return None if word in ("?", "") else unescape(word)


def _column(
    source: Source, attribute: Attribute, cells: pl.Series, numbers: np.ndarray, is_target: bool
) -> tuple[Column, np.ndarray]:
    import polars as pl

    if attribute.type == "numeric":
        values = cells.cast(pl.Float64, strict=False)
        _refuse_strays(source, attribute, cells, values.is_null(), numbers, "is not a number")
        return Column(attribute.name, "numeric", reason="declared so"), values.fill_null(np.nan).to_numpy().copy()
    if attribute.type == "nominal":
        codes = codes_among(cells, attribute.levels)
        _refuse_strays(source, attribute, cells, pl.Series(codes < 0), numbers, "is not among the declared levels")
        present = codes[codes >= 0]
        if not is_target and names_of_rows(len(np.unique(present)), len(present)):
            reason = f"declared so, but {len(np.unique(present))} different words in {len(present)} cells name the rows"
            return Column(attribute.name, "identifier", attribute.levels, reason), codes
        return Column(attribute.name, "nominal", attribute.levels, "declared so"), codes
    column, codes = infer_words(cells, Written(attribute.name, is_target=is_target))
    if attribute.type == "string" and column.kind == "identifier":
        return column, codes
    if attribute.type == "date" and (dated := dated_column(cells, attribute.name, "declared as dates")) is not None:
        return dated
    reason = "declared as a string" if attribute.type == "string" else "declared as dates, in a form that is not known"
    return Column(attribute.name, "text", column.levels, reason), codes


def _refuse_strays(
    source: Source, attribute: Attribute, cells: pl.Series, unread: pl.Series, numbers: np.ndarray, must: str
) -> None:
    strays = (unread & cells.is_not_null()).arg_true()
    if len(strays):
        row = int(strays[0])
        hint = closest(cells[row], attribute.levels)
        raise source.refusal(f"line {numbers[row]}: column {attribute.name!r}: {cells[row]!r} {must}{hint}.")
