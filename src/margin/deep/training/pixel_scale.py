"""Pixels as a network takes them: bytes until their batch comes, then numbers around 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from margin.data.images import Images

__all__ = ["PixelScale"]

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
        # torch takes no views that run backwards, and warns of arrays that must not be written to.
        as_it_is = pixels.flags.writeable and min(pixels.strides, default=0) >= 0
        given = torch.from_numpy(pixels if as_it_is else np.require(pixels, requirements=["C", "W"]))
        x = given.to(device).permute(0, 3, 1, 2).to(torch.float32)
        unit = 255.0 if pixels.dtype == np.uint8 else 1.0
        mean, std = (x.new_tensor(each).mul_(unit)[:, None, None] for each in (self.mean, self.std))
        return x.sub_(mean).div_(std) if pixels.dtype == np.uint8 else (x - mean) / std
