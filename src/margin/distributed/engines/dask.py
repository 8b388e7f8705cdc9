"""Tasks on a Dask cluster that somebody has: futures alone, each of which the cluster can work out again.

Nothing is scattered: what tasks share is the result of a task too, so that a lost worker takes nothing with it.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterator, Sequence
from typing import Any

from margin import parallel
from margin.distributed.engines.engine import Counted, Task
from margin.distributed.engines.frames import packed
from margin.distributed.engines.worker import versions
from margin.errors import WorkerError
from margin.lazy import package_of_extra

__all__ = ["DaskEngine"]

_LOOK = 0.5


class DaskEngine:
    """Tasks as futures of a ``dask.distributed.Client``, which stays open.

    A round in which nothing is finished for ``patience`` seconds is an error; a task whose workers die is tried again
    by the cluster, ``tries`` times (its setting ``distributed.scheduler.allowed-failures``).
    """

    name = "dask"

    def __init__(self, client: Any, patience: float = 300.0) -> None:
        package_of_extra("distributed", "DaskEngine", "dask")
        self.client, self.patience = client, patience
        self.counted = Counted()
        theirs = self._workers()
        if not theirs:
            raise WorkerError("distributed(engine=Client): the cluster has no workers (wait for some to join).")
        mine = versions()
        for address, found in client.run(versions).items():
            if found != mine:
                raise WorkerError(
                    f"distributed(engine=Client): worker {address} has margin {found[0]} on Python {found[1]} with "
                    f"{found[2]}, and the caller margin {mine[0]} on Python {mine[1]} with {mine[2]}; they must be the "
                    "same (MARGIN_SIMD chooses the instruction set)."
                )
        self.workers = sum(each["nthreads"] for each in theirs.values())

    def _workers(self) -> dict[str, Any]:
        return dict(self.client.nthreads() and {a: {"nthreads": n} for a, n in self.client.nthreads().items()})

    def map(self, task: Task, shared: Any, items: Sequence[Any], what: str) -> Iterator[tuple[int, Any]]:
        """Each item with its result, as they come; whoever stops listening cancels the rest on the cluster."""
        self.counted.rounds.append(what)
        body = packed(shared)
        common = self.client.submit(pickle.loads, body, pure=False, key=f"margin-shared-{time.time_ns()}")
        left = {
            self.client.submit(_within_one_thread, task, common, item, pure=False): n for n, item in enumerate(items)
        }
        self.counted.down += len(body) * min(len(items), max(len(self._workers()), 1))
        last = time.monotonic()
        try:
            while left:
                ready = [future for future in left if future.done()]
                if not ready:
                    self._check(last, len(left), what)
                    time.sleep(min(_LOOK, 0.01 + 0.1 * (time.monotonic() - last)))
                for future in ready:
                    number, last = left.pop(future), time.monotonic()
                    result = self._result(future, number, what)
                    self.counted.tasks += 1
                    self.counted.up += len(packed(result))
                    yield number, result
        finally:
            if self.client.status == "running":
                self.client.cancel([*left, common])

    def _check(self, last: float, n: int, what: str) -> None:
        if self.client.status != "running":
            raise WorkerError(f"{what}: the client was closed while {n} tasks were to be done.")
        if time.monotonic() - last > self.patience:
            workers = ", ".join(self._workers()) or "none"
            raise WorkerError(
                f"{what}: nothing was finished in {self.patience:g} s, and {n} tasks are left; workers are {workers} "
                "(patience= waits longer)."
            )

    def _result(self, future: Any, number: int, what: str) -> Any:
        try:
            return future.result()
        except Exception as error:
            if type(error).__module__.startswith(("distributed", "asyncio", "concurrent")):
                raise WorkerError(
                    f"{what}: task {number} was lost on the cluster ({type(error).__name__}: {error})."
                ) from error
            raise

    def close(self) -> None:
        """The client is the caller's, and stays open."""


def _within_one_thread(task: Task, shared: Any, item: Any) -> Any:
    """A worker's threads have a task each, and so kernels have one."""
    with parallel.threads(1):
        return task(shared, item)
