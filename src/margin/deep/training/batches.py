"""Pictures batch by batch, as a network takes them: bytes until their batch comes, then numbers around 0."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from margin.base.targets.labels import encode_labels
from margin.data.images import Images
from margin.data.labels import codes_of
from margin.deep.training.answering import answered
from margin.deep.training.pixel_scale import PixelScale
from margin.errors import InputError, LabelError, listing

__all__ = ["Batches", "PixelScale", "images_of", "outputs_of", "read_labels"]


@dataclass(frozen=True)
class Batches:
    """Pictures with codes and weights; ``changed`` makes others of the pictures of a batch, anew in every epoch."""

    images: Images
    codes: np.ndarray
    weight: np.ndarray | None
    scale: PixelScale
    device: torch.device
    changed: Callable[[torch.Tensor, np.random.Generator], torch.Tensor] | None = None

    def __len__(self) -> int:
        return len(self.codes)

    def of(
        self, order: np.ndarray, size: int, random: np.random.Generator
    ) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]]:
        """Slices of an order; a single picture at the end goes with those before it, for it has no spread."""
        starts = list(range(0, len(order), size))
        if len(starts) > 1 and len(order) - starts[-1] == 1:
            starts.pop()
        for first, end in zip(starts, [*starts[1:], len(order)], strict=True):
            rows = order[first:end]
            weight = None if self.weight is None else torch.from_numpy(self.weight[rows]).to(self.device)
            x = self.scale.applied(self.images.take(rows).pixels(), self.device)
            x = x if self.changed is None else self.changed(x, random)
            yield x, torch.from_numpy(self.codes[rows]).to(self.device), weight

    def score(self, net: nn.Module, n_jobs: int | None) -> float:
        """Accuracy."""
        logits = answered(net, self.images, self.scale, self.device, n_jobs)
        return float(np.average(logits.argmax(axis=1) == self.codes, weights=self.weight))

    def digest(self) -> str:
        """Words that are others for other pictures, classes or weights."""
        found = hashlib.sha256(repr((self.images.shape, self.scale)).encode())
        for picture in self.images:
            found.update(np.ascontiguousarray(picture))
        for each in (self.codes, self.weight):
            found.update(b"" if each is None else np.ascontiguousarray(each))
        return found.hexdigest()


def images_of(data: Any, who: str) -> Images:
    """Pictures, or an array of them."""
    images = data if isinstance(data, Images) else Images.from_array(data)
    if len(images) and images.image_size is None:
        images.pixels()  # says which sizes there are
    if not len(images):
        raise InputError(f"{who}: there are no pictures.")
    return images


def outputs_of(net: nn.Module, images: Images, scale: PixelScale, device: torch.device, who: str) -> int:
    """How many numbers a network gives for a picture; pictures that it cannot take are refused."""
    training = net.training
    net.eval()
    try:
        with torch.inference_mode():
            made = net(scale.applied(images[:1].pixels(), device))
    except RuntimeError as error:
        raise InputError(
            f"{who}: {type(net).__name__} cannot take pictures of shape {images.shape[1:]} ({error})."
        ) from None
    finally:
        net.train(training)
    if not isinstance(made, torch.Tensor) or made.dim() != 2 or len(made) != 1:
        raise InputError(f"{who}: {type(net).__name__} must give a row of logits for each picture.")
    return int(made.shape[1])


def read_labels(y: Any, n: int, outputs: int, known: np.ndarray | None, who: str) -> tuple[np.ndarray, np.ndarray]:
    """The class of each output and the codes of the labels.

    Whole numbers from 0 below the number of outputs are the outputs themselves; other labels take them in order.
    """
    found, codes = encode_labels(y, n, who)
    if known is None:
        if found.dtype.kind in "iu" and found.min() >= 0 and found.max() < outputs:
            known = np.arange(outputs)
        elif len(found) == outputs:
            known = found
        else:
            raise LabelError(
                f"{who}: the labels are {len(found)} classes, {listing(found.tolist())}, and the network has "
                f"{outputs} outputs."
            )
    strange = [label for label in found.tolist() if label not in set(known.tolist())]
    if strange:
        raise LabelError(f"{who}: label {listing(strange)} is not one of the classes {listing(known.tolist())}.")
    return known, codes_of(found, known).astype(np.int64)[codes]
