"""Pictures as people have them, of one size or of several, each as (height, width, channels)."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from margin.data.images import Images
from margin.data.images.decoding import ENDINGS
from margin.data.images.opening import open_images
from margin.errors import DataError, InputError

if TYPE_CHECKING:
    from margin.deep.training.pixel_scale import PixelScale

__all__ = ["PictureScale", "files_of", "given_pictures"]


@dataclass(frozen=True)
class PictureScale:
    """The colours of pictures, and what is taken out of each colour and what it is divided by; any size will do."""

    channels: int
    mean: tuple[float, ...]
    std: tuple[float, ...]

    @property
    def scale(self) -> PixelScale:
        from margin.deep.training.pixel_scale import PixelScale

        return PixelScale(self.mean, self.std)

    @classmethod
    def learnt(cls, images: Images) -> PictureScale:
        from margin.deep.training.pixel_scale import PixelScale

        found = PixelScale.learnt(images)
        return cls(images.channels, found.mean, found.std)

    def encode(self, X: Any, who: str) -> list[Images]:
        """Pictures as collections of one size each, in their order; grey ones become coloured as those learnt."""
        return [self._coloured(images, who) for images in given_pictures(X, who)]

    def _coloured(self, images: Images, who: str) -> Images:
        if images.channels == self.channels:
            return images
        if images.names is not None or images.channels == 1:
            return images.framed(None, self.channels)
        raise InputError(
            f"{who}: pictures have {images.channels} channels, and those that were learnt {self.channels}."
        )


def files_of(folder: str | os.PathLike[str], who: str) -> list[Path]:
    """The pictures of a folder, sorted by name."""
    try:
        inside = sorted(Path(folder).iterdir())
    except OSError as error:
        raise DataError(f"{who}: {os.fspath(folder)!r} cannot be opened ({error.strerror}).") from None
    found = [each for each in inside if each.suffix.lower() in ENDINGS and not each.name.startswith(".")]
    if not found:
        raise DataError(f"{who}: there are no pictures in {os.fspath(folder)!r} (endings are {', '.join(ENDINGS)}).")
    return found


def given_pictures(X: Any, who: str) -> list[Images]:
    """``Images``, arrays, lists of arrays of any size, files, or a folder, as collections of one size each."""
    if isinstance(X, str | os.PathLike):
        X = files_of(X, who) if Path(X).is_dir() else [X]
    if isinstance(X, list | tuple) and X and all(isinstance(each, str | os.PathLike) for each in X):
        X = Images.from_files(X)
    if isinstance(X, list | tuple) and len({np.shape(each) for each in X}) > 1:
        return [given for each in _runs(X) for given in given_pictures(each, who)]
    images = open_images(X, who)
    if not len(images):
        return []
    if images.image_size is not None:
        return [images]
    sizes = images.sizes
    cuts = [0, *(np.flatnonzero((sizes[1:] != sizes[:-1]).any(axis=1)) + 1).tolist(), len(images)]
    return [images[first:end] for first, end in itertools.pairwise(cuts)]


def _runs(pictures: Sequence[Any]) -> list[list[Any]]:
    """Neighbours of one shape together."""
    found: list[list[Any]] = []
    for each in pictures:
        if found and np.shape(found[-1][0]) == np.shape(each):
            found[-1].append(each)
        else:
            found.append([each])
    return found
