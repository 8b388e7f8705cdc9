"""Probabilities from decisions about rows that a machine has not learnt from."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.meta.calibration_maps import MAPS, CalibrationMap
from margin.data.weights import cases_per_weight, count_repeats
from margin.linear.logistic.folds import folds
from margin.svm.kernel_machine.learner import Learner, Learnt
from margin.svm.kernel_machine.multiclass import Layout
from margin.svm.kernel_machine.solve import MarginPolicy

__all__ = ["cross_fitted_map", "probabilities_of"]

FOLDS = 5


def map_scores(layout: Layout, decisions: np.ndarray) -> np.ndarray:
    """What a map is learnt from and asked with: one column for two classes, else one for each."""
    return decisions if layout.n_classes == 2 else layout.scores(decisions)


def cross_fitted_map(
    learner: Learner,
    policy: MarginPolicy,
    whole: Learnt,
    y: np.ndarray,
    weight: np.ndarray,
    sample_weight: np.ndarray,
    method: str,
) -> CalibrationMap:
    """A map from decisions to probabilities, learnt from five machines' decisions about rows they have not seen.

    ``weight`` is what the machines learn with, ``sample_weight`` what the rows count for.
    """
    scores, judged, counts = [], [], []
    for learning, judging in folds(learner.X, y, sample_weight, FOLDS, 0):
        learning, judging = _with_all_classes(y, sample_weight, learning, judging)
        known, held = np.flatnonzero(learning), np.flatnonzero(judging)
        if not len(held):
            continue
        share = learning[known] / sample_weight[known]
        part = learner.learn(policy, y[known], weight[known] * share, known)
        scores.append(map_scores(learner.layout, part.machine.decisions(learner.X[held])))
        judged.append(y[held])
        counts.append(judging[held])
    if not scores:
        # No class has two rows: there is nothing else to learn the map from than the rows themselves.
        scores = [map_scores(learner.layout, whole.machine.decisions(learner.X))]
        judged, counts = [y], [sample_weight]
    worth = cases_per_weight(
        float(sample_weight.sum()), float(np.square(sample_weight).sum()), count_repeats(sample_weight)
    )
    return MAPS[method]().learn(np.vstack(scores), np.concatenate(judged), np.concatenate(counts) * worth)


def _with_all_classes(
    y: np.ndarray, given: np.ndarray, learning: np.ndarray, judging: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A class that would have no row to learn from is learnt and not judged."""
    lost = ~np.isin(y, np.unique(y[learning > 0]))
    return np.where(lost, given, learning), np.where(lost, 0.0, judging)


def probabilities_of(found: CalibrationMap, layout: Layout, decisions: np.ndarray, places: np.ndarray, n: int) -> Any:
    """A column for each of n classes, of which those at ``places`` have rows."""
    shares = np.zeros((len(decisions), n))
    if len(decisions):
        shares[:, places] = found.shares(map_scores(layout, decisions))
    return shares
