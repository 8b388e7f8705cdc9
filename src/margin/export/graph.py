"""A graph of ONNX operators, written down node by node.

Every number with a point is a double: a constant of float32 is refused here, and so cannot slip in anywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.errors import ExportError

__all__ = ["Graph", "onnx_package"]

OPSET, ML_OPSET, IR_VERSION = 21, 5, 10

Value = str | np.ndarray | float | int | list[Any]


def onnx_package(name: str = "onnx") -> Any:
    """The package ``onnx`` or ``onnxruntime``; where it is absent, an error that says how to get it."""
    import importlib

    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ExportError(
            f'margin.export: {name} is not installed, and ONNX needs it (pip install "margin[onnx]").'
        ) from None


class Graph:
    """Inputs, nodes, constants and outputs of a model, each value known by its name.

    ``graph("Add", x, 1.0)`` writes a node and gives the name of what it computes; whatever is no name is a constant.
    """

    def __init__(self) -> None:
        self.helper = onnx_package().helper
        self.types = onnx_package().TensorProto
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._known: dict[Any, str] = {}
        self._names: set[str] = set()

    def __call__(self, operator: str, *inputs: Value | None, domain: str = "", **attributes: Any) -> str:
        """One node with one output; an input that is None is left out."""
        return self.several(operator, 1, *inputs, domain=domain, **attributes)[0]

    def ml(self, operator: str, *inputs: Value | None, **attributes: Any) -> str:
        """One node of the operators for machine learning."""
        return self(operator, *inputs, domain="ai.onnx.ml", **attributes)

    def several(
        self, operator: str, n_outputs: int, *inputs: Value | None, domain: str = "", **attributes: Any
    ) -> list[str]:
        """One node with several outputs."""
        given = ["" if value is None else self._name_of(value) for value in inputs]
        made = [self._new_name(f"{operator.lower()}") for _ in range(n_outputs)]
        self._nodes.append(self.helper.make_node(operator, given, made, domain=domain, **attributes))
        return made

    def constant(self, value: object) -> str:
        """An array, or a number, as part of the model; equal ones are kept once."""
        array = np.asarray(value)
        if array.dtype.kind not in "fibUO" or (array.dtype.kind == "f" and array.dtype != np.float64):
            raise TypeError(f"Graph.constant: {array.dtype} is none of double, int64, truth values and strings.")
        if array.dtype.kind == "i":
            array = array.astype(np.int64)
        key = (array.dtype.str, array.shape, array.tobytes()) if array.dtype.kind != "O" else repr(array.tolist())
        if key not in self._known:
            self._known[key] = self._new_name("constant")
            self._constants.append(self.tensor(array, self._known[key]))
        return self._known[key]

    def tensor(self, array: np.ndarray, name: str = "") -> Any:
        """An array as ONNX writes it, also for attributes of nodes."""
        if array.dtype.kind in "UO":
            words = [str(word).encode() for word in array.ravel().tolist()]
            return self.helper.make_tensor(name, self.types.STRING, array.shape, words)
        kind = {"f": self.types.DOUBLE, "i": self.types.INT64, "u": self.types.UINT8, "b": self.types.BOOL}
        return self.helper.make_tensor(
            name, kind[array.dtype.kind], array.shape, np.ascontiguousarray(array).tobytes(), raw=True
        )

    def input(self, name: str, kind: str, width: int) -> str:
        """An input of any number of rows; ``kind`` is DOUBLE or STRING."""
        if not name or name in self._names:
            raise ExportError(f"to_onnx: an input cannot be called {name!r}; columns need different names, none empty.")
        self._names.add(name)
        self.inputs.append(self.helper.make_tensor_value_info(name, getattr(self.types, kind), ["n", width]))
        return name

    def output(self, name: str, value: str, kind: str, width: int | None = None) -> None:
        """A result of the model; its name gets an underscore where a column already has it."""
        while name in self._names:
            name += "_"
        self._names.add(name)
        self._nodes.append(self.helper.make_node("Identity", [value], [name]))
        shape = ["n"] if width is None else ["n", width]
        self.outputs.append(self.helper.make_tensor_value_info(name, getattr(self.types, kind), shape))

    def model(self, name: str, about: dict[str, str], version: str) -> Any:
        """The whole as a checked model."""
        made = self.helper.make_model(
            self.helper.make_graph(self._nodes, name, self.inputs, self.outputs, self._constants),
            opset_imports=[self.helper.make_opsetid("", OPSET), self.helper.make_opsetid("ai.onnx.ml", ML_OPSET)],
            ir_version=IR_VERSION,
            producer_name="margin",
            producer_version=version,
        )
        self.helper.set_model_props(made, about)
        return made

    def as_double(self, value: str) -> str:
        """Whole numbers or truth values as doubles."""
        return self("Cast", value, to=self.types.DOUBLE)

    def as_int(self, value: str) -> str:
        """Doubles or truth values as whole numbers."""
        return self("Cast", value, to=self.types.INT64)

    def side_by_side(self, parts: list[str]) -> str:
        """Matrices joined column after column."""
        return parts[0] if len(parts) == 1 else self("Concat", *parts, axis=1)

    def columns(self, matrix: str, which: Any) -> str:
        """Some columns of a matrix, in the order asked for."""
        return self("Gather", matrix, np.asarray(which, dtype=np.int64), axis=1)

    def flat(self, column: str) -> str:
        """A matrix of one column as a list."""
        return self("Reshape", column, np.array([-1], dtype=np.int64))

    def as_column(self, values: str) -> str:
        """A list as a matrix of one column."""
        return self("Reshape", values, np.array([-1, 1], dtype=np.int64))

    def times(self, matrix: str, weights: np.ndarray) -> str:
        """Rows of a matrix times weights that hold one column for each result."""
        # Not MatMul: onnxruntime joins that with a number it is multiplied by, and rounds the number to float32.
        return self("Gemm", matrix, np.ascontiguousarray(weights, dtype=np.float64))

    def sums(self, matrix: str, kept: bool = True) -> str:
        """The sum of each row."""
        return self("ReduceSum", matrix, np.array([1], dtype=np.int64), keepdims=int(kept))

    def largest(self, matrix: str) -> str:
        """The largest cell of each row, as a matrix of one column."""
        return self("ReduceMax", matrix, np.array([1], dtype=np.int64), keepdims=1)

    def winner(self, scores: str) -> str:
        """The place of the largest cell of each row; ties go to the first."""
        return self("ArgMax", scores, axis=1, keepdims=0, select_last_index=0)

    def as_shares(self, weights: str) -> str:
        """Each row divided by its sum."""
        return self("Div", weights, self.sums(weights))

    def softmax(self, scores: str) -> str:
        """The exponentials of each row, divided by their sum; the largest score is taken off first."""
        return self.as_shares(self("Exp", self("Sub", scores, self.largest(scores))))

    def repeated(self, row: np.ndarray, count: str) -> str:
        """One row of constants for each row of the input; ``count`` is their number, a list of one."""
        shape = self("Concat", count, np.array([len(row)], dtype=np.int64), axis=0)
        return self("Expand", np.asarray(row).reshape(1, -1), shape)

    def widened(self, columns: str, places: np.ndarray, n: int, never: float, count: str) -> str:
        """Columns put at their places among n; the others hold ``never``."""
        if len(places) == n and np.array_equal(places, np.arange(n)):
            return columns
        which = np.full(n, len(places))
        which[places] = np.arange(len(places))
        return self.columns(self.side_by_side([columns, self.repeated(np.array([never]), count)]), which)

    def _name_of(self, value: Value) -> str:
        return value if isinstance(value, str) else self.constant(value)

    def _new_name(self, what: str) -> str:
        number = len(self._names)
        while f"{what}.{number}" in self._names:
            number += 1
        self._names.add(f"{what}.{number}")
        return f"{what}.{number}"
