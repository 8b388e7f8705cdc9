"""SHAP values of trees and forests: what each column of a row adds to the answer."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base.representations.mixed import MixedData
from margin.boosting.gradient.boosting_model import BoostingModel
from margin.data.schema import Column
from margin.ensemble.forest.forest_model import ForestModel
from margin.errors import DataError, InputTypeError, ParameterError, closest, listing
from margin.tree.grow import numbers_of
from margin.tree.settings import numbers_first
from margin.tree.tree_model import TreeClassifier, TreeModel
from margin.typing import TableLike

__all__ = ["ShapValues", "has_shap_values", "shap_sums", "shap_values"]

#: Bytes that the pairs of columns of all rows may take.
ROOM = 2**33


@dataclass(frozen=True, eq=False)
class ShapValues:
    """What each column adds to each answer: the base and the values of a row add up to what the model says of it.

    Attributes
    ----------
    values
        Rows x columns, or rows x columns x classes where the answers are probabilities.
    base
        The answer to a row of which nothing is known: a number, or one for each class.
    columns
        The columns, in the order of the table.
    cells
        The rows themselves, rows x columns: numbers, or places among the levels; NaN where a cell is missing.
    classes
        The labels, or None for a regression.
    interactions
        Rows x columns x columns (x classes), None unless asked for. A row of it adds up to the value of its column: the
        diagonal is what a column adds alone, each other place half of what two add only together.
    """

    values: np.ndarray
    base: np.ndarray
    columns: tuple[Column, ...]
    cells: np.ndarray
    classes: tuple[Any, ...] | None = None
    interactions: np.ndarray | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def answers(self) -> np.ndarray:
        """What the model says of each row: the base and all values of the row."""
        found: np.ndarray = self.base + self.values.sum(axis=1)
        return found

    def __len__(self) -> int:
        return len(self.values)

    def of_class(self, label: Any = None) -> ShapValues:
        """The values for one class alone (the last one if None), as of a regression; those of a regression as they are.

        >>> from margin import DecisionTreeClassifier
        >>> from margin.data import catalog
        >>> X, y = catalog.load("iris").target("class")
        >>> found = shap_values(DecisionTreeClassifier(max_depth=2).fit(X, y), X)
        >>> found.values.shape, found.of_class("Iris-setosa").values.shape
        ((150, 4, 3), (150, 4))
        """
        if self.classes is None:
            if label is not None:
                raise ParameterError(
                    f"ShapValues.of_class({label!r}): the model answers numbers, and knows no classes."
                )
            return self
        if label is not None and label not in self.classes:
            raise ParameterError(
                f"ShapValues.of_class({label!r}): the label must be one of the classes, "
                f"{listing(self.classes)}{closest(label, self.classes)}."
            )
        k = len(self.classes) - 1 if label is None else self.classes.index(label)
        pairs = None if self.interactions is None else self.interactions[..., k]
        return ShapValues(self.values[..., k], self.base[k], self.columns, self.cells, None, pairs)

    def mean_absolute(self) -> list[tuple[str, float]]:
        """Columns and the mean size of their values over all rows, the largest first; over all classes together.

        >>> from margin import DecisionTreeClassifier
        >>> from margin.data import catalog
        >>> X, y = catalog.load("iris").target("class")
        >>> found = shap_values(DecisionTreeClassifier(max_depth=2).fit(X, y), X).mean_absolute()
        >>> [name for name, size in found if size > 0]
        ['petallength', 'petalwidth']
        """
        size = np.abs(self.values).reshape(*self.values.shape[:2], -1).sum(axis=2)
        mean = size.mean(axis=0) if len(size) else np.zeros(size.shape[1])
        return [(self.names[j], float(mean[j])) for j in np.argsort(-mean, kind="stable")]

    def cell_text(self, row: int, column: int) -> str:
        """A cell in words: ``"outlook = sunny"``."""
        asked, cell = self.columns[column], float(self.cells[row, column])
        if np.isnan(cell):
            return f"{asked.name} is missing"
        return f"{asked.name} = {f'{cell:.4g}' if asked.is_numeric else asked.levels[int(cell)]}"

    def text(self, row: int = 0, label: Any = None, most: int = 8) -> str:
        """One row: the base, the largest values and the answer; of a class, the one the row is most probably of.

        >>> from margin import ID3
        >>> from margin.data import catalog
        >>> X, y = catalog.load("weather_nominal").target("play")
        >>> print(shap_values(ID3().fit(X, y), X).text(0))
        base               0.3571
        outlook = sunny   +0.4429
        humidity = high   +0.2714
        windy = FALSE     -0.0714
        temperature = hot +0.0000
        answer for no      1.0000
        """
        if not -len(self) <= row < len(self):
            raise ParameterError(f"ShapValues.text(row={row}): row must be one of the {len(self):,} rows.")
        if self.classes is not None and label is None:
            label = self.classes[int(self.answers[row].argmax())]
        one = self.of_class(label)
        value = one.values[row]
        order = np.argsort(-np.abs(value), kind="stable")
        shown, rest = (order, order[:0]) if len(order) <= most + 1 else (order[:most], order[most:])
        lines = [("base", f" {one.base:.4f}"), *((one.cell_text(row, j), f"{value[j]:+.4f}") for j in shown)]
        if len(rest):
            lines.append((f"{len(rest):,} more", f"{value[rest].sum():+.4f}"))
        lines.append(("answer" if label is None else f"answer for {label}", f" {one.answers[row]:.4f}"))
        width = max(len(what) for what, _ in lines)
        return "\n".join(f"{what:<{width}} {says}" for what, says in lines)

    def __str__(self) -> str:
        ranked = self.mean_absolute()
        width = max(map(len, self.names))
        return "\n".join(
            [f"mean size of the values over {len(self):,} rows", *(f"{n:<{width}}  {v:.4g}" for n, v in ranked)]
        )


def shap_values(model: Any, X: TableLike, *, interactions: bool = False) -> ShapValues:
    """What each column adds to the answers of a tree, a forest or gradient boosting: exact SHAP values.

    A row of which only some columns are known goes down all branches of the other questions by the weight of the
    training rows there (the path-dependent values of Lundberg, Erion and Lee 2018). The value of a column is what
    knowing it adds, the mean over all orders in which columns can become known; base and values of a row add up to the
    answer, and a column that no tree asks about has 0. Of classifiers the probability of each class is explained, of
    regressors the answer; of gradient boosting the score: the log odds of the second of two classes and their opposite
    for the first, of several classes what their softmax is taken of. A nominal column is one column. What a missing
    cell does is owed to its own column: where the model sends such rows down in parts, to nobody, and where a surrogate
    decides, still to the column that was asked.

    Rows cost O(nodes · columns on a way), pairs (``interactions=True``) as many times more as columns on a way, and
    rows x columns² numbers.

    Parameters
    ----------
    model
        A fitted tree, forest or gradient boosting of margin.
    X
        The rows to explain.
    interactions
        Whether pairs of columns are told apart from columns alone; not of gradient boosting.

    Returns
    -------
    ShapValues
        :func:`margin.plots.plot_shap_summary` and :func:`margin.plots.plot_shap_case` draw them.

    References
    ----------
    Lundberg, Erion, Lee (2018), "Consistent individualized feature attribution for tree ensembles".

    Examples
    --------
    >>> from margin import RandomForestClassifier
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = RandomForestClassifier(random_state=0).fit(X, y)
    >>> found = shap_values(model, X)
    >>> bool(abs(found.answers - model.predict_proba(X)).max() < 1e-9)
    True
    """
    if not has_shap_values(model):
        raise InputTypeError(
            f"shap_values(model={reprlib.repr(model)}): model must be a fitted tree, forest or gradient boosting of "
            "margin (margin.explain.explain takes any model)."
        )
    rows = model._encoded(X, "shap_values")
    if getattr(model, "n_outputs_", 1) > 1:
        raise InputTypeError(
            f"shap_values({type(model).__name__}): the model answers several targets; fit one model per target."
        )
    columns = tuple(model._columns.described())
    classes = tuple(model.classes_.tolist()) if hasattr(model, "classes_") else None
    if isinstance(model, BoostingModel):
        return _of_boosting(model, X, rows, columns, classes, interactions)
    if interactions and (needed := 8 * len(rows) * len(columns) ** 2 * len(classes or [0])) > ROOM:
        raise ParameterError(
            f"shap_values(interactions=True): {len(rows):,} rows of {len(columns):,} columns have "
            f"{needed / 1e9:,.0f} GB of interactions (give fewer rows at a time)."
        )
    values, pairs, base = shap_sums(model, rows, interactions)
    return _in_order(
        values, pairs if interactions else None, base, columns, classes, _cells(rows), numbers_first(model._columns)
    )


def has_shap_values(model: Any) -> bool:
    """Whether a model is a tree or a sum of trees whose exact SHAP values are known.

    >>> from margin import ID3, NaiveBayes
    >>> has_shap_values(ID3()), has_shap_values(NaiveBayes())
    (True, False)
    """
    return isinstance(model, (TreeModel, ForestModel, BoostingModel))


def _of_boosting(
    model: Any,
    X: TableLike,
    rows: MixedData,
    columns: tuple[Column, ...],
    classes: tuple[Any, ...] | None,
    interactions: bool,
) -> ShapValues:
    """Values of the scores; of two classes the score of the second, and its opposite for the first."""
    if interactions:
        raise ParameterError(
            f"shap_values({type(model).__name__}, interactions=True): pairs are told apart for trees and forests only."
        )
    values, base = model.shap_values(X), np.asarray(model.shap_base(), dtype=np.float64)
    cells = _cells(rows)[:, np.argsort(numbers_first(model._columns))]
    if classes is not None and values.ndim == 2:
        if len(classes) == 1:
            return ShapValues(values[..., None], base[None], columns, cells, classes)
        values, base = np.stack([0.0 - values, values], axis=2), np.array([-base, base])
    return ShapValues(values, base, columns, cells, classes)


@singledispatch
def shap_sums(model: Any, rows: MixedData, interactions: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values (rows by columns x answers), pairs off the diagonal, base: columns as the model counts them.

    Of two classes there may be the second alone. Other models that are sums of trees register here.
    """
    raise TypeError(f"{type(model).__name__} must say what its trees are: @shap_sums.register.")


