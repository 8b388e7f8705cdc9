"""Any module of the user's as a classifier of pictures."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Annotated, Any

from margin.deep.fitting.trained_network import Device, OptimizerName, PrecisionName, ScheduleName
from margin.deep.mlp.parameters import Below1, Folder
from margin.deep.pictures.augmentation import Changes
from margin.deep.pictures.image_classifier import Channels, LayerRates
from margin.deep.pictures.picture_network import ImageShape, ImageSize, PictureNetwork
from margin.params import ClassWeight, Count, Flag, Jobs, NonNegative, Positive, Rule, Seed, Share, no_text

if TYPE_CHECKING:
    from torch import nn

__all__ = ["TorchClassifier"]

Module = Annotated[
    Any, Rule("a module of torch", lambda v: hasattr(v, "state_dict") and hasattr(v, "named_parameters"), no_text)
]


class TorchClassifier(PictureNetwork):
    """A module of torch of one's own, trained and asked as every classifier is.

    The module takes (n, channels, height, width) and gives a logit for each class, as many as there are classes. It is
    copied: training begins from the weights that it has, and leaves it alone. Parameters that ask for no gradient are
    frozen. A ``.margin`` file holds no code, and so no module: keep ``network_`` with
    :func:`margin.deep.save_weights`, or the whole model with ``joblib.dump``.

    Parameters
    ----------
    module
        The network, with the weights to begin with.
    layer_rates
        A factor of the rate for all layers but the last, or a mapping from layers to such factors.

    Examples
    --------
    >>> import numpy as np
    >>> from margin.deep import architectures
    >>> pixels = np.zeros((40, 8, 8), np.uint8)
    >>> pixels[::2, :4] = 255
    >>> net = architectures.build("small", n_classes=2, image_size=8)
    >>> model = TorchClassifier(net, epochs=20, batch_size=8, n_jobs=1).fit(pixels, np.tile(["above", "nowhere"], 20))
    >>> model.predict(pixels[:2]).tolist()
    ['above', 'nowhere']
    """

    def __init__(
        self,
        module: Module,
        *,
        layer_rates: LayerRates = None,
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
        self.module = module
        self.layer_rates = layer_rates
        self.image_size, self.image_shape, self.channels = image_size, image_shape, channels
        self.augmentation, self.mixup = augmentation, mixup
        self._take_parameters(locals())

    def _bare_network(self) -> nn.Module:
        return copy.deepcopy(self.module)

    def _first_network(self) -> nn.Module:
        net = copy.deepcopy(self.module)
        self._check_outputs(net, f"{type(self).__name__}.fit")
        return net

    def _groups_of_parameters(self, net: nn.Module) -> list[dict[str, Any]]:
        from margin.deep.pictures.freezing import groups_of

        return groups_of(net, self.layer_rates, f"{type(self).__name__}.fit")

    def _before_epoch(self, net: nn.Module, number: int) -> None:
        from margin.deep.pictures.freezing import only_head

        learning = frozenset(name for name, each in net.named_parameters() if each.requires_grad)
        if len(learning) < sum(1 for _ in net.parameters()):
            only_head(net, False, learning, f"{type(self).__name__}.fit")
