"""Models made of members: each class against the rest, pairs of classes, code words, chains of targets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from margin.base.meta.members import Member
from margin.multiclass.chain_links import Chain
from margin.multiclass.classifier_chain import ClassifierChain
from margin.multiclass.error_correcting_codes import ErrorCorrectingCodes
from margin.multiclass.one_vs_one import OneVsOne
from margin.multiclass.one_vs_rest import OneVsRest
from margin.persistence.kinds.base import AS_GIVEN, OUTPUTS, classifier, model, n_given
from margin.persistence.objects.arrays import Array, at_least, strictly_ascending
from margin.persistence.objects.fields import Field, Flag, ListOf, Maybe, Model, Object
from margin.persistence.objects.kind import Kind

__all__ = ["KINDS", "MEMBERS", "unfit"]

MEMBERS = ListOf(Object("member"))


def _member(one: Member) -> str | None:
    n = len(one.places)
    if one.model is None:
        return None if n == 1 else "a member without a classifier knows one class"
    known = getattr(one.model, "classes_", None)
    if not isinstance(known, np.ndarray) or n < 2 or not np.array_equal(known, one.places):
        return "its classifier knows other classes"
    if not (hasattr(one.model, "predict_proba") or hasattr(one.model, "decision_function")):
        return "its classifier gives neither probabilities nor scores"
    return None


def unfit(members: Iterable[Member], n_codes: int, n_columns: int | None, alike: bool = True) -> str | None:
    """Why members cannot answer: codes that are not there, other columns, or some with probabilities and some without.

    ``n_columns`` is None where members have columns of their own.
    """
    asked = [member.model for member in members if member.model is not None]
    if any(int(member.places[-1]) >= n_codes or int(member.places[0]) < 0 for member in members):
        return "a member knows classes that are not there"
    if n_columns is not None and any(n_given(inner) != n_columns for inner in asked):
        return "a member knows other columns"
    if alike and len({hasattr(inner, "predict_proba") for inner in asked}) > 1:
        return "some members give probabilities and some do not"
    return None


def _class_lists(made: Any) -> list[Any] | None:
    """The classes of each target; None where it has one target and several, both at once."""
    if isinstance(made.classes_, list) != made.outputs_2d_:
        return None
    return made.classes_ if made.outputs_2d_ else [made.classes_]


def _one_vs_rest(made: OneVsRest) -> str | None:
    classes = _class_lists(made)
    if not classes or len(made.members_) != len(classes):
        return "there must be members for each target"
    for members, labels in zip(made.members_, classes):
        if len(members) != (len(labels) if len(labels) > 2 else len(labels) - 1):
            return "there must be a member for each class"
    return unfit([member for members in made.members_ for member in members], 2, made._columns.n)


def _there(made: Any) -> str | None:
    if not len(made._there) or made._there[0] < 0 or made._there[-1] >= len(made.classes_):
        return "there are rows of classes that are not there"
    return None


def _one_vs_one(made: OneVsOne) -> str | None:
    first, second = np.triu_indices(len(made._there), 1)
    pairs = np.column_stack([made._there[first], made._there[second]])
    if not np.array_equal(made.pairs_, pairs) or len(made.members_) != len(pairs):
        return "there must be a member for each pair of classes with rows"
    return _there(made) or unfit(made.members_, 2, made._columns.n)


def _codes(made: ErrorCorrectingCodes) -> str | None:
    if made.code_.shape != (len(made.classes_), len(made.members_)) or not np.isin(made.code_, (-1, 0, 1)).all():
        return "there must be a word of +1, -1 and 0 for each class, and a member for each bit"
    return _there(made) or unfit(made.members_, 2, made._columns.n)


def _chain(made: ClassifierChain) -> str | None:
    classes = _class_lists(made)
    if not classes or not made.chains_:
        return "there must be targets, and a chain"
    for chain in made.chains_:
        if len(chain.members) != len(classes) or sorted(chain.order.tolist()) != list(range(len(classes))):
            return "a chain must name each target once, and have a member for each"
        wrong = next(filter(None, (_link(made, chain, place, classes) for place in range(len(classes)))), None)
        if wrong:
            return wrong
    return unfit([], 0, None)


def _link(made: ClassifierChain, chain: Chain, place: int, classes: list[Any]) -> str | None:
    """A member knows the columns and what is fed of the targets before it, neither more nor less."""
    before = [len(classes[j]) for j in chain.order[:place].tolist()]
    nominal = made._columns.schema is not None and made.feed == "labels"
    fed = [0 if n == 1 else 1 if n == 2 or nominal else n for n in before]
    return unfit([chain.members[place]], len(classes[int(chain.order[place])]), made._columns.n + sum(fed))


SEVERAL: dict[str, Field] = {"classes_": OUTPUTS, "outputs_2d_": Flag()}
THERE = Array("i8", "t", at_least(0), strictly_ascending)

KINDS: tuple[Kind, ...] = (
    Kind(
        "member",
        Member,
        {"model": Maybe(Model()), "places": Array("i8", "p", at_least(0), strictly_ascending)},
        check=_member,
    ),
    Kind("chain", Chain, {"order": Array("i8", "t"), "members": MEMBERS}),
    model("one-vs-rest", OneVsRest, {**SEVERAL, "members_": ListOf(MEMBERS)}, sees=AS_GIVEN, check=_one_vs_rest),
    classifier(
        "one-vs-one",
        OneVsOne,
        {"members_": MEMBERS, "pairs_": Array("i8", "m", 2), "_there": THERE},
        sees=AS_GIVEN,
        check=_one_vs_one,
    ),
    classifier(
        "error-correcting-codes",
        ErrorCorrectingCodes,
        {"members_": MEMBERS, "code_": Array("i1", "k", None), "_there": THERE},
        sees=AS_GIVEN,
        check=_codes,
    ),
    model(
        "classifier-chain",
        ClassifierChain,
        {**SEVERAL, "chains_": ListOf(Object("chain"))},
        sees=AS_GIVEN,
        check=_chain,
    ),
)
