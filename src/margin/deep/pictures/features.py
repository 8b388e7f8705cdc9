"""What layers of a network answer to pictures, and how well that tells classes apart."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from margin.data.images import Images
from margin.deep.pictures.freezing import head_of
from margin.deep.training.pixel_scale import PixelScale
from margin.deep.training.surroundings import threads_of_torch

__all__ = ["candidates", "layer_answers", "nearest_of_own_class"]

#: Pictures at once.
AT_ONCE = 128
#: Layers that "auto" tries, at most, evenly over the depth of the network.
TRIED = 8


class _Seen(Exception):
    """The layer has answered; what comes behind it need not be asked."""


def layer_answers(net: nn.Module, layer: str, images: Images, scale: PixelScale, n_jobs: int | None) -> np.ndarray:
    """A row for each picture: maps averaged over the picture, vectors as they are."""
    answers: list[np.ndarray] = []

    def hook(module: nn.Module, given: object, made: torch.Tensor) -> None:
        made = made.mean(dim=tuple(range(2, made.dim()))) if made.dim() > 2 else made
        answers.append(made.to("cpu", torch.float64).numpy().reshape(len(made), -1))
        raise _Seen

    handle = net.get_submodule(layer).register_forward_hook(hook)
    try:
        with threads_of_torch(n_jobs), torch.inference_mode():
            for first in range(0, len(images), AT_ONCE):
                try:
                    net(scale.applied(images[first : first + AT_ONCE].pixels(), torch.device("cpu")))
                except _Seen:
                    continue
    finally:
        handle.remove()
    return np.concatenate(answers)


def candidates(net: nn.Module) -> list[str]:
    """Layers with something to say, from the first to the one before the head."""
    head = head_of(net, "FeatureExtractor")
    kinds = (nn.ReLU, nn.MaxPool2d, nn.AvgPool2d, nn.AdaptiveAvgPool2d, nn.BatchNorm2d)
    found = [
        name
        for name, module in net.named_modules()
        if name and not name.startswith(head) and (isinstance(module, kinds) or "." not in name)
        and not isinstance(module, nn.Dropout) and not name.startswith(tuple(getattr(net, "auxiliary_heads", ())))
    ]  # fmt: skip
    if len(found) > TRIED:
        found = [found[i] for i in np.unique(np.linspace(0, len(found) - 1, TRIED).astype(int))]
    return found


def nearest_of_own_class(features: np.ndarray, codes: np.ndarray) -> float:
    """The share of rows whose nearest other one, by the angle between columns of one scale, is of their class."""
    spread = features.std(axis=0)
    scaled = (features - features.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    scaled /= np.maximum(np.linalg.norm(scaled, axis=1, keepdims=True), 1e-12)
    right = 0
    for first in range(0, len(scaled), 512):
        alike = scaled[first : first + 512] @ scaled.T
        rows = np.arange(len(alike))
        alike[rows, first + rows] = -np.inf
        right += int((codes[alike.argmax(axis=1)] == codes[first : first + 512]).sum())
    return right / len(scaled)
