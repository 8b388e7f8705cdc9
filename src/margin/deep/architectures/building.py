"""Networks by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, SupportsIndex

from margin.deep.architectures.cards import card as card_of
from margin.errors import ParameterError
from margin.lazy import package_of_extra
from margin.typing import SeedLike

if TYPE_CHECKING:
    from margin.deep.architectures.plan import Network

__all__ = ["build"]


def build(
    name: str,
    n_classes: int | None = None,
    channels: int | None = None,
    image_size: int | tuple[int, int] | None = None,
    *,
    stem: Literal["published", "small"] = "published",
    auxiliary: bool = False,
    device: str = "cpu",
    random_state: SeedLike = 0,
) -> Network:
    """A network for pictures by name, with first weights drawn at random.

    Parameters
    ----------
    name
        One of :func:`~margin.deep.architectures.names`.
    n_classes, channels, image_size
        Classes, colours, and the side of a picture in pixels (or height and width); as published where not given.
    stem
        "small" leaves out most of the halvings at the beginning, which would leave nothing of small pictures.
    auxiliary
        Whether there are auxiliary heads (GoogLeNet, Inception), which only training needs.
    device
        "meta" lays the network out without memory, for :func:`~margin.deep.summary`.
    random_state
        Decides the first weights. torch's own random numbers are neither used nor moved on.

    Examples
    --------
    >>> net = build("resnet20", n_classes=7)
    >>> sum(each.numel() for each in net.parameters()) - 64 * 7 - 7 == 269_722 - 64 * 10 - 10
    True
    """
    package_of_extra("torch", f"architectures.build({name!r})")
    from margin.deep.architectures.making import made
    from margin.deep.architectures.plan import Plan

    card = card_of(name)
    who = f"architectures.build({card.name!r}"
    n_classes = _count(who, "n_classes", card.n_classes if n_classes is None else n_classes)
    channels = _count(who, "channels", card.channels if channels is None else channels)
    size = card.image_size if image_size is None else image_size
    sides = size if isinstance(size, tuple | list) else (size, size)
    if len(sides) != 2:
        raise ParameterError(
            f"{who}, image_size={size!r}): image_size must be a number of pixels, or height and width."
        )
    if stem not in ("published", "small"):
        raise ParameterError(f"{who}, stem={stem!r}): stem must be 'published' or 'small'.")
    if auxiliary and not card.auxiliary_parameters:
        raise ParameterError(f"{who}, auxiliary=True): the network has no auxiliary heads.")
    height, width = (_count(who, "image_size", side) for side in sides)
    plan = Plan(card.name, n_classes, channels, (height, width), stem == "small", bool(auxiliary))
    return made(card, plan, device, random_state)


def _count(who: str, what: str, given: SupportsIndex) -> int:
    try:
        number = 0 if isinstance(given, bool) else given.__index__()
    except AttributeError:
        number = 0
    if number < 1:
        raise ParameterError(f"{who}, {what}={given!r}): {what} must be a whole number from 1 up.")
    return number
