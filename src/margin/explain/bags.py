"""How bags explain one answer: how many members are for it."""

from __future__ import annotations

import numpy as np

from margin.base.inputs.arrays import check_one_row
from margin.base.meta.inner_model import last_step
from margin.ensemble.bagging.bagging import BaggingClassifier, BaggingRegressor
from margin.explain.explanation import Explanation, Reason
from margin.explain.models import answer_of, explain
from margin.typing import TableLike

__all__: list[str] = []


@explain.register
def _(model: BaggingClassifier, X: TableLike) -> Explanation:
    answer, probabilities = answer_of(model, X)
    encoded, labels = model._encoded(X, "predict"), model.classes_.tolist()
    check_one_row(encoded, "explain(BaggingClassifier, X)")
    votes = np.bincount(model._voted(encoded)[0], minlength=len(labels))
    shares = model._summed(encoded, len(labels))[0] / len(model.members_)
    soft = model.voting_ == "soft"
    reasons = tuple(
        Reason(
            f"members for {label}",
            f"{count:,} of {len(model.members_):,}" + (f", mean probability {share:.1%}" if soft else ""),
            float(share) * (1 if label == answer else -1),
        )
        for label, count, share in zip(labels, votes.tolist(), shares.tolist(), strict=True)
        if share > 0
    )
    said = "says how probable the classes are; the mean" if soft else "has a vote; what most of them say"
    how = f"Each of {len(model.members_):,} members ({_kind(model)}, learnt from other rows) {said} is answered."
    return Explanation("BaggingClassifier", answer, probabilities, how, reasons)


@explain.register
def _(model: BaggingRegressor, X: TableLike) -> Explanation:
    encoded = model._encoded(X, "predict")
    check_one_row(encoded, "explain(BaggingRegressor, X)")
    said = np.sort(model._voted(encoded)[0])
    answer = model.predict(X)[0].item()
    reasons = tuple(
        Reason(f"{len(part):,} members", f"{part[0]:.4g} to {part[-1]:.4g}", float(part.mean() - answer))
        for part in np.array_split(said, min(len(said), 4))
    )
    how = f"The answer is the mean of what {len(said):,} members say ({_kind(model)}, learnt from other rows)."
    return Explanation("BaggingRegressor", f"{answer:.6g}", {}, how, reasons)


def _kind(model: BaggingClassifier | BaggingRegressor) -> str:
    return type(last_step(model._inner())).__name__
