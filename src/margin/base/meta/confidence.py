"""How sure a classifier is of each answer: by probability, or by the distance of its score from the runner-up's."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from margin.base.meta.inner_model import last_step
from margin.data.labels import codes_of, label_array
from margin.data.rows import count_rows, ready_for
from margin.errors import ParameterError
from margin.typing import TableLike

__all__ = ["Kind", "answers_with_confidence", "confidence_kind"]

Kind = Literal["probability", "margin"]


def confidence_kind(model: Any, wanted: str, who: str) -> Kind:
    """Which confidence a classifier gives: the one that is wanted, or probabilities where it has some."""
    has = {"probability": hasattr(model, "predict_proba"), "margin": hasattr(model, "decision_function")}
    if wanted == "auto":
        return "probability" if has["probability"] else "margin"
    if not has[wanted]:
        method = "predict_proba" if wanted == "probability" else "decision_function"
        raise ParameterError(
            f"{who}(confidence={wanted!r}): {type(last_step(model)).__name__} must have {method}, but has none."
        )
    return "probability" if wanted == "probability" else "margin"


def answers_with_confidence(model: Any, X: TableLike, kind: Kind, who: str) -> tuple[np.ndarray, np.ndarray]:
    """A fitted classifier's own answers, and how sure it is of each.

    The confidence is the probability of the class that is answered, or how far its score lies above the best of the
    others; for one score of two classes that is its distance from 0, for decisions of pairs the least distance in the
    pairs of the class. An abstention has no confidence: minus infinity.
    """
    X = ready_for(model, X)
    known = label_array(model.classes_, who)
    if count_rows(X) == 0:  # many a classifier refuses to answer nothing
        return known[:0], np.empty(0)
    if kind == "probability" and hasattr(model, "predict_with_proba"):
        said, given = model.predict_with_proba(X)
    else:
        said = model.predict(X)
        given = model.predict_proba(X) if kind == "probability" else model.decision_function(X)
    labels = label_array(said, who)
    codes, scores = codes_of(labels, known), np.asarray(given, dtype=np.float64)
    sure = _probability(scores, codes) if kind == "probability" else _margin(scores, codes, model, len(known), who)
    return labels, np.where(codes < 0, -np.inf, sure)


def _probability(shares: np.ndarray, codes: np.ndarray) -> np.ndarray:
    return shares[np.arange(len(codes)), codes]


def _margin(scores: np.ndarray, codes: np.ndarray, model: Any, n_classes: int, who: str) -> np.ndarray:
    if n_classes == 1:
        return np.full(len(codes), np.inf)
    if scores.ndim == 1 or scores.shape[1] == 1:
        found = scores.reshape(-1)
        return np.where(codes == 1, found, -found)
    if getattr(last_step(model), "decision_function_shape", None) == "ovo" and n_classes > 2:
        return _closest_pair(scores, codes, n_classes)
    if scores.shape[1] != n_classes:
        raise ParameterError(
            f"{who}: decision_function must give one column for each of the {n_classes} classes, not {scores.shape[1]}."
        )
    mine = scores[np.arange(len(codes)), codes]
    others = scores.copy()
    others[np.arange(len(codes)), codes] = -np.inf
    return mine - others.max(axis=1)


def _closest_pair(decisions: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """The least decision for the answered class in its pairs with the others; above 0 the first of a pair is chosen."""
    first, second = np.triu_indices(n_classes, 1)
    mine = codes[:, None]
    in_favour = np.where(mine == first, decisions, np.where(mine == second, -decisions, np.inf))
    return in_favour.min(axis=1)
