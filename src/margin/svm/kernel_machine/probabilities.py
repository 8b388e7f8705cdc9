"""Probabilities from decisions about rows that a machine has not learnt from."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.meta.calibration_maps import MAPS, CalibrationMap
from margin.base.representations.representation import TrainingRows
from margin.data.weights import cases_per_weight, count_repeats
from margin.linear.logistic.folds import folds
from margin.svm.kernel_machine.coupling import PairedCurves
from margin.svm.kernel_machine.learner import Learner, Learnt
from margin.svm.kernel_machine.multiclass import Layout
from margin.svm.kernel_machine.solve import MarginPolicy

__all__ = ["DecisionMap", "cross_fitted_map", "probabilities_of"]

FOLDS = 5


#: What makes probabilities of decisions.
DecisionMap = CalibrationMap | PairedCurves


def map_scores(layout: Layout, decisions: np.ndarray) -> np.ndarray:
    """What a map of classes is learnt from and asked with: one column for two classes, else one for each."""
    return decisions if layout.n_classes == 2 else layout.scores(decisions)


def cross_fitted_map(
    learner: Learner,
    policy: MarginPolicy,
    whole: Learnt,
    y: np.ndarray,
    weight: np.ndarray,
    rows: TrainingRows,
    method: str,
) -> DecisionMap:
    """A map from decisions to probabilities, learnt from five machines' decisions about rows they have not seen.

    ``weight`` is what the machines learn with, ``rows`` know what the rows count for. Pairs of classes have a
    sigmoid each. Isotonic curves are of each class against the rest in any case: the few rows of a pair leave them so
    many certain answers that coupled pairs had up to twice the log loss.
    """
    sample_weight = rows.weights()
    in_pairs = learner.layout.in_pairs and method == "sigmoid"
    found, judged, counts = [], [], []
    for learning, judging in folds(learner.X, y, sample_weight, FOLDS, 0, rows.groups):
        learning, judging = _with_all_classes(y, rows, learning, judging)
        known, held = np.flatnonzero(learning), np.flatnonzero(judging)
        if not len(held):
            continue
        share = learning[known] / sample_weight[known]
        part = learner.learn(policy, y[known], weight[known] * share, known)
        found.append(part.machine.decisions(learner.X[held]))
        judged.append(y[held])
        counts.append(judging[held])
    # Where no class has two rows there is nothing else to learn a map from than the rows themselves; nor is there for
    # pairs of classes that have a single row each.
    alone = ~np.isin(y, np.concatenate(judged) if judged else [])
    if alone.any() and (in_pairs or not judged):
        found.append(whole.machine.decisions(learner.X[alone]))
        judged.append(y[alone])
        counts.append(sample_weight[alone])
    worth = cases_per_weight(
        float(sample_weight.sum()), float(np.square(sample_weight).sum()), count_repeats(sample_weight)
    )
    decisions, known, weights = np.vstack(found), np.concatenate(judged), np.concatenate(counts) * worth
    if in_pairs:
        return PairedCurves.learnt(learner.layout, decisions, known, weights)
    return MAPS[method]().learn(map_scores(learner.layout, decisions), known, weights)


def _with_all_classes(
    y: np.ndarray, rows: TrainingRows, learning: np.ndarray, judging: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A class that would have no row to learn from is learnt and not judged, nor is what belongs to its rows."""
    lost = ~np.isin(y, np.unique(y[learning > 0]))
    if rows.groups is not None:
        lost = np.isin(rows.groups, rows.groups[lost])
    return np.where(lost, rows.weights(), learning), np.where(lost, 0.0, judging)


def probabilities_of(found: DecisionMap, layout: Layout, decisions: np.ndarray, places: np.ndarray, n: int) -> Any:
    """A column for each of n classes, of which those at ``places`` have rows."""
    shares = np.zeros((len(decisions), n))
    if len(decisions):
        asked = decisions if isinstance(found, PairedCurves) else map_scores(layout, decisions)
        shares[:, places] = found.shares(asked)
    return shares
