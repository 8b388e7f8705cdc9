"""Rules of one's own as weak learners: functions of rows, or conditions on columns, and the class they speak for."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.data.table import Table
from margin.errors import ParameterError, closest, listing
from margin.typing import Encoded

__all__ = ["GivenRule", "RuleBook"]

WHO = "AdaBoostClassifier"
_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_CONDITION = re.compile(r"^(?P<column>.*?)\s*(?P<sign>==|!=|<=|>=|<|>)\s*(?P<value>.+)$")
_YES = {"yes", "true", "y", "t", "1", "1.0"}


@dataclass(frozen=True, eq=False)
class GivenRule:
    """A rule: rows for which it holds are of one class, all others of the other one.

    ``text`` are conditions on columns joined by ``and``.
    """

    text: str
    code: int

    def answers(self, X: Encoded) -> np.ndarray:
        """The code of each row."""
        return np.where(self.holds(X), self.code, 1 - self.code)

    def holds(self, X: Encoded) -> np.ndarray:
        """Whether it holds for each row."""
        found = np.ones(X.shape[0], dtype=bool)
        for condition in re.split(r"\s+and\s+", self.text):
            found &= _holds(condition.strip(), X, self.text)
        return found


@dataclass(frozen=True, eq=False)
class FunctionRule(GivenRule):
    """A rule that a function of the rows decides; model files cannot hold it."""

    function: Callable[[Any], Any]

    def holds(self, X: Encoded) -> np.ndarray:
        try:
            found = np.asarray(self.function(X))
        except Exception as error:
            raise ParameterError(
                f"{WHO}(estimator=[{self.text}, …]): the function must say True or False of each row, but failed with "
                f"{type(error).__name__}: {error}."
            ) from error
        if found.shape != (X.shape[0],) or found.dtype.kind != "b":
            raise ParameterError(
                f"{WHO}(estimator=[{self.text}, …]): a function must give True or False for each of the {X.shape[0]} "
                f"rows, not {found.dtype} of shape {found.shape}."
            )
        return found


def _column(name: str, X: Encoded, rule: str) -> tuple[np.ndarray, Any]:
    """The cells of a column and, where they are codes, what these stand for."""
    name = name.strip().strip("`")
    names = list(X.names) if isinstance(X, Table) else [f"x{j}" for j in range(X.shape[1])]
    if name not in names:
        raise ParameterError(
            f"{WHO}(estimator=[{rule!r}, …]): {name!r} is none of the columns, which are {listing(names)}"
            f"{closest(name, names)}."
        )
    if not isinstance(X, Table):
        cells = X[:, names.index(name)]
        return (cells.toarray() if hasattr(cells, "toarray") else np.asarray(cells)).ravel(), None
    column = X.schema[name]
    return X.cells(name), None if column.is_numeric else column.levels


def _holds(condition: str, X: Encoded, rule: str) -> np.ndarray:
    """Where a condition holds; never where the cell is missing."""
    found = _CONDITION.match(condition)
    negated = found is None and condition.startswith("not ")
    cells, levels = _column(found["column"] if found else condition[4 * negated :], X, rule)
    if found is None:  # a column of yes and no
        if levels is None:
            return ((cells == 0) if negated else (cells != 0)) & ~np.isnan(cells)
        yes = np.array([str(level).lower() in _YES for level in levels] + [negated], dtype=bool)
        return yes[cells] != negated
    value, sign = found["value"].strip().strip("'\""), _SIGNS[found["sign"]]
    if levels is None:
        try:
            wanted = float(value)
        except ValueError:
            raise ParameterError(
                f"{WHO}(estimator=[{rule!r}, …]): {found['column'].strip()!r} is a column of numbers, and {value!r} "
                "is none."
            ) from None
        return np.asarray(sign(cells, wanted)) & ~np.isnan(cells)
    words = [str(level) for level in levels]
    if value not in words:
        raise ParameterError(
            f"{WHO}(estimator=[{rule!r}, …]): {found['column'].strip()!r} holds {listing(words)}, not {value!r}"
            f"{closest(value, words)}."
        )
    truth = np.array([bool(sign(k, words.index(value))) for k in range(len(words))] + [False])
    return truth[cells]


class RuleBook:
    """Rules to choose from: in each round the one that is most right, or most wrong, under the weights."""

    def __init__(self, rules: Sequence[Any], classes: np.ndarray, X: Encoded) -> None:
        if len(classes) != 2:
            raise ParameterError(f"{WHO}(estimator=[…]): rules tell two classes apart, but y has {len(classes)}.")
        self.rules = [_given(rule, classes) for rule in rules]
        self.said = np.array([rule.answers(X) for rule in self.rules])

    def best(self, weight: np.ndarray, y: np.ndarray) -> GivenRule:
        """Of equally good rules the first."""
        errors = (self.said != y) @ weight
        edge = np.abs(0.5 - errors / weight.sum())
        return self.rules[int(np.flatnonzero(edge >= edge.max() - 1e-12)[0])]


def _given(rule: Any, classes: np.ndarray) -> GivenRule:
    """A rule as it may be written: ``"condition -> class"``, or a function and the class that it speaks for."""
    labels = classes.tolist()
    if isinstance(rule, str):
        text, arrow, label = rule.rpartition("->")
        label = label.strip().strip("'\"")
        known = {str(one): code for code, one in enumerate(labels)}
        if not arrow or label not in known or not text.strip():
            raise ParameterError(
                f"{WHO}(estimator=[{rule!r}, …]): a rule reads 'condition -> class', the class being one of "
                f"{listing(labels)}{closest(label, known)}."
            )
        return GivenRule(text.strip(), known[label])
    if isinstance(rule, tuple) and len(rule) == 2 and callable(rule[0]) and rule[1] in labels:
        return FunctionRule(getattr(rule[0], "__name__", "a function"), labels.index(rule[1]), rule[0])
    raise ParameterError(
        f"{WHO}(estimator=[{rule!r}, …]): a rule must be text, 'condition -> class', or a function and the class that "
        f"it speaks for, one of {listing(labels)}."
    )
