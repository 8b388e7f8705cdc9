"""Networks that make: forgers and judges, translators between two kinds of pictures, and how good their work is."""

from margin.deep.generative.gan import GAN
from margin.deep.generative.losses import value_function
from margin.deep.generative.round import Round

__all__ = ["GAN", "Round", "value_function"]
