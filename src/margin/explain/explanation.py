"""What an explanation is: the answer, how sure it is, and the reasons in the terms of the model's own method."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from typing import Any

from margin.explain.plain import as_plain

__all__ = ["Explanation", "Reason"]

#: Reasons that are shown; the others are folded away or counted.
MOST_REASONS = 8


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
    #: The training row that it is about, if it is about one.
    row: int | None = None


@dataclass(frozen=True)
class Explanation:
    """Why a model gave one case its class.

    ``how`` says in a sentence what the numbers in the reasons are. Reasons that are steps on one way (``whole``)
    are all shown, however many there are.

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
    whole: bool = False

    def headline(self) -> str:
        """The answer with its probability, and the next best class."""
        if self.answer is None:
            return f"{self.model}: no answer"
        # The answer first: with some models another class can be more probable.
        ranked = sorted(self.probabilities.items(), key=lambda item: (item[0] != self.answer, -item[1]))
        text = f"{self.model}: {self.answer} ({ranked[0][1]:.1%})" if ranked else f"{self.model}: {self.answer}"
        return text + (f", then {ranked[1][0]} ({ranked[1][1]:.1%})" if len(ranked) > 1 else "")

    def text(self, most: int = MOST_REASONS) -> str:
        """The explanation for a terminal, with the strongest reasons."""
        shown, rest = self._strongest(most)
        width = max((len(reason.what) for reason in shown), default=0)
        lines = [f"  {reason.what:<{width}}  {reason.says}" for reason in shown]
        more = [f"  … and {_weaker(len(rest))}"] if rest else []
        return "\n".join([self.headline(), self.how, *lines, *more])

    def html(self) -> str:
        """The explanation as an HTML fragment that stands alone."""
        headline = f"<p><strong>{html.escape(self.headline())}</strong></p>"
        return f'<div class="explanation">{headline}{self.reasons_html()}</div>'

    def reasons_html(self, most: int = MOST_REASONS) -> str:
        """How the answer came about, with a bar for each of the strongest reasons and the others folded away."""
        longest = max((abs(reason.strength) for reason in self.reasons if abs(reason.strength) < math.inf), default=0.0)
        shown, rest = self._strongest(most)
        folded = f"<details><summary>{_weaker(len(rest))}</summary>{_table(rest, longest)}</details>" if rest else ""
        return f'<p class="how">{html.escape(self.how)}</p>{_table(shown, longest)}{folded}'

    def _strongest(self, most: int) -> tuple[list[Reason], list[Reason]]:
        """The strongest reasons and the others, both in the order they were given."""
        if self.whole or len(self.reasons) <= most + 1:  # nothing is saved by folding a single one
            return list(self.reasons), []
        order = sorted(range(len(self.reasons)), key=lambda i: -abs(self.reasons[i].strength))
        strong = set(order[:most])
        return (
            [reason for i, reason in enumerate(self.reasons) if i in strong],
            [reason for i, reason in enumerate(self.reasons) if i not in strong],
        )

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain data, for JSON.

        >>> Explanation("Model", "yes", {"yes": 1.0}, "Odds.", (Reason("windy", "× 3", 1.5),)).to_dict()["reasons"]
        [{'what': 'windy', 'says': '× 3', 'strength': 1.5, 'row': None}]
        """
        return as_plain({**vars(self), "reasons": [vars(reason) for reason in self.reasons]})

    def _repr_html_(self) -> str:
        return self.html()

    def __str__(self) -> str:
        return self.text()


def _weaker(n: int) -> str:
    return f"{n} more, no stronger than these"


def _table(reasons: list[Reason], longest: float) -> str:
    rows = "".join(
        f"<tr><td>{html.escape(reason.what)}</td><td>{_bar(reason.strength, longest)}</td>"
        f"<td>{html.escape(reason.says).replace('× ', '×&nbsp;')}</td></tr>"
        for reason in reasons
    )
    return f'<table class="reasons">{rows}</table>'


def _bar(strength: float, longest: float) -> str:
    """A bar from the middle: to the right for the answer, to the left against it.

    The colours are for where no style sheet gives others.
    """
    share = strength / longest if longest and abs(strength) < math.inf else math.copysign(1.0, strength or 0.0)
    length = 64 * abs(share) if strength else 0.0
    left = 65 if share >= 0 else 65 - length
    side, colour = ("for", "#26688b") if share >= 0 else ("against", "#a83c32")
    return (
        f'<svg width="130" height="12" viewBox="0 0 130 12" role="img" aria-label="{side}">'
        '<line class="bar-axis" x1="65" y1="0" x2="65" y2="12" stroke="#aaa"/>'
        f'<rect class="bar-{side}" fill="{colour}" x="{left:.1f}" y="2" width="{length:.1f}" height="8" rx="1.5"/>'
        "</svg>"
    )
