"""Weak classifiers that vote with weights, and numbers about the rounds they come from.

Letters: ``m`` members.
"""

from __future__ import annotations

from typing import Any

from margin.boosting.margins.brownboost import BrownBoostClassifier
from margin.boosting.margins.lpboost import LPBoostClassifier
from margin.boosting.margins.voting_members import VotingMembers
from margin.boosting.margins.voting_trees import VotingTrees
from margin.boosting.rusboost import RUSBoostClassifier
from margin.persistence.kinds.base import AS_GIVEN, classifier, shares
from margin.persistence.kinds.ensembles.adaboost import columns_fit
from margin.persistence.kinds.multiclass import MEMBERS, unfit
from margin.persistence.objects.arrays import Array, at_least, finite
from margin.persistence.objects.fields import Absent, ListOf, Number, Object
from margin.persistence.objects.kind import Kind

__all__ = ["KINDS"]


def _ensemble(one: VotingMembers) -> str | None:
    return None if len(one.members) == len(one.weights) else "there must be a weight for each member"


def _trees(one: VotingTrees) -> str | None:
    if one.trees.n_trees != len(one.weights):
        return "there must be a weight for each tree"
    return None if one.trees.width == 1 else "its trees say more than yes or no"


def _votes(made: Any) -> str | None:
    n = len(made.classes_)
    width = 4 if isinstance(made, LPBoostClassifier) else 6
    if len(made.ensembles_) != (n if n > 2 else n - 1):
        return "there must be an ensemble for each problem"
    if any(each.record.shape[1] != width for each in made.ensembles_):
        return "its rounds are told by other numbers"
    if isinstance(made, LPBoostClassifier) and any(not len(each.weights) for each in made.ensembles_):
        return "there must be a member for each problem"
    if isinstance(made, BrownBoostClassifier) and made.ensembles_ and "c_" not in vars(made):
        return "it has no clock"
    trees = [each.trees for each in made.ensembles_ if isinstance(each, VotingTrees)]
    if trees and type(made._encoder).__name__ == "AsGivenEncoder":
        return "its rows are read in another way"
    members = [member for each in made.ensembles_ if isinstance(each, VotingMembers) for member in each.members]
    if members and type(made._encoder).__name__ != "AsGivenEncoder":
        return "its rows are read in another way"
    return next(filter(None, (columns_fit(made, each) for each in trees)), unfit(members, 2, made._columns.n))


def _rus(made: RUSBoostClassifier) -> str | None:
    if len(made.members_) != len(made.weights_):
        return "there must be a weight for each member"
    return unfit(made.members_, len(made.classes_), made._columns.n)


PRIOR = Array("f8", "k", shares)

KINDS: tuple[Kind, ...] = (
    Kind(
        "ensemble",
        VotingMembers,
        {
            "members": MEMBERS,
            "weights": Array("f8", "m", at_least(0), finite),
            "record": Array("f8", "m", None, finite),
        },
        check=_ensemble,
    ),
    Kind(
        "voting-trees",
        VotingTrees,
        {
            "trees": Object("tree-sum"),
            "weights": Array("f8", "m", at_least(0), finite),
            "record": Array("f8", "m", None, finite),
        },
        check=_trees,
        derived=frozenset({"weighted"}),
    ),
    classifier(
        "lpboost-classifier",
        LPBoostClassifier,
        {"ensembles_": ListOf(Object("ensemble", "voting-trees")), "_prior": PRIOR},
        sees=Object("mixed-encoder", "as-given-encoder"),
        check=_votes,
    ),
    classifier(
        "brownboost-classifier",
        BrownBoostClassifier,
        {"ensembles_": ListOf(Object("ensemble", "voting-trees")), "_prior": PRIOR, "c_": Absent(Number(0.0))},
        sees=Object("mixed-encoder", "as-given-encoder"),
        check=_votes,
    ),
    classifier(
        "rusboost-classifier",
        RUSBoostClassifier,
        {
            "members_": MEMBERS,
            "weights_": Array("f8", "m", at_least(0), finite),
            "_record": Array("f8", "m", 4, finite),
            "_prior": PRIOR,
        },
        sees=AS_GIVEN,
        check=_rus,
    ),
)
