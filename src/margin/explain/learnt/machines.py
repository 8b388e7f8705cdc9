"""What support vector machines have learnt: certificates, margins, support vectors by category."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from margin.errors import MarginError
from margin.explain.learnt.describing import Given, sections_of
from margin.explain.learnt.linear import coefficients, curve
from margin.explain.learnt.sections import Section, table
from margin.svm import LinearSVC, LinearSVR, OneClassSVM, PegasosClassifier, Reject
from margin.svm.kernel_machine.model import KernelModel
from margin.svm.single_problem.single_model import SingleKernelModel

__all__: list[str] = []

#: Support vectors that are told, the heaviest first.
MOST = 20


@sections_of.register
def _(fitted: KernelModel, given: Given) -> list[Section]:
    labels = [str(label) for label in fitted.classes_]
    if fitted._machine is None:
        return [table("Classes", "There is one class only.", ("class",), [(label,) for label in labels])]
    counts = np.ravel(fitted.n_support_).tolist()
    names = [labels[place] for place in fitted._places] if len(counts) != len(labels) else labels
    found = [table("Support vectors", "Rows that the boundary rests on.", ("class", "support vectors"),
                   zip(names, counts))]  # fmt: skip
    found += _certificate(fitted) + _categories(fitted)
    try:
        coefs = coefficients(fitted, "The kernel is linear: the score is the constant plus each coefficient times its "
                                     "column.")  # fmt: skip
        found.append(coefs)
    except (MarginError, AttributeError):
        found.append(_heaviest(fitted))
    return found


def _certificate(fitted: Any) -> list[Section]:
    try:
        return [Section("Certificate of the optimum", lines=str(fitted.certificate_))]
    except (MarginError, AttributeError):
        return []


def _categories(fitted: KernelModel) -> list[Section]:
    """How many rows lie beyond the margin, on it, and inside, for each problem."""
    try:
        category = np.asarray(fitted.category_)
    except (MarginError, AttributeError):
        return []
    names, counts = np.unique(category[category != ""], return_counts=True)
    how = "Where the training rows lie, over all problems of two classes: outside the margin, on it, inside it."
    return [table("Rows by category", how, ("category", "rows"), zip(map(str, names), counts.tolist()))]


def _heaviest(fitted: Any) -> Section:
    coef = np.atleast_2d(fitted.dual_coef_)
    weight = np.abs(coef).max(axis=0)
    order = np.argsort(-weight, kind="stable")[:MOST]
    rows = ((int(fitted.support_[at]), float(weight[at])) for at in order)
    return table(
        "Heaviest support vectors", "Training rows and their largest weight.", ("training row", "weight"), rows
    )


@sections_of.register
def _(fitted: SingleKernelModel, given: Given) -> list[Section]:
    what = "the border of what is usual" if isinstance(fitted, OneClassSVM) else "the tube around the answers"
    n = int(np.sum(fitted.n_support_))
    rows = [("support vectors", n), ("constant", float(np.ravel(fitted.intercept_)[0]))]
    found = [table("Support vectors", f"Rows that {what} rests on.", ("what", "value"), rows), *_certificate(fitted)]
    try:
        return [*found, coefficients(fitted)]
    except (MarginError, AttributeError):
        return [*found, _heaviest(fitted)]


@sections_of.register(LinearSVC)
@sections_of.register(LinearSVR)
def _(fitted: Any, given: Given) -> list[Section]:
    return [coefficients(fitted), *_certificate(fitted)]


@sections_of.register
def _(fitted: PegasosClassifier, given: Given) -> list[Section]:
    found = _certificate(fitted)
    objective, passes = np.ravel(fitted.objective_), np.ravel(fitted.objective_passes_)
    if len(objective) == len(passes):
        rows = zip(passes.astype(int).tolist(), objective.tolist())
        found.append(table("Objective", "After so many passes.", ("pass", "objective"), rows))
    else:
        found += curve("Objective", "", objective)
    with suppress(MarginError, AttributeError):
        found.append(coefficients(fitted))
    return found


@sections_of.register
def _(fitted: Reject, given: Given) -> list[Section]:
    threshold = float(fitted.threshold_)
    told = "it always answers" if threshold == -np.inf else f"answers are given from a confidence above {threshold:.4g}"
    found = [table("Threshold", f"Of how sure {type(fitted.model_).__name__} is: {told}.", ("what", "value"),
                   [("threshold", threshold)])]  # fmt: skip
    if getattr(fitted, "choice_", None) is not None:
        found.append(Section("Choice of the threshold", lines=str(fitted.choice_)))
    return [*found, *sections_of(fitted.model_, given)]
