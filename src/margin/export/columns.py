"""What goes in: one input for each column, and what margin's encoders make of them, said in operators."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.base.inputs.columns import Columns
from margin.data.schema import Column
from margin.errors import ExportError, listing
from margin.export.graph import Graph

__all__ = ["MixedColumns", "RawRows", "is_word_column", "written_levels"]


@dataclass(frozen=True)
class MixedColumns:
    """The numbers of the rows in one matrix (NaN where missing), the codes of each other column (-1 where missing)."""

    numeric: str | None
    codes: tuple[str, ...]
    coded: tuple[Column, ...]
    n_numeric: int


def is_word_column(column: Column) -> bool:
    """Whether the cells of a column are strings; levels that are numbers or truth values are matched as numbers."""
    return not column.is_numeric and not all(isinstance(level, numbers.Real) for level in column.levels)


def written_levels(column: Column, who: str = "to_onnx") -> np.ndarray:
    """The levels of a column as the strings or doubles that go in."""
    if not is_word_column(column):
        found = [float(level) for level in column.levels]
        if len(set(found)) < len(found):
            raise ExportError(
                f"{who}: levels of column {column.name!r} are the same number as doubles; make them words."
            )
        return np.array(found, dtype=np.float64)
    if any(isinstance(level, bytes) for level in column.levels):
        raise ExportError(
            f"{who}: column {column.name!r} holds bytes, which ONNX has no type for; decode them to words."
        )
    words = [str(level) for level in column.levels]
    if len(set(words)) < len(words):
        raise ExportError(f"{who}: levels of column {column.name!r} are written alike; make all of them words.")
    return np.array(words, dtype=object)


class RawRows:
    """The raw columns in the graph: the inputs of the outermost model, which inner models read as well."""

    def __init__(self, graph: Graph, columns: Columns) -> None:
        self.graph = graph
        self.columns = columns
        self._codes: dict[Any, str] = {}
        self._blocks: dict[Any, str] = {}
        self._cells: dict[str, str] = {}  # of columns that are no inputs, or inputs by another name
        if columns.schema is None:
            self.first = graph.input("X", "DOUBLE", columns.n)
            return
        dated = [each.column for each in columns.dates] + [c.name for c in columns.schema if c.kind == "date"]
        if dated:
            raise ExportError(
                f"to_onnx: column {listing(sorted(dated))} holds dates; reading them the way margin does cannot be "
                "said in ONNX (give their parts as columns of numbers before, or leave the column out)."
            )
        if columns.text:
            raise ExportError(
                f"to_onnx: column {listing(sorted(columns.text))} is free text; splitting texts into words the way "
                "margin does cannot be said in ONNX (count the words before, or leave the column out)."
            )
        for column in columns.schema:
            graph.input(column.name, "STRING" if is_word_column(column) else "DOUBLE", 1)
        self.first = columns.schema[0].name

    def made(self, matrix: str, n_columns: int) -> RawRows:
        """Rows whose cells are a matrix of numbers that the graph itself makes."""
        found = RawRows.__new__(RawRows)
        found.graph, found.columns, found.first = self.graph, Columns(n_columns, None), matrix
        found._codes, found._blocks, found._cells = {}, {}, {}
        return found

    def beside(self, columns: Columns, cells: dict[str, str]) -> RawRows:
        """These rows with further columns by name: numbers that the graph itself makes, or an input once more."""
        found = RawRows.__new__(RawRows)
        found.graph, found.columns, found.first = self.graph, columns, self.first
        found._codes, found._blocks, found._cells = dict(self._codes), {}, {**self._cells, **cells}
        return found

    def count(self) -> str:
        """How many rows there are, as a list of one number."""
        return self.graph("Shape", self.first, end=1)

    def codes(self, column: Column) -> str:
        """The code of each cell among the levels of a column, -1 where it is none of them; n × 1."""
        key = (column.name, column.levels)
        if key not in self._codes:
            self._codes[key] = self._coded(column)
        return self._codes[key]

    def ranks(self, column: Column) -> str:
        """The codes as doubles, NaN where there is none."""
        codes = self.codes(column)
        return self.graph("Where", self.graph("Less", codes, 0), np.nan, self.graph.as_double(codes))

    def mixed(self, encoder: Any) -> MixedColumns:
        """What a model with the representation ``Mixed`` sees."""
        schema = encoder.columns.schema
        if schema is None:
            return MixedColumns(self.first, (), (), self.columns.n)
        coded = tuple(schema[name] for name in encoder.coded_names)
        numeric = self._block([schema[name] for name in encoder.numeric_names])
        return MixedColumns(numeric, tuple(map(self.codes, coded)), coded, len(encoder.numeric_names))

    def matrix(self, encoder: Any) -> str:
        """What a model with the representation ``Numeric`` sees: filled, scaled, one-hot."""
        graph, schema = self.graph, encoder.columns.schema
        numbers = self.first if schema is None else self._block([schema[name] for name in encoder.numbered])
        parts = []
        if numbers is not None:
            parts.append(self._filled_and_scaled(numbers, encoder))
        for column in encoder.one_hot:
            if column.levels:
                equal = graph("Equal", self.codes(column), np.arange(len(column.levels)).reshape(1, -1))
                parts.append(graph.as_double(equal))
        return graph.side_by_side(parts) if parts else graph.repeated(np.empty(0), self.count())

    def _filled_and_scaled(self, numbers: str, encoder: Any) -> str:
        graph = self.graph
        filled = graph("Where", graph("IsNaN", numbers), encoder.fill, numbers)
        if encoder.form.scale is None:
            return filled
        return graph("Div", graph("Sub", filled, encoder.center), encoder.spread)

    def _block(self, columns: list[Column]) -> str | None:
        """Numeric and ordinal columns side by side, NaN where a cell is missing."""
        key = tuple(columns)
        if key not in self._blocks and columns:
            parts = [
                self._cells.get(column.name, column.name) if column.is_numeric else self.ranks(column)
                for column in columns
            ]
            self._blocks[key] = self.graph.side_by_side(parts)
        return self._blocks.get(key)

    def _coded(self, column: Column) -> str:
        graph = self.graph
        levels, cells = written_levels(column), self._cells.get(column.name, column.name)
        if not len(levels):
            return graph("Expand", np.array([[-1]]), graph("Shape", cells))
        assert self.columns.schema is not None
        if is_word_column(column) != is_word_column(self.columns.schema[cells]):
            levels = np.array([str(level) for level in column.levels], dtype=object)
        return graph.ml(
            "LabelEncoder",
            cells,
            keys_tensor=graph.tensor(levels, "keys"),
            values_tensor=graph.tensor(np.arange(len(levels)), "values"),
            default_tensor=graph.tensor(np.array([-1]), "default"),
        )
