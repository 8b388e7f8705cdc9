"""What is known of each architecture: where it was published, its size, and what it expects of pictures."""

from __future__ import annotations

from dataclasses import dataclass

from margin.errors import ParameterError, closest

__all__ = ["CARDS", "Card", "card", "names"]

Colours = tuple[float, ...]
#: Mean and standard deviation of ImageNet's pictures by colour, which published weights expect to be taken out.
IMAGENET: tuple[Colours, Colours] = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


@dataclass(frozen=True)
class Card:
    """An architecture by name, with the figures of its publication.

    Attributes
    ----------
    name, family, title
        What it is called here, the family it is one of, and what people call it.
    paper, year
        Where it was published.
    parameters, auxiliary_parameters
        Trainable numbers for the published channels and classes; those of auxiliary heads, which only training needs.
    weighted_layers
        Convolutions and fully connected layers on the longest way from picture to answer.
    image_size, channels, n_classes
        Pixels of a side, colours and classes as published.
    smallest, smallest_stem
        The smallest side that the network takes, as published and with the stem for small pictures.
    mean, std
        What published weights expect to be taken out of each colour; None where none are in use.
    layout
        Whose names and shapes of tensors it has.
    note
        Where it differs from the paper, or from a network of the same name.
    """

    name: str
    family: str
    title: str
    paper: str
    year: int
    parameters: int
    weighted_layers: int
    image_size: int = 224
    channels: int = 3
    n_classes: int = 1000
    smallest: int = 32
    smallest_stem: int = 32
    auxiliary_parameters: int = 0
    mean: Colours | None = None
    std: Colours | None = None
    layout: str = "margin"
    note: str = ""

    def __str__(self) -> str:
        lines = [
            f"{self.name}: {self.title}",
            f"  {self.paper} ({self.year})",
            f"  {self.parameters:,} parameters, {self.weighted_layers} weighted layers",
            f"  {self.channels} x {self.image_size} x {self.image_size} -> {self.n_classes} classes; "
            f"sides from {self.smallest} up, from {self.smallest_stem} with stem='small'",
        ]
        if self.auxiliary_parameters:
            lines.append(f"  auxiliary heads: {self.auxiliary_parameters:,} parameters more")
        if self.mean is not None and self.std is not None:
            lines.append(f"  mean {self.mean}, standard deviation {self.std}")
        return "\n".join([*lines, f"  {self.note}"] if self.note else lines)


_VGG = "Simonyan, Zisserman: Very deep convolutional networks for large-scale image recognition"
_RESNET = "He, Zhang, Ren, Sun: Deep residual learning for image recognition"
_GOOGLENET = "Szegedy et al.: Going deeper with convolutions"
_LENET = "LeCun, Bottou, Bengio, Haffner: Gradient-based learning applied to document recognition"
_ALEXNET = "Krizhevsky, Sutskever, Hinton: ImageNet classification with deep convolutional neural networks"


def _published(
    name: str, family: str, title: str, paper: str, year: int, parameters: int, layers: int, **more: object
) -> Card:
    """A card of a network for which weights in torchvision's layout are in use."""
    mean, std = IMAGENET
    return Card(name, family, title, paper, year, parameters, layers, mean=mean, std=std, layout="torchvision", **more)  # type: ignore[arg-type]


def _vgg(depth: int, plain: int, normed: int) -> list[Card]:
    more: dict[str, object] = {"smallest": 32, "smallest_stem": 32}
    return [
        _published(f"vgg{depth}", "vgg", f"VGG-{depth}", _VGG, 2014, plain, depth, **more),
        _published(f"vgg{depth}-bn", "vgg", f"VGG-{depth} with batch normalisation", _VGG, 2014, normed, depth, **more),
    ]


def _resnet(depth: int, parameters: int) -> Card:
    note = "The stride of a bottleneck stands at its 3 x 3 convolution, as in torchvision." if depth >= 50 else ""
    return _published(
        f"resnet{depth}", "resnet", f"ResNet-{depth}", _RESNET, 2015, parameters, depth,
        smallest=1, smallest_stem=1, note=note,
    )  # fmt: skip


def _small_resnet(depth: int, parameters: int) -> Card:
    return Card(
        f"resnet{depth}", "small_resnet", f"ResNet-{depth} for CIFAR", _RESNET, 2015, parameters, depth,
        image_size=32, n_classes=10, smallest=1, smallest_stem=1,
        note="Shortcuts without parameters (option A); the stem is that for small pictures already.",
    )  # fmt: skip


