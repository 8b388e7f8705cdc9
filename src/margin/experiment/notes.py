"""What is noted of a comparison: in the file of the model that won it, and beside one that was stopped."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from margin.data import Table
from margin.evaluation import metric
from margin.experiment.result import Score, Threshold
from margin.experiment.spec import Spec

__all__ = ["left_sealed", "training_notes"]


def left_sealed(told: Spec, done: Iterable[str], n_test: int) -> str:
    """That the seal of a run was not opened since it was stopped, and what opens it for the models that are done.

    >>> left_sealed(Spec("loans.csv", target="risk", limit=5.0), ["tree"], 200).partition(": ")[2]
    'margin compare loans.csv --target risk --models tree'
    """
    known, done = told.own or {}, tuple(done)
    models = tuple(name for name in done if name not in known)
    own = {name: known[name] for name in done if name in known}
    settings = {name: text for name, text in (told.settings or {}).items() if name.rpartition(".")[0] in models}
    again = replace(told, limit=None, models=models, own=own or None, settings=settings or None)
    return (
        f"The seal on {n_test:,} rows was not opened, since the run was stopped, and the model that is kept has not "
        f"learnt from them. To open it for the best of what is done: {again.command()}"
    )


def training_notes(
    table: Table,
    *,
    rows: int,
    validation: Mapping[str, Score],
    test: Mapping[str, Score],
    protocol: str,
    seed: int,
    command: str,
    positive: Any = None,
    threshold: Threshold | None = None,
) -> dict[str, Any]:
    """The notes of a run as plain JSON; of equal runs all but ``when`` are equal.

    ``rows`` are those that the model learnt from. A score is its value and the ends of its interval, each None where
    it is not known. ``positive`` is the class that precision, recall and F1 are about; it is noted by their names.
    ``threshold`` is the one that the model answers by.

    >>> table = Table.from_columns({"x": [1.0, 2.0], "y": ["a", "b"]})
    >>> scores = {"accuracy": Score(0.75, 0.5, 0.9)}
    >>> noted = training_notes(
    ...     table, rows=2, validation=scores, test={}, protocol="By hand.", seed=0, command="margin compare t.csv"
    ... )
    >>> noted["scores"]
    {'validation': {'accuracy': [0.75, 0.5, 0.9]}, 'test': {}}
    """
    return {
        "when": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "rows": rows,
        "table_digest": table.digest(),
        "seed": seed,
        "command": command,
        "protocol": protocol,
        "scores": {"validation": _plain(validation), "test": _plain(test)},
        "positive": {
            name: str(positive)
            for name in {**validation, **test}
            if positive is not None and metric(name).bound(np.array([positive]), 0).about
        },
        **({} if threshold is None else {"threshold": _told(threshold)}),
        "units": {name: metric(name).unit for name in {**validation, **test}},
    }


def _told(threshold: Threshold) -> dict[str, Any]:
    return {"class": threshold.label, "probability": threshold.value, "why": threshold.why}


def _plain(scores: Mapping[str, Score]) -> dict[str, list[float | None]]:
    return {name: [_known(score.value), _known(score.low), _known(score.high)] for name, score in scores.items()}


def _known(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)
