"""What a unit responds to: the patches that move it most, and what of them it sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from margin.errors import InputError, ParameterError
from margin.lazy import package_of_extra

__all__ = ["Patch", "deconvnet", "map_of", "top_patches"]


@dataclass(frozen=True)
class Patch:
    """What one cell of a map sees.

    Attributes
    ----------
    picture
        Which of the given pictures.
    box
        First row, first column, and those behind the last, within the picture.
    value
        What the unit makes of it.
    pixels
        The patch itself, (height, width, channels), as the picture has them.
    """

    picture: int
    box: tuple[int, int, int, int]
    value: float
    pixels: np.ndarray


def top_patches(
    model: Any, images: Any, layer: str, unit: int, *, n: int = 9, n_jobs: int | None = None
) -> tuple[Patch, ...]:
    """The patches that a unit, one map of a layer, responds to most, at most one of each picture (Zeiler, Fergus 2014).

    >>> from margin.deep import architectures, train
    >>> pixels = np.zeros((40, 8, 8), np.uint8)
    >>> pixels[::2, :4] = 255  # light above
    >>> net = architectures.build("small", n_classes=2, image_size=8)
    >>> for epoch in train(net, (pixels, np.arange(40) % 2), epochs=3, batch_size=8, n_jobs=1):
    ...     pass
    >>> best = top_patches(net, pixels, "features.0", unit=0, n=2, n_jobs=1)
    >>> len(best), max(best[0].pixels.shape) <= 3  # what a 3 x 3 convolution sees
    (2, True)
    """
    package_of_extra("torch", "top_patches")
    import torch

    from margin.deep.visualize.looking import Looked

    looked = Looked(model, images, "top_patches", n_jobs)
    place = looked.layer(layer)
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ParameterError(f"top_patches(n={n!r}): n must be a whole number from 1 up.")
    best = []
    with looked.at_rest(), torch.no_grad():
        pixels = looked.pixels()
        for first in range(0, len(pixels), 64):
            maps = map_of(looked.heard(place, pixels[first : first + 64])[0], unit, "top_patches", layer)
            values, at = maps.flatten(1).max(dim=1)
            best += [(float(v), first + i, divmod(int(k), maps.shape[2])) for i, (v, k) in enumerate(zip(values, at))]
    best.sort(key=lambda each: (-each[0], each[1]))
    field = _field(looked, layer)
    made = []
    for value, picture, cell in best[: int(n)]:
        box = field.box(cell, looked.images.shape[1:3])
        shown = looked.images[picture][box[0] : box[2], box[1] : box[3]]
        made.append(Patch(picture, box, value, shown))
    return tuple(made)


def deconvnet(
    model: Any,
    images: Any,
    layer: str,
    unit: int,
    *,
    method: Literal["deconvnet", "guided"] = "deconvnet",
    n_jobs: int | None = None,
) -> np.ndarray:
    """What of each picture moves a unit at the place where it responds most: (n, height, width, channels).

    The response is led back to the pixels by transposed convolutions, through the places that poolings took it from,
    and through ReLUs (Zeiler, Fergus 2014). With "guided" ReLUs also ask what they let through on the way up.

    >>> from margin.deep import architectures, train
    >>> pixels = np.zeros((40, 8, 8), np.uint8)
    >>> pixels[::2, :4] = 255  # light above
    >>> net = architectures.build("small", n_classes=2, image_size=8)
    >>> for epoch in train(net, (pixels, np.arange(40) % 2), epochs=3, batch_size=8, n_jobs=1):
    ...     pass
    >>> deconvnet(net, pixels[:3], "features.4", unit=5, n_jobs=1).shape
    (3, 8, 8, 1)
    """
    package_of_extra("torch", "deconvnet")
    import torch

    from margin.deep.visualize.looking import Looked
    from margin.deep.visualize.relu import ReluBackwards

    if method not in ("deconvnet", "guided"):
        raise ParameterError(f"deconvnet(method={method!r}): method must be 'deconvnet' or 'guided'.")
    looked = Looked(model, images, "deconvnet", n_jobs)
    place = looked.layer(layer)
    found = []
    with looked.at_rest():
        pixels = looked.pixels()
        for first in range(0, len(pixels), 64):
            x = pixels[first : first + 64].detach().clone().requires_grad_(True)
            with ReluBackwards(method):
                maps = map_of(looked.heard(place, x)[0], unit, "deconvnet", layer)
                response = maps.flatten(1).amax(dim=1).sum()
            found.append(torch.autograd.grad(response, x)[0])
    made: np.ndarray = torch.cat(found).permute(0, 2, 3, 1).cpu().numpy()
    return made


def map_of(maps: Any, unit: int, who: str, layer: str) -> Any:
    """One map of a layer, by its number."""
    if maps.dim() != 4:
        raise InputError(f"{who}(layer={layer!r}): the layer must make maps (it makes {maps.dim() - 1}-d).")
    if isinstance(unit, bool) or not isinstance(unit, int | np.integer) or not 0 <= unit < maps.shape[1]:
        raise ParameterError(f"{who}(unit={unit!r}): unit must be a whole number from 0 to {maps.shape[1] - 1}.")
    return maps[:, int(unit)]


def _field(looked: Any, layer: str) -> Any:
    """How far a cell of a layer's maps sees."""
    from margin.deep.reading.layer_table import field_behind

    _, height, width, channels = looked.images.shape
    field = field_behind(looked.net, layer, (channels, height, width))
    if field is None:
        raise InputError(f"top_patches(layer={layer!r}): cells of the layer do not belong to places of the picture.")
    return field
