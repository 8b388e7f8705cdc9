"""How forests explain one answer: how many trees are for it, and the columns that trees asked about on the way."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.ensemble.forest.answering import ForestClassifier, ForestRegressor
from margin.explain.explanation import Explanation, Reason
from margin.explain.models import answer_of, explain
from margin.tree.reading.conditions import answer_words
from margin.tree.several_outputs import per_output
from margin.typing import TableLike

__all__: list[str] = []


@explain.register
def _(model: ForestClassifier, X: TableLike) -> Explanation:
    if model.outputs_2d_:
        return _of_several_classes(model, X)
    answer, probabilities = answer_of(model, X)
    said = model._votes_of(X, "predict")[0]
    winners = np.bincount(said.argmax(axis=1), minlength=said.shape[1])
    shares, labels = said.mean(axis=0), model.classes_.tolist()
    reasons = tuple(
        Reason(
            f"trees for {label}",
            f"{votes:,} of {len(said):,}, mean share {share:.1%}",
            float(share) * (1 if label == answer else -1),
        )
        for label, votes, share in zip(labels, winners.tolist(), shares.tolist(), strict=True)
        if share > 0
    )
    how = f"Each of {len(said):,} trees says how the classes share its leaf; the mean is answered."
    if model._costs is not None:
        how = f"{how.removesuffix('the mean is answered.')}what costs least by their mean is answered."
    return Explanation(type(model).__name__, answer, probabilities, how, reasons)


@explain.register
def _(model: ForestRegressor, X: TableLike) -> Explanation:
    if model.n_outputs_ > 1:
        return _of_several_values(model, X)
    said = np.sort(model._votes_of(X, "predict")[0][:, 0])
    answer = model.predict(X)[0].item()
    parts = np.array_split(said, min(len(said), 4))
    reasons = tuple(
        Reason(f"{len(part):,} trees", f"{part[0]:.4g} to {part[-1]:.4g}", float(part.mean() - answer))
        for part in parts
    )
    how = f"Each of {len(said):,} trees answers the mean of its leaf; the mean of these is answered."
    return Explanation(type(model).__name__, f"{answer:.6g}", {}, how, reasons)


def _of_several_classes(model: ForestClassifier, X: TableLike) -> Explanation:
    """A line for each output: how many trees are for the class that is answered."""
    outputs = [output[0] for output in per_output(model._votes_of(X, "predict").transpose(0, 2, 1), _sizes(model))]
    reasons = []
    for name, said, labels in zip(_names(model), outputs, model.classes_, strict=True):
        shares = said.mean(axis=1)
        winner = int(shares.argmax())
        votes = int((said.argmax(axis=0) == winner).sum())
        says = f"{votes:,} of {said.shape[1]:,} trees, mean share {shares[winner]:.1%}"
        reasons.append(Reason(f"{name}: {labels[winner]}", says, float(shares[winner])))
    how = f"Each of {model.trees_.n_trees:,} trees says how the classes of every target share its leaf."
    return Explanation(type(model).__name__, _words(model.predict(X)[0]), {}, how, tuple(reasons))


def _of_several_values(model: ForestRegressor, X: TableLike) -> Explanation:
    """A line for each output: what most of the trees answer."""
    said = model._votes_of(X, "predict")[0]
    low, high = np.quantile(said, [0.1, 0.9], axis=0)
    reasons = tuple(
        Reason(f"target {k}", f"{mean:.4g}; four of five trees from {low[k]:.4g} to {high[k]:.4g}", float(mean))
        for k, mean in enumerate(said.mean(axis=0).tolist())
    )
    how = f"Each of {len(said):,} trees answers the means of its leaf; the mean of these is answered."
    return Explanation(type(model).__name__, _words(model.predict(X)[0]), {}, how, reasons)


def _words(answer: Any) -> str:
    """The answers to all targets, or a set of labels."""
    return answer_words(tuple(answer.tolist()) if isinstance(answer, np.ndarray) else answer)


def _sizes(model: ForestClassifier) -> list[int]:
    return [len(labels) for labels in model.classes_]


def _names(model: ForestClassifier) -> list[str]:
    """What the targets are called: labels of sets, names of columns, or their numbers."""
    for known in ("labels_", "target_names_"):
        if known in vars(model):
            return [str(name) for name in getattr(model, known)]
    return [f"target {k}" for k in range(len(model.classes_))]
