"""A trunk with two branches: what is the mask of the object in the middle, and is there one (Pinheiro et al. 2015)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional

from margin.deep.architectures.building import build
from margin.deep.vision.making import made_network
from margin.deep.vision.proposals.plan import ProposalPlan

__all__ = ["DeepMaskNet", "Dense", "deepmask_net", "patch_loss"]


@dataclass(frozen=True)
class Dense:
    """Of one picture: scores (rows, columns) of patches a stride apart, and what their masks are made of."""

    scores: torch.Tensor
    ranks: torch.Tensor


class DeepMaskNet(nn.Module):
    """Patches (n, channels, patch, patch) to (n, mask² + 1): logits of the pixels of a mask, and of there being one.

    Both branches read all of the trunk's maps. That of masks goes through few numbers (its rank), so that each pixel of
    the mask can depend on the whole patch without a weight for each pair. The small trunk has no padding: over a whole
    picture it says of each patch what it would say of it alone.
    """

    def __init__(self, plan: ProposalPlan) -> None:
        super().__init__()
        self.plan = plan
        self.trunk, maps = _trunk(plan)
        size = plan.map_size
        mask: list[nn.Module] = [nn.Conv2d(maps, maps, 1), nn.ReLU()] if plan.trunk != "small" else []
        self.mask_branch = nn.Sequential(*mask, nn.Conv2d(maps, plan.rank, size))
        self.to_mask = nn.Conv2d(plan.rank, plan.mask**2, 1)
        self.score_branch = nn.Sequential(nn.Conv2d(maps, plan.hidden, size), nn.ReLU(), nn.Conv2d(plan.hidden, 1, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        maps = self.trunk(x)
        mask = self.to_mask(self.mask_branch(maps))
        return torch.cat([mask, self.score_branch(maps)], dim=1).flatten(1)

    def dense(self, x: torch.Tensor) -> Dense:
        """Of every patch of one picture (1, channels, height, width), a stride apart."""
        maps = self.trunk(x)
        return Dense(self.score_branch(maps)[0, 0], self.mask_branch(maps)[0])

    def masks(self, ranks: torch.Tensor) -> torch.Tensor:
        """The logits (n, mask, mask) of masks, from what they are made of (n, rank)."""
        return self.to_mask(ranks[:, :, None, None]).reshape(-1, self.plan.mask, self.plan.mask)


def _trunk(plan: ProposalPlan) -> tuple[nn.Module, int]:
    if plan.trunk != "small":  # without its last halving, as published
        features = list(build(plan.trunk, channels=plan.channels, device="meta").get_submodule("features").children())
        return nn.Sequential(*features[:-1]), 512
    w = plan.width
    layers: list[nn.Module] = []
    steps = ((plan.channels, w, 4, 2), (w, w, 3, 1), (w, 2 * w, 3, 2), (2 * w, 2 * w, 3, 1))
    for inputs, maps, kernel, stride in steps:
        layers += [nn.Conv2d(inputs, maps, kernel, stride, bias=False), nn.BatchNorm2d(maps), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers), 2 * w


def deepmask_net(plan: ProposalPlan, device: str, seed: int = 0) -> DeepMaskNet:
    return made_network(lambda: DeepMaskNet(plan), device, seed)


def patch_loss(made: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
    """What a patch costs: truth is 1 and -1, of the pixels of its mask and, at last, of there being an object.

    A patch without an object in its middle costs nothing in its mask, so that the branch of masks learns nothing of it.
    """
    there = (truth[:, -1] > 0).to(made.dtype)
    costs = functional.softplus(-truth * made)
    return there * costs[:, :-1].mean(dim=1) + costs[:, -1]
