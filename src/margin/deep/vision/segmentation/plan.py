"""What a network that answers each pixel is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["ARCHITECTURES", "SegmentationPlan"]

#: Halvings by default, by name.
ARCHITECTURES = {"unet": 4, "fcn32": 5, "fcn16": 5, "fcn8": 5, "encoder_decoder": 4}
#: Maps at their coarsest should have so many pixels of a side.
COARSEST = 4


@dataclass(frozen=True)
class SegmentationPlan:
    """A network by name, with its maps at full size and its halvings.

    >>> SegmentationPlan.of("unet", 3, 4, 16, None, 32).depth
    3
    """

    architecture: str
    channels: int
    n_classes: int
    width: int = 64
    depth: int = 4
    padding: Literal["same", "valid"] = "same"
    batch_norm: bool = False

    @classmethod
    def of(cls, name: str, channels: int, n_classes: int, width: int, depth: int | None, side: int) -> SegmentationPlan:
        """For pictures of a side; without a depth so many halvings as leave maps that are no points yet."""
        if depth is None:
            depth = max(1, min(ARCHITECTURES[name], (side // COARSEST).bit_length() - 1))
            depth = max(depth, {"fcn16": 2, "fcn8": 3}.get(name, 1))
        return cls(name, channels, n_classes, width, depth, batch_norm=True)

    def memory(self, batch: int, height: int, width: int) -> int:
        """Bytes that maps of a training step take, roughly: each is kept for the way back, with its slopes."""
        levels = sum(6 * self.width / 2**i for i in range(self.depth + 1))
        return int(batch * height * width * levels * 4 * 3)
