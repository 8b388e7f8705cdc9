"""A network by name, trained on pictures from its first weights or from those of a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from margin.data.images import Images
from margin.deep.architectures.building import build
from margin.deep.architectures.cards import card, names
from margin.deep.fitting.trained_network import Device, OptimizerName, PrecisionName, ScheduleName
from margin.deep.mlp.parameters import Below1, Folder
from margin.deep.pictures.augmentation import Changes
from margin.deep.pictures.picture_network import ImageShape, ImageSize, PictureNetwork
from margin.errors import ParameterError
from margin.params import (
    ClassWeight,
    Count,
    Flag,
    Jobs,
    NonNegative,
    Positive,
    Rule,
    Seed,
    Share,
    choice,
    is_number,
    is_whole,
)

if TYPE_CHECKING:
    from torch import nn

__all__ = ["ImageClassifier"]

#: Up to so many pixels of the shorter side "auto" takes the stem for small pictures.
SMALL_SIDE = 64


def _is_rates(value: Any) -> bool:
    one = is_number(value) and value >= 0
    return value is None or one or (isinstance(value, Mapping) and all(is_number(v) and v >= 0 for v in value.values()))


def _parse_rates(text: str) -> Any:
    if "=" in text:
        return {name.strip(): float(number) for name, number in (each.split("=") for each in text.split(","))}
    return None if text.lower() == "none" else float(text)


LayerRates = Annotated[
    Mapping[str, float] | float | None,
    Rule("None, a number of at least 0, or a mapping from layers to such numbers", _is_rates, _parse_rates),
]
WeightFile = Annotated[
    Any,
    Rule("a file of weights, or None", lambda v: v is None or isinstance(v, str | os.PathLike), lambda text: text),
]
Layer = Annotated[
    str | None,
    Rule(
        "None, 'features' or the name of a layer",
        lambda v: v is None or isinstance(v, str),
        lambda text: None if text.lower() == "none" else text,
    ),
]
Channels = Annotated[
    int | None,
    Rule("None, 1 or 3", lambda v: v is None or (is_whole(v) and v in (1, 3)), lambda text: int(text)),
]


def stem_for(architecture: str, size: tuple[int, int], has_weights: bool) -> Literal["published", "small"]:
    """The beginning that suits pictures of a size: that of the paper, or one without halvings."""
    small = not has_weights and min(size) <= SMALL_SIDE < card(architecture).image_size
    return "small" if small else "published"


Epochs = Annotated[int, Rule("a whole number of at least 0", lambda v: is_whole(v) and v >= 0, int)]


class ImageClassifier(PictureNetwork):
    """A convolutional network that learns classes from pictures.

    The network has a name (``margin.deep.architectures.names()``) and is built for the pictures and classes that it
    meets. It learns from first weights drawn at random, or goes on from those of a file (transfer learning): then
    ``freeze="features"`` learns its head alone, and ``head_epochs`` with ``layer_rates`` learns the head first and then
    all of it at smaller rates. One epoch costs three passes of all pictures through the network.

    Parameters
    ----------
    architecture
        The name of the network; ``margin net list`` tells them with their sizes.
    weights
        A file of weights on this machine (``.safetensors``, or one of torch), of which all but the head are taken. The
        scale of pixels is then the one that the file, or the card of the network, tells.
    freeze
        "features" for all but the head, or the name of a layer: it and those before it stay as they are, with the
        statistics of their batch normalisation.
    head_epochs
        In so many epochs at the beginning only the head learns.
    layer_rates
        A factor of the rate for all layers but the head, or a mapping from layers to such factors.
    stem
        "small" leaves out the halvings at the beginning; "auto" does so up to 64 pixels where no weights are given.

    Examples
    --------
    >>> import numpy as np
    >>> pixels = np.zeros((40, 8, 8), np.uint8)
    >>> pixels[::2, :4] = 255  # light above
    >>> labels = np.tile(["above", "nowhere"], 20)
    >>> model = ImageClassifier(epochs=20, batch_size=8, n_jobs=1).fit(pixels, labels)
    >>> model.predict(pixels[:2]).tolist()
    ['above', 'nowhere']
    """

    def __init__(
        self,
        architecture: Annotated[str, choice(known=lambda: tuple(names()))] = "small",
        *,
        weights: WeightFile = None,
        freeze: Layer = None,
        head_epochs: Epochs = 0,
        layer_rates: LayerRates = None,
        stem: Literal["auto", "published", "small"] = "auto",
        image_size: ImageSize = None,
        image_shape: ImageShape = None,
        channels: Channels = None,
        augmentation: Changes = None,
        mixup: NonNegative = 0.0,
        epochs: Count = 20,
        batch_size: Count = 64,
        optimizer: OptimizerName = "adam",
        rate: Positive = 1e-3,
        schedule: ScheduleName = "one_cycle",
        weight_decay: NonNegative = 0.0,
        early_stopping: Flag = False,
        validation_fraction: Share = 0.1,
        patience: Count | None = None,
        label_smoothing: Below1 = 0.0,
        ema: Below1 = 0.0,
        class_weight: ClassWeight = None,
        checkpoint: Folder = None,
        resume: Flag = False,
        device: Device = "cpu",
        precision: PrecisionName = "float32",
        random_state: Seed = 0,
        n_jobs: Jobs = None,
    ) -> None:
        self.architecture = architecture
        self.weights, self.freeze = weights, freeze
        self.head_epochs, self.layer_rates = head_epochs, layer_rates
        self.stem = stem
        self.image_size, self.image_shape, self.channels = image_size, image_shape, channels
        self.augmentation, self.mixup = augmentation, mixup
        self._take_parameters(locals())

    def _check_together(self) -> None:
        super()._check_together()
        if self.head_epochs and self.freeze == "features":
            raise ParameterError(
                f"ImageClassifier(freeze='features', head_epochs={self.head_epochs}): with all but the head frozen "
                "only the head ever learns (give one of the two)."
            )

    def _stem(self) -> Literal["published", "small"]:
        """The beginning of the network that "auto" stands for."""
        if self.stem != "auto":
            return self.stem
        return stem_for(self.architecture, self._encoder.size, self.weights is not None)

    def _built(self, device: str) -> Any:
        encoder = self._encoder
        return build(
            self.architecture, len(self.classes_), encoder.channels, encoder.size, stem=self._stem(), device=device,
            random_state=self.random_state,
        )  # fmt: skip

    def _bare_network(self) -> nn.Module:
        net = self._built("meta")
        if "_input_transform" in self.__dict__:
            net.transform_input = self._input_transform
        return net

    def _first_network(self) -> nn.Module:
        from margin.deep.pictures.freezing import freeze_layers
        from margin.deep.weights.files import load_weights

        net = self._built("cpu")
        if self.weights is not None:
            load_weights(net, self.weights, head="replace")
        if hasattr(net, "transform_input"):
            self._input_transform = bool(net.transform_input)
        freeze_layers(net, self.freeze, f"{type(self).__name__}.fit")
        self._learning = frozenset(name for name, each in net.named_parameters() if each.requires_grad)
        return net

    def _groups_of_parameters(self, net: nn.Module) -> list[dict[str, Any]]:
        from margin.deep.pictures.freezing import groups_of

        return groups_of(net, self.layer_rates, f"{type(self).__name__}.fit")

    def _before_epoch(self, net: nn.Module, number: int) -> None:
        from margin.deep.pictures.freezing import only_head

        if len(self._learning) < sum(1 for _ in net.parameters()) or self.head_epochs:
            only_head(net, number < self.head_epochs, self._learning, f"{type(self).__name__}.fit")

    def _keep(self, run: Any) -> None:
        super()._keep(run)
        del self._learning

    def _scale_of(self, images: Images) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """That of the weights, where there are some: they were learnt with it."""
        if self.weights is not None:
            from margin.deep.weights.files import noted_scale

            noted = noted_scale(self.weights, f"{type(self).__name__}.fit(weights={os.fspath(self.weights)!r})")
            known = card(self.architecture)
            if noted is None and known.mean is not None and known.std is not None:
                noted = known.mean, known.std
            if noted is not None and len(noted[0]) == images.channels:
                return noted
        return super()._scale_of(images)
