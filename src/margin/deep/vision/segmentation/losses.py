"""What a picture's mask costs: a number for each picture, from logits and codes; pixels of code -1 do not count."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.nn import functional

__all__ = ["LOSSES"]

#: How much less sure pixels count: (1 - p) to this power (Lin et al. 2017).
FOCUS = 2.0
#: What keeps shares of empty masks defined.
SMOOTH = 1.0


def cross_entropy(logits: torch.Tensor, codes: torch.Tensor) -> torch.Tensor:
    """Mean over the pixels that count."""
    return _mean(functional.cross_entropy(logits, codes, ignore_index=-1, reduction="none"), codes)


def focal(logits: torch.Tensor, codes: torch.Tensor) -> torch.Tensor:
    """The same, where pixels that are right already count little: -(1 - p)² log p."""
    costs = functional.cross_entropy(logits, codes, ignore_index=-1, reduction="none")
    return _mean((1 - torch.exp(-costs)) ** FOCUS * costs, codes)


def dice(logits: torch.Tensor, codes: torch.Tensor) -> torch.Tensor:
    """1 - D, where D = 2 Σ p t / (Σ p + Σ t) is worked out for each class and averaged (Milletari et al. 2016)."""
    counted = (codes >= 0)[:, None]
    shares = logits.softmax(dim=1) * counted
    truth = functional.one_hot(codes.clamp_min(0), logits.shape[1]).movedim(3, 1).to(shares.dtype) * counted
    both = (shares * truth).sum(dim=(2, 3))
    either = (shares + truth).sum(dim=(2, 3))
    return 1 - ((2 * both + SMOOTH) / (either + SMOOTH)).mean(dim=1)


def _mean(costs: torch.Tensor, codes: torch.Tensor) -> torch.Tensor:
    return costs.sum(dim=(1, 2)) / (codes >= 0).sum(dim=(1, 2)).clamp_min(1)


LOSSES: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "cross_entropy": cross_entropy, "dice": dice, "focal": focal,
}  # fmt: skip
