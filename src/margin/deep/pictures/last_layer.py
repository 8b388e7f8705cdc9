"""What the head of a fitted classifier of pictures is handed: its last features, with the places of maps in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from margin.data.images import Images
from margin.deep.pictures.freezing import head_of
from margin.deep.training.answering import answered

__all__ = ["last_features"]


def last_features(classifier: Any, images: Images, n_jobs: int | None) -> np.ndarray:
    """A row for each picture."""
    net, scale = classifier.network_, classifier._fitted("predict")._encoder.scale
    images = classifier._encoder.encode(images, type(classifier).__name__)
    caught: list[np.ndarray] = []

    def keep(_: Any, given: tuple[torch.Tensor, ...]) -> None:
        caught.append(given[0].flatten(1).double().numpy())

    handle = net.get_submodule(head_of(net, type(classifier).__name__)).register_forward_pre_hook(keep)
    try:
        answered(net, images, scale, torch.device("cpu"), n_jobs)
    finally:
        handle.remove()
    return np.concatenate(caught)
