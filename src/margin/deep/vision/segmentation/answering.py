"""What a network says of each pixel of pictures of any size, whole or in overlapping tiles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from margin.data.images import Images
from margin.deep.training.pixel_scale import PixelScale
from margin.deep.training.surroundings import threads_of_torch

__all__ = ["codes_of_pictures", "logits_of_pictures"]

#: Pixels of a piece: larger ones leave the processor's cache, and take memory for nothing.
PIECE = 100_000


def logits_of_pictures(
    net: Any, images: Images, scale: PixelScale, tile: int, n_jobs: int | None
) -> Iterator[torch.Tensor]:
    """Logits (classes, height, width) of each picture; the network is left in the mode it was in.

    Pictures larger than a tile are answered tile by tile. Each tile is seen with so much around it that its answers are
    those of the whole picture.
    """
    size = images.image_size
    assert size is not None
    at_once = max(1, PIECE // (size[0] * size[1]))
    training = net.training
    net.to(memory_format=torch.channels_last).eval()
    try:
        for first in range(0, len(images), at_once):
            with threads_of_torch(n_jobs), torch.inference_mode():
                x = scale.applied(images[first : first + at_once].pixels(), torch.device("cpu"))
                made = _answered(net, _filled_up(x, net.stride), tile)[:, :, : size[0], : size[1]]
            yield from made
    finally:
        net.train(training)


def codes_of_pictures(
    net: Any, images: Images, scale: PixelScale, tile: int, n_jobs: int | None
) -> Iterator[np.ndarray]:
    """The most probable class of each pixel, a mask a picture."""
    for logits in logits_of_pictures(net, images, scale, tile, n_jobs):
        yield logits.argmax(dim=0).numpy()


def _filled_up(x: torch.Tensor, stride: int) -> torch.Tensor:
    """Sides that halve as often as the network does: the last rows and columns are repeated."""
    down, right = (-side % stride for side in x.shape[2:])
    if not down and not right:
        return x
    return functional.pad(x, (0, right, 0, down), mode="replicate").contiguous(memory_format=torch.channels_last)


def _answered(net: Any, x: torch.Tensor, tile: int) -> torch.Tensor:
    height, width = x.shape[2:]
    step = max(net.stride, tile - tile % net.stride)
    if max(height, width) <= step + 2 * net.reach:
        found: torch.Tensor = net(x)
        return found
    made = None
    for top in range(0, height, step):
        for left in range(0, width, step):
            # Tiles begin where maps are halved alike.
            rows, columns = (slice(max(0, at - net.reach), at + step + net.reach) for at in (top, left))
            window = net(x[:, :, rows, columns].contiguous(memory_format=torch.channels_last))
            inner = window[:, :, top - rows.start :, left - columns.start :][:, :, :step, :step]
            if made is None:
                made = inner.new_empty(len(x), inner.shape[1], height, width)
            made[:, :, top : top + step, left : left + step] = inner
    assert made is not None
    return made
