"""Arrays of pictures in the shapes that people have them in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from margin.errors import InputError

__all__ = ["checked_pixels", "pictures_of"]

_LAYOUTS = "(n, height, width), (n, height, width, channels) or (n, channels, height, width)"


def pictures_of(X: Any, image_shape: Sequence[int] | None, who: str) -> np.ndarray:
    """An array as (n, height, width, channels), without a copy where that can be; bytes, or floats between 0 and 1."""
    pixels = np.asarray(X)
    if pixels.dtype.kind not in "buif":
        raise InputError(f"{who}: pictures must be numbers, not {pixels.dtype} (an array, or files by Images.read).")
    if pixels.ndim == 2:
        pixels = _unflattened(pixels, image_shape, who)
    elif image_shape is not None:
        raise InputError(
            f"{who}(image_shape={tuple(image_shape)}): it is for flat rows, and these have {pixels.ndim} axes."
        )
    if pixels.ndim == 3:
        pixels = pixels[..., None]
    if pixels.ndim != 4 or 0 in pixels.shape[1:]:
        raise InputError(f"{who}: an array of shape {np.shape(X)} holds no pictures; it must be {_LAYOUTS}.")
    return checked_pixels(_channels_last(pixels, who), who)


def _unflattened(pixels: np.ndarray, image_shape: Sequence[int] | None, who: str) -> np.ndarray:
    if image_shape is None:
        raise InputError(f"{who}: flat rows need image_shape=(height, width) or (height, width, channels).")
    shape = tuple(int(side) for side in image_shape)
    if len(shape) not in (2, 3) or int(np.prod(shape)) != pixels.shape[1]:
        raise InputError(f"{who}(image_shape={shape}): rows have {pixels.shape[1]} cells, not {int(np.prod(shape))}.")
    return pixels.reshape(len(pixels), *shape)


def _channels_last(pixels: np.ndarray, who: str) -> np.ndarray:
    first, last = pixels.shape[1] in (1, 3, 4), pixels.shape[3] in (1, 3, 4)
    if last:
        return pixels
    if first:
        return np.moveaxis(pixels, 1, 3)
    raise InputError(
        f"{who}: an array of shape {pixels.shape} has no axis of 1, 3 or 4 channels; it must be {_LAYOUTS}."
    )


def checked_pixels(pixels: np.ndarray, who: str) -> np.ndarray:
    """The same as bytes or as float32 between 0 and 1; whole numbers up to 255 of any width become bytes."""
    if pixels.dtype == np.uint8 or not len(pixels):
        return pixels.astype(np.uint8, copy=False)
    if pixels.dtype.kind == "b":
        return pixels.astype(np.uint8) * np.uint8(255)
    bad = ~np.isfinite(pixels).reshape(len(pixels), -1).all(axis=1) if pixels.dtype.kind == "f" else np.zeros(1, bool)
    if bad.any():
        raise InputError(
            f"{who}: picture {int(bad.argmax())} has pixels that are not finite ({int(bad.sum())} pictures have)."
        )
    low, high = float(pixels.min()), float(pixels.max())
    if pixels.dtype.kind in "ui":
        if low < 0 or high > 255:
            raise InputError(
                f"{who}: whole-number pixels must lie between 0 and 255; these reach from {low:g} to {high:g}."
            )
        return pixels.astype(np.uint8)
    if low < 0 or high > 1:
        hint = " (divide by 255)" if low >= 0 and 1 < high <= 255 else ""
        raise InputError(f"{who}: floats must lie between 0 and 1; these reach from {low:g} to {high:g}{hint}.")
    return pixels.astype(np.float32, copy=False)
