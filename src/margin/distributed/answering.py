"""Answers for rows in parts: parts in, parts out, so that memory does not grow with the rows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from margin.data.parts.parts import Parts
from margin.data.parts.row_blocks import block_bounds
from margin.distributed.engines.engine import engine_of
from margin.errors import DataError, InputTypeError, ParameterError, listing

__all__ = ["Answered", "predict", "predictions"]

_FORMATS = (".parquet", ".csv")


@dataclass(frozen=True)
class Answered:
    """How many rows were answered, and the files with the answers, in the order of the rows."""

    n_rows: int
    files: tuple[Path, ...]

    def __repr__(self) -> str:
        return f"<Answered: {self.n_rows:,} rows in {len(self.files):,} files>"


@dataclass(frozen=True)
class _Answering:
    """What a worker needs to answer blocks of rows."""

    model: Any
    parts: Parts
    names: tuple[str, ...]
    probabilities: bool
    folder: str
    ending: str


def predict(
    model: Any,
    parts: Parts,
    out: str | os.PathLike[str],
    *,
    probabilities: bool = False,
    form: str = ".parquet",
    engine: Any = None,
    **settings: Any,
) -> Answered:
    """Write what a fitted model answers for every row of the parts: a file for each block of rows.

    Files that are there already are kept, so that a call that was stopped goes on where it was; they must be of the
    same model and the same parts, which nobody can tell from the files.

    Parameters
    ----------
    model
        A fitted model.
    parts
        The rows, as :func:`margin.scan` gives them; a target may be among their columns or not.
    out
        The folder of the answers: ``row`` (from 0), ``answer`` and, if asked for, a column ``P(label)`` for each class.
    probabilities
        Whether to write the probability of every class.
    form
        ``".parquet"`` or ``".csv"``.
    engine, settings
        As in :func:`fit`.

    Examples
    --------
    >>> import margin, tempfile
    >>> from margin import distributed
    >>> parts = margin.scan({"size": [1.0, 2.0, 8.0, 9.0], "kind": ["s", "s", "b", "b"]}, target="kind")
    >>> model = distributed.fit(margin.NaiveBayes(), parts)
    >>> folder = tempfile.mkdtemp()
    >>> distributed.predict(model, parts, folder, form=".csv")
    <Answered: 4 rows in 1 files>
    >>> print(open(f"{folder}/answers-00000.csv").read().split())
    ['row,answer', '0,s', '1,s', '2,b', '3,b']
    """
    who = f"{type(model).__name__}.predict"
    if form not in _FORMATS:
        raise ParameterError(f"{who}(form={form!r}): form must be {' or '.join(map(repr, _FORMATS))}.")
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    shared = _Answering(model, parts, _names(model, parts, who), probabilities, str(folder), form)
    files = [_file(shared, number) for number in range(parts.n_blocks)]
    left = [number for number, file in enumerate(files) if not file.exists()]
    with engine_of(engine, **settings) as where:
        for _ in where.map(_answer_block, shared, left, f"{who}: answers"):
            pass
    return Answered(parts.n_rows, tuple(files))


def predictions(model: Any, parts: Parts) -> Iterator[np.ndarray]:
    """The answers for one block of rows after the other.

    >>> import margin
    >>> from margin import distributed
    >>> parts = margin.scan({"size": [1.0, 2.0, 8.0, 9.0], "kind": ["s", "s", "b", "b"]}, target="kind")
    >>> model = margin.NaiveBayes().fit(parts)
    >>> [answers.tolist() for answers in distributed.predictions(model, parts)]
    [['s', 's', 'b', 'b']]
    """
    names = _names(model, parts, f"{type(model).__name__}.predict")
    for table in parts.blocks(names=names):
        yield model.predict(table)


def _names(model: Any, parts: Parts, who: str) -> tuple[str, ...]:
    """The columns that the model was fitted with; what else there is, is not read."""
    if not isinstance(parts, Parts):
        raise InputTypeError(f"{who}: the rows must be parts, as margin.scan gives them, not {type(parts).__name__}.")
    columns = model._fitted("predict")._columns
    names: tuple[str, ...] = columns.given() if columns.schema is not None else parts.names[: columns.n]
    absent = [name for name in names if name not in parts.names]
    if absent:
        raise DataError(f"{who}: column {listing(absent)} is missing in the parts; the model was fitted with it.")
    left_out = [name for name in names if parts.reading(name).way == "left out"]
    if left_out:
        raise DataError(
            f"{who}: column {listing(left_out)} names rows in these parts; the model was fitted with it (kinds= says "
            "what it is)."
        )
    return names


def _file(shared: _Answering, number: int) -> Path:
    return Path(shared.folder) / f"answers-{number:05d}{shared.ending}"


def _answer_block(shared: _Answering, number: int) -> int:
    """A task: the answers of one block in their file, whole or not at all."""
    import polars as pl

    rows = shared.parts.block(number, shared.names).select(shared.names)
    begin, end = block_bounds(number, shared.parts.n_rows)
    columns: dict[str, Any] = {"row": np.arange(begin, end)}
    if shared.probabilities and hasattr(shared.model, "predict_with_proba"):
        answers, shares = shared.model.predict_with_proba(rows)
        columns["answer"] = answers
        columns |= {f"P({label})": shares[:, k] for k, label in enumerate(shared.model.classes_.tolist())}
    else:
        columns["answer"] = shared.model.predict(rows)
    frame = pl.DataFrame({name: pl.Series(name, cells) for name, cells in columns.items()})
    made = _file(shared, number).with_suffix(f".part-{os.getpid()}")
    (frame.write_parquet if shared.ending == ".parquet" else frame.write_csv)(made)
    made.replace(_file(shared, number))
    return end - begin
