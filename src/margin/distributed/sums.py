"""Models that are functions of sums: one pass over the blocks, wherever they lie, gives the same model to the bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.base.mergeable import MergeableClassifier
from margin.base.representations.cell_survey import Survey
from margin.base.representations.numeric import Numeric, NumericEncoder
from margin.blas import OneBlasThread, width_of
from margin.data.parts.row_blocks import JoinedInPairs, joined
from margin.distributed.engines.engine import Engine, Task
from margin.distributed.keeping import Checkpoint
from margin.distributed.rows import ModelRows

__all__ = ["Look", "aligned_runs", "fit_sums", "join_looks", "look_at_blocks", "rounds_of_sums", "sums_over_blocks"]

#: So many blocks are in a run at most: 2 million rows.
MOST_BLOCKS = 32


@dataclass(frozen=True)
class Look:
    """What one look at some rows found: ranges and moments of columns, and what the model counts."""

    survey: Survey
    statistics: Any = None
    width: int = 0

    def plus(self, other: Look) -> Look:
        """The same of both sets of rows."""
        if self.statistics is None:
            return Look(self.survey.plus(other.survey), None, self.width)
        return Look(self.survey.plus(other.survey), self.statistics.plus(other.statistics), self.width)


@dataclass(frozen=True)
class _Counting:
    """What a worker needs to count: the rows, the model but for what it learns, a learnt encoder if there is one."""

    rows: ModelRows
    model: Any
    state: dict[str, Any]
    encoder: NumericEncoder | None


def aligned_runs(n_blocks: int, workers: int) -> list[range]:
    """Runs of blocks that are branches of the tree over all of them, a few for each worker.

    Blocks of one run are read one behind the other, so that no piece of a file is read twice; a run is what is lost
    with a worker.
    """
    size, wanted = 1, 2 if workers == 1 else 4 * workers
    while n_blocks / (2 * size) >= wanted and size < MOST_BLOCKS:
        size *= 2
    return [range(begin, min(begin + size, n_blocks)) for begin in range(0, n_blocks, size)]


def join_looks(one: Look, other: Look) -> Look:
    """The sum of two looks; small products of matrices are rounded by one thread of BLAS, as in memory."""
    with OneBlasThread(one.width):
        return one.plus(other)


def sums_over_blocks(
    engine: Engine, task: Task, shared: Any, n_blocks: int, what: str, join: Callable[[Any, Any], Any],
    checkpoint: Checkpoint | None = None,
) -> Any:  # fmt: skip
    """What ``task(shared, run)`` gives for runs of blocks, joined in the shape of the tree over all blocks."""
    runs = aligned_runs(n_blocks, engine.workers)
    whole: JoinedInPairs[Any] = JoinedInPairs(len(runs), join)
    done: set[int] = set()
    if checkpoint is not None:
        done = checkpoint.resume(what, whole, len(runs))
    left: Sequence[int] = [i for i in range(len(runs)) if i not in done]
    for number, result in engine.map(task, shared, [runs[i] for i in left], what):
        whole.add(left[number], result)
        done.add(left[number])
        if checkpoint is not None:
            checkpoint.keep(what, whole, done)
    return whole.sum


def look_at_blocks(shared: ModelRows, run: range) -> Look:
    """A task: ranges and moments of the numbers of some blocks."""
    looks = (Look(shared.surveyed(source, y, w, b)[0]) for b, source, y, w in shared.blocks(run))
    return joined(looks, len(run), join_looks)


def _count_blocks(shared: _Counting, run: range) -> Look:
    """A task: the sums of some blocks."""
    model = shared.model.__new__(shared.model)
    model.__dict__.update(shared.state)
    return joined((_counted(model, shared, *each) for each in shared.rows.blocks(run)), len(run), join_looks)


def _counted(model: Any, shared: _Counting, number: int, source: Any, y: np.ndarray, weight: Any) -> Look:
    rows = shared.rows
    seen, numbers = rows.surveyed(source, y, weight, number)
    if isinstance(rows.form, Numeric):
        encoder = shared.encoder
        if encoder is None:  # where no number is missing and none is scaled, all encoders do the same
            encoder = _learnt(rows, seen)
        data = encoder.finished(numbers, seen.has_missing, source, rows.who)
    else:
        data = rows.mixed(source, numbers, seen, number)
    width = width_of(data)
    with OneBlasThread(width):
        return Look(seen, model._count(data, y, weight), width)


def fit_sums(model: MergeableClassifier, rows: ModelRows, engine: Engine, checkpoint: Checkpoint | None) -> Survey:
    """Let a model learn from the sums over all blocks; what was seen of its numbers."""
    n = rows.parts.n_blocks
    encoder: NumericEncoder | None = None
    if isinstance(rows.form, Numeric) and _must_know_means(rows):
        look = sums_over_blocks(engine, look_at_blocks, rows, n, f"{rows.who}: means", join_looks, checkpoint)
        encoder = _learnt(rows, look.survey)
    shared = _counting(model, rows, encoder)
    found: Look = sums_over_blocks(engine, _count_blocks, shared, n, f"{rows.who}: sums", join_looks, checkpoint)
    if isinstance(rows.form, Numeric):
        model._encoder = _learnt(rows, found.survey) if encoder is None else encoder
    else:
        model._encoder = rows.encoder()
    model._statistics = found.statistics
    with OneBlasThread(found.width):
        model._settle()
    return found.survey


def rounds_of_sums(model: MergeableClassifier, rows: ModelRows) -> Iterator[tuple[Task, Any, str]]:
    """The rounds of such a fit: each its task and what the tasks share, as one block shows it."""
    encoder = None
    if isinstance(rows.form, Numeric) and _must_know_means(rows):
        yield look_at_blocks, rows, "means"
        encoder = _learnt(rows, look_at_blocks(rows, range(1)).survey)
    yield _count_blocks, _counting(model, rows, encoder), "sums"


def _learnt(rows: ModelRows, seen: Survey) -> NumericEncoder:
    encoder = NumericEncoder(rows.form, rows.columns, rows.who)
    encoder.learn(seen)
    return encoder


def _counting(model: MergeableClassifier, rows: ModelRows, encoder: NumericEncoder | None) -> _Counting:
    state = {name: value for name, value in vars(model).items() if not name.startswith("__")}
    return _Counting(rows, type(model), state, encoder)


def _must_know_means(rows: ModelRows) -> bool:
    """Whether a row cannot be encoded before all rows were looked at."""
    names = set(rows.columns.given())
    missing = any(r.missing for r in rows.parts.readings if r.column.name in names and r.column.kind != "nominal")
    return rows.form.scale is not None or missing
