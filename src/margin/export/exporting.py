"""Fitted models as ONNX graphs: raw columns in, labels and probabilities out, everything in double."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from margin import __version__
from margin.base.estimator import TableEstimator
from margin.errors import ExportError, InputTypeError
from margin.export.answer import Answer, answer
from margin.export.checking import check_answers
from margin.export.columns import RawRows
from margin.export.graph import Graph

__all__ = ["to_onnx"]


def to_onnx(model: Any, path: str | os.PathLike[str] | None = None, *, check: Any = None) -> Any:
    """A fitted model as an ONNX graph that gives the same answers without margin.

    Parameters
    ----------
    model
        A fitted classifier or regressor of margin, a ``TableEncoder`` or a ``Discretizer``.
    path
        Where to write the graph; the file is written whole or not at all. None writes nothing.
    check
        Rows, anything that ``predict`` takes: they are run in onnxruntime, and an answer that is not the model's own
        is an error.

    Returns
    -------
    onnx.ModelProto
        Its inputs are the raw columns, n × 1 each and called as they are: numbers and levels that are numbers or
        truth values (1 and 0) as doubles, NaN where a cell is missing; words as strings. A string that is no level
        is a missing cell, the empty one for choice. A model fitted on an array has one input ``X``, n × d. The
        outputs are ``label`` (strings, or int64 for whole numbers and truth values) and ``probabilities`` (n × K,
        the classes in the order of ``classes_``), ``scores`` where a model has no probabilities, ``value`` for a
        regressor; :class:`margin.Reject` adds ``abstained``, where the label is to be passed over. Transformers give a
        ``matrix`` of doubles, or ``codes`` of int64. An output whose name a column has gets an underscore.

    Notes
    -----
    Every number is a double. Infinite cells, which ``predict`` refuses, are not refused by a graph. What has no
    form in ONNX is refused with an ``ExportError`` that says why.

    Examples
    --------
    >>> from margin import DecisionTreeClassifier
    >>> from margin.data import catalog
    >>> X, y = catalog.load("weather_nominal").target("play")
    >>> graph = to_onnx(DecisionTreeClassifier().fit(X, y), check=X)
    >>> [value.name for value in graph.graph.input], [value.name for value in graph.graph.output]
    (['outlook', 'temperature', 'humidity', 'windy'], ['label', 'probabilities'])
    """
    if not isinstance(model, TableEstimator):
        name = model.__name__ if isinstance(model, type) else type(model).__name__
        raise InputTypeError(f"to_onnx({name}): the model must be a fitted estimator of margin.")
    model._fitted("to_onnx")
    if getattr(model, "outputs_2d_", False):
        raise ExportError(
            f"to_onnx({type(model).__name__}): the model answers several targets; fit and export one model per target."
        )
    graph = Graph()
    said = answer(model, RawRows(graph, model._columns))
    _name_outputs(graph, model, said)
    made = graph.model(type(model).__name__, _about(model), __version__)
    if check is not None:
        check_answers(model, made, check)
    if path is not None:
        _write_whole(Path(path), made.SerializeToString())
    return made


def _name_outputs(graph: Graph, model: Any, said: Answer) -> None:
    if said.value is not None:
        graph.output("value", said.value, "DOUBLE", said.n_columns or None)
        return
    if said.matrix is not None or said.codes is not None:
        name, value, kind = ("matrix", said.matrix, "DOUBLE") if said.codes is None else ("codes", said.codes, "INT64")
        graph.output(name, str(value), kind, said.n_columns)
        return
    labels = _labels([*model.classes_.tolist(), *said.more_labels], type(model).__name__)
    assert said.winner is not None
    graph.output("label", graph("Gather", labels, said.winner), "INT64" if labels.dtype.kind == "i" else "STRING")
    if said.probabilities is not None:
        graph.output("probabilities", said.probabilities, "DOUBLE", len(model.classes_))
    elif said.scores is not None:
        graph.output("scores", said.scores, "DOUBLE", _n_scores(model))
    if said.abstained is not None:
        graph.output("abstained", said.abstained, "BOOL")


def _labels(values: list[Any], who: str) -> np.ndarray:
    """Labels as int64 or strings."""
    if all(isinstance(value, str) for value in values):
        return np.array(values, dtype=object)
    if any(isinstance(value, bytes) for value in values):
        raise ExportError(f"to_onnx({who}): labels are bytes, which ONNX has no type for; decode them to words.")
    if any(not -(2**63) <= value < 2**63 for value in values):
        raise ExportError(f"to_onnx({who}): labels are whole numbers beyond int64; make them words.")
    return np.array([int(value) for value in values], dtype=np.int64)


def _n_scores(model: Any) -> int:
    n_classes = len(model.classes_)
    if n_classes <= 2:
        return 1
    in_pairs = getattr(model, "decision_function_shape", None) == "ovo"
    return n_classes * (n_classes - 1) // 2 if in_pairs else n_classes


def _about(model: Any) -> dict[str, str]:
    return {"model": repr(model), "classes": repr(model.classes_.tolist()) if hasattr(model, "classes_") else ""}


def _write_whole(path: Path, content: bytes) -> None:
    """Into a neighbour first, then renamed, so that nobody ever sees half a file."""
    beside = ""
    try:
        handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(beside, 0o644)
        os.replace(beside, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        if isinstance(error, OSError):
            raise ExportError(
                f"to_onnx: cannot write {str(path)!r}: {(error.strerror or str(error)).lower()}."
            ) from error
        raise
