"""One small file of every kind of model, with its answers: ``python -m tests.persistence.golden_files VERSION``.

Written before a release and kept for ever; every later version must load them with equal answers.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import margin
from margin.errors import MarginError
from margin.persistence import save
from tests.contract.estimators import FEWER, answers, estimator_classes, frame, numbers

__all__ = ["GOLDEN", "ROWS", "folders"]

GOLDEN = Path(__file__).parent / "golden"
LARGEST = 20_000
ROWS: dict[str, Callable[[], Any]] = {"table": lambda: frame(40)[0][:8], "numbers": lambda: numbers(40, 3)[0][:8]}


def visits(n: int = 60) -> tuple[pd.DataFrame, np.ndarray]:
    """Dates and free texts beside words and numbers."""
    at = np.arange(n)
    told = ["slept badly since monday", "feels well once more"]
    rows = pd.DataFrame(
        {
            "day": pd.Timestamp("2024-02-27") + pd.to_timedelta(5 * at, unit="D"),
            "told": [f"{told[i % 2]} ({i})" for i in at],
            "ward": np.array(["north", "south", "west"], dtype=object)[at % 3],
            "pulse": 60.0 + at % 7,
        }
    )
    return rows, at % 2


ROWS["visits"] = lambda: visits()[0][:8]
#: Settings that keep a file small.
COMMITTEE = [("majority", margin.MajorityClassifier()), ("bayes", margin.NaiveBayes())]
SMALLER: dict[str, dict[str, Any]] = {
    "BaggingClassifier": {"estimator": margin.NaiveBayes(), "n_estimators": 3},
    "BaggingRegressor": {"estimator": margin.DecisionTreeRegressor(max_depth=2), "n_estimators": 3},
    "BrownBoostClassifier": {"n_estimators": 2},
    "LPBoostClassifier": {"n_estimators": 2},
    "RUSBoostClassifier": {"estimator": margin.NaiveBayes(), "n_estimators": 2},
    "Perceptron": {"max_iter": 5},
    "CalibratedClassifier": {"cv": 2},
    "GatedClassifier": {"estimators": COMMITTEE, "cv": 2},
    "StackingClassifier": {"estimators": COMMITTEE, "cv": 2},
    "VotingClassifier": {"estimators": COMMITTEE, "weights": "learnt", "cv": 2},
}
#: Other ways through a family, each with kinds of its own.
FURTHER: tuple[tuple[str, type, dict[str, Any]], ...] = (
    ("KNN-kd_tree", margin.KNeighborsClassifier, {"algorithm": "kd_tree"}),
    ("KNN-ball_tree", margin.KNeighborsClassifier, {"algorithm": "ball_tree", "metric": "canberra"}),
    ("KNN-heom", margin.KNeighborsClassifier, {"metric": "heom"}),
    ("NaiveBayes-kernel", margin.NaiveBayes, {"distributions": {"numeric": "kernel"}}),
    ("NaiveBayes-poisson", margin.NaiveBayes, {"distributions": {"numeric": "poisson"}}),
    ("SVC-probability", margin.SVC, {"kernel": "linear", "probability": "sigmoid"}),
    ("Pegasos-kernel", margin.PegasosClassifier, {"kernel": "rbf", "max_iter": 5, "random_state": 0}),
    ("Reject-target", margin.Reject, {"target_error": 0.3}),
    ("Calibrated-isotonic", margin.CalibratedClassifier, {"method": "isotonic", "cv": 2}),
    ("Calibrated-temperature", margin.CalibratedClassifier, {"method": "temperature", "ensemble": False, "cv": 2}),
    ("Threshold-positive", margin.ThresholdClassifier, {"positive": 0, "threshold": 0.2}),
    ("Tree-pruned", margin.DecisionTreeClassifier, {"prune": "cost_complexity", "n_folds": 3, "random_state": 0}),
    ("Tree-surrogate", margin.DecisionTreeClassifier, {"missing": "surrogate"}),
)
#: Models that read dates, and those that read texts as well, each in its own way.
OF_VISITS: tuple[tuple[str, Any], ...] = (
    ("LogisticRegression", margin.LogisticRegression()),
    ("NaiveBayes", margin.NaiveBayes()),
    ("DecisionTreeClassifier", margin.DecisionTreeClassifier()),
)


def folders() -> list[Path]:
    """One for each format of each release."""
    return sorted(path.parent for path in GOLDEN.glob("*/answers.json"))


def _models() -> Iterator[tuple[str, Any]]:
    named = [(cls.__name__, cls, FEWER.get(cls.__name__, {})) for cls in estimator_classes()]
    for name, cls, settings in (*named, *FURTHER):
        yield name, cls(**{**settings, **SMALLER.get(name, {})})


def write(folder: Path) -> None:
    """Fit, save and ask every model; a table where it takes one, else an array."""
    folder.mkdir(parents=True, exist_ok=True)
    record = {}
    for name, model in _models():
        for data, (X, y) in (("table", frame(40)), ("numbers", numbers(40, 3))):
            try:
                model.fit(X, y)
            except MarginError:
                continue
            path = save(model, folder / f"{name}-{data}.margin", about={"target": "y"})
            assert path.stat().st_size <= LARGEST, f"{path.name} has {path.stat().st_size:,} bytes"
            record[path.name] = {"data": data, "answers": np.asarray(answers(model, ROWS[data]())).tolist()}
            break
    (folder / "answers.json").write_text(json.dumps(record))
    write_visits(Path(f"{folder}-dates-and-texts"))


def write_visits(folder: Path) -> None:
    """The models of a table with dates and texts, in a folder of their own."""
    folder.mkdir(parents=True, exist_ok=True)
    record = {}
    for name, model in OF_VISITS:
        path = save(model.fit(*visits()), folder / f"{name}-visits.margin", about={"target": "y"})
        assert path.stat().st_size <= LARGEST, f"{path.name} has {path.stat().st_size:,} bytes"
        record[path.name] = {"data": "visits", "answers": np.asarray(answers(model, ROWS["visits"]())).tolist()}
    (folder / "answers.json").write_text(json.dumps(record))


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write(GOLDEN / sys.argv[1])
