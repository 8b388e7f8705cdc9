"""How forests explain one answer: how many trees are for it, and the columns that trees asked about on the way."""

from __future__ import annotations

import numpy as np

from margin.ensemble.forest.answering import ForestClassifier, ForestRegressor
from margin.explain.explanation import Explanation, Reason
from margin.explain.models import answer_of, explain
from margin.typing import TableLike

__all__: list[str] = []


@explain.register
def _(model: ForestClassifier, X: TableLike) -> Explanation:
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
    return Explanation(type(model).__name__, answer, probabilities, how, reasons)


@explain.register
def _(model: ForestRegressor, X: TableLike) -> Explanation:
    said = np.sort(model._votes_of(X, "predict")[0][:, 0])
    answer = model.predict(X)[0].item()
    parts = np.array_split(said, min(len(said), 4))
    reasons = tuple(
        Reason(f"{len(part):,} trees", f"{part[0]:.4g} to {part[-1]:.4g}", float(part.mean() - answer))
        for part in parts
    )
    how = f"Each of {len(said):,} trees answers the mean of its leaf; the mean of these is answered."
    return Explanation(type(model).__name__, f"{answer:.6g}", {}, how, reasons)
