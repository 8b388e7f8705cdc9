"""The price of slack chosen by cross-validation."""

from __future__ import annotations

import numbers
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from margin.base.inputs.arrays import row_count
from margin.base.inputs.columns import learn_columns
from margin.base.meta.cross_fitting import stratified_splits
from margin.base.targets.labels import encode_labels
from margin.data.splits import group_codes
from margin.data.weights import cases_per_weight, check_weights, count_repeats
from margin.errors import ConstantColumnWarning, LabelError, ParameterError
from margin.svm.kernel_machine.path import along, learnt_along
from margin.svm.kernel_machine.svc import SVC
from margin.typing import LabelsLike, SeedLike, TableLike, WeightsLike

__all__ = ["CChoice", "choose_C"]


@dataclass(frozen=True, eq=False)
class CChoice:
    """The C that was chosen, and what speaks for it.

    Attributes
    ----------
    Cs
        What was tried, ascending.
    errors, standard_errors
        Share of held-out rows answered wrongly, and its standard error.
    fold_errors
        The same fold by fold (folds × C).
    best, chosen
        Places of the smallest error and of the choice.
    rule
        ``"best"``, or ``"one_standard_error"``: the smallest C, which has the widest margin, whose error is within one
        standard error of the best.
    """

    Cs: np.ndarray
    errors: np.ndarray
    standard_errors: np.ndarray
    fold_errors: np.ndarray
    best: int
    chosen: int
    rule: str

    @property
    def C(self) -> float:  # noqa: N802
        """The chosen C."""
        return float(self.Cs[self.chosen])

    def __str__(self) -> str:
        lines = [f"{len(self.Cs)} values of C, {len(self.fold_errors)} folds, rule {self.rule}"]
        for what, place in (("smallest error", self.best), ("chosen", self.chosen)):
            error = f"error {self.errors[place]:.2%} ± {self.standard_errors[place]:.2%}"
            lines.append(f"  {what + ':':16}C {self.Cs[place]:.4g}, {error}")
        return "\n".join(lines)


def choose_C(  # noqa: N802
    X: TableLike,
    y: LabelsLike,
    Cs: Any = 7,
    *,
    n_folds: int = 5,
    rule: str = "one_standard_error",
    sample_weight: WeightsLike | None = None,
    groups: LabelsLike | None = None,
    random_state: SeedLike = None,
    **settings: Any,
) -> CChoice:
    """C chosen by cross-validation of :class:`SVC`, each fold with solutions along C begun at the one before.

    Everything is learnt in the training part of each fold, means, scales and gamma included.

    Parameters
    ----------
    X, y
        The training rows and their labels.
    Cs
        What to try: a number of values between 0.001 and 1000, or a list.
    n_folds
        Parts that the rows are cut into, class by class; fewer where the rarest class has fewer rows.
    rule
        "one_standard_error" takes the smallest C whose error is within one standard error of the smallest error,
        "best" the smallest error.
    sample_weight
        Whole-number weights stand for repeated rows.
    groups
        Which rows belong together: those of one group stand on one side of every fold.
    random_state
        None deals rows to folds in the order in which they stand; a seed shuffles them first.
    settings
        Any others of :class:`SVC`.

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> choice = choose_C(X, y, [0.01, 0.1, 1, 10], scale="standard")
    >>> choice.C
    1.0
    >>> print(choice)
    4 values of C, 5 folds, rule one_standard_error
      smallest error: C 10, error 4.00% ± 1.60%
      chosen:         C 1, error 4.67% ± 1.72%
    """
    who = "choose_C"
    model, values = along(Cs, settings, who)
    _check(n_folds, rule, who)
    _, source = learn_columns(X, who, False, model.representation.largest)
    classes, codes = encode_labels(y, row_count(source), who)
    weight = check_weights(sample_weight, row_count(source), who)
    weight = np.ones(len(codes)) if weight is None else weight
    kept = np.flatnonzero(weight > 0)
    together = None if groups is None else group_codes(groups, len(codes), who)[kept]
    splits = stratified_splits(codes[kept], weight[kept], int(n_folds), random_state, together)
    if len(classes) < 2 or not splits:
        raise LabelError(f"{who}: y must hold at least two classes, and one of them at least two rows.")
    wrong, judged = [], []
    for train, test in splits:
        wrong.append(
            _errors(model, values, source, codes, kept[train.rows], train.weights, kept[test.rows]) @ test.weights
        )
        judged.append(test.weights.sum())
    total = float(np.sum(judged))
    errors = np.sum(wrong, axis=0) / total
    cases = total * cases_per_weight(float(weight.sum()), float(np.square(weight).sum()), count_repeats(weight[kept]))
    return _chosen(values, errors, np.sqrt(errors * (1 - errors) / cases),
                   np.array(wrong) / np.array(judged)[:, None], rule)  # fmt: skip


def _check(n_folds: Any, rule: Any, who: str) -> None:
    if not isinstance(n_folds, numbers.Integral) or isinstance(n_folds, bool) or int(n_folds) < 2:
        raise ParameterError(f"{who}(n_folds={n_folds!r}): n_folds must be a whole number of at least 2.")
    if rule not in ("one_standard_error", "best"):
        raise ParameterError(f"{who}(rule={rule!r}): rule must be one of 'one_standard_error', 'best'.")


def _errors(
    model: SVC,
    Cs: np.ndarray,
    source: Any,
    codes: np.ndarray,
    train: np.ndarray,
    weight: np.ndarray,
    test: np.ndarray,
) -> np.ndarray:
    """Whether each held-out row is answered wrongly, for each C."""
    known, asked = source[train], source[test]
    if model.kernel == "precomputed":
        known, asked = known[:, train], asked[:, train]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantColumnWarning)  # in a part of the rows more columns may be constant
        model = clone(model)
        learnt = learnt_along(model, Cs, known, codes[train], weight)
    return np.array([model._with_machine(each).predict(asked) != codes[test] for each in learnt.machines])


def _chosen(
    Cs: np.ndarray, errors: np.ndarray, standard_errors: np.ndarray, fold_errors: np.ndarray, rule: str
) -> CChoice:
    """The best place, and the one that the rule takes; ties go to the smallest C."""
    best = chosen = int(np.argmin(errors))
    if rule == "one_standard_error":
        chosen = int(np.flatnonzero(errors <= errors[best] + standard_errors[best])[0])
    return CChoice(Cs, errors, standard_errors, fold_errors, best, chosen, rule)