CARDS: dict[str, Card] = {
    each.name: each
    for each in (
        Card(
            "small", "small", "Two convolutions with batch normalisation", "margin", 2026, 50_282, 3,
            image_size=28, channels=1, n_classes=10, smallest=4, smallest_stem=4,
            note="For small pictures and few of them; larger ones are averaged to 7 x 7 before the last layer.",
        ),
        Card(
            "lenet5", "lenet", "LeNet-5 with ReLU and max pooling", _LENET, 1998, 61_706, 5,
            image_size=28, channels=1, n_classes=10, smallest=12, smallest_stem=12,
            note="What is called LeNet-5 today; lenet5-1998 is the network of the paper.",
        ),
        Card(
            "lenet5-1998", "lenet", "LeNet-5", _LENET, 1998, 60_000, 5,
            image_size=32, channels=1, n_classes=10, smallest=28, smallest_stem=28,
            note="Subsampling with weights, C3 joined by the table of the paper, distances to fixed codes as outputs; "
            "the codes are drawn at random, where the paper drew characters by hand.",
        ),
        _published("alexnet", "alexnet", "AlexNet on one GPU", "Krizhevsky: One weird trick for parallelizing "
                   "convolutional neural networks", 2014, 61_100_840, 8, smallest=63, smallest_stem=15),
        Card(
            "alexnet-2012", "alexnet", "AlexNet", _ALEXNET, 2012, 60_965_224, 8, smallest=63, smallest_stem=15,
            note="Two groups of maps, as on two GPUs, and responses normalised among neighbouring maps.",
        ),
        *_vgg(11, 132_863_336, 132_868_840), *_vgg(13, 133_047_848, 133_053_736),
        *_vgg(16, 138_357_544, 138_365_992), *_vgg(19, 143_667_240, 143_678_248),
        Card(
            "nin", "nin", "Network in network", "Lin, Chen, Yan: Network in network", 2013, 966_986, 9,
            image_size=32, n_classes=10, smallest=4, smallest_stem=4,
        ),
        _published("googlenet", "googlenet", "GoogLeNet with batch normalisation", _GOOGLENET, 2014, 6_624_904, 22,
                   auxiliary_parameters=6_379_984, smallest=15, smallest_stem=4,
                   note="torchvision's: its 5 x 5 convolutions are 3 x 3."),
        Card(
            "googlenet-2014", "googlenet", "GoogLeNet", _GOOGLENET, 2014, 6_998_552, 22,
            auxiliary_parameters=6_379_728, smallest=31, smallest_stem=8,
        ),
        _published("inception-v3", "inception", "Inception v3", "Szegedy, Vanhoucke, Ioffe, Shlens, Wojna: Rethinking "
                   "the Inception architecture for computer vision", 2015, 23_834_568, 48, image_size=299,
                   auxiliary_parameters=3_326_696, smallest=75, smallest_stem=21),
        *(_resnet(*each) for each in (
            (18, 11_689_512), (34, 21_797_672), (50, 25_557_032), (101, 44_549_160), (152, 60_192_808))),
        *(_small_resnet(*each) for each in (
            (20, 269_722), (32, 464_154), (44, 658_586), (56, 853_018), (110, 1_727_962))),
    )
}  # fmt: skip


def names() -> list[str]:
    """The architectures that can be built.

    >>> names()[:3]
    ['small', 'lenet5', 'lenet5-1998']
    """
    return list(CARDS)


def card(name: str) -> Card:
    """The card of an architecture; torchvision's spelling (``vgg16_bn``) is understood too.

    >>> print(card("resnet50"))
    resnet50: ResNet-50
      He, Zhang, Ren, Sun: Deep residual learning for image recognition (2015)
      25,557,032 parameters, 50 weighted layers
      3 x 224 x 224 -> 1000 classes; sides from 1 up, from 1 with stem='small'
      mean (0.485, 0.456, 0.406), standard deviation (0.229, 0.224, 0.225)
      The stride of a bottleneck stands at its 3 x 3 convolution, as in torchvision.
    """
    known = CARDS.get(str(name).lower().replace("_", "-"))
    if known is None:
        raise ParameterError(
            f"architectures.build({name!r}): the name must be one of {', '.join(CARDS)}{closest(name, CARDS)}."
        )
    return known
