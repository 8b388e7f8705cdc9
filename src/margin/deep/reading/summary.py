"""What a network is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from margin.lazy import package_of_extra

if TYPE_CHECKING:
    from torch import nn

    from margin.deep.reading.layer_table import Summary

__all__ = ["summary"]


def summary(net: nn.Module, input_shape: Sequence[int]) -> Summary:
    """The layers of any torch module: output shapes, parameters, multiply-adds and how far each layer sees.

    Nothing is computed and no memory is taken, so that VGG-16 costs nothing (``architectures.build("vgg16",
    device="meta")``). ``input_shape`` is the shape of one case, without the batch.

    Examples
    --------
    >>> from margin.deep import architectures
    >>> print(summary(architectures.build("lenet5"), (1, 28, 28)))
    lenet5, input 1 x 28 x 28
    layer         kind       output        parameters  trainable  multiply-adds  sees
    features.0    Conv2d     6 x 28 x 28          156        156        117,600  5 x 5
    features.1    ReLU       6 x 28 x 28            0          0              0  5 x 5
    features.2    MaxPool2d  6 x 14 x 14            0          0              0  6 x 6
    features.3    Conv2d     16 x 10 x 10       2,416      2,416        240,000  14 x 14
    features.4    ReLU       16 x 10 x 10           0          0              0  14 x 14
    features.5    MaxPool2d  16 x 5 x 5             0          0              0  16 x 16
    classifier.0  Linear     120               48,120     48,120         48,000
    classifier.1  ReLU       120                    0          0              0
    classifier.2  Linear     84                10,164     10,164         10,080
    classifier.3  ReLU       84                     0          0              0
    classifier.4  Linear     10                   850        850            840
                                               61,706     61,706        416,520
    """
    package_of_extra("torch", "summary")
    from margin.deep.reading.layer_table import table_of

    return table_of(net, tuple(int(side) for side in input_shape))
