"""Evaluations put in order, and the sealed test read out, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from margin.evaluation import Evaluation, PairTest, compare_scores
from margin.experiment.result import ClassScore, Pair, Score, Standing, TestScore
from margin.experiment.threshold_curves import calibration_bins, threshold_curves
from margin.zoo import Entry

__all__ = ["label_text", "rank", "read_out"]


def rank(
    entries: Mapping[str, Entry], evaluations: Mapping[str, Evaluation], errors: Mapping[str, str], metric: str
) -> tuple[tuple[Standing, ...], tuple[Pair, ...], str]:
    """The leaderboard, best first and failures last, every two models of it, and how differences were tested."""
    comparison = compare_scores(evaluations, metric)
    lines = []
    for place in comparison.standings:
        found, entry = evaluations[place.name], entries[place.name]
        is_best = place.name == comparison.best
        lines.append(
            Standing(
                place.name,
                entry.title or entry.name,
                entry.note,
                scores=_scores(found),
                fold_scores=tuple(found.fold_scores[metric].tolist()),
                fit_seconds=float(np.nanmean(found.fit_seconds)),
                predict_seconds=float(np.nanmean(found.predict_seconds)),
                p_value=None if is_best else float(place.p),
                differs=not is_best and place.differs,
                failed_folds=len(found.failures),
            )
        )
    failed = [Standing(name, entries[name].title or name, entries[name].note, error=errors[name]) for name in errors]
    titles = {name: entries[name].title or name for name in evaluations}
    places = {name: place for place, name in enumerate(comparison.names)}
    return (*lines, *failed), tuple(_pair(pair, titles, places) for pair in comparison.pairs), comparison.method


def _pair(pair: PairTest, titles: Mapping[str, str], places: Mapping[str, int]) -> Pair:
    """Two models, the one that stands higher first, and by how much it is ahead: more, or less of a loss."""
    better, other = sorted((pair.first, pair.second), key=places.__getitem__)
    effect = None if pair.test is None else pair.test.effect
    ends = [] if effect is None or effect.interval is None else [effect.interval.low, effect.interval.high]
    if pair.difference < 0:
        ends = [-end for end in reversed(ends)]
    return Pair(titles[better], titles[other], Score(abs(pair.difference), *ends), float(pair.corrected), pair.differs)


def read_out(found: Evaluation, majority: Any) -> TestScore:
    """The evaluation of the sealed test as plain data; ``majority`` is the commonest label of the training part."""
    matrix, labels = found.confusion, tuple(label_text(label) for label in found.classes.tolist())
    classes = tuple(
        ClassScore(label, float(precision) if answered else None, float(recall) if n else None, float(f1), int(n))
        for label, precision, recall, f1, n, answered in zip(
            labels, matrix.precision, matrix.recall, matrix.f1, matrix.support, matrix.counts.sum(axis=0)
        )
    )
    bins, calibrated, calibration_error = calibration_bins(found)
    return TestScore(
        n_rows=len(found.rows),
        scores=_scores(found),
        baseline=float(np.mean([label == majority for label in found.truth.tolist()])),
        labels=labels,
        confusion=tuple(tuple(int(n) for n in row) for row in matrix.counts),
        abstained=tuple(int(n) for n in matrix.abstained),
        classes=classes,
        curves=threshold_curves(found),
        calibration=bins,
        calibrated=calibrated,
        calibration_error=calibration_error,
    )


def _scores(found: Evaluation) -> dict[str, Score]:
    return {
        name: Score(float(score.value), *((score.interval.low, score.interval.high) if score.interval else ()))
        for name, score in found.scores.items()
    }


def label_text(label: Any) -> str:
    """A class as people write it."""
    return label.decode(errors="replace") if isinstance(label, bytes) else str(label)
