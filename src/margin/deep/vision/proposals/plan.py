"""What a network that proposes masks is made of."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TRUNKS", "ProposalPlan"]

TRUNKS = ("small", "vgg11", "vgg13", "vgg16", "vgg19")


@dataclass(frozen=True)
class ProposalPlan:
    """Sides of patches and of their masks, the trunk, and the widths of the branches.

    >>> ProposalPlan("small", 3, 40).map_size, ProposalPlan("vgg11", 3, 224, 56).map_size
    (6, 14)
    """

    trunk: str
    channels: int
    patch: int = 40
    mask: int = 20
    width: int = 24
    rank: int = 64
    hidden: int = 64

    @property
    def stride(self) -> int:
        """Pixels between neighbouring patches of a whole picture."""
        return 4 if self.trunk == "small" else 16

    @property
    def map_size(self) -> int:
        """The side of the trunk's maps of a patch; below 1 where the patch is too small."""
        if self.trunk != "small":
            return self.patch // 16
        side = (self.patch - 4) // 2 + 1 - 2
        return (side - 3) // 2 + 1 - 2

    @property
    def usual(self) -> float:
        """The longer side of an object that fills its patch as those that are learnt do."""
        return self.patch / 2
