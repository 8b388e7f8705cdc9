"""What a model predicts for some rows: it stands below models and evaluation, which both speak of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Predictions"]


@dataclass(frozen=True, eq=False)
class Predictions:
    """Labels, probabilities or None, and decision values or None; columns are the classes learnt from, ascending.

    ``seconds`` is the time the labels took, where somebody looked at the clock.
    """

    labels: np.ndarray
    probabilities: np.ndarray | None = None
    scores: np.ndarray | None = None
    seconds: float = float("nan")
