"""What the tests of exports ask of a model and of its graph: the same rows, and the answers side by side."""

from __future__ import annotations

import gzip
from functools import cache
from typing import Any

import numpy as np

from margin import read
from margin.data import Table
from margin.export import onnx_inputs, run_onnx, to_onnx
from tests.shared_data import shared_data

__all__ = ["ADULT", "both", "exact", "lost", "real", "thresholds_and_neighbours"]

TARGETS = {"glass": "Type", "penguins": "species", "heart-c": "num", "vote": "Class"}
ADULT = [
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship"),
    *("race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income"),
]


@cache
def _whole(name: str) -> tuple[Table, np.ndarray]:
    """A real data set with its labels; reading some takes seconds."""
    if name == "adult":
        with gzip.open(shared_data("adult.data.gz"), "rt") as file:
            rows = [line.strip().split(", ") for line in file if line.strip()]
        cells = {
            column: [None if row[i] == "?" else float(row[i]) if rows[0][i].isdigit() else row[i] for row in rows]
            for i, column in enumerate(ADULT)
        }
        X, y = Table.from_columns(cells).target("income")
    else:
        ending = {"iris": "arff", "penguins": "csv.gz"}.get(name, "arff.gz")
        X, y = read(shared_data(f"{name}.{ending}")).target(TARGETS.get(name, "class"))
    return X, np.asarray(y)


def real(name: str, most: int = 600) -> tuple[Table, np.ndarray]:
    """Rows of a real data set, drawn without an order, and their labels."""
    X, y = _whole(name)
    drawn = np.random.default_rng(0).permutation(len(y))[:most]
    return X.take(drawn), y[drawn]


def both(model: Any, X: Any) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """What a model says to rows, and what its graph says."""
    said = {"label": model.predict(X)}
    if hasattr(model, "predict_proba"):
        said["probabilities"] = model.predict_proba(X)
    return said, run_onnx(to_onnx(model), onnx_inputs(model, X))


def exact(model: Any, X: Any) -> None:
    """A tree and its graph say the same in every bit."""
    said, found = both(model, X)
    if "value" in found:
        assert np.array_equal(found["value"], said["label"])
        return
    assert found["label"].tolist() == said["label"].tolist()
    assert np.array_equal(found["probabilities"], said["probabilities"])


def lost(X: Table, share: float = 0.2, seed: int = 0, every: int = 1) -> Table:
    """The same rows with some of the cells of every column gone, in every so many-th row."""
    rng = np.random.default_rng(seed)
    asked = np.arange(X.n_rows) % every == 0
    cells = []
    for column in X.schema:
        gone, known = asked & (rng.random(X.n_rows) < share), X.cells(column.name)
        cells.append(np.where(gone, np.nan, known) if column.is_numeric else np.where(gone, -1, known).astype(np.int32))
    return Table(X.schema, cells, n_rows=X.n_rows)


def thresholds_and_neighbours(model: Any, X: Table, seed: int = 0) -> Table:
    """Rows one step below, on and above every threshold of a tree, their other cells as in rows of X."""
    tree, rng = model.tree_, np.random.default_rng(seed)
    numbers = [column.name for column in X.schema if column.is_numeric]
    cuts = [
        (numbers[tree.column[node]], cut)
        for node in np.flatnonzero(~tree.is_leaf)
        if tree.column[node] < len(numbers)
        for cut in (tree.details(node) if len(tree.details(node)) else tree.threshold[node : node + 1])
    ]
    asked = X.take(rng.integers(0, X.n_rows, 3 * max(1, len(cuts))))
    cells = {name: np.array(asked.cells(name)) for name in X.names}
    for i, (name, cut) in enumerate(cuts):
        cells[name][3 * i : 3 * i + 3] = np.nextafter(cut, -np.inf), cut, np.nextafter(cut, np.inf)
    return Table(X.schema, [cells[name] for name in X.names], n_rows=asked.n_rows)
