"""Naive Bayes, each distribution in its own way, and the joint table."""

from __future__ import annotations

from functools import singledispatch
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from margin.base.representations.representation import SQUARABLE
from margin.bayes.column_blocks import TextBlock
from margin.bayes.distributions.categorical import Categorical, CategoricalNumbers
from margin.bayes.distributions.kernel_density import KernelDensity
from margin.bayes.distributions.mdl_intervals import MdlIntervals
from margin.bayes.distributions.standard import Bernoulli, Gaussian, Multinomial, Poisson
from margin.bayes.joint import JointBayes
from margin.bayes.naive import NaiveBayes
from margin.errors import ExportError
from margin.export.answer import Answer, answer
from margin.export.columns import MixedColumns, RawRows
from margin.export.discriminants import generative_answer
from margin.export.graph import Graph
from margin.export.matching import check_size, compatible

if TYPE_CHECKING:
    from margin.bayes.column_blocks import Block

__all__ = ["terms"]

#: Bumps of kernel densities in one model: each of them is compared with every row.
MOST_BUMPS = 200_000
#: Logarithms of whole numbers that are kept in a table.
MOST_LOGARITHMS = 100_000


@answer.register
def _(model: NaiveBayes, rows: RawRows) -> Answer:
    graph, mixed = rows.graph, rows.mixed(model._encoder)
    scores = graph.repeated(model._start, rows.count())
    for block in model._blocks:
        if isinstance(block, TextBlock):
            raise ExportError(f"to_onnx({type(model).__name__}): column {block.name!r} is free text; leave it out.")
        for term in terms(block.distribution, graph, _cells(graph, mixed, block), rows.count()):
            scores = graph("Add", scores, term)
    # Every class ruled out: nothing is known but the priors.
    nowhere = graph("Equal", graph.largest(scores), -np.inf)
    scores = graph("Where", nowhere, model._log_priors, scores)
    return generative_answer(graph, scores)


def _cells(graph: Graph, mixed: MixedColumns, block: Block) -> Any:
    """The cells of a block: a list of codes, or a matrix of numbers."""
    if block.place == "codes":
        return [mixed.codes[j] for j in block.at]
    assert mixed.numeric is not None
    return mixed.numeric if block.is_whole else graph.columns(mixed.numeric, block.at)


@singledispatch
def terms(distribution: Any, graph: Graph, cells: Any, count: str) -> list[str]:
    """What the cells of ``count`` rows add to the scores of the classes: matrices with a column for each class."""
    raise ExportError(f"to_onnx: the distribution {distribution.name!r} cannot be said in ONNX operators.")


@terms.register
def _(distribution: Gaussian, graph: Graph, cells: str, count: str) -> list[str]:
    missing = graph("IsNaN", cells)
    if not distribution._plain:
        cells = graph("Clip", graph("Div", cells, distribution.unit), -SQUARABLE, SQUARABLE)
    found = []
    for mean, steep, off, peak in zip(distribution.mean, distribution.steep, distribution.off, distribution.peak):
        away = graph("Sub", cells, mean)
        bent = graph("Neg", graph("Mul", graph("Mul", away, steep), away))
        found.append(_added_up(graph, graph("Where", missing, -off, bent), len(mean), float(peak), count))
    return [graph.side_by_side(found)]


