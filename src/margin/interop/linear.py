"""Linear models: coefficients taken over as they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import margin._core as _core
from margin.errors import ConversionError
from margin.interop.features import Preparation
from margin.interop.making import numeric, of_same_name, seed_of, single_output, who_is
from margin.linear import LinearSGD, LogisticRegression, Perceptron
from margin.linear.linear_classifier import LinearClassifier
from margin.linear.online.perceptron_state import Memory as PerceptronMemory
from margin.linear.online.sgd_state import Memory as DescentMemory
from margin.svm import LinearSVC

__all__ = ["linear_svc", "logistic", "logistic_cv", "one_vs_rest", "perceptron", "ridge", "sgd"]


def _filled(
    model: LinearClassifier,
    fitted: Any,
    seen: Preparation,
    coef: np.ndarray | None = None,
    intercept: np.ndarray | None = None,
    memory: Callable[[Any], Any] | None = None,
    **learnt: Any,
) -> Any:
    """A linear model with the coefficients of the other, further attributes, and a memory to go on from."""
    single_output(fitted)
    coef = fitted.coef_ if coef is None else coef
    coef = np.atleast_2d(coef.toarray() if hasattr(coef, "toarray") else coef)
    with numeric(model, fitted, seen) as (made, matrix):
        made.coef_, made.intercept_ = matrix.folded(coef, fitted.intercept_ if intercept is None else intercept)
        made._bars = None
        for name, value in learnt.items():
            setattr(made, name, value)
        if memory is not None:
            made._memory = memory(made)
    return made


def _iterations(fitted: Any) -> int:
    return int(np.max(fitted.n_iter_))


def logistic(fitted: Any, seen: Preparation) -> LogisticRegression:
    ratio = {"l1": 1.0, "l2": 0.0}.get(str(getattr(fitted, "penalty", "")), fitted.l1_ratio)
    settings = of_same_name(fitted, "fit_intercept", "class_weight", "tol", "max_iter", "warm_start")
    unpenalised = getattr(fitted, "penalty", "") is None
    return _logistic(fitted, seen, np.inf if unpenalised else float(fitted.C), float(ratio or 0.0), settings)


def logistic_cv(fitted: Any, seen: Preparation) -> LogisticRegression:
    """The choice is made: what is left is logistic regression with the penalty that was chosen."""
    settings = of_same_name(fitted, "fit_intercept", "class_weight", "tol", "max_iter")
    ratio = np.ravel(fitted.l1_ratio_)[0]
    ratio = 0.0 if ratio is None or np.isnan(float(ratio)) else float(ratio)
    return _logistic(fitted, seen, float(np.ravel(fitted.C_)[0]), ratio, settings)


def _logistic(fitted: Any, seen: Preparation, C: float, ratio: float, settings: dict[str, Any]) -> LogisticRegression:
    model = LogisticRegression(C=C, l1_ratio=ratio, scale=seen.scale, random_state=seed_of(fitted), **settings)
    reason = "the coefficients were taken over from scikit-learn"
    return _filled(model, fitted, seen, n_iter_=_iterations(fitted), solver_=str(fitted.solver), solver_reason_=reason)


def linear_svc(fitted: Any, seen: Preparation) -> LinearSVC:
    return _linear_svc(fitted, fitted, seen)


def _linear_svc(
    fitted: Any, one: Any, seen: Preparation, coef: Any = None, intercept: Any = None, n_iter: int | None = None
) -> LinearSVC:
    model = LinearSVC(
        scale=seen.scale,
        random_state=seed_of(one),
        dual="auto" if isinstance(one.dual, str) else bool(one.dual),
        intercept_scaling=float(one.intercept_scaling) if one.fit_intercept else None,
        **of_same_name(one, "penalty", "loss", "C", "tol", "multi_class", "fit_intercept", "class_weight", "max_iter"),
    )
    return _filled(model, fitted, seen, coef, intercept, n_iter_=_iterations(one) if n_iter is None else n_iter)


def perceptron(fitted: Any, seen: Preparation) -> Perceptron:
    settings = of_same_name(
        fitted, "eta0", "max_iter", "tol", "n_iter_no_change", "shuffle", "fit_intercept", "class_weight"
    )
    model = Perceptron(scale=seen.scale, random_state=seed_of(fitted), **settings)

    def memory(made: Perceptron) -> PerceptronMemory:
        empty = PerceptronMemory.empty(len(made.coef_), made.coef_.shape[1], "plain")
        empty.w[:, : made.coef_.shape[1]] = made.coef_
        return replace(empty, b=made.intercept_.copy())

    return _filled(model, fitted, seen, memory=memory, n_iter_=_iterations(fitted), voters_=None)


def sgd(fitted: Any, seen: Preparation) -> LinearSGD:
    known = [name for name, _ in _core.linear.losses()]
    if fitted.loss not in known:
        raise ConversionError(
            f"{who_is(fitted)}: loss must be one of {', '.join(map(repr, known))}, but is {fitted.loss!r} "
            "(fit another loss)."
        )
    settings = of_same_name(
        fitted, "loss", "max_iter", "tol", "n_iter_no_change", "early_stopping", "validation_fraction", "shuffle",
        "fit_intercept", "class_weight", "average",
    )  # fmt: skip
    ratio = {"l1": 1.0, "elasticnet": fitted.l1_ratio}.get(fitted.penalty, 0.0)
    schedules = ("optimal", "constant", "invscaling", "adaptive")
    model = LinearSGD(
        alpha=float(fitted.alpha),
        l1_ratio=float(ratio or 0.0),
        learning_rate=fitted.learning_rate if fitted.learning_rate in schedules else "optimal",
        eta0=float(fitted.eta0) if fitted.eta0 > 0 else 0.01,
        power_t=max(0.0, float(fitted.power_t)),
        scale=seen.scale,
        random_state=seed_of(fitted),
        **settings,
    )
    return _descended(model, fitted, seen, t=float(fitted.t_), n_iter=_iterations(fitted))


def _descended(
    model: LinearSGD, fitted: Any, seen: Preparation, coef: Any = None, intercept: Any = None, *, t: float, n_iter: int
) -> LinearSGD:
    def memory(made: LinearSGD) -> DescentMemory:
        empty = DescentMemory.empty(*made.coef_.shape)
        empty.w[:, : made.coef_.shape[1]] = made.coef_
        return replace(empty, b=made.intercept_.copy(), t=t)

    return _filled(model, fitted, seen, coef, intercept, memory, n_iter_=n_iter, t_=t)


def ridge(fitted: Any, seen: Preparation) -> LinearSGD:
    """Squared errors against ±1 with a quadratic penalty, each class against the rest: the same problem."""
    if fitted._label_binarizer.y_type_.startswith("multilabel"):
        raise ConversionError(f"{who_is(fitted)}: must have one target, but has several labels a row.")
    settings = of_same_name(fitted, "fit_intercept", "class_weight")
    model = LinearSGD(loss="squared_error", scale=seen.scale, random_state=None, **settings)
    n_iter = getattr(fitted, "n_iter_", None)
    return _descended(model, fitted, seen, t=1.0, n_iter=0 if n_iter is None else int(np.max(n_iter)))


def one_vs_rest(fitted: Any, seen: Preparation) -> Any:
    """Logistic regressions or linear machines, one per class: one layer of all of them."""
    who, parts = who_is(fitted), fitted.estimators_
    if fitted.multilabel_:
        raise ConversionError(f"{who}: must have one target, but has several labels a row.")
    kinds = {type(part).__name__ for part in parts}
    if len(kinds) > 1 or not kinds <= {"LogisticRegression", "LinearSVC"}:
        raise ConversionError(
            f"{who}: the models inside must all be LogisticRegression or all LinearSVC, not "
            f"{', '.join(sorted(kinds))} (fit margin's own, which takes several classes)."
        )
    coef = np.vstack([part.coef_ for part in parts])
    intercept = np.hstack([np.ravel(part.intercept_) for part in parts])
    n_iter = max(map(_iterations, parts))
    if kinds == {"LinearSVC"}:
        return _linear_svc(fitted, parts[0], seen, coef, intercept, n_iter)
    settings = of_same_name(parts[0], "fit_intercept", "class_weight", "tol", "max_iter")
    model = LinearSGD(loss="log_loss", scale=seen.scale, random_state=seed_of(parts[0]), **settings)
    return _descended(model, fitted, seen, coef, intercept, t=1.0, n_iter=n_iter)
