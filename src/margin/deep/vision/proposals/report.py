"""How good proposals are: the best mask of each object, how many objects are found, and how many proposals are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.deep.vision.over_pictures import perfect_interval, resampled_weights, score_of_sums
from margin.errors import InputError, ParameterError
from margin.evaluation.intervals.interval import Interval, Score
from margin.params import is_number

__all__ = ["ProposalReport", "proposal_report"]


@dataclass(frozen=True)
class ProposalReport:
    """Scores of proposals, each with an interval over pictures.

    Attributes
    ----------
    best_iou
        The mean over all objects of the best intersection over union of their mask with one that was proposed.
    recall
        The share of objects that a proposal shares at least ``at`` with.
    average_precision
        The area under precision over recall, as proposals are taken by their scores; each finds at most one object.
    """

    best_iou: Score
    recall: Score
    average_precision: Score
    at: float

    def __str__(self) -> str:
        rows = [("best IoU of an object", self.best_iou), (f"recall at IoU {self.at:g}", self.recall),
                (f"average precision at {self.at:g}", self.average_precision)]  # fmt: skip
        return "\n".join(f"{name:<26}  {each}" for name, each in rows)


def proposal_report(
    objects: Sequence[Any], proposals: Sequence[Sequence[Any]], *, labels: Sequence[Any] | None = None, at: float = 0.5,
    seed: int = 0,
) -> ProposalReport:  # fmt: skip
    """Compare proposals, or detections, with the objects of each picture.

    Parameters
    ----------
    objects
        For each picture the masks (objects, height, width).
    proposals
        For each picture a list of what has ``mask`` and ``score``.
    labels
        For each picture the labels of its objects: proposals must then have ``label``, and find only objects of theirs;
        average precision is the mean over the labels.
    at
        The intersection over union from which on an object is found.

    Examples
    --------
    >>> from margin.deep.vision import Proposal
    >>> mask = np.zeros((1, 4, 4), bool); mask[0, :2] = True
    >>> found = proposal_report([mask], [[Proposal(mask[0], (0, 0, 2, 4), 0.9)]])
    >>> found.best_iou.value, found.average_precision.value
    (1.0, 1.0)
    """
    who = "proposal_report"
    if not is_number(at) or not 0 < at <= 1:
        raise ParameterError(f"{who}(at={at!r}): at must be a number above 0, and at most 1.")
    if len(objects) != len(proposals) or not len(objects):
        raise InputError(f"{who}: there are {len(objects)} pictures with objects, and {len(proposals)} with proposals.")
    shared = [_shared(np.asarray(masks, bool), found) for masks, found in zip(objects, proposals, strict=True)]
    best = [each.max(axis=1, initial=0.0) for each in shared]
    counts = np.array([[each.sum(), (each >= at).sum(), len(each)] for each in best], float)
    if not counts[:, 2].any():
        raise InputError(f"{who}: there is no object in any picture.")
    weights = resampled_weights(len(objects), seed)
    return ProposalReport(
        score_of_sums(counts, lambda sums: sums[:, 0] / sums[:, 2], "mean over objects", weights),
        score_of_sums(counts, lambda sums: sums[:, 1] / sums[:, 2], "share of objects", weights),
        _average_precision(shared, proposals, labels, at, weights),
        float(at),
    )


def _shared(masks: np.ndarray, found: Sequence[Any]) -> np.ndarray:
    """Intersection over union of each object with each proposal."""
    if not len(masks) or not len(found):
        return np.zeros((len(masks), len(found)))
    one = masks.reshape(len(masks), -1).astype(np.float64)
    other = np.array([np.asarray(each.mask).ravel() for each in found], np.float64)
    both = one @ other.T
    return both / (one.sum(axis=1)[:, None] + other.sum(axis=1) - both)


def _average_precision(
    shared: list[np.ndarray], proposals: Sequence[Sequence[Any]], labels: Sequence[Any] | None, at: float,
    weights: np.ndarray,
) -> Score:  # fmt: skip
    known = [None] if labels is None else np.unique(np.concatenate([np.asarray(each) for each in labels])).tolist()
    runs = [_hits(shared, proposals, labels, label, at) for label in known]
    ones = np.ones((1, len(shared)))
    value = float(np.mean([_area(*run, ones) for run in runs]))
    drawn = np.mean([_area(*run, weights) for run in runs], axis=0)
    drawn = drawn[np.isfinite(drawn)]
    interval = None
    if len(shared) > 1 and len(drawn):
        low, high = np.quantile(drawn, [0.025, 0.975])
        interval = perfect_interval(value, drawn, len(shared)) or Interval(
            float(low), float(high), 0.95, "bootstrap percentile"
        )
    return Score(value, interval, "area under precision over recall")


def _hits(
    shared: list[np.ndarray], proposals: Sequence[Sequence[Any]], labels: Sequence[Any] | None, label: Any, at: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of all proposals by falling score whether they find a new object; their pictures; how many objects those have."""
    scores, hits, pictures, objects = [], [], [], np.zeros(len(shared))
    for p, (iou, found) in enumerate(zip(shared, proposals, strict=True)):
        wanted = np.ones(len(iou), bool) if labels is None else np.asarray(labels[p]) == label
        objects[p] = wanted.sum()
        free = wanted.copy()
        for k in sorted(range(len(found)), key=lambda k: -found[k].score):
            if labels is not None and found[k].label != label:
                continue
            which = int(np.where(free, iou[:, k], -1.0).argmax()) if len(free) else 0
            hit = bool(len(free)) and bool(free[which]) and iou[which, k] >= at
            if hit:
                free[which] = False
            scores.append(found[k].score)
            hits.append(hit)
            pictures.append(p)
    order = np.argsort(-np.array(scores), kind="stable")
    return np.array(hits, float)[order], np.array(pictures, np.int64)[order], objects


def _area(hits: np.ndarray, pictures: np.ndarray, objects: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Average precision where each picture counts so often, a row of weights at a time; precision never rises later."""
    if not len(hits):
        return np.zeros(len(weights))
    counted = weights[:, pictures]
    right, all_of = np.cumsum(counted * hits, axis=1), np.cumsum(counted, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = np.nan_to_num(right / all_of)
        envelope = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
        found: np.ndarray = (envelope * counted * hits).sum(axis=1) / (weights @ objects)
    return found
