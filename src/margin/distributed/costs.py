"""What a fit on parts costs on a cluster, from one block that is counted here and what travels for it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.base.mergeable import MergeableClassifier
from margin.base.rollback import whole_or_not_at_all
from margin.base.sklearn_classes import clone
from margin.data.parts.parts import Parts
from margin.data.parts.row_blocks import ROWS, n_blocks
from margin.distributed.engines.frames import packed
from margin.distributed.fitting import way_of
from margin.distributed.rows import learn_rows
from margin.distributed.sums import aligned_runs, rounds_of_sums
from margin.errors import DataError, ParameterError

__all__ = ["Cost", "cost"]


@dataclass(frozen=True)
class Cost:
    """What a fit takes.

    Attributes
    ----------
    passes
        How often all rows are read.
    tasks
        How many tasks there are in all passes.
    down, up
        Bytes to the workers and back.
    work, network
        Seconds of one worker for its share of the work, and of the caller's link.
    memory
        Bytes that a worker has at once, about: a block as read, as a table and encoded, and its sums.
    most_workers
        From so many workers on, the network takes longer than the work.
    """

    passes: int
    tasks: int
    down: int
    up: int
    work: float
    network: float
    memory: int
    most_workers: int

    @property
    def seconds(self) -> float:
        """Both together."""
        return self.work + self.network


def cost(
    model: Any, parts: Parts, *, rows: int | None = None, workers: int = 2, link: float = 1e9, latency: float = 1e-3
) -> Cost:
    """What it costs to fit a model of sums on so many rows like those of the parts.

    One block is read and counted here, and takes as long elsewhere; what travels has the size that it has here.

    Parameters
    ----------
    model
        An unfitted model that is a function of sums.
    parts
        Some rows of the kind.
    rows
        How many there are to be; as many as in the parts, unless said.
    workers
        How many processes of one thread.
    link
        Bits a second of the caller's link.
    latency
        Seconds until a message arrives.

    Examples
    --------
    >>> import margin
    >>> from margin import distributed
    >>> parts = margin.scan({"size": [1.0, 2.0, 8.0, 9.0], "kind": ["s", "s", "b", "b"]}, target="kind")
    >>> found = distributed.cost(margin.NaiveBayes(), parts, rows=10**9, workers=100)
    >>> found.passes, found.tasks
    (1, 477)
    """
    who = f"cost({type(model).__name__})"
    if way_of(model) != "sums":
        raise DataError(f"{who}: only models that are functions of sums have a cost that one block tells.")
    if workers < 1 or not link > 0 or latency < 0:
        raise ParameterError(f"{who}: workers and link must be above 0, latency not below it.")
    n = n_blocks(parts.n_rows if rows is None else rows)
    tried: MergeableClassifier = clone(model)
    tasks = len(aligned_runs(n, workers))
    down = up = 0
    seconds, most, passes = 0.0, 0, 0
    with whole_or_not_at_all(tried):
        model_rows = learn_rows(tried, parts, f"{type(model).__name__}.fit")
        for task, shared, _ in rounds_of_sums(tried, model_rows):
            started = time.thread_time()
            result = task(shared, range(1))
            seconds += time.thread_time() - started
            size, body = len(packed(result)), len(packed(shared))
            message = len(packed((0, task, "/tmp/margin-shared-00000000/0", range(1))))
            down += body * min(workers, tasks) + message * tasks
            up += tasks * len(packed(("done", 0, result)))
            most, passes = max(most, size), passes + 1
    counted = min(ROWS, parts.n_rows)
    work = seconds * (n * ROWS if rows is None else rows) / counted / min(workers, tasks)
    network = 8 * (down + up) / link + 2 * latency * passes
    memory = int(4 * 8 * ROWS * len(parts.readings) + 4 * most)
    return Cost(
        passes,
        tasks * passes,
        down,
        up,
        work,
        network,
        memory,
        _most_workers(work * min(workers, tasks), network, workers),
    )


def _most_workers(work: float, network: float, workers: int) -> int:
    """Where the work of one is as long as the network takes: both bytes down and up grow with the workers."""
    per_worker = network / workers
    return max(1, int(np.sqrt(work / per_worker))) if per_worker > 0 else np.iinfo(np.int64).max
