"""Proposals from a fitted network, dense over a pyramid of sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.nn import functional

__all__ = ["pasted", "proposed"]

#: How many of the best patches have their masks worked out, for each one that is asked for.
MORE = 12


def proposed(
    net: Any, x: torch.Tensor, scales: Sequence[float], n: int, overlap: float
) -> list[tuple[np.ndarray, float]]:
    """At most n masks (height, width) with their scores, best first; of two that overlap too much the better one."""
    plan = net.plan
    scores, ranks, places = [], [], []
    for scale in scales:
        sides = [max(1, round(side * scale)) for side in x.shape[2:]]
        small = functional.interpolate(x, size=sides, mode="bilinear", align_corners=False)
        rim = plan.patch // 2
        short = [-side % plan.stride for side in sides]
        found = net.dense(functional.pad(small, (rim, rim + short[1], rim, rim + short[0])))
        rows, columns = torch.meshgrid(*(torch.arange(k) for k in found.scores.shape), indexing="ij")
        enlarged = [side / whole for side, whole in zip(sides, x.shape[2:])]
        scores.append(found.scores.flatten())
        ranks.append(found.ranks.flatten(1).T)
        at = [(each.flatten().double() * plan.stride) / by for each, by in zip((rows, columns), enlarged)]
        places.append(torch.stack([*at, *(torch.full_like(at[0], by) for by in enlarged)], dim=1))
    every, where = torch.cat(scores), torch.cat(places)
    best = torch.argsort(every, descending=True, stable=True)[: MORE * n]
    masks = pasted(net.masks(torch.cat(ranks)[best]), where[best].numpy(), plan.patch, (x.shape[2], x.shape[3]))
    return _apart(masks, torch.sigmoid(every[best]).double().numpy(), n, overlap)


def pasted(masks: torch.Tensor, where: np.ndarray, patch: int, size: tuple[int, int]) -> np.ndarray:
    """Masks of patches as masks of the picture: ``where`` are middles, and how much rows and columns are enlarged."""
    theta = np.zeros((len(masks), 2, 3))
    for axis, (at, by, side) in enumerate(((1, 3, size[1]), (0, 2, size[0]))):
        wide = patch / where[:, by]
        theta[:, axis, axis] = side / wide
        theta[:, axis, 2] = (side - 2 * where[:, at]) / wide
    grid = functional.affine_grid(torch.from_numpy(theta).to(masks), [len(masks), 1, *size], align_corners=False)
    shares = torch.sigmoid(masks)[:, None]
    made = functional.grid_sample(shares, grid, padding_mode="zeros", align_corners=False)
    return (made[:, 0] > 0.5).numpy()


def _apart(masks: np.ndarray, scores: np.ndarray, n: int, overlap: float) -> list[tuple[np.ndarray, float]]:
    """Non-maximum suppression by intersection over union of masks."""
    kept: list[tuple[np.ndarray, float]] = []
    for mask, score in zip(masks, scores, strict=True):
        if len(kept) == n:
            break
        if mask.any() and all(_shared(mask, other) <= overlap for other, _ in kept):
            kept.append((mask, float(score)))
    return kept


def _shared(one: np.ndarray, other: np.ndarray) -> float:
    return float((one & other).sum() / (one | other).sum())