def _added_up(graph: Graph, terms_of: str, n: int, start: float, count: str) -> str:
    """The sum of each row, in the order of the core: from the start on, four columns at a time.

    Scores may be millions, and another order would show in the probabilities.
    """
    whole = n // 4 * 4
    parts = [graph.repeated(np.array([start]), count)]
    if whole:
        a, b, c, d = (graph.columns(terms_of, np.arange(i, whole, 4)) for i in range(4))
        parts.append(graph("Add", graph("Add", a, b), graph("Add", c, d)))
    if whole < n:
        parts.append(graph.columns(terms_of, np.arange(whole, n)))
    running = graph("CumSum", graph.side_by_side(parts), np.array(1))
    return graph.columns(running, [whole // 4 + n - whole])


@terms.register
def _(distribution: Categorical, graph: Graph, cells: list[str], count: str) -> list[str]:
    return [
        _looked_up(graph, codes, distribution.log_share[start:end])
        for codes, (start, end) in zip(cells, pairwise(distribution.first))
    ]


@terms.register
def _(distribution: CategoricalNumbers, graph: Graph, cells: str, count: str) -> list[str]:
    found = []
    for j, (numbers, (start, end)) in enumerate(zip(distribution.values, pairwise(distribution.first))):
        if len(numbers):
            codes = places_of(graph, graph.columns(cells, [j]), numbers)
            found.append(_looked_up(graph, codes, distribution.log_share[start:end]))
    return found


@terms.register
def _(distribution: MdlIntervals, graph: Graph, cells: str, count: str) -> list[str]:
    found = []
    for j, (cuts, (start, end)) in enumerate(zip(distribution.cuts, pairwise(distribution.first))):
        if len(cuts):  # one interval says nothing
            column = graph.columns(cells, [j])
            below = graph.sums(graph.as_double(graph("Greater", column, cuts.reshape(1, -1))))
            codes = graph.as_int(graph("Where", graph("IsNaN", column), -1.0, below))
            found.append(_looked_up(graph, codes, distribution.log_share[start:end]))
    return found


def places_of(graph: Graph, cells: str, numbers: np.ndarray) -> str:
    """The place of each cell among numbers, -1 where it is none of them."""
    return graph.ml(
        "LabelEncoder",
        graph("Add", cells, 0.0),  # one zero, whatever its sign
        keys_tensor=graph.tensor(np.asarray(numbers, dtype=np.float64) + 0.0, "keys"),
        values_tensor=graph.tensor(np.arange(len(numbers)), "values"),
        default_tensor=graph.tensor(np.array([-1]), "default"),
    )


def _looked_up(graph: Graph, codes: str, table: np.ndarray) -> str:
    """The row of a table for each code; -1 is the last, which says nothing."""
    whole = np.vstack([table, np.zeros((1, table.shape[1]))])
    return graph("Gather", whole, graph.flat(codes), axis=0)


@terms.register
def _(distribution: Multinomial, graph: Graph, cells: str, count: str) -> list[str]:
    return _products(graph, cells, distribution.table)


def _products(graph: Graph, cells: str, table: np.ndarray) -> list[str]:
    """Each row's sum of cell times table entry; a cell of 0 or a missing one adds nothing, not even to -inf."""
    there = graph("Where", graph("IsNaN", cells), 0.0, cells)
    never = np.isneginf(table)
    found = [graph.times(there, np.where(never, 0.0, table))]
    if never.any():
        hits = graph.times(graph.as_double(graph("Not", graph("Equal", there, 0.0))), never.astype(np.float64))
        found.append(graph("Where", graph("Greater", hits, 0.5), -np.inf, 0.0))
    return found


@terms.register
def _(distribution: Bernoulli, graph: Graph, cells: str, count: str) -> list[str]:
    above = graph("Greater", cells, float(distribution.threshold))  # a missing cell is neither above nor below
    below = graph("LessOrEqual", cells, float(distribution.threshold))
    return [
        term
        for is_so, table in ((above, distribution.present), (below, distribution.absent))
        for term in _products(graph, graph.as_double(is_so), table)
    ]


@terms.register
def _(distribution: Poisson, graph: Graph, cells: str, count: str) -> list[str]:
    there = graph.as_double(graph("Not", graph("IsNaN", cells)))
    return [*_products(graph, cells, distribution.table), graph("Neg", graph.times(there, distribution.rate.T))]


@terms.register
def _(distribution: KernelDensity, graph: Graph, cells: str, count: str) -> list[str]:
    if len(distribution.values) > MOST_BUMPS:
        raise ExportError(
            f"to_onnx: the kernel densities stand on {len(distribution.values):,} different cells, more than the "
            f"{MOST_BUMPS:,} that are compared with every row in ONNX (take gaussian or categorical columns)."
        )
    if not distribution._plain:
        cells = graph("Clip", graph("Div", cells, distribution.unit), -SQUARABLE, SQUARABLE)
    n_columns, n_classes = distribution.width.shape
    found = []
    for j in range(n_columns):
        if distribution.start[(j + 1) * n_classes] > distribution.start[j * n_classes]:
            column = graph.columns(cells, [j])
            said = graph.side_by_side([_density(graph, distribution, column, j, k) for k in range(n_classes)])
            found.append(graph("Where", graph("IsNaN", column), 0.0, said))
    return found


def _density(graph: Graph, distribution: KernelDensity, column: str, j: int, k: int) -> str:
    """The logarithm of a sum of normal bumps."""
    group = j * distribution.width.shape[1] + k
    part = slice(distribution.start[group], distribution.start[group + 1])
    away = graph("Sub", column, distribution.values[part].reshape(1, -1))
    fall = graph("Mul", graph("Mul", away, away), float(distribution.steep[j, k]))
    exponents = graph("Sub", distribution.log_weight[part].reshape(1, -1), fall)
    top = graph.largest(exponents)
    total = graph("Add", top, graph("Log", graph.sums(graph("Exp", graph("Sub", exponents, top)))))
    return graph("Add", total, float(distribution.off[j, k]))


@answer.register
def _(model: JointBayes, rows: RawRows) -> Answer:
    graph, mixed = rows.graph, rows.mixed(model._encoder)
    check_size(model._cells.shape, "JointBayes")
    numbers = model._statistics.numbers
    codes = []
    for j in model._used:
        if j < len(numbers):
            assert mixed.numeric is not None
            codes.append(places_of(graph, graph.columns(mixed.numeric, [j]), numbers[j]))
        else:
            codes.append(mixed.codes[j - len(numbers)])
    scores = graph("Add", _log_shares(graph, rows, model, codes), model._log_priors)
    nowhere = graph("Equal", graph.largest(scores), -np.inf)
    scores = graph("Where", nowhere, model._log_priors, scores)
    return generative_answer(graph, scores)


def _log_shares(graph: Graph, rows: RawRows, model: JointBayes, codes: list[str]) -> str:
    """log P(the cells that are there | k): the cases whose cells are the same there, and virtual ones."""
    n_classes = len(model.classes_)
    if codes and len(model._cells):
        counts = graph.times(compatible(graph, codes, model._cells), model._counts)
    else:
        counts = graph.repeated(model._counts.sum(axis=0) if not codes else np.zeros(n_classes), rows.count())
    found = _log_counts(graph, counts, model._counts)
    if np.isfinite(model._log_alpha):
        virtual = graph.repeated(np.array([model._log_alpha]), rows.count())
        for code, size in zip(codes, model._sizes):
            virtual = graph("Add", virtual, graph("Where", graph("Less", code, 0), float(np.log(size)), 0.0))
        top = graph("Max", found, virtual)
        both = graph("Add", graph("Exp", graph("Sub", found, top)), graph("Exp", graph("Sub", virtual, top)))
        found = graph("Add", top, graph("Log", both))
    return graph("Sub", found, model._log_total)


def _log_counts(graph: Graph, counts: str, known: np.ndarray) -> str:
    """Logarithms of sums of known counts; whole numbers are looked up, since classes may be level to the last bit."""
    most = float(known.sum())
    if most > MOST_LOGARITHMS or (known != np.floor(known)).any():
        return graph("Log", counts)
    with np.errstate(divide="ignore"):
        table = np.log(np.arange(int(most) + 1, dtype=np.float64))
    return graph("Gather", table, graph.as_int(counts))
