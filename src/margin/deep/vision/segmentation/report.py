"""How good masks are: intersection over union, pixels, boundaries; with intervals over pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.deep.vision.over_pictures import resampled_weights, score_of_sums
from margin.deep.vision.segmentation.masks import codes_of_masks, given_masks
from margin.errors import InputError, ParameterError
from margin.evaluation.intervals.interval import Score
from margin.params import is_number

__all__ = ["SegmentationReport", "segmentation_report"]


@dataclass(frozen=True)
class SegmentationReport:
    """Scores of masks, each a :class:`~margin.evaluation.Score` whose interval is over pictures.

    Attributes
    ----------
    iou
        For each class that is anywhere the intersection over the union of its true and its answered pixels.
    mean_iou
        The mean of these.
    pixel_accuracy
        The share of pixels that are right.
    boundary_f1
        How well boundaries meet, within ``tolerance`` pixels: the harmonic mean of the shares of answered boundary
        pixels near a true one and of true ones near an answered one, averaged over the classes.
    of_picture
        The mean intersection over union of each picture alone.
    """

    iou: dict[Any, Score]
    mean_iou: Score
    pixel_accuracy: Score
    boundary_f1: Score
    of_picture: np.ndarray
    tolerance: float

    @property
    def worst(self) -> np.ndarray:
        """The pictures by place, worst first."""
        return np.argsort(self.of_picture, kind="stable")

    def __str__(self) -> str:
        rows = [("mean IoU", self.mean_iou), *((f"  {label}", each) for label, each in self.iou.items())]
        rows += [("pixel accuracy", self.pixel_accuracy)]
        rows += [(f"boundary F1 (within {self.tolerance:g} px)", self.boundary_f1)]
        wide = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{wide}}  {each}" for name, each in rows)


def segmentation_report(
    true: Any, answered: Any, *, classes: Any = None, ignore: int | None = None, tolerance: float = 2.0, seed: int = 0
) -> SegmentationReport:
    """Compare masks with true ones, picture by picture.

    Parameters
    ----------
    true, answered
        Masks of labels: (n, height, width), or lists of masks.
    classes
        The labels there are; None for those of both.
    ignore
        The true label of pixels that do not count.
    tolerance
        Pixels by which a boundary may be off.
    seed
        Of the resamples of pictures that intervals come from.

    Examples
    --------
    >>> true = np.zeros((2, 4, 4), int); true[:, :2] = 1
    >>> answered = true.copy(); answered[0, 2] = 1
    >>> found = segmentation_report(true, answered)
    >>> round(found.iou[1].value, 3), round(found.pixel_accuracy.value, 3), found.worst.tolist()
    (0.8, 0.875, [0, 1])
    """
    who = "segmentation_report"
    if not (is_number(tolerance) and tolerance >= 0):
        raise ParameterError(f"{who}(tolerance={tolerance!r}): tolerance must be a number of at least 0.")
    if true is None or len(true) == 0:
        raise InputError(f"{who}: there are no masks.")
    sizes = [np.shape(each)[:2] for each in true]
    truths, answers = (
        given_masks(true, sizes, None, f"{who}, true"),
        given_masks(answered, sizes, None, f"{who}, answered"),
    )
    known = _known(truths, answers, classes, ignore)
    codes = codes_of_masks(truths, known, ignore, f"{who}, true")
    found = codes_of_masks(answers, known, None, f"{who}, answered")
    tables = np.array([_table(a, b, len(known)) for a, b in zip(codes, found, strict=True)])
    edges = np.array([_edges(a, b, len(known), tolerance) for a, b in zip(codes, found, strict=True)])
    weights = resampled_weights(len(tables), seed)
    n, k = len(tables), len(known)
    flat, shape = tables.reshape(n, -1), (k, k)

    def score(of: Any, counts: np.ndarray, how: str) -> Score:
        return score_of_sums(counts, of, how, weights)

    there = tables.sum(axis=0)
    seen = [c for c in range(k) if there[c].sum() + there[:, c].sum() > 0]
    iou = {known[c].item(): score(lambda sums, c=c: _iou(sums.reshape(-1, *shape))[:, c], flat, "IoU") for c in seen}
    return SegmentationReport(
        iou,
        score(lambda sums: _mean(_iou(sums.reshape(-1, *shape))), flat, "mean over classes"),
        score(lambda sums: np.einsum("ncc->n", sums.reshape(-1, *shape)) / sums.sum(axis=1), flat, "share of pixels"),
        score(lambda sums: _mean(_f1(sums.reshape(-1, k, 4))), edges.reshape(n, -1), "mean over classes"),
        _mean(_iou(tables)), float(tolerance),
    )  # fmt: skip


def _known(true: Sequence[np.ndarray], answered: Sequence[np.ndarray], classes: Any, ignore: int | None) -> np.ndarray:
    if classes is not None:
        return np.unique(np.asarray(classes))
    found = np.unique(np.concatenate([np.unique(each) for each in [*true, *answered]]))
    return found if ignore is None else found[found != ignore]


def _table(true: np.ndarray, found: np.ndarray, k: int) -> np.ndarray:
    """How often each class was answered where each was true."""
    counted = true >= 0
    return np.bincount(true[counted] * k + found[counted], minlength=k * k).reshape(k, k)


def _iou(tables: np.ndarray) -> np.ndarray:
    """Of each class, from (n, true, answered); NaN of classes that are nowhere."""
    both = np.einsum("ncc->nc", tables)
    with np.errstate(invalid="ignore", divide="ignore"):
        return both / (tables.sum(axis=1) + tables.sum(axis=2) - both)


def _mean(of_classes: np.ndarray) -> np.ndarray:
    """Over the classes that are there; NaN where none is."""
    counted = np.isfinite(of_classes)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(counted, of_classes, 0).sum(axis=1) / counted.sum(axis=1)


def _f1(sums: np.ndarray) -> np.ndarray:
    """From boundary pixels answered and met, true and met."""
    with np.errstate(invalid="ignore", divide="ignore"):
        precision, recall = sums[..., 1] / sums[..., 0], sums[..., 3] / sums[..., 2]
        found = 2 * precision * recall / (precision + recall)
    one_is_empty = (sums[..., 0] == 0) != (sums[..., 2] == 0)
    none_meets = (sums[..., 1] + sums[..., 3] == 0) & (sums[..., 0] + sums[..., 2] > 0)
    return np.where(one_is_empty | none_meets, 0.0, found)


def _edges(true: np.ndarray, found: np.ndarray, k: int, tolerance: float) -> np.ndarray:
    """For each class its answered boundary pixels, those near a true one, and the same the other way round."""
    counted = true >= 0
    made = np.zeros((k, 4))
    for c in np.union1d(np.unique(true[counted]), np.unique(found[counted])):
        one, other = _boundary(found == c) & counted, _boundary(true == c) & counted
        made[c] = one.sum(), _near(one, other, tolerance), other.sum(), _near(other, one, tolerance)
    return made


def _boundary(mask: np.ndarray) -> np.ndarray:
    """Pixels of a mask beside others that are not; the rim of the picture is no boundary."""
    inner = np.pad(mask, 1, mode="edge")
    whole = inner[:-2, 1:-1] & inner[2:, 1:-1] & inner[1:-1, :-2] & inner[1:-1, 2:]
    return mask & ~whole


def _near(one: np.ndarray, other: np.ndarray, tolerance: float) -> int:
    """How many pixels of one boundary have a pixel of the other within the tolerance."""
    if not one.any() or not other.any():
        return 0
    from scipy import ndimage

    return int((ndimage.distance_transform_edt(~other)[one] <= tolerance).sum())
