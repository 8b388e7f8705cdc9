"""Where in a picture an answer comes from: class activation maps, and what happens when a place is covered."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.errors import InputError, ParameterError
from margin.lazy import package_of_extra

__all__ = ["grad_cam", "occlusion"]


def grad_cam(
    model: Any, images: Any, target: Any = None, *, layer: str | None = None, n_jobs: int | None = None
) -> np.ndarray:
    """Where a convolution speaks for a class: (n, height, width), from 0 up (Selvaraju et al. 2017).

    The maps of ``layer`` (the last convolution if None) are added up, each by the mean gradient of the class along it;
    what is below 0 speaks for other classes and is left out. The sum is brought to the size of the picture.

    >>> from margin.deep import architectures, train
    >>> pixels = np.zeros((40, 8, 8), np.uint8)
    >>> pixels[::2, :4] = 255  # light above
    >>> net = architectures.build("small", n_classes=2, image_size=8)
    >>> for epoch in train(net, (pixels, np.arange(40) % 2), epochs=3, batch_size=8, n_jobs=1):
    ...     pass
    >>> grad_cam(net, pixels[:3], layer="features.4", n_jobs=1).shape
    (3, 8, 8)
    """
    package_of_extra("torch", "grad_cam")
    import torch
    from torch.nn import functional

    from margin.deep.visualize.looking import Looked

    looked = Looked(model, images, "grad_cam", n_jobs)
    place = looked.layer(layer)
    found = []
    with looked.at_rest():
        pixels = looked.pixels()
        with torch.no_grad():
            asked = looked.targets(target, looked.in_pieces(pixels, looked.logits))
        for first in range(0, len(pixels), 64):
            x = pixels[first : first + 64].detach().clone().requires_grad_(True)
            maps, logits = looked.heard(place, x)
            if maps.dim() != 4:
                raise InputError(f"grad_cam(layer={layer!r}): the layer must make maps (it makes {maps.dim() - 1}-d).")
            wanted = logits.gather(1, asked[first : first + 64, None]).sum()
            slopes = torch.autograd.grad(wanted, maps)[0]
            shares = slopes.mean(dim=(2, 3), keepdim=True)
            sums = (shares * maps.detach()).sum(dim=1, keepdim=True).clamp(min=0)
            found.append(functional.interpolate(sums, size=pixels.shape[2:], mode="bilinear", align_corners=False))
    made: np.ndarray = torch.cat(found)[:, 0].cpu().numpy()
    return made


def occlusion(
    model: Any,
    images: Any,
    target: Any = None,
    *,
    size: int | None = None,
    stride: int | None = None,
    value: float = 0.5,
    n_jobs: int | None = None,
) -> np.ndarray:
    """What a class loses when a square of the picture is covered: (n, height, width) (Zeiler, Fergus 2014).

    A grey square of ``size`` pixels (a fifth of the smaller side if None) is put on every ``stride``-th place (a
    quarter of its size if None), the last ones at the edges included. A pixel gets the mean loss of probability over
    the squares that cover it.

    >>> from margin.deep import architectures, train
    >>> pixels = np.zeros((40, 8, 8), np.uint8)
    >>> pixels[::2, :4] = 255  # light above
    >>> net = architectures.build("small", n_classes=2, image_size=8)
    >>> for epoch in train(net, (pixels, np.arange(40) % 2), epochs=3, batch_size=8, n_jobs=1):
    ...     pass
    >>> occlusion(net, pixels[:3], size=2, n_jobs=1).shape
    (3, 8, 8)
    """
    package_of_extra("torch", "occlusion")
    import torch

    from margin.deep.visualize.looking import Looked

    looked = Looked(model, images, "occlusion", n_jobs)
    height, width = looked.images.shape[1:3]
    size = max(1, min(height, width) // 5) if size is None else size
    stride = max(1, size // 4) if stride is None else stride
    for name, given, most in ("size", size, min(height, width)), ("stride", stride, size):
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or not 1 <= given <= most:
            raise ParameterError(f"occlusion({name}={given!r}): {name} must be a whole number from 1 to {most}.")
    corners = [(top, left) for top in _places(height, size, stride) for left in _places(width, size, stride)]
    lost, covered = np.zeros((len(looked.images), height, width)), np.zeros((height, width))
    for top, left in corners:
        covered[top : top + size, left : left + size] += 1
    with looked.at_rest(), torch.no_grad():
        pixels = looked.pixels()
        logits = looked.in_pieces(pixels, looked.logits)
        asked = looked.targets(target, logits)
        before = logits.softmax(dim=1).gather(1, asked[:, None])[:, 0]
        for i in range(len(pixels)):
            for first in range(0, len(corners), 64):
                some = corners[first : first + 64]
                x = pixels[i].repeat(len(some), 1, 1, 1)
                for k, (top, left) in enumerate(some):
                    x[k, :, top : top + size, left : left + size] = value
                after = looked.logits(x).softmax(dim=1)[:, asked[i]]
                for (top, left), less in zip(some, (before[i] - after).tolist(), strict=True):
                    lost[i, top : top + size, left : left + size] += less
    made: np.ndarray = lost / covered
    return made


def _places(side: int, size: int, stride: int) -> list[int]:
    """Where squares begin along a side; the last one ends with it."""
    return sorted({*range(0, side - size + 1, stride), side - size})
