"""What boosting has learnt: its rounds with weights, errors and bounds, and the loss along the way."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.boosting import RUSBoostClassifier
from margin.boosting.adaboost.classifier import AdaBoostClassifier
from margin.boosting.adaboost.label_boosting import AdaBoostMHClassifier
from margin.boosting.adaboost.regressor import AdaBoostRegressor
from margin.boosting.additive.additive_classifier import AdditiveClassifier
from margin.boosting.external.packages import ExternalBooster
from margin.boosting.gradient.boosting_model import BoostingModel
from margin.boosting.margins.brownboost import BrownBoostClassifier
from margin.boosting.margins.lpboost import LPBoostClassifier
from margin.explain.adaboost import rule_text
from margin.explain.learnt.describing import Given, sections_of
from margin.explain.learnt.linear import curve
from margin.explain.learnt.sections import Section, table
from margin.explain.learnt.trees import importance_table

__all__: list[str] = []


@sections_of.register(AdaBoostClassifier)
@sections_of.register(AdaBoostMHClassifier)
def _(fitted: Any, given: Given) -> list[Section]:
    heads = ("round", "rule", "ε", "α", "training error", "bound", "least margin")
    rows = [
        (r.number, rule_text(fitted, r.number - 1), r.epsilon, r.alpha, r.training_error, r.bound, r.least_margin)
        for r in fitted.rounds_
    ]
    how = "ε is the weighted error of a rule, α what its vote weighs, the bound the product of all normalisers so far."
    return [table("Rounds", f"{how} Ended: {fitted.ended_}.", heads, rows)]


@sections_of.register
def _(fitted: AdaBoostRegressor, given: Given) -> list[Section]:
    rows = [(r.number, r.epsilon, r.beta, r.alpha, r.largest_error) for r in fitted.rounds_]
    how = f"ε is the mean loss of a member, α what its vote weighs. Ended: {fitted.ended_}."
    return [table("Rounds", how, ("round", "ε", "β", "α", "largest error"), rows)]


@sections_of.register
def _(fitted: AdditiveClassifier, given: Given) -> list[Section]:
    labels = [str(label) for label in fitted.classes_]
    heads = ["rule"] if len(labels) == 2 else [f"rule for {label}" for label in labels]
    rows = [(r.number, *r.rules, r.loss, r.error) for r in fitted.rounds_]
    how = "What each round adds to the score of a class, and loss and error of all rounds so far."
    return [table("Rounds", how, ("round", *heads[: len(rows[0]) - 3 if rows else 1], "loss", "error"), rows)]


@sections_of.register
def _(fitted: LPBoostClassifier, given: Given) -> list[Section]:
    labels = [str(label) for label in fitted.classes_]
    ends = [
        tuple(map(float, each))
        for each in zip(np.ravel(fitted.margin_), np.ravel(fitted.bound_), np.ravel(fitted.gap_))
    ]
    of = labels if len(ends) == len(labels) else [f"{labels[-1]} against {labels[0]}"] * len(ends)
    told = [(name, *rest) for name, rest in zip(of, ends, strict=True)]
    rows = [(r.number, r.edge, r.objective, r.margin, r.bound, r.weight) for r in fitted.rounds_]
    return [
        table("Margin", "The widest margin of a vote of the rules, and how far above it could still be.",
              ("class", "margin", "bound", "gap"), told),
        table("Rounds", "", ("round", "edge", "objective", "margin", "bound", "weight"), rows),
    ]  # fmt: skip


@sections_of.register
def _(fitted: BrownBoostClassifier, given: Given) -> list[Section]:
    rows = [(r.number, r.edge, r.alpha, r.time, r.left, r.potential, r.error) for r in fitted.rounds_]
    how = f"The clock was set to c = {fitted.c_:.4g}; rows that go wrong too often are given up."
    return [table("Rounds", how, ("round", "edge", "α", "time", "time left", "potential", "error"), rows)]


@sections_of.register
def _(fitted: RUSBoostClassifier, given: Given) -> list[Section]:
    rows = [(r.number, r.n_drawn, r.epsilon, r.alpha, r.error) for r in fitted.rounds_]
    how = "Each round draws as many rows of each class; ε is its weighted error, α what its vote weighs."
    return [table("Rounds", how, ("round", "rows drawn", "ε", "α", "error"), rows)]


@sections_of.register
def _(fitted: BoostingModel, given: Given) -> list[Section]:
    trees, names = fitted.trees_, list(fitted._columns.described().names)
    size = [
        ("rounds", fitted.n_estimators_),
        ("trees", trees.n_trees),
        ("leaves of a tree, on average", float((np.diff(trees.start) + 1).mean() / 2) if trees.n_trees else 0.0),
    ]
    found = [table("Trees", "", ("what", "value"), size)]
    for name, how in (("train_loss_", "of the training rows"), ("validation_loss_", "of the rows held back")):
        losses = vars(fitted).get(name)
        if losses is not None and np.size(losses):
            title = "Loss" if name == "train_loss_" else "Loss of rows held back"
            found += curve(title, f"Mean loss {how}, after each round.", losses, what="round")
    how = "By how much the splits of a column lower the loss, as a share of all."
    return [*found, importance_table("Importances by gain", how, names, np.asarray(fitted.feature_importances_))]


@sections_of.register
def _(fitted: ExternalBooster, given: Given) -> list[Section]:
    names = list(fitted._columns.described().names)
    shares = np.ravel(getattr(fitted.model_, "feature_importances_", np.zeros(0))).astype(np.float64)
    if len(shares) != len(names):
        return sections_of.dispatch(object)(fitted, given)
    how = f"As {type(fitted.model_).__name__} tells them."
    return [importance_table("Importances", how, names, shares)]
