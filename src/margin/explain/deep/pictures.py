"""How a network explains what it says of a picture: the places that speak for it, and training pictures like it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from margin.deep.pictures.picture_network import PictureNetwork
from margin.errors import InputError
from margin.explain.explanation import Explanation, Reason
from margin.explain.models import answer_of, explain

__all__ = ["PictureExplanation", "strongest_region"]

#: Training pictures that are named.
NEAREST = 5


@dataclass(frozen=True)
class PictureExplanation(Explanation):
    """Why a network gave a picture its class.

    Attributes
    ----------
    map
        (height, width), from 0 up: where the last convolution speaks for the class (Grad-CAM).
    region
        First row, first column, and those behind the last, of the strongest region: the places that are connected with
        the maximum by such of half of it at least.
    share
        How much of the map lies inside that region.
    nearest
        The training pictures that are nearest in what the head is handed, by position; empty if none were given.
    """

    map: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)), repr=False)
    region: tuple[int, int, int, int] = (0, 0, 0, 0)
    share: float = 0.0
    nearest: tuple[int, ...] = ()


def strongest_region(found: np.ndarray) -> tuple[np.ndarray, float]:
    """Which cells of a map are connected with its maximum by cells of half of it at least, and their share of the sum.

    >>> inside, share = strongest_region(np.array([[4.0, 3.0, 0.0, 3.0], [0.0, 0.0, 0.0, 0.0]]))
    >>> inside[0].tolist(), share
    ([True, True, False, False], 0.7)
    """
    from scipy import ndimage

    total, most = float(found.sum()), float(found.max(initial=0.0))
    if most <= 0:
        return np.zeros(found.shape, bool), 0.0
    parts, _ = ndimage.label(found >= 0.5 * most)
    inside: np.ndarray = parts == parts.flat[found.argmax()]
    return inside, float(found[inside].sum() / total)


@explain.register
def _(model: PictureNetwork, X: Any, training: Any = None) -> PictureExplanation:
    """``training`` are the pictures that the model has learnt from: the nearest of them are named."""
    answer, probabilities = answer_of(model, X)
    from margin.deep.visualize import grad_cam

    picture = model._encoder.encode(X, "explain")
    if len(picture) != 1:
        raise InputError(f"explain({type(model).__name__}, X): X must be one picture, not {len(picture)}.")
    try:
        found = grad_cam(model, picture, n_jobs=model.n_jobs)[0].astype(np.float64)
    except InputError:  # a network of one's own without a convolution
        found = np.zeros(model._encoder.size)
    inside, share = strongest_region(found)
    reasons, region = [], (0, 0, 0, 0)
    if share > 0:
        rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
        region = int(rows[0]), int(columns[0]), int(rows[-1]) + 1, int(columns[-1]) + 1
        where = f"rows {region[0]} to {region[2] - 1}, columns {region[1]} to {region[3] - 1}"
        reasons.append(Reason(where, f"{share:.1%} of the map on {inside.mean():.1%} of the picture", share))
    nearest: tuple[int, ...] = ()
    if training is not None:
        nearest, alike = _alike(model, picture, training)
        reasons += alike
    how = (
        f"The strongest region of what the last convolution says for {answer} (Grad-CAM)"
        + (", and the training pictures nearest in the last layer." if nearest else ".")
        if share > 0
        else f"The last convolution nowhere speaks for {answer} (Grad-CAM)."
    )
    return PictureExplanation(
        type(model).__name__, answer, probabilities, how, tuple(reasons), True, found, region, share, nearest
    )


def _alike(model: Any, picture: Any, training: Any) -> tuple[tuple[int, ...], list[Reason]]:
    """The nearest training pictures, by the angle between features."""
    from margin.deep.pictures.last_layer import last_features

    images = model._encoder.encode(training, "explain(training=…)")
    if not len(images):
        raise InputError(f"explain({type(model).__name__}, X, training=…): there are no pictures.")
    ours, theirs = (last_features(model, each, model.n_jobs) for each in (picture, images))
    lengths = np.linalg.norm(theirs, axis=1) * np.linalg.norm(ours)
    alike = theirs @ ours[0] / np.maximum(lengths, 1e-300)
    order = np.argsort(-alike, kind="stable")[:NEAREST]
    labels = getattr(images, "labels", None)
    reasons = []
    for row in order.tolist():
        label = "" if labels is None else f"{labels[row]}, "
        reasons.append(Reason(f"training picture {row}", f"{label}likeness {alike[row]:.3f}", float(alike[row]), row))
    return tuple(order.tolist()), reasons
