"""Which class wins where: a model's answers over two columns, the others held still."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.base.inputs.arrays import dense_from_sparse, open_input
from margin.data.frames.dataframes import is_frame
from margin.data.schema import Column, Schema
from margin.data.table import Table
from margin.errors import InputError, InputTypeError, ParameterError, closest, listing
from margin.typing import ClassifierLike, Encoded, TableLike

__all__ = ["Axis", "Regions", "decision_regions", "limits_of", "name_of"]

# The picture reaches beyond the points by this share of their range.
BEYOND = 0.05


@dataclass(frozen=True)
class Axis:
    """One side of the picture: where the model was asked; a nominal column has its levels at 0, 1, 2, …"""

    name: str
    values: np.ndarray
    levels: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Regions:
    """A model's answers on a grid over two columns.

    Attributes
    ----------
    x, y
        The two columns and the places on them.
    classes
        The labels.
    winner
        The class that wins at each place, as its number among ``classes``; rows go with ``y``, columns with ``x``.
        It is -1 where the model abstains.
    probability
        The winner's probability; NaN where the model gives none.
    points
        The rows of the data in these two columns; NaN where a cell is missing.
    labels
        The class of each of those rows, -1 where it is not known.
    held
        The values at which the other columns were held.
    """

    x: Axis
    y: Axis
    classes: np.ndarray
    winner: np.ndarray
    probability: np.ndarray
    points: np.ndarray
    labels: np.ndarray
    held: dict[Any, Any]


def decision_regions(
    model: ClassifierLike,
    X: TableLike,
    y: Any = None,
    *,
    columns: Sequence[Any] | None = None,
    steps: int = 200,
    others: Mapping[Any, Any] | None = None,
) -> Regions:
    """Ask a fitted classifier all over two columns, with the other columns at their median or most frequent level.

    With ``KNeighborsClassifier(1)`` on two columns the regions are the Voronoi cells of the rows, joined where
    neighbours have one class; :func:`voronoi_edges` gives their exact borders.

    Parameters
    ----------
    model
        Any fitted classifier, of margin or in the form of scikit-learn's.
    X
        Rows as the model was fitted on: they say how far the picture reaches, and are its points.
    y
        Labels of those rows.
    columns
        The two columns by name or position; None takes the first two.
    steps
        Places on each numeric axis; a nominal axis has one for each level.
    others
        Values at which to hold other columns, by name or position.

    Examples
    --------
    >>> from margin import KNeighborsClassifier
    >>> X, y = [[0.0, 0.0], [1.0, 1.0]], ["low", "high"]
    >>> regions = decision_regions(KNeighborsClassifier(1).fit(X, y), X, y, steps=3)
    >>> regions.classes[regions.winner]
    array([['low', 'low', 'high'],
           ['low', 'high', 'high'],
           ['high', 'high', 'high']], dtype='<U4')
    """
    who = "decision_regions"
    classes = _classes_of(model, who)
    if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or steps < 2:
        raise ParameterError(f"{who}(steps={steps!r}): steps must be a whole number of at least 2.")
    table = _table_of(X, who)
    names = _two_columns(columns, table, who)
    first, second = (_axis(table, name, int(steps), who) for name in names)
    held = _held(table, names, others, who)
    grid = _grid(table, names, (first, second), held)
    winner, probability = _ask(model, _as_given(grid, X, model), classes)
    shape = (len(second.values), len(first.values))
    return Regions(
        first,
        second,
        np.array(classes),
        winner.reshape(shape),
        probability.reshape(shape),
        np.column_stack([_positions(table, name) for name in names]),
        _codes(np.full(table.n_rows, None) if y is None else y, classes, table.n_rows, who),
        {name: _value(table.schema[name], cell) for name, cell in held.items() if table.schema[name].is_input},
    )


def limits_of(values: np.ndarray) -> tuple[float, float]:
    """From a little below the smallest number to a little above the largest.

    >>> limits_of(np.array([0.0, 10.0]))
    (-0.5, 10.5)
    """
    low, high = float(np.min(values)), float(np.max(values))
    beyond = BEYOND * (high - low) or 0.5 * max(abs(low), 1.0)
    return low - beyond, high + beyond


def _classes_of(model: ClassifierLike, who: str) -> np.ndarray:
    if isinstance(model, type) or not hasattr(model, "predict") or not hasattr(model, "classes_"):
        raise InputTypeError(f"{who}({type(model).__name__}, X): the model must be a fitted classifier.")
    if isinstance(model.classes_, list):
        raise InputTypeError(f"{who}({type(model).__name__}, X): the model must have one target, not several.")
    return np.asarray(model.classes_)


def _table_of(X: Encoded, who: str) -> Table:
    """The rows as a table, whatever they came as."""
    source = X if isinstance(X, Table) else open_input(X, who)
    if not isinstance(source, Table):
        matrix = source if isinstance(source, np.ndarray) else dense_from_sparse(source, who)
        schema = Schema(Column(f"x{i}", "numeric") for i in range(matrix.shape[1]))
        source = Table(schema, list(matrix.T), n_rows=len(matrix))
    if source.n_rows == 0 or len(source.schema) < 2:
        raise InputError(f"{who}: X must have at least one row and two columns, but has {source.shape}.")
    return source


def name_of(column: Any, names: Sequence[str], who: str, what: str) -> str:
    """The name of a column that is given by name or position.

    >>> name_of(-1, ["length", "width"], "plot", "column")
    'width'
    """
    if isinstance(column, str) and column in names:
        return column
    if isinstance(column, int | np.integer) and not isinstance(column, bool) and -len(names) <= column < len(names):
        return names[int(column)]
    raise ParameterError(
        f"{who}({what}=…): there is no column {column!r}; columns are {listing(names)}{closest(column, names)}."
    )


def _two_columns(columns: Any, table: Table, who: str) -> tuple[str, str]:
    if columns is None:
        columns = [column.name for column in table.schema if column.is_input][:2]
    if isinstance(columns, str) or not hasattr(columns, "__len__") or len(columns) != 2:
        raise ParameterError(f"{who}(columns={columns!r}): columns must be two names or positions.")
    first, second = (name_of(column, table.names, who, "columns") for column in columns)
    if first == second:
        raise ParameterError(f"{who}(columns={columns!r}): the two columns must be different ones.")
    return first, second


def _axis(table: Table, name: str, steps: int, who: str) -> Axis:
    column, cells = table.schema[name], table.cells(name)
    there = cells[~table.missing(name)]
    if not len(there):
        raise InputError(f"{who}: every cell of column {name!r} is missing; choose another column.")
    if not np.isfinite(there).all():
        raise InputError(f"{who}: column {name!r} holds infinity; a cell must be finite.")
    if column.is_numeric:
        return Axis(name, np.linspace(*limits_of(there), steps))
    return Axis(name, np.arange(len(column.levels), dtype=np.float64), column.levels)


def _held(table: Table, names: tuple[str, str], others: Mapping[Any, Any] | None, who: str) -> dict[str, Any]:
    """The cell at which each other column is held: a number or a code."""
    held = {name: _typical(table, name) for name in table.names if name not in names}
    for given, value in (others or {}).items():
        name = name_of(given, table.names, who, "others")
        if name in names:
            raise ParameterError(f"{who}(others=…): column {name!r} is one of the two that vary.")
        held[name] = _cell(table.schema[name], value, who)
    return held


def _typical(table: Table, name: str) -> Any:
    """The median of a numeric column, the most frequent level of any other; missing if all of it is."""
    there = table.cells(name)[~table.missing(name)]
    if table.schema[name].is_numeric:
        return float(np.median(there)) if len(there) else float("nan")
    return int(np.bincount(there).argmax()) if len(there) else -1


def _cell(column: Column, value: Any, who: str) -> Any:
    if column.is_numeric:
        try:
            return float(value)
        except (TypeError, ValueError):
            raise ParameterError(f"{who}(others=…): column {column.name!r} needs a number, not {value!r}.") from None
    if value not in column.levels:
        raise ParameterError(
            f"{who}(others=…): {value!r} is not in column {column.name!r}, which holds {listing(column.levels)}"
            f"{closest(value, column.levels)}."
        )
    return column.levels.index(value)


def _value(column: Column, cell: Any) -> Any:
    """A cell as people write it; None if it is missing."""
    if column.is_numeric:
        return None if np.isnan(cell) else cell
    return column.levels[cell] if cell >= 0 else None


def _grid(table: Table, names: tuple[str, str], axes: tuple[Axis, Axis], held: Mapping[str, Any]) -> Table:
    across, up = np.meshgrid(axes[0].values, axes[1].values)
    at = dict(zip(names, (across.ravel(), up.ravel())))
    columns = [at[name] if name in at else np.full(across.size, held[name]) for name in table.names]
    return Table(table.schema, columns)


def _as_given(grid: Table, X: Encoded, model: ClassifierLike) -> Any:
    """The grid in the form that the model knows: a table, a frame of the same make, or an array."""
    if isinstance(X, Table) or (getattr(model, "accepts_tables", False) and is_frame(X)):
        return grid
    if is_frame(X):
        import narwhals as nw

        make = nw.get_native_namespace(nw.from_native(X, eager_only=True))
        return nw.from_dict({name: grid.values(name).tolist() for name in grid.names}, backend=make).to_native()
    numeric = all(column.is_numeric for column in grid.schema)
    return np.column_stack([grid.values(name) if numeric else grid.values(name).astype(object) for name in grid.names])


def _ask(model: ClassifierLike, rows: Any, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The winner at each place, and its probability where the model gives probabilities."""
    if hasattr(model, "predict_with_proba"):
        answers, shares = model.predict_with_proba(rows)
    else:
        answers = model.predict(rows)
        shares = model.predict_proba(rows) if hasattr(model, "predict_proba") else np.full((len(answers), 0), np.nan)
    winner = _codes(answers, classes, len(answers), "decision_regions")
    if not shares.shape[1]:
        return winner, np.full(len(winner), np.nan)
    return winner, np.where(winner >= 0, shares[np.arange(len(winner)), winner], np.nan)


def _codes(labels: Any, classes: np.ndarray, n: int, who: str) -> np.ndarray:
    """The number of each label among the classes, -1 where it is none of them."""
    place = {label: code for code, label in enumerate(classes.tolist())}
    labels = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    if len(labels) != n:
        raise InputError(f"{who}: y must have one label per row ({n}), but has {len(labels)}.")
    return np.array([place.get(label, -1) for label in labels], dtype=np.int64)


def _positions(table: Table, name: str) -> np.ndarray:
    return np.where(table.missing(name), np.nan, table.cells(name))
