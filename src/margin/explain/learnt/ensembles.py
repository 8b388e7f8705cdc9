"""What forests, bags and committees have learnt: the error out of bag, importances, the weights of the members."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.meta.members import Member
from margin.ensemble import GatedClassifier
from margin.ensemble.bagging.bag import Bag
from margin.ensemble.committee.stacking import StackingClassifier, StackingRegressor
from margin.ensemble.committee.voting import VotingClassifier, VotingRegressor
from margin.ensemble.forest.forest_model import ForestModel
from margin.errors import MarginError
from margin.explain.learnt.describing import Given, sections_of
from margin.explain.learnt.linear import curve
from margin.explain.learnt.sections import Section, table
from margin.explain.learnt.trees import importance_table

__all__ = ["kind_of_member"]


def kind_of_member(member: Any) -> str:
    """What a member is: the model in it, or one answer for all."""
    model = member.model if isinstance(member, Member) else member
    return "always the same answer" if model is None else type(model).__name__


@sections_of.register
def _(fitted: ForestModel, given: Given) -> list[Section]:
    trees, names = fitted.trees_, list(fitted._columns.described().names)
    leaves = np.diff(trees.start)
    size = [
        ("trees", trees.n_trees),
        ("nodes of a tree, on average", float(leaves.mean())),
        ("thresholds", str(fitted.growth_)),
    ]
    found = [table("Forest", "", ("what", "value"), size)]
    oob = vars(fitted).get("oob_error_")
    if oob is not None:
        what = "share of wrong answers" if hasattr(fitted, "classes_") else "mean squared error"
        found += curve("Error out of bag", f"The {what} of rows that trees did not draw.", oob, what="trees")
    how = (
        "By how much the questions about a column lower the impurity, as a share of all; of the training rows, so that "
    )
    how += "columns of many values look better than they are."
    found.append(importance_table("Importances by impurity", how, names, np.asarray(fitted.feature_importances_)))
    return found if given is None else [*found, *_permuted(fitted, given)]


def _permuted(fitted: Any, given: Any) -> list[Section]:
    try:
        found = fitted.importances(*given, kind="permutation")
    except (MarginError, TypeError):
        return []
    order = np.argsort(-found.mean, kind="stable")
    rows = ((found.names[j], float(found.mean[j]), float(found.low[j]), float(found.high[j])) for j in order)
    how = "By how much the error of a tree out of bag grows when the column is permuted."
    return [table("Importances by permutation", how, ("column", "importance", "low", "high"), rows)]


@sections_of.register
def _(fitted: Bag, given: Given) -> list[Section]:
    kinds: dict[str, int] = {}
    for member in fitted.members_:
        name = kind_of_member(member)
        kinds[name] = kinds.get(name, 0) + 1
    found = [table("Members", "Each has learnt from other rows.", ("kind", "members"), kinds.items())]
    oob = vars(fitted).get("oob_error_")
    return found if oob is None else [*found, *curve("Error out of bag", "", oob, what="members")]


@sections_of.register(VotingClassifier)
@sections_of.register(VotingRegressor)
def _(fitted: Any, given: Given) -> list[Section]:
    names = [name for name, _ in fitted._named()]
    rows = zip(names, map(kind_of_member, fitted.members_), np.asarray(fitted.weights_).tolist())
    how = "How much each member counts."
    if hasattr(fitted, "voting_"):
        how += " Probabilities are averaged." if fitted.voting_ == "soft" else " Each member has a vote."
    found = [table("Members", how, ("name", "kind", "weight"), rows)]
    certificate = vars(fitted).get("certificate_")
    return found if certificate is None else [*found, Section("Certificate of the weights", lines=str(certificate))]


@sections_of.register(StackingClassifier)
@sections_of.register(StackingRegressor)
def _(fitted: Any, given: Given) -> list[Section]:
    names = [name for name, _ in fitted._named()]
    found = [table("Members", "", ("name", "kind"), zip(names, map(kind_of_member, fitted.members_)))]
    weights = vars(fitted).get("weights_")
    if weights is not None:
        shares = zip(names, np.ravel(weights).tolist())
        return [*found, table("Weights", "How much each member counts.", ("name", "weight"), shares)]
    final = fitted.final_.model if isinstance(fitted.final_, Member) else fitted.final_
    if final is None:
        return found
    coef = getattr(final, "coef_", None)
    if coef is None or np.atleast_2d(coef).shape[1] != len(fitted.column_names_):
        return [*found, *sections_of(final, None)]
    coef = np.atleast_2d(coef)
    labels = [str(label) for label in getattr(final, "classes_", ["answer"])]
    heads = labels if len(labels) == len(coef) else [f"{labels[-1]} against {labels[0]}"]
    rows = [(name, *coef[:, j].tolist()) for j, name in enumerate(fitted.column_names_)]
    how = f"How {type(final).__name__} weighs what each member says."
    return [*found, table("Trust", how, ("member says", *heads), rows)]


@sections_of.register
def _(fitted: GatedClassifier, given: Given) -> list[Section]:
    losses = zip(fitted.names_, map(kind_of_member, fitted.members_), np.asarray(fitted.losses_).tolist())
    how = f"The loss of each member on rows it had not learnt from; the gate has {fitted.gate_loss_:.4g}."
    return [
        table("Members", how, ("name", "kind", "loss"), losses),
        Section("Regions", "Which member is asked where.", lines="\n".join(map(str, fitted.regions()))),
    ]
