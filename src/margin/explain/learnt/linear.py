"""What linear models have learnt: coefficients, odds ratios, mistakes and their bound, losses along the way."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from margin.errors import MarginError
from margin.explain.learnt.describing import Given, sections_of
from margin.explain.learnt.sections import Section, table
from margin.linear import ActivePerceptron, Adaline, LinearSGD, Perceptron
from margin.linear.linear_classifier import LinearClassifier
from margin.linear.logistic.regression import LogisticModel
from margin.linear.logistic.regression_cv import LogisticRegressionCV
from margin.linear.presolve import NEVER

__all__ = ["coefficients", "curve", "layer_of"]

#: Coefficients that are told, the largest first.
MOST = 200
#: Points of a curve that are told.
POINTS = 12


def layer_of(fitted: Any) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Coefficients, constants and what each row of them says, of any model with one linear layer."""
    coef, intercept = np.atleast_2d(fitted.coef_), np.ravel(fitted.intercept_)
    labels = [str(label) for label in getattr(fitted, "classes_", ())]
    if len(coef) == 1 and len(labels) > 1:
        heads = [f"{labels[1]} against {labels[0]}"]
    else:
        heads = labels if len(labels) == len(coef) else [f"score {k}" for k in range(len(coef))]
    return coef, intercept, heads if labels else ["answer"]


def coefficients(fitted: Any, how: str = "") -> Section:
    """The table of coefficients, the largest first."""
    coef, intercept, heads = layer_of(fitted)
    names, size = fitted.coef_names_, np.abs(coef).max(axis=0) if coef.size else np.zeros(0)
    order = np.argsort(-size, kind="stable")[:MOST]
    never = np.where(np.abs(intercept) >= NEVER / 2, -np.inf, intercept)
    rows = [("(constant)", *never.tolist()), *((names[j], *coef[:, j].tolist()) for j in order)]
    told = how or "The score is the constant plus each coefficient times its column."
    if getattr(fitted, "scale", None) is not None:
        told += " Numbers are put on one scale first, so that coefficients can be compared."
    if len(names) > MOST:
        told += f" The largest {MOST} of {len(names):,}."
    return table("Coefficients", told, ("column", *heads), rows)


def curve(title: str, how: str, values: Any, first: int = 1, what: str = "pass") -> list[Section]:
    """Some points of a curve, first and last among them; nothing of an empty one."""
    found = np.asarray(values, dtype=np.float64).ravel()
    if not len(found):
        return []
    at = np.unique(np.linspace(0, len(found) - 1, min(POINTS, len(found))).round().astype(int))
    return [table(title, how, (what, "value"), ((int(i) + first, float(found[i])) for i in at))]


@sections_of.register
def _(fitted: LinearClassifier, given: Given) -> list[Section]:
    found = [coefficients(fitted)]
    certificate = getattr(fitted, "certificate_", None)
    return found if certificate is None else [*found, Section("Certificate of the optimum", lines=str(certificate))]


@sections_of.register
def _(fitted: LogisticModel, given: Given) -> list[Section]:
    found = []
    try:
        summary = fitted.summary(*(given or ()))
        step = {"standard": "one standard deviation more of a number", "range": "one range more of a number"}.get(
            str(fitted.scale), "one more of a number"
        )
        how = (
            f"How many times larger the odds are for {step}, or for a word in place of the most frequent one of its "
            f"column; against {summary.reference!r}."
        )
        if summary.against:
            how += f" Most frequent: {', '.join(f'{name} {word}' for name, word in summary.against.items())}."
        told, heads = summary.table, ("class", "column", "odds ratio", "low", "high", "p")
        rows = zip(map(str, told["class"]), told["column"], *(told[each] for each in ("odds_ratio", "low", "high")),
                   told["p_value"])  # fmt: skip
        found.append(table("Odds ratios with 95 % intervals", how, heads, rows))
        found.append(Section("Summary", lines=str(summary)))
    except MarginError as error:
        found.append(Section("Odds ratios", f"No intervals: {error}"))
    found.append(coefficients(fitted, "The log odds are the constant plus each coefficient times its column."))
    found.append(Section("Certificate of the optimum", lines=str(fitted.certificate_)))
    return found


@sections_of.register
def _(fitted: LogisticRegressionCV, given: Given) -> list[Section]:
    chosen = Section("Choice of the penalty", lines=str(fitted.choice_))
    return [chosen, *sections_of.dispatch(LogisticModel)(fitted, given)]


@sections_of.register
def _(fitted: Perceptron, given: Given) -> list[Section]:
    counts = np.asarray(fitted.mistake_counts_)
    found = [
        *curve("Mistakes", f"Rows that caused an update, pass by pass; {fitted.n_mistakes_:,} in all.", counts),
        coefficients(fitted),
    ]
    with suppress(MarginError, AttributeError):  # of rows that came in parts, nobody knows the widest gap
        found.insert(1, Section("Mistake bound (Novikoff)", lines=str(fitted.certificate_)))
    return found


@sections_of.register
def _(fitted: ActivePerceptron, given: Given) -> list[Section]:
    rows = [
        ("labels that were asked for", int(fitted.labels_used_)),
        ("rows that went by", int(fitted.rows_seen_)),
        ("threshold below which it asks", ", ".join(f"{each:.4g}" for each in np.ravel(fitted.threshold_))),
    ]
    return [table("Questions", "", ("what", "value"), rows), coefficients(fitted)]


@sections_of.register
def _(fitted: Adaline, given: Given) -> list[Section]:
    how = f"Mean squared error after each pass; step η = {fitted.eta_:.4g}."
    return [*curve("Loss", how, fitted.loss_curve_), coefficients(fitted)]


@sections_of.register
def _(fitted: LinearSGD, given: Given) -> list[Section]:
    how = f"Mean loss after each pass; {fitted.t_:,.0f} steps in all."
    return [*curve("Loss", how, fitted.loss_curve_), coefficients(fitted)]
