"""Types of what margin takes and gives, for signatures of your own.

Names of what may be given say what is accepted, not what is stored: every model takes each kind of table.

>>> import margin
>>> from margin.typing import ClassifierLike, LabelsLike, TableLike
>>> def accuracy(model: ClassifierLike, X: TableLike, y: LabelsLike) -> float:
...     return float((model.fit(X, y).predict(X) == y).mean())
>>> isinstance(margin.NaiveBayes(), ClassifierLike)
True
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, SupportsIndex, TypeAlias, TypeVar, runtime_checkable

import numpy as np

__all__ = [
    "ClassifierLike",
    "Encoded",
    "LabelsLike",
    "Matrix",
    "RegressorLike",
    "Scalar",
    "SeedLike",
    "SparseLike",
    "SupportsArray",
    "TableLike",
    "Tabular",
    "TransformerLike",
    "Vector",
    "WeightsLike",
]

#: The type of one number in an array.
Scalar = TypeVar("Scalar", bound=np.generic)
#: An array of one dimension, of numbers of one type: ``Vector[np.float64]``.
Vector: TypeAlias = np.ndarray[tuple[int], np.dtype[Scalar]]
#: An array of two dimensions, of numbers of one type: ``Matrix[np.float64]``.
Matrix: TypeAlias = np.ndarray[tuple[int, int], np.dtype[Scalar]]


@runtime_checkable
class SupportsArray(Protocol):
    """What NumPy makes an array of by itself: an array, a column of a data frame."""

    def __array__(self) -> np.ndarray: ...


@runtime_checkable
class Tabular(Protocol):
    """Rows and columns that know their number: an array, a data frame of any make, a ``margin.data.Table``."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def __getitem__(self, key: Any, /) -> Any: ...


@runtime_checkable
class SparseLike(Protocol):
    """A sparse matrix of SciPy, in any of its forms."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def tocsr(self) -> Any: ...


#: What every model takes as X: a NumPy array, a SciPy sparse matrix, a data frame of pandas, polars or pyarrow, a
#: ``margin.data.Table``, or a list of rows.
TableLike: TypeAlias = (
    Tabular | SparseLike | Sequence[Sequence[float | None]] | Sequence[list[Any] | tuple[Any, ...] | SupportsArray]
)
#: Rows as a model's representation gives them to its ``_fit`` and ``_scores``: a matrix, CSR, or ``MixedData``. Not
#: checked, since SciPy states no types.
Encoded: TypeAlias = Any
#: What every model takes as y: one label (or number) per row, in an array, a column of a data frame or a list.
LabelsLike: TypeAlias = SupportsArray | Tabular | Iterable[Any]
#: What every model takes as ``sample_weight``: one number of at least 0 per row.
WeightsLike: TypeAlias = SupportsArray | Sequence[float]
#: What ``random_state`` may be: nothing (drawn anew each time), a whole number, or a generator of NumPy.
SeedLike: TypeAlias = SupportsIndex | np.random.Generator | np.random.RandomState | None


@runtime_checkable
class ClassifierLike(Protocol):
    """A classifier by scikit-learn's contract: what ``evaluate``, searches and wrappers take, whoever wrote it."""

    def fit(self, X: Any, y: Any, /) -> Any: ...
    def predict(self, X: Any, /) -> Any: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Any: ...


@runtime_checkable
class RegressorLike(Protocol):
    """A regressor by scikit-learn's contract; its answers are numbers."""

    def fit(self, X: Any, y: Any, /) -> Any: ...
    def predict(self, X: Any, /) -> Any: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Any: ...


@runtime_checkable
class TransformerLike(Protocol):
    """What makes other columns of a table, by scikit-learn's contract."""

    def fit(self, X: Any, y: Any = None, /) -> Any: ...
    def transform(self, X: Any, /) -> Any: ...
