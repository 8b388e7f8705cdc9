"""What discriminant analyses have learnt: means, spreads, boundaries."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.bayes import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from margin.bayes.discriminant.normal_classes import NormalClasses
from margin.explain.learnt.describing import Given, sections_of, shares_table
from margin.explain.learnt.sections import Section, table

__all__ = ["columns_of"]

MOST_COLUMNS = 100


def columns_of(fitted: Any) -> list[str]:
    """What the columns of the matrix are called."""
    return list(fitted._encoder.names_out())


def _means(fitted: Any) -> list[Section]:
    names, labels = columns_of(fitted), [str(label) for label in fitted.classes_]
    means = np.asarray(fitted.means_)
    rows = [(name, *means[:, j].tolist()) for j, name in enumerate(names[:MOST_COLUMNS])]
    return [
        shares_table("Classes", fitted, fitted.priors_),
        table("Means", "The mean of each column in each class.", ("column", *labels), rows),
    ]


@sections_of.register
def _(fitted: NormalClasses, given: Given) -> list[Section]:
    found, names = _means(fitted), columns_of(fitted)
    spread = vars(fitted).get("var_")
    if spread is not None:
        deviations = np.sqrt(np.asarray(spread))
        told = zip(names, deviations.tolist() if deviations.ndim == 1 else deviations[0].tolist())
        found.append(table("Spread", "One standard deviation of each column for all classes.", ("column", "σ"), told))
    return found


@sections_of.register
def _(fitted: LinearDiscriminantAnalysis, given: Given) -> list[Section]:
    found, names, labels = _means(fitted), columns_of(fitted), [str(label) for label in fitted.classes_]
    if fitted.covariance_ is not None:
        spread = np.sqrt(np.diagonal(np.asarray(fitted.covariance_))).tolist()
        found.append(table("Spread", "One covariance for all classes; its standard deviations.", ("column", "σ"),
                           zip(names, spread)))  # fmt: skip
    coef, intercept = np.atleast_2d(fitted.coef_), np.ravel(fitted.intercept_)
    heads = labels if len(coef) == len(labels) else [f"{labels[-1]} against {labels[0]}"]
    rows = [("(constant)", *intercept.tolist()), *((name, *coef[:, j].tolist()) for j, name in enumerate(names))]
    how = "The score of a class is the constant plus each weight times its column; the boundary is where two are equal."
    found.append(table("Boundaries", how, ("column", *heads), rows[: MOST_COLUMNS + 1]))
    ratio = vars(fitted).get("explained_variance_ratio_")
    if ratio is not None and len(ratio):
        how = "Directions that part the means of the classes, and their share of the spread between these."
        found.append(table("Directions", how, ("direction", "share"), enumerate(np.ravel(ratio).tolist(), 1)))
    return found


@sections_of.register
def _(fitted: QuadraticDiscriminantAnalysis, given: Given) -> list[Section]:
    found, names, labels = _means(fitted), columns_of(fitted), [str(label) for label in fitted.classes_]
    spread = [np.sqrt(np.maximum(np.diagonal(np.asarray(each)), 0.0)).tolist() for each in fitted.covariance_]
    rows = [(name, *(each[j] for each in spread)) for j, name in enumerate(names[:MOST_COLUMNS])]
    found.append(
        table("Spread", "Each class has a covariance of its own; its standard deviations.", ("column", *labels), rows)
    )
    pooled = getattr(fitted, "pooled_share_", None)
    if pooled is not None:
        how = "How much of the covariance of each class is that of all classes together."
        shares = np.broadcast_to(np.asarray(pooled, dtype=np.float64), len(labels))
        found.append(table("Pooling", how, ("class", "share"), zip(labels, shares.tolist())))
    return found
