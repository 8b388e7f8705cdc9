"""Sums of kernels: the function, the vectors it is summed over, and the machines and certificates made of them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from margin.persistence.container.limits import Malformed
from margin.persistence.kinds.base import NUMERIC
from margin.persistence.objects.arrays import Array, Csr, Parts, at_least, starts
from margin.persistence.objects.fields import Either, Flag, Maybe, Number, Object, Packer, Text, Unpacker, Whole, within
from margin.persistence.objects.kind import Kind
from margin.persistence.objects.values import Texts
from margin.svm.kernel_machine.certificate import Evidence
from margin.svm.kernel_machine.kernel_estimator import KernelEstimator
from margin.svm.kernel_machine.machine import Machine
from margin.svm.kernel_machine.multiclass import Layout
from margin.svm.kernels.expansion import Expansion
from margin.svm.kernels.function import FAMILY, KernelFunction
from margin.svm.kernels.spectrum import SpectrumKernel

__all__ = ["KINDS", "columns_misfit"]


class NoFunction:
    """Where a kernel that a user wrote would stand; files hold no code."""

    def pack(self, value: object, to: Packer) -> None:
        if value is not None:
            raise Malformed(
                "is a function of yours, and files hold no code (fit with kernel='precomputed' and compute the values "
                "yourself, or keep the model with joblib.dump)"
            )

    def unpack(self, node: Any, of: Unpacker) -> None:
        if node is not None:
            raise Malformed("must be null")


class Pieces:
    """The dictionary of a spectrum kernel: pieces of texts, then pieces of tokens, each as its tokens."""

    def pack(self, value: object, to: Packer) -> dict[str, Any]:
        if not isinstance(value, tuple):
            raise Malformed("must be a tuple of pieces")
        texts = [piece for piece in value if isinstance(piece, str)]
        tokens = [list(piece) for piece in value[len(texts) :] if isinstance(piece, tuple)]
        if len(texts) + len(tokens) != len(value):
            raise Malformed("must be pieces of texts, then of tokens")
        start = np.zeros(len(tokens) + 1, dtype=np.int64)
        np.cumsum([len(piece) for piece in tokens], out=start[1:])
        return {
            "texts": Texts().pack(texts, to),
            "tokens": Texts().pack([token for piece in tokens for token in piece], to),
            "start": to.add_array(start),
        }

    def unpack(self, node: Any, of: Unpacker) -> tuple[Any, ...]:
        if not isinstance(node, dict) or node.keys() != {"texts", "tokens", "start"}:
            raise Malformed("must be pieces")
        texts, tokens = (within(name, Texts().unpack, node[name], of) for name in ("texts", "tokens"))
        start = within("start", Array("i8", None).unpack, node["start"], of)
        if not len(start) or start[0] != 0 or start[-1] != len(tokens) or (start[1:] < start[:-1]).any():
            raise Malformed("pieces do not begin where they should")
        places = start.tolist()
        pieces = (*texts, *(tuple(tokens[a:b]) for a, b in itertools.pairwise(places)))
        if len(set(pieces)) < len(pieces):
            raise Malformed("a piece stands there twice")
        return pieces


def _expansion(found: Expansion) -> str | None:
    if isinstance(found.vectors, int) != (found.kernel.name == "precomputed"):
        return "a precomputed kernel has a number of columns, and any other its vectors"
    return None


def _machine(made: Machine) -> str | None:
    layout, sums = made.layout, made.expansion
    parts, rows = (layout.n_classes, layout.n_classes - 1) if layout.in_pairs else (1, layout.n_problems)
    if len(sums.bounds) != parts + 1 or len(sums.coef) != rows:
        return "its sums are laid out otherwise"
    if (made.columns is not None) != (sums.kernel.name == "precomputed"):
        return "it must say which columns hold its kernel values, if they were computed before"
    if made.planes is not None and (made.columns is not None or made.planes.shape[1] != sums.vectors.shape[1]):
        return "its planes are in other columns"
    return None


def _vectors(made: Machine) -> None:
    vectors = made.expansion.vectors
    object.__setattr__(made, "vectors", np.empty((0, 0)) if isinstance(vectors, int) else vectors)


def _evidence(found: Evidence) -> str | None:
    """Every problem must have a decision and a weight for each of its rows."""
    layout, n = found.machine.layout, len(found.y)
    if n and found.y.max() >= layout.n_classes:  # before anything is counted: a count takes as much as its largest
        return "it has rows of classes that there are not"
    counts = np.bincount(found.y, minlength=layout.n_classes)
    if layout.in_pairs:
        first, second = layout.pairs
        wanted = counts[first] + counts[second]
    else:
        wanted = np.full(layout.n_problems, n)
    for parts in (found.alphas, found.values):
        if parts is None or [len(part) for part in parts] != wanted.tolist():
            return "it is of other rows than its problems"
    if len(found.names) != layout.n_problems:
        return "there must be a name for each problem"
    return None


KINDS: tuple[Kind, ...] = (
    Kind(
        "kernel-function",
        KernelFunction,
        {
            "name": Text(*FAMILY, "precomputed"),
            "gamma": Number(finite=False),
            "coef0": Number(),
            "degree": Number(0),
        },
    ),
    Kind(
        "kernel-expansion",
        Expansion,
        {
            "kernel": Object("kernel-function"),
            "vectors": Either(Array("f8 f4", "v", "d", order="A"), Csr("v", "d"), Whole(0, 2**31 - 1, size="v")),
            "coef": Array("f8", None, "v", order="A"),
            "bounds": Array("i8", None, starts("v")),
            "single": Either(Flag(), Text("auto")),
        },
        derived=frozenset({"_packed", "_stored"}),
        check=_expansion,
    ),
    Kind(
        "multiclass-layout",
        Layout,
        {"n_classes": Whole(2, 2**24), "multiclass": Text("one_vs_one", "one_vs_rest")},
    ),
    Kind(
        "kernel-machine",
        Machine,
        {
            "layout": Object("multiclass-layout", where={"p": lambda layout: layout.n_problems}),
            "expansion": Object("kernel-expansion", where={"v": lambda sums: sums.coef.shape[1]}),
            "intercept": Array("f8", "p"),
            "planes": Maybe(Array("f8", "p", None, order="A")),
            "function": NoFunction(),
            "columns": Maybe(Array("i8", "v", at_least(0))),
        },
        derived=frozenset({"vectors"}),
        finish=_vectors,
        check=_machine,
    ),
    Kind(
        "margin-evidence",
        Evidence,
        {
            "machine": Object("kernel-machine", where={"p": lambda machine: machine.layout.n_problems}),
            "alphas": Parts("f8"),
            "values": Parts("f8"),
            "y": Array("i4", "n", at_least(0)),
            "weight": Array("f8", "n", at_least(0)),
            "C": Array("f8", "p", at_least(0)),
            "names": Texts(),
        },
        derived=frozenset({"X"}),
        finish=lambda made: setattr(made, "X", None),
        check=_evidence,
    ),
    Kind("spectrum-kernel", SpectrumKernel, {"pieces_": Pieces()}),
)


def columns_misfit(made: KernelEstimator, machine: Machine) -> str | None:
    """Why a machine is not of the columns that its model reads, or None."""
    width = NUMERIC.where["d"](made._encoder)
    if (machine.columns is not None) != (made.kernel == "precomputed"):
        return "its machine has another kernel"
    if machine.columns is None:
        fits = machine.expansion.vectors.shape[1] == width
    else:
        fits = not len(machine.columns) or machine.columns.max() < width
    return None if fits else "its machine is of other columns"
