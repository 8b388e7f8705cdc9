"""Linear models: one layer of coefficients, and what each way of learning it remembers.

Letters: ``s`` scores, one for two classes and else one for each; ``p`` columns as the core keeps them, padded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from margin.linear.logistic.certificate import OptimumCertificate
from margin.linear.logistic.regression import LogisticRegression
from margin.linear.logistic.regression_cv import LogisticRegressionCV, StrengthChoice
from margin.linear.logistic.summary import Evidence
from margin.linear.online import perceptron_state as perceptron_memory
from margin.linear.online import sgd_state as descent
from margin.linear.online.active_perceptron import ActivePerceptron
from margin.linear.online.adaline import Adaline
from margin.linear.online.mistake_bound import Certificate
from margin.linear.online.perceptron import Perceptron
from margin.linear.online.row_order import padded
from margin.linear.online.sgd import LinearSGD
from margin.linear.presolve import NEVER
from margin.persistence.kinds.base import NUMERIC, classifier
from margin.persistence.objects.arrays import Array, Parts, Rule, at_least, below, finite, positive, strictly_ascending
from margin.persistence.objects.fields import (
    ANY_NUMBER,
    Absent,
    Either,
    Field,
    Fixed,
    Flag,
    Maybe,
    Number,
    Object,
    Renamed,
    Text,
    Whole,
)
from margin.persistence.objects.kind import Kind

__all__ = ["BARRED", "COUNT", "KINDS", "linear_classifier", "n_scores"]

COUNT = Whole(0)
#: What keeps classes without rows from being answered.
BARRED = Renamed(
    "barred",
    Maybe(Array("f8", "k", Rule("cells are 0, or bar a class", lambda a, _: ((a == 0) | (a == NEVER)).all()))),
)
# Users may put other coefficients there, in another precision or memory order.
COEF, INTERCEPT = Array("f8 f4", "s", "d", order="A"), Array("f8 f4", "s")


def n_scores(made: Any) -> int:
    """How many scores a model of its classes has."""
    return len(made.classes_) if len(made.classes_) > 2 else 1


def linear_classifier(
    name: str,
    cls: type,
    fields: Mapping[str, Field],
    check: Callable[[Any], str | None] | None = None,
    **more: Any,
) -> Kind:
    """The kind of a model whose scores are made of numeric columns; ``fields`` may say otherwise of ``coef_``."""

    def scored(made: Any) -> str | None:
        if not len(made.classes_) or len(made.intercept_) != n_scores(made):
            return "there must be a score for each class, or one for two"
        return check(made) if check is not None else None

    layer: dict[str, Field] = {"_bars": Absent(BARRED), "coef_": COEF, "intercept_": INTERCEPT}
    return classifier(name, cls, {**layer, **fields}, sees=NUMERIC, check=scored, **more)


# ---- Logistic regression.


def _evidence(found: Evidence) -> str | None:
    if found.curvature is None:
        return None
    n = len(found.classes)
    if n < 2 or len(found.curvature) != (n if n > 2 else 1) * (len(found.columns) + found.intercept):
        return "its second derivatives are those of other columns or classes"
    return None


def _choice(choice: StrengthChoice) -> str | None:
    shape = choice.losses.shape
    if not all(0 <= at < n for place in (choice.best, choice.chosen) for at, n in zip(place, shape)):
        return "it chose a penalty that was not tried"
    return None


def _evidence_fits(made: Any) -> str | None:
    found = vars(made).get("_evidence")
    if found is not None and len(found.columns) and found.columns[-1] >= made.coef_.shape[1]:
        return "its evidence is of other columns"
    return None


def _as_chosen(made: Any) -> None:
    made.C_, made.l1_ratio_ = made.choice_.C, made.choice_.l1_ratio


# Coefficients that were not learnt here come without what only training rows can tell.
OPTIMUM: dict[str, Field] = {
    "n_iter_": COUNT,
    "solver_": Text(),
    "solver_reason_": Text(),
    "certificate_": Absent(Object("optimum-certificate")),
    "_evidence": Absent(Object("logistic-evidence", where={"k": lambda found: len(found.totals)})),
}

LOGISTIC = (
    Kind(
        "optimum-certificate",
        OptimumCertificate,
        {
            "objective": ANY_NUMBER,
            "mean_objective": ANY_NUMBER,
            "gradient_norm": ANY_NUMBER,
            "duality_gap": Maybe(ANY_NUMBER),
            "distance": Maybe(ANY_NUMBER),
            "tol": ANY_NUMBER,
            "n_iter": COUNT,
            "solver": Text(),
            "reason": Text(),
            "converged": Flag(),
        },
        derived=frozenset({"seconds"}),  # two fits of the same rows are the same model, however long they took
        finish=lambda made: object.__setattr__(made, "seconds", None),
    ),
    Kind(
        "logistic-evidence",
        Evidence,
        {
            "curvature": Maybe(Array("f8", "m", "m", finite, order="A")),
            "columns": Array("i8", "c", at_least(0), strictly_ascending),
            "unit": Array("f8", "c", positive, finite),
            "classes": Array("i8", None, below("k"), strictly_ascending),
            "totals": Array("f8", "k", at_least(0)),
            "n_rows": COUNT,
            "loss": ANY_NUMBER,
            "l1": Number(0),
            "l2": Number(0),
            "intercept": Flag(),
            "shares": Absent(Maybe(Array("f8", "c", at_least(0))), default=lambda: None),
        },
        check=_evidence,
    ),
    Kind(
        "strength-choice",
        StrengthChoice,
        {
            "Cs": Array("f8", "c"),
            "l1_ratios": Array("f8", "r"),
            "losses": Array("f8", "r", "c", order="A"),
            "standard_errors": Array("f8", "r", "c", order="A"),
            "best": Fixed(COUNT, COUNT),
            "chosen": Fixed(COUNT, COUNT),
            "rule": Text("best", "one_standard_error"),
        },
        check=_choice,
    ),
    linear_classifier("logistic-regression", LogisticRegression, OPTIMUM, _evidence_fits),
    linear_classifier(
        "logistic-regression-cv",
        LogisticRegressionCV,
        {
            **OPTIMUM,
            "scores_": Array("f8", None, "r", "c", order="A"),
            "choice_": Object(
                "strength-choice",
                where={"r": lambda choice: len(choice.l1_ratios), "c": lambda choice: len(choice.Cs)},
            ),
        },
        _evidence_fits,
        derived=frozenset({"C_", "l1_ratio_"}),
        finish=_as_chosen,
    ),
)


# ---- Models that learn row by row.


def _perceptron_memory(memory: perceptron_memory.Memory) -> str | None:
    averages, voters = memory.late_w is not None, memory.voters
    if averages != (memory.late_b is not None) or (voters is None) != (memory.survived is None):
        return "it remembers half of what an average or a vote needs"
    if voters is not None and (not averages or not len(voters) or voters.shape[1] != memory.w.size + memory.b.size):
        return "its voters have other weights"
    return None


def _perceptron(made: Any) -> str | None:
    if made.voters_ is not None and not made.voters_.survived.sum() > 0:
        return "its voters have no votes"
    return _memory_fits(made) or _mistakes(vars(made).get("mistakes_"), vars(made).get("mistake_counts_"), made.n_iter_)


def _mistakes(rows: tuple[np.ndarray, ...] | None, counts: np.ndarray | None, n_iter: int) -> str | None:
    if rows is None or counts is None:
        return None if rows is None and counts is None else "its mistakes are listed or counted, but not both"
    logged = np.array([len(each) for each in rows], dtype=np.int64)
    if len(counts) != n_iter or len(logged) > n_iter or (logged != counts[: len(logged)]).any():
        return "its mistakes are more or fewer than it counts"
    return "it lists more mistakes than there is room for" if logged.sum() > perceptron_memory.LOGGED else None


def _as_remembered(made: Any) -> None:
    made.voters_ = made._memory.electorate(made.coef_.shape[1])
    if "mistake_counts_" in vars(made):
        made.n_mistakes_ = int(made.mistake_counts_.sum())


def _memory_fits(made: Any) -> str | None:
    """Whether a memory is of as many scores as there are, and as wide as the core reads it for these columns."""
    w = made._memory.w
    return (
        None if w.shape == (n_scores(made), padded(made.coef_.shape[1])) else "its memory is of other scores or columns"
    )


def _counted(made: Any) -> None:
    made.n_iter_ = len(made.loss_curve_)


def _as_descended(made: Any) -> None:
    made.t_ = made._memory.t


STREAMING = (
    Kind(
        "perceptron-memory",
        perceptron_memory.Memory,
        {
            "w": Array("f8", "s", "p"),
            "b": Array("f8", "s"),
            "late_w": Maybe(Array("f8", "s", "p")),
            "late_b": Maybe(Array("f8", "s")),
            "voters": Maybe(Array("f8", "v", None)),
            "survived": Maybe(Array("f8", "v", at_least(0), finite)),
            "age": Number(0),
            "made": Whole(0, 2**62),
        },
        check=_perceptron_memory,
    ),
    Kind(
        "perceptron-certificate",
        Certificate,
        {
            "separable": Flag(),
            "radius": ANY_NUMBER,
            "margin": Maybe(ANY_NUMBER),
            "bound": Maybe(ANY_NUMBER),
            "mistakes": COUNT,
            "direction": Maybe(Either(Array("f8", "d"), Array("f8", "s", "d", order="A"))),
            "intercept": Maybe(Either(ANY_NUMBER, Array("f8", "s"))),
        },
    ),
    Kind(
        "sgd-memory",
        descent.Memory,
        {
            "w": Array("f8", "s", "p"),
            "b": Array("f8", "s"),
            "sum_w": Array("f8", "s", "p"),
            "sum_b": Array("f8", "s"),
            "averaged": Array("f8", "s", at_least(0)),
            "paid": Array("f8", "s", "p"),
            "owed": Array("f8", "s"),
            "t": Number(1),
        },
    ),
    linear_classifier(
        "perceptron",
        Perceptron,
        {
            "_memory": Object("perceptron-memory"),
            "n_iter_": COUNT,
            "mistakes_": Absent(Parts("i8", at_least(0), make=tuple)),
            "mistake_counts_": Absent(Array("i8", None, at_least(0))),
            "_certificate": Absent(Object("perceptron-certificate")),
        },
        _perceptron,
        derived=frozenset({"n_mistakes_", "voters_", "_certified_rows"}),
        finish=_as_remembered,
    ),
    linear_classifier(
        "active-perceptron",
        ActivePerceptron,
        {
            "threshold_": Array("f8", "s", at_least(0)),
            "_streak": Array("i8", "s"),
            "labels_used_": COUNT,
            "rows_seen_": COUNT,
            "queried_": Array("i8", None),
            "error_curve_": Array("f8", None, 2),
            "n_iter_": Absent(COUNT),
        },
    ),
    linear_classifier(
        "adaline",
        Adaline,
        {"eta_": ANY_NUMBER, "loss_curve_": Array("f8", None)},
        derived=frozenset({"n_iter_"}),
        finish=_counted,
    ),
    linear_classifier(
        "linear-sgd",
        LinearSGD,
        {"_memory": Object("sgd-memory"), "n_iter_": COUNT, "loss_curve_": Absent(Array("f8", None))},
        _memory_fits,
        derived=frozenset({"t_"}),
        finish=_as_descended,
    ),
)

KINDS: tuple[Kind, ...] = (*LOGISTIC, *STREAMING)
