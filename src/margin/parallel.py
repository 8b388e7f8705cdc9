"""How many threads a call may use, and tasks side by side that share them."""

from __future__ import annotations

import contextvars
import operator
import os
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import SupportsIndex, TypeVar

from margin.errors import ParameterError

__all__ = ["n_threads", "side_by_side", "threads"]

Result = TypeVar("Result")

_chosen: contextvars.ContextVar[int | None] = contextvars.ContextVar("margin.parallel.threads", default=None)


def n_threads(n_jobs: SupportsIndex | None = None) -> int:
    """The number of threads that an estimator's ``n_jobs`` stands for.

    ``None`` and -1 are all the threads that the process may use, -2 all but one, and so on (at least one);
    a positive number is taken as it is. The process may use what :func:`threads` said, else the least of the
    environment variable ``MARGIN_NUM_THREADS``, the CPUs it is bound to and the CPU quota of its container.
    A worker process of joblib takes its share of the machine, so that workers do not fight over the cores.

    >>> n_threads(4)
    4
    >>> with threads(3):
    ...     n_threads(None), n_threads(-2), n_threads(-9)
    (3, 2, 1)
    """
    if n_jobs is None:
        return _allowed()
    count = _integer("n_threads", "n_jobs", n_jobs)
    if count == 0:
        raise ParameterError(
            "n_threads(n_jobs=0): n_jobs must not be 0 (None or -1 for all cores, 1 for a single thread)."
        )
    return count if count > 0 else max(1, _allowed() + 1 + count)


@contextmanager
def threads(n: SupportsIndex) -> Iterator[None]:
    """Let margin use at most ``n`` threads inside a ``with`` block, wherever no ``n_jobs`` is given.

    Holds for this thread (or asynchronous task) only: others go on as before.

    >>> with threads(1):
    ...     n_threads()
    1
    """
    count = _integer("threads", "n", n)
    if count < 1:
        raise ParameterError(f"threads(n={count}): n must be an integer above 0.")
    before = _chosen.set(count)
    try:
        yield
    finally:
        _chosen.reset(before)


def _integer(who: str, what: str, value: SupportsIndex) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise ParameterError(f"{who}({what}={value!r}): {what} must be an integer.") from None


def _allowed() -> int:
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    import margin._core as _core

    try:
        everything: int = _core.core.threads()
    except ValueError as error:
        raise ParameterError(f"margin: {error}.") from None
    return min(everything, _share_of_joblib_worker() or everything)


def _share_of_joblib_worker() -> int | None:
    """The threads that joblib grants this process, if it is one of joblib's worker processes.

    Joblib tells its workers by way of OpenMP's variable (cores divided by workers, or ``inner_max_num_threads``).
    Outside of such a worker that variable is about OpenMP, which margin does not use.
    """
    import multiprocessing

    if type(multiprocessing.current_process()).__name__ != "LokyProcess":
        return None
    share = os.environ.get("OMP_NUM_THREADS", "")
    return int(share) if share.isdecimal() and int(share) > 0 else None


def side_by_side(
    tasks: Iterable[Callable[[], Result]], n_tasks: int, n_jobs: int | None, workers: str = "threads"
) -> Generator[Result]:
    """What tasks give, in their order, so many of them at once; closing the iterator calls off what has not begun.

    Threads by default, since margin's own kernels, like NumPy's, leave the interpreter free. Where several tasks
    fail, the error is that of the first in their order, not that of the one that happened to fail first.

    >>> list(side_by_side([lambda: 1, lambda: 2, lambda: 3], 3, n_jobs=2))
    [1, 2, 3]
    """
    at_once = min(n_threads(n_jobs), n_tasks)
    if at_once <= 1:
        for task in tasks:
            yield task()
        return
    share = max(1, n_threads() // at_once)
    yield from (_in_threads if workers == "threads" else _in_processes)(tasks, at_once, share)


def _in_threads(tasks: Iterable[Callable[[], Result]], at_once: int, share: int) -> Generator[Result]:
    """A pool of its own: joblib looks for finished tasks a hundred times a second, which is long beside small fits."""
    from concurrent.futures import Future, ThreadPoolExecutor

    ahead, running = iter(tasks), deque[Future[Result]]()
    pool = ThreadPoolExecutor(at_once)
    try:
        # Twice as many as run at once are handed over, so that nobody waits for a slow first one.
        while True:
            for task in islice(ahead, 2 * at_once - len(running)):
                running.append(pool.submit(_within, share, task))
            if not running:
                return
            yield running.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _in_processes(tasks: Iterable[Callable[[], Result]], at_once: int, share: int) -> Generator[Result]:
    import joblib

    parallel = joblib.Parallel(n_jobs=at_once, backend="loky", return_as="generator", pre_dispatch="n_jobs")
    running = parallel(joblib.delayed(_told)(share, task) for task in tasks)
    try:
        for result in running:
            if isinstance(result, _Failed):
                raise result.error
            yield result
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # joblib's advice on tasks that were called off
            running.close()


def _within(share: int, task: Callable[[], Result]) -> Result:
    """A task with its share of the threads: side by side, each with all of them, they would only get in the way."""
    with threads(share):
        return task()


def _told(share: int, task: Callable[[], Result]) -> Result | _Failed:
    """The same, and an error as a result: of several that fail, joblib would raise the first to come back."""
    try:
        return _within(share, task)
    except Exception as error:
        return _Failed(error)


class _Failed:
    """The error of a task, kept until its turn."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __reduce__(self) -> tuple[Callable[[Exception, str], _Failed], tuple[Exception, str]]:
        return _from_afar, (self.error, "".join(traceback.format_exception(self.error)))


def _from_afar(error: Exception, told: str) -> _Failed:
    """An error of another process, which leaves its traceback behind there: told as what caused it."""
    error.__cause__ = RuntimeError(f"in a worker process:\n{told}")
    return _Failed(error)
