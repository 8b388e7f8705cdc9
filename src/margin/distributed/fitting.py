"""``fit`` on parts: which models can, how each does, and what the others are told."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, TypeVar

from margin import __version__, params
from margin.base.mergeable import MergeableClassifier
from margin.base.representations.mixed import MixedEncoder
from margin.base.representations.numeric import NumericEncoder
from margin.base.representations.representation import Learnt
from margin.base.representations.tiny_columns import warn_of_tiny_columns
from margin.base.rollback import whole_or_not_at_all
from margin.data.parts.parts import Parts
from margin.data.parts.row_blocks import ROWS
from margin.distributed.engines.engine import engine_of
from margin.distributed.keeping import Checkpoint
from margin.distributed.on_disk import fit_on_disk
from margin.distributed.rows import ModelRows, learn_rows
from margin.distributed.sums import fit_sums
from margin.errors import DataError, InputTypeError

__all__ = ["fit", "way_of"]

Model = TypeVar("Model")

#: Models that pass over rows on disk, by the part they live in; subclasses that say nothing else go with them.
ON_DISK = {
    "margin.baseline": "MajorityClassifier",
    "margin.boosting": "GradientBoostingClassifier GradientBoostingRegressor",
    "margin.ensemble": "ExtraTreesClassifier RandomForestClassifier",
    "margin.linear": "Adaline LinearSGD LogisticRegression Perceptron",
    "margin.neighbors": "NearestCentroid",
    "margin.svm": "LinearSVC PegasosClassifier",
}


def fit(
    model: Model,
    parts: Parts,
    engine: Any = None,
    *,
    memory: float | None = None,
    disk: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    every: int = 16,
    **settings: Any,
) -> Model:
    """Fit a model on parts; it is the model that ``model.fit`` would give in memory, to the last bit.

    Parameters
    ----------
    model
        An unfitted model.
    parts
        What :func:`margin.scan` gives, with a target.
    engine
        Where the work is done, as in :func:`use`; the one in use, or this process, unless said.
    memory
        Bytes that one worker may take; too few for one block of rows are an error before anything is read.
    disk
        Bytes that rows on disk may take.
    checkpoint, every
        A file that keeps what is worked out so far, written every so many tasks; a fit that was stopped goes on there.
    settings
        Those of the engine: ``workers=2``.

    Examples
    --------
    >>> import margin
    >>> from margin import distributed
    >>> table = {"size": [1.0, 2.0, 8.0, 9.0], "kind": ["s", "s", "b", "b"]}
    >>> model = distributed.fit(margin.NaiveBayes(), margin.scan(table, target="kind"))
    >>> model.predict([{"size": 7.0}]).tolist()
    ['b']
    """
    who = f"{type(model).__name__}.fit"
    if not isinstance(parts, Parts):
        raise InputTypeError(f"{who}: the rows must be parts, as margin.scan gives them, not {type(parts).__name__}.")
    way = way_of(model)
    if way == "":
        raise DataError(
            f"{who}: this model needs all rows in memory. Fit it on a sample of them (parts.block(0) is one of "
            f"{min(ROWS, parts.n_rows):,} rows, parts.read() all), or use one that fits on parts, such as "
            "GradientBoostingClassifier, LogisticRegression or NaiveBayes."
        )
    _check_memory(parts, memory, who)
    with whole_or_not_at_all(model), engine_of(engine, **settings) as where:
        params.check(model)
        rows = learn_rows(model, parts, who)
        kept = None
        if checkpoint is not None:
            job = (__version__, parts.digest(), type(model).__qualname__, model.get_params())  # type: ignore[attr-defined]
            kept = Checkpoint(checkpoint, every, job)
        if way == "sums":
            assert isinstance(model, MergeableClassifier)
            seen = fit_sums(model, rows, where, kept)
        else:
            seen = fit_on_disk(model, rows, where, disk, kept)
        _finish(model, rows, seen)
    return model


def way_of(model: Any) -> str:
    """How a model is fitted on parts: by ``"sums"``, with its rows on ``"disk"``, or not at all.

    >>> import margin
    >>> way_of(margin.NaiveBayes()), way_of(margin.LogisticRegression()), way_of(margin.RoteClassifier())
    ('sums', 'disk', '')
    """
    if isinstance(model, MergeableClassifier):
        return "" if model.keeps_cells else "sums"
    home = ".".join(type(model).__module__.split(".")[:2])
    if type(model).__name__ not in ON_DISK.get(home, "").split():
        return ""
    return "disk" if getattr(model, "max_bins", 255) is not None else ""


def _check_memory(parts: Parts, memory: float | None, who: str) -> None:
    """Refuse at the start what one block of rows has no room for: it is there as read, as a table and encoded."""
    if memory is None:
        return
    need = 4 * 8 * min(ROWS, parts.n_rows) * len(parts.readings)
    if need > memory:
        raise DataError(
            f"{who}(memory={memory:g}): one block of {min(ROWS, parts.n_rows):,} rows and {len(parts.readings)} "
            f"columns takes about {need / 1e6:,.0f} MB (columns= reads fewer, memory= allows more)."
        )


def _finish(model: Any, rows: ModelRows, seen: Any) -> None:
    """What ``fit`` in memory does beside learning: ranges of the columns, and warnings."""
    encoder = model._encoder
    names = None
    if rows.columns.schema is not None:
        names = encoder.numeric_names if isinstance(encoder, MixedEncoder) else encoder.numbered
    assert isinstance(encoder, MixedEncoder | NumericEncoder)
    model._see_ranges(seen.low, seen.high)
    learnt = Learnt(encoder, None, replace(seen, of_blocks=()), names)
    warn_of_tiny_columns(learnt, rows.columns, model._unheard_below(), rows.who)
    model._warn_of_constant_columns(learnt.constant_columns(rows.columns), rows.parts.n_rows, rows.who)
