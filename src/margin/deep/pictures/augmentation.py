"""Changes that leave a picture what it is, drawn anew for every batch: a network then sees each picture only once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from margin.params import Rule, is_number

if TYPE_CHECKING:
    import torch

__all__ = ["CHANGES", "Changes", "changed", "changed_together", "read_changes"]

#: Name → what its number means.
CHANGES = {
    "flip": "the share of pictures that are mirrored left to right",
    "shift": "at most this share of height and width",
    "crop": "at most so many pixels up, down, left or right",
    "rotate": "at most so many degrees",
    "scale": "at most this share larger or smaller",
    "colour": "brightness and contrast, at most by this share",
    "erase": "the share of pictures in which a rectangle is wiped out",
}


def _is_changes(value: Any) -> bool:
    if value is None or (isinstance(value, str) and value in CHANGES):
        return True
    return isinstance(value, Mapping) and all(name in CHANGES and is_number(v) and v >= 0 for name, v in value.items())


def _parse(text: str) -> Any:
    """``flip=0.5,rotate=10``, or the name of one change."""
    if text.lower() == "none":
        return None
    if "=" not in text:
        return text
    return {name.strip(): float(number) for name, number in (each.split("=") for each in text.split(","))}


Changes = Annotated[
    Mapping[str, float] | str | None,
    Rule(f"None, or a mapping from {', '.join(CHANGES)} to numbers of at least 0", _is_changes, _parse),
]

#: What the name of a change alone stands for.
USUAL = {"flip": 0.5, "shift": 0.1, "crop": 2.0, "rotate": 10.0, "scale": 0.1, "colour": 0.2, "erase": 0.25}


def read_changes(given: Mapping[str, float] | str | None) -> dict[str, float]:
    """
    >>> read_changes("rotate"), read_changes({"flip": 1, "shift": 0})
    ({'rotate': 10.0}, {'flip': 1.0})
    """
    wanted = {} if given is None else {given: USUAL[given]} if isinstance(given, str) else given
    return {name: float(number) for name, number in wanted.items() if number}


def changed(x: torch.Tensor, random: np.random.Generator, changes: Mapping[str, float]) -> torch.Tensor:
    """A batch (n, channels, height, width) of pixels around 0, changed; what comes in from outside is 0, the mean."""
    x, _ = changed_together(x, None, random, changes)
    return x


def changed_together(
    x: torch.Tensor, masks: torch.Tensor | None, random: np.random.Generator, changes: Mapping[str, float]
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Pictures changed and their masks (n, height, width) moved along; what comes in from outside is -1 in these."""
    import torch

    n = len(x)
    if {"shift", "crop", "rotate", "scale"} & changes.keys():
        theta = torch.from_numpy(_places(x.shape, random, changes)).to(x)
        grid = torch.nn.functional.affine_grid(theta, list(x.shape), align_corners=False)
        x = torch.nn.functional.grid_sample(x, grid, padding_mode="zeros", align_corners=False)
        x = x.contiguous(memory_format=torch.channels_last)
        masks = None if masks is None else _moved(masks, grid)
    elif "flip" in changes:
        mirrored = torch.from_numpy(random.random(n) < changes["flip"]).to(x.device)
        x = torch.where(mirrored[:, None, None, None], x.flip(3), x)
        masks = None if masks is None else torch.where(mirrored[:, None, None], masks.flip(2), masks)
    if "colour" in changes:
        contrast, light = (
            torch.from_numpy(random.uniform(-1.0, 1.0, n) * changes["colour"]).to(x)[:, None, None, None]
            for _ in range(2)
        )
        x = x * (1 + contrast) + light
    return (_erased(x, random, changes["erase"]) if "erase" in changes else x), masks


def _places(shape: torch.Size, random: np.random.Generator, changes: Mapping[str, float]) -> np.ndarray:
    """From places in each new picture to places in the old one, both from -1 to 1, as an affine map (n, 2, 3)."""
    n, (height, width) = shape[0], shape[2:]

    def spread(name: str) -> np.ndarray:
        return random.uniform(-1.0, 1.0, n) * changes.get(name, 0.0)

    angle, size = np.deg2rad(spread("rotate")), 1.0 + np.clip(spread("scale"), -0.9, None)
    down = 2 * (spread("shift") + np.rint(spread("crop")) / height)
    right = 2 * (spread("shift") + np.rint(spread("crop")) / width)
    mirror = np.where(random.random(n) < changes.get("flip", 0.0), -1.0, 1.0)
    cos, sin = np.cos(angle) / size, np.sin(angle) / size
    # A rotation must know the sides.
    across, along = np.stack([cos, -sin * height / width, right], 1), np.stack([sin * width / height, cos, down], 1)
    theta = np.stack([across, along], axis=1)
    theta[:, :, 0] *= mirror[:, None]
    return theta


def _moved(masks: torch.Tensor, grid: torch.Tensor) -> torch.Tensor:
    """The label of the nearest old place at each new one."""
    import torch

    # Counted from 1, so that zeros are what was outside; 0 stands for what was ignored already, too.
    counted = (masks + 1)[:, None].to(grid.dtype)
    found = torch.nn.functional.grid_sample(counted, grid, mode="nearest", padding_mode="zeros", align_corners=False)
    return found[:, 0].round().to(masks.dtype) - 1


def _erased(x: torch.Tensor, random: np.random.Generator, share: float) -> torch.Tensor:
    """A rectangle of a quarter to half of each side becomes the mean (Zhong et al. 2017)."""
    import torch

    n, sides = len(x), x.shape[2:]
    inside = []
    for side in sides:
        length = np.maximum(1, np.rint(random.uniform(0.25, 0.5, n) * side)).astype(int)
        first = random.integers(0, side - length + 1)
        at = np.arange(side)
        inside.append((at >= first[:, None]) & (at < (first + length)[:, None]))
    wiped = inside[0][:, :, None] & inside[1][:, None, :] & (random.random(n) < share)[:, None, None]
    return x.masked_fill(torch.from_numpy(wiped).to(x.device)[:, None], 0.0)
