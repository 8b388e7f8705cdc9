"""Partial dependence: what a model says as one column changes and all else stays, for each row and on average."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from margin.data import Table
from margin.data.rows import ready_for
from margin.errors import DataError, InputError, InputTypeError, ParameterError, closest, listing
from margin.typing import TableLike

__all__ = ["PartialDependence", "answer_asked", "partial_dependence"]


@dataclass(frozen=True, eq=False)
class PartialDependence:
    """The answers to all rows, with one column set to one value after another.

    Attributes
    ----------
    name
        The column.
    values
        What it was set to: numbers in ascending order, or levels.
    mean
        The mean answer at each value (Friedman 2001).
    lines
        The answer to each row at each value: individual conditional expectations (Goldstein et al. 2015).
    cells
        What stands in the column; missing cells aside.
    label
        The class whose probability is answered, or None for a regression.
    centred
        Whether each line has its answer at the first value taken off.
    """

    name: str
    values: np.ndarray
    mean: np.ndarray
    lines: np.ndarray
    cells: np.ndarray
    label: Any = None
    centred: bool = False

    @property
    def is_numeric(self) -> bool:
        """Whether the values are numbers."""
        return bool(self.values.dtype.kind in "iuf")

    def centre(self) -> PartialDependence:
        """The same with every line beginning at 0: lines that are not parallel then show an interaction."""
        first = self.lines[:, :1]
        return replace(self, lines=self.lines - first, mean=self.mean - self.mean[0], centred=True)


def partial_dependence(
    model: Any, X: TableLike, column: str | int, *, label: Any = None, n_values: int = 50
) -> PartialDependence:
    """What a model says of rows as one of their columns changes and the others stay as they are.

    Where columns go together, rows are made up that never occur: a picture of the model rather than of the world.

    Parameters
    ----------
    model
        Any fitted classifier with probabilities or regressor, of margin or scikit-learn.
    X
        Rows to ask about, in a form that the model takes; each is asked about once for each value.
    column
        A name, or the place of a column.
    label
        The class whose probability is looked at; None for the last one.
    n_values
        Numbers that the column is set to at most, those of X at evenly spaced ranks; levels are all tried.

    Returns
    -------
    PartialDependence
        :func:`margin.plots.plot_partial_dependence` draws it.

    References
    ----------
    Friedman (2001), "Greedy function approximation"; Goldstein, Kapelner, Bleich, Pitkin (2015), "Peeking inside the
    black box".

    Examples
    --------
    >>> from margin import NaiveBayes
    >>> from margin.data import catalog
    >>> X, y = catalog.load("weather_nominal").target("play")
    >>> found = partial_dependence(NaiveBayes().fit(X, y), X, "outlook", label="yes")
    >>> dict(zip(found.values.tolist(), found.mean.round(2).tolist()))
    {'overcast': 0.83, 'rainy': 0.62, 'sunny': 0.5}
    """
    if n_values < 2:
        raise ParameterError(f"partial_dependence(n_values={n_values}): n_values must be at least 2.")
    answer, label = answer_asked(model, label)
    X = ready_for(model, X)
    name, cells, setter = _column(X, column)
    values, rows = _grid(name, cells, n_values)
    lines = np.column_stack([answer(setter(int(row))) for row in rows])
    known = cells[~_missing(cells)]
    return PartialDependence(name, values, lines.mean(axis=0), lines, known, label)


def answer_asked(model: Any, label: Any) -> tuple[Callable[[Any], np.ndarray], Any]:
    """What is asked of the model, and the class it is about."""
    if isinstance(model, type) or not hasattr(model, "predict"):
        raise InputTypeError("partial_dependence: model must be a fitted classifier or regressor.")
    if hasattr(model, "predict_proba"):
        classes = np.asarray(model.classes_).tolist()
        if label is not None and label not in classes:
            raise ParameterError(
                f"partial_dependence(label={label!r}): label must be one of the classes, "
                f"{listing(classes)}{closest(label, classes)}."
            )
        k = len(classes) - 1 if label is None else classes.index(label)
        return lambda rows: np.asarray(model.predict_proba(rows))[:, k], classes[k]
    if hasattr(model, "classes_") or label is not None:
        raise InputTypeError(
            f"partial_dependence(model={type(model).__name__}): a classifier must have probabilities "
            "(CalibratedClassifier gives it some), and a regressor has no classes."
        )
    return lambda rows: np.asarray(model.predict(rows), dtype=np.float64), None


def _column(X: Any, column: str | int) -> tuple[str, np.ndarray, Callable[[int], Any]]:
    """The name and cells of a column, and X with the cell of one row in all rows."""
    if isinstance(X, np.ndarray):
        names = [f"x{j}" for j in range(X.shape[1])]
        j = _place(names, column)

        def of_array(row: int) -> np.ndarray:
            made = X.copy()
            made[:, j] = X[row, j]
            return made

        return names[j], X[:, j], of_array
    if isinstance(X, Table):
        names = list(X.names)
        j = _place(names, column)

        def of_table(row: int) -> Table:
            cells = [X.cells(name) for name in names]
            cells[j] = np.full(len(X), cells[j][row])
            return Table(X.schema, cells, X.name, len(X))

        return names[j], X.values(names[j]), of_table
    return _frame_column(X, column)


def _frame_column(X: Any, column: str | int) -> tuple[str, np.ndarray, Callable[[int], Any]]:
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise InputTypeError(f"partial_dependence(X={type(X).__name__}): X must be an array, a data frame or a Table.")
    names = list(frame.columns)
    j = _place(names, column)

    def of_frame(row: int) -> Any:  # by taking the cell, its type stays as it is
        others = frame.with_columns(frame[names[j]].gather_every(1))
        index = np.full(len(frame), row)
        native = nw.maybe_reset_index(frame[index]).select(names[j])
        return nw.maybe_reset_index(others).with_columns(native[names[j]]).to_native()

    return names[j], frame[names[j]].to_numpy(), of_frame


def _place(names: list[str], column: str | int) -> int:
    if isinstance(column, (int, np.integer)) and not isinstance(column, bool) and -len(names) <= column < len(names):
        return int(column) % len(names)
    if column not in names:
        raise InputError(
            f"partial_dependence(column={column!r}): column must be one of {listing(names)}{closest(column, names)}."
        )
    return names.index(str(column))


def _missing(cells: np.ndarray) -> np.ndarray:
    if cells.dtype.kind == "f":
        return np.isnan(cells)
    return np.array([cell is None or cell != cell for cell in cells.tolist()], dtype=bool)


def _grid(name: str, cells: np.ndarray, n_values: int) -> tuple[np.ndarray, np.ndarray]:
    """The values to try, and a row that has each of them."""
    there = np.flatnonzero(~_missing(cells))
    if not len(there):
        raise DataError(f"partial_dependence: column {name!r} has no cell that is not missing.")
    known = cells[there]
    if known.dtype.kind in "iuf":
        values, first = np.unique(known, return_index=True)
        if len(values) > n_values:
            order = np.argsort(known, kind="stable")
            spread = order[np.linspace(0, len(known) - 1, n_values).round().astype(np.int64)]
            values, at = np.unique(known[spread], return_index=True)
            first = spread[at]
        return values, there[first]
    words = np.array([str(cell) for cell in known.tolist()], dtype=object)
    values, first = np.unique(words, return_index=True)
    return values, there[first]
