"""Excel workbooks: a zip archive of XML, of which the cells of one sheet are read.

Cells become the words that a CSV file of the sheet would hold, dates as ``2024-03-31``, and go through the same
inference. Formulas count with the value that was saved with them. A workbook needs no entities, so XML that declares
some is refused, and a sheet whose few cells lie far apart is refused before the empty cells between them are made.
"""

from __future__ import annotations

import datetime
import io
import posixpath
import re
import zipfile
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np

from margin.data.readers.csv import table_of_rows
from margin.data.readers.csv_rows import Rows
from margin.data.readers.file import Request, Source
from margin.data.readers.unpacking import opened_zip, unzipped
from margin.data.table import Table
from margin.errors import closest, listing

__all__ = ["read_xlsx"]

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_STRICT = "{http://purl.oclc.org/ooxml/spreadsheetml/main}"
_CELL = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
#: Number formats that show dates or times, by the numbers that Excel reserves for them.
_DATE_FORMATS = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
#: Between stored cells there may be empty ones, but not more than so many for each, and so many besides.
_EMPTY_FOR_EACH, _EMPTY_BESIDES = 100, 1_000_000
#: The serial number of 1 January 1904, where workbooks of old Macintoshes begin to count.
_YEAR_1904 = 1462


def read_xlsx(source: Source, request: Request) -> Table:
    """The table of a sheet of a workbook: the first, or the one that ``sheet`` names or counts from 1."""
    book = _Workbook(source)
    name, path = book.sheet(request.sheet)
    cells = dict(book.cells(path))
    if not cells:
        raise source.refusal(f"sheet {name!r} holds no cells ({_others(book, name)}).")
    return table_of_rows(source, request, _grid(source, cells, request.skip), ",")


def _others(book: _Workbook, name: str) -> str:
    others = [other for other in book.sheets if other != name]
    return f"sheet=… or --sheet chooses another: {listing(others)}" if others else "it is the only one"


