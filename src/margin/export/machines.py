"""Support vector machines: sums of kernels over support vectors, by matrix products in double."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from margin.errors import ExportError
from margin.export.answer import Answer, answer
from margin.export.columns import RawRows
from margin.export.graph import Graph
from margin.export.linear import layer_answer
from margin.export.maps import shares
from margin.export.matching import check_size
from margin.linear.presolve import NEVER
from margin.svm.kernel_machine.coupling import PairedCurves
from margin.svm.kernel_machine.kernel_estimator import KernelEstimator
from margin.svm.kernel_machine.model import KernelModel
from margin.svm.kernel_machine.multiclass import Layout
from margin.svm.kernels.expansion import Expansion
from margin.svm.kernels.function import KernelFunction
from margin.svm.kernels.object_kernel import ObjectKernel
from margin.svm.linear_machine.linear_svr import LinearSVR
from margin.svm.pegasos.classifier import PegasosClassifier
from margin.svm.single_problem.one_class import EDGE, OneClassSVM
from margin.svm.single_problem.single_model import SingleKernelModel

__all__ = ["kernel_sums"]


@answer.register
def _(model: PegasosClassifier, rows: RawRows) -> Answer:
    if model._expansion is None or len(model.classes_) == 1:
        return layer_answer(model, rows)
    graph = rows.graph
    intercept = model.intercept_ if model._bars is None else model._intercept(model.intercept_)
    sums = kernel_sums(graph, model._expansion, rows.matrix(model._encoder), type(model).__name__)[0]
    scores = graph("Add", sums, np.asarray(intercept, dtype=np.float64))
    winner = graph.flat(graph.as_int(graph("Greater", scores, 0.0)))
    return Answer(winner if len(model.classes_) == 2 else graph.winner(scores), None, scores)


@answer.register
def _(model: KernelModel, rows: RawRows) -> Answer:
    graph, who = rows.graph, type(model).__name__
    _refuse_other_kernels(model, who)
    n_classes, machine = len(model.classes_), model._machine
    if machine is None:
        return _alone(graph, model, rows)
    matrix = rows.matrix(model._encoder)
    if machine.planes is not None:
        decisions = graph("Add", graph.times(matrix, machine.planes.T), machine.intercept)
    else:
        sums = kernel_sums(graph, machine.expansion, matrix, who)
        decisions = _decisions(graph, machine.layout, sums, machine.intercept)
    scores = _scores(graph, machine.layout, decisions)
    found = None
    if model.probability is not None:
        asked = decisions if machine.layout.n_classes == 2 or isinstance(model._map, PairedCurves) else scores
        n_scores = 1 if machine.layout.n_classes == 2 else machine.layout.n_classes
        found = shares(model._map, graph, asked, n_scores)
    if isinstance(model._map, PairedCurves):
        assert found is not None
        winner = graph.winner(found)
    elif model.break_ties:
        winner = graph.winner(scores)
    else:
        winner = _winners(graph, machine.layout, decisions)
    winner = graph("Gather", model._places.astype(np.int64), winner)
    shown: str | None = decisions
    if n_classes > 2 and model.decision_function_shape == "ovr":
        scores = found if isinstance(model._map, PairedCurves) and found is not None else scores
        shown = graph.widened(scores, model._places, n_classes, NEVER, rows.count())
    elif n_classes > 2 and len(model._places) < n_classes:
        shown = None
    probabilities = None
    if found is not None:
        probabilities = graph.widened(found, model._places, n_classes, 0.0, rows.count())
    return Answer(winner, probabilities, shown)


@answer.register
def _(model: SingleKernelModel, rows: RawRows) -> Answer:
    graph, machine = rows.graph, model._machine
    assert machine is not None
    _refuse_other_kernels(model, type(model).__name__)
    matrix = rows.matrix(model._encoder)
    if machine.planes is not None:
        sums = graph.times(matrix, machine.planes.T)
    else:
        sums = kernel_sums(graph, machine.expansion, matrix, type(model).__name__)[0]
    decision = graph.flat(graph("Add", sums, machine.intercept))
    if isinstance(model, OneClassSVM):
        decision = graph("Where", graph("GreaterOrEqual", decision, -EDGE * abs(model.offset_)), 1.0, -1.0)
    return Answer(value=decision)


@answer.register
def _(model: LinearSVR, rows: RawRows) -> Answer:
    graph, (coef, intercept) = rows.graph, model._layer("to_onnx")
    return Answer(value=graph.flat(graph("Add", graph.times(rows.matrix(model._encoder), coef.T), intercept)))


def _refuse_other_kernels(model: KernelEstimator, who: str) -> None:
    if "_spectrum" in model.__dict__:
        raise ExportError(f"to_onnx({who}): a spectrum kernel cuts strings to pieces, which ONNX has no operator for.")
    if model._chosen_kernel.function is not None:
        raise ExportError(
            f"to_onnx({who}(kernel=<function>)): the kernel is a function in Python, which no graph can call "
            "(take one of the kernels that have names)."
        )
    if isinstance(model.kernel, ObjectKernel):
        raise ExportError(
            f"to_onnx({who}(kernel=ObjectKernel)): the kernel is a function of objects, which ONNX has none of."
        )
    if model.kernel == "precomputed":
        raise ExportError(
            f"to_onnx({who}(kernel='precomputed')): the model knows kernel values and not the rows behind them "
            "(fit it on rows, with a kernel that has a name)."
        )


def _alone(graph: Graph, model: KernelModel, rows: RawRows) -> Answer:
    """Only one class has rows."""
    n_classes, place = len(model.classes_), int(model._places[0])
    winner = graph.flat(graph.repeated(np.array([place]), rows.count()))
    certain = (np.arange(n_classes) == place).astype(np.float64)
    if model.probability is not None:
        return Answer(winner, graph.repeated(certain, rows.count()))
    return Answer(winner, None, graph.repeated(np.atleast_1d(model._alone(1)[0]).astype(np.float64), rows.count()))


def kernel_sums(graph: Graph, expansion: Expansion, matrix: str, who: str) -> list[str]:
    """For each part of the vectors a matrix: rows × sums."""
    vectors = expansion.vectors
    vectors = np.asarray(vectors.toarray() if hasattr(vectors, "toarray") else vectors, dtype=np.float64)
    check_size(vectors.shape, who)
    values = _kernel(graph, expansion.kernel, matrix, vectors, who)
    coef, found = np.asarray(expansion.coef, dtype=np.float64), []
    for begin, end in zip(expansion.bounds[:-1], expansion.bounds[1:]):
        part = values if len(expansion.bounds) == 2 else graph.columns(values, np.arange(begin, end))
        found.append(graph.times(part, coef[:, begin:end].T))
    return found


def _kernel(graph: Graph, kernel: KernelFunction, matrix: str, vectors: np.ndarray, who: str) -> str:
    """The kernel of every row with every vector."""
    if kernel.name not in KERNELS:
        raise ExportError(
            f"to_onnx({who}(kernel={kernel.name!r})): the kernel has not been written down as a graph (take one of "
            f"{', '.join(map(repr, KERNELS))})."
        )
    return KERNELS[kernel.name](graph, kernel, matrix, vectors)


def _linear(graph: Graph, kernel: KernelFunction, matrix: str, vectors: np.ndarray) -> str:
    return graph.times(matrix, vectors.T)


def _inner(graph: Graph, kernel: KernelFunction, matrix: str, vectors: np.ndarray) -> str:
    product = graph.times(matrix, vectors.T)
    return graph("Add", graph("Mul", product, float(kernel.gamma)), float(kernel.coef0))


def _polynomial(graph: Graph, kernel: KernelFunction, matrix: str, vectors: np.ndarray) -> str:
    return graph("Pow", _inner(graph, kernel, matrix, vectors), float(kernel.degree))


def _rbf(graph: Graph, kernel: KernelFunction, matrix: str, vectors: np.ndarray) -> str:
    center = kernel.center_of(vectors)
    moved, stand = graph("Sub", matrix, center), vectors - center
    lengths = graph("Add", graph.sums(graph("Mul", moved, moved)), (stand * stand).sum(axis=1).reshape(1, -1))
    square = graph("Sub", lengths, graph("Mul", graph.times(moved, stand.T), 2.0))
    return graph("Exp", graph("Mul", graph("Max", square, 0.0), -float(kernel.gamma)))


def _sigmoid(graph: Graph, kernel: KernelFunction, matrix: str, vectors: np.ndarray) -> str:
    return graph("Tanh", _inner(graph, kernel, matrix, vectors))


#: The kernels that have a form in ONNX; a model with any other is refused.
KERNELS: dict[str, Callable[[Graph, KernelFunction, str, np.ndarray], str]] = {
    "linear": _linear,
    "poly": _polynomial,
    "rbf": _rbf,
    "sigmoid": _sigmoid,
}


def _decisions(graph: Graph, layout: Layout, sums: list[str], intercept: np.ndarray) -> str:
    if not layout.in_pairs:
        return graph("Add", sums[0], intercept)
    first, second = layout.pairs
    width = layout.n_classes - 1
    whole = graph.side_by_side(sums)
    mine, theirs = graph.columns(whole, first * width + second - 1), graph.columns(whole, second * width + first)
    return graph("Add", graph("Add", mine, theirs), intercept)


def _signs(layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """Pairs × classes: 1 where a class is the first of a pair, and where it is the second."""
    first, second = layout.pairs
    classes = np.arange(layout.n_classes)
    return (first[:, None] == classes).astype(np.float64), (second[:, None] == classes).astype(np.float64)


def _winners(graph: Graph, layout: Layout, decisions: str) -> str:
    if layout.n_classes == 2:
        return graph.flat(graph.as_int(graph("Greater", decisions, 0.0)))
    if not layout.in_pairs:
        return graph.winner(decisions)
    first, second = _signs(layout)
    won = graph.as_double(graph("Greater", decisions, 0.0))
    return graph.winner(graph("Add", graph.times(won, first), graph.times(graph("Sub", 1.0, won), second)))


def _scores(graph: Graph, layout: Layout, decisions: str) -> str:
    """One score for each class; of pairs the votes, and how clear they were as less than half a vote."""
    if layout.n_classes == 2:
        return graph.side_by_side([graph("Neg", decisions), decisions])
    if not layout.in_pairs:
        return decisions
    first, second = _signs(layout)
    won = graph.as_double(graph("GreaterOrEqual", decisions, 0.0))
    votes = graph("Add", graph.times(won, first), graph.times(graph("Sub", 1.0, won), second))
    clear = graph.times(decisions, first - second)
    return graph("Add", votes, graph("Div", clear, graph("Mul", graph("Add", graph("Abs", clear), 1.0), 3.0)))