@shap_sums.register
def _(model: TreeModel, rows: MixedData, interactions: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    answers = model.tree_.value
    if isinstance(model, TreeClassifier):
        total = answers.sum(axis=1, keepdims=True)
        answers = answers / np.where(total > 0, total, 1.0)
        answers = answers[:, 1:] if answers.shape[1] == 2 else answers
    cells, threads = numbers_of(rows), parallel.n_threads(model.n_jobs)
    found: Any = _core.tree.shap_values(
        model.tree_.walker, cells, rows.codes, np.ascontiguousarray(answers), interactions, threads
    )
    return found


@shap_sums.register
def _(model: ForestModel, rows: MixedData, interactions: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    trees, threads = model.trees_, parallel.n_threads(model.n_jobs)
    if not len(trees.leaf_weight):
        raise DataError(
            f"shap_values({type(model).__name__}): the forest does not know how many rows came to its leaves "
            "(it is of an older file; fit it anew)."
        )
    found: Any = _core.ensemble.shap_values(
        trees.walker, numbers_of(rows), rows.codes, trees.leaf_weight, interactions, threads
    )
    return found


def _cells(rows: MixedData) -> np.ndarray:
    codes = [np.where(column < 0, np.nan, column) for column in rows.codes]
    return np.column_stack([numbers_of(rows).astype(np.float64), *codes])


def _in_order(
    values: np.ndarray,
    pairs: np.ndarray | None,
    base: np.ndarray,
    columns: tuple[Column, ...],
    classes: tuple[Any, ...] | None,
    cells: np.ndarray,
    places: np.ndarray,
) -> ShapValues:
    """Columns as in the table, both of two classes, and the diagonal of pairs."""
    (n, d), back = cells.shape, np.argsort(places)
    values, found = values.reshape(n, d, len(base))[:, back], None
    if pairs is not None:
        found = pairs.reshape(n, d, d, len(base))[:, back][:, :, back]
        own = np.arange(d)
        found[:, own, own] = values - found.sum(axis=2)
    if classes is None:
        return ShapValues(
            values[..., 0], base[0], columns, cells[:, back], None, None if found is None else found[..., 0]
        )
    if len(classes) == 2 and len(base) == 1:
        values, base = np.concatenate([0.0 - values, values], axis=2), np.concatenate([1 - base, base])
        found = None if found is None else np.concatenate([0.0 - found, found], axis=3)
    return ShapValues(values, base, columns, cells[:, back], classes, found)
