"""LIBSVM (SVMlight) files: ``label index:value index:value …``, made dense."""

from __future__ import annotations

import re

import numpy as np

from margin.data.level_codes import codes_of_all
from margin.data.readers.file import Request, Source
from margin.data.schema import Column, Schema
from margin.data.table import Table

__all__ = ["LIBSVM_LINE", "LIBSVM_REASON", "read_libsvm"]

LIBSVM_REASON = "LIBSVM values are numbers"

LIBSVM_LINE = re.compile(rb"^[+-]?[0-9.eE+,-]+([ \t]+\d+:[^\s:]+)+[ \t]*(#.*)?$")
#: 8 bytes each: beyond this a dense table would take more than about 1.6 GB.
MOST_CELLS = 200_000_000


def read_libsvm(source: Source, request: Request) -> Table:
    """Columns ``feature1`` … (``feature0`` if indices start there) and the nominal column ``label``.

    Labels are kept as they are written, so ``+1`` stays ``'+1'``; an index that a row leaves out is 0. The file does
    not say how many columns there are: the largest index does, or a larger one in ``kinds``.
    """
    import polars as pl

    lines = _lines(source)
    if not lines:
        raise source.refusal("there are only comments; rows must read 'label index:value …'.")
    labels = pl.Series([line.split(None, 1)[0].decode() for line in lines.values()])
    rows, indices, values = _entries(source, lines)
    first, last = (int(indices.min()), int(indices.max())) if len(indices) else (1, 0)
    first = min(first, 1)
    last = max([last, *_told_indices(request)])
    n_columns = last - first + 1
    if n_columns * len(lines) > MOST_CELLS:
        raise source.refusal(
            f"{len(lines)} rows × {n_columns} columns are too many for a dense table "
            "(scipy.sparse keeps them sparse; margin's models take such matrices)."
        )
    dense = np.zeros((n_columns, len(lines)))
    dense[indices - first, rows] = values
    levels, codes = codes_of_all(labels)
    schema = [Column(f"feature{first + i}", "numeric", reason=LIBSVM_REASON) for i in range(n_columns)]
    schema.append(Column("label", "nominal", levels, "LIBSVM labels, as written"))
    return Table(Schema(schema), [*dense, codes])


def _told_indices(request: Request) -> list[int]:
    return [int(name[7:]) for name in request.kinds if re.fullmatch(r"feature\d+", name)]


def _lines(source: Source) -> dict[int, bytes]:
    """The lines that hold a row, by their number; comments cut off."""
    text = source.text()
    if b"#" in text:
        text = re.sub(rb"#.*", b"", text)
    return {number: line for number, line in enumerate(text.split(b"\n"), 1) if line.strip()}


def _entries(source: Source, lines: dict[int, bytes]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, index and value of every written cell."""
    counts = np.array([line.count(b":") for line in lines.values()])
    pairs = b" ".join(
        line.partition(b" ")[2] if b"\t" not in line else b" ".join(line.split()[1:]) for line in lines.values()
    )
    try:
        numbers = np.array(pairs.replace(b":", b" ").split(), dtype=np.float64)
    except ValueError:
        raise _bad_line(source, lines) from None
    with np.errstate(invalid="ignore"):  # what no whole number can hold is refused below
        indices = numbers[::2].astype(np.int64)
    if len(numbers) != 2 * counts.sum() or np.any(indices != numbers[::2]) or np.any(indices < 0):
        raise _bad_line(source, lines)
    rows = np.repeat(np.arange(len(lines)), counts)
    spot = rows * (int(indices.max(initial=0)) + 1) + indices
    if len(np.unique(spot)) < len(spot):
        raise source.refusal("a row gives the same index twice; each index may stand once in a row.")
    return rows, indices, numbers[1::2]


def _bad_line(source: Source, lines: dict[int, bytes]) -> Exception:
    entry = re.compile(rb"\d+:[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$")
    for number, line in lines.items():
        for word in line.split()[1:]:
            if not entry.match(word):
                return source.refusal(f"line {number}: {word.decode()!r} is not of the form index:value.")
    return source.refusal("rows must read 'label index:value index:value …' with indices from 0 or 1.")
