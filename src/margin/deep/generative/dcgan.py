"""The convolutional forger of Radford, Metz and Chintala, and the features that its discriminator has learnt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from margin.deep.generative.forger import PIECE, Forger
from margin.deep.generative.gan import LossName
from margin.deep.mlp.parameters import Below1, Folder
from margin.deep.pictures.image_classifier import Channels
from margin.deep.pictures.picture_network import ImageShape, ImageSize
from margin.errors import InputError
from margin.params import Count, Flag, Jobs, NonNegative, Positive, Seed
from margin.random import seed_for

if TYPE_CHECKING:
    import torch
    from torch import nn

__all__ = ["DCGAN"]

#: Sides that pictures may have.
SMALLEST, LARGEST = 16, 64
#: Features of every layer are the largest of each of so many fields a side.
GRID = 4


class DCGAN(Forger):
    """A forger of small pictures by the rules of its paper.

    Strided and transposed convolutions instead of pooling; batch normalisation everywhere but at the output of the
    generator and the input of the discriminator; ReLU and tanh in one, LeakyReLU of .2 in the other; Adam with rate
    2e-4 and memory .5; weights with deviation .02. Pictures are square, of 16 to 64 pixels, 4 to 7 times a power of 2.

    The latent space can be reckoned with (:meth:`~Forger.latent_of`, :meth:`~Forger.from_latent`), and
    :meth:`transform` gives what the discriminator has learnt to see as columns for any other model.

    Parameters
    ----------
    width
        Maps of the layer next to the picture; every layer further in has twice as many. 64 in the paper.
    loss
        "non_saturating" as in the paper, or another of :class:`GAN`.
    n_critic
        How often the discriminator learns before the generator does.
    r1
        Penalty on the squared slope of D at real pictures, over 2.
    spectral_norm
        Whether each weight of the discriminator is divided by its largest singular value.
    latent
        Numbers, standard normal ones, that a picture is made of.

    Attributes
    ----------
    n_features_out_
        Columns of :meth:`transform`.

    References
    ----------
    Radford, Metz, Chintala, "Unsupervised representation learning with deep convolutional generative adversarial
    networks" (2016).

    Examples
    --------
    >>> pixels = np.zeros((64, 16, 16), np.uint8)
    >>> pixels[::2, :8] = 255  # light above
    >>> model = DCGAN(4, latent=4, steps=3, batch_size=16, n_jobs=1).fit(pixels)
    >>> model.sample(2, random_state=0).shape, model.transform(pixels).shape
    ((2, 16, 16, 1), (64, 192))
    """

    def __init__(
        self,
        width: Count = 64,
        loss: LossName = "non_saturating",
        *,
        n_critic: Count = 1,
        r1: NonNegative = 0.0,
        spectral_norm: Flag = False,
        latent: Count = 100,
        steps: Count = 1500,
        batch_size: Count = 64,
        rate: Positive = 2e-4,
        beta1: Below1 = 0.5,
        ema: Below1 = 0.0,
        image_size: ImageSize = None,
        image_shape: ImageShape = None,
        channels: Channels = None,
        checkpoint: Folder = None,
        resume: Flag = False,
        random_state: Seed = 0,
        n_jobs: Jobs = None,
    ) -> None:
        self.width, self.loss = width, loss
        self.n_critic, self.r1, self.spectral_norm = n_critic, r1, spectral_norm
        self.latent = latent
        self.steps, self.batch_size, self.rate, self.beta1, self.ema = steps, batch_size, rate, beta1, ema
        self.image_size, self.image_shape, self.channels = image_size, image_shape, channels
        self.checkpoint, self.resume = checkpoint, resume
        self.random_state, self.n_jobs = random_state, n_jobs

    def _takes_pictures(self, X: Any) -> bool:
        return True

    def _read(self, X: Any, who: str) -> torch.Tensor:
        from margin.deep.generative.players import levels_of

        cases = super()._read(X, who)
        height, width = self._encoder.size
        if height != width or not SMALLEST <= height <= LARGEST or levels_of(height) is None:
            raise InputError(
                f"{who}: pictures are {height} x {width} pixels; they must be square, from {SMALLEST} to {LARGEST}, "
                "and 4 to 7 times a power of 2 (image_size=32 makes them so)."
            )
        return cases

    def _players(self, seed: int | None) -> nn.ModuleDict:
        from torch import nn

        from margin.deep.generative import players as made

        smallest, doublings = made.levels_of(self._encoder.size[0]) or (4, 2)
        channels, width = self._encoder.channels, int(self.width)

        def judge() -> nn.Module:
            # The penalty on slopes speaks of each case alone, which normalised batches do not know.
            net = made.Judge(width, channels, smallest, doublings, normed=self.loss != "wgan_gp")
            return made.spectral(net) if self.spectral_norm else net

        def forge() -> nn.Module:
            return made.Sculptor(int(self.latent), width, channels, smallest, doublings)

        seeds = [None if seed is None else seed_for(seed, name, bits=63) for name in ("generator", "discriminator")]
        return nn.ModuleDict(
            {
                "generator": made.made_with(forge, seeds[0], made.narrow_weights),
                "discriminator": made.made_with(judge, seeds[1], made.narrow_weights),
            }
        )

    # ---- What the discriminator sees.

    @property
    def n_features_out_(self) -> int:
        from margin.deep.generative.players import levels_of

        _, doublings = levels_of(self._fitted("n_features_out_")._encoder.size[0]) or (4, 2)
        return int(self.width) * (2**doublings - 1) * GRID**2

    def transform(self, X: Any) -> np.ndarray:
        """What the discriminator sees in pictures: of every layer's maps the largest cell of each of 4 x 4 fields.

        As in the paper, a linear model of few labels can stand on these columns.
        """
        import torch
        from torch.nn import functional

        from margin.deep.training.surroundings import threads_of_torch

        cases = self._cases(X, "transform")
        judge: Any = self.networks_["discriminator"]
        made = []
        with threads_of_torch(self.n_jobs), torch.inference_mode():
            for first in range(0, len(cases), PIECE):
                x, seen = cases[first : first + PIECE], []
                for layer in judge.features:
                    x = layer(x)
                    if isinstance(layer, torch.nn.LeakyReLU):
                        seen.append(functional.adaptive_max_pool2d(x, GRID).flatten(1))
                made.append(torch.cat(seen, dim=1).double().numpy())
        return np.concatenate([np.zeros((0, self.n_features_out_)), *made])

    def fit_transform(self, X: Any, y: None = None) -> np.ndarray:
        """``fit`` and ``transform`` of the same pictures."""
        return self.fit(X).transform(X)
