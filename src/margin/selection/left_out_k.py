"""Leave-one-out of nearest neighbours for many k from one search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from margin.neighbors import KNeighborsClassifier, choose_k
from margin.params import Count, rule_of
from margin.selection.trials import Bench

__all__ = ["left_out_by_k"]

#: Metrics under which no row changes how far others are from each other.
FIXED = ("minkowski", "euclidean", "manhattan", "chebyshev", "cosine", "canberra", "hamming")


def left_out_by_k(bench: Bench, settings: Sequence[Mapping[str, Any]]) -> list[float] | None:
    """The accuracy (or error) of each setting by leave-one-out; None where only evaluating each is exact.

    ``choose_k`` learns what it needs of the columns from all rows. That is exact where there is nothing to learn:
    numbers without gaps, compared as they are.
    """
    model = bench.model
    only_k = len(settings) > 1 and all(set(setting) == {"n_neighbors"} for setting in settings)
    if type(model) is not KNeighborsClassifier or not only_k or bench.weight is not None:
        return None
    ks = [setting["n_neighbors"] for setting in settings]
    asked = model.get_params(deep=False)
    fixed = asked["scale"] is None and isinstance(asked["metric"], str) and asked["metric"] in FIXED
    numbers = isinstance(bench.X, np.ndarray) and bench.X.dtype.kind == "f" and not np.isnan(bench.X).any()
    name = bench.metrics[0].name
    if not (fixed and numbers and name in ("accuracy", "error") and all(rule_of(Count).accepts(k) for k in ks)):
        return None
    settings_of_search = {key: asked[key] for key in asked if key != "n_neighbors"}
    found = choose_k(bench.X, bench.labels, int(max(ks)), **settings_of_search)
    error = [float(found.error[min(int(k), len(found.k)) - 1]) for k in ks]
    return error if name == "error" else [1.0 - each for each in error]
