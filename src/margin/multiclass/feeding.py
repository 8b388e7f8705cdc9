"""Rows with what is known of other targets as further columns: what links of a chain learn from and are asked with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from margin.data.schema import Column, Schema
from margin.data.table import Table
from margin.typing import Encoded

__all__ = ["Feeding", "one_hot"]


class Feeding:
    """How answers about targets become columns.

    A table gets a nominal column of labels for each target, or columns of probabilities; an array or CSR gets numbers:
    one column for two classes (1 for the second), else one for each. A target of one class adds nothing.

    Parameters
    ----------
    names
        What the targets are called.
    classes
        The classes of each target.
    probabilities
        Whether probabilities are fed, not labels.
    """

    def __init__(self, names: Sequence[str], classes: Sequence[np.ndarray], probabilities: bool) -> None:
        self.names = names
        self.classes = classes
        self.probabilities = probabilities

    def extended(self, X: Encoded, targets: Sequence[int], said: Sequence[np.ndarray]) -> Encoded:
        """The rows with what was ``said`` (a share of each class) of some ``targets``, in this order."""
        useful = [(j, shares) for j, shares in zip(targets, said) if len(self.classes[j]) > 1]
        if not useful:
            return X
        if isinstance(X, Table):
            return self._extended_table(X, useful)
        columns = [shares[:, 1:] if shares.shape[1] == 2 else shares for _, shares in useful]
        if isinstance(X, np.ndarray):
            return np.ascontiguousarray(np.hstack([X, *columns]))
        import scipy.sparse as sp

        return sp.hstack([X, *(sp.csr_array(each) for each in columns)]).tocsr()

    def _extended_table(self, X: Table, useful: list[tuple[int, np.ndarray]]) -> Table:
        described, cells = list(X.schema), [X.cells(name) for name in X.names]
        taken = set(X.names)
        for j, shares in useful:
            labels = self.classes[j].tolist()
            if self.probabilities:
                for k in range(1 if len(labels) == 2 else 0, len(labels)):
                    name = _free(f"P({self.names[j]} = {labels[k]})", taken)
                    described.append(Column(name, "numeric", reason="what a chain says of another target"))
                    cells.append(np.ascontiguousarray(shares[:, k]))
            else:
                name = _free(self.names[j], taken)
                described.append(Column(name, "nominal", tuple(labels), "another target of the chain"))
                cells.append(shares.argmax(axis=1).astype(np.int32))
        return Table(Schema(described), cells, n_rows=X.n_rows)


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += " (target)"
    taken.add(name)
    return name


def one_hot(codes: np.ndarray, n: int) -> Any:
    """Shares of 1 for the class that is known.

    >>> one_hot(np.array([1, 0]), 2).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    found = np.zeros((len(codes), n))
    found[np.arange(len(codes)), codes] = 1.0
    return found