class _Workbook:
    """A workbook: the names of its sheets, its shared texts, and which styles are dates."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.archive: zipfile.ZipFile = opened_zip(source.data, source.who)
        self.parts = set(self.archive.namelist())
        book = self._xml("xl/workbook.xml")
        targets = {
            relation.get("Id"): posixpath.normpath(posixpath.join("xl", relation.get("Target", "").lstrip("/")))
            for relation in self._xml("xl/_rels/workbook.xml.rels")
        }
        self.sheets: dict[str, str] = {}
        for sheet in _all(book, "sheet"):
            reference = next((value for key, value in sheet.attrib.items() if key.endswith("}id")), "")
            path = targets.get(reference, "").replace("xl/xl/", "xl/")
            if path in self.parts:
                self.sheets[sheet.get("name", "")] = path
        if not self.sheets:
            raise source.refusal("the workbook holds no sheet with cells.")
        since = next(iter(_all(book, "workbookPr")), None)
        self.offset = _YEAR_1904 if since is not None and since.get("date1904") in ("1", "true") else 0
        self.texts = self._shared_texts()
        self.dates = self._date_styles()

    def sheet(self, wanted: str | int | None) -> tuple[str, str]:
        """The name and the part of a sheet."""
        names = list(self.sheets)
        if wanted is None:
            return names[0], self.sheets[names[0]]
        number = int(wanted) if str(wanted).isdecimal() and str(wanted) not in names else 0
        name = names[number - 1] if 1 <= number <= len(names) else str(wanted)
        if name not in self.sheets:
            raise self.source.refusal(
                f"there is no sheet {wanted!r}; sheets are {listing(names)}{closest(name, names)}."
            )
        return name, self.sheets[name]

    def cells(self, path: str) -> Iterator[tuple[tuple[int, int], str]]:
        """Row and column, from 0, and the word of every cell that is not empty."""
        row = -1
        for element in self._elements(path, "row"):
            row = int(element.get("r", row + 2)) - 1
            column = -1
            for cell in _all(element, "c"):
                place = _CELL.fullmatch(cell.get("r", ""))
                column = _column(place[1]) if place else column + 1
                word = self._word(cell)
                if word:
                    yield (row, column), word

    def _word(self, cell: Any) -> str:
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            return "".join(part.text or "" for part in _all(cell, "t")).strip()
        value = next((part.text or "" for part in _all(cell, "v")), "").strip()
        if kind == "s":
            at = int(value) if value.isdecimal() else -1
            if not 0 <= at < len(self.texts):
                raise self.source.refusal(f"cell {cell.get('r')} names a text that the workbook does not hold.")
            return self.texts[at]
        if kind == "b":
            return "True" if value == "1" else "False"
        if kind == "e":
            return ""  # #DIV/0! and the like: nothing is known
        style = cell.get("s", "")
        return self._date(value) if kind == "n" and value and style.isdecimal() and int(style) in self.dates else value

    def _date(self, value: str) -> str:
        try:
            days = float(value) + self.offset
            when = datetime.datetime(1899, 12, 30) + datetime.timedelta(days=days)
        except (ValueError, OverflowError):
            return value
        when = (when + datetime.timedelta(microseconds=500_000)).replace(microsecond=0)
        if days < 1:
            return when.strftime("%H:%M:%S")
        return when.date().isoformat() if when.time() == datetime.time() else when.isoformat(" ")

    def _shared_texts(self) -> list[str]:
        if "xl/sharedStrings.xml" not in self.parts:
            return []
        # A text may be in parts of several fonts; how a word is pronounced (rPh) is no part of it.
        return [
            "".join(part.text or "" for part in _texts(item)).strip()
            for item in self._elements("xl/sharedStrings.xml", "si")
        ]

    def _date_styles(self) -> frozenset[int]:
        if "xl/styles.xml" not in self.parts:
            return frozenset()
        styles = self._xml("xl/styles.xml")
        own = {each.get("numFmtId") for each in _all(styles, "numFmt") if _shows_a_date(each.get("formatCode", ""))}
        formats = next((list(each) for each in styles if each.tag.endswith("}cellXfs")), [])
        found = set()
        for i, each in enumerate(formats):
            number = each.get("numFmtId", "0")
            if number in own or (number.isdecimal() and int(number) in _DATE_FORMATS):
                found.add(i)
        return frozenset(found)

    def _xml(self, path: str) -> Any:
        if path not in self.parts:
            raise self.source.refusal(f"the workbook is damaged: {path!r} is missing.")
        *_, (_, root) = self._events(path)
        return root

    def _elements(self, path: str, name: str) -> Iterator[Any]:
        """Each element of a name, forgotten once the next is asked for."""
        for event, element in self._events(path):
            if event == "end" and element.tag in (_MAIN + name, _STRICT + name):
                yield element
                element.clear()

    def _events(self, path: str) -> Iterator[Any]:
        content = unzipped(self.archive, path, self.source.who)
        if re.search(rb"<!\s*(DOCTYPE|ENTITY)", content, re.IGNORECASE):
            raise self.source.refusal(f"{path!r} declares entities, which no workbook needs; save the sheet as CSV.")
        try:
            yield from ElementTree.iterparse(io.BytesIO(content), events=("end",))
        except (ElementTree.ParseError, ValueError, LookupError) as error:
            raise self.source.refusal(f"the workbook is damaged: {path!r} is not XML ({error}).") from None


def _all(element: Any, name: str) -> Iterator[Any]:
    return (each for each in element.iter() if each.tag in (_MAIN + name, _STRICT + name))


def _texts(item: Any) -> Iterator[Any]:
    for part in item:
        name = part.tag.rpartition("}")[2]
        if name == "t":
            yield part
        elif name == "r":
            yield from _all(part, "t")


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def _shows_a_date(code: str) -> bool:
    plain = re.sub(r'"[^"]*"|\[[^\]]*\]|\\.|_.|\*.', "", code.lower())
    return any(letter in plain for letter in "ymdhs") and "general" not in plain


def _grid(source: Source, cells: dict[tuple[int, int], str], skip: int) -> Rows:
    """The rows from the first to the last that hold anything, empty ones in between left out."""
    import polars as pl

    kept = {at: word for at, word in cells.items() if at[0] >= skip}
    if not kept:
        raise source.refusal(f"there is nothing below the first {skip} rows.")
    rows = sorted({row for row, _ in kept})
    columns = sorted({column for _, column in kept})
    first, width = columns[0], columns[-1] - columns[0] + 1
    if len(rows) * width > _EMPTY_FOR_EACH * len(kept) + _EMPTY_BESIDES:
        raise source.refusal(
            f"the {len(kept):,} cells of the sheet lie so far apart that {len(rows) * width:,} would be needed to hold "
            "them; remove what stands beside the table."
        )
    at = {row: i for i, row in enumerate(rows)}
    made: list[list[str | None]] = [[None] * len(rows) for _ in range(width)]
    for (row, column), word in kept.items():
        made[column - first][at[row]] = word
    frame = pl.DataFrame([pl.Series(f"column{i + 1}", words, dtype=pl.String) for i, words in enumerate(made)])
    return _SheetRows(frame, b"", np.array(rows))


class _SheetRows(Rows):
    def line_of(self, row: int) -> int:
        """The row of the sheet, from 1."""
        return int(self.starts[row]) + 1
