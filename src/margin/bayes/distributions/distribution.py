"""What every distribution of a column's cells within a class is made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base.representations.cell_survey import Survey
from margin.bayes.sufficient_statistics import SortedCells, firsts, merged_cells
from margin.data.schema import Column

__all__ = [
    "VARIANCE_FLOOR",
    "Distribution",
    "Place",
    "TrainingCells",
    "as_matrix",
    "ascending",
    "count_cells",
    "is_sparse",
    "only_row",
    "products",
    "threads_for",
]

#: A class whose values hardly vary gets at least this share of the column's whole variance.
VARIANCE_FLOOR = 1e-9

#: In which part of the data the columns stand: among the numbers, the codes of categories, or the texts.
Place = Literal["numeric", "codes", "text"]


@dataclass(frozen=True)
class TrainingCells:
    """The training rows of a block: its cells, each row's class and weight (None: all 1), the classes' weights."""

    cells: Any
    y: np.ndarray
    weight: np.ndarray | None
    totals: np.ndarray
    survey: Survey | None = None
    at: tuple[int, ...] = ()
    n_levels: tuple[int, ...] = ()

    @property
    def n_classes(self) -> int:
        return len(self.totals)


class Distribution(ABC):
    """What all distributions share; ``alpha`` is how many virtual cases smooth the counts."""

    name: ClassVar[str]
    #: Whether a sparse matrix may come as it is, and whether cells must be counts.
    sparse: bool = False
    counts: ClassVar[bool] = False
    #: Whether its cells may be single bytes.
    takes_bytes: ClassVar[bool] = False
    #: Whether the moments of the columns are to be found in the pass that checks the cells.
    moments: ClassVar[bool] = False

    def __init__(self, alpha: Any = 1.0) -> None:
        self.alpha = alpha

    @classmethod
    def place(cls, column: Column) -> tuple[Place, type[Distribution]] | None:
        """Where the cells of a column are found and who deals with them; None if the distribution does not suit it."""
        return ("numeric", cls) if column.is_numeric else None

    def counted_by(self) -> tuple[Any, ...]:
        """The settings that the statistics depend on: those of other settings are not to be added to them."""
        return ()

    @abstractmethod
    def count(self, rows: TrainingCells) -> Any:
        """The statistics of the training rows."""

    @abstractmethod
    def learn(self, found: Any, repeats: bool) -> Self:
        """Turn statistics into densities or shares; ``repeats`` says that weights stood for repeated rows."""

    @abstractmethod
    def add(self, cells: Any, scores: np.ndarray) -> bool:
        """Add the log-likelihoods to the scores; whether any of them is minus infinity now."""

    def offset(self, cells: Any) -> np.ndarray | None:
        """The part of each row's log-likelihood that is the same in all classes, where ``add`` leaves it out."""
        return None

    @abstractmethod
    def terms(self, cells: Any) -> np.ndarray:
        """For one row, log P(cell | class): one row per column, one column per class; 0 where nothing is said."""

    @abstractmethod
    def n_parameters(self) -> int:
        """How many numbers were learnt for all classes together, those that follow from others left out."""

    @abstractmethod
    def draw(self, y: np.ndarray, rng: np.random.Generator) -> Any:
        """New cells for rows of the given classes."""


def count_cells(rows: TrainingCells) -> SortedCells:
    """The different cells of each column and class, for distributions that need them all."""
    # Column by column: little memory, and room for Ctrl-C in between. Classes of 16 bits are sorted in one pass.
    y = rows.y.astype(np.int16) if rows.n_classes < 1 << 15 else rows.y
    weight = np.ones(len(y)) if rows.weight is None else rows.weight
    columns, weight2, lengths = [], [], []
    for j in range(rows.cells.shape[1]):
        cells = rows.cells[:, j].astype(np.float64)
        there = ~np.isnan(cells)
        weight2.append(np.bincount(rows.y, weight**2 * there, rows.n_classes))
        at = np.flatnonzero(there)
        at = at[ascending(cells[at])]
        at = at[np.argsort(y[at], kind="stable")]
        classes, *found = merged_cells(y[at], cells[at] + 0.0, weight[at])
        columns.append(found)
        lengths.append(np.bincount(classes, minlength=rows.n_classes))
    start = firsts(np.concatenate(lengths))
    values, weights = np.empty(start[-1]), np.empty(start[-1])
    for found, first in zip(columns, start[:: rows.n_classes]):
        values[first : first + len(found[0])] = found[0]
        weights[first : first + len(found[1])] = found[1]
    return SortedCells(values, weights, start, np.column_stack(weight2))


def ascending(numbers: np.ndarray) -> np.ndarray:
    """The places of numbers (no NaN) in ascending order, equal ones as they stand. Ctrl-C ends it, unlike NumPy's."""
    return _core.metrics.ascending_rows(np.ascontiguousarray(numbers), threads_for(numbers))


def threads_for(cells: Any) -> int:
    """One thread for a handful of rows: asking how many there are takes longer than the work."""
    return 1 if cells.shape[0] < 64 else parallel.n_threads()


def is_sparse(cells: object) -> bool:
    return not isinstance(cells, np.ndarray)


def only_row(cells: Any) -> np.ndarray:
    """The one row of a matrix or of CSR as numbers."""
    return (cells.toarray() if is_sparse(cells) else cells)[0].astype(np.float64)


def as_matrix(cells: Any, values: np.ndarray) -> Any:
    """Values of the stored cells in the form of the cells themselves."""
    if not is_sparse(cells):
        return values.astype(np.float64)
    from scipy.sparse import csr_array

    return csr_array((values.astype(np.float64), cells.indices, cells.indptr), shape=cells.shape)


def products(cells: Any, table: np.ndarray) -> np.ndarray:
    """Cell times table entry of one row, column by column; a cell of 0 or a missing one adds nothing."""
    row = only_row(cells)
    terms = np.zeros(table.shape)
    says = ~np.isnan(row) & (row != 0)
    terms[says] = row[says, None] * table[says]
    return terms
