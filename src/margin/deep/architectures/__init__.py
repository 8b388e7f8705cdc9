"""Networks for pictures by name, from LeNet-5 to ResNet-152, each with a card."""

from margin.deep.architectures.building import build
from margin.deep.architectures.cards import Card, card, names

__all__ = ["Card", "build", "card", "names"]
