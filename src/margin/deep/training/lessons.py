"""What a loop learns from, whatever it is made of: pictures, sequences, tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    import torch
    from torch import nn

__all__ = ["Batch", "Lessons"]

#: Inputs as the network takes them, targets, and weights where there are any.
Batch = tuple["Any", "torch.Tensor", "torch.Tensor | None"]


class Lessons(Protocol):
    """Cases with what is to be learnt of each."""

    def __len__(self) -> int: ...

    def of(self, order: np.ndarray, size: int, random: np.random.Generator) -> Iterator[Batch]:
        """Batches of about ``size`` cases in an order; ``random`` is for what changes from epoch to epoch."""
        ...

    def score(self, net: nn.Module, n_jobs: int | None) -> float:
        """How well a network does on all of them; larger is better."""
        ...

    def digest(self) -> str:
        """Words that are others for other cases or targets."""
        ...
