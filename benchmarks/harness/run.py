"""Runs one workload: every side warm, then all of them in turns."""

from __future__ import annotations

import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.harness import arrays
from benchmarks.harness.process import SideFailed, Worker, is_installed
from benchmarks.harness.workload import Side, Workload

__all__ = ["Outcome", "Plan", "Result", "run_workload", "turns"]


@dataclass(frozen=True)
class Plan:
    """How to run: repeats, sizes, and how long a side may take to warm up or to do one repeat.

    ``settle`` is the pause between turns: OpenMP's threads spin for up to 0.2 s after their work is done,
    and would slow the next side's.
    """

    repeats: int = 5
    quick: bool = False
    limit: float = 600.0
    settle: float = 0.3
    peers: tuple[str, ...] | None = None

    def wants(self, side: Side) -> bool:
        """Margin always; a peer if no peers were picked, or if its library or name was."""
        if self.peers is None or side.is_margin:
            return True
        return bool({side.name, side.library, side.library.split(".")[0]} & set(self.peers))


@dataclass
class Outcome:
    """What became of one side: ``state`` is waiting, running, measured, not installed or failed."""

    side: Side
    state: str = "waiting"
    error: str = ""
    traceback: str = ""
    repeats: list[dict[str, float]] = field(default_factory=list)

    def fail(self, failure: SideFailed) -> None:
        self.state, self.error, self.traceback = "failed", str(failure), failure.traceback


@dataclass
class Result:
    """What became of one workload; filled while it runs, so that an interrupted run still has its part."""

    family: str
    workload: Workload
    plan: Plan
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def margin(self) -> Outcome | None:
        """The side that the others are compared with: margin's first, if it was measured."""
        return next((o for o in self.outcomes if o.side.is_margin and o.repeats), None)

    def figure(self, outcome: Outcome, key: str) -> float | None:
        """A side's figure in one column, its repeats put together."""
        column = next(column for column in self.workload.measure.columns if column.key == key)
        values = [repeat[key] for repeat in outcome.repeats if key in repeat]
        return column.combine(values) if values else None

    def to_dict(self) -> dict[str, Any]:
        keys = [column.key for column in self.workload.measure.columns]
        return {
            "family": self.family,
            "workload": self.workload.name,
            "size": self.workload.sizes(self.plan.quick),
            "sides": [
                {
                    "side": outcome.side.name,
                    "library": outcome.side.library,
                    "state": outcome.state,
                    "error": outcome.error,
                    "traceback": outcome.traceback,
                    "figures": {key: self.figure(outcome, key) for key in keys},
                    "repeats": outcome.repeats,
                }
                for outcome in self.outcomes
            ],
        }


def turns(sides: list[Any], repeats: int) -> Iterator[tuple[int, Any]]:
    """Who is next: every side once a repeat, the order turning round, so that no side always follows the same one.

    >>> list(turns(["a", "b"], 2))
    [(1, 'a'), (1, 'b'), (2, 'b'), (2, 'a')]
    """
    for repeat in range(1, repeats + 1):
        yield from ((repeat, side) for side in (sides if repeat % 2 else sides[::-1]))


def run_workload(result: Result, say: Callable[[str], None] = lambda text: None) -> None:
    """Fill ``result``. On Ctrl-C the workers are ended, what was measured stays, and the interrupt goes on."""
    plan, workload = result.plan, result.workload
    result.outcomes = [Outcome(side) for side in workload.sides if plan.wants(side)]
    present = [outcome for outcome in result.outcomes if is_installed(outcome.side.library)]
    for outcome in result.outcomes:
        outcome.state = "waiting" if outcome in present else "not installed"
    if not present:
        return
    with tempfile.TemporaryDirectory(prefix="margin-bench-") as folder, _workers() as workers:
        say("making the data")
        if not _make_data(workload, plan, Path(folder), present):
            return
        for outcome in present:
            say(f"warming up {outcome.side.name}")
            _warm_up(outcome, workers, result, Path(folder))
        running = [outcome for outcome in present if outcome.state == "running"]
        for repeat, outcome in turns(running, plan.repeats):
            if outcome.state == "running":
                say(f"repeat {repeat} of {plan.repeats}: {outcome.side.name}")
                time.sleep(plan.settle)
                _take_turn(outcome, workers[outcome.side.name], plan.limit)
        for outcome in running:
            if outcome.state == "running":
                outcome.state = "measured"


@contextmanager
def _workers() -> Iterator[dict[str, Worker]]:
    workers: dict[str, Worker] = {}
    try:
        yield workers
    finally:
        for worker in workers.values():
            worker.end()


def _make_data(workload: Workload, plan: Plan, folder: Path, present: list[Outcome]) -> bool:
    try:
        arrays.save(workload.make_data(**workload.sizes(plan.quick)), folder)
    except Exception as error:
        for outcome in present:
            outcome.fail(SideFailed(f"no data: {type(error).__name__}: {error}", traceback.format_exc()))
        return False
    return True


def _warm_up(outcome: Outcome, workers: dict[str, Worker], result: Result, folder: Path) -> None:
    name = outcome.side.name
    workers[name] = Worker(result.family, result.workload.name, name, folder)
    try:
        workers[name].warm(result.plan.limit)
        outcome.state = "running"
    except SideFailed as failure:
        workers[name].end()
        outcome.fail(failure)


def _take_turn(outcome: Outcome, worker: Worker, limit: float) -> None:
    try:
        outcome.repeats.append(worker.repeat(limit))
    except SideFailed as failure:
        worker.end()
        outcome.fail(failure)
