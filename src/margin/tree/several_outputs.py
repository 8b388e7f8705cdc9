"""Trees for several targets at once: one tree, whose splits lower the mean of the impurities of all of them.

A node holds the weights of the classes of all outputs, one output after another, or the mean of each number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from margin import parallel
from margin.base.inputs.columns import Columns
from margin.base.targets.class_weight import class_factors
from margin.errors import ParameterError
from margin.tree.cart import ValueGrowth
from margin.tree.costs import in_few_bits
from margin.tree.criteria import criterion_of
from margin.tree.discretizer import interval_settings
from margin.tree.grow import grow
from margin.tree.nodes import Tree
from margin.tree.pruning.choose import losses_on_the_way
from margin.tree.pruning.recount import recounted_classes, recounted_values, with_gains
from margin.tree.pruning.subtrees import cut
from margin.tree.settings import stated
from margin.tree.training_rows import Rows

__all__ = ["SeveralClassesGrowth", "SeveralValuesGrowth", "check_one_tree", "output_factors", "per_output"]

#: What is about one target, with the settings that do not ask for it.
_OF_ONE_TARGET: dict[str, tuple[Any, ...]] = {
    "costs": (None,),
    "monotonic_cst": (None,),
    "max_p": (None,),
    "max_bins": (None,),
    "charge_levels": (False,),
    "numeric": ("threshold", "equal_width", "equal_count"),
    "prune": (None, "reduced_error", "cost_complexity"),
}


def check_one_tree(model: Any, of_classes: bool) -> None:
    """Refuse what a tree of several targets cannot do."""
    criteria = ("gini", "entropy", "log_loss", "gain_ratio") if of_classes else ("squared_error",)
    missing = ("direction", "surrogate", "surrogate_all", *(("fractional",) if of_classes else ()))
    allowed: dict[str, tuple[Any, ...]] = {**_OF_ONE_TARGET, "criterion": criteria, "missing": missing}
    for name, possible in allowed.items():
        value = getattr(model, name, possible[0])
        if not any(value is each or (isinstance(each, str | bool) and value == each) for each in possible):
            known = (
                " or ".join(map(repr, possible)) if len(possible) < 3 else f"one of {', '.join(map(repr, possible))}"
            )
            raise ParameterError(
                f"{type(model).__name__}({name}={value!r}): {name} must be {known} where y has several columns "
                "(fit one tree for each of them)."
            )


def output_factors(
    class_weight: Any, classes: Sequence[np.ndarray], y: np.ndarray, weight: np.ndarray, who: str
) -> Any:
    """A factor for each class of each output, one output after another; a row weighs the product of its own."""
    if class_weight is not None and not isinstance(class_weight, str):
        raise ParameterError(
            f"{who}(class_weight={class_weight!r}): class_weight must be None or 'balanced' where y has several "
            "columns."
        )
    totals = [np.bincount(codes, weight, len(labels)) for codes, labels in zip(y.T, classes, strict=True)]
    found = [class_factors(class_weight, labels, total, who) for labels, total in zip(classes, totals, strict=True)]
    return in_few_bits(np.concatenate(found))


def per_output(value: np.ndarray, n_classes: Sequence[int]) -> list[np.ndarray]:
    """The columns of each output.

    >>> [part.tolist() for part in per_output(np.array([[1.0, 2.0, 5.0, 6.0, 7.0]]), [2, 3])]
    [[[1.0, 2.0]], [[5.0, 6.0, 7.0]]]
    """
    return np.split(value, np.cumsum(n_classes)[:-1], axis=1)


@dataclass(frozen=True, eq=False)
class SeveralClassesGrowth:
    """Trees for the classes of several outputs, with the parameters of ``model``, which is read and never called."""

    model: Any
    columns: Columns
    n_classes: tuple[int, ...]
    factors: np.ndarray

    def how(self, rows: Rows) -> dict[str, Any]:
        settings = self._settings(rows, self._as_grown(rows))[0]
        return {"criterion": criterion_of(self.model.criterion).name, "settings": settings, "n_classes": self.n_classes}

    def _settings(self, rows: Rows, growing: Rows) -> tuple[dict[str, Any], int]:
        model = self.model
        settings, fewest = stated(model, self.columns.n, rows.weight, growing.weight)
        settings["gain_ratio"] = model.criterion == "gain_ratio"
        threads, static = parallel.n_threads(model.n_jobs), model.discretize == "static"
        return settings | interval_settings(growing, model.numeric, static, int(model.max_intervals), threads), fewest

    def grown(self, rows: Rows) -> Tree:
        growing, threads = self._as_grown(rows), parallel.n_threads(self.model.n_jobs)
        settings, fewest = self._settings(rows, growing)
        criterion = criterion_of(self.model.criterion).name
        tree = grow(*growing, criterion, settings, n_classes=self.n_classes, n_threads=threads)
        return cut(tree, tree.weight < fewest)

    def recounted(self, tree: Tree, rows: Rows) -> Tree:
        rows, criterion = self._as_grown(rows), criterion_of(self.model.criterion).name
        values = per_output(tree.value, self.n_classes)
        return _together(
            [
                recounted_classes(replace(tree, value=value), Rows(rows.X, y, rows.weight), criterion)
                for value, y in zip(values, rows.y.T, strict=True)
            ]
        )

    def losses(self, tree: Tree, rows: Rows) -> np.ndarray:
        answers = np.column_stack([value.argmax(axis=1) for value in per_output(tree.value, self.n_classes)])
        rows = self._as_grown(rows)
        return losses_on_the_way(tree, rows, lambda y, node: (y != answers[node]).mean(axis=1))

    def node_weight(self, tree: Tree) -> np.ndarray:
        return tree.weight

    def strata(self, y: np.ndarray) -> np.ndarray:
        return np.unique(y, axis=0, return_inverse=True)[1].reshape(-1)

    @cached_property
    def _first(self) -> np.ndarray:
        return np.concatenate([[0], np.cumsum(self.n_classes)[:-1]])

    def _as_grown(self, rows: Rows) -> Rows:
        if (self.factors == 1).all():
            return rows
        # A class that the tree does not know, -1, counts as any row does.
        factor = np.where(rows.y >= 0, self.factors[self._first + np.maximum(rows.y, 0)], 1.0)
        return Rows(rows.X, rows.y, rows.weight * factor.prod(axis=1))


@dataclass(frozen=True, eq=False)
class SeveralValuesGrowth(ValueGrowth):
    """Trees for several numbers, with the parameters of ``model``, which is read and never called."""

    def grown(self, rows: Rows) -> Tree:
        settings, fewest = stated(self.model, self.columns.n, rows.weight, rows.weight)
        threads = parallel.n_threads(self.model.n_jobs)
        tree = grow(*rows, criterion_of(self.model.criterion).name, settings, n_threads=threads)
        return cut(tree, tree.weight < fewest)

    def recounted(self, tree: Tree, rows: Rows) -> Tree:
        return _together([recounted_values(tree, Rows(rows.X, y, rows.weight), False) for y in rows.y.T])

    def losses(self, tree: Tree, rows: Rows) -> np.ndarray:
        return losses_on_the_way(tree, rows, lambda y, node: ((y - tree.value[node]) ** 2).mean(axis=1))


def _together(outputs: list[Tree]) -> Tree:
    """The same tree counted for each output, as one."""
    counted = replace(outputs[0], value=np.hstack([tree.value for tree in outputs]))
    impurity = np.mean([tree.impurity for tree in outputs], axis=0)
    return with_gains(counted, np.ones(counted.n_nodes, dtype=bool), impurity)
