"""The ways of measuring: a model's fit and predict, a function's call, a module's import."""

from __future__ import annotations

import gc
import itertools
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.harness import memory
from benchmarks.harness.workload import Arrays, Column, Measure, Side, Workload

__all__ = ["call", "fit_and_predict", "fit_predict_and", "import_time", "reading"]

WARM_UP_ROWS = 2000
ONE_ROW_CALLS = 200


def shortest(function: Callable[[], Any], spend: float = 0.1, most: int = 200) -> tuple[float, Any]:
    """The shortest of several calls, and what the last gave.

    Calls that take ``spend`` seconds run once; shorter ones are repeated for that long, because a
    single call of a millisecond measures the machine's mood.
    """
    best, spent, value = float("inf"), 0.0, None
    for _ in range(most):
        value = None  # let go of the last result first, or two of them would stand in memory
        begin = time.perf_counter()
        value = function()
        took = time.perf_counter() - begin
        best, spent = min(best, took), spent + took
        if spent >= spend:
            break
    return best, value


def _watched(function: Callable[[], Any], floor: int) -> tuple[float, int | None, Any]:
    """Time, peak bytes above ``floor``, result."""
    gc.collect()
    can_tell = memory.reset_peak()
    seconds, value = shortest(function)
    return seconds, max(0, memory.peak() - floor) if can_tell else None, value


def _one_row(model: Any, rows: Any) -> float:
    """The quickest answer to a single row, rows changing so that no answer can be remembered."""
    picked = itertools.cycle([rows[i : i + 1] for i in range(min(50, rows.shape[0]))])
    model.predict(next(picked))
    best = float("inf")
    stop = time.perf_counter() + 2.0  # enough for slow sides, which need no 200 calls to be seen as slow
    for _ in range(ONE_ROW_CALLS):
        row = next(picked)
        begin = time.perf_counter()
        model.predict(row)
        end = time.perf_counter()
        best = min(best, end - begin)
        if end > stop:
            break
    return best


def _prepared(side: Side, arrays: Arrays) -> Arrays:
    return side.prepare(dict(arrays)) if side.prepare else arrays


def _start_model(
    side: Side, workload: Workload, arrays: Arrays, beside: Callable[[Any, Arrays], dict[str, float]] = lambda m, a: {}
) -> Callable[[], dict[str, float]]:
    # Warm up on a few rows: the library is imported and its threads are up, but no memory pool is grown
    # to the size of the real work, which would hide that work's own peak.
    few = _prepared(side, {name: array[:WARM_UP_ROWS] for name, array in arrays.items()})
    model = side.make()
    model.fit(few["X"], few["y"])
    model.predict(few["X_test"])
    _one_row(model, few["X_test"])
    del few, model
    data = _prepared(side, arrays)
    if side.prepare:
        arrays.clear()
    gc.collect()
    floor = memory.resident()

    def repeat() -> dict[str, float]:
        def fit() -> Any:
            model = side.make()
            model.fit(data["X"], data["y"])
            return model

        fit_seconds, fit_bytes, model = _watched(fit, floor)
        predict_seconds, predict_bytes, answers = _watched(lambda: model.predict(data["X_test"]), floor)
        figures = {
            "fit": fit_seconds,
            "predict": predict_seconds,
            "one_row": _one_row(model, data["X_test"]),
            "fit_memory": fit_bytes,
            "predict_memory": predict_bytes,
            "quality": workload.quality(data["y_test"], answers),
            **beside(model, data),
        }
        return {name: figure for name, figure in figures.items() if figure is not None}

    return repeat


#: A model: ``make()`` gives an object with ``fit(X, y)`` and ``predict(X)``. Peaks are above the data, model included.
fit_and_predict = Measure(
    (
        Column("fit", "fit"),
        Column("predict", "predict"),
        Column("one_row", "one row"),
        Column("fit_memory", "fit peak", "bytes"),
        Column("predict_memory", "predict peak", "bytes"),
        Column("quality", "quality", "score"),
    ),
    _start_model,
)


def fit_predict_and(column: Column, figure: Callable[[Any, Arrays], float]) -> Measure:
    """The same with one more figure of each fitted model, found untimed from the model and the arrays."""

    def start(side: Side, workload: Workload, arrays: Arrays) -> Callable[[], dict[str, float]]:
        return _start_model(side, workload, arrays, lambda model, data: {column.key: float(figure(model, data))})

    return Measure((*fit_and_predict.columns, column), start)


def _start_call(side: Side, workload: Workload, arrays: Arrays) -> Callable[[], dict[str, float]]:
    function = side.make()
    function(_prepared(side, {name: array[:WARM_UP_ROWS] for name, array in arrays.items()}))
    data = _prepared(side, arrays)
    gc.collect()
    floor = memory.resident()

    def repeat() -> dict[str, float]:
        seconds, peak, value = _watched(lambda: function(data), floor)
        return {"call": seconds, **({} if peak is None else {"memory": peak}), "quality": float(value)}

    return repeat


#: A function: ``make()`` gives one that takes the arrays and gives a number, shown so that sides can be seen to agree.
call = Measure(
    (Column("call", "call"), Column("memory", "peak", "bytes"), Column("quality", "value", "score")), _start_call
)


def _start_reading(side: Side, workload: Workload, arrays: Arrays) -> Callable[[], dict[str, float]]:
    timed = _start_call(side, workload, arrays)
    size = sum(array.nbytes for array in arrays.values())

    def repeat() -> dict[str, float]:
        figures = timed()
        return {**figures, "rate": size / figures["call"] / 1e9}

    return repeat


#: A function that reads the arrays once: the same, and how many of their bytes went by in a second.
reading = Measure((*call.columns, Column("rate", "GB/s", "score", keep="most")), _start_reading)


def _fresh_interpreter(statement: str) -> tuple[float, int]:
    """Seconds and peak bytes of a new Python that runs one statement."""
    code = f"{statement}\nprint(open('/proc/self/status').read())"
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ)
    seconds = time.perf_counter() - begin
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return seconds, memory.read("VmHWM", done.stdout)


def _start_import(side: Side, workload: Workload, arrays: Arrays) -> Callable[[], dict[str, float]]:
    bare: list[tuple[float, int]] = []
    loaded: list[tuple[float, int]] = []
    _fresh_interpreter(f"import {side.library}")  # fills the file cache

    def repeat() -> dict[str, float]:
        for _ in range(2):
            bare.append(_fresh_interpreter("pass"))
            loaded.append(_fresh_interpreter(f"import {side.library}"))
        # The minimum of each over all repeats so far, then the difference: a minimum of differences would
        # pick the repeat in which the bare start was slow.
        (bare_seconds, bare_bytes), (seconds, peak) = (map(min, zip(*runs)) for runs in (bare, loaded))
        return {"import": max(0.0, seconds - bare_seconds), "memory": max(0, peak - bare_bytes)}

    return repeat


#: An import: wall time and peak memory of a fresh interpreter that imports the side's library, less a bare one's.
import_time = Measure(
    (Column("import", "import", keep="last"), Column("memory", "peak", "bytes", keep="last")), _start_import
)
