"""Evaluations put in order, and the sealed test with its curves read out, as plain data for a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from margin.evaluation import Evaluation, PairTest, compare_scores, proportion_interval
from margin.experiment.result import CalibrationBin, ClassScore, Pair, Score, Standing, TestScore, ThresholdCurves
from margin.zoo import Entry

__all__ = ["FEWEST", "calibration_bins", "label_text", "n_compared", "rank", "read_out", "threshold_curves"]


#: With fewer cases than this no difference is called one: too few answers can speak for or against a model.
FEWEST = 30


def rank(
    entries: Mapping[str, Entry], evaluations: Mapping[str, Evaluation], errors: Mapping[str, str], metric: str
) -> tuple[tuple[Standing, ...], tuple[Pair, ...], str]:
    """The leaderboard, best first and failures last, every two models of it, and how differences were tested."""
    yardsticks = [name for name in evaluations if entries[name].yardstick]
    comparison = compare_scores(evaluations, metric, method="cases", correction="joint", yardsticks=yardsticks)
    enough = n_compared(evaluations) >= FEWEST
    places = {name: place for place, name in enumerate(_ordered(comparison.names, entries))}
    by_score = {name: place for place, name in enumerate(comparison.names)}
    best = next(iter(places))
    against = {name: pair for pair in comparison.pairs for name in (pair.first, pair.second) if best in _both(pair)}
    lines = []
    for name in places:
        evaluation, entry = evaluations[name], entries[name]
        pair = None if name == best else against[name]
        lines.append(
            Standing(
                name,
                entry.title or entry.name,
                entry.note,
                scores=_scores(evaluation),
                fold_scores=tuple(evaluation.fold_scores[metric].tolist()),
                fit_seconds=float(np.nanmean(evaluation.fit_seconds)),
                predict_seconds=float(np.nanmean(evaluation.predict_seconds)),
                p_value=None if pair is None else float(pair.corrected) if enough else 1.0,
                differs=pair is not None and pair.differs and enough and by_score[name] > by_score[best],
                failed_folds=len(evaluation.failures),
                yardstick=entry.yardstick,
            )
        )
    failed = [Standing(name, entries[name].title or name, entries[name].note, error=errors[name]) for name in errors]
    titles = {name: entries[name].title or name for name in evaluations}
    pairs = tuple(_pair(pair, titles, by_score) for pair in comparison.pairs) if enough else ()
    return (*lines, *failed), pairs, comparison.method if enough else ""


def n_compared(evaluations: Mapping[str, Evaluation]) -> int:
    """How many cases the models are compared by."""
    return min(len(each.rows) for each in evaluations.values())


def _ordered(names: Sequence[str], entries: Mapping[str, Entry]) -> list[str]:
    """Names from best to worst with the yardsticks behind: what learns nothing, or nothing but rows, is no winner."""
    return sorted(names, key=lambda name: entries[name].yardstick)


def _both(pair: PairTest) -> tuple[str, str]:
    return pair.first, pair.second


def _pair(pair: PairTest, titles: Mapping[str, str], places: Mapping[str, int]) -> Pair:
    """Two models, the one that stands higher first, and by how much it is ahead: more, or less of a loss."""
    better, other = sorted((pair.first, pair.second), key=places.__getitem__)
    effect = None if pair.test is None else pair.test.effect
    ends = [] if effect is None or effect.interval is None else [effect.interval.low, effect.interval.high]
    if pair.difference < 0:
        ends = [-end for end in reversed(ends)]
    return Pair(titles[better], titles[other], Score(abs(pair.difference), *ends), float(pair.corrected), pair.differs)


def read_out(evaluation: Evaluation, majority: Any) -> TestScore:
    """The evaluation of the sealed test as plain data; ``majority`` is the commonest label of the training part."""
    matrix, labels = evaluation.confusion, tuple(label_text(label) for label in evaluation.classes.tolist())
    classes = tuple(
        ClassScore(
            label,
            float(precision) if answered else None,
            float(recall) if n else None,
            float(f1),
            int(n),
            _class_intervals(right, answered, n),
        )
        for label, precision, recall, f1, n, answered, right in zip(
            labels,
            matrix.precision,
            matrix.recall,
            matrix.f1,
            matrix.support,
            matrix.counts.sum(axis=0),
            np.diagonal(matrix.counts),
        )
    )
    bins, calibrated, calibration_error = calibration_bins(evaluation)
    return TestScore(
        n_rows=len(evaluation.rows),
        scores=_scores(evaluation),
        baseline=float(np.mean([label == majority for label in evaluation.truth.tolist()])),
        labels=labels,
        confusion=tuple(tuple(int(n) for n in row) for row in matrix.counts),
        abstained=tuple(int(n) for n in matrix.abstained),
        classes=classes,
        curves=threshold_curves(evaluation),
        calibration=bins,
        calibrated=calibrated,
        calibration_error=calibration_error,
    )


def _class_intervals(right: float, answered: float, n: float) -> dict[str, tuple[float, float]]:
    """The 95 % intervals of precision and recall of a class, which are shares of cases."""
    of = {"precision": answered, "recall": n}
    found = {name: proportion_interval(right, total) for name, total in of.items() if total > 0}
    return {name: (float(one.low), float(one.high)) for name, one in found.items()}


def _scores(evaluation: Evaluation) -> dict[str, Score]:
    return {
        name: Score(float(score.value), *((score.interval.low, score.interval.high) if score.interval else ()))
        for name, score in evaluation.scores.items()
    }


def label_text(label: object) -> str:
    """A class as people write it."""
    return label.decode(errors="replace") if isinstance(label, bytes) else str(label)


#: Classes whose curves are drawn; the others only have their area.
MOST_DRAWN = 6
#: Corners of a curve that are kept: more than a small picture shows.
MOST_POINTS = 120
#: Classes beyond which areas are not told one by one.
MOST_CLASSES = 100


def threshold_curves(evaluation: Evaluation) -> tuple[ThresholdCurves, ...]:
    """For two classes the curves of the positive one; for more those of each class against the rest, largest first.

    Nothing where the model gives neither probabilities nor scores, or where a class has no cases to find.
    """
    answers = evaluation.answers
    if (answers.probabilities is None and answers.scores is None) or len(evaluation.classes) > MOST_CLASSES:
        return ()
    counts = np.bincount(answers.truth, minlength=len(evaluation.classes))
    able = [code for code in np.argsort(-counts, kind="stable").tolist() if 0 < counts[code] < len(answers.truth)]
    if len(evaluation.classes) == 2:
        able = [code for code in able if evaluation.classes.tolist()[code] == evaluation.positive]
    return tuple(_of_class(evaluation, code, drawn=place < MOST_DRAWN) for place, code in enumerate(able))


def _of_class(evaluation: Evaluation, code: int, drawn: bool) -> ThresholdCurves:
    label = evaluation.classes[code]
    roc = evaluation.roc(label)
    name, area = label_text(label), _score(roc.area)
    if not drawn:
        return ThresholdCurves(name, area)
    precision = evaluation.precision_recall(label)
    # The interval is drawn by chance a thousand times over: once, not for every class.
    average = (
        _score(precision.average_precision)
        if len(evaluation.classes) == 2
        else Score(float(evaluation.answers.ranking(code).average_precision))
    )
    return ThresholdCurves(
        name,
        area,
        _points(roc.fpr, roc.tpr),
        _points(precision.recall, precision.precision),
        average,
        float(precision.prevalence),
    )


def calibration_bins(evaluation: Evaluation) -> tuple[tuple[CalibrationBin, ...], str, float | None]:
    """Bins of probabilities, whose they are, and the calibration error; nothing where the model gives none."""
    if evaluation.answers.probabilities is None or not len(evaluation.answers.truth):
        return (), "", None
    positive = evaluation.positive if len(evaluation.classes) == 2 else None
    curve = evaluation.calibration(positive)
    bins = tuple(
        CalibrationBin(
            float(curve.mean_confidence[i]),
            Score(float(curve.observed[i]), float(curve.low[i]), float(curve.high[i])),
            round(float(curve.counts[i])),
        )
        for i in np.flatnonzero(curve.filled).tolist()
    )
    return bins, "" if positive is None else label_text(positive), float(curve.error)


def _points(x: np.ndarray, y: np.ndarray) -> tuple[tuple[float, float], ...]:
    """The points of a curve, thinned where there are many, to three places; equal neighbours once."""
    at = np.unique(np.linspace(0, len(x) - 1, min(len(x), MOST_POINTS)).round().astype(np.intp))
    pairs = zip(x[at].round(3).tolist(), y[at].round(3).tolist())
    return tuple(dict.fromkeys(pairs))


def _score(score: Any) -> Score:
    ends = () if score.interval is None else (float(score.interval.low), float(score.interval.high))
    return Score(float(score.value), *ends)
