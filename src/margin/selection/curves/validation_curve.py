"""Scores against the value of one parameter: where a model stops learning too little and begins to learn by heart."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from margin.errors import ParameterError
from margin.evaluation.curves.knee import Knee, knee
from margin.evaluation.metrics.definitions import Metric
from margin.params import is_real
from margin.selection.curves.curve import ScoreCurve, curve_parts
from margin.selection.prepare import check_effort, prepared
from margin.selection.search.parameter_grids import check_names
from margin.selection.search.results import setting_text
from margin.selection.search.simplicity import direction_of, simplest
from margin.selection.search.trial_runner import ProgressReport, all_trials
from margin.selection.search.trials import trials
from margin.typing import ClassifierLike, LabelsLike, TableLike, WeightsLike

__all__ = ["ValidationCurve", "validation_curve"]


@dataclass(frozen=True, eq=False, kw_only=True)
class ValidationCurve(ScoreCurve):
    """Scores on training rows and on others, for each of ``values`` of a ``parameter``, in the order tried."""

    parameter: str
    values: tuple[Any, ...]
    simpler: str | None = None

    @property
    def _merit(self) -> np.ndarray:
        which = self.metrics[0]
        mean = self.test_folds[which.name].mean(axis=1)
        return np.where(np.isnan(mean), -np.inf, mean if which.greater_is_better else -mean)

    @property
    def best_index(self) -> int:
        """The place of the best value; of several the simplest, where the simpler direction is known."""
        merit = self._merit
        equal = np.flatnonzero(merit == merit.max())
        return self._simplest(equal) if self.simpler and len(equal) > 1 else int(equal[0])

    @property
    def best(self) -> Any:
        """The value of the best test score."""
        return self.values[self.best_index]

    @property
    def within_one_standard_error(self) -> Any:
        """The simplest value whose test score is at most one standard error below the best (Breiman et al. 1984)."""
        if self.simpler is None:
            raise ParameterError(
                f"validation_curve(parameter={self.parameter!r}): which values are simpler is not known "
                "(say simpler='larger' or simpler='smaller')."
            )
        best, folds = self.best_index, self.test_folds[self.metrics[0].name]
        error = folds[best].std(ddof=1) / np.sqrt(folds.shape[1]) if folds.shape[1] > 1 else 0.0
        return self.values[self._simplest(np.flatnonzero(self._merit >= self._merit[best] - error))]

    def _simplest(self, among: np.ndarray) -> int:
        settings = [{self.parameter: value} for value in self.values]
        return simplest(settings, among, int(among[0]), {self.parameter: self.simpler}, "validation_curve")

    @property
    def knee(self) -> Knee | None:
        """The value of the best test score before it gets worse again, as :func:`knee` has it.

        None where values are no numbers, or where the best is the smallest or the largest of them.
        """
        kept = [i for i, merit in enumerate(self._merit) if merit > -np.inf and is_real(self.values[i])]
        x = np.array([float(self.values[i]) for i in kept])
        if len(x) < 3 or len(np.unique(x)) < len(x):
            return None
        found = knee(x, self._merit[kept], greater_is_better=True)
        if found is None:
            return None
        place = kept[found.index]
        return replace(found, y=self.test()[place].value, index=place)

    def __str__(self) -> str:
        shown = (f"{value:.4g}" if isinstance(value, float) else str(value) for value in self.values)
        remarks = (error or ("best" if i == self.best_index else "") for i, error in enumerate(self.errors))
        return "\n".join(self._table(self.parameter, shown, remarks) + self._choices())

    def _choices(self) -> list[str]:
        choices = [f"best: {self.parameter} = {self.best}"]
        if self.simpler is not None:
            choices.append(f"simplest within one standard error: {self.parameter} = {self.within_one_standard_error}")
        return [*choices, "no knee" if self.knee is None else str(self.knee)]


def validation_curve(
    model: ClassifierLike,
    X: TableLike,
    y: LabelsLike,
    parameter: str,
    values: Iterable[Any],
    *,
    protocol: Any = None,
    metrics: Iterable[str | Metric] | str | Metric = ("accuracy",),
    simpler: str | None = None,
    sample_weight: WeightsLike | None = None,
    groups: LabelsLike | None = None,
    n_jobs: int | None = 1,
    confidence: float = 0.95,
    progress: bool | Callable[[ProgressReport], Any] = False,
) -> ValidationCurve:
    """Training and test scores of a model for each value of a parameter.

    Where the model shares work along the parameter (k of neighbours, alpha or depth of trees, C of logistic regression
    and support vector machines), a fold costs little more than one fit; scores are those of fitting each value anew.

    Parameters
    ----------
    model
        Any classifier with scikit-learn's contract.
    X, y
        Rows and labels, as for :func:`margin.evaluation.evaluate`.
    parameter, values
        What is changed, named as in ``set_params``, and to what.
    protocol
        How rows are split; five stratified folds without it.
    metrics
        What is measured; the first decides what is best.
    simpler
        Whether ``"larger"`` or ``"smaller"`` values make the simpler model; known of many parameters by their name.
    sample_weight, groups
        Weights of rows, in fitting and in scoring; groups that must not be split.
    n_jobs
        Folds at once, in threads; None for as many as there are cores.
    confidence
        Of the intervals.
    progress
        True shows a line on the screen; a function is called with a ``ProgressReport`` after each trial.

    Examples
    --------
    >>> from margin import KNeighborsClassifier
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> curve = validation_curve(KNeighborsClassifier(), X, y, "n_neighbors", [1, 5, 15, 45])
    >>> print(curve)
    KNeighborsClassifier: accuracy against n_neighbors, 5-fold cross-validation
    n_neighbors  training              test
    1            1.000 [0.975, 1.000]  0.960 ± 0.033         best
    5            0.972 [0.943, 1.000]  0.940 ± 0.052
    15           0.977 [0.950, 1.000]  0.953 ± 0.035
    45           0.932 ± 0.042         0.940 [0.848, 1.000]
    best: n_neighbors = 1
    simplest within one standard error: n_neighbors = 15
    no knee
    """
    tried = list(values)
    if not tried:
        raise ParameterError("validation_curve(values=[]): at least one value is needed.")
    check_effort(n_jobs, confidence, "validation_curve")
    direction = direction_of(parameter, simpler, "validation_curve")
    task, splits, split_by = prepared(model, X, y, protocol, metrics, sample_weight, groups, "validation_curve")
    check_names(model, [parameter], "validation_curve")
    settings = [{parameter: value} for value in tried]
    done = all_trials(
        trials(task, settings, splits, n_jobs, on_training_rows=True),
        progress,
        len(tried) * len(splits),
        lambda trial: setting_text(settings[trial.setting]),
        task.metrics[0].name,
    )
    return ValidationCurve(
        parameter=parameter,
        values=tuple(value.item() if isinstance(value, np.generic) else value for value in tried),
        simpler=direction,
        **curve_parts(task, done, len(tried), splits, split_by, confidence),
    )
