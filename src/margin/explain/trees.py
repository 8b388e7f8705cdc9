"""How trees explain one answer: the questions on the way to the leaf, and how each moved the shares."""

from __future__ import annotations

from collections.abc import Iterator

from margin.explain.explanation import Explanation, Reason
from margin.explain.models import answer_of, explain
from margin.tree.reading.conditions import answer_words
from margin.tree.reading.decision_path import Path, Step
from margin.tree.tree_model import TreeClassifier, TreeRegressor
from margin.typing import TableLike

__all__: list[str] = []


@explain.register
def _(model: TreeClassifier, X: TableLike) -> Explanation:
    if model.n_outputs_ > 1:
        return _of_several(model, X)
    answer, probabilities = answer_of(model, X)
    path = model.path(X)
    name = type(model).__name__
    if len(path) == 1:
        return Explanation(name, answer, probabilities, "The tree is one leaf: it asks nothing.", ())
    before = path.steps[0]
    key = before.answer if path.answer not in before.shares else path.answer
    how = (
        f"Each line is a question on the way to the leaf, and what it makes of the share of {key}, "
        f"which is {before.shares[key]:.1%} among all {before.cases:,} training rows."
    )
    return Explanation(name, answer, probabilities, how, tuple(_share_reasons(path, key)), True)


def _share_reasons(path: Path, label: object) -> list[Reason]:
    reasons = []
    for parent, step in _questions(path):
        was, now = parent.shares[label], step.shares[label]
        says = f"{_cases(step)}, {was:.1%} → {now:.1%}"
        reasons.append(Reason(step.test, says, (now - was) * step.part))
    return reasons


def _questions(path: Path) -> Iterator[tuple[Step, Step]]:
    """Each node on the way with its parent: where a cell is missing there are several ways down."""
    above = {0: path.steps[0]}
    for step in path.steps[1:]:
        yield above[step.depth - 1], step
        above[step.depth] = step


@explain.register
def _(model: TreeRegressor, X: TableLike) -> Explanation:
    if model.n_outputs_ > 1:
        return _of_several(model, X)
    answer = model.predict(X)[0].item()
    path = model.path(X)
    first = path.steps[0]
    how = (
        "Each line is a question on the way to the leaf, and what it makes of the answer, "
        f"which is {first.answer:.4g} for all {first.cases:,} training rows."
    )
    reasons = []
    for parent, step in _questions(path):
        says = f"{_cases(step)}, {parent.answer:.4g} → {step.answer:.4g}"
        reasons.append(Reason(step.test, says, (step.answer - parent.answer) * step.part))
    return Explanation(type(model).__name__, f"{answer:.6g}", {}, how, tuple(reasons), True)


def _of_several(model: TreeClassifier | TreeRegressor, X: TableLike) -> Explanation:
    """Of several outputs: what each question makes of the answers; it counts by how much it lowers the impurity."""
    path, impurity = model.path(X), model.tree_.impurity
    first = path.steps[0]
    how = (
        "Each line is a question on the way to the leaf, and what it makes of the answers, "
        f"which are {answer_words(first.answer, 4)} for all {first.cases:,} training rows."
    )
    reasons = []
    for parent, step in _questions(path):
        says = f"{_cases(step)}, {answer_words(step.answer, 4)}"
        reasons.append(Reason(step.test, says, float(impurity[parent.node] - impurity[step.node]) * step.part))
    return Explanation(type(model).__name__, answer_words(path.answer), {}, how, tuple(reasons), True)


def _cases(step: Step) -> str:
    return f"{step.cases:,} row{'' if step.cases == 1 else 's'}"
