"""Models made of members: which member said what."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.inputs.arrays import check_one_row
from margin.base.meta.members import Kind
from margin.ensemble.committee.gated import GatedClassifier, rule_words
from margin.ensemble.committee.stacking import StackingClassifier, StackingRegressor
from margin.ensemble.committee.voting import VotingClassifier, VotingRegressor
from margin.explain.explanation import Explanation, Reason
from margin.explain.models import answer_of, explain
from margin.multiclass import ClassifierChain, ErrorCorrectingCodes, OneVsOne, OneVsRest
from margin.typing import TableLike

__all__: list[str] = []


def _said(value: float, kind: Kind) -> str:
    return f"{value:.1%}" if kind == "probability" else f"score {value:.4g}"


def _lead(value: float, kind: Kind) -> float:
    """How clearly a member is for its side: from -1 to 1 of probabilities, else its score."""
    return 2 * value - 1 if kind == "probability" else value


@explain.register
def _(model: OneVsRest, X: TableLike) -> Explanation:
    if model.outputs_2d_:
        how = "Each label or target has members of its own."
        return _several(model, X, how, [""] * len(model.members_))
    answer, probabilities = answer_of(model, X)
    labels, kind = model.classes_.tolist(), model._kind()
    if len(labels) == 1:
        return Explanation("OneVsRest", answer, probabilities, "There is one class only.", ())
    encoded = model._encoded(X, "predict")
    said = [float(member.yes(encoded, kind, "OneVsRest")[0]) for member in model.members_[0]]
    named = (
        [f"{labels[1]} against {labels[0]}"] if len(labels) == 2 else [f"{each} against the rest" for each in labels]
    )
    sides = labels[1:] if len(labels) == 2 else labels
    reasons = tuple(
        Reason(name, _said(value, kind), _lead(value, kind) * (1 if side == answer else -1))
        for name, value, side in zip(named, said, sides)
    )
    return Explanation("OneVsRest", answer, probabilities, "Each class has a member; the surest is answered.", reasons)


@explain.register
def _(model: OneVsOne, X: TableLike) -> Explanation:
    answer, probabilities = answer_of(model, X)
    labels, kind = model.classes_.tolist(), model._kind()
    said = model._scores(model._encoded(X, "predict"))[0].tolist()
    reasons = []
    for (a, b), value in zip(model.pairs_.tolist(), said):
        lead = _lead(value, kind)
        vote, other = (a, b) if lead > 0 else (b, a)
        share = value if lead > 0 else 1 - value if kind == "probability" else -value
        strength = abs(lead) if labels[vote] == answer else -abs(lead) if labels[other] == answer else 0.0
        reasons.append(Reason(f"{labels[a]} or {labels[b]}", f"{labels[vote]}, {_said(share, kind)}", strength))
    chosen = "votes for one of its classes" if model.decide == "votes" else "says how probable they are"
    how = f"Each pair of classes has a member that {chosen}."
    return Explanation("OneVsOne", answer, probabilities, how, tuple(reasons))


@explain.register
def _(model: ErrorCorrectingCodes, X: TableLike) -> Explanation:
    answer, probabilities = answer_of(model, X)
    labels, kind = np.array(model.classes_.tolist(), dtype=object), model._kind()
    said = model._scores(model._encoded(X, "predict"))[0].tolist()
    word = model.code_[labels.tolist().index(answer)]
    reasons = []
    for column, bit, value in zip(model.code_.T, word.tolist(), said):
        sides = [", ".join(map(str, labels[column == side])) for side in (1, -1)]
        lead = _lead(value, kind)
        share = value if lead > 0 else 1 - value if kind == "probability" else -value
        says = f"{sides[0] if lead > 0 else sides[1]}: {_said(share, kind)}"
        reasons.append(Reason(f"{sides[0]} | {sides[1]}", says, lead * bit))
    how = "Each member says on which side of its division of the classes the case is."
    return Explanation("ErrorCorrectingCodes", answer, probabilities, how, tuple(reasons))


@explain.register
def _(model: ClassifierChain, X: TableLike) -> Explanation:
    if not model.outputs_2d_:
        answer, probabilities = answer_of(model, X)
        how = f"There is one target, and {type(model._asked_model()).__name__} alone answers."
        reasons = tuple(Reason(str(label), f"{share:.1%}", share) for label, share in probabilities.items())
        return Explanation("ClassifierChain", answer, probabilities, how, reasons)
    names = model.target_names()
    if len(model.chains_) > 1:
        how = f"{len(model.chains_)} chains in different orders are averaged."
        return _several(model, X, how, [""] * len(names))
    after = [""] * len(names)
    order = model.chains_[0].order.tolist()
    for place, j in enumerate(order[1:], 1):
        after[j] = f" (after {', '.join(names[i] for i in order[:place])})"
    return _several(model, X, "Each target is answered with the answers of those before it in the chain.", after)


@explain.register
def _(model: VotingClassifier, X: TableLike) -> Explanation:
    answer, probabilities = answer_of(model, X)
    encoded, labels = model._encoded(X, "predict"), model.classes_.tolist()
    check_one_row(encoded, "explain(VotingClassifier, X)")
    place, reasons = labels.index(answer), []
    votes = model._voted(encoded)[0].tolist()
    for (name, _), member, share, vote in zip(model._named(), model.members_, model.weights_.tolist(), votes):
        says = f"{labels[vote]}"
        lead = share if vote == place else -share
        if model.voting_ == "soft":
            given = float(member.probabilities(encoded, len(labels))[0, place])
            says, lead = f"{says}; {answer} {given:.1%}", share * given
        reasons.append(Reason(name, f"{says} (counts {share:.1%})", lead))
    how = "The probabilities of the members are averaged." if model.voting_ == "soft" else "Each member has a vote."
    return Explanation("VotingClassifier", answer, probabilities, how, tuple(reasons))


@explain.register
def _(model: StackingClassifier, X: TableLike) -> Explanation:
    answer, probabilities = answer_of(model, X)
    encoded = model._encoded(X, "predict")
    check_one_row(encoded, "explain(StackingClassifier, X)")
    said = model._said(model.members_, encoded)[0]
    reasons = tuple(Reason(name, f"{value:.4g}", float(value)) for name, value in zip(model.column_names_, said))
    final = "a constant" if model.final_.model is None else type(model.final_.model).__name__
    how = f"Each line is what a member says of a class; {final} has learnt how far to trust it."
    return Explanation("StackingClassifier", answer, probabilities, how, reasons)


@explain.register
def _(model: GatedClassifier, X: TableLike) -> Explanation:
    answer, probabilities = answer_of(model, X)
    encoded, labels = model._encoded(X, "predict"), model.classes_.tolist()
    check_one_row(encoded, "explain(GatedClassifier, X)")
    shares, said = model._shares(model.gate_, encoded)[0], model._said(model.members_, encoded)[0]
    place = labels.index(answer)
    reasons = tuple(
        Reason(
            name,
            f"{labels[int(given.argmax())]}; {answer} {given[place]:.1%} (counts {share:.1%})",
            share * given[place],
        )
        for name, given, share in zip(model.names_, said, shares.tolist())
    )
    if model.gate_ is None:
        how = f"{model.best_} answers everything: no gate lost less than it."
    elif model.mixes_:
        how = "How much each member counts depends on the case."
    elif hasattr(model.gate_, "path"):
        node = model.gate_.path(X).steps[-1].node
        rule = next(each for each in model.gate_.rules() if each.node == node)
        how = f"One member is asked: {rule_words(rule)}."
    else:
        how = f"{type(model.gate_).__name__} says which member is asked."
    return Explanation("GatedClassifier", answer, probabilities, how, reasons)


@explain.register(VotingRegressor)
@explain.register(StackingRegressor)
def _(model: Any, X: TableLike) -> Explanation:
    encoded, name = model._encoded(X, "predict"), type(model).__name__
    check_one_row(encoded, f"explain({name}, X)")
    said, shares = model._said(model.members_, encoded)[0], vars(model).get("weights_")
    parts = said if shares is None else said * shares
    reasons = tuple(
        Reason(called, f"{value:.4g}" + ("" if shares is None else f" (counts {share:.1%})"), float(part))
        for (called, _), value, part, share in zip(model._named(), said, parts, said if shares is None else shares)
    )
    how = (
        "The answer is the mean of what the members say."
        if shares is not None
        else f"Each line is what a member says; {type(model.final_).__name__} has learnt how far to trust it."
    )
    return Explanation(name, f"{float(model.predict(X)[0]):.6g}", {}, how, reasons)


def _several(model: Any, X: TableLike, how: str, more: list[str]) -> Explanation:
    """What was said of each target."""
    scores = model._scores(model._encoded(X, "predict"))
    kind: Kind = model._kind()
    check_one_row(scores[0], f"explain({type(model).__name__}, X)")
    shares = model._proba(scores) if kind == "probability" else scores
    reasons = []
    for name, labels, found, extra in zip(_names(model), model.classes_, shares, more):
        best = int(found[0].argmax())
        others = np.delete(found[0], best)
        lead = float(found[0][best] - others.max(initial=0.0)) if kind == "probability" else float(found[0][best])
        reasons.append(Reason(name, f"{labels[best]}, {_said(float(found[0][best]), kind)}{extra}", lead))
    answer = model.predict(X)[0]
    said = sorted(map(str, answer)) if isinstance(answer, frozenset) else answer.tolist()
    shown = ", ".join(map(str, said)) or "no label"
    return Explanation(type(model).__name__, shown, {}, how, tuple(reasons))


def _names(model: Any) -> list[str]:
    if "labels_" in vars(model):
        return [str(label) for label in model.labels_.tolist()]
    return vars(model).get("target_names_") or [f"y{j}" for j in range(len(model.classes_))]
