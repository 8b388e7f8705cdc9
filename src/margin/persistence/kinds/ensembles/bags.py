"""Bags: copies of one model, which columns each of them sees, and what they said out of bag.

Letters: ``m`` members; ``r`` rows learnt from.
"""

from __future__ import annotations

from typing import Any

from margin.ensemble.bagging.bagging import BaggingClassifier, BaggingRegressor
from margin.persistence.kinds.base import AS_GIVEN, classifier, model, shares
from margin.persistence.kinds.multiclass import MEMBERS, unfit
from margin.persistence.objects.arrays import Array, at_least, finite
from margin.persistence.objects.fields import Absent, Field, ListOf, Model, Number, Text, Whole
from margin.persistence.objects.kind import Kind

__all__ = ["KINDS"]


def _width(made: Any) -> int | str:
    """How many columns a member sees, or why it cannot see them."""
    drawn = vars(made).get("member_columns_")
    if drawn is None:
        return int(made._columns.n)
    if len(drawn) != len(made.members_) or not drawn.shape[1] or int(drawn.max()) >= made._columns.n:
        return "there must be columns for each member"
    return int(drawn.shape[1])


def _out_of_bag(made: Any, width: int) -> str | None:
    found = [vars(made).get(name) for name in ("_oob_votes", "_oob_counts", "oob_error_")]
    if all(each is None for each in found):
        return None
    votes, counts, error = found
    if votes is None or counts is None or error is None or votes.shape != (len(counts), width):
        return "it has other votes out of bag than rows"
    return None if len(error) == len(made.members_) else "there must be an error out of bag for each member"


def _classes(made: BaggingClassifier) -> str | None:
    width = _width(made)
    if isinstance(width, str) or not made.members_:
        return width if isinstance(width, str) else "it has no members"
    if len(made._prior) != len(made.classes_):
        return "there must be a weight for each class"
    silent = any(not hasattr(each, "predict_proba") for each in made._models())
    if made.voting_ == "soft" and silent:
        return "a member gives no probabilities"
    return _out_of_bag(made, len(made.classes_)) or unfit(made.members_, len(made.classes_), width)


def _values(made: BaggingRegressor) -> str | None:
    width = _width(made)
    if isinstance(width, str) or not made.members_:
        return width if isinstance(width, str) else "it has no members"
    if any(each.n_features_in_ != width for each in made.members_):
        return "a member knows other columns"
    if any(hasattr(each, "classes_") for each in made.members_):
        return "a member is no regressor"
    return _out_of_bag(made, 1)


BAG: dict[str, Field] = {
    "member_columns_": Absent(Array("i8", "m", None, at_least(0))),
    "oob_error_": Absent(Array("f8", None)),
    "_oob_votes": Absent(Array("f8", "r", None, finite)),
    "_oob_counts": Absent(Array("i4", "r", at_least(0))),
    "_seed": Whole(0),
    "_mark": Text(),
}

KINDS: tuple[Kind, ...] = (
    classifier(
        "bagging-classifier",
        BaggingClassifier,
        {**BAG, "members_": MEMBERS, "voting_": Text("soft", "hard"), "_prior": Array("f8", "k", shares)},
        sees=AS_GIVEN,
        check=_classes,
    ),
    model(
        "bagging-regressor",
        BaggingRegressor,
        {**BAG, "members_": ListOf(Model()), "_variance": Absent(Number(0.0))},
        sees=AS_GIVEN,
        check=_values,
    ),
)
