"""Networks on tables: the same layers, batches and epochs on every side."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.bayes import new, numeric
from benchmarks.harness import Side, Workload, fit_and_predict
from benchmarks.linear import pictures

__all__ = ["WORKLOADS"]


def sides(hidden: int, batch: int, epochs: int) -> tuple[Side, Side]:
    """margin and scikit-learn with Adam, for a fixed number of epochs."""
    common: dict[str, Any] = {
        "hidden_layer_sizes": (hidden,),
        "batch_size": batch,
        "max_iter": epochs,
        "n_iter_no_change": epochs,
        "random_state": 0,
    }
    return (
        Side("margin MLPClassifier", "margin", partial(new, "margin", "MLPClassifier", scale=None, **common)),
        Side("sklearn MLPClassifier", "sklearn", partial(new, "sklearn.neural_network", "MLPClassifier", **common)),
    )


SMALL = {"n": 20_000, "d": 30, "n_test": 5_000, "n_classes": 5}
QUICK = {"n": 1_000, "n_test": 300}

WORKLOADS = (
    Workload("mlp 30-64-5, batch 64", numeric, sides(64, 64, 5), fit_and_predict, size=SMALL, quick=QUICK),
    Workload("mlp 30-64-5, batch 200", numeric, sides(64, 200, 5), fit_and_predict, size=SMALL, quick=QUICK),
    Workload(
        "mlp 784-256-10, batch 128",
        pictures,
        sides(256, 128, 1),
        fit_and_predict,
        size={"dtype": "float64", "n": 60_000, "n_test": 10_000},
        quick={"n": 2_000, "n_test": 500},
    ),
)
