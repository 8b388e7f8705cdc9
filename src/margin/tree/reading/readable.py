"""Reading a fitted tree: printed, as rules, as a graph, or the path of one record."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.inputs.arrays import check_one_row
from margin.data.schema import Column
from margin.errors import ParameterError, closest
from margin.tree.nodes import Tree
from margin.tree.reading.decision_path import Path, path_of
from margin.tree.reading.named_tree import DescribedTree
from margin.tree.reading.rules import Rules, rules_of
from margin.tree.reading.text import Show, dot_of, text_of
from margin.typing import TableLike

__all__ = ["TreeReading"]


class TreeReading:
    """What every model that is one tree, ``tree_``, can show of it."""

    # What the models that inherit this have.
    _answers: Any
    _encoded: Any
    _fitted: Any
    _told_apart: Any
    predict: Any
    classes_: Any
    n_outputs_: int
    tree_: Tree

    def text(self, *, max_depth: int | None = None, digits: int = 6, show: Show = "errors") -> str:
        """The tree in letters, one line per branch.

        A leaf says its class and, in brackets, the weight of its training cases and of those of other classes
        (``show="errors"``), or what it holds of each class (``"counts"``, ``"shares"``). Below ``max_depth`` leaves are
        only counted.

        >>> from margin import ID3
        >>> from margin.data import catalog
        >>> X, y = catalog.load("weather_nominal").target("play")
        >>> print(ID3().fit(X, y).text())
        outlook = overcast: yes (4.0)
        outlook = rainy
        |   windy = FALSE: yes (3.0)
        |   windy = TRUE: no (2.0)
        outlook = sunny
        |   humidity = high: no (3.0)
        |   humidity = normal: yes (2.0)
        """
        described = self._described("text")
        if show not in (shows := ("errors", "counts", "shares")):
            known = ", ".join(map(repr, shows))
            raise ParameterError(f"text(show={show!r}): show must be one of {known}{closest(show, shows)}.")
        return text_of(described, max_depth, digits, show)

    def rules(self, *, empty: bool = False, confidence: float = 0.95) -> Rules:
        """One rule for each leaf, each column named once, with support and confidence.

        ``confidence`` is that of the intervals. Leaves that no training case reached are left out unless ``empty``.

        >>> from margin import ID3
        >>> from margin.data import catalog
        >>> X, y = catalog.load("weather_nominal").target("play")
        >>> print(ID3().fit(X, y).rules().sorted("support")[0])
        if outlook = overcast then yes (4 cases, 28.6%; confidence 1.000 [0.510, 1.000])
        """
        return rules_of(self._described("rules"), empty=empty, confidence=confidence)

    def path(self, X: TableLike) -> Path:
        """The way of the one row X through the tree: each test with the row's value and the numbers at the node.

        >>> from margin import ID3
        >>> from margin.data import catalog
        >>> X, y = catalog.load("weather_nominal").target("play")
        >>> print(ID3().fit(X, y).path(X.take([0])))
        14 cases: yes 64.3%, no 35.7%
        outlook = sunny (gain 0.247): 5 cases, no 60.0%, yes 40.0%
        humidity = high (gain 0.971): 3 cases, no 100.0%
        answer: no
        """
        described = self._described("path")
        encoded = self._encoded(X, "path")
        check_one_row(encoded, f"{type(self).__name__}.path")
        answer = self.predict(X)[0]
        return path_of(described, encoded, tuple(answer.tolist()) if np.ndim(answer) else answer)

    def to_dot(self, *, max_depth: int | None = None, digits: int = 4) -> str:
        """The tree as a graph in the language of Graphviz; ``dot -Tsvg`` draws it."""
        return dot_of(self._described("to_dot"), max_depth, digits)

    def _described(self, method: str) -> DescribedTree:
        """The tree with its words."""
        model = self._fitted(method)
        tree = model.tree_
        columns = list(model._columns.described())
        inputs = tuple(_core_order(columns))
        one = hasattr(model, "classes_") and model.n_outputs_ == 1
        return DescribedTree(tree, inputs, tuple(model.classes_.tolist()) if one else None, model._node_answers(tree))

    def _node_answers(self, tree: Tree) -> np.ndarray:
        """What each node of a tree would answer if it were a leaf; of several outputs a tuple."""
        if not hasattr(self, "classes_"):
            return _tuples(tree.value) if self.n_outputs_ > 1 else tree.value[:, 0]
        total = tree.value.sum(axis=1, keepdims=True)
        answers = self._answers(None, self._told_apart(tree.value / np.where(total > 0, total, 1.0)))
        return _tuples(answers) if self.n_outputs_ > 1 else answers


def _tuples(rows: np.ndarray) -> np.ndarray:
    """A tuple for each row."""
    found = np.empty(len(rows), dtype=object)
    found[:] = [tuple(row) for row in rows.tolist()]
    return found


def _core_order(columns: list[Column]) -> list[Column]:
    """Numbers first, then coded columns: as the tree counts them."""
    return [c for c in columns if c.is_numeric] + [c for c in columns if not c.is_numeric]
