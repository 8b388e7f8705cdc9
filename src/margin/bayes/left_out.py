"""What generative models answer to each row taken out of their sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.left_out import AllRows, LeftOutAnswers, learn_from_all, near_ties
from margin.bayes.blocks import TextBlock
from margin.bayes.distributions import Gaussian
from margin.bayes.left_out_normal import normal_terms
from margin.bayes.left_out_terms import TERMS
from margin.base.softmax import softmax
from margin.bayes.shares import log_of
from margin.evaluation.left_out import answers_anew

__all__ = ["joint_left_out", "naive_left_out"]

HOW: dict[Any, Any] = {**TERMS, Gaussian: normal_terms}


def naive_left_out(model: Any, X: Any, y: Any, sample_weight: Any) -> LeftOutAnswers | None:
    """What naive Bayes answers: every column's sums without the row."""
    rows = learn_from_all(model, X, y, sample_weight)
    if rows is None or model.class_weight is not None:
        return None
    log_priors = log_of(_priors_of_others(model, rows))
    scores = log_priors.copy() if model.uses_priors else np.zeros_like(log_priors)
    for block, found in zip(model._blocks, model._statistics.parts, strict=True):
        how = HOW.get(type(block.distribution))
        if how is None or isinstance(block, TextBlock):
            return None
        terms = how(block.distribution, block.cells(rows.data, type(model).__name__), found, rows)
        if terms is None:
            return None
        scores += terms
    ruled_out = np.isneginf(scores.max(axis=1))
    scores[ruled_out] = log_priors[ruled_out]
    rows.anew |= near_ties(scores)
    return rows.answers(scores.argmax(axis=1), softmax(scores), answers_anew)


def _priors_of_others(model: Any, rows: AllRows) -> np.ndarray:
    """The priors without each row (rows); given ones are the same for all."""
    if getattr(model, getattr(model, "_priors_parameter", "priors")) is not None or not getattr(
        model, "fit_prior", True
    ):
        return np.tile(model.priors_, (len(rows.codes), 1))
    others = rows.totals_of_others()
    return others / others.sum(axis=1, keepdims=True)


def joint_left_out(model: Any, X: Any, y: Any, sample_weight: Any) -> LeftOutAnswers | None:
    """What the joint table answers: one case less of the row's own combination, in its own class."""
    rows = learn_from_all(model, X, y, sample_weight)
    if rows is None or model.class_weight is not None or not rows.repeats:
        return None
    coded = model._coded(rows.data)
    if not len(coded) or (coded < 0).any():
        return None
    for column in coded[: len(model._statistics.numbers)]:  # the numbers that are there are the levels
        rows.anew |= np.bincount(column)[column] == 1
    _, group = np.unique(coded, axis=1, return_inverse=True)
    group, n_classes = group.reshape(-1), len(model.classes_)
    counts = np.bincount(group * n_classes + rows.codes, rows.weight, (group.max() + 1) * n_classes)
    counts = counts.reshape(-1, n_classes)[group]
    counts[np.arange(len(counts)), rows.codes] -= rows.weight
    log_alpha = log_of(np.array(float(model.alpha)))
    everything = log_alpha + np.log(model._sizes).sum()
    log_priors = log_of(_priors_of_others(model, rows))
    shares = np.logaddexp(log_of(counts), log_alpha) - np.logaddexp(log_of(rows.totals_of_others()), everything)
    scores = log_priors + shares
    ruled_out = np.isneginf(scores.max(axis=1))
    scores[ruled_out] = log_priors[ruled_out]
    rows.anew |= near_ties(scores)
    return rows.answers(scores.argmax(axis=1), softmax(scores), answers_anew)
