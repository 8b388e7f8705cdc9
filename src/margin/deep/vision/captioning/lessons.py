"""Pictures with captions, batch by batch; log probabilities of captions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from margin.data.images import Images
from margin.deep.pictures.augmentation import changed
from margin.deep.training.lessons import Batch
from margin.deep.training.pixel_scale import PixelScale
from margin.deep.training.surroundings import threads_of_torch
from margin.deep.vision.captioning.network import Spoken

__all__ = ["CaptionLessons", "grouped", "log_probabilities"]


@dataclass(frozen=True)
class CaptionLessons:
    """A case is a caption; captions of one picture come together, so that it is looked at once."""

    images: Images
    which: np.ndarray
    codes: np.ndarray
    scale: PixelScale
    changes: Mapping[str, float]

    def __len__(self) -> int:
        return len(self.which)

    def of(self, order: np.ndarray, size: int, random: np.random.Generator) -> Iterator[Batch]:
        for rows in grouped(order, self.which, size):
            x, codes = _batch(self.images, self.which[rows], self.codes[rows], self.scale)
            if self.changes:
                x = Spoken(changed(x.pictures, random, self.changes), x.which, x.codes)
            yield x, codes, None

    def score(self, net: nn.Module, n_jobs: int | None) -> float:
        """Mean log probability of a caption."""
        return float(log_probabilities(net, self.images, self.which, self.codes, self.scale, n_jobs).mean())

    def digest(self) -> str:
        found = hashlib.sha256(repr((self.scale, self.changes)).encode())
        for each in (*self.images, self.which, self.codes):
            found.update(np.ascontiguousarray(each))
        return found.hexdigest()


def grouped(order: np.ndarray, which: np.ndarray, size: int) -> Iterator[np.ndarray]:
    """Cases in batches of about a size, those of one picture together, pictures in the order of their first case."""
    _, firsts, back = np.unique(which[order], return_index=True, return_inverse=True)
    rows = order[np.argsort(firsts[back], kind="stable")]
    ends, begun = [], 0
    changes = np.flatnonzero(np.diff(which[rows])) + 1
    for end in changes:
        if end - begun >= size:
            ends.append(int(end))
            begun = int(end)
    if ends and len(np.unique(which[rows[ends[-1] :]])) == 1:
        ends.pop()  # a single picture has no spread
    yield from np.split(rows, ends)


def _batch(images: Images, which: np.ndarray, codes: np.ndarray, scale: PixelScale) -> tuple[Spoken, torch.Tensor]:
    pictures, back = np.unique(which, return_inverse=True)
    steps = int((codes >= 0).sum(axis=1).max())
    x = scale.applied(images.take(pictures).pixels(), torch.device("cpu"))
    said = torch.from_numpy(np.ascontiguousarray(codes[:, :steps]))
    return Spoken(x, torch.from_numpy(back.reshape(-1)), said), said


def log_probabilities(
    net: Any, images: Images, which: np.ndarray, codes: np.ndarray, scale: PixelScale, n_jobs: int | None
) -> np.ndarray:
    """The logarithm of the probability of each caption, its end among its words."""
    made = np.zeros(len(which))
    training = net.training
    net.eval()
    try:
        with threads_of_torch(n_jobs), torch.inference_mode():
            for rows in grouped(np.arange(len(which)), which, 256):
                x, said = _batch(images, which[rows], codes[rows], scale)
                shares = net(x).double().log_softmax(dim=1)
                told = shares.gather(1, said.clamp_min(0)[:, None])[:, 0]
                made[rows] = torch.where(said >= 0, told, 0.0).sum(dim=1).numpy()
    finally:
        net.train(training)
    return made
