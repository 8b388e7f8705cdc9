"""Whatever people have pictures in, as :class:`~margin.data.Images`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from margin.data.images.arrays import pictures_of
from margin.data.images.collection import Images
from margin.data.images.decoding import Frame
from margin.data.images.reframing import reframed
from margin.errors import InputError, InputTypeError

__all__ = ["open_images"]


def open_images(
    X: Any, who: str, image_shape: Sequence[int] | None = None, image_size: int | tuple[int, int] | None = None
) -> Images:
    """Images as they are; arrays; flat rows with ``image_shape``; lists of arrays or of files; a folder by its path.

    >>> open_images([np.zeros((8, 6), np.uint8)] * 3, "here")
    <Images: 3 pictures, 8 x 6, grey>
    """
    if isinstance(X, Images):
        return X
    if isinstance(X, str | os.PathLike):
        return Images.read(X, image_size=image_size)
    if isinstance(X, list | tuple):
        return _of_list(list(X), who, image_size, image_shape)
    if hasattr(X, "tocsr"):
        X = X.toarray()
    elif hasattr(X, "to_numpy") and not isinstance(X, np.ndarray):
        X = X.to_numpy()  # a frame with a column for each pixel
    if not hasattr(X, "__array__") and not hasattr(X, "__array_interface__"):
        raise InputTypeError(
            f"{who}: pictures of type {type(X).__name__} cannot be read (give Images, an array, or a list of files)."
        )
    return _of_array(X, who, image_shape)


def _of_array(X: Any, who: str, image_shape: Sequence[int] | None) -> Images:
    pixels = np.asarray(X)
    if pixels.dtype == object:
        try:
            pixels = pixels.astype(np.float64)
        except (TypeError, ValueError):
            raise InputError(f"{who}: pictures must be numbers; there is something else among them.") from None
    if pixels.shape == (0,):
        return _none()
    return Images.from_array(pictures_of(pixels, image_shape, who))


def _none() -> Images:
    return Images.from_array(np.zeros((0, 1, 1), np.uint8))


def _of_list(given: list[Any], who: str, image_size: Any, image_shape: Sequence[int] | None) -> Images:
    if not given:
        return _none()
    if all(isinstance(each, str | os.PathLike) for each in given):
        return Images.from_files(given, image_size=image_size)
    try:
        arrays = [np.asarray(each) for each in given]
    except Exception as error:
        raise InputError(f"{who}: a list must hold pictures or paths of files ({error}).") from None
    shapes = {each.shape for each in arrays}
    if len(shapes) < 2:
        return _of_array(np.array(arrays), who, image_shape)
    if image_size is None or {len(shape) for shape in shapes} - {2, 3}:
        sizes = sorted(" x ".join(map(str, shape)) for shape in shapes)
        raise InputError(f"{who}: pictures have several shapes, {', '.join(sizes[:4])} (image_size= makes them one).")
    singles = [pictures_of(each[None], None, f"{who}, picture {i}") for i, each in enumerate(arrays)]
    channels = max(each.shape[3] for each in singles)
    sides = (image_size, image_size) if isinstance(image_size, int | np.integer) else tuple(image_size)
    return Images.from_array(reframed([each[0] for each in singles], Frame(sides, channels, "stretch"), who))
