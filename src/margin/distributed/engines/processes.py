"""Workers of ours on this machine: processes that are fed through pipes, watched, and replaced when they die."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from margin.distributed.engines.engine import Counted, Task
from margin.distributed.engines.frames import packed, receive, send
from margin.distributed.engines.worker import versions
from margin.errors import ParameterError, WorkerError

__all__ = ["ProcessEngine"]

#: What is printed while margin is loaded, or by a task, must not stand among the answers: it goes to standard error.
_CODE = "import os; to = os.dup(1); os.dup2(2, 1); from margin.distributed.engines.worker import main; main(to)"
#: What ``MARGIN_SIMD`` calls the instruction sets that the core names.
_SETS = {"x86-64-v4": "avx512", "x86-64-v3": "avx2"}
_LOOK = 0.1
#: So many seconds a worker may take to load what it needs, on however busy a machine.
_TO_BEGIN = 120.0


class _Worker:
    """One process, the task it has, and when it was heard of last."""

    def __init__(self, number: int, heard: queue.SimpleQueue[tuple[_Worker, Any]]) -> None:
        self.number = number
        environment = {**os.environ, "MARGIN_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
        environment["MARGIN_SIMD"] = _SETS.get(versions()[2], "baseline")
        self.process = subprocess.Popen(
            [sys.executable, "-c", _CODE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
            start_new_session=True,
        )  # fmt: skip
        self.task: int | None = None
        self.ready = False
        self.began = self.last = time.monotonic()
        self.alive = True
        threading.Thread(target=self._hear, args=(heard,), daemon=True).start()
        self.say((list(sys.path), os.getcwd()))

    def _hear(self, heard: queue.SimpleQueue[tuple[_Worker, Any]]) -> None:
        assert self.process.stdout is not None
        try:
            while (message := receive(self.process.stdout)) is not None:
                heard.put((self, message))
        except Exception as error:  # half a message of a worker that was killed over it
            heard.put((self, (("broken", str(error)), 0)))
        self.process.stdout.close()
        heard.put((self, (("gone",), 0)))

    def say(self, message: Any) -> int:
        """Send a message; a worker that is gone will be found out where it is listened to."""
        assert self.process.stdin is not None
        try:
            return send(self.process.stdin, message)
        except OSError:
            return 0

    def kill(self) -> None:
        """End the process, stopped or not, and wait until it is gone."""
        self.alive = False
        self.process.kill()
        self.process.wait()
        with contextlib.suppress(OSError):
            assert self.process.stdin is not None
            self.process.stdin.close()


class ProcessEngine:
    """So many workers, each a process with one thread.

    A worker that dies is replaced, and its task runs again; one that gives no sign of life for ``patience`` seconds is
    ended first. A task that ends its workers ``tries`` times, or takes longer than ``limit`` seconds, is an error.

    >>> from margin import distributed
    >>> with distributed.use("processes", workers=1) as engine:
    ...     sorted(engine.map(pow, 2, [3, 4], "an example"))
    [(0, 8), (1, 16)]
    """

    name = "processes"

    def __init__(self, workers: int = 2, patience: float = 30.0, tries: int = 3, limit: float = 3600.0) -> None:
        if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
            raise ParameterError(f"distributed(workers={workers!r}): workers must be a whole number above 0.")
        if not patience >= 2:
            raise ParameterError(f"distributed(patience={patience!r}): patience must be 2 seconds or more.")
        self.workers, self.patience, self.tries, self.limit = workers, patience, tries, limit
        self.counted = Counted()
        self._heard: queue.SimpleQueue[tuple[_Worker, Any]] = queue.SimpleQueue()
        self._crew: list[_Worker] = []
        self._numbers = 0
        self._folder = tempfile.TemporaryDirectory(prefix="margin-shared-")
        self._rounds = self._unready = 0

    @property
    def processes(self) -> list[int]:
        """The process numbers of the workers that are there now."""
        return [worker.process.pid for worker in self._crew if worker.alive]

    def map(self, task: Task, shared: Any, items: Sequence[Any], what: str) -> Iterator[tuple[int, Any]]:
        """Each item with its result, as they come."""
        self._rounds += 1
        self.counted.rounds.append(what)
        path = Path(self._folder.name) / f"{self._rounds}"
        body = packed(shared)
        path.write_bytes(body)
        waiting, deaths, left = deque(range(len(items))), dict.fromkeys(range(len(items)), 0), len(items)
        used: set[int] = set()
        try:
            while left:
                self._fill(min(self.workers, left))
                for worker in self._crew:
                    if worker.alive and worker.ready and worker.task is None and waiting:
                        worker.task = waiting.popleft()
                        worker.began = worker.last = time.monotonic()
                        self.counted.down += worker.say((worker.task, task, str(path), items[worker.task]))
                        self.counted.down += 0 if worker.number in used else len(body)
                        used.add(worker.number)
                for worker, number, result in self._news():
                    if number is None:
                        self._bury(worker, waiting, deaths, what)
                    else:
                        self.counted.tasks += 1
                        left -= 1
                        yield number, result
                self._watch(waiting, deaths, what)
        finally:
            for worker in [each for each in self._crew if each.task is not None]:
                worker.kill()  # whoever stops listening calls off what is being worked on
            self._crew = [worker for worker in self._crew if worker.alive]
            path.unlink(missing_ok=True)

    def _fill(self, wanted: int) -> None:
        self._crew = [worker for worker in self._crew if worker.alive]
        while len(self._crew) < wanted:
            self._numbers += 1
            self._crew.append(_Worker(self._numbers, self._heard))

    def _news(self) -> Iterator[tuple[_Worker, int | None, Any]]:
        """Results, and workers that are gone (without a number); waits a moment for the first of them."""
        wait: float | None = _LOOK
        while True:
            try:
                worker, (message, n) = self._heard.get(timeout=wait) if wait else self._heard.get_nowait()
            except queue.Empty:
                return
            wait = None
            if not worker.alive:
                continue
            worker.last = time.monotonic()
            if message[0] == "ready":
                self._check_versions(worker, message[1])
            elif message[0] in ("gone", "broken"):
                yield worker, None, None
            elif message[0] in ("done", "failed"):
                self.counted.up += n
                worker.task = None
                if message[0] == "failed":
                    raise message[2] from RuntimeError(f"in a worker process:\n{message[3]}")
                yield worker, message[1], message[2]

    def _check_versions(self, worker: _Worker, theirs: tuple[str, str, str]) -> None:
        mine = versions()
        if theirs != mine:
            self.close()
            raise WorkerError(
                f"distributed(workers={self.workers}): a worker has margin {theirs[0]} on Python {theirs[1]} with "
                f"{theirs[2]}, and the caller margin {mine[0]} on Python {mine[1]} with {mine[2]}; they must be "
                "the same."
            )
        worker.ready, self._unready = True, 0

    def _watch(self, waiting: deque[int], deaths: dict[int, int], what: str) -> None:
        now = time.monotonic()
        for worker in [each for each in self._crew if each.alive]:
            if worker.task is not None and now - worker.began > self.limit:
                raise WorkerError(
                    f"{what}: task {worker.task} of worker {worker.number} has not come to an end in {self.limit:g} s "
                    "(limit= gives it more time, a smaller table less to do)."
                )
            patience = self.patience if worker.ready else max(self.patience, _TO_BEGIN)
            if now - worker.last > patience:  # stopped, or gone in a way that nobody was told of
                worker.process.kill()
                self._bury(worker, waiting, deaths, what)

    def _bury(self, worker: _Worker, waiting: deque[int], deaths: dict[int, int], what: str) -> None:
        worker.kill()
        self.counted.deaths += 1
        if worker.task is None:
            self._unready += not worker.ready
            if self._unready >= 10 * self.tries:
                raise WorkerError(f"{what}: workers end before they begin (exit code {worker.process.returncode}).")
            return
        deaths[worker.task] += 1
        if deaths[worker.task] >= self.tries:
            code = worker.process.returncode
            raise WorkerError(
                f"{what}: task {worker.task} has ended {self.tries} workers, the last one number {worker.number} (exit "
                f"code {code}{', as when memory runs out' if code == -9 else ''}); fewer columns= make blocks smaller, "
                "fewer workers leave each more memory."
            )
        waiting.appendleft(worker.task)

    def close(self) -> None:
        """End all workers."""
        for worker in self._crew:
            worker.kill()
        self._crew = []
        self._folder.cleanup()
