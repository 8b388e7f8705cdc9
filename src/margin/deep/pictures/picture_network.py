"""What classifiers of pictures share, whether their network has a name or is the user's own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from margin.base.representations.representation import Learnt, TrainingRows
from margin.data.images import Images
from margin.deep.fitting.network_classifier import NetworkClassifier
from margin.deep.pictures.augmentation import changed, read_changes
from margin.deep.pictures.picture_encoder import PictureEncoder, opened
from margin.errors import InputError
from margin.params import Rule, is_list_of, is_whole
from margin.typing import LabelsLike, WeightsLike

if TYPE_CHECKING:
    from torch import nn

    from margin.deep.training.lessons import Lessons

__all__ = ["ImageShape", "ImageSize", "PictureNetwork"]


def _is_side(value: Any) -> bool:
    return is_whole(value) and value >= 1


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.strip("()[] ").replace("x", " ").replace(",", " ").split())


def _parse_size(text: str) -> Any:
    sides = _numbers(text) if text.lower() != "none" else (None,)
    return sides[0] if len(sides) == 1 else sides


ImageSize = Annotated[
    int | tuple[int, int] | None,
    Rule(
        "None, a number of pixels, or height and width",
        lambda v: v is None or _is_side(v) or (is_list_of(v, _is_side) and len(v) == 2),
        _parse_size,
    ),
]
ImageShape = Annotated[
    tuple[int, ...] | None,
    Rule(
        "None, (height, width) or (height, width, channels)",
        lambda v: v is None or (is_list_of(v, _is_side) and len(v) in (2, 3)),
        lambda text: None if text.lower() == "none" else _numbers(text),
    ),
]


class PictureNetwork(NetworkClassifier):
    """A classifier of pictures: (n, H, W), (n, H, W, C) or (n, C, H, W), flat rows, lists, ``Images``, a folder.

    Parameters
    ----------
    image_size
        Pixels of a side, or height and width, that all pictures are made, at fit and later; None to take pictures of
        one size only.
    image_shape
        For flat rows: (height, width) or (height, width, channels).
    channels
        Colours that all pictures are made: 1 or 3; None for those that the training pictures have.
    augmentation
        Changes that pictures undergo, anew in every epoch: a mapping from "flip", "shift", "crop", "rotate", "scale",
        "colour", "erase" to how much of it (``margin.deep.CHANGES`` says of what), or one of the names.
    mixup
        The parameter of the Beta distribution by which pairs of pictures are mixed; 0 for none.
    """

    image_size: Any
    image_shape: Any
    channels: int | None
    augmentation: Any
    mixup: float
    _encoder: PictureEncoder

    def _open_rows(self, X: Any, sample_weight: WeightsLike | None, who: str, like: Any = None) -> TrainingRows:
        images = opened(X, who, self._shape(), self.image_size, self.channels)
        if not len(images):
            raise InputError(f"{who}: there are no pictures.")
        return TrainingRows.that_count(images, sample_weight, who)

    def _shape(self) -> tuple[int, ...] | None:
        return None if self.image_shape is None else tuple(int(side) for side in self.image_shape)

    def _learn_input(self, rows: TrainingRows, who: str) -> Learnt:
        images: Images = rows.source
        size = images.image_size
        assert size is not None
        mean, std = self._scale_of(images)
        encoder = PictureEncoder(size, images.channels, self._shape(), self.image_size is not None, mean, std)
        return Learnt(encoder, images, None)

    def _scale_of(self, images: Images) -> tuple[tuple[float, ...], tuple[float, ...]]:
        from margin.deep.training.pixel_scale import PixelScale

        found = PixelScale.learnt(images)
        return found.mean, found.std

    def _own_labels(self, X: Any) -> Any:
        return X.labels if isinstance(X, Images) else None

    def _lessons(self, cases: Any, codes: np.ndarray, weight: np.ndarray | None, learning: bool) -> Lessons:
        from margin.deep.training.batches import Batches

        changes = read_changes(self.augmentation) if learning else {}
        change = partial(changed, changes=changes) if changes else None
        return Batches(cases, codes, weight, self._encoder.scale, self._device(f"{type(self).__name__}.fit"), change)

    def _logits(self, cases: Any) -> np.ndarray:
        from margin.deep.training.answering import answered

        net = self.network_
        device = next(net.parameters()).device
        return answered(net, cases, self._encoder.scale, device, self.n_jobs)

    def _check_outputs(self, net: nn.Module, who: str) -> None:
        """Whether a network takes pictures of this frame, and has an output for each class."""
        import torch

        from margin.deep.training.batches import outputs_of

        blank = Images.from_array(np.zeros((1, *self._encoder.size, self._encoder.channels), np.uint8))
        found = outputs_of(net, blank, self._encoder.scale, torch.device("cpu"), who)
        if found != len(self.classes_):
            raise InputError(f"{who}: the network has {found} outputs, and there are {len(self.classes_)} classes.")

    def _mixup(self) -> float:
        return float(self.mixup)

    @property
    def _training_size(self) -> tuple[int, int]:
        return self._encoder.size

    def summary(self) -> Any:
        """The layers of the fitted network: output shapes, parameters, multiply-adds, what a cell of each sees."""
        from margin.deep.reading.summary import summary

        fitted = self._fitted("summary")
        return summary(fitted._bare_network(), (fitted._encoder.channels, *fitted._encoder.size))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each picture, in the type the labels came in; ties go to the first class."""
        return super().predict(X)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class (columns as in ``classes_``) for each picture."""
        return super().predict_proba(X)

    def score(self, X: Any, y: LabelsLike | None = None, sample_weight: WeightsLike | None = None) -> float:
        """Accuracy; pictures may bring their labels along."""
        return super().score(X, self._labels_of(X, y, f"{type(self).__name__}.score"), sample_weight)
