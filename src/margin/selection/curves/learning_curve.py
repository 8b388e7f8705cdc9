"""Scores against the number of training rows: what more data would bring."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from margin.data.splits import Part
from margin.errors import ParameterError
from margin.evaluation.intervals.interval import Score
from margin.evaluation.metrics.definitions import Metric
from margin.random import generator
from margin.selection.curves.curve import ScoreCurve, curve_parts
from margin.selection.curves.power_law import PowerLaw, fit_power_law, gain_from_twice
from margin.selection.prepare import check_effort, prepared
from margin.selection.search.subsets import growing_order
from margin.selection.search.trial_runner import ProgressReport, all_trials
from margin.selection.search.trials import Trial, trials
from margin.typing import ClassifierLike, LabelsLike, TableLike, WeightsLike

__all__ = ["LearningCurve", "learning_curve"]

SIZES = (0.1, 0.2, 0.4, 0.7, 1.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class LearningCurve(ScoreCurve):
    """Scores on training rows and on others, for each number of training rows.

    ``sizes`` are the training rows, ascending: the mean over folds where a share was asked for.
    """

    sizes: np.ndarray

    @cached_property
    def _usable(self) -> tuple[np.ndarray, np.ndarray]:
        """Sizes that no fold failed at, and their scores, folds × sizes."""
        folds = self.test_folds[self.metrics[0].name]
        kept = ~np.isnan(folds).any(axis=1)
        return self.sizes[kept], folds[kept].T

    @cached_property
    def power_law(self) -> PowerLaw | None:
        """a + b·n^(-c) through the test scores; None where they do not get better, or for fewer than three sizes."""
        sizes, folds = self._usable
        which = self.metrics[0]
        if len(sizes) < 3:
            return None
        return fit_power_law(sizes, folds.mean(axis=0), which.greater_is_better, which.bounds)

    @cached_property
    def gain_from_twice(self) -> Score | None:
        """By how much the test score would change with twice as many rows as the largest size, with its interval.

        None where the curve falls or is flat, which says nothing about more rows, or where there are fewer than three
        sizes.
        """
        sizes, folds = self._usable
        which = self.metrics[0]
        if len(sizes) < 3:
            return None
        ratio = float(np.mean([len(test) / len(train) for train, test in self.splits]))
        return gain_from_twice(sizes, folds, which.greater_is_better, which.bounds, ratio, self.confidence)

    @property
    def bias(self) -> float:
        """How far the training score of the largest size is from the best there is: what the model cannot express."""
        which = self.metrics[0]
        ideal = which.bounds[1] if which.greater_is_better else which.bounds[0]
        return abs(ideal - float(self.training_folds[which.name][-1].mean()))

    @property
    def variance(self) -> float:
        """How far the test score of the largest size is behind the training score: what it learns by heart."""
        which = self.metrics[0]
        gap = float(self.training_folds[which.name][-1].mean() - self.test_folds[which.name][-1].mean())
        return max(0.0, gap if which.greater_is_better else -gap)

    @property
    def dominates(self) -> str:
        """``"bias"`` or ``"variance"``, whichever is the larger part of what is missing."""
        return "variance" if self.variance > self.bias else "bias"

    def diagnosis(self) -> str:
        """What is missing, and what would help, in a sentence."""
        name = self.metrics[0].name
        trained, tested = self.training()[-1].value, self.test()[-1].value
        if self.dominates == "variance":
            why = "the model learns rows by heart; more of them, or a simpler model, should help"
        else:
            why = "it misses much of its own training rows; a richer model or better columns should help, more rows not"
        scores = f"{name} {trained:.3f} on training rows, {tested:.3f} on others"
        return f"{self.dominates.capitalize()} dominates ({scores}): {why}."

    def __str__(self) -> str:
        lines = self._table("rows", (f"{size:g}" for size in self.sizes), self.errors)
        lines.append(self.diagnosis())
        gain = self.gain_from_twice
        if gain is not None:
            lines.append(f"Twice the rows would change {self.metrics[0].name} by about {gain} (fit: {self.power_law}).")
        elif len(self._usable[0]) >= 3:
            first, last = (self._usable[1].mean(axis=0)[at] for at in (0, -1))
            lines.append(
                f"What twice the rows would bring cannot be told: {self.metrics[0].name} does not get better with the "
                f"rows ({first:.3f} with the fewest, {last:.3f} with all)."
            )
        return "\n".join(lines)


def learning_curve(
    model: ClassifierLike,
    X: TableLike,
    y: LabelsLike,
    sizes: Iterable[float] = SIZES,
    *,
    protocol: Any = None,
    metrics: Iterable[str | Metric] | str | Metric = ("accuracy",),
    sample_weight: WeightsLike | None = None,
    groups: LabelsLike | None = None,
    n_jobs: int | None = 1,
    confidence: float = 0.95,
    seed: int = 0,
    progress: bool | Callable[[ProgressReport], Any] = False,
) -> LearningCurve:
    """Training and test scores of a model that learns from more and more rows.

    The rows of each training part are shuffled once, by class in proportion; every size has those of the smaller ones
    and more. Test parts stay whole.

    Parameters
    ----------
    model
        Any classifier with scikit-learn's contract.
    X, y
        Rows and labels, as for :func:`margin.evaluation.evaluate`.
    sizes
        Shares of the training part (numbers up to 1) or numbers of rows (whole numbers above 1).
    protocol
        How rows are split; five stratified folds without it.
    metrics
        What is measured; sentences are about the first.
    sample_weight, groups
        Weights of rows, in fitting and in scoring; groups that must not be split.
    n_jobs
        Fits at once, in threads; None for as many as there are cores.
    confidence
        Of the intervals.
    seed
        Shuffles the training rows.
    progress
        True shows a line on the screen; a function is called with a ``ProgressReport`` after each fit.

    Examples
    --------
    >>> from margin import DecisionTreeClassifier
    >>> from margin.data import catalog
    >>> X, y = catalog.load("credit").target("risk")
    >>> curve = learning_curve(DecisionTreeClassifier(), X, y, sizes=[50, 200, 800])
    >>> curve.dominates, round(curve.test()[-1].value, 2)
    ('variance', 0.68)
    """
    check_effort(n_jobs, confidence, "learning_curve")
    task, splits, split_by = prepared(model, X, y, protocol, metrics, sample_weight, groups, "learning_curve")
    counts = _counts(sizes, min(len(train) for train, _ in splits), len(task.classes))
    orders = [
        growing_order(task.codes[train.rows], generator(seed, "rows", fold)) for fold, (train, _) in enumerate(splits)
    ]
    parts = [
        (_beginning(train, order, count), test) for count in counts for (train, test), order in zip(splits, orders)
    ]
    by_split = all_trials(
        trials(task, [{}], parts, n_jobs, on_training_rows=True),
        progress,
        len(parts),
        lambda trial: f"{counts[trial.split // len(splits)]} rows",
        task.metrics[0].name,
    )
    done = [_placed(trial, len(splits)) for trial in by_split]
    parts_of_curve = curve_parts(task, done, len(counts), splits, split_by, confidence)
    return LearningCurve(sizes=np.array(counts, dtype=np.float64), **parts_of_curve)


def _placed(trial: Trial, n_folds: int) -> Trial:
    """Sizes in the place of settings: splits were listed size by size."""
    size, fold = divmod(trial.split, n_folds)
    return replace(trial, setting=size, split=fold)


def _beginning(train: Part, order: np.ndarray, count: int) -> Part:
    return train.take(np.sort(order[:count]))


def _counts(sizes: Iterable[float], most: int, n_classes: int) -> list[int]:
    given = list(sizes)
    counts: set[int] = set()
    for size in given:
        whole = isinstance(size, numbers.Integral) and size > 1
        if isinstance(size, bool) or not isinstance(size, numbers.Real) or not (whole or 0 < size <= 1):
            raise ParameterError(
                f"learning_curve(sizes={given!r}): sizes must be shares, above 0 and up to 1, or whole numbers of rows."
            )
        count = int(size) if whole else round(float(size) * most)
        if count > most:
            raise ParameterError(
                f"learning_curve(sizes={given!r}): the smallest training part has {most} rows, fewer than {count}."
            )
        counts.add(min(most, max(count, n_classes)))
    if not counts:
        raise ParameterError("learning_curve(sizes=[]): at least one size is needed.")
    return sorted(counts)
