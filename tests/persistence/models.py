"""Small fitted models of every kind, as files, and rows to ask them about."""

from __future__ import annotations

import functools
import math
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from margin.base.frames import table_from_frame
from margin.data import Table
from margin.errors import MarginError
from margin.persistence import load, to_bytes
from tests.contract.estimators import frame, numbers, settings

__all__ = ["Sample", "answers_of", "is_error", "kinds_of_models", "same_answers", "samples"]

#: Larger files are left out: damage in a few thousand bytes meets structure more often than in millions.
MOST_BYTES = 250_000


#: Files of the older format, of many kinds, as the version of then wrote them.
OLDER = "format 1"
GOLDEN = Path(__file__).parent / "golden" / "0.1.0-format1"


@dataclass(frozen=True)
class Sample:
    """One fitted model as a file, rows for it, and its answers to them."""

    name: str
    content: bytes
    rows: tuple[Any, ...]
    answers: tuple[Any, ...]


@functools.cache
def kinds_of_models() -> dict[str, list[Any]]:
    """Every estimator with all its settings, by the name of its class; a table is the plainest of them."""
    found: dict[str, list[Any]] = {"Table": [None], OLDER: [None]}
    for each in settings():
        found.setdefault(type(each).__name__, []).append(each)
    return found


def samples(kind: str, few: bool = False) -> list[Sample]:
    """Fitted models of a kind: each setting on numbers and on a mixed table; with ``few`` two of them only."""
    if kind == OLDER:
        found = [_older(path) for path in sorted(GOLDEN.glob("*.margin"))]
    else:
        found = [sample for each in kinds_of_models()[kind] for sample in _fitted(each)]
    return found if not few else found[:: max(1, -(-len(found) // 3))]


def _fitted(estimator: Any) -> list[Sample]:
    if estimator is None:
        table = Table.from_columns({"age": [1.5, None] * 9, "sex": ["f", "m", None] * 6, "old": [True, False] * 9})
        return [Sample("Table", to_bytes(table), (None,), (answers_of(table, None),))]
    found = []
    for name, (X, y) in {"numbers": numbers(40, 3), "frame": frame(40)}.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = clone(estimator).fit(X, y)
                content = to_bytes(model), to_bytes(model, witnessed=True)
        except MarginError:  # takes no such columns, or has no kind
            continue
        rows = _rows(X)
        answers = tuple(answers_of(model, each) for each in rows)
        found += [
            Sample(f"{estimator!r} on {name}", each, rows, answers) for each in content if len(each) <= MOST_BYTES
        ]
    return found


def _older(path: Path) -> Sample:
    model = load(path)
    X, _ = frame(40) if hasattr(model, "feature_names_in_") else numbers(40, 3)
    rows = _rows(X)
    return Sample(path.stem, path.read_bytes(), rows, tuple(answers_of(model, each) for each in rows))


def _rows(X: Any) -> tuple[Any, Any]:
    """Rows like those at fit, and rows with missing, large and unknown cells."""
    odd = X[:15].copy()
    if isinstance(odd, np.ndarray):
        odd[::2, 0], odd[1::3, -1], odd[4] = np.nan, 1e200, np.nan
    else:
        odd.loc[odd.index[::2], "age"] = np.nan
        odd.loc[odd.index[1::3], "job"] = "pilot"
        return table_from_frame(X[:15], "rows"), table_from_frame(odd, "rows")
    return X[:15], odd


def answers_of(model: Any, rows: Any) -> dict[str, Any]:
    """What a model says by each of its methods; its own errors are answers too, anything else is raised."""
    if isinstance(model, Table):
        return {"schema": repr(model.schema), "cells": [model.cells(name) for name in model.schema.names]}
    found: dict[str, Any] = {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for method in ("predict", "predict_proba", "decision_function", "transform"):
            try:
                if hasattr(model, method):
                    found[method] = getattr(model, method)(rows)
            except MarginError as error:
                found[method] = error
    return found


def is_error(answer: Any) -> bool:
    """Whether a model has said that it cannot answer."""
    return isinstance(answer, MarginError)


def same_answers(found: Any, expected: Any) -> bool:
    """Equal bit for bit, NaN equal to NaN."""
    if type(found) is not type(expected):
        return False
    if is_error(found):
        return True  # of the same type; its words may name another column
    if isinstance(found, dict):
        return found.keys() == expected.keys() and all(same_answers(found[k], expected[k]) for k in found)
    if isinstance(found, (list, tuple)):
        return len(found) == len(expected) and all(map(same_answers, found, expected))
    if hasattr(found, "toarray"):
        return same_answers(found.toarray(), expected.toarray())
    if isinstance(found, np.ndarray):
        if found.dtype != expected.dtype or found.shape != expected.shape:
            return False
        return found.tobytes() == expected.tobytes() or same_answers(found.tolist(), expected.tolist())
    if isinstance(found, float) and math.isnan(found):
        return math.isnan(expected)
    return bool(found == expected)
