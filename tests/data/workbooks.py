"""Workbooks written by hand, as small as Excel takes them, and the wrong ones that nobody should write."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from xml.sax.saxutils import escape

__all__ = ["workbook"]

_NS = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def workbook(sheets: dict[str, Sequence[Sequence[object]]], **replaced: bytes) -> bytes:
    """The bytes of a workbook; a cell ("date", 45000) is shown as a date, ("error", "#DIV/0!") as that error.

    ``replaced`` are parts in place of the usual ones: ``sheet1=b"<worksheet/>"``.
    """
    texts: list[str] = []
    parts = {f"xl/worksheets/sheet{i + 1}.xml": _sheet(rows, texts) for i, rows in enumerate(sheets.values())}
    names = "".join(
        f'<sheet name="{escape(name)}" sheetId="{i + 1}" r:id="rId{i + 1}"/>' for i, name in enumerate(sheets)
    )
    parts["xl/workbook.xml"] = f'<workbook {_NS} xmlns:r="{_RELATIONS}"><sheets>{names}</sheets></workbook>'
    links = "".join(
        f'<Relationship Id="rId{i + 1}" Type="x" Target="worksheets/sheet{i + 1}.xml"/>' for i in range(len(sheets))
    )
    parts["xl/_rels/workbook.xml.rels"] = f'<Relationships xmlns="x">{links}</Relationships>'
    shared = "".join(f"<si><r><t>{escape(text[:1])}</t></r><r><t>{escape(text[1:])}</t></r></si>" for text in texts)
    parts["xl/sharedStrings.xml"] = f"<sst {_NS}>{shared}</sst>"
    parts["xl/styles.xml"] = (
        f'<styleSheet {_NS}><numFmts><numFmt numFmtId="170" formatCode="yyyy\\-mm\\-dd"/></numFmts>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs></styleSheet>'
    )
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in parts.items():
            stem = path.rpartition("/")[2].partition(".")[0]
            archive.writestr(path, replaced.get(stem, text.encode()))
    return content.getvalue()


def _sheet(rows: Sequence[Sequence[object]], texts: list[str]) -> str:
    lines = []
    for r, row in enumerate(rows, 1):
        cells = "".join(_cell(value, f"{chr(65 + c)}{r}", texts) for c, value in enumerate(row) if value is not None)
        lines.append(f'<row r="{r}">{cells}</row>')
    return f"<worksheet {_NS}><sheetData>{''.join(lines)}</sheetData></worksheet>"


def _cell(value: object, place: str, texts: list[str]) -> str:
    if isinstance(value, tuple):
        kind, held = value
        return (
            f'<c r="{place}" s="1"><v>{held}</v></c>' if kind == "date" else f'<c r="{place}" t="e"><v>{held}</v></c>'
        )
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, str):
        texts.append(value)
        return f'<c r="{place}" t="s"><v>{len(texts) - 1}</v></c>'
    return f'<c r="{place}"><v>{value}</v></c>'
