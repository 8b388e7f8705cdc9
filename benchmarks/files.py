"""Model files: saving, loading, mapping and checking them, beside joblib (no checks, no sync) and skops.

joblib keeps margin's own state there (the dictionary of its attributes), so that both sides move the same arrays; skops
keeps scikit-learn's model of the same data, because it knows no other. margin's files are synced before they get their
name, which joblib's and skops' are not: that time stands apart. The page cache is warm on every side.
"""

from __future__ import annotations

import abc
import gc
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Arrays, Column, Measure, Side, Workload, memory
from benchmarks.harness.measures import shortest

__all__ = ["WORKLOADS"]


def table(n: int, d: int) -> Arrays:
    """Columns of numbers."""
    return {"X": np.random.default_rng(0).random((d, n))}


def neighbors(n: int, d: int) -> Arrays:
    """Rows to be kept as they are."""
    rng = np.random.default_rng(0)
    return {"X": rng.random((n, d)), "y": rng.integers(0, 2, n)}


def noise(n: int, d: int) -> Arrays:
    """Labels that no column explains: a tree grows a leaf for every few rows."""
    rng = np.random.default_rng(0)
    return {"X": rng.random((n, d)), "y": rng.integers(0, 2, n)}


def classes(n: int, d: int) -> Arrays:
    """Two classes of numbers, half of the columns telling."""
    from sklearn.datasets import make_classification

    X, y = make_classification(n, d, n_informative=d // 2, n_redundant=0, random_state=0)
    return {"X": X, "y": y}


def levels(n: int, d: int, n_levels: int) -> Arrays:
    """Columns of a few levels each, as applications for credit have them."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    return {"X": (rng.integers(0, n_levels, (n, d)) + y[:, None]) % n_levels, "y": y}


class Keeper(abc.ABC):
    """One way of keeping a model: ``model`` is fitted once, ``save`` and ``load`` are measured."""

    def __init__(self, model: Any) -> None:
        self.model = model

    @abc.abstractmethod
    def save(self, path: Path) -> None:
        """Write the model to a file."""

    @abc.abstractmethod
    def load(self, path: Path) -> Any:
        """What ``save`` wrote."""


class Ours(Keeper):
    """margin.persistence."""

    def save(self, path: Path) -> None:
        from margin.persistence import save

        save(self.model, path)

    def load(self, path: Path) -> Any:
        from margin.persistence import load

        return load(path)

    def map(self, path: Path) -> Any:
        from margin.persistence import load

        return load(path, mmap=True)

    def verify(self, path: Path) -> None:
        from margin.persistence import verify

        verify(path)


class Joblib(Keeper):
    """joblib, without compression, of everything that margin's model holds."""

    def save(self, path: Path) -> None:
        import joblib

        joblib.dump(_plain(self.model), path)

    def load(self, path: Path) -> Any:
        import joblib

        return joblib.load(path)


class Skops(Keeper):
    """skops, without compression, trusting what scikit-learn's models need."""

    def save(self, path: Path) -> None:
        import skops.io

        skops.io.dump(self.model, path)

    def load(self, path: Path) -> Any:
        import skops.io

        return skops.io.load(path, trusted=skops.io.get_untrusted_types(file=path))


def _plain(value: Any) -> Any:
    """What a model holds, as dictionaries: pickles of margin's models are model files inside, which is no peer."""
    if type(value).__module__.split(".")[0] != "margin":
        return value
    found = dict(getattr(value, "__dict__", {}))
    for cls in type(value).__mro__:
        found |= {name: getattr(value, name) for name in getattr(cls, "__slots__", ()) if hasattr(value, name)}
    return {name: _plain(inner) for name, inner in found.items()}


def _start(side: Side, workload: Workload, arrays: Arrays) -> Callable[[], dict[str, float]]:
    keeper = side.make()(arrays)
    arrays.clear()
    folder = tempfile.TemporaryDirectory(prefix="margin-files-")
    path = Path(folder.name) / "model"
    keeper.save(path)
    keeper.load(path)

    def repeat(kept: Any = folder) -> dict[str, float]:  # the folder goes when this function does
        figures = dict(zip(("save", "sync"), _saved(lambda: keeper.save(path))))
        gc.collect()
        figures["load"], figures["memory"] = _loaded(keeper.load, path, "VmHWM")
        figures["size"] = path.stat().st_size / 1e3
        if isinstance(keeper, Ours):
            figures["map"], figures["map_memory"] = _loaded(keeper.map, path, "RssAnon")
            figures["rate"] = path.stat().st_size / shortest(lambda: keeper.verify(path))[0] / 1e9
        return figures

    return repeat


def _saved(save: Callable[[], Any]) -> tuple[float, float]:
    """Seconds of the shortest of several saves, and how many of them went into syncing."""
    real, spent = os.fsync, [0.0]

    def fsync(descriptor: int) -> None:
        begin = time.perf_counter()
        real(descriptor)
        spent[-1] += time.perf_counter() - begin

    def once() -> tuple[float, float]:
        spent.append(0.0)
        return shortest(save, spend=0.0)[0], spent[-1]

    os.fsync = fsync
    try:
        found = [once()]
        while sum(seconds for seconds, _ in found) < 0.2:
            found.append(once())
    finally:
        os.fsync = real
    return min(found)


def _loaded(load: Callable[[Path], Any], path: Path, field: str) -> tuple[float, int]:
    """The shortest of several loads, and what one more held: at most (VmHWM), or of its own (RssAnon)."""
    seconds, model = shortest(lambda: load(path))
    del model
    gc.collect()
    memory.reset_peak()
    before = memory.read("VmRSS" if field == "VmHWM" else field, Path("/proc/self/status").read_text())
    model = load(path)
    after = memory.read(field, Path("/proc/self/status").read_text())
    del model
    return seconds, max(0, after - before)


#: Saving and loading; of margin's files also mapping, what mapping takes of the process's own memory, and verifying.
keeping = Measure(
    (
        Column("save", "save"),
        Column("sync", "of it sync", "objective", keep="least"),
        Column("load", "load"),
        Column("memory", "load peak", "bytes"),
        Column("map", "map"),
        Column("map_memory", "map own", "bytes"),
        Column("rate", "verify GB/s", "score", keep="most"),
        Column("size", "kB", "objective"),
    ),
    _start,
)


def of_margin(keeper: type[Keeper], name: str, parameters: dict[str, Any], arrays: Arrays) -> Keeper:
    """A model of margin, fitted; a table is only made."""
    import margin
    from margin.data import Column, Schema, Table

    X = arrays["X"]
    if name == "Table":
        return keeper(Table(Schema(Column(f"c{j}", "numeric") for j in range(len(X))), list(X)))
    if X.dtype.kind == "i":
        schema = Schema(Column(f"c{j}", "nominal", tuple(range(X.max() + 1))) for j in range(X.shape[1]))
        X = Table(schema, [np.ascontiguousarray(column, dtype=np.int32) for column in X.T])
    return keeper(getattr(margin, name)(**parameters).fit(X, arrays["y"]))


def of_sklearn(module: str, name: str, parameters: dict[str, Any], arrays: Arrays) -> Keeper:
    """scikit-learn's model, fitted; of a table its arrays."""
    import importlib

    if not module:
        return Skops({f"c{j}": column for j, column in enumerate(arrays["X"])})
    model = getattr(importlib.import_module(f"sklearn.{module}"), name)(**parameters)
    return Skops(model.fit(arrays["X"], arrays["y"]))


def sides(
    name: str, parameters: dict[str, Any], theirs: tuple[str, str, dict[str, Any]] = ("", "", {})
) -> tuple[Side, ...]:
    """margin, joblib with the same arrays, and skops with scikit-learn's model."""
    return (
        Side("margin", "margin", lambda: partial(of_margin, Ours, name, parameters)),
        Side("joblib", "joblib", lambda: partial(of_margin, Joblib, name, parameters)),
        Side("skops", "skops", lambda: partial(of_sklearn, *theirs)),
    )


WORKLOADS = (
    Workload("table", table, sides("Table", {}), keeping, size={"n": 1_000_000, "d": 25}, quick={"n": 20_000}),
    Workload(
        "knn",
        neighbors,
        sides(
            "KNeighborsClassifier",
            {"algorithm": "brute"},
            ("neighbors", "KNeighborsClassifier", {"algorithm": "brute"}),
        ),
        keeping,
        size={"n": 1_000_000, "d": 125},
        quick={"n": 20_000},
    ),
    Workload(
        "tree",
        noise,
        sides("DecisionTreeClassifier", {}, ("tree", "DecisionTreeClassifier", {"random_state": 0})),
        keeping,
        size={"n": 150_000, "d": 8},
        quick={"n": 5_000},
    ),
    Workload(
        "bayes",
        levels,
        sides("NaiveBayes", {}, ("naive_bayes", "CategoricalNB", {})),
        keeping,
        size={"n": 1_000, "d": 20, "n_levels": 5},
    ),
    Workload(
        "logistic",
        classes,
        sides("LogisticRegression", {}, ("linear_model", "LogisticRegression", {"max_iter": 1000})),
        keeping,
        size={"n": 10_000, "d": 50},
        quick={"n": 1_000},
    ),
)
