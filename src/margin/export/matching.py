"""Rows of the input against rows that a model keeps, cell by cell."""

from __future__ import annotations

import numpy as np

from margin.errors import ExportError
from margin.export.graph import Graph

__all__ = ["MOST_CELLS", "check_size", "compatible"]

#: Rows times columns that a model may keep to be compared with every row in a graph.
MOST_CELLS = 2_000_000


def check_size(shape: tuple[int, ...], who: str) -> None:
    """Refuse a model that keeps too many rows for a graph that looks at all of them."""
    n_rows, n_columns = shape
    if n_rows * n_columns > MOST_CELLS:
        raise ExportError(
            f"to_onnx({who}): the model keeps {n_rows:,} rows of {n_columns:,} columns, and a graph compares every one "
            f"with each row it is asked about; more than {MOST_CELLS:,} cells are refused (fit on fewer rows, or "
            "export a model that sums them up)."
        )


def compatible(graph: Graph, codes: list[str], known: np.ndarray) -> str:
    """Whether the cells that are there are those of each known row, as doubles 1 and 0; codes of -1 fit any."""
    found = None
    for code, column in zip(codes, known.T):
        same = graph("Equal", code, column.astype(np.int64).reshape(1, -1))
        fits = graph("Or", same, graph("Less", code, 0))
        found = fits if found is None else graph("And", found, fits)
    assert found is not None
    return graph.as_double(found)
