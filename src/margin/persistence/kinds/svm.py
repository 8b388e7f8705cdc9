"""Support vector machines.

Letters: ``v`` support vectors; ``p`` problems of two classes; ``s`` scores, one for two classes and else one for each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.linear.online.row_order import padded
from margin.persistence.kinds.base import NUMERIC, classifier, model
from margin.persistence.kinds.kernels import KINDS as KERNELS
from margin.persistence.kinds.kernels import columns_misfit
from margin.persistence.kinds.linear import COUNT, linear_classifier, n_scores
from margin.persistence.kinds.reject import KINDS as REJECT
from margin.persistence.kinds.single_machines import KINDS as SINGLE
from margin.persistence.objects.arrays import Array, at_least, below, finite, strictly_ascending
from margin.persistence.objects.fields import (
    ANY_NUMBER,
    Absent,
    Either,
    Flag,
    Maybe,
    Number,
    Object,
    Text,
    TupleOf,
    Whole,
)
from margin.persistence.objects.kind import Kind
from margin.svm.kernel_machine.coupling import PairedCurves
from margin.svm.kernel_machine.kernel_classifier import KernelClassifier
from margin.svm.kernel_machine.nu_svc import NuSVC
from margin.svm.kernel_machine.svc import SVC
from margin.svm.linear_machine.certificate import LinearCertificate
from margin.svm.linear_machine.linear_svc import LinearSVC
from margin.svm.linear_machine.linear_svr import LinearSVR
from margin.svm.pegasos.certificate import PegasosCertificate
from margin.svm.pegasos.classifier import PegasosClassifier
from margin.svm.pegasos.kernel import KernelMemory
from margin.svm.pegasos.rule import Memory

__all__ = ["KINDS"]


# ---- The machine with a kernel.


def _machine_read(made: KernelClassifier) -> None:
    machine = made._machine
    if machine is None:
        made.dual_coef_, made.intercept_, made.gamma_ = np.zeros((0, 0)), np.zeros(0), 1.0
    else:
        made.dual_coef_, made.intercept_ = machine.expansion.coef, machine.intercept
        made.gamma_ = machine.expansion.kernel.gamma


def _svc(made: KernelClassifier) -> str | None:
    if len(made._places) == 0 or (made._machine is None) != (len(made._places) == 1):
        return "there must be a machine where several classes have rows, and only there"
    if "_spectrum" in vars(made):
        pieces = vars(made._spectrum).get("pieces_")
        if pieces is None or len(pieces) != NUMERIC.where["d"](made._encoder):
            return "its pieces of texts are others than its columns"
    return None if made._machine is None else _machine_fits(made) or _evidence_fits(made) or _map_fits(made)


def _machine_fits(made: KernelClassifier) -> str | None:
    machine = made._machine
    assert machine is not None
    if machine.layout.n_classes != len(made._places):
        return "its machine is of other classes"
    if len(made.support_) != machine.expansion.coef.shape[1] or len(made.n_iter_) != machine.layout.n_problems:
        return "it has other support vectors or problems than its machine"
    if isinstance(made.C_, np.ndarray) and len(made.C_) != machine.layout.n_problems:
        return "there must be a C for each problem"
    if misfit := columns_misfit(made, machine):
        return misfit
    absent = len(made._places) < len(made.classes_)
    if made.decision_function_shape == "ovo" and absent and machine.layout.multiclass != "one_vs_one":
        return "there are no decisions of pairs"
    return None


def _evidence_fits(made: KernelClassifier) -> str | None:
    found = vars(made).get("_evidence")
    if found is None:
        return None
    if found.machine.layout != made._machine.layout:  # type: ignore[union-attr]
        return "its evidence is of another machine"
    if len(found.y) != (made._n_given if made._kept is None else len(made._kept)):
        return "its evidence is of other rows"
    if made._kept is not None and len(made._kept) and made._kept[-1] >= made._n_given:
        return "it keeps rows that were not given"
    return None


def _map_fits(made: KernelClassifier) -> str | None:
    found, n = made._map, made._machine.layout.n_classes  # type: ignore[union-attr]
    if isinstance(found, PairedCurves):
        fits = made._machine.layout.in_pairs and found.n_classes == n  # type: ignore[union-attr]
        return None if fits else "its probabilities are of other pairs of classes"
    curves = getattr(found, "slope", getattr(found, "corners", None))
    if curves is not None and len(curves) != (1 if n == 2 else n):
        return "its probabilities are of other classes"
    return None


class EvidenceField(Maybe):
    """What certificates are made of: the decisions about the training rows, and not the rows themselves."""

    def __init__(self) -> None:
        super().__init__(Object("margin-evidence"))

    def pack(self, value: Any, to: Any) -> Any:
        if hasattr(value, "settled"):  # an older file's has been settled when it was written
            value.settled()
        return super().pack(value, to)


def _paired(found: PairedCurves) -> str | None:
    n_pairs = found.n_classes * (found.n_classes - 1) // 2
    return None if len(found.curves.slope) == n_pairs else "there must be a curve for each pair of classes"


PAIRED = Kind(
    "paired-curves", PairedCurves, {"n_classes": Whole(3, 2**20), "curves": Object("sigmoid-map")}, check=_paired
)

MACHINE_FIELDS: dict[str, Any] = {
    "_places": Array("i8 i4", None, below("k"), strictly_ascending),
    "_machine": Maybe(Object("kernel-machine")),
    "_evidence": Absent(EvidenceField()),  # a machine that was not learnt here has none
    "_map": Maybe(Object("sigmoid-map", "isotonic-map", "temperature-map", "paired-curves")),
    "_kept": Maybe(Array("i8", None, at_least(0), strictly_ascending)),
    "_n_given": Whole(0, 2**40),
    "_spectrum": Absent(Object("spectrum-kernel")),
    "support_": Array("i8", "v", at_least(0)),
    "n_support_": Array("i4", "k", at_least(0)),
    "n_iter_": Array("i8", None),
    "C_": Either(Number(0, finite=False), Array("f8", None, at_least(0))),
}


def _kernel_classifier(name: str, cls: type) -> Kind:
    derived = frozenset({"dual_coef_", "intercept_", "gamma_"})
    return classifier(name, cls, MACHINE_FIELDS, sees=NUMERIC, check=_svc, derived=derived, finish=_machine_read)


# ---- Machines that are planes, and descent.


def _kernel_memory(kept: KernelMemory) -> str | None:
    found = kept.memory
    if found.beta is None or found.beta_sums is None or found.beta.shape[1] != len(kept.y):
        return "it must remember how often each vector was too close"
    return None


def _memory(memory: Memory) -> str | None:
    return "it remembers half of its rows" if (memory.beta is None) != (memory.beta_sums is None) else None


def _descended(made: PegasosClassifier) -> None:
    found = made._memory
    if isinstance(found, KernelMemory):
        n = found.memory.scalars.shape[1]
        positive = (found.y == 1)[None] if n == 1 else found.y[None] == np.arange(n)[:, None]
        beta = found.memory.beta
        assert beta is not None
        made.beta_, made.t_ = np.where(positive, beta, -beta), found.memory.t
    else:
        made.t_ = found.t


def _pegasos(made: PegasosClassifier) -> str | None:
    found, sums = made._memory, made._expansion
    if isinstance(found, KernelMemory) != (sums is not None) or ("coef_" in vars(made)) == (sums is not None):
        return "it must have coefficients, or sums of kernels and what they go on from"
    memory = found.memory if isinstance(found, KernelMemory) else found
    if memory.scalars.shape[1] != n_scores(made):
        return "its memory is of other scores"
    if sums is None:
        return None if memory.weights.shape[1] == padded(made.coef_.shape[1]) else "its memory is of other columns"
    if sums.kernel.name == "precomputed" or len(sums.coef) != n_scores(made) or len(sums.bounds) != 2:
        return "its sums of kernels are of other scores"
    if sums.vectors.shape != (len(found.y), NUMERIC.where["d"](made._encoder)) or memory.weights.shape[1]:  # type: ignore[union-attr]
        return "its support vectors are of other rows or columns"
    if len(found.y) and found.y.max() >= max(2, len(made.classes_)):  # type: ignore[union-attr]
        return "its support vectors are of classes that there are not"
    return None


PLANES = (
    Kind(
        "linear-svc-certificate",
        LinearCertificate,
        {
            "primal": ANY_NUMBER,
            "dual": ANY_NUMBER,
            "gap": ANY_NUMBER,
            "relative_gap": ANY_NUMBER,
            "margins": TupleOf(ANY_NUMBER),
            "tol": ANY_NUMBER,
            "solver": Text(),
            "reason": Text(),
            "n_iter": COUNT,
            "converged": Flag(),
        },
    ),
    linear_classifier(
        "linear-svc",
        LinearSVC,
        {"n_iter_": COUNT, "certificate_": Absent(Object("linear-svc-certificate")), "lambda_": Absent(Number(0))},
    ),
    model(
        "linear-svr",
        LinearSVR,
        {
            "coef_": Array("f8 f4", "d", order="A"),
            "intercept_": Array("f8 f4", 1),
            "n_iter_": COUNT,
            "certificate_": Absent(Object("linear-svc-certificate")),
        },
        sees=NUMERIC,
    ),
    Kind(
        "pegasos-memory",
        Memory,
        {
            "scalars": Array("f8", 5, "s", finite),
            "weights": Array("f8", "s", "p"),
            "sums": Array("f8", "s", "p"),
            "beta": Maybe(Array("f8", "s", "v")),
            "beta_sums": Maybe(Array("f8", "s", "v")),
            "late": Whole(0, 1),
            "t": Number(1),
        },
        check=_memory,
    ),
    Kind(
        "pegasos-kernel-memory",
        KernelMemory,
        {"memory": Object("pegasos-memory"), "y": Array("i4", None, at_least(0))},
        check=_kernel_memory,
    ),
    Kind(
        "pegasos-certificate",
        PegasosCertificate,
        {
            "objective": ANY_NUMBER,
            "lower_bound": ANY_NUMBER,
            "steps": COUNT,
            "guarantee": Maybe(ANY_NUMBER),
        },
    ),
    linear_classifier(
        "pegasos-classifier",
        PegasosClassifier,
        {
            "coef_": Absent(Array("f8 f4", "s", "d", order="A")),
            "_expansion": Absent(Maybe(Object("kernel-expansion"))),
            "_memory": Object("pegasos-memory", "pegasos-kernel-memory"),
            "certificate_": Maybe(Object("pegasos-certificate")),
            "lambda_used_": Number(0),
            "objective_": Array("f8", "o"),
            "objective_passes_": Array("i8", "o"),
            "n_iter_": COUNT,
            "support_": Absent(Array("i8", None, at_least(0))),
        },
        _pegasos,
        derived=frozenset({"t_", "beta_"}),
        finish=_descended,
    ),
)


KINDS: tuple[Kind, ...] = (
    *KERNELS,
    PAIRED,
    _kernel_classifier("svc", SVC),
    _kernel_classifier("nu-svc", NuSVC),
    *SINGLE,
    *PLANES,
    *REJECT,
)
