"""Pictures as rows of pixels, for models of tables."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from margin import params
from margin.base.rollback import NotYetFittedError, whole_or_not_at_all
from margin.base.sklearn_classes import BaseEstimator, TransformerMixin
from margin.deep.pictures.image_classifier import Channels
from margin.deep.pictures.picture_encoder import PictureEncoder, opened
from margin.deep.pictures.picture_network import ImageShape, ImageSize
from margin.errors import InputError

__all__ = ["Pixels"]


class Pixels(TransformerMixin, BaseEstimator):
    """A row for each picture: its pixels, from 0 to 1, one after another.

    The plainest features there are, and the yardstick for all others: put it before any model of tables. Nothing but
    the size and the colours of the pictures is learnt; no PyTorch is needed.

    Parameters
    ----------
    image_size
        Pixels of a side, or height and width, that pictures are made; None to take pictures of one size only.
    image_shape
        For flat rows: (height, width) or (height, width, channels).
    channels
        Colours that pictures are made: 1 or 3; None for those that the training pictures have.

    Examples
    --------
    >>> Pixels(2).fit_transform(np.full((3, 8, 8), 255, np.uint8)).tolist()[0]
    [1.0, 1.0, 1.0, 1.0]
    """

    accepts_tables = False
    takes_cases = True

    def __init__(self, image_size: ImageSize = None, *, image_shape: ImageShape = None, channels: Channels = None):
        self.image_size, self.image_shape, self.channels = image_size, image_shape, channels

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the size of the pictures."""
        who = f"{type(self).__name__}.fit"
        params.check(self)
        with whole_or_not_at_all(self):
            shape = None if self.image_shape is None else tuple(int(side) for side in self.image_shape)
            images = opened(X, who, shape, self.image_size, self.channels)
            size = images.image_size
            if size is None:
                raise InputError(f"{who}: there are no pictures.")
            plain = (0.0,) * images.channels, (1.0,) * images.channels
            self._encoder = PictureEncoder(size, images.channels, shape, self.image_size is not None, *plain)
            self.n_features_out_ = size[0] * size[1] * images.channels
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The rows, as float64."""
        who = f"{type(self).__name__}.transform"
        if "_encoder" not in self.__dict__:
            raise NotYetFittedError(f"{who}: nothing was learnt yet; call fit(X) first.")
        images = self._encoder.encode(X, who)
        if not len(images):
            return np.zeros((0, self.n_features_out_))
        rows = images.matrix()
        return rows / 255.0 if rows.dtype == np.uint8 else rows.astype(np.float64)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """``pixel_0``, ``pixel_1``, …"""
        return np.array([f"pixel_{i}" for i in range(self.n_features_out_)], dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return "_encoder" in self.__dict__
