"""Pictures that are in memory, in another size or in other colours."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from margin.data.images.decoding import Frame, resized
from margin.errors import InputError
from margin.lazy import package_of_extra

__all__ = ["reframed"]

#: How much red, green and blue count in a grey picture (ITU-R 601, as in Pillow).
_GREY = np.array([0.299, 0.587, 0.114], np.float32)


def reframed(pictures: Iterable[np.ndarray], frame: Frame, who: str) -> np.ndarray:
    """Pictures (height, width, channels) as one array in a frame: bytes, or floats where such are given."""
    return np.stack([_sized(_coloured(each, frame.channels, who), frame) for each in pictures])


def _coloured(picture: np.ndarray, channels: int, who: str) -> np.ndarray:
    has = picture.shape[2]
    if has == channels:
        return picture
    if has == 1 and channels == 3:
        return np.repeat(picture, 3, axis=2)
    if has == 3 and channels == 1:
        grey = picture.astype(np.float32) @ _GREY
        return (np.rint(grey) if picture.dtype == np.uint8 else grey).astype(picture.dtype)[..., None]
    raise InputError(f"{who}: pictures of {has} channels cannot become such of {channels}.")


def _sized(picture: np.ndarray, frame: Frame) -> np.ndarray:
    if frame.size in (None, picture.shape[:2]):
        return picture
    package: Any = package_of_extra("PIL.Image", "Images")
    # Channel by channel, since pictures of real numbers have one only.
    planes = [resized(package.fromarray(np.ascontiguousarray(plane)), frame) for plane in np.moveaxis(picture, 2, 0)]
    made = np.stack([np.asarray(plane) for plane in planes], axis=2)
    return made if picture.dtype == np.uint8 else made.clip(0, 1)
