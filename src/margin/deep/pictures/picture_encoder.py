"""What a model of pictures knows of them: their size, their colours, and the scale of their pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from margin.data.images import Images
from margin.data.images.opening import open_images
from margin.errors import InputError

if TYPE_CHECKING:
    from margin.deep.training.pixel_scale import PixelScale

__all__ = ["PictureEncoder", "opened"]


@dataclass(frozen=True)
class PictureEncoder:
    """Later pictures in the frame of those that were learnt.

    ``image_shape`` is for flat rows. With ``resized`` pictures of any size become ``size``; else those of another size
    are refused. ``mean`` and ``std`` are what is taken out of every colour, and what it is divided by.
    """

    size: tuple[int, int]
    channels: int
    image_shape: tuple[int, ...] | None
    resized: bool
    mean: tuple[float, ...]
    std: tuple[float, ...]

    @property
    def scale(self) -> PixelScale:
        from margin.deep.training.pixel_scale import PixelScale

        return PixelScale(self.mean, self.std)

    def encode(self, X: Any, who: str) -> Images:
        images = opened(X, who, self.image_shape, self.size if self.resized else None, None)
        if not len(images):
            return images
        if self.resized or (images.channels != self.channels and images.names is not None):
            images = images.framed(self.size if self.resized else None, self.channels)
        if images.channels != self.channels:
            raise InputError(
                f"{who}: pictures have {images.channels} channels, and those that were learnt {self.channels}."
            )
        if images.image_size != self.size:
            sides, theirs = (" x ".join(map(str, each)) for each in (self.size, images.image_size or ()))
            raise InputError(
                f"{who}: pictures are {theirs} pixels, and those that were learnt {sides} (a model with "
                "image_size= takes any size)."
            )
        return images


def opened(
    X: Any,
    who: str,
    image_shape: tuple[int, ...] | None,
    image_size: int | tuple[int, int] | None,
    channels: int | None,
) -> Images:
    """Pictures of one size, made so where a size is asked for."""
    images = open_images(X, who, image_shape, image_size)
    if len(images) and (image_size is not None or channels is not None):
        images = images.framed(image_size, channels)
    if len(images) and images.image_size is None:
        low, high = images.sizes.min(axis=0), images.sizes.max(axis=0)
        raise InputError(
            f"{who}: pictures have several sizes, from {low[0]} x {low[1]} to {high[0]} x {high[1]} (image_size= makes "
            "them one)."
        )
    return images
