"""How many files of margin a reader opens to follow one call: those whose functions the call runs.

``python tests/journeys.py`` lists them, in the order of their first call.
"""

from __future__ import annotations

import contextlib
import io
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import margin
from margin.data import catalog

__all__ = ["JOURNEYS", "files_of"]

HOME = str(Path(margin.__file__).parent) + "/"

#: What is called, and the function at which the journey ends, if not with the call.
Journey = tuple[Callable[[], Any], str | None]


class _Arrived(BaseException):
    """The end of a journey that goes no further."""


def files_called(call: Callable[[], Any], until: str | None = None) -> list[str]:
    """The files below ``src/margin`` whose functions a call runs, on whatever thread.

    What runs while a module is imported is no step of the journey. ``until`` names a function (file:name) at which it
    ends.
    """
    found: dict[str, None] = {}
    importing = threading.local()

    def watch(frame: Any, event: str, _: Any) -> None:
        code = frame.f_code
        if code.co_name == "<module>":
            importing.depth = getattr(importing, "depth", 0) + {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and code.co_filename.startswith(HOME) and not getattr(importing, "depth", 0):
            if code.co_name.startswith("<"):
                return
            file = code.co_filename[len(HOME) :]
            found.setdefault(file)
            if f"{file}:{code.co_name}" == until:
                raise _Arrived

    before = sys.getprofile()
    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        with contextlib.suppress(_Arrived):
            call()
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
    return list(found)


def _fit_logistic_regression() -> Journey:
    X, y = catalog.load("credit").target("risk")
    return lambda: margin.LogisticRegression().fit(X, y), None


def _fit_tree() -> Journey:
    X, y = catalog.load("credit").target("risk")
    return lambda: margin.DecisionTreeClassifier().fit(X, y), None


def _ask_neighbours() -> Journey:
    X, y = np.random.default_rng(0).normal(size=(200, 4)), np.arange(200) % 2
    model = margin.KNeighborsClassifier().fit(X, y)
    return lambda: model.predict(X[:1]), None


def _evaluate() -> Journey:
    """A model from elsewhere, so that the files are those of the evaluation."""
    from sklearn.dummy import DummyClassifier

    X, y = np.random.default_rng(0).normal(size=(100, 2)), np.arange(100) % 2
    return lambda: margin.evaluate(DummyClassifier(), X, y, "10x10"), None


def _compare() -> Journey:
    """From the command line to the first fit."""
    from margin.cli.app import cli

    table = Path(HOME, "data", "bundled", "iris.arff")
    return lambda: cli.main(["compare", str(table), "--target", "class", "--quiet"]), "base/estimator.py:fit"


#: What is done → the files of margin that take part.
JOURNEYS: dict[str, Callable[[], Journey]] = {
    "LogisticRegression().fit(mixed table)": _fit_logistic_regression,
    "DecisionTreeClassifier().fit(mixed table)": _fit_tree,
    "KNeighborsClassifier.predict(one row)": _ask_neighbours,
    "evaluate(model, X, y, '10x10')": _evaluate,
    "margin compare, before any model": _compare,
}


def files_of(journey: str) -> list[str]:
    """The files of one of the journeys, the second time it is made: the first loads what is loaded once."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        files_called(*JOURNEYS[journey]())
        return files_called(*JOURNEYS[journey]())


if __name__ == "__main__":
    for name in JOURNEYS:
        files = files_of(name)
        print(f"{name}: {len(files)}", *files, sep="\n    ")
