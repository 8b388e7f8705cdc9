"""Mixup: pairs of cases are mixed, and learnt as a mixture of both answers (Zhang et al. 2018)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

__all__ = ["mixed_loss"]

#: The loss of each case from inputs and targets.
CaseLoss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def mixed_loss(
    losses: Callable[[torch.Tensor, Callable[[torch.Tensor], torch.Tensor]], torch.Tensor],
    loss: CaseLoss,
    x: torch.Tensor,
    targets: torch.Tensor,
    weight: torch.Tensor | None,
    beta: float,
    random: np.random.Generator,
) -> torch.Tensor:
    """The loss of a batch each of whose cases is mixed with another one; shares are drawn from Beta(beta, beta).

    ``losses`` asks the network about inputs and gives the mean of what a function of its logits says of them.
    """
    share = float(random.beta(beta, beta))
    other = torch.from_numpy(random.permutation(len(x))).to(x.device)
    mixture = torch.lerp(x[other], x, share)

    def of_both(logits: torch.Tensor) -> torch.Tensor:
        own, theirs = loss(logits, targets), loss(logits, targets[other])
        if weight is not None:
            own, theirs = own * weight, theirs * weight[other]
        return share * own + (1 - share) * theirs

    return losses(mixture, of_both)
