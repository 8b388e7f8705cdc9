"""How discriminants, the joint table, calibrated models and thresholds explain one answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from margin.base.inputs.columns import Columns
from margin.bayes import CalibratedClassifier, JointBayes, QuadraticDiscriminantAnalysis, ThresholdClassifier
from margin.bayes.column_blocks import cell_text
from margin.bayes.discriminant.normal_classes import LinearScores
from margin.data.rows import ready_for
from margin.explain.explanation import Explanation, Reason
from margin.explain.models import answer_of, explain, factor_in_words, first_two, of_one_class, shares_reason
from margin.linear.odds import odds_text
from margin.typing import TableLike

__all__ = ["by_column"]


@explain.register
def _(model: LinearScores, X: TableLike) -> Explanation:
    if len(model.classes_) == 1:
        return of_one_class(model, X)
    name = type(model).__name__
    answer, probabilities = answer_of(model, X)
    first, second = first_two(probabilities)
    winner, loser = str(model.classes_[first]), str(model.classes_[second])
    pulls = by_column(model._columns, dict(model.column_pulls(X, first, second)), X, model)
    pulls.sort(key=lambda item: -abs(item[1]))
    reasons = [Reason(what, factor_in_words(pull, loser), pull) for what, pull in pulls]
    reasons.append(shares_reason(model.priors_, first, second, loser))
    how = (
        f"Each line multiplies the odds of {winner} against {loser}: on which side of the middle between "
        "the two means the value lies, and how far."
    )
    return Explanation(name, answer, probabilities, how, tuple(reasons))


def by_column(columns: Columns, pulls: dict[str, float], X: TableLike, model: Any) -> list[tuple[str, float]]:
    """What each column of the table adds; the levels of a nominal one are taken together, words of a text are not."""
    source = columns.read(X, type(model).__name__)
    found = []
    words = {each.column: each.names for each in getattr(model._encoder, "texts", ())}
    for at, column in enumerate(columns.described()):
        if column.name in words:
            found += [(name, pulls[name]) for name in words[column.name] if pulls[name]]
            continue
        if column.kind == "nominal":
            pull = sum(pulls[f"{column.name}={level}"] for level in column.levels)
        else:
            pull = pulls[column.name]
        cell = source.cells(column.name)[0] if columns.schema is not None else _cell(source, at)
        found.append((f"{column.name} = {cell_text(column, cell)}", pull))
    return found


def _cell(source: Any, at: int) -> float:
    return float(source[[0], [at]][0])


@explain.register
def _(model: QuadraticDiscriminantAnalysis, X: TableLike) -> Explanation:
    answer, probabilities = answer_of(model, X)
    score = model._scores(model._encoded(X, "explain"))[0]
    with np.errstate(invalid="ignore"):
        distance = np.sqrt(np.maximum(2 * (model._base - score), 0.0))
    reasons = tuple(
        Reason(
            str(model.classes_[k]),
            f"{distance[k]:.3g} standard deviations from the mean of the class, {model.priors_[k]:.1%} of the rows, "
            f"score {score[k]:.4g}",
            float(score[k] - score.max()),
        )
        for k in np.argsort(-score, kind="stable")
    )
    how = (
        "The largest score wins: less by half the squared distance from the mean in the class's own spread, "
        "and by the logarithm of that spread."
    )
    return Explanation("QuadraticDiscriminantAnalysis", answer, probabilities, how, reasons)


@explain.register
def _(model: JointBayes, X: TableLike) -> Explanation:
    answer, probabilities = answer_of(model, X)
    joint = model.joint_log_likelihood(X)[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.exp(joint - np.log(model.priors_))
    reasons = tuple(
        Reason(
            str(model.classes_[k]),
            f"{share[k]:.3g} of its cases are like this one, times a prior of {model.priors_[k]:.1%}",
            float(np.exp(joint[k])),
        )
        for k in np.argsort(-joint, kind="stable")
    )
    how = "How often each class has just this combination of values, times how often the class comes."
    return Explanation("JointBayes", answer, probabilities, how, reasons)


@explain.register
def _(model: CalibratedClassifier, X: TableLike) -> Explanation:
    answer, probabilities = answer_of(model, X)
    before = model.uncalibrated_proba(X)
    inner = type(model.calibrated_[0].model).__name__ if model.calibrated_[0].model is not None else "the model"
    if before is None:
        reasons = tuple(Reason(str(label), f"{share:.1%}", share) for label, share in probabilities.items())
        return Explanation("CalibratedClassifier", answer, probabilities, f"Scores of {inner}, calibrated.", reasons)
    reasons = tuple(
        Reason(str(label), f"{was:.1%} before calibration, {share:.1%} after ({odds_text(share)})", share)
        for (label, share), was in zip(probabilities.items(), before[0].tolist())
    )
    how = f"What {inner} says, put right by a map ({model.method}) learnt on rows it had not learnt from."
    return Explanation("CalibratedClassifier", answer, probabilities, how, reasons)


@explain.register
def _(model: ThresholdClassifier, X: TableLike) -> Explanation:
    answer, probabilities = answer_of(model, X)
    inside = explain(model.model_, ready_for(model.model_, model._encoded(X, "explain")))
    told = ""
    if model.threshold is not None:
        positive = model.classes_.tolist()[model.place_of_positive()]
        told = f"{positive} is answered from {model.threshold:.3g} on, and has {probabilities[positive]:.3g}. "
        if answer != inside.answer:
            told += f"The most probable class is {inside.answer}. "
    return replace(inside, model=f"ThresholdClassifier({inside.model})", answer=answer, how=f"{told}{inside.how}")
