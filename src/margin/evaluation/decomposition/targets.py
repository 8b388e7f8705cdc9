"""What the answers of many training sets are held against: values or chances of classes, and the noise in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.data.labels import codes_of, distinct, label_array, refuse_missing, union
from margin.data.rows import count_rows
from margin.errors import InputError
from margin.evaluation.decomposition.terms import Decompose, domingos, squared, vectors
from margin.evaluation.predictions.answers import aligned_probabilities
from margin.typing import LabelsLike, TableLike

__all__ = ["Target", "class_target", "number_target"]


@dataclass(frozen=True)
class Target:
    """How errors are taken apart; ``classes`` is ``None`` for regressors."""

    classes: np.ndarray | None
    loss: str
    decomposition: str
    decompose: Decompose
    noise_known: bool

    def main(self, mean: np.ndarray) -> np.ndarray:
        """The main answer to each case, from the mean of all answers: a number, chances, or the commonest label."""
        if self.classes is None:
            return mean[:, 0]
        if self.loss == "squared":
            return mean
        answers = np.fromiter([*self.classes.tolist(), None], dtype=object)
        return answers[mean.argmax(axis=1)]


def number_target(X_test: TableLike, y_test: LabelsLike, expected: Any, noise: Any) -> Target:
    """Of a regressor: measured values, repeated or not, or expected values, with what is known of the noise."""
    n = count_rows(X_test)
    if (y_test is None) == (expected is None):
        raise InputError("bias_variance: give either y_test, as measured, or expected, which is free of noise.")
    if expected is not None:
        target, spread, known = _numbers("expected", expected, X_test, n), np.zeros(n), True
    else:
        measured = np.asarray(y_test, dtype=np.float64)
        measured = measured[:, None] if measured.ndim == 1 else measured
        if measured.ndim != 2 or len(measured) != n or not measured.size:
            raise InputError(f"bias_variance: y_test needs a row for each of {n} cases, not of shape {measured.shape}.")
        target, spread, known = measured.mean(axis=1), measured.var(axis=1), measured.shape[1] > 1
    as_measured = expected is None and not known
    if noise is not None:
        if expected is None and known:
            raise InputError("bias_variance: repeated measurements make the noise known already; give noise or these.")
        spread, known = _numbers("noise", noise, X_test, n), True
        if (spread < 0).any():
            raise InputError("bias_variance: noise is a variance and cannot be below 0.")
    decompose = squared(target[:, None], spread, measured=as_measured)
    return Target(None, "squared", "squared", decompose, known)


def _numbers(what: str, given: object, X_test: TableLike, n: int) -> np.ndarray:
    values = np.asarray(given(X_test) if callable(given) else given, dtype=np.float64)
    values = np.full(n, float(values)) if values.ndim == 0 else values.ravel()
    if len(values) != n or not np.isfinite(values).all():
        raise InputError(f"bias_variance: {what} must be one number, or one for each of {n} cases.")
    return values


def class_target(labels: Any, X_test: TableLike, y_test: LabelsLike, noise: Any, loss: str, named: str) -> Target:
    """Of a classifier: a label for each case, several labels, or the chance of each class."""
    n = count_rows(X_test)
    classes = distinct(label_array(labels, "bias_variance(y=…)"))
    truth, classes, known = _chances(classes, X_test, y_test, noise, n)
    if loss == "zero_one" and named == "domingos":
        return Target(classes, loss, named, domingos(truth), known)
    scale = 0.5 if loss == "zero_one" or len(classes) <= 2 else 1.0
    # An abstention is a part of the answer too, which is never right.
    target = np.column_stack([truth, np.zeros(n)]) if loss == "zero_one" else truth
    spread = 1 - (truth**2).sum(axis=1)
    decompose = squared(target, spread, measured=False, scale=scale)
    return Target(classes, loss, named if loss == "zero_one" else "squared", decompose, known)


def _chances(
    classes: np.ndarray, X_test: TableLike, y_test: LabelsLike, noise: Any, n: int
) -> tuple[np.ndarray, np.ndarray, bool]:
    """The chance of each class for each case, all classes, and whether this is more than one label per case."""
    if noise is not None:
        given = noise(X_test) if callable(noise) else noise
        table = aligned_probabilities(given, classes, classes, "bias_variance(noise=…)")
        if len(table) != n:
            raise InputError(f"bias_variance: noise has {len(table)} rows for {n} cases.")
        return table, classes, True
    if y_test is None:
        raise InputError("bias_variance: give the true labels as y_test, or the chance of each class as noise.")
    given = np.asarray(y_test)
    columns = [label_array(column, "bias_variance(y_test=…)") for column in (given.T if given.ndim == 2 else [y_test])]
    for column in columns:
        refuse_missing(column, "bias_variance(y_test=…)")
        classes = union(classes, distinct(column), "bias_variance")
        if len(column) != n:
            raise InputError(f"bias_variance: y_test has {len(column)} labels for {n} cases.")
    table = np.mean([vectors(codes_of(column, classes), len(classes))[:, :-1] for column in columns], axis=0)
    return table, classes, len(columns) > 1
