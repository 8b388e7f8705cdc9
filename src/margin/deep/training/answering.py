"""What a network says of pictures, in pieces."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from margin.data.images import Images
from margin.deep.training.pixel_scale import PixelScale
from margin.deep.training.surroundings import threads_of_torch

__all__ = ["answered"]

#: Numbers of a piece: larger ones leave the processor's cache, and take memory for nothing.
PIECE = 200_000


def answered(net: nn.Module, images: Images, scale: PixelScale, device: torch.device, n_jobs: int | None) -> np.ndarray:
    """Logits, a row for each picture. The network is left in the mode it was in."""
    size = int(min(256, max(1, PIECE // max(1, int(np.prod(images.shape[1:]))))))
    training = net.training
    if training or not getattr(net, "is_laid_out", False):
        # As in training: convolutions are quicker so, and an answer has the same digits whoever laid the weights out.
        net.to(memory_format=torch.channels_last).eval()  # type: ignore[call-overload]
    made = []
    try:
        with threads_of_torch(n_jobs), torch.inference_mode():
            for first in range(0, len(images), size):
                logits = net(scale.applied(images[first : first + size].pixels(), device))
                made.append(logits.to("cpu", torch.float64).numpy())
    finally:
        if training:
            net.train()
    return np.concatenate(made)
