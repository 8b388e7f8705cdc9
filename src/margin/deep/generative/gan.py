"""Generative adversarial networks of dense layers, or of one's own modules."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Annotated, Any

from margin.deep.generative.forger import Forger
from margin.deep.generative.losses import LOSSES
from margin.deep.mlp.parameters import Below1, Folder
from margin.deep.pictures.image_classifier import Channels
from margin.deep.pictures.picture_network import ImageShape, ImageSize
from margin.params import Count, Flag, Jobs, NonNegative, Positive, Rule, Seed, choice, is_list_of, is_whole
from margin.random import seed_for

if TYPE_CHECKING:
    from torch import nn

__all__ = ["GAN", "LossName", "NetworkOrUnits"]


def _is_units(value: Any) -> bool:
    return is_list_of(value, lambda v: is_whole(v) and v >= 1)


def _is_module(value: Any) -> bool:
    return hasattr(value, "state_dict") and hasattr(value, "named_parameters")


def _parse_units(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.strip("()[] ").replace(",", " ").split())


NetworkOrUnits = Annotated[
    Any, Rule("a list of layers' units, or a module of torch", lambda v: _is_units(v) or _is_module(v), _parse_units)
]
LossName = Annotated[str, choice(known=lambda: tuple(LOSSES))]


class GAN(Forger):
    r"""A generator and a discriminator that play against each other (Goodfellow et al. 2014).

    .. math:: \min_G \max_D V(D, G) = E_{x} \log D(x) + E_{z} \log(1 - D(G(z)))

    The best discriminator is :math:`p / (p + q)`, and a generator whose cases are distributed as the real ones leaves
    it :math:`-\log 4`. Nothing says that steps lead there: losses go round in circles, a generator may come to make few
    kinds of cases, a discriminator may win for good. Both are warned of, with the step.

    Parameters
    ----------
    generator, discriminator
        Units of the hidden layers, or modules of torch: from (n, latent) to cases, and from cases to a number each.
        Modules see columns of mean 0 and deviation 1, and pictures (n, channels, height, width) between -1 and 1; they
        are copied, and a file holds none. One without parameters that learn stays as it is.
    loss
        "minimax" is the value function as it is printed, whose slope vanishes for a generator that is found out;
        "non_saturating" makes log D(G(z)) large instead; "lsgan", "hinge" and "wgan_gp" are other games.
    n_critic
        How often the discriminator learns before the generator does.
    r1
        Penalty on the squared slope of D at real cases, over 2 (Mescheder 2018): keeps steps from going in circles.
    spectral_norm
        Whether each weight of the discriminator is divided by its largest singular value (Miyato 2018).

    References
    ----------
    Goodfellow et al. (2014); Mao et al. (2017); Gulrajani et al. (2017); Miyato et al. (2018); Mescheder et al. (2018).

    Examples
    --------
    >>> from margin.data.generators import gaussian_ring
    >>> X, _ = gaussian_ring(400, seed=0)
    >>> model = GAN((16,), (16,), latent=2, steps=20, batch_size=50, n_jobs=1)
    >>> for step in model.training(X):
    ...     if step.step == 10:
    ...         break
    >>> model.sample(3, random_state=0).shape, len(model.value_), model.score(X[:2]).shape
    ((3, 2), 10, (2,))
    """

    def __init__(
        self,
        generator: NetworkOrUnits = (128, 128),
        discriminator: NetworkOrUnits = (128, 128),
        loss: LossName = "non_saturating",
        *,
        n_critic: Count = 1,
        r1: NonNegative = 0.0,
        spectral_norm: Flag = False,
        latent: Count = 16,
        steps: Count = 3000,
        batch_size: Count = 256,
        rate: Positive = 1e-3,
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
        self.generator, self.discriminator, self.loss = generator, discriminator, loss
        self.n_critic, self.r1, self.spectral_norm = n_critic, r1, spectral_norm
        self.latent = latent
        self.steps, self.batch_size, self.rate, self.beta1, self.ema = steps, batch_size, rate, beta1, ema
        self.image_size, self.image_shape, self.channels = image_size, image_shape, channels
        self.checkpoint, self.resume = checkpoint, resume
        self.random_state, self.n_jobs = random_state, n_jobs

    def _players(self, seed: int | None) -> nn.ModuleDict:
        from torch import nn

        from margin.deep.generative import players as made

        shape = self._case_shape

        def judge() -> nn.Module:
            net = made.DenseDiscriminator([int(n) for n in self.discriminator], shape)
            return made.spectral(net) if self.spectral_norm else net

        def forge() -> nn.Module:
            return made.DenseGenerator(int(self.latent), [int(n) for n in self.generator], shape)

        found: dict[str, nn.Module] = {}
        for name, given, build in ("generator", self.generator, forge), ("discriminator", self.discriminator, judge):
            own = None if seed is None else seed_for(seed, name, bits=63)
            found[name] = copy.deepcopy(given) if _is_module(given) else made.made_with(build, own, made.dense_weights)
        return nn.ModuleDict(found)
