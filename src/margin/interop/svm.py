"""Support vector machines: the vectors, their weights and the constants taken over."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from margin.errors import ConversionError
from margin.interop.features import Preparation
from margin.interop.making import numeric, of_same_name, who_is
from margin.interop.matrices import Matrix
from margin.svm import SVC
from margin.svm.kernel_machine.machine import Machine
from margin.svm.kernel_machine.multiclass import Layout
from margin.svm.kernels.expansion import Expansion
from margin.svm.kernels.function import KernelFunction, traits_of

__all__ = ["svc"]


def svc(fitted: Any, seen: Preparation) -> SVC:
    who = who_is(fitted)
    if getattr(fitted, "_effective_probability", fitted.probability) is True:
        raise ConversionError(
            f"{who}: probability must be False, for LIBSVM couples probabilities of pairs by rounds that stop early, "
            "which margin does not repeat (fit with probability=False and put CalibratedClassifierCV around it)."
        )
    settings = of_same_name(
        fitted, "kernel", "degree", "gamma", "coef0", "decision_function_shape", "break_ties", "class_weight", "tol",
        "max_iter", "cache_size",
    )  # fmt: skip
    model = SVC(float(fitted.C), scale=seen.scale, **settings)
    whole_rows = fitted.kernel == "precomputed" or callable(fitted.kernel)
    if whole_rows:
        seen.refuse_any(who, "as the kernel is one of whole rows")
    with numeric(model, fitted, seen) as (made, matrix):
        traits = traits_of(made._chosen_kernel.name)
        if traits.of_distance:
            matrix.refuse_uneven(who, "as distances count every level")
        elif not whole_rows and not ((matrix.center == 0).all() and (matrix.spread == 1).all()):
            raise ConversionError(f"{who}: one-hot columns that are scaled cannot be said here.")
        made._places = np.arange(len(fitted.classes_), dtype=np.int32)
        made._kept, made._n_given, made._map = None, int(fitted.shape_fit_[0]), None
        made.support_ = np.asarray(fitted.support_, dtype=np.int64)
        made.n_support_ = np.asarray(fitted.n_support_, dtype=np.int32)
        made.dual_coef_ = _dense(fitted.dual_coef_)
        made.intercept_ = np.array(fitted.intercept_, dtype=np.float64)
        made.gamma_ = float(fitted._gamma) if "gamma" in traits.parameters else 1.0
        n_problems = len(made.intercept_)
        made.C_ = float(fitted.C) if n_problems == 1 else np.full(n_problems, float(fitted.C))
        made.n_iter_ = np.asarray(fitted.n_iter_, dtype=np.int64).reshape(-1)
        made._machine = _machine(fitted, made, matrix)
    return made


def _dense(table: Any) -> np.ndarray:
    return np.array(table.toarray() if sp.issparse(table) else table, dtype=np.float64)


def _machine(fitted: Any, made: SVC, matrix: Matrix) -> Machine:
    layout = Layout(len(fitted.classes_), "one_vs_one")
    ends = np.cumsum(made.n_support_) if layout.in_pairs else np.array([len(made.support_)])
    bounds = np.concatenate([[0], ends]).astype(np.int64)
    kernel = KernelFunction(made._chosen_kernel.name, made.gamma_, float(made.coef0), float(made.degree))
    function = made._chosen_kernel.function
    if kernel.name == "precomputed":
        rows = np.empty((0, 0)) if function is None else fitted._BaseLibSVM__Xfit[made.support_]
        expansion = Expansion(kernel, len(made.support_), made.dual_coef_, bounds, single=False)
        return Machine(layout, expansion, made.intercept_, None, function, rows, None if function else made.support_)
    vectors = _vectors(fitted.support_vectors_, matrix)
    planes = matrix.widened(_dense(fitted.coef_)) if kernel.name == "linear" else None
    expansion = Expansion(kernel, vectors, made.dual_coef_, bounds, single=False)  # as exact as LIBSVM
    return Machine(layout, expansion, made.intercept_, planes, None, vectors, None)


def _vectors(given: Any, matrix: Matrix) -> Any:
    if sp.issparse(given) and matrix.columns.schema is None and (np.diff(matrix.place) == 1).all():
        kept = sp.csr_array(given, dtype=np.float64)
        kept.sum_duplicates()
        return kept
    return matrix.widened(_dense(given))
