"""Committees of different models: voting, stacking and gates.

Letters: ``m`` members; ``c`` columns of a final model.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.ensemble.committee.gated import GatedClassifier
from margin.ensemble.committee.simplex import ShareCertificate
from margin.ensemble.committee.stacking import METHODS, StackingClassifier, StackingRegressor
from margin.ensemble.committee.voting import VotingClassifier, VotingRegressor
from margin.persistence.kinds.base import AS_GIVEN, classifier, model, n_given, shares
from margin.persistence.kinds.multiclass import MEMBERS, unfit
from margin.persistence.objects.arrays import Array, at_least, finite
from margin.persistence.objects.fields import (
    ANY_NUMBER,
    Absent,
    Field,
    Flag,
    ListOf,
    Maybe,
    Model,
    Number,
    Object,
    Text,
)
from margin.persistence.objects.kind import Kind

__all__ = ["KINDS"]

MODELS = ListOf(Model())
SHARES = Array("f8", "m", shares)
CERTIFICATE = Absent(Object("share-certificate"))


def _committee(made: Any) -> str | None:
    """Members know the columns and classes, and there are as many as were named."""
    if len(made.members_) != len(made._named()):
        return "it has other members than those named"
    if hasattr(made, "classes_"):
        return unfit(made.members_, len(made.classes_), made._columns.n, alike=False)
    if any(n_given(member) != made._columns.n for member in made.members_):
        return "a member knows other columns"
    return "a member is no regressor" if any(hasattr(member, "classes_") for member in made.members_) else None


def _voting(made: Any) -> str | None:
    if len(made.weights_) != len(made.members_) or abs(made.weights_.sum() - 1) > 1e-9:
        return "there must be a share for each member"
    if isinstance(made, VotingClassifier) and made.voting_ not in ("soft", "hard"):
        return "votes are soft or hard"
    silent = [each for each in made._models() if not hasattr(each, "predict_proba")]
    if isinstance(made, VotingClassifier) and made.voting_ == "soft" and silent:
        return "a member gives no probabilities"
    return _committee(made)


def _final_width(made: Any) -> int:
    return len(made.column_names_) + (made._columns.n if made._passes_columns else 0)


def _stacking_classifier(made: StackingClassifier) -> str | None:
    n, final = len(made.classes_), made.final_
    if len(made.methods_) != len(made.members_) or not set(made.methods_) <= set(METHODS):
        return "each member is asked for something"
    for member, method in zip(made.members_, made.methods_):
        if member.model is not None and not hasattr(member.model, method):
            return "a member cannot say what it is asked for"
    if len(made.column_names_) != len(made.members_) * (1 if n == 2 else n):
        return "its final model has other columns"
    return _committee(made) or unfit([final], n, _final_width(made))


def _stacking_regressor(made: StackingRegressor) -> str | None:
    shares = vars(made).get("weights_")
    if (shares is None) != (made.final_ is not None) or (shares is not None and len(shares) != len(made.members_)):
        return "it has a final model or a share for each member"
    if len(made.column_names_) != len(made.members_):
        return "its final model has other columns"
    if made.final_ is not None and n_given(made.final_) != _final_width(made):
        return "its final model has other columns"
    return _committee(made)


def _prior(made: VotingClassifier) -> str | None:
    return _voting(made) if len(made._prior) == len(made.classes_) else "there must be a weight for each class"


def _gated(made: GatedClassifier) -> str | None:
    names, gate = made.names_, made.gate_
    if len(names) != len(made.members_) or len(set(names)) < len(names):
        return "there must be a name for each member"
    if made.best_ not in names or len(made.losses_) != len(names):
        return "there must be a loss for each member, and a best one"
    if gate is not None:
        known = getattr(gate, "classes_", np.empty(0))
        if not isinstance(known, np.ndarray) or not set(known.tolist()) <= set(names):
            return "its gate names others than its members"
        if gate.n_features_in_ != made._columns.n:
            return "its gate knows other columns"
        if made.mixes_ and not hasattr(gate, "predict_proba"):
            return "its gate gives no shares"
    return _committee(made)


NAMES: dict[str, Field] = {"column_names_": ListOf(Text()), "_passes_columns": Flag()}

KINDS: tuple[Kind, ...] = (
    Kind(
        "share-certificate",
        ShareCertificate,
        {"loss": ANY_NUMBER, "bound": ANY_NUMBER, "equal_loss": ANY_NUMBER, "best_alone": ANY_NUMBER},
    ),
    classifier(
        "voting-classifier",
        VotingClassifier,
        {
            "members_": MEMBERS,
            "weights_": SHARES,
            "voting_": Text(),
            "certificate_": CERTIFICATE,
            "_prior": Array("f8", "k", shares),
        },
        sees=AS_GIVEN,
        check=_prior,
    ),
    model(
        "voting-regressor",
        VotingRegressor,
        {"members_": MODELS, "weights_": SHARES, "certificate_": CERTIFICATE},
        sees=AS_GIVEN,
        check=_voting,
    ),
    classifier(
        "stacking-classifier",
        StackingClassifier,
        {"members_": MEMBERS, "methods_": ListOf(Text()), "final_": Object("member"), **NAMES},
        sees=AS_GIVEN,
        check=_stacking_classifier,
    ),
    classifier(
        "gated-classifier",
        GatedClassifier,
        {
            "members_": MEMBERS,
            "names_": ListOf(Text()),
            "gate_": Maybe(Model()),
            "best_": Text(),
            "losses_": Array("f8", "m", at_least(0), finite),
            "gate_loss_": Number(0.0, missing=True),
            "mixes_": Flag(),
        },
        sees=AS_GIVEN,
        check=_gated,
    ),
    model(
        "stacking-regressor",
        StackingRegressor,
        {"members_": MODELS, "final_": Maybe(Model()), "weights_": Absent(SHARES), **NAMES},
        sees=AS_GIVEN,
        check=_stacking_regressor,
    ),
)
