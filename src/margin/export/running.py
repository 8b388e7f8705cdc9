"""Rows through an exported model: what is fed to a session, and what comes out of it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from margin.base.inputs.arrays import dense_from_sparse, open_input
from margin.data.schema import Column
from margin.data.table import Table
from margin.export.columns import is_word_column, written_levels
from margin.export.graph import onnx_package
from margin.typing import TableLike

__all__ = ["missing_mark", "onnx_inputs", "run_onnx"]


def onnx_inputs(model: Any, X: TableLike) -> dict[str, np.ndarray]:
    """What a session of the exported model is fed for rows X: an array for each input.

    Columns are matched as ``predict`` matches them. Numbers go in as doubles with NaN for missing cells, words as
    strings; a missing word is the empty string, or another string that is no level where the empty one is. Words
    that were not there at fit go in as they are.

    >>> from margin import NaiveBayes
    >>> from margin.data import catalog
    >>> X, y = catalog.load("weather_nominal").target("play")
    >>> feeds = onnx_inputs(NaiveBayes().fit(X, y), X)
    >>> list(feeds), feeds["outlook"][:2].tolist()
    (['outlook', 'temperature', 'humidity', 'windy'], [['sunny'], ['sunny']])
    """
    columns = model._fitted("to_onnx")._columns
    who = f"{type(model).__name__}.to_onnx"
    source = columns.read(X, who)
    if columns.schema is None:
        dense = source if isinstance(source, np.ndarray) else dense_from_sparse(source, who)
        return {"X": np.ascontiguousarray(dense, dtype=np.float64)}
    given = open_input(X, who)
    feeds = {}
    for i, column in enumerate(columns.schema):
        cells = source.cells(column.name)
        if column.is_numeric:
            values = np.asarray(cells, dtype=np.float64)
        elif is_word_column(column):
            values = _words(column, cells, given, i)
        else:
            values = np.append(written_levels(column), np.nan)[cells]
        feeds[column.name] = values.reshape(-1, 1)
    return feeds


def missing_mark(column: Column) -> str:
    """The string for a missing cell: the empty one, unless that is a level.

    >>> missing_mark(Column("answer", "nominal", ("", "no")))
    'missing'
    """
    levels, mark = set(written_levels(column)), ""
    while mark in levels:
        mark = "missing" if mark == "" else f"{mark}?"
    return mark


def _words(column: Column, codes: np.ndarray, given: object, place: int) -> np.ndarray:
    """The words of a column; those that were not there at fit are taken from what was given."""
    found = np.append(written_levels(column), missing_mark(column)).astype(object)[codes]
    if not isinstance(given, Table):
        return found
    own = given.schema[column.name] if column.name in given.names else given.schema[place]
    if own.is_numeric:
        return found
    own_codes = given.cells(own.name)
    for row in np.flatnonzero((codes < 0) & (own_codes >= 0)):
        found[row] = str(own.levels[own_codes[row]])
    return found


def run_onnx(model: Any, feeds: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs of an ONNX model by name; the model is a ``ModelProto``, its bytes or a path.

    >>> from margin import MajorityClassifier
    >>> from margin.export import onnx_inputs, run_onnx, to_onnx
    >>> model = MajorityClassifier().fit([[1.0], [2.0], [3.0]], ["a", "b", "b"])
    >>> run_onnx(to_onnx(model), onnx_inputs(model, [[5.0]]))["label"].tolist()
    ['b']
    """
    runtime = onnx_package("onnxruntime")
    given = os.fspath(model) if isinstance(model, os.PathLike) else model
    content = given if isinstance(given, (str, bytes)) else given.SerializeToString()
    session = runtime.InferenceSession(content, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, feeds)))
