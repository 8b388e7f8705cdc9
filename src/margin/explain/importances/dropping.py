"""The model fitted anew without some columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from margin.data import Table
from margin.data.rows import ready_for
from margin.errors import InputError
from margin.explain.importances.asking import Asked

__all__ = ["without_columns"]


def without_columns(asked: Asked, train: Any, columns: np.ndarray) -> np.ndarray:
    """What a model that has never seen some columns says of the held-out rows."""
    if len(columns) == len(asked.pool.names):
        raise InputError("importance(method='drop_column'): without these columns there is none left.")
    X, y = train
    names = [asked.pool.names[j] for j in columns]
    model = clone(asked.model).fit(_without(ready_for(asked.model, X), columns, names), y)
    if hasattr(model, "classes_") and not np.array_equal(model.classes_, asked.model.classes_):
        raise InputError("importance(train=…): the rows to fit on must have the classes of the model.")
    return Asked(model, asked.X, asked.pool, asked.judge).read(_without(asked.X, columns, names))


def _without(X: Any, columns: np.ndarray, names: list[str]) -> Any:
    if isinstance(X, Table):
        return X.drop(*names)
    if hasattr(X, "tocsr"):
        return X[:, np.setdiff1d(np.arange(X.shape[1]), columns)]
    if isinstance(X, (np.ndarray, list, tuple)):
        return np.delete(np.asarray(X), columns, axis=1)
    import narwhals as nw

    return nw.from_native(X, eager_only=True).drop(names).to_native()
