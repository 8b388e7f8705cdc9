"""Workers are killed and stopped at random while models of all families are fitted on parts; every model must have the
bytes of the one that was fitted in peace. ``make chaos`` runs all of it; an argument is how many signals are sent.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.base import clone

import margin
from margin import distributed, persistence
from margin.distributed.engines.processes import ProcessEngine
from tests.distributed.made import cut, mixed_frame

__all__ = ["main"]

MODELS = [
    margin.NaiveBayes(), margin.LinearDiscriminantAnalysis(), margin.QuadraticDiscriminantAnalysis(),
    margin.DiagonalLinearDiscriminantAnalysis(), margin.LogisticRegression(max_iter=20), margin.NearestCentroid(),
    margin.LinearSGD(max_iter=1, random_state=1), margin.GradientBoostingClassifier(n_estimators=2, random_state=1),
    margin.RandomForestClassifier(n_estimators=2, max_depth=4, random_state=1),
]  # fmt: skip
STOPS, TWICE = 50 / 350, 0.2


def strike(engine: ProcessEngine, left: list[int], over: threading.Event) -> None:
    """Send signals at random moments, sometimes to two workers at once."""
    rng = np.random.default_rng(0)
    while left[0] > 0 and not over.is_set():
        time.sleep(float(rng.uniform(0.0, 0.5)))
        there = engine.processes
        for pid in rng.permutation(there)[: 2 if rng.random() < TWICE else 1]:
            try:
                os.kill(int(pid), signal.SIGSTOP if rng.random() < STOPS else signal.SIGKILL)
                left[0] -= 1
            except ProcessLookupError:
                pass  # it was replaced meanwhile


def main(signals: int = 350, rows: int = 400_000) -> int:
    """How many models came out otherwise."""
    warnings.simplefilter("ignore")
    wrong = fits = 0
    with tempfile.TemporaryDirectory() as folder:
        parts = margin.scan(cut(mixed_frame(rows), Path(folder) / "parts", 5), target="y")
        peace = [persistence.to_bytes(clone(model).fit(parts)) for model in MODELS]
        engine, left, over = ProcessEngine(workers=2, patience=3.0, tries=1000), [signals], threading.Event()
        thread = threading.Thread(target=strike, args=(engine, left, over))
        thread.start()
        try:
            with distributed.use(engine):
                while left[0] > 0:
                    for model, expected in zip(MODELS, peace):
                        wrong += persistence.to_bytes(clone(model).fit(parts)) != expected
                        fits += 1
        finally:
            over.set()
            thread.join()
            engine.close()
    print(f"{signals - left[0]} signals, {engine.counted.deaths} workers lost, {fits} fits, {wrong} with other bytes")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
