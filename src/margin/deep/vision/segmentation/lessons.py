"""Pictures with masks, batch by batch."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from margin.data.images import Images
from margin.deep.pictures.augmentation import changed_together
from margin.deep.training.lessons import Batch
from margin.deep.training.pixel_scale import PixelScale
from margin.deep.vision.segmentation.answering import codes_of_pictures

__all__ = ["MaskLessons"]


@dataclass(frozen=True)
class MaskLessons:
    """Pictures of one size, or of several where ``crop`` says how large the windows are that are learnt from.

    ``groups`` are collections of one size each, ``codes`` the masks of all of them in their order, -1 for what does not
    count; ``changes`` are made of pictures and masks together, anew in every epoch.
    """

    groups: Sequence[Images]
    codes: Sequence[np.ndarray]
    n_classes: int
    scale: PixelScale
    changes: Mapping[str, float]
    crop: int | None
    tile: int

    def __len__(self) -> int:
        return len(self.codes)

    def of(self, order: np.ndarray, size: int, random: np.random.Generator) -> Iterator[Batch]:
        """Slices of an order; a single picture at the end goes with those before it, for it has no spread."""
        ends = list(range(size, len(order), size))
        if ends and len(order) - ends[-1] == 1:
            ends.pop()
        for rows in np.split(order, ends):
            x, codes = self._whole(rows) if self.crop is None else self._windows(rows, random)
            y: torch.Tensor | None = torch.from_numpy(codes)
            if self.changes:
                x, y = changed_together(x, y, random, self.changes)
            assert y is not None
            yield x, y, None

    def _whole(self, rows: np.ndarray) -> tuple[torch.Tensor, np.ndarray]:
        x = self.scale.applied(self.groups[0].take(rows).pixels(), torch.device("cpu"))
        return x, np.stack([self.codes[i] for i in rows])

    def _windows(self, rows: np.ndarray, random: np.random.Generator) -> tuple[torch.Tensor, np.ndarray]:
        """A window of each picture; what is beyond a small picture has the mean colour and does not count."""
        side = int(self.crop or 0)
        firsts = np.cumsum([0, *map(len, self.groups)])
        x = torch.zeros(len(rows), len(self.scale.mean), side, side)
        codes = np.full((len(rows), side, side), -1, np.int64)
        for place, row in enumerate(rows):
            group = int(np.searchsorted(firsts, row, side="right")) - 1
            picture = self.groups[group][int(row - firsts[group])]
            height, width = picture.shape[:2]
            top, left = (int(random.integers(0, max(1, n - side + 1))) for n in (height, width))
            window = np.ascontiguousarray(picture[top : top + side, left : left + side])
            given = self.scale.applied(window[None], torch.device("cpu"))[0]
            x[place, :, : given.shape[1], : given.shape[2]] = given
            codes[place, : given.shape[1], : given.shape[2]] = self.codes[row][top : top + side, left : left + side]
        return x.contiguous(memory_format=torch.channels_last), codes

    def score(self, net: nn.Module, n_jobs: int | None) -> float:
        """Mean over the classes of the intersection over the union, of all pixels together."""
        table = np.zeros((self.n_classes, self.n_classes))
        answers = (
            each for group in self.groups for each in codes_of_pictures(net, group, self.scale, self.tile, n_jobs)
        )
        for found, codes in zip(answers, self.codes, strict=True):
            counted = codes >= 0
            pairs = codes[counted] * self.n_classes + found[counted]
            table += np.bincount(pairs, minlength=table.size).reshape(table.shape)
        either = table.sum(axis=0) + table.sum(axis=1) - np.diag(table)
        there = either > 0
        return float((np.diag(table)[there] / either[there]).mean()) if there.any() else 0.0

    def digest(self) -> str:
        found = hashlib.sha256(repr((self.n_classes, self.scale, self.changes, self.crop)).encode())
        for group in self.groups:
            for picture in group:
                found.update(np.ascontiguousarray(picture))
        for codes in self.codes:
            found.update(repr(codes.shape).encode() + np.ascontiguousarray(codes).tobytes())
        return found.hexdigest()
