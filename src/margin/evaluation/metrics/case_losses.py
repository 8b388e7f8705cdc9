"""What each case loses by the probabilities it was given, and how sure its most probable answer was."""

from __future__ import annotations

from typing import Literal

import numpy as np

import margin._core as _core
from margin.parallel import n_threads

__all__ = ["SMALLEST_PROBABILITY", "bin_sums", "case_losses", "top_answers"]

#: Probabilities are kept this far from 0 and 1 before a logarithm is taken: the spacing of float64 at 1, as in
#: scikit-learn. The worst loss of a case is therefore 36.04.
SMALLEST_PROBABILITY = float(np.finfo(np.float64).eps)


def case_losses(loss: Literal["log_loss", "brier", "ahead"], truth: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The loss of each case. ``shares`` has a column for each class, or one for the second of two classes.

    The log loss is -ln of the probability of the true class, the Brier loss the squared distance from the truth: over
    all classes, or of the second of two alone. ``"ahead"`` counts the classes that were answered more strongly than the
    true one, and of equally strong ones those before it; it takes strengths of any scale.

    >>> case_losses("ahead", np.array([2, 0]), np.array([[0.25, 0.5, 0.25], [3.0, -1.0, 2.0]])).tolist()
    [2.0, 0.0]
    >>> case_losses("brier", np.array([0, 1]), np.array([[0.5], [0.25]])).tolist()
    [0.25, 0.5625]
    >>> case_losses("brier", np.array([0]), np.array([[0.5, 0.25, 0.25]])).tolist()
    [0.375]
    """
    losses = np.empty(len(truth))
    shares, codes = _readable(shares), np.ascontiguousarray(truth, dtype=np.int64)
    _core.metrics.case_losses(shares, codes, loss, None, SMALLEST_PROBABILITY, losses, n_threads())
    return losses


def top_answers(truth: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The largest probability of each case, and whether its class is the true one; of equal ones the first counts.

    >>> top_answers(np.array([0, 1]), np.array([[0.75, 0.25], [0.5, 0.5]]))
    (array([0.75, 0.5 ]), array([ True, False]))
    """
    confidence, right = np.empty(len(truth)), np.empty(len(truth), dtype=np.uint8)
    codes = np.ascontiguousarray(truth, dtype=np.int64)
    _core.metrics.top_answers(_readable(shares), codes, confidence, right, n_threads())
    return confidence, right.view(bool)


def bin_sums(
    confidence: np.ndarray, right: np.ndarray, weight: np.ndarray | None, edges: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By bin: the weight of its cases, their confidence added up, and the weight of those that were right.

    A value on an edge belongs to the bin below it, as in (0.8, 0.9].

    >>> bin_sums(np.array([0.25, 0.5, 1.0]), np.array([True, False, True]), None, np.array([0, 0.5, 1]))
    (array([2., 1.]), array([0.75, 1.  ]), array([1., 1.]))
    """
    right = np.ascontiguousarray(right, dtype=bool).view(np.uint8)
    weights, sure, hits = _core.metrics.calibration_bins(
        np.asarray(confidence, dtype=np.float64), right, weight, np.asarray(edges, dtype=np.float64), n_threads()
    )
    return weights, sure, hits


def _readable(shares: np.ndarray) -> np.ndarray:
    return np.require(shares, np.float64, ["C", "A"])
