"""What the curves of scores share: training and test scores of every fold, along rows or along a parameter."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from margin.data.splits import Split
from margin.errors import ParameterError, closest, listing
from margin.evaluation.cross_validation.fold import FoldTask
from margin.evaluation.intervals.interval import Score
from margin.evaluation.metrics.definitions import Metric
from margin.evaluation.predictions.from_model import model_name
from margin.evaluation.protocols.stratified import SplitProtocol
from margin.selection.prepare import mean_score
from margin.selection.search.trials import Trial

__all__ = ["ScoreCurve", "curve_parts"]


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreCurve:
    """Scores on training rows and on others, at each place of a curve.

    Attributes
    ----------
    metrics
        What was measured; the first is what sentences and choices are about.
    test_folds, training_folds
        By the name of the metric: places × folds, NaN where a fit failed.
    errors
        The first error at each place; empty where all went well.
    """

    model: str
    metrics: tuple[Metric, ...]
    test_folds: Mapping[str, np.ndarray] = field(repr=False)
    training_folds: Mapping[str, np.ndarray] = field(repr=False)
    errors: tuple[str, ...]
    protocol: SplitProtocol
    splits: Sequence[Split] = field(repr=False)
    confidence: float = 0.95

    def test(self, metric: str | None = None) -> list[Score]:
        """The scores on rows that were not learnt from, with their intervals."""
        which = self._measured(metric, "test")
        return [mean_score(which, of, self.splits, self.confidence) for of in self.test_folds[which.name]]

    def training(self, metric: str | None = None) -> list[Score]:
        """The scores on the rows that were learnt from: how much of them is known by heart."""
        which = self._measured(metric, "training")
        return [mean_score(which, of, self.splits, self.confidence) for of in self.training_folds[which.name]]

    def _measured(self, name: str | None, asked: str) -> Metric:
        known = [each.name for each in self.metrics]
        if name is not None and name not in known:
            raise ParameterError(
                f"{type(self).__name__}.{asked}({name!r}): this was not measured, but "
                f"{listing(known)}{closest(name, known)}."
            )
        return self.metrics[0 if name is None else known.index(name)]

    def _table(self, along: str, places: Iterable[str], remarks: Iterable[str]) -> list[str]:
        """Headline, then a line for each place."""
        cells = [(along, "training", "test", "")]
        cells += [
            (place, str(trained), str(tested), remark)
            for place, trained, tested, remark in zip(places, self.training(), self.test(), remarks)
        ]
        widths = [*(max(len(row[column]) for row in cells) for column in range(3)), 0]
        lines = ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths)).rstrip() for row in cells]
        what = "training rows" if along == "rows" else along
        return [f"{self.model}: {self.metrics[0].name} against {what}, {self.protocol.name}", *lines]

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def curve_parts(
    task: FoldTask,
    done: Sequence[Trial],
    n_places: int,
    splits: Sequence[Split],
    protocol: SplitProtocol,
    confidence: float,
) -> dict[str, Any]:
    """What every curve is made of, from trials whose settings are its places; refused where all failed."""
    test, training = _curve_arrays(task.metrics, done, (n_places, len(splits)))
    errors = tuple(_first_error(done, i) for i in range(n_places))
    if all(errors):
        raise next(trial.error for trial in done if trial.error is not None)
    return {
        "model": model_name(task.model),
        "metrics": task.metrics,
        "test_folds": test,
        "training_folds": training,
        "errors": errors,
        "protocol": protocol,
        "splits": splits,
        "confidence": confidence,
    }


def _curve_arrays(
    metrics: Sequence[Metric], done: Iterable[Trial], shape: tuple[int, ...]
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Test and training scores by metric, settings × splits; NaN where a trial failed."""
    test, training = ({each.name: np.full(shape, np.nan) for each in metrics} for _ in range(2))
    for trial in done:
        for name, value in trial.scores.items():
            test[name][trial.setting, trial.split] = value
        for name, value in trial.training_scores.items():
            training[name][trial.setting, trial.split] = value
    return test, training


def _first_error(done: Iterable[Trial], setting: int) -> str:
    """What the first failed trial of a setting said; empty where none failed."""
    failed = (trial.error for trial in done if trial.setting == setting and trial.error is not None)
    return next((f"{type(error).__name__}: {error}" for error in failed), "")
