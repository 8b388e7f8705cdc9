"""What models of neighbours and centroids have learnt: rows, an index, centroids, and how many neighbours are best."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.explain.learnt.describing import Given, sections_of, shares_table
from margin.explain.learnt.sections import Section, table
from margin.neighbors import NearestCentroid, RoteClassifier
from margin.neighbors.k_choice import choose_k
from margin.neighbors.knn import KNeighborsClassifier
from margin.neighbors.voters import NearestVoters, RadiusVoters, Voters

__all__: list[str] = []

#: Numbers of neighbours whose error is told.
MOST_K = 30


def _kept(fitted: Voters, who: tuple[str, Any]) -> list[Section]:
    how = "Nothing is computed beforehand but the index: the training rows themselves are the model."
    rows = [
        ("training rows", f"{len(fitted._targets):,}"),
        who,
        ("metric", _metric(fitted)),
        ("votes", str(fitted.weights if isinstance(fitted.weights, str) else "a function of the distance")),
        ("scale of numbers", str(fitted.scale or "as they are")),
        ("index", str(fitted.index_)),
    ]
    return [table("Neighbours", how, ("what", "value"), rows)]


def _metric(fitted: Voters) -> str:
    metric = fitted._metric
    return getattr(metric, "__name__", "a function") if callable(metric) else str(metric)


def _targets(fitted: Voters) -> list[Section]:
    """How the training rows are spread over the classes, or over the numbers."""
    targets = np.asarray(fitted._targets)
    if targets.ndim != 1:
        return []
    if isinstance(getattr(fitted, "classes_", None), np.ndarray):
        counts = fitted._totals(targets, len(fitted.classes_))  # type: ignore[attr-defined]
        return [shares_table("Training rows", fitted, counts / counts.sum(), counts)]
    ends = np.quantile(targets, [0, 0.25, 0.5, 0.75, 1]).tolist()
    names = ("smallest", "first quarter", "median", "third quarter", "largest")
    return [table("Answers of the training rows", "", ("what", "value"), zip(names, ends))]


@sections_of.register
def _(fitted: NearestVoters, given: Given) -> list[Section]:
    found = [*_kept(fitted, ("neighbours that vote", f"{fitted.n_neighbors:,}")), *_targets(fitted)]
    if given is None or not isinstance(fitted, KNeighborsClassifier) or getattr(fitted, "outputs_2d_", False):
        return found
    most = min(MOST_K, len(fitted._targets) - 1)
    keep = ("weights", "metric", "p", "scale", "feature_weights")
    if most >= 1 and fitted._metric != "precomputed":
        choice = choose_k(*given, most, **{name: getattr(fitted, name) for name in keep})
        how = f"The error of each number of neighbours, each row left out in turn; best is k = {choice.best}."
        rows = zip(np.asarray(choice.k).tolist(), np.asarray(choice.error).tolist(),
                   np.asarray(choice.standard_error).tolist())  # fmt: skip
        found.append(table("Choice of k", how, ("k", "error", "standard error"), rows))
    return found


@sections_of.register
def _(fitted: RadiusVoters, given: Given) -> list[Section]:
    return [*_kept(fitted, ("radius within which rows vote", f"{fitted.radius:g}")), *_targets(fitted)]


@sections_of.register
def _(fitted: NearestCentroid, given: Given) -> list[Section]:
    names, labels = list(fitted._encoder.names_out()), [str(label) for label in fitted.classes_]
    centroids = np.asarray(fitted.centroids_)
    rows = [(name, *centroids[:, j].tolist()) for j, name in enumerate(names[:100])]
    typical = "mean" if fitted._metric == "euclidean" else "median"
    how = f"The {typical} of each class; the nearest one wins ({fitted._metric} distance)."
    found = [table("Centroids", how, ("column", *labels), rows)]
    return [shares_table("Classes", fitted, np.asarray(fitted.class_prior_)), *found]


@sections_of.register
def _(fitted: RoteClassifier, given: Given) -> list[Section]:
    left = "the default class" if fitted.default is not None else "the shares of the classes"
    how = f"Equal rows are answered as they were learnt; for any other {left} are left."
    return [
        shares_table("Classes", fitted, fitted.priors_),
        table("Memory", how, ("what", "value"), [("columns compared", fitted.n_features_in_)]),
    ]
