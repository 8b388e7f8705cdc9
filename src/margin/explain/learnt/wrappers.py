"""What models around models have learnt: how they divide the work, what they chose, and what is inside them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from margin.bayes import CalibratedClassifier, ThresholdClassifier
from margin.errors import MarginError
from margin.explain.learnt.describing import Given, sections_of
from margin.explain.learnt.ensembles import kind_of_member
from margin.explain.learnt.sections import Section, table
from margin.multiclass import ClassifierChain, ErrorCorrectingCodes, OneVsOne, OneVsRest
from margin.selection.search.search import Search

__all__: list[str] = []

#: Members that are told of.
MOST = 60


def _of_inside(title: str, fitted: Any, given: Given) -> list[Section]:
    """The sections of a model inside, under its name."""
    return [replace(each, title=f"{title}: {each.title}") for each in sections_of(fitted, given)]


def _asks(member: Any) -> str:
    """What a member inside looks at most: its largest coefficients, or its first question."""
    model = getattr(member, "model", member)
    if model is None:
        return "always the same answer"
    coef = getattr(model, "coef_", None)
    if coef is not None and hasattr(model, "coef_names_"):
        one = np.abs(np.atleast_2d(np.asarray(coef))).max(axis=0)
        order = np.argsort(-one, kind="stable")[:3]
        return ", ".join(f"{model.coef_names_[j]} {np.atleast_2d(coef)[0, j]:+.3g}" for j in order)
    if hasattr(model, "tree_") and hasattr(model, "text"):
        return str(model.text()).splitlines()[0]
    return type(model).__name__


@sections_of.register
def _(fitted: OneVsRest, given: Given) -> list[Section]:
    lists = fitted.classes_ if isinstance(fitted.classes_, list) else [fitted.classes_]
    rows = []
    for target, members in zip(lists, fitted.members_):
        labels = [str(label) for label in target]
        names = labels[1:] if len(members) == 1 and len(labels) == 2 else labels
        rows += [(f"{name} or not", kind_of_member(each), _asks(each)) for name, each in zip(names, members)]
    return [table("Members", "Each tells one class from the rest.", ("question", "kind", "looks at"), rows[:MOST])]


@sections_of.register
def _(fitted: OneVsOne, given: Given) -> list[Section]:
    labels = [str(label) for label in fitted.classes_]
    rows = [
        (f"{labels[a]} or {labels[b]}", kind_of_member(each), _asks(each))
        for (a, b), each in zip(np.asarray(fitted.pairs_).tolist(), fitted.members_)
    ]
    return [table("Members", "Each tells two classes apart.", ("question", "kind", "looks at"), rows[:MOST])]


@sections_of.register
def _(fitted: ErrorCorrectingCodes, given: Given) -> list[Section]:
    code, labels = np.asarray(fitted.code_), [str(label) for label in fitted.classes_]
    signs = {1: "+", -1: "-", 0: "·"}
    words = [(label, "".join(signs[int(bit)] for bit in row)) for label, row in zip(labels, code)]
    apart = [int(np.sum(a != b)) for i, a in enumerate(code) for b in code[:i]]
    how = f"A member for each letter; two classes differ in {min(apart, default=0)} letters at least, so that "
    how += f"{max(min(apart, default=1) - 1, 0) // 2} wrong members do no harm."
    rows = [(k, kind_of_member(each), _asks(each)) for k, each in enumerate(fitted.members_, 1)]
    return [
        table("Code words", how, ("class", "word"), words),
        table("Members", "", ("letter", "kind", "looks at"), rows[:MOST]),
    ]


@sections_of.register
def _(fitted: ClassifierChain, given: Given) -> list[Section]:
    if not fitted.outputs_2d_:
        inner = fitted._asked_model()
        return _of_inside(type(inner).__name__, inner, None)
    names = fitted.target_names()
    rows = [
        (k, " → ".join(names[j] for j in np.asarray(chain.order).tolist())) for k, chain in enumerate(fitted.chains_, 1)
    ]
    return [table("Chains", "Each target is answered with the answers of those before it.", ("chain", "order"), rows)]


@sections_of.register
def _(fitted: CalibratedClassifier, given: Given) -> list[Section]:
    inner = fitted.calibrated_[0].model
    rows = []
    for k, each in enumerate(fitted.calibrated_, 1):
        learnt = {} if each.map is None else vars(each.map)
        shown = ", ".join(f"{name} {_numbers(value)}" for name, value in learnt.items())
        rows.append((k, kind_of_member(each.model), type(each.map).__name__, shown))
    how = "What is said is put right by a map learnt on rows that the model inside had not learnt from."
    found = [table("Maps", how, ("part", "model", "map", "learnt"), rows)]
    return found if inner is None else [*found, *_of_inside(type(inner).__name__, inner, None)]


def _numbers(value: Any) -> str:
    numbers = np.ravel(np.asarray(value, dtype=object))
    shown = ", ".join(f"{each:.4g}" if isinstance(each, float) else f"{type(each).__name__}" for each in numbers[:4])
    return f"[{shown}{', …' if len(numbers) > 4 else ''}]"


@sections_of.register
def _(fitted: ThresholdClassifier, given: Given) -> list[Section]:
    inner = fitted.model_
    if fitted.threshold is None:
        rows: list[tuple[Any, ...]] = [("threshold", "none: the most probable class is answered")]
    else:
        positive = str(fitted.classes_[fitted.place_of_positive()])
        rows = [("class", positive), ("is answered from a probability of", float(fitted.threshold))]
    return [table("Threshold", "", ("what", "value"), rows), *_of_inside(type(inner).__name__, inner, given)]


@sections_of.register
def _(fitted: Search, given: Given) -> list[Section]:
    found = [Section("Search", "Settings that were tried, best first.", lines=str(fitted.results_))]
    chosen = [(name, repr(value)) for name, value in fitted.best_params_.items()]
    found.append(table("Chosen", "", ("parameter", "value"), chosen))
    inner = vars(fitted).get("model_")
    if inner is None:
        return found
    try:
        return [*found, *_of_inside(type(inner).__name__, inner, given)]
    except MarginError:
        return found
