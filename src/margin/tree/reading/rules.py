"""A tree as rules: one for each leaf, each column named once, with the cases it holds for and how often it is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

from margin.errors import ParameterError, closest
from margin.evaluation.intervals.interval import Interval, Score, proportion_interval
from margin.tree.reading.conditions import Condition, answer_words, number
from margin.tree.reading.named_tree import DescribedTree

__all__ = ["Rule", "Rules", "rules_of"]


@dataclass(frozen=True)
class Rule:
    """If all conditions hold, then the answer.

    Attributes
    ----------
    conditions
        What must hold, at most one condition for each column.
    answer
        The class, or the number of a regression; of several outputs a tuple.
    cases
        Training cases for which it holds, by weight.
    support
        Their share of all training cases.
    confidence
        How often the answer was right among them, with an interval (Wilson); None for a regression
        and for several outputs.
    counts
        The weight of each class among them; empty for a regression and for several outputs.
    node
        The leaf it was read from.
    """

    conditions: tuple[Condition, ...]
    answer: Any
    cases: float
    support: float
    confidence: Score | None
    counts: dict[Any, float]
    node: int

    def text(self, digits: int = 6) -> str:
        """The rule in one line."""
        demands = " and ".join(condition.text(digits) for condition in self.conditions)
        is_number = self.confidence is None and not self.counts
        answer = answer_words(self.answer, digits) if is_number else self.answer
        cases = f"{number(self.cases)} case{'' if self.cases == 1 else 's'}, {self.support:.1%}"
        how_sure = f"; confidence {self.confidence}" if self.confidence is not None else ""
        return f"{f'if {demands} then ' if demands else ''}{answer} ({cases}{how_sure})"

    def __str__(self) -> str:
        return self.text()


class Rules(Sequence[Rule]):
    """The rules of a tree, in the order of its leaves unless sorted."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = tuple(rules)

    def sorted(self, by: Literal["support", "confidence", "length"] = "support") -> Rules:
        """Those that hold for most cases first, or the surest (by the lower end of the interval), or the shortest."""
        keys = {
            "support": lambda rule: -rule.support,
            "confidence": lambda rule: -_lower_end(rule),
            "length": lambda rule: len(rule.conditions),
        }
        if by not in keys:
            known = ", ".join(map(repr, keys))
            raise ParameterError(f"Rules.sorted(by={by!r}): by must be one of {known}{closest(by, keys)}.")
        return Rules(sorted(self._rules, key=keys[by]))

    def to_dicts(self) -> list[dict[str, Any]]:
        """One dictionary per rule, for a data frame."""
        return [
            {
                "rule": " and ".join(map(str, rule.conditions)),
                "answer": rule.answer,
                "cases": rule.cases,
                "support": rule.support,
                "confidence": None if rule.confidence is None else rule.confidence.value,
            }
            for rule in self._rules
        ]

    @overload
    def __getitem__(self, at: int) -> Rule: ...
    @overload
    def __getitem__(self, at: slice) -> Rules: ...
    def __getitem__(self, at: int | slice) -> Rule | Rules:
        return Rules(self._rules[at]) if isinstance(at, slice) else self._rules[at]

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    def text(self, digits: int = 6) -> str:
        """One line per rule."""
        return "\n".join(rule.text(digits) for rule in self._rules)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Rules({len(self)})\n{self}" if len(self) <= 50 else f"Rules({len(self)})"


def rules_of(described: DescribedTree, *, empty: bool = False, confidence: float = 0.95) -> Rules:
    """The rules of all leaves; those that no training case reached are left out unless ``empty``."""
    tree = described.tree
    demands: dict[int, dict[str, Condition]] = {0: {}}
    rules = []
    for node in range(tree.n_nodes):
        above = demands.pop(node)
        if tree.is_leaf[node]:
            if empty or tree.weight[node] > 0:
                rules.append(_rule(described, node, above, confidence))
            continue
        for child, condition in zip(tree.children(node).tolist(), described.conditions(node), strict=True):
            name = condition.column.name
            demands[child] = {**above, name: above[name] & condition if name in above else condition}
    return Rules(rules)


def _rule(described: DescribedTree, node: int, demands: dict[str, Condition], confidence: float) -> Rule:
    tree = described.tree
    weight = float(tree.weight[node])
    kept = tuple(condition for condition in demands.values() if not condition.demands_nothing)
    answer = described.answers[node]
    answer = answer.item() if hasattr(answer, "item") else answer
    support = weight / float(tree.weight[0])
    if described.classes is None:
        return Rule(kept, answer, weight, support, None, {}, node)
    counts = {label: float(w) for label, w in zip(described.classes, tree.value[node], strict=True) if w > 0}
    if weight == 0:
        return Rule(kept, answer, weight, support, None, {}, node)
    right = float(described.shares[node, described.answer_codes[node]])
    # Weights may count rows many times; how sure a share is depends on the rows themselves.
    trials = min(weight, float(tree.cases[node]))
    interval: Interval = proportion_interval(right * trials, trials, confidence, "wilson")
    return Rule(kept, answer, weight, support, Score(right, interval, "training cases of the leaf"), counts, node)


def _lower_end(rule: Rule) -> float:
    if rule.confidence is None or rule.confidence.interval is None:
        return 0.0
    return rule.confidence.interval.low
