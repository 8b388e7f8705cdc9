"""How models of one centroid per class explain one answer."""

from __future__ import annotations

import numpy as np

from margin.explain.explanation import Explanation, Reason
from margin.explain.models import answer_of, explain
from margin.neighbors import NearestCentroid
from margin.typing import TableLike

__all__: list[str] = []


@explain.register
def _(model: NearestCentroid, X: TableLike) -> Explanation:
    answer, probabilities = answer_of(model, X)
    distance, score = model.centroid_distances(X)[0], 2 * model._scores(model._encoded(X, "explain"))[0]
    share, equal = list(probabilities.values()), model._equal_priors
    order = np.argsort(distance if equal else -score, kind="stable")
    reasons = tuple(
        Reason(
            str(model.classes_[k]),
            f"centroid at distance {distance[k]:.4g}"
            + ("" if equal else f", prior {model.class_prior_[k]:.1%}, score {score[k]:.4g}"),
            share[k] * (1 if model.classes_[k] == answer else -1),
        )
        for k in order
        if model._present[k]
    )
    typical = "mean" if model._metric == "euclidean" else "median"
    how = f"The nearest centroid, the {typical} of its class, wins ({model._metric} distance)."
    if not equal:
        how = (
            "The largest score wins: twice the logarithm of the prior, less the squared distance from the centroid "
            "in deviations within the classes."
        )
    return Explanation("NearestCentroid", answer, probabilities, how, reasons)
