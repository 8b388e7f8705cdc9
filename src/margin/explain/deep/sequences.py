"""How recurrent networks explain one answer: what it would be without each token, or without each step."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.deep.sequences.classifier import SequenceClassifier
from margin.deep.sequences.ragged import Ragged
from margin.explain.explanation import Explanation, Reason
from margin.explain.models import answer_of, explain, factor_in_words, first_two

__all__ = ["left_out_pulls"]


def left_out_pulls(model: SequenceClassifier, steps: np.ndarray, first: int, second: int) -> np.ndarray:
    """How much the log-odds of two classes lose when a step is taken out of a sequence, by step."""
    without = [np.delete(steps, at, axis=0) for at in range(len(steps))]
    logits = model._logits(Ragged.of([steps, *without]))
    odds = logits[:, first] - logits[:, second]
    return np.asarray(odds[0] - odds[1:])


@explain.register
def _(model: SequenceClassifier, X: Any) -> Explanation:
    answer, probabilities = answer_of(model, X)
    first, second = first_two(probabilities)
    steps = model._encoded(X, "explain").flat
    pulls = left_out_pulls(model, steps, first, second) if len(steps) else np.zeros(0)
    known, loser = model._encoder.vocabulary, str(model.classes_[second])
    reasons = []
    for at, pull in enumerate(pulls):
        code = int(steps[at]) if known is not None else 0
        token = "unknown" if not code else repr(known.tokens[code - 1]) if known is not None else ""
        what = f"step {at + 1}" if known is None else f"{token} ({at + 1})"
        reasons.append(Reason(what, factor_in_words(float(pull), loser), float(pull)))
    each = "step" if known is None else "token"
    side = f"{model.classes_[first]} against {loser}"
    how = f"Each line multiplies the odds of {side}: what they lose if that {each} is left out."
    return Explanation(type(model).__name__, answer, probabilities, how, tuple(reasons))
