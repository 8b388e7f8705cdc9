"""A cluster that is not there: the real tasks, one after another, with a clock of its own.

What comes out is what every engine gives, to the last bit; how long it would have taken is worked out from how long
each task takes here, what travels, and what goes wrong.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.distributed.engines.engine import Counted, Task
from margin.distributed.engines.frames import packed
from margin.errors import ParameterError

__all__ = ["SimulatedEngine", "Span"]


@dataclass(frozen=True)
class Span:
    """One try of one task: where it ran, from when to when on the simulated clock, and whether it was lost."""

    what: str
    task: int
    worker: int
    begin: float
    end: float
    lost: bool = False


class SimulatedEngine:
    """So many workers with one link to the caller each, and one link of the caller's that all share.

    Parameters
    ----------
    workers
        How many.
    latency, bandwidth
        Seconds until a message arrives, and bytes a second of every link.
    stragglers, slowness
        Which share of the tasks takes how many times as long.
    failures
        Which share of the tries ends with the worker; its task runs again on another.
    seconds
        How long each task takes; unless said, as long as it takes here.
    random_state
        Which tasks are slow or lost.

    Examples
    --------
    >>> engine = SimulatedEngine(workers=2, latency=0, bandwidth=float("inf"), seconds=1.0)
    >>> sorted(engine.map(pow, 2, [1, 2, 3], "an example"))
    [(0, 2), (1, 4), (2, 8)]
    >>> engine.clock
    2.0
    """

    name = "simulated"

    def __init__(
        self, workers: int = 1000, latency: float = 1e-3, bandwidth: float = 1.25e9, stragglers: float = 0.0,
        slowness: float = 10.0, failures: float = 0.0, seconds: float | None = None, random_state: int = 0,
    ) -> None:  # fmt: skip
        if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
            raise ParameterError(f"SimulatedEngine(workers={workers!r}): workers must be a whole number above 0.")
        if not 0 <= failures < 1:
            raise ParameterError(f"SimulatedEngine(failures={failures!r}): failures must be a share below 1.")
        self.workers, self.latency, self.bandwidth = workers, latency, bandwidth
        self.stragglers, self.slowness, self.failures, self.seconds = stragglers, slowness, failures, seconds
        self.counted = Counted()
        self.clock = 0.0
        self.spans: list[Span] = []
        self._random = np.random.Generator(np.random.Philox(random_state))

    def map(self, task: Task, shared: Any, items: Sequence[Any], what: str) -> Iterator[tuple[int, Any]]:
        """Each item with its result, in order; the clock stands where all of them are back with the caller."""
        self.counted.rounds.append(what)
        body, used = len(packed(shared)), min(self.workers, len(items))
        begin = self.clock + self.latency + body * used / self.bandwidth  # the caller's link is the narrow one
        self.counted.down += body * used
        free = [(begin, worker) for worker in range(used)]
        ends, up = [begin], 0
        for number, item in enumerate(items):
            started = time.perf_counter()
            result = task(shared, item)
            took = time.perf_counter() - started if self.seconds is None else self.seconds
            size = len(packed(result))
            ends.append(self._run(what, number, took, free))
            up += size
            self.counted.tasks += 1
            yield number, result
        self.counted.up += up
        self.clock = max(max(ends), begin + up / self.bandwidth) + self.latency

    def _run(self, what: str, number: int, took: float, free: list[tuple[float, int]]) -> float:
        """When a task is done, whatever goes wrong until then."""
        while True:
            begin, worker = heapq.heappop(free)
            slow = self.slowness if self._random.random() < self.stragglers else 1.0
            lost = self._random.random() < self.failures
            end = begin + took * slow * (self._random.random() if lost else 1.0)
            self.spans.append(Span(what, number, worker, begin, end, lost))
            heapq.heappush(free, (end, worker))  # one that died is replaced
            if not lost:
                return end
            self.counted.deaths += 1

    def close(self) -> None:
        """Nothing has to be let go."""
