"""Kernel machines of a single problem: regression and one class.

Letters: ``v`` support vectors; ``n`` rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.persistence.kinds.base import NUMERIC, model
from margin.persistence.kinds.kernels import columns_misfit
from margin.persistence.objects.arrays import Array, at_least, finite, strictly_ascending
from margin.persistence.objects.fields import Absent, Field, Maybe, Number, Object, Whole
from margin.persistence.objects.kind import Kind
from margin.svm.single_problem.evidence import DualEvidence
from margin.svm.single_problem.one_class import OneClassSVM
from margin.svm.single_problem.single_model import ONE, SingleKernelModel
from margin.svm.single_problem.svr import SVR

__all__ = ["KINDS"]


def _read(made: SingleKernelModel) -> None:
    machine = made._machine
    assert machine is not None
    made.dual_coef_, made.intercept_ = machine.expansion.coef, machine.intercept
    made.gamma_ = machine.expansion.kernel.gamma
    made.n_support_ = np.array([len(made.support_)], dtype=np.int32)
    if isinstance(made, OneClassSVM):
        made.offset_ = -float(machine.intercept[0])


def _single(made: SingleKernelModel) -> str | None:
    machine = made._machine
    assert machine is not None
    if machine.layout != ONE or len(made.support_) != machine.expansion.coef.shape[1]:
        return "its machine has other problems or support vectors"
    if misfit := columns_misfit(made, machine):
        return misfit
    if "_spectrum" in vars(made):
        pieces = vars(made._spectrum).get("pieces_")
        if pieces is None or len(pieces) != NUMERIC.where["d"](made._encoder):
            return "its pieces of texts are others than its columns"
    kept = made._kept
    if kept is not None and len(kept) and kept[-1] >= made._n_given:
        return "it keeps rows that were not given"
    if len(made._evidence.b) != (made._n_given if kept is None else len(kept)):
        return "its evidence is of other rows"
    return None


class EvidenceField(Object):
    """What the certificate is made of: the decisions about the training rows, and not the rows themselves."""

    def pack(self, value: Any, to: Any) -> Any:
        if hasattr(value, "settled"):
            value.settled()
        return super().pack(value, to)


def _kind(name: str, cls: type) -> Kind:
    fields: dict[str, Field] = {
        "_machine": Object("kernel-machine"),
        "_evidence": EvidenceField("dual-evidence"),
        "_kept": Maybe(Array("i8", None, at_least(0), strictly_ascending)),
        "_n_given": Whole(0, 2**40),
        "_spectrum": Absent(Object("spectrum-kernel")),
        "support_": Array("i8", None, at_least(0)),
        "n_iter_": Whole(0, 2**53),
    }
    derived = frozenset({"dual_coef_", "intercept_", "gamma_", "n_support_", "offset_"})
    return model(name, cls, fields, sees=NUMERIC, check=_single, derived=derived, finish=_read)


KINDS: tuple[Kind, ...] = (
    Kind(
        "dual-evidence",
        DualEvidence,
        {
            "machine": Object("kernel-machine"),
            "b": Array("f8", "n", finite),
            "values": Array("f8", "n"),
            "target": Array("f8", "n"),
            "lower": Array("f8", "n"),
            "upper": Array("f8", "n"),
            "tube": Number(0),
            "total": Number(),
            "nothing": Number(0),
        },
        derived=frozenset({"X"}),
        finish=lambda made: setattr(made, "X", None),
    ),
    _kind("svr", SVR),
    _kind("one-class-svm", OneClassSVM),
)
