"""A family of sides that behave, misbehave and are absent, for trying the harness."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.harness import Side, Workload, call, fit_and_predict, import_time
from benchmarks.harness.workload import Column, Measure


class Majority:
    """The most frequent label, whatever the row; loops as often as told, so that work differs between sides."""

    def __init__(self, loops: int = 1) -> None:
        self.loops = loops

    def fit(self, X, y):
        for _ in range(self.loops):
            labels, counts = np.unique(y, return_counts=True)
        self.answer = labels[counts.argmax()]

    def predict(self, X):
        return np.full(X.shape[0], self.answer)


class FailsAtFullSize(Majority):
    def fit(self, X, y):
        if len(X) > 2000:
            raise ValueError("first line\nthe matrix is too large")
        super().fit(X, y)


class Dies(Majority):
    def fit(self, X, y):
        if len(X) > 2000:
            print("out of luck", file=sys.stderr, flush=True)
            os._exit(3)
        super().fit(X, y)


class Chatters(Majority):
    def fit(self, X, y):
        print('{"figures": {"fit": -1}}', flush=True)
        super().fit(X, y)


class Hangs(Majority):
    def fit(self, X, y):
        time.sleep(60)


def rows(n: int, n_test: int):
    rng = np.random.default_rng(0)
    y = (rng.random(n + n_test) < 0.75).astype(int)
    X = rng.normal(size=(n + n_test, 3))
    return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}


def no_rows():
    raise RuntimeError("the generator is broken")


def doubled(arrays):
    return {**arrays, "X": arrays["X"] * 2}


def log_turns(side, workload, arrays):
    """A measure that writes down whose turn it was."""
    log = Path(str(arrays["log"]))

    def repeat():
        with log.open("a") as file:
            file.write(f"{side.name} {os.getpid()}\n")
        return {"turn": 1.0}

    return repeat


def log_file(log: str):
    return {"log": np.array(log)}


TURN = Measure((Column("turn", "turn"),), log_turns)
STAND_IN = Side("stand-in", "margin", Majority)  # margin itself is installed wherever these tests run
SLOWER = Side("slower", "numpy", lambda: Majority(loops=20), prepare=doubled)
SIZE = {"n": 3000, "n_test": 100}
SIDES = tuple(Side(name, "numpy", Majority) for name in "abc")

WORKLOADS = (
    Workload("good", rows, (STAND_IN, SLOWER), fit_and_predict, SIZE, {"n": 300}),
    Workload(
        "troubled",
        rows,
        (
            STAND_IN,
            Side("absent", "no_such_library", Majority),
            Side("raises", "numpy", FailsAtFullSize),
            Side("dies", "numpy", Dies),
            Side("chatters", "numpy", Chatters),
            SLOWER,
        ),
        fit_and_predict,
        SIZE,
    ),
    Workload("hanging", rows, (STAND_IN, Side("hangs", "numpy", Hangs)), fit_and_predict, {"n": 100, "n_test": 10}),
    Workload("no data", no_rows, (STAND_IN,), fit_and_predict),
    Workload("function", rows, (Side("mean", "numpy", lambda: lambda arrays: arrays["y"].mean()),), call, SIZE),
    Workload("import", dict, (Side("json", "json", dict), Side("margin", "margin", dict)), import_time),
    Workload("in turns", log_file, SIDES, TURN),
)
