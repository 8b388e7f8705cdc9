"""Patches of pictures with an object in their middle, or without one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from margin.data.images import Images
from margin.deep.training.lessons import Batch
from margin.deep.training.pixel_scale import PixelScale
from margin.deep.training.surroundings import threads_of_torch
from margin.deep.vision.proposals.network import patch_loss
from margin.deep.vision.proposals.plan import ProposalPlan
from margin.random import generator

__all__ = ["PatchLessons", "sizes_of"]

#: Objects are in the middle up to so many strides, and of the usual size up to this power of 2; patches from twice as
#: far on have none, and what is between is not learnt from.
OFF, LARGER = 0.5, 0.25
TRIES = 8


@dataclass(frozen=True)
class PatchLessons:
    """A case is a patch; each picture has some, drawn anew in every epoch, half of them with an object.

    ``objects`` has for each picture the masks (objects, height, width).
    """

    images: Images
    objects: Sequence[np.ndarray]
    plan: ProposalPlan
    patches: int
    scale: PixelScale
    seed: int

    def __len__(self) -> int:
        return len(self.images) * self.patches

    def of(self, order: np.ndarray, size: int, random: np.random.Generator) -> Iterator[Batch]:
        places = self._places
        for first in range(0, len(order), size):
            rows = order[first : first + size]
            if len(rows) == 1 and first:
                continue  # a single patch has no spread
            yield (*self.batch(rows, places, random), None)

    @property
    def _places(self) -> list[np.ndarray]:
        """Of each object its middle and its longer side."""
        return [np.array([place_of(mask) for mask in masks]).reshape(-1, 3) for masks in self.objects]

    def batch(
        self, rows: np.ndarray, places: Sequence[np.ndarray], random: np.random.Generator
    ) -> tuple[torch.Tensor, torch.Tensor]:
        which, back = np.unique(rows // self.patches, return_inverse=True)
        x = self.scale.applied(self.images.take(which).pixels(), torch.device("cpu"))
        drawn = [self._drawn(places[which[k]], row % 2 == 0, random) for row, k in zip(rows, back.reshape(-1))]
        centres = np.array([each[:3] for each in drawn])
        found = cut(x[back.reshape(-1)], centres, self.plan.patch, self.plan.patch)
        masks = torch.zeros(len(rows), 1, *x.shape[2:])
        there = np.full(len(rows), -1.0, np.float32)
        for i, (row, (*_, which_object)) in enumerate(zip(rows, drawn, strict=True)):
            if which_object >= 0:
                masks[i, 0] = torch.from_numpy(self.objects[row // self.patches][int(which_object)].astype(np.float32))
                there[i] = 1.0
        inside = cut(masks, centres, self.plan.patch, self.plan.mask).flatten(1)
        return found, torch.cat([torch.where(inside > 0.5, 1.0, -1.0), torch.from_numpy(there)[:, None]], dim=1)

    def _drawn(self, places: np.ndarray, wanted: bool, random: np.random.Generator) -> tuple[float, float, float, int]:
        """Middle of a patch, how much the picture is enlarged there, and the object in its middle; -1 for none."""
        height, width = self.images.image_size or (1, 1)
        stride, usual = self.plan.stride, self.plan.usual
        if wanted and len(places):
            k = int(random.integers(len(places)))
            enlarged = usual / places[k, 2] * 2 ** random.uniform(-LARGER, LARGER)
            row, column = places[k, :2] + random.uniform(-OFF, OFF, 2) * stride / enlarged
            return float(row), float(column), float(enlarged), k
        near = len(places) and random.random() < 0.5  # hard ones: beside an object, or of another size
        for _ in range(TRIES):
            longer = places[int(random.integers(len(places))), 2] if len(places) else min(height, width) / 2
            enlarged = usual / longer * 2 ** random.uniform(-1, 1)
            row, column = random.uniform(0, height), random.uniform(0, width)
            if near:
                row, column = places[int(random.integers(len(places))), :2] + random.uniform(-1, 1, 2) * longer
            if not len(places) or not self._centred(places, row, column, enlarged):
                break
        else:
            row, column, enlarged = -float(self.plan.patch), -float(self.plan.patch), 1.0  # beyond the picture
        return float(row), float(column), float(enlarged), -1

    def _centred(self, places: np.ndarray, row: float, column: float, enlarged: float) -> bool:
        """Whether an object is nearly in the middle and nearly of the usual size."""
        off = np.abs(places[:, :2] - [row, column]).max(axis=1) * enlarged / self.plan.stride
        larger = np.abs(np.log2(places[:, 2] * enlarged / self.plan.usual))
        return bool(((off < 2 * OFF + 0.5) & (larger < 2 * LARGER + 0.25)).any())

    def score(self, net: nn.Module, n_jobs: int | None) -> float:
        """Minus the loss of patches that are the same each time."""
        random, total = generator(self.seed, "patches to judge by"), 0.0
        training, places = net.training, self._places
        net.eval()
        try:
            with threads_of_torch(n_jobs), torch.inference_mode():
                for first in range(0, len(self), 256):
                    x, truth = self.batch(np.arange(first, min(first + 256, len(self))), places, random)
                    total += float(patch_loss(net(x), truth).sum())
        finally:
            net.train(training)
        return -total / len(self)

    def digest(self) -> str:
        found = hashlib.sha256(repr((self.plan, self.patches, self.scale)).encode())
        for each in (*self.images, *self.objects):
            found.update(np.ascontiguousarray(each))
        return found.hexdigest()


def place_of(mask: np.ndarray) -> tuple[float, float, float]:
    """The middle of an object's box, in pixels from the corner of the picture, and its longer side."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    top, bottom, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    return (top + bottom) / 2, (left + right) / 2, float(max(bottom - top, right - left))


def sizes_of(objects: Sequence[np.ndarray]) -> np.ndarray:
    """The longer side of each object."""
    return np.array([place_of(mask)[2] for masks in objects for mask in masks])


def cut(x: torch.Tensor, centres: np.ndarray, patch: int, side: int) -> torch.Tensor:
    """Of each picture the patch about a middle, of ``patch`` enlarged pixels, as ``side`` cells; zeros from outside.

    ``centres`` are rows and columns in pixels of the picture, and how much it is enlarged.
    """
    height, width = x.shape[2:]
    theta = np.zeros((len(x), 2, 3))
    theta[:, 0, 0], theta[:, 1, 1] = patch / centres[:, 2] / width, patch / centres[:, 2] / height
    theta[:, 0, 2], theta[:, 1, 2] = 2 * centres[:, 1] / width - 1, 2 * centres[:, 0] / height - 1
    shape: Any = [len(x), x.shape[1], side, side]
    grid = functional.affine_grid(torch.from_numpy(theta).to(x), shape, align_corners=False)
    made = functional.grid_sample(x, grid, padding_mode="zeros", align_corners=False)
    return made.contiguous(memory_format=torch.channels_last)
