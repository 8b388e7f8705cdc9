"""Pictures batch by batch, as a network takes them: bytes until their batch comes, then numbers around 0."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from margin.base.targets.labels import encode_labels
from margin.data.images import Images
from margin.data.labels import codes_of
from margin.errors import InputError, LabelError, listing

__all__ = ["Batches", "PixelScale", "images_of", "outputs_of", "read_labels"]

#: Pictures whose mean and spread are taken at once.
AT_ONCE = 512


@dataclass(frozen=True)
class PixelScale:
    """What is taken out of each colour, and what it is divided by; pixels are between 0 and 1."""

    mean: tuple[float, ...]
    std: tuple[float, ...]

    @classmethod
    def learnt(cls, images: Images) -> PixelScale:
        """Mean and standard deviation of each colour over all pixels; a colour that does not vary is not scaled."""
        n, total, squares = 0, np.zeros(images.channels), np.zeros(images.channels)
        for first in range(0, len(images), AT_ONCE):
            pixels = images[first : first + AT_ONCE].pixels()
            flat = pixels.reshape(-1, images.channels).astype(np.float64)
            flat = flat / 255 if pixels.dtype == np.uint8 else flat
            n, total, squares = n + len(flat), total + flat.sum(axis=0), squares + (flat**2).sum(axis=0)
        mean = total / n
        std = np.sqrt(np.maximum(squares / n - mean**2, 0.0))
        return cls(tuple(mean.tolist()), tuple(np.where(std > 1e-6, std, 1.0).tolist()))

    def applied(self, pixels: np.ndarray, device: torch.device) -> torch.Tensor:
        """Pictures as (n, channels, height, width), which lie in memory with channels last."""
        given = torch.from_numpy(np.require(pixels, requirements=["C", "W"]) if not pixels.flags.writeable else pixels)
        x = given.to(device).permute(0, 3, 1, 2).to(torch.float32)
        unit = 255.0 if pixels.dtype == np.uint8 else 1.0
        mean, std = (x.new_tensor(each).mul_(unit)[:, None, None] for each in (self.mean, self.std))
        return x.sub_(mean).div_(std) if pixels.dtype == np.uint8 else (x - mean) / std


@dataclass(frozen=True)
class Batches:
    """Pictures with codes and weights."""

    images: Images
    codes: np.ndarray
    weight: np.ndarray | None
    scale: PixelScale
    device: torch.device

    def of(self, order: np.ndarray, size: int) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]]:
        """Slices of an order; a single picture at the end goes with those before it, for it has no spread."""
        starts = list(range(0, len(order), size))
        if len(starts) > 1 and len(order) - starts[-1] == 1:
            starts.pop()
        for first, end in zip(starts, [*starts[1:], len(order)], strict=True):
            rows = order[first:end]
            weight = None if self.weight is None else torch.from_numpy(self.weight[rows]).to(self.device)
            x = self.scale.applied(self.images.take(rows).pixels(), self.device)
            yield x, torch.from_numpy(self.codes[rows]).to(self.device), weight


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
