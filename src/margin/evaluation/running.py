"""Folds and other tasks one after the other or several at once, in order, with a thread budget that fits."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable
from functools import partial
from typing import TypeVar

from margin.evaluation.fold import Outcome, Part, Work, run_fold
from margin.parallel import n_threads, threads

Result = TypeVar("Result")

__all__ = ["run_folds", "side_by_side"]


def run_folds(work: Work, parts: Iterable[Part], of: int, n_jobs: int, workers: str) -> Generator[Outcome]:
    """The outcomes in order, as they come; closing the iterator calls off what has not begun.

    Parts are made as they are needed: all those of leave-one-out at once would fill the memory.
    """
    tasks = (partial(run_fold, work, number, of, part) for number, part in enumerate(parts, 1))
    return side_by_side(tasks, of, n_jobs, workers)


def side_by_side(
    tasks: Iterable[Callable[[], Result]], n_tasks: int, n_jobs: int | None, workers: str = "threads"
) -> Generator[Result]:
    """What tasks give, in their order, so many of them at once; closing the iterator calls off what has not begun.

    Threads by default, since margin's own kernels, like NumPy's, leave the interpreter free.

    >>> list(side_by_side([lambda: 1, lambda: 2, lambda: 3], 3, n_jobs=2))
    [1, 2, 3]
    """
    at_once = min(n_threads(n_jobs), n_tasks)
    if at_once <= 1:
        for task in tasks:
            yield task()
        return
    import joblib

    share = max(1, n_threads() // at_once)
    backend = "threading" if workers == "threads" else "loky"
    parallel = joblib.Parallel(n_jobs=at_once, backend=backend, return_as="generator", pre_dispatch="n_jobs")
    running = parallel(joblib.delayed(_within)(share, task) for task in tasks)
    try:
        for result in running:  # noqa: UP028 - "yield from" would close it outside of what follows
            yield result
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # joblib's advice on tasks that were called off
            running.close()


def _within(share: int, task: Callable[[], Result]) -> Result:
    """A task with its share of the threads: side by side, each with all of them, they would only get in the way."""
    with threads(share):
        return task()
