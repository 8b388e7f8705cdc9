"""What an explanation is: the answer, how sure it is, and the reasons in the terms of the model's own method."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from typing import Any

__all__ = ["Explanation", "Reason"]


@dataclass(frozen=True)
class Reason:
    """One step towards the answer: what was looked at, what it said, and how strongly.

    Strength is signed: above 0 for the answer, below against it, 0 nothing, infinite where it decides alone.

    >>> Reason("colour = red", "× 2", 0.693).strength
    0.693
    """

    what: str
    says: str
    strength: float = 0.0


@dataclass(frozen=True)
class Explanation:
    """Why a model gave one case its class.

    ``how`` says in a sentence what the numbers in the reasons are.

    >>> why = Explanation("Model", "yes", {"no": 0.25, "yes": 0.75}, "Odds.", (Reason("windy", "× 3", 1.1),))
    >>> print(why)
    Model: yes (75.0%), then no (25.0%)
    Odds.
      windy  × 3
    """

    model: str
    answer: Any
    probabilities: dict[Any, float]
    how: str
    reasons: tuple[Reason, ...]

    def headline(self) -> str:
        """The answer with its probability, and the next best class."""
        if self.answer is None:
            return f"{self.model}: no answer"
        ranked = sorted(self.probabilities.items(), key=lambda item: -item[1])
        text = f"{self.model}: {self.answer} ({ranked[0][1]:.1%})" if ranked else f"{self.model}: {self.answer}"
        return text + (f", then {ranked[1][0]} ({ranked[1][1]:.1%})" if len(ranked) > 1 else "")

    def text(self) -> str:
        """The explanation for a terminal."""
        width = max((len(reason.what) for reason in self.reasons), default=0)
        lines = [f"  {reason.what:<{width}}  {reason.says}" for reason in self.reasons]
        return "\n".join([self.headline(), self.how, *lines])

    def html(self) -> str:
        """The explanation as an HTML fragment, with a bar for the strength of each reason."""
        finite = [abs(reason.strength) for reason in self.reasons if math.isfinite(reason.strength)]
        most = max(finite, default=0.0) or 1.0
        rows = "".join(
            f"<tr><td>{html.escape(reason.what)}</td><td>{html.escape(reason.says)}</td>"
            f"<td>{_bar(max(-1.0, min(1.0, reason.strength / most)))}</td></tr>"
            for reason in self.reasons
        )
        return (
            f'<div class="explanation"><p><strong>{html.escape(self.headline())}</strong></p>'
            f"<p>{html.escape(self.how)}</p><table>{rows}</table></div>"
        )

    def _repr_html_(self) -> str:
        return self.html()

    def __str__(self) -> str:
        return self.text()


def _bar(share: float) -> str:
    """A bar from the middle: to the right for the answer, to the left against it."""
    length = 60 * abs(share)
    left = 60 if share >= 0 else 60 - length
    side = "for" if share >= 0 else "against"
    return (
        '<svg width="120" height="10" viewBox="0 0 120 10" role="img" aria-label="' + side + '">'
        f'<rect class="bar-{side}" x="{left:.1f}" y="1" width="{length:.1f}" height="8"/>'
        '<line class="bar-axis" x1="60" y1="0" x2="60" y2="10"/></svg>'
    )
