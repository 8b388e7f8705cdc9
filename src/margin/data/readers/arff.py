"""ARFF files: declared columns, then rows, plain or sparse.

Rows without quotes, comments and braces are split all at once; only the others are read word by word.
An unquoted ``?`` is a missing cell, a quoted one a value. Levels keep the order of their declaration.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from margin.data.inference import Written, infer_words
from margin.data.levels import codes_among
from margin.data.readers.arff_header import QUOTED, Attribute, parse_header, unescape
from margin.data.readers.source import Request, Source
from margin.data.schema import Column, Schema
from margin.data.table import Table
from margin.errors import closest

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_arff"]

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


def _ragged(source: Source, number: int, found: int, width: int) -> Exception:
    return source.refusal(f"line {number} has {found} cells, but {width} were expected (one for each @attribute).")


def _cells(source: Source, line: str, number: int, attributes: list[Attribute], separator: str) -> list[str | None]:
    """The cells of a row with quotes, a comment or braces."""
    if line.startswith("{"):
        return _sparse_cells(source, line, number, attributes)
    cells: list[str | None] = []
    at = 0
    while True:
        found = _CELL[separator].match(line, at)
        if found is None or (found[1][:1] in ("'", '"') and found[1][:1] != found[1][-1:]) or found[1] in ("'", '"'):
            raise source.refusal(f"line {number}: a quote is opened and not closed, near {line[at : at + 30]!r}.")
        cells.append(_value(found[1]))
        at = found.end()
        if at >= len(line) and found[2].strip() != ",":
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
        found = _SPARSE_CELL.match(line, at)
        if found is None:
            raise source.refusal(
                f"line {number}: a sparse row must read '{{index value, …}}', near {line[at : at + 30]!r}."
            )
        index = int(found[1])
        if index >= len(attributes):
            raise source.refusal(
                f"line {number}: index {index} is too large; there are {len(attributes)} columns from 0."
            )
        cells[index] = _value(found[2])
        at = found.end()
        if found[3] == "}":
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
        return Column(attribute.name, "nominal", attribute.levels, "declared so"), codes
    column, codes = infer_words(cells, Written(attribute.name, is_target=is_target))
    if attribute.type == "string" and column.kind == "identifier":
        return column, codes
    reason = "declared as a string" if attribute.type == "string" else "declared as dates, which models do not use"
    return Column(attribute.name, "text", column.levels, reason), codes


def _refuse_strays(
    source: Source, attribute: Attribute, cells: pl.Series, unread: pl.Series, numbers: np.ndarray, must: str
) -> None:
    strays = (unread & cells.is_not_null()).arg_true()
    if len(strays):
        row = int(strays[0])
        hint = closest(cells[row], attribute.levels)
        raise source.refusal(f"line {numbers[row]}: column {attribute.name!r}: {cells[row]!r} {must}{hint}.")
