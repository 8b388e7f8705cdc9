"""The main job around the models: read, seal, split, score and rank, with a model that costs nothing."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.harness import Arrays, Side, Workload, call

__all__ = ["WORKLOADS"]

Job = Callable[[Arrays], float]


def untidy_file(n: int) -> Arrays:
    """A made-up table of mixed columns with three marks for missing cells, as the lines of a CSV file."""
    import numpy as np

    from margin.data.generators import credit_text

    return {"lines": np.array(credit_text(n).encode().splitlines())}


def on_disk(arrays: Arrays) -> Arrays:
    folder = tempfile.TemporaryDirectory()  # goes with the process
    path = Path(folder.name) / "credit.csv"
    path.write_bytes(b"\n".join(arrays["lines"].tolist()))
    return {"path": str(path), "folder": folder}


def margin_compare() -> Job:
    """All of ``margin compare --out``: intervals, the sealed test and the report page included."""
    from margin.experiment import Spec, run_to_end
    from margin.report import render

    def job(arrays: Arrays) -> float:
        result = run_to_end(Spec(arrays["path"], target="risk", models=("majority",)))
        render(result)
        return result.winner.scores["accuracy"].value

    return job


def sklearn_by_hand() -> Job:
    """The least that a careful person would type: hold-out, ten folds, three scores; no intervals, no report."""
    import polars as pl
    from sklearn.dummy import DummyClassifier
    from sklearn.model_selection import StratifiedKFold, cross_validate, train_test_split

    def job(arrays: Arrays) -> float:
        table = pl.read_csv(arrays["path"], null_values=["?", "NA", "-"], infer_schema_length=None)
        X, y = table.drop("risk"), table["risk"].to_numpy()
        X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, stratify=y, random_state=0)
        folds = StratifiedKFold(10, shuffle=True, random_state=0)
        scoring = ("accuracy", "balanced_accuracy", "f1_macro")
        found = cross_validate(DummyClassifier(), X_train, y_train, cv=folds, scoring=scoring)
        DummyClassifier().fit(X_train, y_train).score(X_test, y_test)
        return float(found["test_accuracy"].mean())

    return job


SIDES = (
    Side("margin compare", "margin", margin_compare, prepare=on_disk),
    Side("sklearn by hand", "sklearn", sklearn_by_hand, prepare=on_disk),
)

WORKLOADS = (Workload("overhead", untidy_file, SIDES, call, size={"n": 32_561}, quick={"n": 2_000}),)
